"""SuperSuit's wrappers around the AEC environment: those that fit play whole games, those that do not refuse as the page says.

Shimmy brings games of other libraries to Gymnasium and PettingZoo, and ours is there already.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
import shimmy
import supersuit
from pettingzoo import AECEnv
from pettingzoo.test import api_test
from pettingzoo.utils.conversions import aec_to_parallel, turn_based_aec_to_parallel

from tests.integrations.pages import run_blocks
from uno_env import uno_v0

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:pettingzoo.*", "ignore::UserWarning:supersuit.*")


def make() -> AECEnv:
    return uno_v0.env("digital", num_players=2)


def play(env: Any, seed: int = 0) -> tuple[dict[str, float], list[Any]]:
    """A whole game of random legal actions; what each player got, and all observations."""
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    totals: dict[str, float] = {}
    seen = []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        totals[agent] = totals.get(agent, 0.0) + reward
        seen.append(observation)
        mask = observation["action_mask"] if isinstance(observation, dict) else info["action_mask"]
        env.step(None if terminated or truncated else int(rng.choice(np.flatnonzero(mask))))
    return totals, seen


FIT: dict[str, Callable[[AECEnv], Any]] = {
    "action_lambda": lambda env: supersuit.action_lambda_v1(env, lambda action, space: action, lambda space: space),
    "clip_reward": lambda env: supersuit.clip_reward_v0(env, -0.5, 0.5),
    "delay_observations": lambda env: supersuit.delay_observations_v0(env, 0),
    "nan_noop": lambda env: supersuit.nan_noop_v0(env, 72),
    "nan_random": supersuit.nan_random_v0,
    "pad_action_space": supersuit.pad_action_space_v0,
    "reward_lambda": lambda env: supersuit.reward_lambda_v0(env, lambda reward: 10 * reward),
}


@pytest.mark.parametrize("name", FIT)
def test_wrappers_that_fit(name: str) -> None:
    """The same game as without the wrapper; rewards as it makes them."""
    totals, seen = play(FIT[name](make()))
    plain, seen_plain = play(make())
    scale = {"clip_reward": 0.5, "reward_lambda": 10.0}.get(name, 1.0)
    assert totals == {agent: scale * reward for agent, reward in plain.items()}
    assert len(seen) == len(seen_plain)
    for one, two in zip(seen, seen_plain, strict=True):
        assert (one["observation"] == two["observation"]).all()
        assert (one["action_mask"] == two["action_mask"]).all()


def test_page_flattens() -> None:
    """The block of the page: float observations without the mask, which stays in the infos; then wrappers for boxes fit as well."""
    env = run_blocks("supersuit_shimmy")["env"]
    _, seen = play(env)
    assert all(each.shape == (1900,) and each.dtype == np.float32 for each in seen)
    api_test(env, num_cycles=200)
    stacked = play(env)[1]
    assert any((each[:950] != each[950:]).any() for each in stacked)


REFUSED: dict[str, tuple[Callable[[AECEnv], Any], type[Exception], str]] = {
    "agent_indicator": (supersuit.agent_indicator_v0, AssertionError, "must be 1d, 2d, or 3d Box or Discrete, was Dict"),
    "black_death": (supersuit.black_death_v3, AssertionError, "Converting from an AEC environment to a Parallel environment"),
    "dtype": (lambda env: supersuit.dtype_v0(env, np.float32), AttributeError, "'Dict' object has no attribute"),
    "flatten": (supersuit.flatten_v0, AttributeError, "'Dict' object has no attribute"),
    "frame_stack": (lambda env: supersuit.frame_stack_v1(env, 2), AssertionError, "only allowed for Box and Discrete"),
    "normalize_obs": (supersuit.normalize_obs_v0, AttributeError, "'Dict' object has no attribute"),
    "pad_observations": (supersuit.pad_observations_v0, AssertionError, "only supports Discrete and Box"),
    "reshape": (lambda env: supersuit.reshape_v0(env, (38, 25)), AssertionError, "must have as many elements"),
    "vector": (supersuit.pettingzoo_env_to_vec_env_v1, AssertionError, "takes in a pettingzoo ParallelEnv"),
    "aec_to_parallel": (aec_to_parallel, AssertionError, "is not generally safe"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrappers_that_do_not_fit(name: str) -> None:
    wrap, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        wrap(make())


@pytest.mark.parametrize("wrap", [lambda env: supersuit.frame_skip_v0(env, 2), lambda env: supersuit.sticky_actions_v0(env, 0.9)])
def test_repeated_actions_are_illegal(wrap: Callable[[AECEnv], Any]) -> None:
    """Repeating an action for the next player's turn is a move that this player mostly can not make: the game ends with -1."""
    ended = 0
    for seed in range(5):
        totals, _ = play(wrap(make()), seed)
        ended += min(totals.values()) == -1 and max(totals.values()) == 0
    assert ended


def test_vector_of_a_turn_based_game_loses_the_mask() -> None:
    """It can be forced into a vector; then all players must act in every step, whoever's turn it is."""
    env = supersuit.pettingzoo_env_to_vec_env_v1(turn_based_aec_to_parallel(make()))
    observations, _ = env.reset(seed=0)
    assert env.num_envs == 2
    assert isinstance(env.action_space, gymnasium.spaces.Discrete)
    assert [int(mask.sum() > 0) for mask in observations["action_mask"]] == [1, 0]


def test_shimmy_has_nothing_for_us() -> None:
    """All that Shimmy offers reads environments of other libraries; none of them takes Gymnasium's or PettingZoo's."""
    libraries = ("BSuite", "DmControl", "DmLab", "GymV21", "GymV26", "MeltingPot", "OpenSpiel")
    assert all(name.startswith(libraries) for name in shimmy.__all__ if name.endswith("V0"))
    assert any(name.startswith("OpenSpiel") for name in shimmy.__all__)


def test_shimmy_brings_a_neighbour_to_the_same_loop() -> None:
    """OpenSpiel's Crazy Eights through Shimmy is played by the very loop that plays our game."""
    env = shimmy.OpenSpielCompatibilityV0(game_name="crazy_eights")
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in env.agent_iter(50):
        _, _, terminated, truncated, info = env.last()
        env.step(None if terminated or truncated else int(rng.choice(np.flatnonzero(info["action_mask"]))))
