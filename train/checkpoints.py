"""Checkpoints: folders of safetensors and JSON that appear whole or not at all. Nothing is pickled."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from agents.torch_policy import write_atomically

LIBRARIES = ("uno-env", "numpy", "numba", "torch", "safetensors", "gymnasium", "pettingzoo")


def versions() -> dict[str, str]:
    """Versions of what a run depends on, and the git commit it was started from."""
    found = {"python": platform.python_version(), "machine": platform.platform()}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            found[library] = "not installed"
    here = Path(__file__).parent
    for key, command in {"git_commit": "git rev-parse HEAD", "git_changes": "git status --porcelain"}.items():
        try:
            answer = subprocess.run(command.split(), cwd=here, capture_output=True, text=True, timeout=10, check=True)
            found[key] = answer.stdout.strip()
        except (OSError, subprocess.SubprocessError):
            found[key] = "unknown"
    return found


def write_json(path: Path, data: Any) -> None:
    """Write JSON atomically."""
    write_atomically(path, (json.dumps(data, indent=1) + "\n").encode())


def save_checkpoint(folder: Path, update: int, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any], keep: int) -> Path:
    """Write ``folder/<update>/`` with ``state.safetensors`` and ``state.json``; only the ``keep`` newest checkpoints stay."""
    folder.mkdir(parents=True, exist_ok=True)
    final, partial = folder / f"{update:08d}", folder / f"{update:08d}.tmp"
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    save_file({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}, partial / "state.safetensors")
    write_json(partial / "state.json", facts)
    with (partial / "state.safetensors").open("rb") as file:
        os.fsync(file.fileno())
    shutil.rmtree(final, ignore_errors=True)
    partial.rename(final)
    for old in list_checkpoints(folder)[:-keep]:
        shutil.rmtree(old)
    return final


def list_checkpoints(folder: Path) -> list[Path]:
    """Complete checkpoints, the oldest first."""
    return sorted(path for path in folder.glob("[0-9]*") if path.is_dir() and path.suffix != ".tmp")


def load_checkpoint(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """The tensors and facts of a checkpoint."""
    return load_file(path / "state.safetensors"), json.loads((path / "state.json").read_text(encoding="utf-8"))


def bytes_tensor(array: np.ndarray) -> torch.Tensor:
    """Any plain array (records too) as ``uint8``, bit for bit."""
    return torch.from_numpy(np.frombuffer(array.tobytes(), np.uint8).copy())


def fill_from_bytes(array: np.ndarray, tensor: torch.Tensor) -> None:
    """The reverse of `bytes_tensor`, into an array of the same dtype and shape."""
    array[...] = np.frombuffer(tensor.numpy().tobytes(), array.dtype).reshape(array.shape)


def optimiser_tensors(optimiser: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """The tensors of an optimiser's state, by parameter number and name."""
    state = optimiser.state_dict()["state"]
    return {f"{number}.{name}": torch.as_tensor(value) for number, entry in state.items() for name, value in entry.items()}


def load_optimiser(optimiser: torch.optim.Optimizer, tensors: Mapping[str, torch.Tensor]) -> None:
    """The reverse of `optimiser_tensors`, into an optimiser over the same parameters."""
    state: dict[int, dict[str, torch.Tensor]] = {}
    for key, tensor in tensors.items():
        number, name = key.split(".", 1)
        state.setdefault(int(number), {})[name] = tensor
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})
