"""The PettingZoo environments on 1.26, which has no registry: the plain import is the way in."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, render_test, seed_test

from uno_env import Game, uno_text_v0, uno_v0
from uno_env.aec import UnoAEC

DICT_OBSERVATION = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}
"""What api_test says of every environment with dict observations that is not on its own list."""


def test_this_is_the_version_without_a_registry() -> None:
    assert pettingzoo.__version__.startswith("1.26.")
    assert not hasattr(pettingzoo, "register")
    uno_v0.register()
    uno_text_v0.register()


@pytest.mark.parametrize("n", range(2, 11))
def test_conformance(n: int) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(uno_v0.env(num_players=n), num_cycles=200)
    assert {str(warning.message) for warning in caught} == DICT_OBSERVATION
    seed_test(lambda: uno_v0.env(num_players=n), num_cycles=100)


@pytest.mark.parametrize("n", range(2, 11))
def test_rendering(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # a window that nobody sees
    monkeypatch.setitem(UnoAEC.metadata, "render_fps", 10_000)
    render_test(lambda render_mode: uno_v0.env(num_players=n, render_mode=render_mode))


@pytest.mark.parametrize(
    "options", [{"num_players": 2}, {"rules": "party", "episode": "match", "reward": "points"}, {"rules": "team"}]
)
def test_an_episode(options: dict[str, Any]) -> None:
    """Every agent is told its whole reward through `last`, in order of seats, and the sums are zero; in text as well."""
    for entry in (uno_v0, uno_text_v0):
        env = entry.env(**options)
        env.reset(seed=3)
        rng, totals, told = random.Random(3), dict.fromkeys(env.possible_agents, 0.0), []
        for agent in env.agent_iter():
            observation, reward, termination, truncation, info = env.last()
            assert observation is not None
            assert np.array_equal(observation["action_mask"], info["action_mask"])
            totals[agent] += reward
            if termination or truncation:
                told.append(agent)
                env.step(None)
                continue
            game: Game = env.unwrapped.game()  # type: ignore[attr-defined]
            action = rng.choice([a for a in np.flatnonzero(observation["action_mask"]).tolist() if a != 72] or [72])
            env.step(game.action_text(action) if entry is uno_text_v0 else action)
        assert told == env.possible_agents
        assert sum(totals.values()) == pytest.approx(0, abs=1e-5)
        assert any(totals.values())
