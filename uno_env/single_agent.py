"""# Uno for one learner.

| Creation          | ``gymnasium.make("uno_env:Uno-v0")``, no other import is needed |
|-------------------|------------------------------------------------------------------|
| Action Space      | Discrete(91)                                                     |
| Observation Space | Box(-1, 127, (950,), int8)                                       |
| Legal actions     | ``info["action_mask"]`` (int8), ``action_masks()`` (bool)        |
| Players           | the learner and 1-9 opponents                                    |

One player of the game that `uno_env.uno_v0` describes learns; the environment plays the others, so that every step answers one
decision of the learner and comes back with the next one, or with the end. Observation, mask and actions are those of
`uno_env.uno_v0`, whose pages tell of each; here the observation is the flat vector alone.

### Arguments

``UnoEnv(*, rules="research", num_players=None, opponents=None, seat=0, episode="round", reward="win", illegal_action="end",
render_mode=None, viewpoint="learner", render_width=..., ansi_colour=False, save_games=None)``

* ``rules``: a preset's name, a `Rules`, a mapping of fields, or a YAML file's path.
* ``num_players``: 2-10, outranks the number in ``rules``.
* ``opponents``: who plays the other seats, see below.
* ``seat``: where the learner sits: a number, ``"random"`` (drawn for every episode) or ``"rotate"`` (the next seat with every
  `reset`; after ``reset(seed=s)`` it begins with seat ``s % num_players``). The round begins with seat 0 whatever ``seat`` is.
* ``episode``: ``"round"`` ends with the round, ``"match"`` plays rounds until a player reaches ``rules.target`` points.
* ``reward``: ``"win"``, ``"points"`` or ``"match"``: the learner's share of what `uno_env.uno_v0` pays. Several rounds of a match
  may end between two decisions of the learner: their rewards come together, those before its first decision with its first step.
* ``illegal_action``: ``"end"``: it ends the episode with reward -1, terminated; ``"raise"``: it raises `uno_env.IllegalAction` and
  changes nothing. What is no integer raises either way.
* ``render_mode``: ``"human"``, ``"rgb_array"``, ``"ansi"`` or None, as in `uno_env.uno_v0`; the window shows opponents too.
* ``viewpoint``: ``"learner"``: other hands lie face down; ``"all"``: all cards are shown.
* ``save_games``: a file that gets the transcript of every game that ends.

### Opponents

| ``opponents``             | Who plays                                                                                          |
|---------------------------|----------------------------------------------------------------------------------------------------|
| ``None``                  | `RandomCard`: a random playable card, built in                                                     |
| a name, a path            | what ``agents.load`` of the checkout makes of it: ``"random"``, a checkpoint, ...                  |
| ``"package.module:Name"`` | that class or function, called without arguments                                                   |
| an agent                  | any object with ``act(view)`` (`uno_env.view.Agent`), or better with ``act_batch`` or ``decide``   |
| ``{"pool": [...]}``       | one of these, drawn anew for each seat and episode; what stands there twice comes twice as often   |
| a list or tuple           | one of the above for each other seat, clockwise from the learner's left                            |

In a team game partners are among them: with two teams of two the partner is the second of three. Opponents are given a
`uno_env.view.View`, or copies of their observation and mask: they see no more than a player at their seat may.

### Randomness

``reset(seed=s)`` deals the game of ``Game(rules, seed=s)``; `reset` without a seed goes on with all generators, from a fresh seed
the first time. Each seat's opponent has random numbers of its own, made from ``s``: the same seeds and actions give the same
episodes.
A game that ends before the learner has decided anything is dealt again with the generator of the game.

### Version History

* v0: initial version (0.1.0)

"""

from __future__ import annotations

import operator
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded

from uno_env.aec import UnoAEC, observation_space
from uno_env.game import Game
from uno_env.opponents import Opponents, Seat, Seating
from uno_env.render import table
from uno_env.rules import Rules
from uno_env.state import NUM_ACTIONS
from uno_env.view import Agent

ENV_ID = "Uno-v0"
"""Name in Gymnasium's registry; the version moves when behaviour moves."""

ONLY = np.zeros(1, np.int64)
"""The number of the only game, for `Seating`."""
MAX_DEALS = 1000
"""So many games in a row may end before the learner decides anything; rules under which it never does are refused then."""


# The environment --------------------------------------------------------------------------------------------------------


class UnoEnv(gymnasium.Env[np.ndarray, int]):
    """Uno for one learner against opponents; see the module `uno_env.single_agent` for spaces, opponents and version history.

    Observations and infos are fresh objects: what was returned once never changes. Copies (``copy.deepcopy``, ``pickle``) go on
    identically.

    Attributes:
        rules: the rules of the game.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (Gymnasium's own way)
        "render_modes": list(UnoAEC.metadata["render_modes"]),
        "render_fps": UnoAEC.metadata["render_fps"],
    }

    def __init__(
        self,
        *,
        rules: Rules | str | Path | Mapping[str, Any] = "research",
        num_players: int | None = None,
        opponents: Opponents = None,
        seat: Seat = 0,
        episode: Literal["round", "match"] = "round",
        reward: Literal["win", "points", "match"] = "win",
        illegal_action: Literal["end", "raise"] = "end",
        render_mode: Literal["human", "rgb_array", "ansi"] | None = None,
        viewpoint: Literal["learner", "all"] = "learner",
        render_width: int = table.WIDTH,
        ansi_colour: bool | None = False,
        save_games: str | Path | None = None,
    ) -> None:
        """Make the environment; `reset` deals. The arguments are told in the module's page.

        Raises:
            ValueError: for a value that can not be played with.
            ImportError: for an opponent's name outside the checkout, or where pictures are asked for without pygame-ce.
            uno_env.render.window.NoDisplay: (a `RuntimeError`) where a window is asked for without a screen.
        """
        if illegal_action not in ("end", "raise"):
            raise ValueError(f"illegal_action={illegal_action!r}: expected 'end' or 'raise'")
        if viewpoint not in ("learner", "all"):
            raise ValueError(f"viewpoint={viewpoint!r}: expected 'learner' or 'all'")
        self.rules = Rules.of(rules, num_players)
        self._seating = Seating(1, self.rules, opponents, seat)
        self._game = UnoAEC(
            self.rules,
            episode=episode,
            reward=reward,
            render_mode=render_mode,
            render_width=render_width,
            ansi_colour=ansi_colour,
            save_games=save_games,
        )
        self.render_mode = render_mode
        self.illegal_action = illegal_action
        self.viewpoint = viewpoint
        self.observation_space = observation_space()["observation"]
        self.action_space = gymnasium.spaces.Discrete(NUM_ACTIONS)  # type: ignore[assignment]

        self._carried = 0.0  # rewards of rounds that ended before the learner's first decision

    @property
    def seat(self) -> int:
        """Where the learner sits in this episode."""
        return int(self._seating.seats[0])

    @property
    def table(self) -> list[Agent]:
        """Who plays in this episode: the agents of the other seats, clockwise from the learner's left."""
        return [self._seating.agents[number] for number in self._seating.table[0]]

    def set_opponents(self, opponents: Opponents) -> None:
        """Play against others from the next `reset` on; ``opponents`` as in the module's page."""
        self._seating.set_opponents(opponents)

    @property
    def game_seed(self) -> int | None:
        """The seed of the last seeded `reset`: ``Game(rules, seed=game_seed)`` plays the same cards; None before."""
        return self._game.game_seed

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal a new game and play on to the learner's first decision.

        Args:
            seed: any integer from 0. The game is then that of ``Game(rules, seed=seed)``. None: the generators go on, from a fresh
                seed the first time.
            options: none are known; taken because the API asks for it.
        """
        if seed is not None:
            seed = operator.index(seed)
        elif self.game_seed is None:
            seed = secrets.randbits(63)
        super().reset(seed=seed)
        game = self._game
        self._seating.begin(ONLY, [seed])
        game._viewpoint = self.seat if self.viewpoint == "learner" else None
        for _ in range(MAX_DEALS):
            game.reset(seed=seed)
            seed = None
            self._carried = self._play_on(0.0)
            if game._acting is not None:
                return self._told()
        raise RuntimeError(f"seat {self.seat} decided nothing in {MAX_DEALS} games: under these rules there is nothing to learn")

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Carry out the learner's action and play on to its next decision, or to the end.

        Raises:
            IllegalAction: (a `ValueError`) for what is no integer; with ``illegal_action="raise"`` for whatever is not legal. It
                names what is, and nothing has changed. Also when an opponent chooses an illegal action.
            ResetNeeded: before the first `reset`, and when the episode is over.
        """
        game, me = self._game, self._learner
        if game._acting != me:
            raise ResetNeeded("no decision is due: call reset() first")
        number = game._number(action)
        reward, self._carried = self._carried, 0.0
        if not 0 <= number < NUM_ACTIONS or not game._mask[number]:
            if self.illegal_action == "raise":
                self._carried = reward
                game._refuse(number)
            game.terminations = dict.fromkeys(game.agents, True)
            game._deads_step_first()
            return self._with_end(reward - 1.0, True, False)
        game.step(number)
        reward = self._play_on(reward + game.rewards[me])
        return self._with_end(reward, game.terminations[me], game.truncations[me])

    def action_masks(self) -> np.ndarray:
        """The actions that are legal now, a fresh ``bool[91]``, as sb3-contrib asks for it; all False when the episode is over."""
        if self.game_seed is None:
            raise ResetNeeded("action_masks: call reset() first")
        return self._game._mask.astype(bool) if self._game._acting is not None else np.zeros(NUM_ACTIONS, bool)

    def game(self) -> Game:
        """The game as it stands, hidden cards and all, as a `Game` of its own: for search and tests."""
        return self._game.game()

    def render(self) -> np.ndarray | str | None:
        """The table: text with ``render_mode="ansi"``, fresh ``uint8[H, W, 3]`` with ``"rgb_array"``; ``"human"`` has a window."""
        return self._game.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._game.close()

    # Help -------------------------------------------------------------------------------------------------------------

    @property
    def _learner(self) -> str:
        return self._game.possible_agents[self.seat]

    def _play_on(self, earned: float) -> float:
        """Let the opponents decide until the learner must, or the episode ends; returns ``earned`` and what the learner gains."""
        game, me = self._game, self._learner
        while game._acting is not None and game._acting != me:
            seats = np.array([game._seats[game._acting]])
            (action,) = self._seating.choose(ONLY, seats, game._row[None], game._mask[None], lambda _: game.game())
            game.step(int(action))
            earned += game.rewards[me]
        return earned

    def _told(self) -> tuple[np.ndarray, dict[str, Any]]:
        seen = self._game.observe(self._learner)
        return seen["observation"], {"action_mask": seen["action_mask"]}

    def _with_end(self, reward: float, terminated: bool, truncated: bool) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        observation, info = self._told()
        return observation, reward, terminated, truncated, info


def register() -> None:
    """Put `ENV_ID` into Gymnasium's registry, where it is not in yet."""
    if ENV_ID not in gymnasium.registry:
        gymnasium.register(
            id=ENV_ID,
            entry_point="uno_env.single_agent:UnoEnv",
            vector_entry_point="uno_env.vector_env:UnoVectorEnv",
        )


register()
