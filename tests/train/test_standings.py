"""Rankings follow the whole matrix, hold up under cycles, and say how sure they are."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from train.arena import Games
from train.estimate import Estimate
from train.evaluate import Evaluation, Pairing
from train.standings import MAX_AGENTS, cycles, kemeny, leads, rank, rate
from uno_env.rules import Rules

NOTHING = Estimate(0.0, None, None, None, 1)
SEATINGS = np.array([[0, 1], [1, 0]])


def made_up(names: str, rates: dict[str, float], *, error: float = 0.001, players: int = 2) -> Evaluation:
    """An evaluation of agents called by one letter each, from win rates of "ab": a against b; with two players b-a follows."""
    if players == 2:
        rates = rates | {pair[::-1]: 1 - rate for pair, rate in rates.items()}
    pairings = [
        Pairing(a, b, Estimate(r, r - 2 * error, r + 2 * error, error, 100), NOTHING, NOTHING, 200, 100, 0.0, 0.0, 40.0)
        for (a, b), r in rates.items()
    ]
    return Evaluation(tuple(names), tuple(pairings), Rules.preset("research", num_players=players), "round", 0, 1, 1, 1.0)


def games_of(evaluation: Evaluation) -> dict[tuple[str, str], Games]:
    """Games that show the win rates, of pairs in order of name."""
    found = {}
    for pairing in evaluation.pairings:
        if pairing.agent < pairing.opponent:
            won = np.arange(100)[:, None] < 100 * pairing.win_rate.mean
            seat_0 = np.concatenate([won, ~won], axis=1)  # the seatings exchange the seats
            wins = np.stack([seat_0, ~seat_0], axis=2).astype(float)
            flat = np.zeros((100, 2))
            found[pairing.agent, pairing.opponent] = Games(SEATINGS, wins, wins, wins, flat > 0, flat > 0, flat.astype(int), 1.0)
    return found


def test_the_order_goes_against_the_least_total_lead() -> None:
    rng = np.random.default_rng(3)
    upper = np.triu(rng.normal(size=(20, 5, 5)), 1)
    lead = upper - upper.transpose(0, 2, 1)
    for matrix, found in zip(lead, kemeny(lead), strict=True):
        against = {
            order: sum(max(matrix[b, a], 0) for i, a in enumerate(order) for b in order[i + 1 :])
            for order in itertools.permutations(range(5))
        }
        assert tuple(found) == min(against, key=lambda order: against[order])


def test_who_beats_everybody_is_first_whatever_the_others_win() -> None:
    # a beats b and c narrowly; b crushes c and would lead by mean win rate.
    evaluation = made_up("abc", {"ab": 0.52, "ac": 0.52, "bc": 0.9})
    assert [standing.agent for standing in rank(evaluation, games_of(evaluation))] == ["a", "b", "c"]


def test_a_cycle_breaks_at_its_weakest_link() -> None:
    evaluation = made_up("abcd", {"ab": 0.60, "bc": 0.58, "ac": 0.47, "ad": 0.9, "bd": 0.9, "cd": 0.9})
    found = rank(evaluation, games_of(evaluation))
    assert [standing.agent for standing in found] == ["a", "b", "c", "d"], "c's lead of 6 points over a is the smallest"
    assert cycles(evaluation) == [("a", "b", "c")]
    unsure = made_up("abcd", {"ab": 0.60, "bc": 0.58, "ac": 0.47, "ad": 0.9, "bd": 0.9, "cd": 0.9}, error=0.02)
    assert cycles(unsure) == [], "a lead of 6 points with a standard error of 4 is none"


def test_places_are_as_sure_as_the_matrix() -> None:
    rates = {"ab": 0.51, "ac": 0.7, "bc": 0.7}
    sure = rank(made_up("abc", rates), games_of(made_up("abc", rates)))
    assert [(s.agent, s.rank, s.best, s.worst) for s in sure] == [("a", 1, 1, 1), ("b", 2, 2, 2), ("c", 3, 3, 3)]
    unsure = made_up("abc", rates, error=0.02)
    assert [(s.agent, s.rank, s.best, s.worst) for s in rank(unsure, games_of(unsure))] == [
        ("a", 1, 1, 2),
        ("b", 2, 1, 2),
        ("c", 3, 3, 3),
    ]


def test_with_more_sides_a_lead_is_what_one_wins_more_against_the_others() -> None:
    evaluation = made_up("ab", {"ab": 0.30, "ba": 0.22}, players=4)
    lead, error = leads(evaluation)
    assert lead == pytest.approx(np.array([[0, 0.08], [-0.08, 0]]))
    assert error[0, 1] == pytest.approx(0.001 * np.sqrt(2)), "two sets of games"
    two, both = leads(made_up("ab", {"ab": 0.6}))
    assert two[0, 1] == pytest.approx(0.2)
    assert both[0, 1] == pytest.approx(0.002), "one set of games, seen from both sides"
    with pytest.raises(ValueError, match="was not played"):
        leads(made_up("ab", {"ab": 0.30}, players=4))


def test_ratings_follow_strength() -> None:
    evaluation = made_up("abc", {"ab": 0.6, "ac": 0.7, "bc": 0.6})
    found = rate("abc", games_of(evaluation), np.random.default_rng(0))
    assert found["a"][0] > found["b"][0] > found["c"][0]
    assert all(0 < sigma < 25 / 3 for _, sigma in found.values()), "surer than the library's first guess"
    assert found == rate("abc", games_of(evaluation), np.random.default_rng(0))


def test_too_many_agents_are_refused() -> None:
    with pytest.raises(ValueError, match=f"at most {MAX_AGENTS}"):
        kemeny(np.zeros((1, MAX_AGENTS + 1, MAX_AGENTS + 1)))
