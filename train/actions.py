"""How often a policy does what it may: bluffs, challenges, held wilds, draws by choice, by the cards it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from train.arena import deal_seeds, play
from train.estimate import Estimate, student
from uno_env.cards import NUM_COLOURED, NUM_COLOURS, NUM_SYMBOLS
from uno_env.rules import Rules
from uno_env.state import CHALLENGE, DRAW, PASS, PLAY_WILD, UNO, Phase
from uno_env.vector import UnoVector

HABITS = {
    "bluffs": ("Bluffs", "Wild Draw Four played\nwhere it is a bluff"),
    "challenges": ("Challenges", "challenged\na Wild Draw Four"),
    "holds_wilds": ("Holds wilds", "kept a playable wild\nwith another card playable"),
    "draws": ("Draws by choice", "drawn\nwith a card playable"),
    "keeps_drawn": ("Keeps the drawn card", "kept the card just drawn\nthough playable"),
}
"""What is counted: title, and what the share is of."""
MAX_SIZE = 12
"""Hands of so many cards and more are counted together."""
LEAST = 20
"""Chances below which a share is not drawn."""
_W4 = slice(PLAY_WILD + NUM_COLOURS, PLAY_WILD + 2 * NUM_COLOURS)
_COLOUR_OF = np.arange(NUM_COLOURED) // NUM_SYMBOLS


@dataclass(frozen=True, eq=False)
class Actions:
    """Chances and how often they were taken, ``int64[games, habits, MAX_SIZE]``: by game, `HABITS`, and cards in hand, from 1."""

    chances: np.ndarray
    taken: np.ndarray

    def rate(self, habit: str, size: int | None = None) -> Estimate | None:
        """The share taken with ``size`` cards in hand (None: any), games being the independent units; None without a chance."""
        index = list(HABITS).index(habit)
        chances, taken = self.chances[:, index], self.taken[:, index]
        if size is None:
            return ratio(taken.sum(axis=1), chances.sum(axis=1))
        return ratio(taken[:, size - 1], chances[:, size - 1])

    def to_dict(self) -> dict[str, Any]:
        """Counts by hand size and shares as plain data."""
        told: dict[str, Any] = {"games": len(self.chances), "hand_sizes": [*range(1, MAX_SIZE), f"{MAX_SIZE}+"]}
        for index, habit in enumerate(HABITS):
            rate = self.rate(habit)
            told[habit] = {
                "chances": self.chances[:, index].sum(axis=0).tolist(),
                "taken": self.taken[:, index].sum(axis=0).tolist(),
                "share": None if rate is None else {"mean": rate.mean, "low": rate.low, "high": rate.high},
            }
        return told


def ratio(taken: np.ndarray, chances: np.ndarray) -> Estimate | None:
    """The share ``taken.sum() / chances.sum()`` over independent games with its 95% interval; None without a chance.

    The chances of a game are not independent, so the spread is that between games (the ratio estimator: Cochran, Sampling
    Techniques, 1977, 6.3); where all or none were taken, it is that of an event that happened so in every game with a chance.
    """
    taken, chances = np.asarray(taken, np.float64), np.asarray(chances, np.float64)
    total, games = chances.sum(), int((chances > 0).sum())
    if not total:
        return None
    share = float(taken.sum() / total)
    gap = 1 - 0.025 ** (1 / games)
    if games == 1 or share in (0.0, 1.0):
        low, high = (0.0, gap) if share == 0 else (1 - gap, 1.0) if share == 1 else (0.0, 1.0)
        return Estimate(share, low, high, None, games)
    n = len(chances)
    error = float(np.sqrt(n / (n - 1) * ((taken - share * chances) ** 2).sum()) / total)
    half = student(games - 1) * error
    return Estimate(share, max(share - half, 0.0), min(share + half, 1.0), error, games)


class ActionCounter:
    """Fills `Actions` while games are played (`train.arena.Watch`), each known by its seed."""

    def __init__(self, seeds: np.ndarray) -> None:
        """A counter for games with the ``seeds``, ``uint64[games]``."""
        self._order = np.argsort(seeds)
        self._sorted = seeds[self._order]
        shape = (len(seeds), len(HABITS), MAX_SIZE)
        self.found = Actions(np.zeros(shape, np.int64), np.zeros(shape, np.int64))

    def watch(self, vector: UnoVector, rows: np.ndarray, who: np.ndarray, chosen: np.ndarray) -> None:
        """Count the choices ``chosen`` (``[K]``) in the games ``rows``."""
        masks, states = vector.action_masks[rows] != 0, vector.states[rows]
        phases, seats = states["phase"], vector.actors[rows]
        hands = states["hands"][np.arange(len(rows)), seats]
        sizes = np.minimum(hands.sum(axis=1, dtype=np.int64), MAX_SIZE) - 1
        games = self._order[np.searchsorted(self._sorted, vector.seeds[rows])]
        holds = ((hands[:, :NUM_COLOURED] > 0) & (states["colour"][:, None] == _COLOUR_OF)).any(axis=1)
        coloured, wild = masks[:, :PLAY_WILD].any(axis=1), masks[:, PLAY_WILD:DRAW].any(axis=1)
        # A call decides nothing yet: the same player goes on to play, draw or pass.
        play = (phases == Phase.PLAY) & (chosen != UNO)
        drawn = (phases == Phase.DRAWN) & (chosen != UNO)
        counted = {
            "bluffs": ((play | drawn) & masks[:, _W4].any(axis=1) & holds, (chosen >= _W4.start) & (chosen < _W4.stop)),
            "challenges": ((phases == Phase.CHALLENGE) & masks[:, CHALLENGE], chosen == CHALLENGE),
            "holds_wilds": (play & wild & coloured, (chosen < PLAY_WILD) | (chosen >= DRAW)),
            "draws": (play & (wild | coloured) & masks[:, DRAW], chosen == DRAW),
            "keeps_drawn": (drawn & (wild | coloured) & masks[:, PASS], chosen == PASS),
        }
        for index, habit in enumerate(HABITS):
            chance, took = counted[habit]
            np.add.at(self.found.chances[:, index], (games[chance], sizes[chance]), 1)
            took = chance & took
            np.add.at(self.found.taken[:, index], (games[took], sizes[took]), 1)


def count_actions(
    agent: Any, rules: Rules, *, games: int, seed: int = 0, progress: Callable[[int], Any] | None = None, name: str | None = None
) -> Actions:
    """What ``agent`` does in ``games`` games against copies of itself."""
    counter = ActionCounter(deal_seeds(seed, games))
    seating = np.zeros((1, rules.num_players), np.int64)
    names = None if name is None else [name]
    play([agent], seating, rules, deals=games, seed=seed, watch=counter.watch, progress=progress, names=names)
    return counter.found
