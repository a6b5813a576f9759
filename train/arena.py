"""Many games between given agents at once: `play` runs every deal once per seating and gives the result of every game.

A batch of games advances together; a game that ends makes room for the next one. Every game that is started is played to
its end and has its own place in the result, so that long games count as much as short ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal

import numpy as np

from train.recording import Recorder, likely
from uno_env.notation import IllegalAction, action_text
from uno_env.rules import Rules
from uno_env.state import State
from uno_env.vector import UnoVector
from uno_env.view import View

Episode = Literal["round", "match"]
#: Called before each step with the batch, the games that count ``[K]``, who decides in them ``[K]`` and what they chose ``[K]``.
Watch = Callable[[UnoVector, np.ndarray, np.ndarray, np.ndarray], None]
#: Called right before each step with the batch, the games that count ``[K]``, the number of each ``[K]`` (deal * R + seating) and
#: its action ``[K]``. It may reorder draw piles (`train.streams`), which nobody can see.
Chance = Callable[[UnoVector, np.ndarray, np.ndarray, np.ndarray], None]

MAX_VOID_ROUNDS = 10
"""Rounds in a row without points after which a match is cut off: two agents that never end a round must not play for ever."""


@dataclass(frozen=True, eq=False)
class Games:
    """What became of ``D`` deals, each played in ``R`` seatings of ``P`` seats.

    Attributes:
        seatings: ``int64[R, P]``, the agent of each seat.
        wins: ``float64[D, R, P]``, 1 for the winning side, shared by its seats; a match won by several sides is shared as well.
        points: ``float64[D, R, P]``, the points won or lost (`reward="points"`, in points): zero-sum.
        scores: ``float64[D, R, P]``, what stands on the score sheet: all points of a side for each of its seats.
        truncated: ``bool[D, R]``, cut off by `Rules.max_turns` (a match: after `MAX_VOID_ROUNDS`): nobody won.
        void: ``bool[D, R]``, ended without a winner in another way.
        lengths: ``int64[D, R]``, decisions in the game.
        seconds: wall-clock time of all of it.
    """

    seatings: np.ndarray
    wins: np.ndarray
    points: np.ndarray
    scores: np.ndarray
    truncated: np.ndarray
    void: np.ndarray
    lengths: np.ndarray
    seconds: float

    def of(self, agent: int, what: np.ndarray) -> np.ndarray:
        """``what`` (``[D, R, P]``) summed over the seats of an agent and averaged over the seatings of a deal: ``float64[D]``."""
        return (what * (self.seatings == agent)).sum(axis=2).mean(axis=1)

    @classmethod
    def joined(cls, parts: Sequence[Games]) -> Games:
        """The games of several calls of `play` with the same seatings, one after another."""
        arrays = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in ("wins", "points", "scores", "truncated", "void", "lengths")
        }
        return cls(seatings=parts[0].seatings, **arrays, seconds=sum(part.seconds for part in parts))


def rotations(rules: Rules) -> np.ndarray:
    """The seatings of one side of agent 0 against agent 1 in all other seats: ``int64[sides, P]``.

    A side is a seat or, with teams, a team. Row r gives side r to agent 0, so that over the rows it holds each place once.
    """
    sides = rules.teams or rules.num_players
    side_of_seat = np.array([rules.team_of(seat) for seat in range(rules.num_players)])
    return (side_of_seat[None, :] != np.arange(sides)[:, None]).astype(np.int64)


def deal_seeds(seed: int, deals: int) -> np.ndarray:
    """The seeds of the first ``deals`` deals of an evaluation: ``uint64[deals]``. More deals go on where fewer ended."""
    return np.random.SeedSequence(seed, spawn_key=(0,)).generate_state(deals, np.uint64)


def play(
    agents: Sequence[Any],
    seatings: Any,
    rules: Rules,
    *,
    deals: int,
    seed: int = 0,
    episode: Episode = "round",
    batch: int = 2048,
    threads: int = 1,
    names: Sequence[str] | None = None,
    watch: Watch | None = None,
    chance: Chance | None = None,
    progress: Callable[[int], Any] | None = None,
    save: Callable[[str], Any] | None = None,
) -> Games:
    """Play ``deals`` deals, each once per seating.

    The same arguments give the same result. The number of threads changes nothing; ``batch`` changes the result of agents that
    draw random numbers (an agent has one generator for all its games), but not that of deterministic ones.

    Args:
        agents: players; the same object given twice is asked once for both.
        seatings: integers ``[R, P]``, for each seating the place in ``agents`` of who sits where.
        rules: the rules, with the number of players.
        deals: how many deals.
        seed: decides the deals and what agents draw. Deals do not depend on the agents.
        episode: a round, or a match to `Rules.target`.
        batch: games that advance together, at most.
        threads: threads of the environment and of searchers.
        names: what to call the agents in errors.
        watch: see `Watch`.
        chance: see `Chance`. Transcripts do not tell what it did, so there is no ``save`` beside it.
        progress: called after each step in which games ended, with their number.
        save: called with the transcript of each game that ended (`uno_env.Game.replay`), with the players' names and, for agents
            that have a method ``logits``, the probabilities of their actions.

    Raises:
        ValueError: for a value that can not be played with, or when an agent answers with something else than actions.
        IllegalAction: naming the agent that chose it.
    """
    seatings = np.asarray(seatings, np.int64)
    if seatings.ndim != 2 or seatings.shape[1] != rules.num_players or not len(seatings):
        raise ValueError(f"seatings {list(seatings.shape)}: expected [R, {rules.num_players}]")
    if seatings.min() < 0 or seatings.max() >= len(agents):
        raise ValueError(f"seatings name agents {seatings.min()} to {seatings.max()}: there are {len(agents)}")
    if deals < 1:
        raise ValueError(f"deals={deals}: expected at least 1")
    if batch < 1:
        raise ValueError(f"batch={batch}: expected at least 1")
    if chance is not None and save is not None:
        raise ValueError("save: transcripts repeat a game from its seed, which `chance` may change; give one of them")
    start = perf_counter()
    players = Players(agents, names, rules, seed, threads)
    recorder = Recorder(rules) if save is not None else None
    per_deal, seats = seatings.shape
    total = deals * per_deal
    seeds = deal_seeds(seed, deals)
    size = min(batch, total)

    wins = np.zeros((total, seats))
    points = np.zeros((total, seats))
    truncated = np.zeros(total, np.bool_)
    lengths = np.zeros(total, np.int64)

    game_of = np.arange(size)  # the game in each place of the batch, -1 when idle
    next_game = size
    vector = _vector(rules, seeds[game_of // per_deal], episode, threads)
    rounds = np.ones(size, np.int64)
    voids = np.zeros(size, np.int64)
    # The score sheet follows from the points of each round, which in a match add up.
    sheet = _Sheet(rules)
    scores = np.zeros((total, seats))

    while True:
        rows = np.flatnonzero(game_of >= 0)
        if not rows.size:
            break
        if next_game >= total and 2 * rows.size <= len(game_of):
            # Nothing is left to start: go on with the games that still run, so that the last ones do not pay for idle places.
            vector = _shrunk(vector, rows, episode, threads)
            game_of, rounds, voids = game_of[rows], rounds[rows], voids[rows]
            rows = np.arange(len(rows))
        games = game_of[rows]
        who = seatings[games % per_deal, vector.actors[rows]]
        chosen = players.choose(vector, rows, who)
        if watch is not None:
            watch(vector, rows, who, chosen)
        if recorder is not None:
            recorder.add(vector, rows, games, chosen, players.chances(vector, rows, who))
        if chance is not None:
            chance(vector, rows, games, chosen)
        actions = vector.action_masks.argmax(axis=1)  # idle places play anything
        actions[rows] = chosen
        vector.step(actions)
        lengths[games] += 1

        over = vector.dones[rows]
        if episode == "match":
            new_round = over | (vector.states["round"][rows] != rounds[rows])
            rounds[rows] = vector.states["round"][rows]
        else:
            new_round = over
        scored = rows[new_round]
        if not scored.size:
            continue
        won_or_lost = np.rint(vector.rewards[scored] * 100.0 * sheet.share) / sheet.share
        points[game_of[scored]] += won_or_lost
        scores[game_of[scored]] += sheet.of(won_or_lost)
        voids[scored] = np.where(won_or_lost.any(axis=1), 0, voids[scored] + 1)
        cut_off = (voids[rows] >= MAX_VOID_ROUNDS) & ~over
        if recorder is not None:
            recorder.next_round(game_of[rows[new_round & ~over & ~cut_off]])
        ended = rows[over | cut_off]
        if not ended.size:
            continue
        games = game_of[ended]
        winners = (vector.winners[ended, None] >> np.arange(seats)) & 1
        wins[games] = winners / np.maximum(winners.sum(axis=1, keepdims=True), 1)
        truncated[games] = vector.truncations[ended] | ~vector.dones[ended]
        started = np.arange(next_game, min(next_game + ended.size, total))
        next_game += started.size
        if recorder is not None and save is not None:
            for game in games.tolist():
                seating = seatings[game % per_deal]
                save(recorder.take(game, int(seeds[game // per_deal]), [players.names[agent] for agent in seating]))
        game_of[ended] = -1
        places = ended[: started.size]
        game_of[places] = started
        rounds[ended] = 1
        voids[ended] = 0
        vector.reset_games(places, seeds[started // per_deal])
        if progress is not None:
            progress(int(ended.size))
    vector.close()

    shape = (deals, per_deal)
    truncated = truncated.reshape(shape)
    wins = wins.reshape(*shape, seats)
    return Games(
        seatings,
        wins,
        points.reshape(*shape, seats),
        scores.reshape(*shape, seats),
        truncated,
        ~truncated & (wins.sum(axis=2) == 0),
        lengths.reshape(shape),
        perf_counter() - start,
    )


def _vector(rules: Rules, seeds: Any, episode: Episode, threads: int) -> UnoVector:
    return UnoVector(len(seeds), rules, seeds, threads, episode=episode, reward="points")


def _shrunk(vector: UnoVector, rows: np.ndarray, episode: Episode, threads: int) -> UnoVector:
    """A batch of the games ``rows`` alone, as they stand."""
    smaller = _vector(vector.rules, vector.seeds[rows], episode, threads)
    smaller.states[:] = vector.states[rows]
    smaller.refresh()
    vector.close()
    return smaller


class _Sheet:
    """What a round's points write on the score sheet (``rules.md`` 2.14-2.15)."""

    def __init__(self, rules: Rules) -> None:
        sides = np.array([rules.team_of(seat) for seat in range(rules.num_players)])
        self._same_side = (sides[:, None] == sides[None, :]).astype(np.float64)
        self._keep_own = rules.scoring == "keep_own"
        #: Points are shared by a side, so they are multiples of one part of it.
        self.share = int(self._same_side[0].sum())

    def of(self, points: np.ndarray) -> np.ndarray:
        """The scores of rounds from their points: ``float64[K, P]``, each seat showing all that its side wrote down."""
        sides = points @ self._same_side
        return np.maximum(-sides if self._keep_own else sides, 0)


class Players:
    """The agents, how to ask them, and what each draws from.

    An agent is asked by the first of these methods that it has: ``act_batch``; ``act_views(views, threads)``, actions ``int64[M]``
    for views that share rules and generator, as searchers have it; ``act_games(games, rng, threads)``, which is handed the games
    themselves, hidden cards and all: upper references alone have it (`train.oracle`), nothing but the arena calls it; ``act``.
    """

    def __init__(self, agents: Sequence[Any], names: Sequence[str] | None, rules: Rules, seed: int, threads: int = 1) -> None:
        self._agents = [agent.for_rules(rules) if hasattr(agent, "for_rules") else agent for agent in agents]
        self.names = list(names or (str(getattr(a, "name", type(a).__name__)) for a in agents))
        #: Agents that are one object are asked together.
        self._first = np.array([next(i for i, other in enumerate(agents) if other is agent) for agent in agents])
        sequences = [np.random.SeedSequence(seed, spawn_key=(1, i)) for i in range(len(self._agents))]
        self._threads = threads
        self._generators = [np.random.default_rng(sequence) for sequence in sequences]

    def choose(self, vector: UnoVector, rows: np.ndarray, who: np.ndarray) -> np.ndarray:
        """The legal actions (``int64[K]``) that the agents ``who`` choose in the games ``rows``."""
        chosen = np.empty(len(rows), np.int64)
        asked = self._first[who]
        for i in np.unique(asked):
            mine = np.flatnonzero(asked == i)
            chosen[mine] = self._ask(int(i), vector, rows[mine])
        return chosen

    def chances(self, vector: UnoVector, rows: np.ndarray, who: np.ndarray) -> list[np.ndarray | None]:
        """How likely the agents ``who`` take each action in the games ``rows``, for those that tell."""
        found: list[np.ndarray | None] = [None] * len(rows)
        asked = self._first[who]
        for i in np.unique(asked):
            mine = np.flatnonzero(asked == i)
            told = likely(self._agents[i], vector.observations[rows[mine]], vector.action_masks[rows[mine]])
            if told is not None:
                for place, row in zip(mine.tolist(), told, strict=True):
                    found[place] = row
        return found

    def _ask(self, i: int, vector: UnoVector, rows: np.ndarray) -> np.ndarray:
        agent, rng = self._agents[i], self._generators[i]
        masks = vector.action_masks[rows]
        if hasattr(agent, "act_batch"):
            actions = np.asarray(agent.act_batch(vector.observations[rows], masks.copy(), rng))
        elif hasattr(agent, "act_views"):
            actions = np.asarray(agent.act_views([View(vector.game(int(row)), rng) for row in rows], self._threads))
        elif hasattr(agent, "act_games"):
            actions = np.asarray(agent.act_games([vector.game(int(row)) for row in rows], rng, self._threads))
        else:
            actions = np.asarray([agent.act(View(vector.game(int(row)), rng)) for row in rows])
        if actions.shape != rows.shape or actions.dtype.kind not in "iu":
            raise ValueError(
                f"agent {self.names[i]}: expected integer actions [{len(rows)}], got {actions.dtype} {list(actions.shape)}"
            )
        inside = (actions >= 0) & (actions < masks.shape[1])
        legal = inside & (masks[np.arange(len(rows)), np.where(inside, actions, 0)] != 0)
        if not legal.all():
            bad = int(np.flatnonzero(~legal)[0])
            state = State(vector.states, rows[bad])
            where = state.actor, vector.num_players, state.direction
            options = ", ".join(action_text(int(a), *where) for a in np.flatnonzero(masks[bad]))
            given = action_text(int(actions[bad]), *where) if inside[bad] else "no action"
            raise IllegalAction(f"agent {self.names[i]}: action {int(actions[bad])} ({given}); legal: {options}")
        return actions
