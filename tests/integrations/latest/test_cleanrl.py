"""The CleanRL-style file learns: it beats random players after a minute, and an untrained network does not."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

ROOT = Path(__file__).resolve().parents[3]
FILE = ROOT / "docs" / "integrations" / "cleanrl_ppo.py"


def run(folder: Path, *options: str) -> float:
    """The win rate that the program prints, in percent."""
    command = [sys.executable, str(FILE), *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    told = re.search(r"^wins ([\d.]+)% \+- [\d.]+ of \d+ games against random cards$", done.stdout, re.MULTILINE)
    assert told is not None, done.stdout
    return float(told[1])


def module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("cleanrl_ppo", FILE)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


def test_it_learns(tmp_path: Path) -> None:
    untrained = run(tmp_path, "--total-steps", "0", "--eval-games", "1000")
    trained = run(tmp_path, "--total-steps", "300000", "--minutes", "60", "--eval-games", "1000", "--save", "policy.pt")
    # Equal players win half; 1000 rounds have a standard error of 1.6 points. An untrained network draws as often as it plays.
    assert untrained < 25
    assert trained > 50
    saved = torch.load(tmp_path / "policy.pt", weights_only=True)
    agent = module().Agent(2)
    agent.load_state_dict(saved)


@pytest.mark.parametrize("options", [("--num-players", "4", "--rules", "official"), ("--num-players", "10", "--rules", "party")])
def test_any_table(tmp_path: Path, options: tuple[str, ...]) -> None:
    won = run(tmp_path, "--total-steps", "1", "--num-envs", "32", "--num-steps", "32", "--eval-games", "100", *options)
    assert 0 <= won <= 100


def test_advantages_are_each_players_own() -> None:
    """Against the definition, player by player: GAE over the list of a player's own decisions in one game."""
    rng = np.random.default_rng(0)
    steps, games, players, gamma, lam = 40, 5, 3, 0.9, 0.8
    values = rng.normal(size=(steps, games)).astype(np.float32)
    rewards = (rng.normal(size=(steps, games, players)) * (rng.random((steps, games, 1)) < 0.2)).astype(np.float32)
    dones = rng.random((steps, games)) < 0.1
    actors = rng.integers(players, size=(steps, games)).astype(np.int8)
    advantages, usable = module().advantages_per_player(values, rewards, dones, actors, gamma, lam)
    for game in range(games):
        for player in range(players):
            own = [t for t in range(steps) if actors[t, game] == player]
            following: dict[int, float] = {}
            for t in reversed(own):
                ends = [u for u in range(t, steps) if dones[u, game]]
                later = [u for u in own if u > t and not (ends and u > ends[0])]
                if not ends and not later:
                    assert not usable[t, game]
                    following[t] = 0.0
                    continue
                assert usable[t, game]
                until = later[0] - 1 if later else ends[0]
                paid = rewards[t : until + 1, game, player].sum()
                value, advantage = (values[later[0], game], following[later[0]]) if later else (0.0, 0.0)
                following[t] = paid + gamma * value - values[t, game] + gamma * lam * advantage
                assert advantages[t, game] == pytest.approx(following[t], abs=1e-4)
