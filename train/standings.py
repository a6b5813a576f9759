"""Who is better: a ranking from a cross-play matrix that holds up under cycles, and OpenSkill ratings beside it.

The *lead* of A over B is what a side of A wins against B more than a side of B wins against A: with two sides twice the distance
from an even score. The ranking is Kemeny's (Kemeny 1959, Young 1988): the order of all agents that goes against the least total
lead. It is the maximum-likelihood order where each lead shows the true one with an error, it puts first whoever beats everybody
else, it does not hang on how many weak opponents somebody plays well against, and in a cycle it drops the weakest link. Soft
Condorcet Optimization (arXiv 2411.00119) approximates it for many agents; up to `MAX_AGENTS` it is found exactly here. How sure a
place is, is told by ranking matrices drawn around the measured one.

Ratings add up a player's results as if strength were one number; under cycles they mislead. They are there because they are
familiar.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from train.arena import Games
from train.evaluate import Evaluation

MAX_AGENTS = 14
"""Agents that can be ranked: the work doubles with each."""
DRAWS = 400
"""Matrices drawn to see how sure a place is."""
RATED_GAMES = 2_000
"""Games of each pairing that ratings are made of, at most."""

START = 25.0
"""The rating that all agents start with."""


@dataclass(frozen=True)
class Standing:
    """One agent's place.

    ``rank`` counts from 1; ``best`` and ``worst`` hold it with 95%. ``mu`` and ``sigma`` are its OpenSkill rating.
    """

    agent: str
    rank: int
    best: int
    worst: int
    mu: float
    sigma: float


def leads(evaluation: Evaluation) -> tuple[np.ndarray, np.ndarray]:
    """The lead of row over column and its standard error, ``float64[A, A]`` each; ValueError where a pairing is missing."""
    rates, errors = evaluation.win_rates(), np.zeros((len(evaluation.agents),) * 2)
    place = {name: i for i, name in enumerate(evaluation.agents)}
    for pairing in evaluation.pairings:
        errors[place[pairing.agent], place[pairing.opponent]] = pairing.win_rate.standard_error or 0.0
    np.fill_diagonal(rates, 0.0)
    if np.isnan(rates).any():
        a, b = np.argwhere(np.isnan(rates))[0]
        raise ValueError(f"{evaluation.agents[a]!r} against {evaluation.agents[b]!r} was not played: no ranking")
    if evaluation.sides == 2:  # both directions are the same games
        return rates - rates.T, errors + errors.T
    return rates - rates.T, np.hypot(errors, errors.T)


def kemeny(lead: np.ndarray) -> np.ndarray:
    """The best order for each of ``M`` matrices of leads: ``int64[M, A]``, the first agent first.

    Exact, by the best order of every subset of the agents (Held and Karp's scheme); of equally good ones it takes the one with the
    earlier agents last.
    """
    lead = np.asarray(lead, np.float64)
    count, agents = lead.shape[:2]
    if agents > MAX_AGENTS:
        raise ValueError(f"{agents} agents: at most {MAX_AGENTS} can be ranked")
    # best[S]: the greatest sum of leads in the order S takes at the top; last[S]: who then comes last of S.
    best = np.zeros((1 << agents, count))
    last = np.zeros((1 << agents, count), np.int64)
    for subset in range(1, 1 << agents):
        inside = [i for i in range(agents) if subset >> i & 1]
        sums = np.stack([best[subset ^ (1 << i)] + lead[:, inside, i].sum(axis=1) for i in inside])
        choice = sums.argmax(axis=0)
        best[subset] = sums[choice, np.arange(count)]
        last[subset] = np.array(inside)[choice]
    orders = np.empty((count, agents), np.int64)
    subsets = np.full(count, (1 << agents) - 1)
    for place in range(agents - 1, -1, -1):
        orders[:, place] = last[subsets, np.arange(count)]
        subsets ^= 1 << orders[:, place]
    return orders


def cycles(evaluation: Evaluation) -> list[tuple[str, str, str]]:
    """Triples in which each beats the next and the third the first, every lead with 95% confidence."""
    lead, error = leads(evaluation)
    beats = lead > 1.96 * error
    agents = range(len(evaluation.agents))
    found = [
        (a, b, c) for a in agents for b in agents for c in agents if a < min(b, c) and beats[a, b] and beats[b, c] and beats[c, a]
    ]
    return [(evaluation.agents[a], evaluation.agents[b], evaluation.agents[c]) for a, b, c in found]


def rank(evaluation: Evaluation, games: Mapping[tuple[str, str], Games], *, seed: int = 0) -> tuple[Standing, ...]:
    """All agents, the first one first, with ratings from the ``games`` of each pairing that was played."""
    lead, error = leads(evaluation)
    names, count = evaluation.agents, len(evaluation.agents)
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.standard_normal((DRAWS, count, count)), 1) * error
    orders = kemeny(np.concatenate([lead[None], lead + upper - upper.transpose(0, 2, 1)]))
    places = np.argsort(orders, axis=1) + 1
    low, high = np.quantile(places[1:], (0.025, 0.975), axis=0, method="inverted_cdf")
    ratings = rate(names, games, rng)
    return tuple(
        Standing(names[i], place, min(int(low[i]), place), max(int(high[i]), place), *ratings[names[i]])
        for place, i in enumerate(orders[0].tolist(), start=1)
    )


def rate(names: Sequence[str], games: Mapping[tuple[str, str], Games], rng: np.random.Generator) -> dict[str, tuple[float, float]]:
    """OpenSkill ratings (Plackett-Luce, Weng and Lin 2011): mean and deviation of each agent's skill.

    As many games of each pairing are taken in random order, so that nobody's rating hangs on who was measured most. A side plays
    against all others; copies of one agent count as so many players of its rating, and it takes the mean of their new ones.
    Agents do not change, so no skill drifts (``tau=0``). Games that one side alone did not win are left out.
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce(mu=START, tau=0.0)
    skill = {name: (float(model.mu), float(model.sigma)) for name in names}
    count = min([RATED_GAMES, *(part.truncated.size for part in games.values())])
    results = []
    for (agent, opponent), part in games.items():
        sides = len(part.seatings)
        won = (part.wins * (part.seatings == 0)).sum(axis=2).ravel()[:count]
        lost = (part.wins * (part.seatings == 1)).sum(axis=2).ravel()[:count]
        results += [(agent, opponent, sides, bool(a)) for a, b in zip(won, lost, strict=True) if {a, b} == {0.0, 1.0}]
    for i in rng.permutation(len(results)):
        agent, opponent, sides, agent_won = results[i]
        players = [[model.create_rating(list(skill[name]))] for name in (agent, *[opponent] * (sides - 1))]
        ranks = [1, *[2] * (sides - 1)] if agent_won else [2, 1, *[2] * (sides - 2)]
        first, *others = [player for (player,) in model.rate(players, ranks=ranks)]
        skill[agent] = first.mu, first.sigma
        skill[opponent] = sum(p.mu for p in others) / len(others), sum(p.sigma for p in others) / len(others)
    return skill


def table(standings: Sequence[Standing], found: Sequence[tuple[str, str, str]]) -> str:
    """Standings and cycles as text."""
    width = max(len("agent"), *(len(s.agent) for s in standings))
    lines = [f"{'place':>12}  {'agent':<{width}}  OpenSkill [95%]"]
    for s in standings:
        place = f"{s.rank} [{s.best}, {s.worst}]"
        lines.append(f"{place:>12}  {s.agent:<{width}}  {s.mu:.2f} [{s.mu - 1.96 * s.sigma:.2f}, {s.mu + 1.96 * s.sigma:.2f}]")
    lines += [f"cycle: {a} beats {b} beats {c} beats {a}" for a, b, c in found] or ["no cycle of three that is certain"]
    return "\n".join(lines)
