"""`agents.sb3`: what `export` writes is what `agents.load` plays. A stand-in with the parameters of a Stable-Baselines3 policy
serves here; `tests/integrations/latest/test_sb3.py` trains real ones.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import agents
from agents.network import Actor, NetworkConfig
from agents.sb3 import SB3Policy, export
from agents.torch_policy import TorchPolicy
from uno_env import OBS_SIZE, Rules, UnoVector
from uno_env.testing import check_agent

RULES = Rules.preset("research", num_players=2)


class Policy(nn.Module):
    """Named as in ``ActorCriticPolicy``."""

    def __init__(self, sizes: tuple[int, ...] = (OBS_SIZE, 32, 16), out: int = 91, activation: type[nn.Module] = nn.Tanh) -> None:
        super().__init__()
        torch.manual_seed(1)
        layers: list[nn.Module] = []
        for one, two in itertools.pairwise(sizes):
            layers += [nn.Linear(one, two), activation()]
        self.mlp_extractor = nn.ModuleDict({"policy_net": nn.Sequential(*layers), "value_net": nn.Linear(OBS_SIZE, 8)})
        self.action_net = nn.Linear(sizes[-1], out)
        self.value_net = nn.Linear(8, 1)
        self.activation_fn = activation

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return self.action_net(self.mlp_extractor["policy_net"](observations.float()))


def model(**options: Any) -> Any:
    return SimpleNamespace(policy=Policy(**options))


@pytest.mark.parametrize("sizes", [(OBS_SIZE,), (OBS_SIZE, 32, 16), (OBS_SIZE, *[8] * 12)])
def test_what_is_exported_is_what_plays(sizes: tuple[int, ...], tmp_path: Path) -> None:
    made = model(sizes=sizes, activation=nn.ReLU)
    export(made, tmp_path / "best.safetensors", RULES, steps=7)
    vector = UnoVector(20, RULES, seed=1)
    for spec in (tmp_path / "best.safetensors", str(tmp_path)):
        agent = agents.load(spec)
        assert isinstance(agent, SB3Policy)
        assert (agent.rules, agent.num_players, agent.about) == (RULES, 2, {"steps": 7})
        with torch.no_grad():
            expected = made.policy(torch.from_numpy(vector.observations)).numpy()
        assert np.allclose(agent.logits(vector.observations), expected, atol=1e-6)
        chosen = SB3Policy.load(spec, greedy=True).act_batch(vector.observations, vector.action_masks, np.random.default_rng(1))
        assert chosen.tolist() == np.where(vector.action_masks, expected, -np.inf).argmax(axis=1).tolist()
    check_agent(agent, rules=RULES, num_players=2)


def test_decisions_follow_the_words(tmp_path: Path) -> None:
    """A decision is the same whatever stands beside it, and `act_batch` decides by the words that its generator gives."""
    export(model(), tmp_path / "a.safetensors", RULES)
    agent = SB3Policy.load(tmp_path / "a.safetensors")
    vector = UnoVector(20, RULES, seed=1)
    rows, masks = vector.observations, vector.action_masks
    words = np.random.default_rng(3).integers(0, 2**64, 20, dtype=np.uint64)
    together = agent.decide(rows, masks, words)
    alone = [agent.decide(rows[i : i + 1], masks[i : i + 1], words[i : i + 1])[0] for i in range(20)]
    assert together.tolist() == alone
    assert agent.act_batch(rows, masks, np.random.default_rng(3)).tolist() == alone
    uniforms = np.random.default_rng(3).random(20)  # which NumPy makes of the same words
    chances = np.where(masks, np.exp(agent.logits(rows).astype(np.float64)), 0.0)
    chances = (chances / chances.sum(axis=1, keepdims=True)).cumsum(axis=1)
    assert together.tolist() == [int((row <= u).sum()) for row, u in zip(chances, uniforms, strict=True)]


def test_what_is_no_perceptron_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    with pytest.raises(ValueError, match="no perceptron from observations of 950 to 91 actions"):
        export(model(out=90), path, RULES)
    with pytest.raises(ValueError, match="no perceptron"):
        export(model(sizes=(OBS_SIZE - 1, 8)), path, RULES)
    with pytest.raises(ValueError, match="activation 'Softplus': expected one of ReLU, "):
        export(model(activation=nn.Softplus), path, RULES)
    wrapped = model()
    wrapped.policy.pi_features_extractor = nn.Linear(3, 3)
    with pytest.raises(ValueError, match="its features extractor has weights"):
        export(wrapped, path, RULES)
    assert not path.exists()


def test_each_kind_reads_its_own(tmp_path: Path) -> None:
    from agents.torch_policy import save_model

    network = NetworkConfig(num_players=2, width=8)
    save_model(tmp_path / "ours.safetensors", Actor(network).state_dict(), network, RULES)
    export(model(), tmp_path / "theirs.safetensors", RULES)
    assert type(agents.load(tmp_path / "ours.safetensors")) is TorchPolicy
    with pytest.raises(ValueError, match="a model of another kind"):
        SB3Policy.load(tmp_path / "ours.safetensors")
    with pytest.raises(ValueError, match="a model of another kind"):
        TorchPolicy.load(tmp_path / "theirs.safetensors")
    with pytest.raises(ValueError, match=r"agents\.sb3\.export makes one"):
        agents.load("model.zip")
