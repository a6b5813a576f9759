"""AgileRL on `Uno-v0`: its PPO learns with the action mask; what the page says of its other algorithms."""

from __future__ import annotations

import inspect

import gymnasium
import numpy as np
import pytest
import torch
from agilerl.algorithms import DQN, PPO
from agilerl.components.data import Transition
from gymnasium.vector import AutoresetMode
from pettingzoo.utils.conversions import aec_to_parallel

from tests.integrations.pages import run_blocks
from uno_env import uno_v0

pytestmark = pytest.mark.filterwarnings("ignore:TensorDict.to_module:FutureWarning")  # AgileRL 2.58 with tensordict 0.13


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)


def make() -> gymnasium.vector.VectorEnv:
    options = {"autoreset_mode": AutoresetMode.SAME_STEP}
    return gymnasium.make_vec("uno_env:Uno-v0", num_envs=4, vectorization_mode="sync", vector_kwargs=options, rules="research")


@pytest.mark.parametrize("algorithm", [PPO, DQN])
def test_chosen_actions_are_legal(algorithm: type) -> None:
    """No illegal action in 600 decisions; an untrained network without the mask plays one at once."""
    env = make()
    agent = algorithm(env.single_observation_space, env.single_action_space)
    for masked in (True, False):
        observations, info = env.reset(seed=3)
        legal = []
        for step in range(150 if masked else 1):
            masks = info["action_mask"]
            given = {"action_mask": masks} if masked else {}
            actions = (
                agent.get_action(observations, 0.5, **given) if algorithm is DQN else agent.get_action(observations, **given)[0]
            )
            legal += masks[np.arange(4), actions].tolist()
            assert step == 0 or masked
            observations, _, _, _, info = env.step(actions)
        assert all(legal) == masked


def test_page_trains() -> None:
    """Mean score against a random card (0 is even, an untrained policy mostly draws): it goes up by far more than chance could."""
    scores = run_blocks("agilerl")["scores"]
    assert np.mean(scores[-3:]) > np.mean(scores[:2]) + 0.2


def test_dqn_learns_without_masks() -> None:
    assert not [name for name in inspect.signature(Transition).parameters if "mask" in name]
    assert "mask" not in inspect.getsource(DQN.learn)


def test_parallel_api_is_refused() -> None:
    with pytest.raises(AssertionError, match="is not generally safe"):
        aec_to_parallel(uno_v0.env("research"))
