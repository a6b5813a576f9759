"""Run folders as training leaves them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
import yaml

from agents.network import Actor, NetworkConfig
from agents.torch_policy import save_model
from uno_env.rules import Rules

RESEARCH = Rules.preset("research", num_players=2)


def make_run(
    folder: Path, *, seed: int = 1, rates: tuple[float, ...] = (0.5, 0.6, 0.7), model: bool = False, **config: Any
) -> Path:
    """A run folder as `train.ppo` leaves it: an update every 1000 steps, an evaluation at each second one."""
    folder.mkdir(parents=True)
    fields = {"rules": "research", "num_players": 2, "seed": seed, "evaluate_against": ["random", "rule"], **config}
    (folder / "config.yaml").write_text(yaml.safe_dump(fields))
    lines = []
    for update in range(1, 2 * len(rates) + 1):
        line = {"update": update, "steps": 1000 * update, "minutes": update / 2, "entropy": 1 / update, "kl": 0.001}
        line |= {"explained_variance": 0.1 * update, "value_loss": 0.1, "episode_length": 40.0, "steps_per_second": 9000.0}
        if update % 2 == 0:
            rate = rates[update // 2 - 1]
            line |= {"win_rate/random": rate, "win_rate/rule": rate - 0.1}
        lines.append(json.dumps(line) + "\n")
    (folder / "metrics.jsonl").write_text("".join(lines))
    if model:
        torch.manual_seed(seed)
        network = NetworkConfig(num_players=2, width=8, layers=1)
        save_model(folder / "best.safetensors", Actor(network).state_dict(), network, RESEARCH)
    return folder
