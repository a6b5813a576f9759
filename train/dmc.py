"""Deep Monte Carlo for Uno: ``python -m train.dmc --config configs/dmc/two_player.yaml --seed 1 --out runs/d [--resume]``.

The method of DouZero (arXiv 2106.06135): a network estimates for each action the mean outcome of the episode, is fitted to the
outcomes that were seen, and plays the action with the highest estimate, or with probability ``epsilon`` any legal one. There is
no bootstrapping, no critic and no policy gradient. Like `train.ppo` it plays all seats, on the same batch environment, with the
same opponents, evaluation and checkpoints. What differs from DouZero: one network for all seats, Adam instead of RMSprop, large
batches, and a network that gives the values of all actions at once instead of reading one action with the state.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from agents.network import PRIOR, REST_ACTIONS, Actor
from train import run
from train.collector import CHUNK, autocast, padded
from train.config import check
from train.trajectories import complete, estimate_advantages
from uno_env.rules import Rules

PRIOR_VALUE = 0.02
"""Value per logit of `agents.network.PRIOR`: untrained players that draw whenever they can play very long rounds."""

GIVEN_UP = -1.0
"""What a round that is given up is worth to everybody: as much as one that is lost, with two players."""


@dataclass(frozen=True, kw_only=True)
class Config(run.RunConfig):
    """Everything that decides a run of Deep Monte Carlo."""

    # The learner
    learning_rate: float = 1e-3
    """Adam's step size at the start."""
    final_learning_rate: float = 5e-5
    """And at the end; linear in between."""
    epochs: int = 1
    """Passes over each rollout."""
    minibatch: int = 4096
    """Decisions per gradient step."""
    epsilon: float = 0.05
    """Probability of a random legal action at the start."""
    final_epsilon: float = 0.01
    """And at the end; linear in between."""
    max_grad_norm: float = 40.0
    """Longest gradient; 0 for no limit."""
    max_turns: int = 250
    """Turns after which a round in training is given up as lost by all. Players of the highest estimate may come to prefer drawing
    when they lose much, and if nobody ever wins, no round ends and nothing more is learnt."""

    @property
    def training_tables(self) -> list[Rules]:
        """Those of the tables, with fewer turns."""
        return [
            dataclasses.replace(rules, max_turns=min(self.max_turns, rules.max_turns or self.max_turns)) for rules in self.tables
        ]

    def __post_init__(self) -> None:
        super().__post_init__()
        check(self, 1, math.inf, "epochs minibatch max_turns")
        check(self, 0, 1, "epsilon final_epsilon")
        check(self, 0, math.inf, "learning_rate final_learning_rate max_grad_norm")


class Explorer:
    """Chooses the action with the highest value, or with probability ``epsilon`` any legal one."""

    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon

    def __call__(
        self, values: np.ndarray, masks: np.ndarray, rng: np.random.Generator, actions: np.ndarray, log_probs: np.ndarray
    ) -> None:
        """As `train.collector.Choose`; ``log_probs`` stay as they are."""
        actions[:] = np.where(masks != 0, values, -np.inf).argmax(axis=1)
        astray = np.flatnonzero(rng.random(len(actions)) < self.epsilon)
        actions[astray] = np.where(masks[astray] != 0, rng.random((len(astray), masks.shape[1])), -1.0).argmax(axis=1)


class Learner:
    """The network of values, and the update."""

    greedy = True

    def __init__(self, config: Config, device: torch.device) -> None:
        self.config, self.device = config, device
        torch.manual_seed(config.seed)
        self.actor = Actor(config.network).to(device)
        with torch.no_grad():
            self.actor.colour_head.all.bias.zero_()
            for action, logit in PRIOR.items():
                self.actor.rest_head.bias[REST_ACTIONS.index(action)] = PRIOR_VALUE * logit
        if config.initial_model:
            run.load_actor(config.initial_model, self.actor, config.network)
        self.modules: dict[str, nn.Module] = {"actor": self.actor}
        self.optimiser: torch.optim.Optimizer = torch.optim.Adam(self.actor.parameters(), lr=config.learning_rate, fused=True)
        self.rng = np.random.default_rng([config.seed, 2])

    def update(self, buffers: dict[str, Tensor], count: int, progress: float) -> dict[str, float]:
        """Fit the values of the actions taken to the outcomes of the episodes that are over; ``count`` decisions are given."""
        config = self.config
        self.optimiser.param_groups[0]["lr"] = run.between(config.learning_rate, config.final_learning_rate, progress)
        next_of, rewards = buffers["next_of"].numpy(), buffers["rewards"].numpy()
        outcomes = np.zeros(count, np.float32)
        estimate_advantages(count, next_of, rewards, np.zeros(count, np.float32), 1.0, 1.0, outcomes)
        learnt = np.flatnonzero(complete(next_of[:count]))
        data = {name: buffers[name][: padded(count, CHUNK)].to(self.device, non_blocking=True) for name in ("observed", "actions")}
        targets = torch.from_numpy(outcomes).to(self.device)
        total = torch.zeros((), device=self.device)
        batches = 0
        for _ in range(config.epochs):
            # Minibatches are all of one size; the last one is filled up from the first, or left out if it would be less than half.
            parts = max(1, round(len(learnt) / config.minibatch))
            order = np.resize(self.rng.permutation(learnt), (parts, config.minibatch)) if len(learnt) else ()
            for part in order:
                batch = torch.from_numpy(part).to(self.device)
                with autocast(self.device, config.autocast):
                    values = self.actor(data["observed"].index_select(0, batch))
                taken = values.gather(1, data["actions"][batch, None]).squeeze(1)
                loss = (taken - targets[batch]).square().mean()
                self.optimiser.zero_grad(set_to_none=True)
                loss.backward()
                if config.max_grad_norm > 0:
                    nn.utils.clip_grad_norm_(self.actor.parameters(), config.max_grad_norm)
                self.optimiser.step()
                total += loss.detach()
                batches += 1
        loss = float(total) / max(batches, 1)
        variance = float(outcomes[learnt].var()) if len(learnt) else 0.0
        return {
            "value_loss": loss,
            "learnt": len(learnt),
            "explained_variance": 1 - loss / variance if variance > 0 else 0.0,
            "learning_rate": self.optimiser.param_groups[0]["lr"],
        }


class Run(run.Run):
    """A run of Deep Monte Carlo and its folder."""

    def __init__(self, config: Config, out: str | Path, *, resume: bool = False) -> None:
        """See `train.run.Run`."""

        def choose(*args: Any) -> None:
            Explorer(run.between(config.epsilon, config.final_epsilon, self.progress))(*args)

        super().__init__(
            config, out, learner=Learner, resume=resume, whole_episodes=True, truncation_reward=GIVEN_UP, choose=choose
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Train as the command line says."""
    return run.main(Config, Run, "Deep Monte Carlo", argv)


if __name__ == "__main__":
    sys.exit(main())
