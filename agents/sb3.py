"""`SB3Policy`: a policy trained with Stable-Baselines3 as an agent, and `export`, which writes it as a model file.

Stable-Baselines3's own ``.zip`` holds pickles, which can run anything when they are read. A model file holds numbers alone, so
`agents.load` takes it and needs no Stable-Baselines3.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from agents.torch_policy import TorchPolicy, read_model, write_model
from uno_env.observe import OBS_SIZE
from uno_env.rules import Rules
from uno_env.state import NUM_ACTIONS

ACTIVATIONS = ("ReLU", "Tanh", "ELU", "GELU", "LeakyReLU", "SiLU")
"""Classes of `torch.nn` that may stand between the layers."""
_HIDDEN, _LAST = "mlp_extractor.policy_net.", "action_net."


def export(model: Any, path: str | Path, rules: Rules, **about: Any) -> None:
    """Write the policy of a model (``MaskablePPO``, ``PPO`` or ``A2C`` with ``MlpPolicy`` on flat observations) as a model file.

    Args:
        model: the model.
        path: the file, ``.safetensors``.
        rules: the rules that it plays under.
        **about: kept as information.

    Raises:
        ValueError: for a policy that is no perceptron over observations.
    """
    weights = {
        name.removeprefix("mlp_extractor."): value
        for name, value in model.policy.state_dict().items()
        if name.startswith((_HIDDEN, _LAST))
    }
    if any("features_extractor" in name for name in model.policy.state_dict()):
        raise ValueError(f"{type(model.policy).__name__}: its features extractor has weights; only plain perceptrons are exported")
    activation = model.policy.activation_fn.__name__
    _perceptron(weights, activation)
    write_model(path, weights, rules, {"perceptron": {"activation": activation}, "about": about})


def _perceptron(weights: Mapping[str, torch.Tensor], activation: str) -> nn.Sequential:
    """The network, observation to logits, that the weights belong to."""
    if activation not in ACTIVATIONS:
        raise ValueError(f"activation {activation!r}: expected one of {', '.join(ACTIVATIONS)}")
    names = [name.removesuffix(".weight") for name in weights if name.endswith(".weight")]
    names.sort(key=lambda name: (name.startswith("action_net"), int(name.rpartition(".")[2]) if "." in name else 0))
    shapes = [tuple(weights[f"{name}.weight"].shape) for name in names]
    sizes = [OBS_SIZE, *(out for out, _ in shapes)]
    if names[-1:] != ["action_net"] or sizes[-1] != NUM_ACTIONS or [size for _, size in shapes] != sizes[:-1]:
        told = ", ".join(f"{name} {list(shape)}" for name, shape in zip(names, shapes, strict=True))
        raise ValueError(f"no perceptron from observations of {OBS_SIZE} to {NUM_ACTIONS} actions: {told or 'no layers'}")
    network = nn.Sequential()
    for name, (out, size) in zip(names, shapes, strict=True):
        layer = nn.Linear(size, out)
        layer.load_state_dict({part: weights[f"{name}.{part}"] for part in ("weight", "bias")})
        network.append(layer)
        if name != names[-1]:
            network.append(getattr(nn, activation)())
    return network.eval()


class SB3Policy(TorchPolicy):
    """A perceptron trained with Stable-Baselines3 that plays, by sampling from its policy, or greedily."""

    def __init__(self, network: nn.Sequential, rules: Rules, *, greedy: bool = False, about: dict[str, Any] | None = None) -> None:
        self.perceptron = network
        self.rules = rules
        self.num_players = rules.num_players
        self.greedy = greedy
        self.about = about or {}

    @classmethod
    def load(cls, path: str | Path, *, greedy: bool | None = None, device: str = "cpu") -> SB3Policy:
        """Load what `export` wrote, or the best (else the last) model of a run folder; see `TorchPolicy.load`."""
        header, weights = read_model(path, device)
        if "perceptron" not in header:
            raise ValueError(f"{path}: a model of another kind, for agents.load")
        network = _perceptron(weights, header["perceptron"]["activation"]).to(device)
        return cls(network, Rules.from_dict(header["rules"]), greedy=bool(greedy), about=header["about"])

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """Logits ``float32[M, 91]``, legal or not, for observations ``int8[M, OBS_SIZE]``."""
        device = next(self.perceptron.parameters()).device
        with torch.inference_mode():
            return self.perceptron(torch.from_numpy(observations).to(device, torch.float32)).cpu().numpy()
