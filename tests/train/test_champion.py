"""The networks that ship with the checkout: they load, know their tables, and are as strong as the README says."""

from __future__ import annotations

import numpy as np
import pytest

import agents
from train.arena import play, rotations
from uno_env import Game, Rules

# Rounds won against `rule` under `research`, in %, from the README.
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


def test_champion_names_the_tables_it_knows() -> None:
    with pytest.raises(ValueError, match="no champion for 3 players: there is one for 2 and for 4"):
        agents.load("champion").for_rules(Rules.preset("research", num_players=3))  # type: ignore[attr-defined]
