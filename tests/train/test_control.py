"""The control variate: of mean zero in every position, whatever its value function says; narrower intervals, the same mean."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import agents
from train.arena import play, rotations
from train.control import NUM_WEIGHTS, Control, fit, logistic
from uno_env.cards import NUM_KINDS
from uno_env.notation import action_id, states_from_position
from uno_env.rules import Rules
from uno_env.vector import UnoVector

RESEARCH = Rules.preset("research", num_players=2)
WEIGHTS = np.append(np.random.default_rng(4).normal(size=NUM_WEIGHTS) / 5, 1.0)
"""Any value function will do."""


def luck_of(states: np.ndarray, rules: Rules, action: int) -> np.ndarray:
    """What the control variate notes of one action in each of the ``states``."""
    vector = UnoVector(len(states), rules, 0)
    vector.states[:] = states
    vector.refresh()
    control = Control(rules, rotations(rules)[:1], len(states), WEIGHTS)
    rows = np.arange(len(states))
    control(vector, rows, rows, np.full(len(states), action))
    return control.luck[:, 0]


def all_draws(state: np.ndarray, cards: int) -> tuple[np.ndarray, np.ndarray]:
    """The game with each sequence of ``cards`` kinds on top of its pile (``STATE[K]``), and how likely each is (``float64[K]``)."""
    size = int(state["draw_size"])
    counts = np.bincount(state["pile"][:size], minlength=NUM_KINDS)
    found, chances = [], []
    for kinds in itertools.product(np.flatnonzero(counts), repeat=cards):
        left, chance = counts.copy(), 1.0
        for place, kind in enumerate(kinds):
            chance *= left[kind] / (size - place)
            left[kind] -= 1
        if chance > 0:
            one = state.copy()
            one["pile"][:size] = np.concatenate([np.repeat(np.arange(NUM_KINDS), left), kinds[::-1]])
            found.append(one)
            chances.append(chance)
    return np.array(found), np.array(chances)


@pytest.mark.parametrize("players", [2, 4])
def test_the_mean_over_all_possible_draws_is_zero(players: int) -> None:
    others = [["g2", "W", "b4"], ["y9", "y8"], ["W4", "r0", "r6", "gS"]][: players - 1]
    base = {
        "hands": [["r5", "rD", "g1", "b2", "b3"], *others],
        "rules": "research",
        "num_players": players,
        "discard_pile": ["r7"],
        "draw_pile": ["r1", "r1", "y3", "W", "bS", "g0", "g3", "g3", "W4", "yD", "b9"],
    }
    drawn_on = {
        "colour": "g",
        "phase": "CHALLENGE",
        "pending_draw": 4,
        "turn": players - 1,
        "actor": 0,
        "draw_pile": ["r1", "y3", "y3", "W"],
    }
    guilty = base | {"discard_pile": ["r7", "W4"], "guilty": True, **drawn_on}
    innocent = base | {"discard_pile": ["r7", "W4"], "guilty": False, **drawn_on}
    cases = [(base, "draw", 1), (base, "rD", 2), (innocent, "accept", 4), (guilty, "challenge", 4)]
    for position, text, cards in cases:
        states, rules = states_from_position(position)
        worlds, chances = all_draws(states[0], cards)
        assert chances.sum() == pytest.approx(1, abs=1e-12)
        luck = luck_of(worlds, rules, action_id(text, 0, players, 1))
        assert np.abs(luck).max() > 1e-3, "nothing was noted"
        assert abs(luck @ chances) < 1e-12, (text, luck @ chances)


def test_the_mean_is_zero_where_a_draw_goes_on_until_a_card_is_playable() -> None:
    position = {
        "rules": {"draw_until_playable": True, "num_players": 2, "uno_call": "auto"},
        "hands": [["r5"], ["g2", "b4"]],
        "discard_pile": ["y7"],
        "draw_pile": ["g1", "g1", "W", "b3", "y2"],
    }
    states, rules = states_from_position(position)
    worlds, chances = all_draws(states[0], 5)
    luck = luck_of(worlds, rules, action_id("draw", 0, 2, 1))
    assert len(np.unique(luck.round(9))) > 5
    assert abs(luck @ chances) < 1e-12


def test_a_pile_that_runs_out_within_an_action_is_corrected_up_to_there() -> None:
    position = {
        "rules": "research",
        "num_players": 2,
        "hands": [["rD", "g1"], ["g2", "b4"]],
        "discard_pile": ["b1", "b2", "r7"],
        "draw_pile": ["y1"],
    }
    states, rules = states_from_position(position)
    assert luck_of(states, rules, action_id("rD", 0, 2, 1))[0] == 0, "the only card there was is no luck"


def test_the_fit_finds_the_weights_that_made_the_wins() -> None:
    rng = np.random.default_rng(0)
    inputs = np.column_stack([rng.normal(size=(40_000, 2)), np.ones(40_000)])
    true = np.array([0.7, -1.1, 0.3])
    won = rng.random(40_000) < 1 / (1 + np.exp(-inputs @ true))
    assert logistic(inputs, won.astype(float)) == pytest.approx(true, abs=0.06)


def test_control_narrows_the_interval_and_keeps_the_mean() -> None:
    players, seatings, deals = [agents.load("strategist"), agents.load("rule")], rotations(RESEARCH), 2500
    value = fit(players, RESEARCH, deals=500, seed=1)
    assert 0 < value[-1] < 1.5
    plain = play(players, seatings, RESEARCH, deals=deals, seed=11)
    control = Control(RESEARCH, seatings, deals, value)
    played = play(players, seatings, RESEARCH, deals=deals, seed=12, chance=control)
    a, b = plain.of(0, plain.wins), played.of(0, played.wins) - control.luck.mean(axis=1)
    assert abs(control.luck.mean()) < 3 * control.luck.mean(axis=1).std() / np.sqrt(deals)
    assert abs(a.mean() - b.mean()) < 3 * np.hypot(a.std(), b.std()) / np.sqrt(deals), "other deals, the same truth"
    assert b.var() < 0.95 * played.of(0, played.wins).var()


def test_what_is_not_known_to_be_unbiased_is_refused() -> None:
    rules = Rules.preset("official", num_players=2, uno_required_to_win=True)
    with pytest.raises(ValueError, match="uno_required_to_win"):
        Control(rules, rotations(rules), 1, WEIGHTS)
    with pytest.raises(ValueError, match="expected"):
        Control(RESEARCH, rotations(RESEARCH), 1, WEIGHTS[:-1])
