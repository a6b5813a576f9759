"""Self-play PPO on RLlib (Ray), for more than one machine:
``python -m train.rllib_ppo --config configs/rllib/two_player.yaml --out runs/r --workers 2 [--resume]``.

One network, ``main``, learns. In a share of the rounds all seats but one belong to a member of a league: a scripted agent or a
frozen copy of ``main``'s past. Models are written as `train.ppo` writes them, so `agents.load` takes them; checkpoints are
safetensors and JSON, nothing is pickled.

`train.ppo` is many times faster on one machine, since its games advance as a batch; this is the way to use many machines. Worker
processes that die are started anew while training goes on. A run does not repeat bit for bit: it depends on which worker is done
first.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import argparse
import json
import logging
import math
import os
import sys
import time
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch

from agents.network import Actor, NetworkConfig
from agents.torch_policy import TorchPolicy, save_model, write_atomically
from train import checkpoints
from train.arena import play, rotations
from train.config import ConfigError, check, command_line, to_yaml
from train.opponents import load_opponent
from train.run import EVALUATION_SEED, saving_on_interrupt
from uno_env.rules import Rules

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
try:
    import ray
    from ray.rllib.algorithms.ppo import PPO, PPOConfig
    from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec
except ImportError as error:
    raise ImportError("train.rllib_ppo needs Ray: pip install 'uno-env[rllib]'") from error

from train.rllib_modules import FrozenModule, LearnerModule, ScriptedModule
from uno_env.rllib import ACTION_SPACE, UnoMultiAgentEnv, observation_space

MAIN = "main"
"""The module that learns."""


@dataclass(frozen=True, kw_only=True)
class Config:
    """Everything that decides what is learnt. A *step* is one decision with a choice; forced ones are not counted."""

    # The game
    rules: str = "research"
    """A rules preset or the path of a rules YAML file."""
    num_players: int = 2
    """Players at the table."""
    reward: Literal["win", "points"] = "win"
    """Reward scheme of `uno_env.engine.fill_rewards`."""

    # The run
    seed: int = 1
    """Decides everything random but the order in which workers deliver."""
    total_steps: int = 2_000_000
    """Steps after which training ends."""
    max_minutes: float | None = None
    """Wall-clock limit."""

    # The networks
    width: int = 64
    """Units per colour in the hidden layers."""
    layers: int = 2
    """Hidden layers of actor and critic."""

    # The learner
    batch: int = 8192
    """Steps per update and learner."""
    epochs: int = 2
    """Passes over each batch."""
    minibatch: int = 1024
    """Decisions per gradient step."""
    learning_rate: float = 5e-4
    """Adam's step size."""
    discount: float = 1.0
    """Per own decision."""
    gae_lambda: float = 0.9
    """Generalised advantage estimation: 1 trusts only outcomes, 0 only the critic."""
    clip: float = 0.2
    """Range in which the probability ratio of an action may move the policy."""
    entropy: float = 0.03
    """Weight of the entropy bonus."""
    max_grad_norm: float = 1.0
    """Longest gradient."""

    # The league
    league_share: float = 0.25
    """Share of rounds in which all seats but one belong to a member of the league."""
    opponents: tuple[str, ...] = ("rule",)
    """Scripted members, by their names in `agents.load`."""
    league_size: int = 3
    """Frozen members: copies of the past. All hold the untrained network until snapshots replace them, the oldest first."""
    snapshot_every: int = 10
    """Updates between snapshots."""

    # Measuring and saving
    evaluate_every: int = 10
    """Updates between evaluations."""
    evaluate_deals: int = 500
    """Deals per evaluation and opponent, each played from every seat."""
    evaluate_against: tuple[str, ...] = ("random",)
    """Opponents in evaluations; the best model has the highest mean win rate against them."""
    checkpoint_every: int = 10
    """Updates between checkpoints."""
    keep_checkpoints: int = 2
    """Checkpoints that stay."""

    def __post_init__(self) -> None:
        check(
            self,
            1,
            math.inf,
            "total_steps width layers batch epochs minibatch snapshot_every evaluate_every evaluate_deals checkpoint_every "
            "keep_checkpoints",
        )
        check(self, 0, 1, "discount gae_lambda league_share")
        check(self, 0, math.inf, "league_size")
        if self.max_minutes is not None and self.max_minutes <= 0:
            raise ConfigError(f"max_minutes={self.max_minutes}: expected more than 0, or None")

    @property
    def past(self) -> tuple[str, ...]:
        """The modules of the league that hold copies of the past."""
        return tuple(f"past_{i}" for i in range(self.league_size))

    @property
    def league(self) -> tuple[str, ...]:
        """All modules of the league; a scripted agent's module has its name."""
        return (*self.opponents, *self.past)


@dataclass(frozen=True, kw_only=True)
class Resources:
    """What a run may use, which changes nothing of what it learns."""

    workers: int = 2
    """Processes that play."""
    envs_per_worker: int = 32
    """Rounds that each plays at once."""
    learners: int = 0
    """Processes that learn; 0 for the main process alone."""
    gpus: float = 0.0
    """GPUs of each learner."""
    torch_threads: int = 1
    """Threads of torch in the main process."""
    address: str | None = None
    """A Ray cluster to join (``auto`` or host:port); None for a local one of this run alone."""
    object_store_mb: int = 256
    """Memory of the local cluster's object store."""


@dataclass(frozen=True)
class Seating:
    """Which module plays an agent: in a share of the rounds one seat is ``main``'s and the others belong to one of the league."""

    config: Config

    def __call__(self, agent: str, episode: Any, **kwargs: Any) -> str:
        """The module; it follows from the round's identifier, so that every seat of a round is told the same."""
        rng = np.random.default_rng([self.config.seed, zlib.crc32(str(episode.id_).encode())])
        seat = int(rng.integers(self.config.num_players))
        if not self.config.league or rng.random() >= self.config.league_share or agent == f"player_{seat}":
            return MAIN
        return self.config.league[int(rng.integers(len(self.config.league)))]


def start_ray(resources: Resources) -> None:
    """Join a cluster, or start a small quiet one on this machine."""
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # it warns of what is meant here
    if ray.is_initialized():
        return
    if resources.address is not None:
        ray.init(address=resources.address, log_to_driver=False, logging_level="error")
        return
    ray.init(
        num_cpus=max(os.cpu_count() or 1, 1 + resources.workers + resources.learners),
        include_dashboard=False,
        object_store_memory=resources.object_store_mb * 2**20,
        log_to_driver=False,
        logging_level="error",
        _system_config={"worker_niceness": 0},  # else whoever shares the machine comes first, and the learner waits
    )


def algorithm_config(config: Config, resources: Resources, rules: Rules, network: NetworkConfig) -> PPOConfig:
    """RLlib's config of the run."""
    dtype = "int8"

    def module(cls: type, model: dict[str, Any]) -> RLModuleSpec:
        return RLModuleSpec(
            cls, observation_space=observation_space(np.dtype(dtype)), action_space=ACTION_SPACE, model_config=model
        )

    fields = rules.to_dict() | {"num_players": rules.num_players}
    model = {"network": asdict(network)}
    modules = {MAIN: module(LearnerModule, model)}
    modules |= {name: module(FrozenModule, model) for name in config.past}
    for name in config.opponents:
        modules[name] = module(ScriptedModule, {"agent": name, "rules": fields, "seed": config.seed})
    return (
        PPOConfig()
        .environment(
            UnoMultiAgentEnv,
            env_config={"rules": fields, "reward": config.reward, "dtype": dtype},
            disable_env_checking=True,  # it samples actions without the mask
        )
        .framework("torch")
        .env_runners(
            num_env_runners=resources.workers,
            num_envs_per_env_runner=resources.envs_per_worker,
            batch_mode="complete_episodes",
        )
        .learners(num_learners=resources.learners, num_gpus_per_learner=resources.gpus)
        .multi_agent(policies=set(modules), policy_mapping_fn=Seating(config), policies_to_train=[MAIN])
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=modules))
        .training(
            lr=config.learning_rate,
            gamma=config.discount,
            lambda_=config.gae_lambda,
            clip_param=config.clip,
            entropy_coeff=config.entropy,
            use_kl_loss=False,
            vf_clip_param=math.inf,
            vf_loss_coeff=0.5,
            grad_clip=config.max_grad_norm,
            train_batch_size_per_learner=config.batch,
            num_epochs=config.epochs,
            minibatch_size=config.minibatch,
        )
        .fault_tolerance(
            restart_failed_env_runners=True,
            delay_between_env_runner_restarts_s=1.0,
            max_num_env_runner_restarts=1000,
            env_runner_health_probe_timeout_s=30.0,
        )
        .debugging(seed=config.seed, log_level="ERROR")
        .reporting(min_time_s_per_iteration=0)
    )


class Run:
    """A training run and its folder."""

    def __init__(self, config: Config, out: str | Path, resources: Resources | None = None, *, resume: bool = False) -> None:
        """Start a run in the folder ``out``, or go on from its newest checkpoint; starts Ray where it does not run yet.

        Raises:
            ConfigError: for a folder that already holds a run (without ``resume``) or holds none (with it).
        """
        self.config, self.out = config, Path(out)
        self.checkpoints = self.out / "checkpoints"
        found = checkpoints.list_checkpoints(self.checkpoints)
        if resume and not found:
            raise ConfigError(f"--resume: no checkpoint in {self.checkpoints}")
        if not resume and (self.out / "config.yaml").exists():
            raise ConfigError(f"{self.out} already holds a run: give another --out, or --resume to go on")
        self.rules = Rules.of(config.rules, config.num_players)
        self.network = NetworkConfig(num_players=config.num_players, width=config.width, layers=config.layers)
        self._judges = {name: load_opponent(name, self.rules) for name in config.evaluate_against}
        for name in config.opponents:  # in a worker, a wrong name would only look like a worker that dies
            if not hasattr(load_opponent(name, self.rules), "act_batch"):
                raise ConfigError(f"opponents: {name!r} has no act_batch, so it can not play in training")
        self.updates = self.steps = self.snapshots = 0
        self.seconds, self.best = 0.0, -math.inf
        self.win_rates: dict[str, float] = {}
        self.stopping = False
        resources = resources or Resources()
        torch.manual_seed(config.seed)
        torch.set_num_threads(resources.torch_threads)
        start_ray(resources)
        self.algorithm: PPO = algorithm_config(config, resources, self.rules, self.network).build_algo()
        if resume:
            self._restore(found[-1])
        else:
            self._seat_in_league(config.past)
        self.out.mkdir(parents=True, exist_ok=True)
        write_atomically(self.out / "config.yaml", to_yaml(config).encode())
        checkpoints.write_json(self.out / "versions.json", checkpoints.versions())
        self._started = time.monotonic() - self.seconds

    def close(self) -> None:
        """End the workers and, with them, the local cluster."""
        self.algorithm.stop()
        ray.shutdown()

    @property
    def done(self) -> bool:
        """Whether the run has come to its end."""
        minutes = self.config.max_minutes
        return self.steps >= self.config.total_steps or (minutes is not None and self.seconds >= 60 * minutes)

    def train(self, *, show: bool = True) -> None:
        """Train to the end, or until `stopping` is set, and save."""
        saved = self.updates
        try:
            while not self.done and not self.stopping:
                line = self.update()
                if show:
                    told = {name: line[name] for name in line if name.startswith(("win_rate", "entropy", "steps_per"))}
                    print(f"update {self.updates}, {self.steps:,} steps, {self.seconds / 60:.1f} min: {told}", flush=True)
                if self.updates % self.config.checkpoint_every == 0:
                    self.save()
                    saved = self.updates
        finally:
            if saved != self.updates:
                self.save()

    def update(self) -> dict[str, Any]:
        """Play a batch, learn from it, and measure when it is time; returns the line written to ``metrics.jsonl``."""
        config, start = self.config, time.monotonic()
        result = self.algorithm.train()
        steps = int(result.get("env_runners", {}).get("num_env_steps_sampled", 0))
        learnt = result.get("learners", {}).get(MAIN, {})
        seconds = time.monotonic() - start
        self.updates += 1
        self.steps += steps
        self.seconds = time.monotonic() - self._started
        if config.past and self.updates % config.snapshot_every == 0:
            self._seat_in_league([config.past[self.snapshots % len(config.past)]])
            self.snapshots += 1
        line = {
            "update": self.updates,
            "steps": self.steps,
            "minutes": self.seconds / 60,
            "steps_per_second": steps / seconds,
            "workers": self.algorithm.env_runner_group.num_healthy_remote_workers(),
            **{name: float(learnt[name]) for name in ("entropy", "policy_loss", "vf_loss", "vf_explained_var") if name in learnt},
        }
        if self.updates % config.evaluate_every == 0 or self.done:
            self.evaluate()
            line |= {f"win_rate/{name}": rate for name, rate in self.win_rates.items()}
        line = {name: round(value, 6) if isinstance(value, float) else value for name, value in line.items()}
        with (self.out / "metrics.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        return line

    # The league -------------------------------------------------------------------------------------------------------

    def actor_weights(self) -> dict[str, torch.Tensor]:
        """The weights of ``main``'s `Actor`."""
        weights = self.algorithm.learner_group.get_weights([MAIN])[MAIN]
        return {
            name.removeprefix("actor."): torch.as_tensor(np.array(value))
            for name, value in weights.items()
            if name.startswith("actor.")
        }

    def _seat_in_league(self, places: Sequence[str]) -> None:
        """Put copies of ``main`` as it is now in places of the league."""
        weights = {f"actor.{name}": tensor.numpy() for name, tensor in self.actor_weights().items()}
        self._set_weights(dict.fromkeys(places, weights))

    def _set_weights(self, weights: dict[str, dict[str, Any]]) -> None:
        """Give modules their weights, in the learners and in every worker."""
        if not weights:
            return
        self.algorithm.learner_group.set_weights(weights)
        # Not by sync_weights: what it sends is numbered by updates, and workers ignore a number that they have seen.
        played = {
            module: {name: value for name, value in values.items() if not name.startswith("critic.")}
            for module, values in weights.items()
        }
        self.algorithm.env_runner_group.foreach_env_runner(lambda runner: runner.set_state({"rl_module": played}))

    # Measuring and saving ---------------------------------------------------------------------------------------------

    def evaluate(self) -> None:
        """Measure the policy in duplicate deals against ``evaluate_against``, and keep it if it is the best so far."""
        actor = Actor(self.network)
        actor.load_state_dict(self.actor_weights())
        policy = TorchPolicy(actor, self.network, self.rules)
        for name, judge in self._judges.items():
            games = play(
                [policy, judge],
                rotations(self.rules),
                self.rules,
                deals=self.config.evaluate_deals,
                seed=EVALUATION_SEED + self.config.seed,
            )
            self.win_rates[name] = float(games.of(0, games.wins).mean())
        score = float(np.mean(list(self.win_rates.values()))) if self.win_rates else float(self.updates)
        if score > self.best:
            self.best = score
            self._save_model("best")

    def _save_model(self, name: str) -> None:
        about = {"run": self.out.name, "updates": self.updates, "steps": self.steps, "win_rates": self.win_rates}
        save_model(self.out / f"{name}.safetensors", self.actor_weights(), self.network, self.rules, **about)

    def save(self) -> None:
        """Write a checkpoint from which training goes on (with new rounds), and the last model."""
        state = self.algorithm.learner_group.get_state(["learner/rl_module", "learner/optimizer"])["learner"]
        tensors = {
            f"modules/{module}/{name}": torch.as_tensor(np.array(value))
            for module in (MAIN, *self.config.past)
            for name, value in state["rl_module"][module].items()
        }
        for optimiser in state["optimizer"].values():
            if optimiser["module_id"] == MAIN:
                for number, entry in optimiser["state"]["state"].items():
                    tensors |= {f"optimiser/{number}/{name}": torch.as_tensor(np.array(value)) for name, value in entry.items()}
        facts = {
            "updates": self.updates,
            "steps": self.steps,
            "snapshots": self.snapshots,
            "seconds": self.seconds,
            "best": None if math.isinf(self.best) else self.best,
            "win_rates": self.win_rates,
        }
        checkpoints.save_checkpoint(self.checkpoints, self.updates, tensors, facts, self.config.keep_checkpoints)
        self._save_model("last")

    def _restore(self, path: Path) -> None:
        tensors, facts = checkpoints.load_checkpoint(path)
        weights: dict[str, dict[str, Any]] = {}
        moments: dict[int, dict[str, Any]] = {}
        for key, tensor in tensors.items():
            part, owner, name = key.split("/")
            if part == "modules":
                weights.setdefault(owner, {})[name] = tensor.numpy()
            else:
                moments.setdefault(int(owner), {})[name] = tensor.numpy()
        self._set_weights(weights)
        optimisers = self.algorithm.learner_group.get_state("learner/optimizer")["learner"]["optimizer"]
        mine = {name: optimiser for name, optimiser in optimisers.items() if optimiser["module_id"] == MAIN}
        for optimiser in mine.values():
            optimiser["state"]["state"] = moments
        self.algorithm.learner_group.set_state({"learner": {"optimizer": mine}})
        self.updates, self.steps, self.snapshots = facts["updates"], facts["steps"], facts["snapshots"]
        self.seconds = facts["seconds"]
        if set(facts["win_rates"]) == set(self._judges):  # a score against others can not be compared
            self.win_rates = facts["win_rates"]
            self.best = -math.inf if facts["best"] is None else facts["best"]
        metrics = self.out / "metrics.jsonl"
        if metrics.exists():  # what was measured after the checkpoint will be measured again
            lines = metrics.read_text(encoding="utf-8").splitlines(keepends=True)
            kept = [line for line in lines if line.endswith("\n") and json.loads(line)["update"] <= self.updates]
            write_atomically(metrics, "".join(kept).encode())


def parse(argv: Sequence[str] | None = None) -> tuple[Config, Path, Resources, bool, bool]:
    """Config, run folder, resources, resume?, show progress? from the command line."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for field in fields(Resources):
        kind = str if field.default is None else type(field.default)
        parser.add_argument("--" + field.name.replace("_", "-"), type=kind, default=field.default)
    resources, rest = parser.parse_known_args(argv)
    method = (
        "Self-play PPO on RLlib. Resources: --workers processes that play, --envs-per-worker rounds in each, --learners processes "
        "that learn (0: this one), --gpus of each, --torch-threads of this process, --address of a Ray cluster, --object-store-mb "
        "of a local one"
    )
    config, out, resume, show = command_line(Config, method, rest)
    return config, out, Resources(**vars(resources)), resume, show


def main(argv: Sequence[str] | None = None) -> int:
    """Train as the command line says."""
    try:
        config, out, resources, resume, show = parse(argv)
        run = Run(config, out, resources, resume=resume)
    except (ValueError, OSError) as error:
        print(f"train.rllib_ppo: {error}", file=sys.stderr)
        return 2
    try:
        with saving_on_interrupt(run):
            run.train(show=show)
    finally:
        run.close()
    rates = ", ".join(f"{rate:.1%} against {name}" for name, rate in run.win_rates.items())
    print(f"{run.steps:,} steps, {run.updates} updates, {run.seconds / 60:.1f} minutes. {rates}. Saved in {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
