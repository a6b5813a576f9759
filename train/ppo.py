"""Self-play PPO for Uno: ``python -m train.ppo --config configs/ppo/two_player.yaml --seed 1 --out runs/a [--resume]``.

One network plays all seats. What differs from PPO as usually written (arXiv 1707.06347):

* A trajectory is a player's own decisions, joined across the turns of the others (`train.trajectories`). The reward of a
  finished game reaches every seat. Decisions with one legal action are played without the network and not learnt from. A
  decision without a successor when the rollout ends is carried into the next rollout, where its target is known: each
  decision is learnt from once.
* The critic may see all cards (``privileged_critic``). It is used only in training, and a baseline of any kind leaves the
  policy gradient unbiased (PerfectDou, arXiv 2203.16406). The actor sees only its observation.
* A penalty on the KL divergence from a slowly moving average of the policy, the magnet (magnetic mirror descent,
  arXiv 2206.05825), keeps self-play from cycling; the entropy bonus is annealed.
* In a share of the games one seat is the learner's and the others belong to a scripted agent or to a snapshot of the
  learner's past.

A run repeats bit for bit on the same machine with the same libraries and thread counts, interrupted or not, unless
``max_minutes`` is set: then schedules depend on the clock.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from agents.network import (
    Actor,
    Critic,
    NetworkConfig,
    hidden_columns,
    masked_log_softmax,
    observed_columns,
    pick_columns,
    sample_masked,
)
from agents.torch_policy import TorchPolicy, save_model, write_atomically
from train import checkpoints
from train.arena import play, rotations
from train.config import ConfigError, load, to_yaml
from train.opponents import Pool, load_opponent
from train.trajectories import LEARNER, OPEN, estimate_advantages, find_deciders, pay, record
from uno_env import observe
from uno_env.rules import Rules
from uno_env.state import NUM_ACTIONS
from uno_env.vector import UnoVector


@dataclass(frozen=True, kw_only=True)
class Config:
    """Everything that decides a training run. A *step* is one decision in one game, forced ones included."""

    # The game
    rules: str = "research"
    """A rules preset or the path of a rules YAML file."""
    num_players: int = 2
    """Players at the table."""
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
    """Hidden layers of actor and critic."""
    initial_model: str = ""
    """A model file or run folder whose policy training starts from; empty for a fresh one."""
    privileged_critic: bool = True
    """Whether the critic sees the other hands and the next cards of the draw pile."""

    # The learner
    learning_rate: float = 1e-3
    """Adam's step size at the start."""
    final_learning_rate: float = 5e-5
    """And at the end; linear in between."""
    epochs: int = 2
    """Passes over each rollout."""
    minibatch: int = 4096
    """Decisions per gradient step."""
    discount: float = 1.0
    """Per own decision. Rounds end, so 1 is right; less prefers short rounds."""
    gae_lambda: float = 0.9
    """Generalised advantage estimation: 1 trusts only outcomes, 0 only the critic."""
    clip: float = 0.15
    """Range in which the probability ratio of an action may move the policy."""
    value_clip: float = 0.0
    """Range in which a value may move per update; 0 for no limit."""
    normalise_advantages: bool = True
    """Whether advantages are scaled to mean 0 and deviation 1 per minibatch."""
    entropy: float = 0.03
    """Weight of the entropy bonus at the start."""
    final_entropy: float = 0.003
    """And at the end; linear in between."""
    magnet: float = 0.03
    """Weight of the KL divergence from the magnet; 0 for none."""
    magnet_decay: float = 0.98
    """How much of the magnet each update keeps; the rest comes from the policy."""
    max_grad_norm: float = 1.0
    """Longest gradient, of actor and critic each; 0 for no limit."""
    target_kl: float = 0.0
    """Ends an update's epochs once the policy has moved this far; 0 for never."""

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
        for name in (
            "total_steps",
            "num_envs",
            "rollout_steps",
            "env_threads",
            "torch_threads",
            "width",
            "layers",
            "epochs",
            "minibatch",
        ):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name}={getattr(self, name)}: expected at least 1")
        for name in ("snapshot_every", "evaluate_every", "evaluate_deals", "checkpoint_every", "keep_checkpoints"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name}={getattr(self, name)}: expected at least 1")
        for name in ("discount", "gae_lambda", "magnet_decay", "opponent_share"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ConfigError(f"{name}={getattr(self, name)}: expected 0 to 1")
        for name in (
            "learning_rate",
            "final_learning_rate",
            "clip",
            "value_clip",
            "entropy",
            "final_entropy",
            "magnet",
            "max_grad_norm",
        ):
            if not 0.0 <= getattr(self, name) < math.inf:
                raise ConfigError(f"{name}={getattr(self, name)}: expected 0 or more")
        if self.snapshot_slots < 0 or self.pool_size < 0:
            raise ConfigError("snapshot_slots and pool_size: expected 0 or more")
        if self.max_minutes is not None and self.max_minutes <= 0:
            raise ConfigError(f"max_minutes={self.max_minutes}: expected more than 0, or None")


class Collector:
    """Plays the games, and keeps the learner's decisions in the order in which they were made.

    The first ``count`` entries of the buffers are filled. They live in page-locked memory when the network is on a GPU.
    """

    def __init__(self, config: Config, rules: Rules, pool: Pool, device: torch.device) -> None:
        self.config, self.pool, self.device = config, pool, device
        games, players = config.num_envs, rules.num_players
        self.vector = UnoVector(games, rules, config.seed, config.env_threads, episode=config.episode, reward=config.reward)
        self.rng = np.random.default_rng([config.seed, 1])
        self.owners = np.zeros((games, players), np.int8)
        self.last = np.full((games, players), -1, np.int64)
        self.observed_columns = observed_columns(players)
        self.hidden_columns = hidden_columns(players)
        capacity = padded(games * (config.rollout_steps + players), CHUNK)
        self.count = 0

        def buffer(dtype: torch.dtype, *shape: int) -> Tensor:
            return torch.zeros((capacity, *shape), dtype=dtype, pin_memory=device.type == "cuda")

        self.buffers = {
            "observed": buffer(torch.int8, self.observed_columns.size),
            "hidden": buffer(torch.int8, self.hidden_columns.size if config.privileged_critic else 0),
            "masks": buffer(torch.int8, NUM_ACTIONS),
            "actions": buffer(torch.int64),
            "log_probs": buffer(torch.float32),
            "rewards": buffer(torch.float32),
            "next_of": buffer(torch.int64),
        }
        self.arrays = {name: tensor.numpy() for name, tensor in self.buffers.items()}
        self._deciders = np.zeros(games, np.int8)
        self._actions = np.zeros(games, np.int64)
        self._hidden_rows = np.zeros((games, observe.HIDDEN_SIZE), np.int8)
        self.assign_seats(np.arange(games))

    def assign_seats(self, games: np.ndarray) -> None:
        """Say who plays the seats of games that begin."""
        self.owners[games] = LEARNER
        if self.pool.num_slots:
            against = games[self.rng.random(len(games)) < self.config.opponent_share]
            slots = self.rng.integers(self.pool.num_slots, size=len(against))
            seats = self.rng.integers(self.owners.shape[1], size=len(against))
            self.owners[against] = 1 + slots[:, None]
            self.owners[against, seats] = LEARNER

    def carry_open_decisions(self) -> None:
        """Move the decisions that have no successor yet to the front of the emptied buffers."""
        places = np.sort(self.last[self.last >= 0])
        for array in self.arrays.values():
            array[: len(places)] = array[places]
        self.last[self.last >= 0] = np.searchsorted(places, self.last[self.last >= 0])
        self.count = len(places)

    @torch.inference_mode()
    def collect(self, actor: Actor) -> dict[str, float]:
        """Advance all games by ``rollout_steps``; returns what happened."""
        self.carry_open_decisions()
        vector, arrays = self.vector, self.arrays
        episodes, truncated = 0, 0
        for _ in range(self.config.rollout_steps):
            find_deciders(vector.action_masks, vector.actors, self.owners, self._actions, self._deciders)
            rows = np.flatnonzero(self._deciders == LEARNER)
            if rows.size:
                self._decide(actor, rows)
            for slot in range(self.pool.num_slots):
                rows = np.flatnonzero(self._deciders == 1 + slot)
                if rows.size:
                    observations, masks = vector.observations[rows], vector.action_masks[rows]
                    self._actions[rows] = self.pool.act_batch(slot, observations, masks, self.rng)
            vector.step(self._actions)
            pay(vector.rewards, vector.dones, self.last, arrays["next_of"], arrays["rewards"])
            ended = np.flatnonzero(vector.dones)
            if ended.size:
                episodes += ended.size
                truncated += int(vector.truncations[ended].sum())
                self.assign_seats(ended)
        return {"episodes": episodes, "truncated": truncated, "decisions": self.count}

    def _decide(self, actor: Actor, rows: np.ndarray) -> None:
        """The learner's decisions in the games ``rows``: made, and entered in the buffers."""
        vector, arrays, at = self.vector, self.arrays, self.count
        here = slice(at, at + rows.size)
        columns = self.observed_columns
        pick_columns(vector.observations, rows, columns.index, columns.at_most, arrays["observed"][here])
        arrays["masks"][here] = vector.action_masks[rows]
        if self.config.privileged_critic:
            columns = self.hidden_columns
            observe.hidden(vector.states, vector.rules.params, 0, vector.num_envs, self._hidden_rows)
            pick_columns(self._hidden_rows, rows, columns.index, columns.at_most, arrays["hidden"][here])
        inputs = self.buffers["observed"][at : at + padded(rows.size, 128)]
        with autocast(self.config, self.device):
            logits = actor(inputs.to(self.device, non_blocking=True))[: rows.size].cpu().numpy()
        uniforms = self.rng.random(rows.size)
        sample_masked(logits, arrays["masks"][here], uniforms, arrays["actions"][here], arrays["log_probs"][here])
        self._actions[rows] = arrays["actions"][here]
        record(rows, vector.actors, at, self.last, arrays["next_of"], arrays["rewards"])
        self.count += rows.size


EVALUATION_SEED = 2**31
"""Added to the seed for the deals on which the best model is chosen, so that `train.evaluate` judges it on others."""

CHUNK = 4096
"""Decisions that the critic and the magnet look at together."""


def padded(count: int, multiple: int) -> int:
    """The next multiple. bfloat16 kernels are compiled and kept for each batch size, so few sizes save time and memory;
    what the rows past the end hold does not matter.
    """
    return -(-count // multiple) * multiple


def autocast(config: Config, device: torch.device) -> Any:
    """The context in which networks compute during training."""
    return torch.autocast(device.type, torch.bfloat16, enabled=config.autocast)


def load_actor(path: str, actor: Actor, network: NetworkConfig) -> None:
    """Give ``actor`` the weights of a trained model; `ConfigError` where it is none or of another shape."""
    policy = TorchPolicy.load(path)
    if policy.network != network:
        raise ConfigError(f"initial_model {path}: its network is {policy.network}, this run's {network}")
    actor.load_state_dict(policy.actor.state_dict())


class Learner:
    """Actor, critic, magnet, and the update."""

    def __init__(self, config: Config, device: torch.device) -> None:
        self.config, self.device = config, device
        self.network = NetworkConfig(num_players=config.num_players, width=config.width, layers=config.layers)
        torch.manual_seed(config.seed)
        self.actor = Actor(self.network).to(device)
        if config.initial_model:
            load_actor(config.initial_model, self.actor, self.network)
        self.critic = Critic(self.network, privileged=config.privileged_critic).to(device)
        self.magnet = Actor(self.network).to(device)
        self.magnet.load_state_dict(self.actor.state_dict())
        self.magnet.requires_grad_(False)
        self.parameters = [*self.actor.parameters(), *self.critic.parameters()]
        self.optimiser = torch.optim.Adam(self.parameters, lr=config.learning_rate, eps=1e-5, fused=True)
        self.rng = np.random.default_rng([config.seed, 2])

    def update(self, buffers: dict[str, Tensor], count: int, progress: float) -> dict[str, float]:
        """One PPO update from the first ``count`` decisions; ``progress`` (0 to 1) drives the schedules. Returns measurements."""
        config = self.config
        data = {name: tensor[: padded(count, CHUNK)].to(self.device, non_blocking=True) for name, tensor in buffers.items()}
        masks, actions, old_log_probs = data["masks"], data["actions"], data["log_probs"]
        inputs = [data["observed"], data["hidden"]] if config.privileged_critic else [data["observed"]]
        values, magnet_log_probs = self._judge(inputs, masks)
        values = values[:count]

        estimates = np.zeros(count, np.float32)
        rewards, next_of = buffers["rewards"].numpy(), buffers["next_of"].numpy()
        estimate_advantages(count, next_of, rewards, values.cpu().numpy(), config.discount, config.gae_lambda, estimates)
        advantages = torch.from_numpy(estimates).to(self.device)
        returns = values + advantages
        learnt = np.flatnonzero(next_of[:count] != OPEN)

        entropy_weight = between(config.entropy, config.final_entropy, progress)
        self.optimiser.param_groups[0]["lr"] = between(config.learning_rate, config.final_learning_rate, progress)
        sums: dict[str, Tensor] = {}
        batches = 0
        for _ in range(config.epochs):
            moved = torch.zeros((), device=self.device)
            # Minibatches are all of one size; the last one is filled up from the first, or left out if it would be less than half.
            parts = max(1, round(len(learnt) / config.minibatch))
            order = np.resize(self.rng.permutation(learnt), (parts, config.minibatch)) if len(learnt) else ()
            for part in order:
                batch = torch.from_numpy(part).to(self.device)
                with autocast(config, self.device):
                    logits = self.actor(inputs[0][batch])
                    new_values = self.critic(*(rows[batch] for rows in inputs))
                log_probs = masked_log_softmax(logits, masks[batch])
                probs = log_probs.exp()

                advantage = advantages[batch]
                if config.normalise_advantages:
                    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                log_ratio = log_probs.gather(1, actions[batch, None]).squeeze(1) - old_log_probs[batch]
                ratio = log_ratio.exp()
                clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
                policy_loss = -torch.minimum(advantage * ratio, advantage * clipped).mean()
                entropy = -(probs * log_probs).sum(1).mean()
                loss = policy_loss - entropy_weight * entropy
                if magnet_log_probs is not None:
                    magnet_kl = (probs * (log_probs - magnet_log_probs[batch])).sum(1).mean()
                    loss = loss + config.magnet * magnet_kl
                else:
                    magnet_kl = torch.zeros(())

                error = (new_values - returns[batch]).square()
                if config.value_clip > 0:
                    old = values[batch]
                    held = old + (new_values - old).clamp(-config.value_clip, config.value_clip)
                    error = torch.maximum(error, (held - returns[batch]).square())
                value_loss = 0.5 * error.mean()

                self.optimiser.zero_grad(set_to_none=True)
                (loss + value_loss).backward()
                if config.max_grad_norm > 0:
                    torch.nn.utils.clip_grad_norm_(self.actor.parameters(), config.max_grad_norm)
                    torch.nn.utils.clip_grad_norm_(self.critic.parameters(), config.max_grad_norm)
                self.optimiser.step()

                with torch.no_grad():
                    kl = (ratio - 1 - log_ratio).mean()
                    moved += kl
                    measured = {
                        "policy_loss": policy_loss,
                        "value_loss": value_loss,
                        "entropy": entropy,
                        "magnet_kl": magnet_kl,
                        "kl": kl,
                        "clipped": (ratio != clipped).float().mean(),
                    }
                    for name, value in measured.items():
                        sums[name] = sums.get(name, 0.0) + value.detach()
                batches += 1
            if config.target_kl > 0 and float(moved) / parts > config.target_kl:
                break
        with torch.no_grad():
            for slow, fast in zip(self.magnet.parameters(), self.actor.parameters(), strict=True):
                slow.lerp_(fast, 1 - config.magnet_decay)
        results = {name: float(total) / batches for name, total in sums.items()}
        results["learnt"] = len(learnt)
        results["explained_variance"] = explained_variance(values[learnt], returns[learnt])
        results["learning_rate"] = self.optimiser.param_groups[0]["lr"]
        return results

    @torch.no_grad()
    def _judge(self, inputs: list[Tensor], masks: Tensor) -> tuple[Tensor, Tensor | None]:
        """The critic's values and the magnet's log-probabilities of all decisions."""
        values, log_probs = [], []
        with autocast(self.config, self.device):
            for at in range(0, len(masks), CHUNK):
                here = slice(at, at + CHUNK)
                values.append(self.critic(*(rows[here] for rows in inputs)))
                if self.config.magnet > 0:
                    log_probs.append(masked_log_softmax(self.magnet(inputs[0][here]), masks[here]))
        return torch.cat(values), torch.cat(log_probs) if log_probs else None


def between(start: float, end: float, progress: float) -> float:
    """Linear from ``start`` to ``end``."""
    return start + (end - start) * progress


def explained_variance(values: Tensor, returns: Tensor) -> float:
    """The share of the returns' variance that the values explain."""
    if len(returns) < 2:
        return 0.0
    variance = float(returns.var())
    return 1 - float((returns - values).var()) / variance if variance > 0 else 0.0


class Run:
    """A training run and its folder."""

    def __init__(self, config: Config, out: str | Path, *, resume: bool = False) -> None:
        """Start a run in the folder ``out``, or go on from its newest checkpoint.

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
        self.rules = Rules.of(config.rules, config.num_players)
        wanted = config.device if config.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
        self.device = torch.device(wanted)
        self.learner = Learner(config, self.device)
        self.pool = Pool(config.opponents, config.snapshot_slots, config.pool_size, self.learner.network, self.rules)
        self.collector = Collector(config, self.rules, self.pool, self.device)
        self.updates = self.steps = self.episodes = 0
        self.seconds = 0.0
        self.best = -math.inf
        self.win_rates: dict[str, float] = {}
        self._judges = {name: load_opponent(name, self.rules) for name in config.evaluate_against}
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
        bar.set_postfix(
            {f"vs {name}": f"{rate:.1%}" for name, rate in self.win_rates.items()} | {"entropy": f"{results['entropy']:.2f}"}
        )

    def evaluate(self) -> None:
        """Measure the policy in duplicate deals against ``evaluate_against``, and keep it if it is the best so far."""
        policy = TorchPolicy(self.learner.actor, self.learner.network, self.rules)
        for name, judge in self._judges.items():
            games = play(
                [policy, judge],
                rotations(self.rules),
                self.rules,
                deals=self.config.evaluate_deals,
                seed=EVALUATION_SEED + self.config.seed,
                episode=self.config.episode,
            )
            self.win_rates[name] = float(games.of(0, games.wins).mean())
        score = float(np.mean(list(self.win_rates.values()))) if self.win_rates else float(self.updates)
        if score > self.best:
            self.best = score
            self._save_model("best")

    def _save_model(self, name: str) -> None:
        about = {"run": self.out.name, "updates": self.updates, "steps": self.steps, "win_rates": self.win_rates}
        weights = self.learner.actor.state_dict()
        save_model(self.out / f"{name}.safetensors", weights, self.learner.network, self.rules, **about)

    # Checkpoints ------------------------------------------------------------------------------------------------------

    def save(self) -> None:
        """Write a checkpoint from which training goes on exactly, and the last model."""
        learner, collector, pool = self.learner, self.collector, self.pool
        collector.carry_open_decisions()
        tensors: dict[str, Tensor] = {}
        for part, module in {"actor": learner.actor, "critic": learner.critic, "magnet": learner.magnet}.items():
            tensors |= {f"{part}/{name}": tensor for name, tensor in module.state_dict().items()}
        tensors |= {f"optimiser/{name}": tensor for name, tensor in checkpoints.optimiser_tensors(learner.optimiser).items()}
        for i, snapshot in enumerate(pool.snapshots):
            tensors |= {f"pool/{i}/{name}": tensor for name, tensor in snapshot.items()}
        for name in ("owners", "last"):
            tensors[f"collector/{name}"] = checkpoints.bytes_tensor(getattr(collector, name))
        tensors["collector/states"] = checkpoints.bytes_tensor(collector.vector.states)
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

        learner.actor.load_state_dict(part("actor/"))
        learner.critic.load_state_dict(part("critic/"))
        learner.magnet.load_state_dict(part("magnet/"))
        checkpoints.load_optimiser(learner.optimiser, part("optimiser/"))
        pool.snapshots = [part(f"pool/{i}/") for i in range(facts["snapshots"])]
        pool.seat(facts["chosen"])
        for name in ("owners", "last"):
            checkpoints.fill_from_bytes(getattr(collector, name), tensors[f"collector/{name}"])
        checkpoints.fill_from_bytes(collector.vector.states, tensors["collector/states"])
        collector.vector.refresh()
        for name, tensor in part("open/").items():
            collector.count = len(tensor)
            collector.buffers[name][: len(tensor)] = tensor
        collector.rng.bit_generator.state = facts["generators"]["collector"]
        learner.rng.bit_generator.state = facts["generators"]["learner"]
        self.updates, self.steps, self.episodes = facts["updates"], facts["steps"], facts["episodes"]
        self.seconds = facts["seconds"]
        if set(facts["win_rates"]) == set(self._judges):  # a score against others can not be compared
            self.win_rates = facts["win_rates"]
            self.best = -math.inf if facts["best"] is None else facts["best"]
        metrics = self.out / "metrics.jsonl"
        if metrics.exists():  # what was measured after the checkpoint will be measured again
            lines = metrics.read_text(encoding="utf-8").splitlines(keepends=True)
            kept = [line for line in lines if line.endswith("\n") and json.loads(line)["update"] <= self.updates]
            write_atomically(metrics, "".join(kept).encode())


@contextlib.contextmanager
def saving_on_interrupt(run: Run) -> Iterator[None]:
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


def parse(argv: Sequence[str] | None = None) -> tuple[Config, Path, bool, bool]:
    """Config, run folder, resume?, show progress? from the command line."""
    import tyro

    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--config")
    parser.add_argument("--out")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    known, rest = parser.parse_known_args(argv)
    out = Path(known.out) if known.out else None
    if known.config is not None:
        default = load(Config, known.config)
    elif known.resume and out is not None and (out / "config.yaml").is_file():
        default = load(Config, out / "config.yaml")
    else:
        default = Config()
    description = (
        "Self-play PPO. Besides the fields below: --config FILE.yaml gives their defaults, --out FOLDER is the run's folder "
        "(required), --resume goes on from its newest checkpoint, --quiet shows no progress bar."
    )
    config = tyro.cli(Config, args=rest, default=default, description=description)
    if out is None:
        raise ConfigError("--out FOLDER is missing: where shall the run be kept?")
    return config, out, known.resume, not known.quiet


def main(argv: Sequence[str] | None = None) -> int:
    """Train as the command line says."""
    try:
        config, out, resume, show = parse(argv)
        run = Run(config, out, resume=resume)
    except (ValueError, OSError) as error:
        print(f"train.ppo: {error}", file=sys.stderr)
        return 2
    with saving_on_interrupt(run):
        run.train(show=show)
    rates = ", ".join(f"{rate:.1%} against {name}" for name, rate in run.win_rates.items())
    print(f"{run.steps:,} steps, {run.updates} updates, {run.seconds / 60:.1f} minutes. {rates}. Saved in {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
