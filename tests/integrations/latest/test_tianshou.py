"""Tianshou's `PettingZooEnv`: what it shows of ours, and DQN that learns to beat a random player."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tianshou.env import PettingZooEnv

import agents
from tests.integrations.pages import run_blocks
from train import arena
from uno_env import Rules, uno_v0

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:tianshou.*", "ignore::DeprecationWarning:tianshou.*")


@pytest.mark.parametrize("num_players", [2, 4])
def test_wrapper_shows_player_and_mask(num_players: int) -> None:
    env = PettingZooEnv(uno_v0.env("digital", num_players))
    twin = uno_v0.raw_env("digital", num_players)
    rng = np.random.default_rng(0)
    for seed in range(3):
        seen, _ = env.reset(seed=seed)
        twin.reset(seed=seed)
        over = False
        while not over:
            observation = twin.last()[0]
            assert observation is not None
            assert seen["agent_id"] == twin.agent_selection
            assert (seen["obs"] == observation["observation"]).all()
            assert (np.array(seen["mask"]) == observation["action_mask"].astype(bool)).all()
            action = int(rng.choice(np.flatnonzero(seen["mask"])))
            seen, rewards, terminated, truncated, _ = env.step(action)
            twin.step(action)
            over = terminated or truncated
            assert rewards == [twin.rewards[agent] for agent in twin.possible_agents]
        assert sum(rewards) == pytest.approx(0, abs=1e-6)
        assert max(rewards) == 1


def test_page_trains() -> None:
    """After a short training the network wins clearly more than a random player in its seat (4 standard errors of 400 games)."""
    torch.set_num_threads(1)
    np.random.seed(0)  # noqa: NPY002 (Tianshou's players draw from it)
    uniform = agents.load("uniform")
    games = arena.play([uniform, agents.load("uniform")], [[0, 1]], Rules.preset("mini"), deals=4000, seed=1)
    chance = float(games.of(0, games.wins).mean())
    names = run_blocks("tianshou")
    assert names["after"] > chance + 0.1
    assert names["after"] > names["before"]
