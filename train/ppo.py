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
* Networks that were trained before may teach (``teachers``): the learner is drawn to their policies, less and less
  (kickstarting, arXiv 1803.03835). So specialists become one network for all tables, and several runs become one.

A run repeats bit for bit on the same machine with the same libraries and thread counts, interrupted or not, unless
``max_minutes`` is set: then schedules depend on the clock.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from agents.network import Actor, Critic, masked_log_softmax
from train import checkpoints, run
from train.collector import CHUNK, autocast, padded
from train.config import ConfigError, check
from train.opponents import Teachers
from train.trajectories import OPEN, estimate_advantages


@dataclass(frozen=True, kw_only=True)
class Config(run.RunConfig):
    """Everything that decides a run of PPO."""

    # The critic
    privileged_critic: bool = True
    """Whether the critic sees the other hands and the next cards of the draw pile."""
    initial_critic: str = ""
    """A run folder from whose newest checkpoint the critic starts; empty for a fresh one."""

    # The policy that is kept
    greedy: bool = False
    """Whether it plays its likeliest action, in evaluations and as a model, or samples. Training always samples."""

    # Teachers
    teachers: tuple[str, ...] = ()
    """Trained networks, as `agents.load` takes them, whose policies are imitated at the tables of their number of players."""
    teacher_weight: float = 1.0
    """Weight of the cross entropy with the teachers' policies at the start."""
    final_teacher_weight: float = 0.0
    """And at the end; linear in between."""

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

    def __post_init__(self) -> None:
        super().__post_init__()
        check(self, 1, math.inf, "epochs minibatch")
        check(self, 0, 1, "discount gae_lambda magnet_decay")
        check(
            self,
            0,
            math.inf,
            "learning_rate final_learning_rate clip value_clip entropy final_entropy magnet max_grad_norm target_kl "
            "teacher_weight final_teacher_weight",
        )


def load_critic(run_folder: str, critic: Critic) -> None:
    """Give ``critic`` the weights of the newest checkpoint of a run; `ConfigError` where it has none or of another shape."""
    found = checkpoints.list_checkpoints(Path(run_folder) / "checkpoints")
    if not found:
        raise ConfigError(f"initial_critic {run_folder}: it holds no checkpoint")
    tensors, _ = checkpoints.load_checkpoint(found[-1])
    weights = {name.removeprefix("critic/"): tensor for name, tensor in tensors.items() if name.startswith("critic/")}
    shapes = {name: tuple(tensor.shape) for name, tensor in critic.state_dict().items()}
    if {name: tuple(tensor.shape) for name, tensor in weights.items()} != shapes:
        raise ConfigError(f"initial_critic {run_folder}: its critic is of another shape than this run's, or sees other cards")
    critic.load_state_dict(weights)


class Learner:
    """Actor, critic, magnet, and the update."""

    def __init__(self, config: Config, device: torch.device) -> None:
        self.config, self.device, self.greedy = config, device, config.greedy
        torch.manual_seed(config.seed)
        self.actor = Actor(config.network).to(device)
        if config.initial_model:
            run.load_actor(config.initial_model, self.actor, config.network)
        self.critic = Critic(config.network, privileged=config.privileged_critic).to(device)
        if config.initial_critic:
            load_critic(config.initial_critic, self.critic)
        self.magnet = Actor(config.network).to(device)
        self.magnet.load_state_dict(self.actor.state_dict())
        self.magnet.requires_grad_(False)
        self.modules: dict[str, nn.Module] = {"actor": self.actor, "critic": self.critic, "magnet": self.magnet}
        self.parameters = [*self.actor.parameters(), *self.critic.parameters()]
        self.optimiser: torch.optim.Optimizer = torch.optim.Adam(self.parameters, lr=config.learning_rate, eps=1e-5, fused=True)
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

        entropy_weight = run.between(config.entropy, config.final_entropy, progress)
        teacher_weight = run.between(config.teacher_weight, config.final_teacher_weight, progress) if config.teachers else 0.0
        self.optimiser.param_groups[0]["lr"] = run.between(config.learning_rate, config.final_learning_rate, progress)
        sums: dict[str, Tensor] = {}
        batches = 0
        for _ in range(config.epochs):
            moved = torch.zeros((), device=self.device)
            # Minibatches are all of one size; the last one is filled up from the first, or left out if it would be less than half.
            parts = max(1, round(len(learnt) / config.minibatch))
            order = np.resize(self.rng.permutation(learnt), (parts, config.minibatch)) if len(learnt) else ()
            for chosen in order:
                batch = torch.from_numpy(chosen).to(self.device)
                with autocast(self.device, config.autocast):
                    rows = [part.index_select(0, batch) for part in inputs]
                    logits = self.actor(rows[0])
                    new_values = self.critic(*rows)
                log_probs = masked_log_softmax(logits, masks.index_select(0, batch))
                probs = torch.softmax(log_probs, 1)  # quicker than exp, which is slow where it vanishes

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
                    magnet_kl = (probs * (log_probs - magnet_log_probs.index_select(0, batch))).sum(1).mean()
                    loss = loss + config.magnet * magnet_kl
                else:
                    magnet_kl = torch.zeros(())

                if teacher_weight > 0:
                    taught = data["taught"].index_select(0, batch)
                    teacher_loss = -(taught * log_probs).sum(1).mean()  # decisions that nobody teaches add nothing
                    loss = loss + teacher_weight * teacher_loss
                else:
                    teacher_loss = torch.zeros(())

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
                        "teacher_loss": teacher_loss,
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
        with autocast(self.device, self.config.autocast):
            for at in range(0, len(masks), CHUNK):
                here = slice(at, at + CHUNK)
                values.append(self.critic(*(rows[here] for rows in inputs)))
                if self.config.magnet > 0:
                    log_probs.append(masked_log_softmax(self.magnet(inputs[0][here]), masks[here]))
        return torch.cat(values), torch.cat(log_probs) if log_probs else None


def explained_variance(values: Tensor, returns: Tensor) -> float:
    """The share of the returns' variance that the values explain."""
    if len(returns) < 2:
        return 0.0
    variance = float(returns.var())
    return 1 - float((returns - values).var()) / variance if variance > 0 else 0.0


class Run(run.Run):
    """A run of PPO and its folder."""

    def __init__(self, config: Config, out: str | Path, *, resume: bool = False) -> None:
        """See `train.run.Run`."""
        teachers = Teachers(config.teachers, config.tables)
        super().__init__(config, out, learner=Learner, resume=resume, hidden=config.privileged_critic, teachers=teachers)


def main(argv: Sequence[str] | None = None) -> int:
    """Train as the command line says."""
    return run.main(Config, Run, "Self-play PPO", argv)


if __name__ == "__main__":
    sys.exit(main())
