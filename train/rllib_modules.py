"""The networks of `agents.network`, and scripted agents, as RLlib's modules (`train.rllib_ppo`)."""

# pyright: reportMissingImports=false
from __future__ import annotations

from typing import Any

import numpy as np
import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.distribution.torch.torch_distribution import TorchCategorical
from ray.rllib.core.rl_module.apis import InferenceOnlyAPI, ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModule
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import Tensor

from agents.network import MASKED, Actor, Critic, NetworkConfig, observed_columns
from train.opponents import load_opponent
from uno_env.rules import Rules


class FrozenModule(TorchRLModule):
    """A policy that plays and does not learn: `Actor` behind an action mask.

    ``model_config`` has ``network``, the fields of a `NetworkConfig`.
    """

    def setup(self) -> None:
        """Build the network."""
        self.network = NetworkConfig.from_dict(self.model_config["network"])
        self.actor = Actor(self.network)
        self.action_dist_cls = TorchCategorical
        columns = observed_columns(self.network.num_players)
        # At a table of a fixed size every input is one column, or a flag of it.
        column, at_most = torch.from_numpy(columns.table[:, :2]).T.contiguous()
        self.register_buffer("_column", column, persistent=False)
        self.register_buffer("_at_most", at_most.to(torch.int8), persistent=False)

    def columns(self, batch: dict[str, Any]) -> Tensor:
        """What `agents.network.Columns.read` makes of observations, ``int8[B, F]``."""
        picked = batch[Columns.OBS]["observations"].to(torch.int8)[:, self._column]
        return torch.where(self._at_most >= 0, (picked <= self._at_most).to(torch.int8), picked)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        legal = batch[Columns.OBS]["action_mask"] > 0
        return {Columns.ACTION_DIST_INPUTS: self.actor(self.columns(batch)).masked_fill(~legal, MASKED)}


class LearnerModule(FrozenModule, ValueFunctionAPI, InferenceOnlyAPI):
    """The policy that learns, with a critic that sees what it sees."""

    def setup(self) -> None:
        """Build the networks; where games are played, without the critic."""
        super().setup()
        if not self.inference_only:
            self.critic = Critic(self.network, privileged=False)

    def get_non_inference_attributes(self) -> list[str]:
        """What playing does not need."""
        return ["critic"]

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Tensor:
        """``float32[B]``."""
        return self.critic(self.columns(batch))


class ScriptedModule(RLModule):
    """An agent that `agents.load` knows by name; ``model_config`` has ``agent``, ``rules`` (as a mapping) and ``seed``."""

    framework = "torch"

    def setup(self) -> None:
        """Load the agent."""
        self._agent = load_opponent(self.model_config["agent"], Rules.from_dict(self.model_config["rules"]))
        self._rng = np.random.default_rng(self.model_config["seed"])

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        observations, masks = (np.asarray(seen[key]).astype(np.int8) for key in ("observations", "action_mask"))
        return {Columns.ACTIONS: self._agent.act_batch(observations, masks, self._rng)}
