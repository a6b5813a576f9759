"""PettingZoo's own conformance tests, and registration."""

from __future__ import annotations

import importlib
import itertools
import warnings
from types import ModuleType
from typing import Any

import pettingzoo
import pytest
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test

from uno_env import OBS_SIZE, Game, uno_v0
from uno_env.aec import UnoAEC

CASES = [
    *(pytest.param({"num_players": n}, id=f"{n}-round") for n in range(2, 11)),
    *(pytest.param({"num_players": n, "episode": "match"}, id=f"{n}-match") for n in (2, 4, 10)),
    pytest.param({"rules": "party"}, id="party"),
    pytest.param({"rules": "party", "num_players": 10, "episode": "match", "reward": "points"}, id="party-10-match"),
    pytest.param({"rules": "team"}, id="team"),
    pytest.param({"rules": "mini"}, id="mini"),
    pytest.param({"rules": {"max_turns": 30}}, id="truncated"),
    pytest.param({"rules": {"target": 100}, "episode": "match", "reward": "match"}, id="match-reward"),
]

# What api_test says of every environment with dict observations that is not on its own list; all else is an error.
DICT_OBSERVATION = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
)


@pytest.mark.parametrize("entry", [uno_v0.env, uno_v0.raw_env])
@pytest.mark.parametrize("options", CASES)
def test_api(options: dict[str, Any], entry: Any) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(entry(**options), num_cycles=300)
    assert {str(warning.message) for warning in caught} == set(DICT_OBSERVATION)


@pytest.mark.parametrize("options", CASES)
def test_seed(options: dict[str, Any]) -> None:
    seed_test(lambda: uno_v0.env(**options), num_cycles=200)


@pytest.mark.parametrize("options", CASES)
def test_performance_benchmark(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    # It runs for five seconds by the clock: this clock gives it two hundred rounds of the table.
    clock = ModuleType("time")
    ticks = itertools.count()
    clock.time = lambda: next(ticks) / 40  # type: ignore[attr-defined]
    monkeypatch.setattr(importlib.import_module("pettingzoo.test.performance_benchmark"), "time", clock)
    performance_benchmark(uno_v0.env(**options))


@pytest.mark.parametrize("options", CASES)
def test_render(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # a window that nobody sees
    monkeypatch.setitem(UnoAEC.metadata, "render_fps", 10_000)
    assert UnoAEC.metadata["render_modes"] == ["human", "rgb_array", "ansi"]
    render_test(lambda render_mode: uno_v0.env(render_mode=render_mode, **options))


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="PettingZoo has a registry since 1.27")
def test_registered() -> None:
    for _ in range(2):
        importlib.reload(uno_v0)  # a second registration would warn, and warnings are errors here
    spec = pettingzoo.spec("aec", "uno_env/uno-v0")
    assert (spec.namespace, spec.name, spec.version) == ("uno_env", "uno", 0)
    env = pettingzoo.make("aec", "uno_env/uno-v0", num_players=3, render_mode="ansi")
    env.reset(seed=5)
    unwrapped = env.unwrapped
    assert isinstance(unwrapped, UnoAEC)
    assert unwrapped.game().to_bytes() == Game(seed=5, num_players=3).to_bytes()
    assert str(env) == "uno_v0"


def test_nothing_is_registered_without_a_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(pettingzoo, "aec_registry", raising=False)
    monkeypatch.delattr(pettingzoo, "register", raising=False)
    uno_v0.register()


def test_the_page_gives_the_right_sizes() -> None:
    page = uno_v0.__doc__
    assert page is not None
    assert f"| Observation Shape  | ({OBS_SIZE},) " in page
    assert f"int8[{OBS_SIZE}]" in page
    env = uno_v0.raw_env()
    space: Any = env.observation_space("player_0")
    box = space["observation"]
    assert f"| Observation Values | [{box.low.min()}, {box.high.max()}] " in page
    assert f"| Action Values      | {env.action_space('player_0')} " in page
