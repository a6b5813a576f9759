"""The networks that ship with the checkout: they load, know their tables, and are as strong as the README says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import agents
from agents import champion
from train.arena import play, rotations
from uno_env import Game, Rules

ANY_NUMBER = str(champion.FOLDER / champion.ANY_NUMBER)
# Rounds won against `rule` under `research`, in %, by agent and number of players: 20,000 games or more each.
STATED = {("champion", 2): 63.7, ("champion", 4): 29.1, (ANY_NUMBER, 2): 61.2, (ANY_NUMBER, 4): 29.0}


@pytest.mark.compiled_only
@pytest.mark.parametrize(("spec", "num_players"), STATED, ids=lambda value: Path(str(value)).stem)
def test_networks_are_as_strong_as_stated(spec: str, num_players: int) -> None:
    rules = Rules.preset("research", num_players=num_players)
    games = play([agents.load(spec), agents.load("rule")], rotations(rules), rules, deals=1500, seed=77)
    rates = 100 * np.asarray(games.of(0, games.wins))
    error = rates.std(ddof=1) / len(rates) ** 0.5
    assert abs(rates.mean() - STATED[spec, num_players]) < 4.5 * error
    assert rates.mean() - 4.5 * error > 100 / num_players


def test_champion_plays_a_game() -> None:
    player = agents.load("champion")
    outcome = agents.play_round(Game("research", seed=1, num_players=2), [player, agents.load("random")], seed=1)
    assert outcome.termination == "out"


@pytest.mark.parametrize("num_players", [3, 7, 10])
def test_other_tables_have_the_network_for_any_number(num_players: int) -> None:
    rules = Rules.preset("research", num_players=num_players)
    player = agents.load("champion")
    assert player.for_rules(rules).num_players is None  # type: ignore[attr-defined]
    outcome = agents.play_round(Game(rules, seed=1), [player, *[agents.load("random")] * (num_players - 1)], seed=1)
    assert outcome.termination == "out"
