"""What a policy does is counted as a person would count it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from train.actions import HABITS, ActionCounter, count_actions, ratio
from uno_env.notation import action_id, states_from_position
from uno_env.rules import Rules
from uno_env.state import CHALLENGE, DRAW, PASS
from uno_env.vector import UnoVector

RESEARCH = Rules.preset("research", num_players=2)
T_2 = 4.30265
"""97.5% point of Student's distribution with 2 degrees of freedom (any table of it)."""


def test_the_interval_of_a_share_takes_games_as_units() -> None:
    taken, chances = np.array([1, 0, 2, 0]), np.array([2, 1, 2, 0])
    found = ratio(taken, chances)
    assert found is not None
    share = 3 / 5
    # Three games had a chance; the fourth counts as a game without.
    error = np.sqrt(4 / 3 * ((1 - 2 * share) ** 2 + share**2 + (2 - 2 * share) ** 2)) / 5
    assert found.mean == pytest.approx(share)
    assert found.standard_error == pytest.approx(error)
    assert (found.low, found.high) == (pytest.approx(max(share - T_2 * error, 0), abs=1e-3), 1)
    none = ratio(np.zeros(2), np.array([1, 5]))
    assert none is not None
    # Two games without: (1 - p)^2 = 0.025.
    assert (none.mean, none.low, none.high) == (0, 0, pytest.approx(1 - np.sqrt(0.025)))
    assert ratio(np.zeros(2), np.zeros(2)) is None


def test_actions_are_counted_as_by_hand() -> None:
    base = {"rules": "research", "discard_pile": ["r7"], "draw_pile": ["y1", "g2", "b4"]}
    other = ["b3", "b9"]
    four = {"discard_pile": ["r7", "W4"], "colour": "g", "phase": "CHALLENGE", "pending_draw": 4, "guilty": False, "turn": 1}
    # The position, what is chosen, and what it counts as: habit -> taken.
    decisions: list[tuple[dict[str, Any], str, dict[str, bool], int]] = [
        ({"hands": [["r5", "W4", "g1"], other]}, "W4:g", {"bluffs": True, "holds_wilds": False, "draws": False}, 3),
        ({"hands": [["r5", "W4", "g1"], other]}, "r5", {"bluffs": False, "holds_wilds": True, "draws": False}, 3),
        ({"hands": [["g1", "W4"], other]}, "W4:g", {"draws": False}, 2),
        ({"hands": [["r1", "r2", "W", "b1"], other]}, "draw", {"holds_wilds": True, "draws": True}, 4),
        ({"hands": [["g1", "b1"], other]}, "draw", {}, 2),
        ({"hands": [["r5", "g1"], other], "phase": "DRAWN", "drawn": "r5"}, "pass", {"keeps_drawn": True}, 2),
        ({"hands": [["r5", "g1"], other], "phase": "DRAWN", "drawn": "r5"}, "r5", {"keeps_drawn": False}, 2),
        ({"hands": [["g1"], other], **four}, "challenge", {"challenges": True}, 1),
        ({"hands": [["g1"], other], **four}, "accept", {"challenges": False}, 1),
    ]
    seeds = np.arange(100, 100 + len(decisions), dtype=np.uint64)[::-1].copy()
    vector = UnoVector(len(decisions), RESEARCH, seeds.tolist())
    chosen = []
    for i, (position, action, _, _) in enumerate(decisions):
        states, rules = states_from_position(base | position)
        assert rules == RESEARCH
        vector.states[i] = states[0]
        chosen.append(action_id(action, 0, 2, 1))
    vector.refresh()
    counter = ActionCounter(seeds)
    rows = np.arange(len(decisions))
    counter.watch(vector, rows, np.zeros(len(rows), np.int64), np.array(chosen))
    for game, (position, action, counts, size) in enumerate(decisions):
        for index, habit in enumerate(HABITS):
            chances, taken = (np.flatnonzero(part[game, index]) + 1 for part in (counter.found.chances, counter.found.taken))
            assert chances.tolist() == ([size] if habit in counts else []), (position, action, habit)
            assert taken.tolist() == ([size] if counts.get(habit) else []), (position, action, habit)
    assert counter.found.to_dict()["bluffs"]["share"]["mean"] == 0.5


class Habitual:
    """Draws, keeps, and challenges whenever it may; else plays the first legal card."""

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        actions = masks.argmax(axis=1)
        # Without an end to drawing no game would end.
        willing = rng.random(len(masks)) < 0.5
        for favourite in (DRAW, PASS, CHALLENGE):
            actions = np.where((masks[:, favourite] != 0) & ((favourite != DRAW) | willing), favourite, actions)
        return actions


def test_actions_of_an_agent_known_by_construction() -> None:
    found = count_actions(Habitual(), RESEARCH, games=30, seed=3)
    assert found.chances.shape[0] == 30
    for habit, share in {"keeps_drawn": 1.0, "challenges": 1.0}.items():
        rate = found.rate(habit)
        assert rate is not None
        assert rate.mean == share
    draws = found.rate("draws")
    assert draws is not None
    assert draws.low is not None
    assert draws.high is not None
    assert 0.3 < draws.low < 0.5 < draws.high < 0.7
    again = count_actions(Habitual(), RESEARCH, games=30, seed=3)
    assert (again.chances == found.chances).all()
    assert (again.taken == found.taken).all()
