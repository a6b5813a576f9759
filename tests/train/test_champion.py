"""The networks that ship with the checkout: they load, know their tables, and are as strong as the README says."""

from __future__ import annotations

import numpy as np
import pytest

import agents
from train.arena import play, rotations
from uno_env import Game, Rules

# Rounds won against `rule` under `research`, in %: tournaments in docs/results.
STATED = {2: 63.7, 4: 29.1}


@pytest.mark.compiled_only
@pytest.mark.parametrize("num_players", sorted(STATED))
def test_champion_is_as_strong_as_stated(num_players: int) -> None:
    rules = Rules.preset("research", num_players=num_players)
    games = play([agents.load("champion"), agents.load("rule")], rotations(rules), rules, deals=1500, seed=77)
    rates = 100 * np.asarray(games.of(0, games.wins))
    error = rates.std(ddof=1) / len(rates) ** 0.5
    assert abs(rates.mean() - STATED[num_players]) < 4.5 * error
    assert rates.mean() - 4.5 * error > 100 / num_players


def test_champion_plays_a_game() -> None:
    champion = agents.load("champion")
    outcome = agents.play_round(Game("research", seed=1, num_players=2), [champion, agents.load("random")], seed=1)
    assert outcome.termination == "out"


@pytest.mark.parametrize("num_players", [3, 7, 10])
def test_other_tables_have_the_network_for_any_number(num_players: int) -> None:
    rules = Rules.preset("research", num_players=num_players)
    champion = agents.load("champion")
    assert champion.for_rules(rules).num_players is None  # type: ignore[attr-defined]
    outcome = agents.play_round(Game(rules, seed=1), [champion, *[agents.load("random")] * (num_players - 1)], seed=1)
    assert outcome.termination == "out"
