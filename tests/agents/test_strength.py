"""How strong the agents are: the measured figures of the reference simulation, and who beats whom.

All deals are fixed by seeds, so these tests always give the same figures; the bands hold for any seed.
"""

from __future__ import annotations

import math

import pytest

import agents
from tests.agents.duel import duel
from uno_env.rules import PRESETS

pytestmark = pytest.mark.compiled_only

# Rules `digital` against random, per cent (notes on strength: 95% half-width 0.3 with two players, 0.2 with four).
REFERENCE = {("rule", 2): 61.7, ("actions_first", 2): 62.5, ("rule", 4): 32.0, ("actions_first", 4): 31.3}
REFERENCE_ERROR = {2: 0.3 / 1.96, 4: 0.2 / 1.96}


def check_reference(name: str, players: int, games: int) -> None:
    score = duel(agents.load(name), agents.load("random"), "digital", players, games // players, seed=20)
    allowed = 4.5 * math.hypot(100 * score.error, REFERENCE_ERROR[players])
    assert abs(100 * score.rate - REFERENCE[name, players]) < allowed, f"{score}, reference {REFERENCE[name, players]}"


@pytest.mark.parametrize(("name", "players"), REFERENCE)
def test_reference_figures(name, players):
    check_reference(name, players, 8_000)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players"), REFERENCE)
def test_reference_figures_closely(name, players):
    check_reference(name, players, 200_000)


@pytest.mark.parametrize("rules", ["research", "digital"])
@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("field", ["rule", "actions_first", "highest_points"])
def test_strategist_beats_the_baselines(rules, players, field):
    score = duel(agents.load("strategist"), agents.load(field), rules, players, 8_000 // players, seed=21)
    assert score.rate - 1.96 * score.error > 1 / players, str(score)


# Percentage points above an even share by which strategist is to beat random beyond the error, for two players; half for four.
MARGINS = dict.fromkeys(PRESETS, 10.0) | {"mini": 3.0, "mini_bluff": 3.0}


TABLES = [
    (rules, players)
    for rules in PRESETS
    for players in (2, 4)
    if not (rules.startswith("mini") and players == 4) and not (rules == "team" and players == 2)
]


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_strategist_beats_random_under_every_preset(rules, players):
    sides = 2 if rules == "team" else players
    score = duel(agents.load("strategist"), agents.load("random"), rules, players, 3_000 // sides, seed=22)
    assert 100 * (score.rate - 1.96 * score.error - 1 / sides) > MARGINS[rules] * 2 / players, str(score)


def test_uniform_is_no_baseline():
    # It draws when it could play: why no claim may rest on beating it.
    score = duel(agents.load("random"), agents.load("uniform"), "digital", 2, 300, seed=23)
    assert score.rate > 0.9, str(score)
