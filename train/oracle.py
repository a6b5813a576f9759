"""Upper references: searchers that see hidden cards. They measure how much there is to know, and play nowhere but in the arena.

    python -m train.evaluate cheating_search:2000 strategist --players 2 --rules digital

An agent proper is given a `View`, from which no hidden card can be reached. `CheatingSearch` has no method ``act``: `agents.load`
does not know it, no environment and no table can seat it; `train.arena` alone hands it the games (``act_games``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agents import rollouts
from agents.search import Decision, Search, record, searcher
from uno_env.game import Game

NAMES = {"cheating_search": rollouts.PILE, "omniscient_search": rollouts.NOTHING}
"""Searchers that see all hands, and one that sees the order of the draw pile as well; options follow as for `search`."""


class CheatingSearch:
    """`agents.search.Search` on the true cards."""

    def __init__(self, search: Search, unknown: int) -> None:
        """It searches as ``search``, but draws anew only what is ``unknown`` (`agents.rollouts`)."""
        self.name = search.name
        self._search = search
        self._search.unknown = unknown

    def act_games(self, games: Sequence[Game], rng: np.random.Generator, threads: int = 1) -> np.ndarray:
        """Legal actions, ``int64[M]``, of the actors of ``games``, which share their rules."""
        decisions = [Decision(record(game), game.rules, game.actor, game.observe(game.actor), game.action_mask()) for game in games]
        return self._search.decide(decisions, rng, threads)


def sees_pile(spec: str) -> bool:
    """Whether the agent that ``spec`` names knows the order of the draw pile, which `train.streams` would change unseen."""
    return NAMES.get(spec.partition(":")[0]) == rollouts.NOTHING


def load(spec: str) -> CheatingSearch | None:
    """The upper reference that ``spec`` names (``cheating_search:2000``), None for the name of something else.

    Raises:
        ValueError: for wrong options.
    """
    name, colon, options = spec.partition(":")
    if name not in NAMES:
        return None
    search = searcher(f"search{colon}{options}")
    search.name = spec
    return CheatingSearch(search, NAMES[name])
