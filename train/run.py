"""What the training scripts share: a run's folder, schedule, evaluation, checkpoints, resuming, and the command line.

A script brings a `RunConfig` with its own fields and a `Learner` (`train.ppo`, `train.dmc`). A run repeats bit for bit on the
same machine with the same libraries and thread counts, interrupted or not, unless ``max_minutes`` is set: then schedules
depend on the clock.
"""

from __future__ import annotations

import contextlib
import json
import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from agents.network import Actor, NetworkConfig
from agents.torch_policy import TorchPolicy, save_model, write_atomically
from train import checkpoints
from train.arena import play, rotations
from train.collector import Collector
from train.config import ConfigError, check, command_line, to_yaml
from train.opponents import Pool, load_opponent
from uno_env.rules import MAX_PLAYERS, MIN_PLAYERS, Rules


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """What decides a training run of any kind. A *step* is one decision in one game, forced ones included."""

    # The game
    rules: str = "research"
    """A rules preset or the path of a rules YAML file."""
    num_players: int = 2
    """Players at the table."""
    player_counts: tuple[int, ...] = ()
    """For one network that plays with any number of players: the numbers it trains with, each with an equal share of the games
    (a number given twice gets two). Outranks num_players."""
    episode: Literal["round", "match"] = "round"
    """What is played for: a round, or a match to the rules' target."""
    reward: Literal["win", "points", "match"] = "win"
    """Reward scheme of `uno_env.engine.fill_rewards`."""

    # The run
    seed: int = 1
    """Decides everything random."""
    total_steps: int = 100_000_000
    """Steps after which training ends."""
    max_minutes: float | None = None
    """Wall-clock limit. Schedules then follow the clock where it is ahead of the steps, and runs no longer repeat exactly."""
    num_envs: int = 1024
    """Games played at once."""
    rollout_steps: int = 64
    """Steps per game between updates."""
    env_threads: int = 1
    """Threads of the environment."""
    torch_threads: int = 2
    """Threads of torch on the CPU."""
    device: str = "auto"
    """"cpu", "cuda", or "auto": cuda where there is one."""
    autocast: bool = True
    """Whether hidden layers compute in bfloat16 (about twice as fast where the hardware has it) during training."""

    # The networks
    width: int = 128
    """Units per colour in the hidden layers."""
    layers: int = 2
    """Hidden layers."""
    initial_model: str = ""
    """A model file or run folder whose policy training starts from; empty for a fresh one."""

    # Opponents
    opponent_share: float = 0.25
    """Share of games in which all seats but one belong to an opponent."""
    opponents: tuple[str, ...] = ("strategist",)
    """Scripted opponents, by their names in `agents.load`."""
    snapshot_slots: int = 2
    """Snapshots of the learner's past that play at a time, each as often as a scripted opponent."""
    snapshot_every: int = 50
    """Updates between snapshots."""
    pool_size: int = 16
    """Snapshots that are kept; 0 for none."""

    # Measuring and saving
    evaluate_every: int = 50
    """Updates between evaluations."""
    evaluate_deals: int = 1000
    """Deals per evaluation and opponent, each played from every seat."""
    evaluate_against: tuple[str, ...] = ("random", "strategist")
    """Opponents in evaluations; the best model has the highest mean win rate against them."""
    checkpoint_every: int = 25
    """Updates between checkpoints."""
    keep_checkpoints: int = 2
    """Checkpoints that stay."""

    def __post_init__(self) -> None:
        check(
            self,
            1,
            math.inf,
            "total_steps num_envs rollout_steps env_threads torch_threads width layers "
            "snapshot_every evaluate_every evaluate_deals checkpoint_every keep_checkpoints",
        )
        check(self, 0, 1, "opponent_share")
        check(self, 0, math.inf, "snapshot_slots pool_size")
        if any(not MIN_PLAYERS <= count <= MAX_PLAYERS for count in self.player_counts):
            raise ConfigError(f"player_counts={list(self.player_counts)}: expected numbers from {MIN_PLAYERS} to {MAX_PLAYERS}")
        if len(self.player_counts) > self.num_envs:
            raise ConfigError(f"player_counts: {len(self.player_counts)} numbers for num_envs={self.num_envs} games")
        if self.max_minutes is not None and self.max_minutes <= 0:
            raise ConfigError(f"max_minutes={self.max_minutes}: expected more than 0, or None")

    @property
    def network(self) -> NetworkConfig:
        """The shape of the policy's network."""
        players = None if self.player_counts else self.num_players
        return NetworkConfig(num_players=players, width=self.width, layers=self.layers)

    @property
    def tables(self) -> list[Rules]:
        """The rules of each table that is trained for."""
        return [Rules.of(self.rules, count) for count in self.player_counts or (self.num_players,)]

    @property
    def training_tables(self) -> list[Rules]:
        """The rules of each table as it is played in training."""
        return self.tables


class Learner(Protocol):
    """What learns in a run."""

    actor: Actor
    """The policy that is kept: `agents.torch_policy.TorchPolicy` plays it."""
    modules: dict[str, nn.Module]
    """All networks, by the names under which a checkpoint keeps them."""
    optimiser: torch.optim.Optimizer
    rng: np.random.Generator
    greedy: bool
    """Whether the policy plays its highest output instead of sampling."""

    def update(self, buffers: dict[str, Tensor], count: int, progress: float) -> dict[str, float]:
        """Learn from the first ``count`` decisions; ``progress`` (0 to 1) drives the schedules. Returns measurements."""
        ...


def load_actor(path: str, actor: Actor, network: NetworkConfig) -> None:
    """Give ``actor`` the weights of a trained model; `ConfigError` where it is none or of another shape."""
    policy = TorchPolicy.load(path)
    if policy.network != network:
        raise ConfigError(f"initial_model {path}: its network is {policy.network}, this run's {network}")
    actor.load_state_dict(policy.actor.state_dict())


EVALUATION_SEED = 2**31
"""Added to the seed for the deals on which the best model is chosen, so that `train.evaluate` judges it on others."""


class Run:
    """A training run and its folder."""

    def __init__(
        self,
        config: RunConfig,
        out: str | Path,
        *,
        learner: Callable[[Any, torch.device], Learner],
        resume: bool = False,
        **collecting: Any,
    ) -> None:
        """Start a run in the folder ``out``, or go on from its newest checkpoint.

        Args:
            config: what to do.
            out: the run's folder.
            learner: makes what learns, from ``config`` and a device.
            resume: whether to go on.
            collecting: further arguments of `train.collector.Collector`.

        Raises:
            ConfigError: for a folder that already holds a run (without ``resume``) or holds none (with it).
        """
        self.config = config
        self.out = Path(out)
        self.checkpoints = self.out / "checkpoints"
        found = checkpoints.list_checkpoints(self.checkpoints)
        if resume and not found:
            raise ConfigError(f"--resume: no checkpoint in {self.checkpoints}")
        if not resume and (self.out / "config.yaml").exists():
            raise ConfigError(f"{self.out} already holds a run: give another --out, or --resume to go on")
        torch.set_num_threads(config.torch_threads)
        self.tables = config.tables
        self.rules = self.tables[0]
        wanted = config.device if config.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
        self.device = torch.device(wanted)
        self.learner = learner(config, self.device)
        self.pool = Pool(config.opponents, config.snapshot_slots, config.pool_size, config.network, self.tables)
        self.collector = Collector(
            config.training_tables,
            self.pool,
            self.device,
            games=config.num_envs,
            steps=config.rollout_steps,
            seed=config.seed,
            opponent_share=config.opponent_share,
            network_players=config.network.num_players,
            threads=config.env_threads,
            episode=config.episode,
            reward=config.reward,
            low_precision=config.autocast,
            **collecting,
        )
        self.updates = self.steps = self.episodes = 0
        self.seconds = 0.0
        self.best = -math.inf
        self.win_rates: dict[str, float] = {}
        self._judges = {name: [load_opponent(name, rules) for rules in self.tables] for name in config.evaluate_against}
        self.stopping = False
        if resume:
            self._restore(found[-1])
        self.out.mkdir(parents=True, exist_ok=True)
        write_atomically(self.out / "config.yaml", to_yaml(config).encode())
        checkpoints.write_json(self.out / "versions.json", checkpoints.versions())
        self._started = time.monotonic() - self.seconds

    @property
    def progress(self) -> float:
        """How much of the run is done, 0 to 1."""
        done = self.steps / self.config.total_steps
        if self.config.max_minutes is not None:
            done = max(done, self.seconds / 60 / self.config.max_minutes)
        return min(done, 1.0)

    def train(self, *, show: bool = True) -> None:
        """Train to the end, or until `stopping` is set; then evaluate and save."""
        from torch.utils.tensorboard import SummaryWriter

        config = self.config
        board = SummaryWriter(str(self.out / "tensorboard"), purge_step=self.steps)
        bar = tqdm(total=config.total_steps, initial=self.steps, unit="step", unit_scale=True, disable=not show, dynamic_ncols=True)
        saved = self.updates
        try:
            while self.progress < 1.0 and not self.stopping:
                self._update(board, bar)
                if self.updates % config.checkpoint_every == 0:
                    self.save()
                    saved = self.updates
        finally:
            if saved != self.updates:
                self.save()
            bar.close()
            board.close()

    def _update(self, board: Any, bar: Any) -> None:
        config = self.config
        start = time.monotonic()
        played = self.collector.collect(self.learner.actor)
        collected = time.monotonic()
        results = self.learner.update(self.collector.buffers, self.collector.count, self.progress)
        learnt = time.monotonic()
        self.updates += 1
        steps = config.num_envs * config.rollout_steps
        self.steps += steps
        self.episodes += int(played["episodes"])
        if self.updates % config.snapshot_every == 0:
            self.pool.add(self.learner.actor, self.learner.rng)
        elif len(self.pool):
            self.pool.reshuffle(self.learner.rng)
        self.seconds = time.monotonic() - self._started
        if self.updates % config.evaluate_every == 0 or self.progress >= 1.0:
            self.evaluate()
            results |= {f"win_rate/{name}": rate for name, rate in self.win_rates.items()}
        results |= {
            "decisions": played["decisions"],
            "episode_length": steps / max(played["episodes"], 1),
            "truncated": played["truncated"],
            "collect_seconds": collected - start,
            "learn_seconds": learnt - collected,
            "steps_per_second": steps / (learnt - start),
        }
        line = {"update": self.updates, "steps": self.steps, "episodes": self.episodes, "minutes": self.seconds / 60, **results}
        with (self.out / "metrics.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({name: round(v, 6) if isinstance(v, float) else v for name, v in line.items()}) + "\n")
        for name, value in results.items():
            board.add_scalar(name if "/" in name else f"train/{name}", value, self.steps)
        bar.update(steps)
        bar.set_postfix({f"vs {name}": text for name, text in self.results().items()})

    def evaluate(self) -> None:
        """Measure the policy in duplicate deals against ``evaluate_against``, and keep it if it is the best so far.

        With several numbers of players each is measured for itself, and a rate at n players counts n times, so that 1 stands for
        an equal of the opponents at any table.
        """
        scores = []
        sizes = {rules.num_players: i for i, rules in enumerate(self.tables)}
        for name, judges in self._judges.items():
            for i in sizes.values():
                rules, judge = self.tables[i], judges[i]
                games = play(
                    [TorchPolicy(self.learner.actor, self.config.network, rules, greedy=self.learner.greedy), judge],
                    rotations(rules),
                    rules,
                    deals=max(1, self.config.evaluate_deals // len(sizes)),
                    seed=EVALUATION_SEED + self.config.seed,
                    episode=self.config.episode,
                )
                rate = float(games.of(0, games.wins).mean())
                self.win_rates[name if len(self.tables) == 1 else f"{name}@{rules.num_players}"] = rate
                scores.append(rate if len(self.tables) == 1 else rate * rules.num_players)
        score = float(np.mean(scores)) if scores else float(self.updates)
        if score > self.best:
            self.best = score
            self._save_model("best")

    def results(self) -> dict[str, str]:
        """The latest evaluation in short, by opponent: the win rate, or with several numbers of players the mean of n times it."""
        if len(self.tables) == 1:
            return {name: f"{rate:.1%}" for name, rate in self.win_rates.items()}
        times: dict[str, list[float]] = {}
        for name, rate in self.win_rates.items():
            opponent, _, players = name.partition("@")
            times.setdefault(opponent, []).append(rate * int(players))
        return {name: f"{np.mean(found):.3f} x fair share" for name, found in times.items()}

    def _save_model(self, name: str) -> None:
        about = {"run": self.out.name, "updates": self.updates, "steps": self.steps, "win_rates": self.win_rates}
        path, weights = self.out / f"{name}.safetensors", self.learner.actor.state_dict()
        save_model(path, weights, self.config.network, self.rules, greedy=self.learner.greedy, **about)

    # Checkpoints ------------------------------------------------------------------------------------------------------

    def save(self) -> None:
        """Write a checkpoint from which training goes on exactly, and the last model."""
        learner, collector, pool = self.learner, self.collector, self.pool
        collector.carry_open_decisions()
        tensors: dict[str, Tensor] = {}
        for part, module in learner.modules.items():
            tensors |= {f"{part}/{name}": tensor for name, tensor in module.state_dict().items()}
        tensors |= {f"optimiser/{name}": tensor for name, tensor in checkpoints.optimiser_tensors(learner.optimiser).items()}
        for i, snapshot in enumerate(pool.snapshots):
            tensors |= {f"pool/{i}/{name}": tensor for name, tensor in snapshot.items()}
        for name in ("owners", "last"):
            tensors[f"collector/{name}"] = checkpoints.bytes_tensor(getattr(collector, name))
        states = np.concatenate([table.vector.states for table in collector.tables])
        tensors["collector/states"] = checkpoints.bytes_tensor(states)
        tensors |= {f"open/{name}": tensor[: collector.count].clone() for name, tensor in collector.buffers.items()}
        facts = {
            "updates": self.updates,
            "steps": self.steps,
            "episodes": self.episodes,
            "seconds": self.seconds,
            "best": None if math.isinf(self.best) else self.best,
            "win_rates": self.win_rates,
            "chosen": pool.chosen,
            "snapshots": len(pool),
            "generators": {"collector": collector.rng.bit_generator.state, "learner": learner.rng.bit_generator.state},
        }
        checkpoints.save_checkpoint(self.checkpoints, self.updates, tensors, facts, self.config.keep_checkpoints)
        self._save_model("last")

    def _restore(self, path: Path) -> None:
        learner, collector, pool = self.learner, self.collector, self.pool
        tensors, facts = checkpoints.load_checkpoint(path)

        def part(prefix: str) -> dict[str, Tensor]:
            return {name[len(prefix) :]: tensor for name, tensor in tensors.items() if name.startswith(prefix)}

        for name, module in learner.modules.items():
            module.load_state_dict(part(f"{name}/"))
        checkpoints.load_optimiser(learner.optimiser, part("optimiser/"))
        pool.snapshots = [part(f"pool/{i}/") for i in range(facts["snapshots"])]
        pool.seat(facts["chosen"])
        for name in ("owners", "last"):
            checkpoints.fill_from_bytes(getattr(collector, name), tensors[f"collector/{name}"])
        states = np.concatenate([table.vector.states for table in collector.tables])
        checkpoints.fill_from_bytes(states, tensors["collector/states"])
        for table in collector.tables:
            table.vector.states[:], states = np.split(states, [table.vector.num_envs])
            table.vector.refresh()
        carried = part("open/")
        collector.count = len(carried["actions"])
        collector.reserve(collector.count)
        for name, tensor in carried.items():
            collector.buffers[name][: collector.count] = tensor
        collector.rng.bit_generator.state = facts["generators"]["collector"]
        learner.rng.bit_generator.state = facts["generators"]["learner"]
        self.updates, self.steps, self.episodes = facts["updates"], facts["steps"], facts["episodes"]
        self.seconds = facts["seconds"]
        judged = {name.partition("@")[0] for name in facts["win_rates"]}
        if judged == set(self._judges):  # a score against others can not be compared
            self.win_rates = facts["win_rates"]
            self.best = -math.inf if facts["best"] is None else facts["best"]
        metrics = self.out / "metrics.jsonl"
        if metrics.exists():  # what was measured after the checkpoint will be measured again
            lines = metrics.read_text(encoding="utf-8").splitlines(keepends=True)
            kept = [line for line in lines if line.endswith("\n") and json.loads(line)["update"] <= self.updates]
            write_atomically(metrics, "".join(kept).encode())


def between(start: float, end: float, progress: float) -> float:
    """Linear from ``start`` to ``end``."""
    return start + (end - start) * progress


class Stoppable(Protocol):
    """What ends after its present update once `stopping` is set."""

    stopping: bool


@contextlib.contextmanager
def saving_on_interrupt(run: Stoppable) -> Iterator[None]:
    """The first Ctrl-C lets the update end and saves; the second one interrupts at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: Any) -> None:
        run.stopping = True
        signal.signal(signal.SIGINT, previous)
        tqdm.write("Stopping after this update; Ctrl-C again to give it up.", file=sys.stderr)

    previous = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def main(kind: type[RunConfig], make: Callable[..., Run], method: str, argv: Sequence[str] | None = None) -> int:
    """Train as the command line says.

    Args:
        kind: the script's config.
        make: starts its run, from config and folder.
        method: what it does, in a few words.
        argv: the command line without the program, by default the process's own.
    """
    try:
        config, out, resume, show = command_line(kind, method, argv)
        run = make(config, out, resume=resume)
    except (ValueError, OSError) as error:
        print(f"{method}: {error}", file=sys.stderr)
        return 2
    with saving_on_interrupt(run):
        run.train(show=show)
    rates = ", ".join(f"{text} against {name}" for name, text in run.results().items())
    print(f"{run.steps:,} steps, {run.updates} updates, {run.seconds / 60:.1f} minutes. {rates}. Saved in {out}")
    return 0
