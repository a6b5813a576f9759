"""Habits are counted from what is played: agents whose habits are known by construction."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import agents
from train.habits import main, measure, table
from uno_env.rules import Rules
from uno_env.state import ACCEPT, CATCH, CHALLENGE, DRAW, PASS, UNO


class Always:
    """Takes the first legal of its favourite actions, else plays at random (drawing only when it must)."""

    def __init__(self, *favourites: int, calls: bool = True) -> None:
        self.favourites = favourites
        self.calls = calls
        self.random = agents.load("random")

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        if not self.calls:
            masks[:, UNO] &= masks.sum(axis=1) == 1
        actions = self.random.act_batch(observations, masks, rng)
        for favourite in reversed(self.favourites):
            actions = np.where(masks[:, favourite] != 0, favourite, actions)
        return actions


def test_habits_by_construction() -> None:
    rules = Rules.preset("official", num_players=2, target=None)
    eager = measure(Always(UNO, CATCH, CHALLENGE, PASS), Always(PASS, ACCEPT, calls=False), rules, deals=60, seed=1)
    habits, fours = eager["habits"], eager["wild_draw_four"]
    assert habits["call_chances"] == habits["calls"] > 0
    assert habits["catch_chances"] == habits["catches"] > 0
    assert habits["playable_drawn"] == habits["kept"] > 0
    assert fours["asked"] == fours["challenges"] > 0
    assert fours["right"] == fours["guilty"]

    idle = measure(Always(DRAW, ACCEPT), Always(CATCH), rules, deals=20, seed=1)
    habits, fours = idle["habits"], idle["wild_draw_four"]
    assert habits["draw_chances"] == habits["voluntary_draws"] > 0
    assert fours["challenges"] == 0
    assert "drew" in table(idle)


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "habits.json"
    assert main(["rule", "--against", "random", "--games", "40", "--players", "2", "--out", str(out)]) == 0
    assert "challenge" in capsys.readouterr().out
    found = json.loads(out.read_text())
    assert found["games"] == 40
    assert found["against"] == "random"
