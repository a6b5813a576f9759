"""MaskablePPO of sb3-contrib for Uno: ``python -m train.sb3_maskable_ppo --opponent random --out runs/sb3``.

The learner plays against a chosen opponent, or with ``--opponent self`` against snapshots of its own past, which are renewed every
``snapshot_every`` steps. ``--vec-env`` says how the games run: all in one batch (``native``, by far the fastest), or as Gymnasium
environments, one (``single``), several in this process (``dummy``) or in processes of their own (``subproc``).

The run folder gets ``best.safetensors`` and ``last.safetensors``, which `agents.load` takes, ``last.zip``, which
``MaskablePPO.load`` takes, the learning curve as ``metrics.jsonl`` and ``learning.png``, and what it was made with.
"""

from __future__ import annotations

import functools
import json
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import gymnasium
import numpy as np
import torch

from agents.sb3 import ACTIVATIONS, SB3Policy, export
from agents.torch_policy import write_atomically
from train import checkpoints
from train.arena import play, rotations
from train.config import ConfigError, check, command_line, to_yaml
from train.curves import group_runs, read_run
from train.drawing import render
from train.opponents import load_opponent
from train.plot import learning
from train.run import EVALUATION_SEED
from uno_env.rules import Rules

try:
    from sb3_contrib import MaskablePPO  # pyright: ignore[reportMissingImports]
    from stable_baselines3.common.callbacks import BaseCallback  # pyright: ignore[reportMissingImports]
    from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecMonitor  # pyright: ignore[reportMissingImports]
except ImportError as error:
    raise ImportError(f"train.sb3_maskable_ppo needs sb3-contrib ({error}): pip install 'uno-env[train,sb3]'") from error

SELF = "self"


@dataclass(frozen=True, kw_only=True)
class Config:
    """Everything that decides a run. A *step* is one decision of the learner in one game."""

    # The game
    rules: str = "research"
    """A rules preset or the path of a rules YAML file."""
    num_players: int = 2
    """Players at the table."""
    opponent: str = "random"
    """Who plays the other seats: a name or a path for `agents.load`, or "self": snapshots of the learner's past."""
    snapshot_every: int = 100_000
    """Steps between snapshots."""
    snapshots: int = 4
    """Newest snapshots that play, each as often as the others."""

    # The run
    seed: int = 1
    """Decides everything random."""
    total_steps: int = 2_000_000
    """Steps after which training ends, rounded up to whole rollouts."""
    vec_env: Literal["native", "dummy", "subproc", "single"] = "native"
    """How the games run; see the top of this page."""
    num_envs: int = 256
    """Games played at once."""
    torch_threads: int = 1
    """Threads of torch on the CPU."""
    device: str = "cpu"
    """"cpu", "cuda" or "auto"."""

    # The learner
    width: int = 256
    """Units in each hidden layer."""
    layers: int = 2
    """Hidden layers of policy and of value network."""
    activation: str = "ReLU"
    """Class of `torch.nn` between the layers."""
    learning_rate: float = 1e-3
    """Adam's step size at the start; it falls to 0 in a straight line."""
    rollout_steps: int = 64
    """Steps per game between updates."""
    minibatch: int = 2048
    """Steps per gradient step."""
    epochs: int = 2
    """Passes over each rollout."""
    discount: float = 1.0
    """Per decision. Rounds end, so 1 is right."""
    gae_lambda: float = 0.9
    """Generalised advantage estimation."""
    clip: float = 0.2
    """Range in which the probability ratio of an action may move the policy."""
    entropy: float = 0.01
    """Weight of the entropy bonus at the start; it falls to 0 in a straight line."""

    # Measuring
    evaluate_every: int = 100_000
    """Steps between evaluations."""
    evaluate_deals: int = 1000
    """Deals per evaluation and opponent, each played from every seat."""
    evaluate_against: tuple[str, ...] = ("random",)
    """Opponents in evaluations; the best model has the highest mean win rate against them."""

    def __post_init__(self) -> None:
        check(
            self,
            1,
            math.inf,
            "snapshot_every snapshots total_steps num_envs torch_threads width layers rollout_steps minibatch epochs "
            "evaluate_every evaluate_deals",
        )
        if self.activation not in ACTIVATIONS:
            raise ConfigError(f"activation={self.activation!r}: expected one of {', '.join(ACTIVATIONS)}")
        if self.vec_env == "single" and self.num_envs != 1:
            raise ConfigError(f"vec_env='single' plays one game: num_envs={self.num_envs}")
        if not self.evaluate_against:
            raise ConfigError("evaluate_against: expected at least one opponent")


def make_env(config: Config) -> Any:
    """The games, as Stable-Baselines3 wants them."""
    options: dict[str, Any] = {"rules": config.rules, "num_players": config.num_players, "seat": "random"}
    if config.opponent != SELF:
        options["opponents"] = config.opponent
    if config.vec_env == "native":
        from uno_env.sb3 import UnoSB3VecEnv

        return UnoSB3VecEnv(config.num_envs, **options)
    make = functools.partial(gymnasium.make, "uno_env:Uno-v0", **options)
    if config.vec_env == "subproc":
        return VecMonitor(SubprocVecEnv([make] * config.num_envs, start_method="spawn"))
    return VecMonitor(DummyVecEnv([make] * config.num_envs))


class Run(BaseCallback):
    """A training run and its folder; Stable-Baselines3 calls it between updates."""

    def __init__(self, config: Config, out: str | Path, *, show: bool = True) -> None:
        """Start a run in the folder ``out``; `ConfigError` where it already holds one."""
        super().__init__()
        self.config = config
        self.out = Path(out)
        self.show = show
        if (self.out / "config.yaml").exists():
            raise ConfigError(f"{self.out} already holds a run: give another --out")
        torch.set_num_threads(config.torch_threads)
        self.rules = Rules.of(config.rules, config.num_players)
        self.win_rates: dict[str, float] = {}
        self.best = -1.0
        self._judges = {name: load_opponent(name, self.rules) for name in config.evaluate_against}
        self._snapshots: list[Path] = []
        self._next_snapshot = self._next_evaluation = 0
        self._started = time.monotonic()
        self._env = make_env(config)
        self.ppo = MaskablePPO(
            "MlpPolicy",
            self._env,
            learning_rate=self._learning_rate,
            n_steps=config.rollout_steps,
            batch_size=config.minibatch,
            n_epochs=config.epochs,
            gamma=config.discount,
            gae_lambda=config.gae_lambda,
            clip_range=config.clip,
            ent_coef=config.entropy,
            policy_kwargs={"net_arch": [config.width] * config.layers, "activation_fn": getattr(torch.nn, config.activation)},
            seed=config.seed,
            device=config.device,
        )
        self.out.mkdir(parents=True, exist_ok=True)
        write_atomically(self.out / "config.yaml", to_yaml(config).encode())
        checkpoints.write_json(self.out / "versions.json", checkpoints.versions())

    def _learning_rate(self, left: float) -> float:
        return self.config.learning_rate * left

    def train(self) -> None:
        """Train to the end; measure, save and draw the learning curve."""
        try:
            self.ppo.learn(self.config.total_steps, callback=self)
        finally:
            self._env.close()
        self._evaluate()
        self.ppo.save(self.out / "last.zip", exclude=["learning_rate", "lr_schedule"])
        figure = learning(group_runs([read_run(self.out)]))
        if figure is not None:
            write_atomically(self.out / "learning.png", render(figure, ["png"])["png"])

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        self.ppo.ent_coef = self.config.entropy * self.ppo._current_progress_remaining
        if self.num_timesteps >= self._next_snapshot and self.config.opponent == SELF:
            self._next_snapshot = self.num_timesteps + self.config.snapshot_every
            self._take_snapshot()
        if self.num_timesteps >= self._next_evaluation:
            self._next_evaluation = self.num_timesteps + self.config.evaluate_every
            self._evaluate()

    def _take_snapshot(self) -> None:
        folder = self.out / "snapshots"
        folder.mkdir(exist_ok=True)
        path = folder / f"{self.num_timesteps:010d}.safetensors"
        export(self.ppo, path, self.rules, run=self.out.name, steps=self.num_timesteps)
        self._snapshots = [*self._snapshots, path][-self.config.snapshots :]
        self._env.env_method("set_opponents", {"pool": [str(path) for path in self._snapshots]})

    def _evaluate(self) -> None:
        """Measure the policy in duplicate deals, note it, and keep the model, also as the best one if it is."""
        about = {"run": self.out.name, "steps": self.num_timesteps}
        export(self.ppo, self.out / "last.safetensors", self.rules, **about)
        policy = SB3Policy.load(self.out / "last.safetensors")
        for name, judge in self._judges.items():
            seed = EVALUATION_SEED + self.config.seed
            games = play([policy, judge], rotations(self.rules), self.rules, deals=self.config.evaluate_deals, seed=seed)
            self.win_rates[name] = float(games.of(0, games.wins).mean())
        score = float(np.mean(list(self.win_rates.values())))
        if score > self.best:
            self.best = score
            export(self.ppo, self.out / "best.safetensors", self.rules, **about, win_rates=self.win_rates)
        minutes = (time.monotonic() - self._started) / 60
        line = {"steps": self.num_timesteps, "minutes": round(minutes, 3)}
        line |= {f"win_rate/{name}": round(rate, 5) for name, rate in self.win_rates.items()}
        with (self.out / "metrics.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        if self.show:
            rates = ", ".join(f"{rate:.1%} against {name}" for name, rate in self.win_rates.items())
            print(f"{self.num_timesteps:,} steps, {minutes:.1f} minutes: {rates}", flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Train as the command line says."""
    try:
        config, out, _, show = command_line(Config, "MaskablePPO against a chosen opponent or in self-play", argv, resumable=False)
        run = Run(config, out, show=show)
    except (ValueError, OSError) as error:
        print(f"train.sb3_maskable_ppo: {error}", file=sys.stderr)
        return 2
    run.train()
    print(f"{run.num_timesteps:,} steps. Saved in {out}: agents.load({str(out / 'best.safetensors')!r})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
