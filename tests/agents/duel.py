"""One agent against copies of another, over the same deals from every seat: the measuring tool of these tests."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from uno_env.rules import Rules
from uno_env.vector import UnoVector


class Score(NamedTuple):
    """A win rate and its standard error; the unit of the error is the deal, played once from every seat.

    A round that nobody wins counts as an even share for everyone.
    """

    rate: float
    error: float
    games: int

    def __str__(self) -> str:
        return f"{100 * self.rate:.2f} +-{196 * self.error:.2f} ({self.games} games)"


def duel(hero: Any, field: Any, rules: str | Rules, num_players: int, deals: int, seed: int, size: int = 4096) -> Score:
    """Rounds won by ``hero`` against copies of ``field``: ``deals * num_players`` games. In teams the hero's side are heroes."""
    rules = Rules.of(rules, num_players)
    sides = rules.teams or num_players
    hero, field = (agent.for_rules(rules) if hasattr(agent, "for_rules") else agent for agent in (hero, field))
    generator = np.random.default_rng(seed)
    seeds = np.repeat(generator.integers(0, 2**63, deals), sides)
    seats = np.tile(np.arange(sides), deals)
    won = np.zeros(len(seeds))
    size = min(size, len(seeds))
    vector = UnoVector(size, rules, [int(s) for s in seeds[:size]])
    job = np.arange(size)  # the game that each place plays, -1 when there is none left
    waiting = size
    while (job >= 0).any():
        heroes = vector.actors % sides == seats[job]
        actions = np.empty(size, np.int64)
        for agent, rows in ((hero, np.flatnonzero(heroes)), (field, np.flatnonzero(~heroes))):
            if len(rows):
                actions[rows] = agent.act_batch(vector.observations[rows], vector.action_masks[rows], generator)
        vector.step(actions)
        done = np.flatnonzero(vector.dones & (job >= 0))
        winners = vector.winners[done]
        won[job[done]] = np.where(winners == 0, 1 / sides, winners >> seats[job[done]] & 1)
        new = done[: len(seeds) - waiting]
        job[done] = -1
        if len(new):
            job[new] = np.arange(waiting, waiting + len(new))
            vector.reset_games(new, seeds[job[new]])
            waiting += len(new)
    sets = won.reshape(deals, sides).mean(axis=1)
    return Score(float(sets.mean()), float(sets.std(ddof=1) / np.sqrt(deals)), len(seeds))
