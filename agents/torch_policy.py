"""`TorchPolicy`: a trained network as an agent.

Models are safetensors files whose header says what they are; nothing is unpickled.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import save

from agents.network import Actor, NetworkConfig, observed_columns, sample_masked
from uno_env import observe
from uno_env.observe import OBS_SIZE
from uno_env.rules import Rules

FORMAT = 1
"""Moves when what a model file holds, or how the network reads an observation, changes."""


def environment_version() -> str:
    """The version of the installed ``uno-env``."""
    try:
        return version("uno-env")
    except PackageNotFoundError:
        return "unknown"


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    partial = path.with_name(path.name + ".tmp")
    with partial.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def save_model(
    path: str | Path,
    weights: Mapping[str, torch.Tensor],
    network: NetworkConfig,
    rules: Rules,
    *,
    greedy: bool = False,
    **about: Any,
) -> None:
    """Write an actor's weights with all that is needed to play with them.

    Args:
        path: the file.
        weights: the actor's.
        network: its shape.
        rules: what it was trained for.
        greedy: whether it is meant to play its highest output (values of actions), not to sample (logits).
        about: kept as information.
    """
    write_model(path, weights, rules, {"network": asdict(network), "greedy": greedy, "about": about})


def write_model(path: str | Path, weights: Mapping[str, torch.Tensor], rules: Rules, told: Mapping[str, Any]) -> None:
    """Write weights under a header with the versions, the rules, and what else is ``told`` of them."""
    header = {
        "format": FORMAT,
        "uno_env": environment_version(),
        "observation": OBS_SIZE,
        "rules": rules.to_dict() | {"num_players": rules.num_players},
        **told,
    }
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}
    write_atomically(Path(path), save(plain, {"uno_env": json.dumps(header)}))


def find_model(path: str | Path) -> Path:
    """The model file that ``path`` means: itself, or in a run folder the best one, else the last one."""
    path = Path(path)
    if path.is_dir():
        for name in ("best.safetensors", "last.safetensors"):
            if (path / name).is_file():
                return path / name
        raise FileNotFoundError(f"{path}: no best.safetensors or last.safetensors in this run folder")
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such model file or run folder")
    return path


def players_at(observations: np.ndarray) -> int:
    """How many players sit at the tables that were observed; ``ValueError`` where the tables differ."""
    if not len(observations):
        return 2
    others = observations[:, observe.OTHERS : observe.KNOWN_SIZE : observe.OTHER_WIDTH].sum(axis=1)
    if others.min() != others.max():
        raise ValueError(f"observations of tables with {others.min() + 1} to {others.max() + 1} players: expected one size")
    return int(others[0]) + 1


def read_model(path: str | Path, device: str = "cpu") -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    """Header and weights of a model file, or of the best (else the last) model of a run folder.

    Raises:
        FileNotFoundError: where there is no model.
        ValueError: for a file that is no model of this version.
    """
    path = find_model(path)
    with safe_open(path, "pt", device=device) as file:
        text = (file.metadata() or {}).get("uno_env")
        if text is None:
            raise ValueError(f"{path}: not an uno-env model (no 'uno_env' entry in its header)")
        header = json.loads(text)
        if header["format"] != FORMAT or header["observation"] != OBS_SIZE:
            raise ValueError(
                f"{path}: model format {header['format']} with observations of {header['observation']}, written by uno-env "
                f"{header['uno_env']}; this version reads format {FORMAT} with {OBS_SIZE}"
            )
        return header, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


class TorchPolicy:
    """A network that plays, by sampling from its policy, or greedily.

    Attributes:
        rules: the rules it was trained for.
        num_players: players at the table it was trained for; None for any number.
        about: what the training said about it (run, updates, win rates).
    """

    def __init__(
        self, actor: Actor, network: NetworkConfig, rules: Rules, *, greedy: bool = False, about: dict[str, Any] | None = None
    ) -> None:
        self.actor = actor.eval()
        self.network = network
        self.rules = rules
        self.num_players = network.num_players
        self.greedy = greedy
        self.about = about or {}
        self._columns = observed_columns(network.num_players)
        self._device = next(actor.parameters()).device

    @classmethod
    def load(cls, path: str | Path, *, greedy: bool | None = None, device: str = "cpu") -> TorchPolicy:
        """Load a ``.safetensors`` model, or the best (else the last) model of a run folder.

        Args:
            path: file or run folder.
            greedy: take the most likely action. The default is what the model is meant for: a policy is sampled, since optimal
                play mixes its actions; values of actions are not.
            device: where the network computes.

        Raises:
            FileNotFoundError: where there is no model.
            ValueError: for a file that is no model of this version.
        """
        header, weights = read_model(path, device)
        if "network" not in header:
            raise ValueError(f"{path}: a model of another kind, for agents.load")
        network = NetworkConfig.from_dict(header["network"])
        actor = Actor(network).to(device)
        actor.load_state_dict(weights)
        if greedy is None:
            greedy = bool(header.get("greedy", False))
        return cls(actor, network, Rules.from_dict(header["rules"]), greedy=greedy, about=header["about"])

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """Logits ``float32[M, 91]``, legal or not, for observations ``int8[M, OBS_SIZE]``, all of tables of one size."""
        inputs = np.empty((len(observations), self._columns.size), np.int8)
        players = self.num_players or players_at(observations)
        self._columns.read(observations, np.arange(len(observations)), players, inputs)
        with torch.inference_mode():
            return self.actor(torch.from_numpy(inputs).to(self._device)).cpu().numpy()

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Actions ``int64[M]`` for observations ``int8[M, OBS_SIZE]`` and masks ``int8[M, 91]``."""
        return self.decide(observations, action_masks, rng.integers(0, 2**64, len(observations), dtype=np.uint64))

    def decide(self, observations: np.ndarray, action_masks: np.ndarray, words: np.ndarray) -> np.ndarray:
        """As `act_batch`, with a random word (``uint64[M]``) for each decision."""
        count = len(observations)
        actions, log_probs = np.empty(count, np.int64), np.empty(count, np.float32)
        uniforms = np.full(count, -1.0) if self.greedy else (words >> np.uint64(11)) * 2.0**-53
        sample_masked(self.logits(observations), np.ascontiguousarray(action_masks), uniforms, actions, log_probs)
        return actions

    def act(self, view: Any) -> int:
        """One decision for a `View`."""
        return int(self.act_batch(view.observation[None], view.action_mask[None], view.rng)[0])
