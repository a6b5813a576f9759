"""Who plays besides the learner: what ``opponents`` tells of, who sits where, and what they choose, for one game or many at once.

`UnoEnv` and `UnoVectorEnv` both play by `Seating`, so that a batch repeats what its games would do one by one.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from uno_env.engine.generator import STEP, mix, seeded
from uno_env.game import Game
from uno_env.jit import wrapping
from uno_env.random_card import RandomCard
from uno_env.rules import Rules
from uno_env.view import Agent, View

Player: TypeAlias = "str | Path | Agent | Mapping[str, Any] | None"
Opponents: TypeAlias = "Player | Sequence[Player]"
Seat: TypeAlias = 'int | Literal["random", "rotate"]'


# What is said of them ---------------------------------------------------------------------------------------------------


def _imported(spec: str) -> Any:
    module, _, name = spec.partition(":")
    try:
        return getattr(importlib.import_module(module), name)()
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # the module is there, something that it imports is not
        raise ValueError(f"opponents={spec!r}: there is no module {error.name!r}") from None
    except AttributeError:
        if hasattr(importlib.import_module(module), name):
            raise
        raise ValueError(f"opponents={spec!r}: module {module!r} has no {name!r}") from None


def _named(spec: str) -> Any:
    module, colon, name = spec.partition(":")
    if colon and name.isidentifier() and all(part.isidentifier() for part in module.split(".")):
        return _imported(spec)
    try:
        agents: Any = importlib.import_module("agents")
    except ModuleNotFoundError as error:
        if error.name != "agents":
            raise
        agents = None
    load: Callable[[str], Any] | None = getattr(agents, "load", None)
    if load is None:
        raise ImportError(
            f"opponents={spec!r}: names need the package agents of the uno-env checkout, which can not be imported here; "
            "give opponents=None (a random card), an agent object, or 'package.module:Class'"
        )
    return load(spec)


def _player(spec: Any, rules: Rules) -> Agent:
    """The agent that one entry tells of, as it plays under ``rules``."""
    if spec is None:
        return RandomCard()
    agent = _named(str(spec)) if isinstance(spec, (str, Path)) else spec
    if callable(getattr(agent, "for_rules", None)):
        agent = agent.for_rules(rules)
    if isinstance(agent, type) or not any(callable(getattr(agent, method, None)) for method in ("decide", "act_batch", "act")):
        raise ValueError(f"opponents: {spec!r} is neither None, a name, an agent with act(view), nor {{'pool': [...]}}")
    return agent


def _candidates(spec: Any, rules: Rules) -> list[Agent]:
    """Who may sit on one seat."""
    if not isinstance(spec, Mapping):
        return [_player(spec, rules)]
    pool = spec.get("pool")
    if set(spec) != {"pool"} or not isinstance(pool, (list, tuple)) or not pool:
        raise ValueError(f"opponents={spec!r:.200}: a pool is {{'pool': [...]}} with at least one player")
    return [_player(entry, rules) for entry in pool]


def candidates_of(opponents: Opponents, rules: Rules) -> list[list[Agent]]:
    """For each other seat, clockwise from the learner's left, who may sit there; ``ValueError`` for what tells of nobody."""
    others = rules.num_players - 1
    if not isinstance(opponents, (list, tuple)):
        return [_candidates(opponents, rules)] * others
    if len(opponents) != others:
        raise ValueError(f"opponents: {len(opponents)} players for {others} other seats; a choice is {{'pool': [...]}}")
    return [_candidates(spec, rules) for spec in opponents]


# Their random words -----------------------------------------------------------------------------------------------------


@wrapping
def start_streams(seed, streams):
    """Start the streams of a game (``uint64[P + 1]``) from its seed (uint64)."""
    for place in range(streams.shape[0]):
        streams[place] = mix(seeded(seed) ^ np.uint64(place + 1))


@wrapping
def draw_words(streams, games, places, words):
    """The next random word of each of the streams ``streams[games[j], places[j]]``, into ``words[j]``."""
    for j in range(words.shape[0]):
        state = streams[games[j], places[j]] + STEP
        streams[games[j], places[j]] = state
        words[j] = mix(state)


# Who sits where ---------------------------------------------------------------------------------------------------------


class Seating:
    """The seats of N games that have one learner each, and what the other seats choose.

    Every seat of every game has random numbers of its own, made from the game's seed: a stream of words (SplitMix64) for agents
    with ``decide``, a NumPy generator for the others. Another stream of each game decides who sits where. So what happens in a
    game depends on its own seed alone, but for agents that have ``act_batch`` and no ``decide``: asked for several games at once,
    they draw from the generator of the first.

    Attributes:
        seats: ``int64[N]``, where the learners sit.
        agents: everyone who plays in some game or may do so.
        table: ``int64[N, P-1]``, the place in ``agents`` of who plays the other seats, clockwise from the learner's left.
        seeds: the seed of each game's last seeded start, None before.
    """

    def __init__(self, num_games: int, rules: Rules, opponents: Opponents, seat: Seat) -> None:
        """Nobody sits down before `begin`.

        Raises:
            ValueError: for opponents or a seat that can not be.
            ImportError: for an opponent's name outside the checkout.
        """
        n = rules.num_players
        if seat not in ("random", "rotate") and (isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < n):
            raise ValueError(f"seat={seat!r}: expected 0 to {n - 1}, 'random' or 'rotate'")
        self.rules = rules
        self.seats = np.full(num_games, seat if isinstance(seat, int) else 0, np.int64)
        self.agents: list[Any] = []
        self.table = np.zeros((num_games, n - 1), np.int64)
        self.seeds: list[int | None] = [None] * num_games
        self._seat = seat
        self._next_seats = np.zeros(num_games, np.int64)  # of "rotate"
        self._streams = np.zeros((num_games, n + 1), np.uint64)  # of the seats, and of who sits there
        self._generators: dict[tuple[int, int], np.random.Generator] = {}
        self._choices: list[np.ndarray] = []
        self.set_opponents(opponents)
        self.table[:] = [choice[0] for choice in self._choices]

    def set_opponents(self, opponents: Opponents) -> None:
        """Others may sit down from each game's next start on; games that run go on with whom they have."""
        candidates = candidates_of(opponents, self.rules)
        playing = np.unique(self.table) if self.agents else np.zeros(0, np.int64)
        self.agents = [self.agents[number] for number in playing]
        self.table = np.searchsorted(playing, self.table)
        self._choices = [np.array([self._number(agent) for agent in choice]) for choice in candidates]

    def _number(self, agent: Any) -> int:
        for number, known in enumerate(self.agents):
            if known is agent:
                return number
        self.agents.append(agent)
        return len(self.agents) - 1

    def begin(self, games: np.ndarray, seeds: Iterable[int | None]) -> None:
        """The games (``int64[K]``) start: their random numbers too where a seed is given (from 0), and people sit down."""
        n = self.rules.num_players
        for game, seed in zip(games.tolist(), seeds, strict=True):
            if seed is not None:
                self.seeds[game] = seed
                self._next_seats[game] = seed % n
                start_streams(np.uint64(seed % 2**64), self._streams[game])
                for seat in range(n):
                    self._generators.pop((game, seat), None)
        if self._seat == "random":
            self.seats[games] = self._below(games, n)
        elif self._seat == "rotate":
            self.seats[games] = self._next_seats[games]
            self._next_seats[games] = (self.seats[games] + 1) % n
        for place, choice in enumerate(self._choices):
            self.table[games, place] = choice[self._below(games, len(choice))] if len(choice) > 1 else choice[0]

    def choose(
        self,
        games: np.ndarray,
        seats: np.ndarray,
        observations: np.ndarray,
        action_masks: np.ndarray,
        game: Callable[[int], Game],
    ) -> np.ndarray:
        """What the opponents at ``seats`` (``[K]``) of ``games`` (``int64[K]``) choose, ``int64[K]``, legal or not.

        Agents are given copies of rows of ``observations`` (``int8[N, OBS_SIZE]``) and ``action_masks`` (``int8[N, 91]``), or a
        `View` of ``game(i)``.

        Raises:
            ValueError: where an agent answers with something else than one integer for each decision.
        """
        if len(self.agents) == 1:
            return self._ask(self.agents[0], games, seats, observations, action_masks, game)
        who = self.table[games, (seats - self.seats[games] - 1) % self.rules.num_players]
        actions = np.empty(len(games), np.int64)
        for number in np.unique(who):
            rows = np.flatnonzero(who == number)
            actions[rows] = self._ask(self.agents[number], games[rows], seats[rows], observations, action_masks, game)
        return actions

    def _ask(self, agent: Any, games: np.ndarray, seats: np.ndarray, observations: Any, action_masks: Any, game: Any) -> np.ndarray:
        if hasattr(agent, "decide"):
            chosen = agent.decide(observations[games], action_masks[games], self._words(games, seats))
        elif hasattr(agent, "act_batch"):
            chosen = agent.act_batch(observations[games], action_masks[games], self._generator(int(games[0]), int(seats[0])))
        else:
            pairs = zip(games.tolist(), seats.tolist(), strict=True)
            chosen = [agent.act(View(game(i), self._generator(i, seat))) for i, seat in pairs]
        actions = np.asarray(chosen)
        if actions.shape != games.shape or actions.dtype.kind not in "iu":
            raise ValueError(f"opponent {agent!r}: chose {actions.dtype} {list(actions.shape)}, expected integers [{len(games)}]")
        return actions

    def _words(self, games: np.ndarray, places: np.ndarray) -> np.ndarray:
        words = np.empty(len(games), np.uint64)
        draw_words(self._streams, games, places, words)
        return words

    def _below(self, games: np.ndarray, count: int) -> np.ndarray:
        """For each game an integer from 0 to ``count - 1``, from the stream that decides who sits where."""
        words = self._words(games, np.full(len(games), self.rules.num_players))
        return ((words >> np.uint64(32)) * np.uint64(count) >> np.uint64(32)).astype(np.int64)

    def _generator(self, game: int, seat: int) -> np.random.Generator:
        if (game, seat) not in self._generators:
            seed = self.seeds[game]
            assert seed is not None
            self._generators[game, seat] = np.random.default_rng([seed, seat])
        return self._generators[game, seat]
