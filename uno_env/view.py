"""What a player is given and what it gives back: `View`, the `Agent` protocol, and `play_round`, which seats agents at one game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from uno_env.game import Game, Outcome
from uno_env.rules import Rules

ANY_SEED = 0
"""Seed of the redrawn game that a `View` keeps: any would do, since nothing that the seat cannot know is left in it."""


class View:
    """One decision as the seat that makes it lawfully sees it.

    A view holds no reference to the game it was made from, only to a copy in which everything that the seat cannot know has been
    drawn anew: no attribute leads to a hidden card.

    Attributes:
        observation: ``int8[OBS_SIZE]``, see `uno_env.observe.LAYOUT`.
        action_mask: ``int8[91]``, 1 = legal.
        seat: who decides.
        rules: the rules of the game.
        rng: the agent's own generator, apart from the game's.
    """

    __slots__ = ("_redrawn", "action_mask", "observation", "rng", "rules", "seat")

    def __init__(self, game: Game, rng: np.random.Generator) -> None:
        """The decision that is due in ``game``, for its actor; ``ValueError`` once the round is over."""
        if game.over:
            raise ValueError("the round is over: nobody decides")
        self.seat = game.actor
        self.rules: Rules = game.rules
        self.rng = rng
        self.observation = game.observe(self.seat)
        self.action_mask = game.action_mask()
        self._redrawn = game.resample(self.seat, ANY_SEED)

    def legal_texts(self) -> list[str]:
        """Texts of the legal actions, in the order of their ids."""
        return self._redrawn.legal_texts()

    def resample(self, seed: int) -> Game:
        """A game, free to be played on, in which all that the seat cannot know is drawn anew from ``seed``."""
        return self._redrawn.resample(self.seat, seed)

    def __repr__(self) -> str:
        return f"<View of seat {self.seat}, legal: {', '.join(self.legal_texts())}>"


@runtime_checkable
class Agent(Protocol):
    """A player: anything with ``act``.

    Three more methods are optional and looked for by name:

    * ``act_batch(observations, action_masks, rng)``: actions, ``int64[M]``, for ``int8[M, OBS_SIZE]`` and ``int8[M, 91]``, with a
      NumPy generator. It is what makes an agent fast in evaluation and as an opponent in a batch.
    * ``for_rules(rules)``: the agent as it plays under these rules. An observation does not tell the rules, so whoever calls
      ``act_batch`` or ``decide`` asks for this first. Agents without it play all rules alike.
    * ``decide(observations, action_masks, words)``: as ``act_batch``, with a random word (uint64) for each row, of which all that
      is random in its decision is made. A batch then repeats what its rows would do one by one, which is how `UnoVectorEnv` plays
      the same games as single environments.
    """

    def act(self, view: View) -> int:
        """A legal action of ``view``; everything random comes from ``view.rng``."""
        ...


def play_round(game: Game, agents: Sequence[Agent], seed: int = 0) -> Outcome:
    """Play ``game`` to the end of its round, agent ``agents[seat]`` deciding for each seat.

    ``seed`` drives the agents, a generator for each seat; the game has its own.

    Raises:
        ValueError: for another number of agents than of seats.
        IllegalAction: (a `ValueError`) if an agent chooses an illegal action.
    """
    if len(agents) != game.num_players:
        raise ValueError(f"{len(agents)} agents for {game.num_players} seats")
    generators = [np.random.default_rng([seed, seat]) for seat in range(game.num_players)]
    while (outcome := game.outcome) is None:
        seat = game.actor
        game.push(agents[seat].act(View(game, generators[seat])))
    return outcome
