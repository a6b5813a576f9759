"""Uno for RLlib (Ray), new API stack: ``config.environment(uno_env.rllib.UnoMultiAgentEnv, env_config={"rules": "research"})``.

Observations have the keys that RLlib's masking modules want: ``observations`` and ``action_mask``, the latter float32.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np

from uno_env.game import Game
from uno_env.observe import OBS_SIZE
from uno_env.rules import Rules
from uno_env.state import NUM_ACTIONS

try:
    from ray.rllib.env.multi_agent_env import MultiAgentEnv  # pyright: ignore[reportMissingImports]
except ImportError as error:
    raise ImportError("uno_env.rllib needs Ray: pip install 'uno-env[rllib]'") from error

ACTION_SPACE = gym.spaces.Discrete(NUM_ACTIONS)


def observation_space(dtype: Any = np.float32) -> gym.spaces.Dict:
    """The space of every agent's observations; ``dtype`` is that of ``observations``."""
    return gym.spaces.Dict(
        {
            "observations": gym.spaces.Box(-1, 127, (OBS_SIZE,), dtype),
            "action_mask": gym.spaces.Box(0.0, 1.0, (NUM_ACTIONS,), np.float32),
        }
    )


class UnoMultiAgentEnv(MultiAgentEnv):
    """A round of Uno with the agents ``player_0``..; every step asks the one that decides.

    ``config`` has the keys ``rules`` (default ``"official"``), ``num_players`` and ``reward`` (``"win"`` or ``"points"``), as in
    `uno_env.uno_v0.env`; ``skip_forced`` (default True): whether a decision with one legal action is made without asking;
    ``dtype`` of ``observations``: ``"float32"``, which RLlib's own networks want, or ``"int8"``, a quarter of the size.
    When the round ends, every agent that was ever asked gets its reward and sees the end; nobody may act then, and the mask is 0.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        asked = {"rules": "official", "num_players": None, "reward": "win", "skip_forced": True, "dtype": "float32"}
        unknown = sorted(set(config or {}) - set(asked))
        if unknown:
            raise ValueError(
                f"unknown key {', '.join(map(repr, unknown))} in the environment's config; keys are {', '.join(asked)}"
            )
        asked |= dict(config or {})
        if asked["reward"] not in ("win", "points"):
            raise ValueError(f"reward={asked['reward']!r}: expected 'win' or 'points'")
        if asked["dtype"] not in ("float32", "int8"):
            raise ValueError(f"dtype={asked['dtype']!r}: expected 'float32' or 'int8'")
        self.rules = Rules.of(asked["rules"], asked["num_players"])
        self._reward, self._skips, self._dtype = asked["reward"], asked["skip_forced"], np.dtype(asked["dtype"])
        self.possible_agents = self.agents = [f"player_{seat}" for seat in range(self.rules.num_players)]
        self.observation_spaces = dict.fromkeys(self.agents, observation_space(self._dtype))
        self.action_spaces = dict.fromkeys(self.agents, ACTION_SPACE)
        self._rng = np.random.default_rng()
        self._asked: set[int] = set()
        self._game = Game(self.rules, 0)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Deal a round. The seed decides it and all that follow until another seed is given."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self._asked = set()
        while True:
            self._game = Game(self.rules, int(self._rng.integers(2**63)))
            self._play_forced()
            if not self._game.over:  # a round in which nobody has a choice is nothing to learn from
                return self._observe_actor(), {}

    def step(self, action_dict: dict[str, int]) -> tuple[dict[str, Any], ...]:
        """Play the action of the agent that was asked.

        Raises:
            IllegalAction: (a ``ValueError``) for an action that is not legal.
            ValueError: when another agent, or more than one, acts.
        """
        due = self.agents[self._game.actor]
        if set(action_dict) != {due}:
            raise ValueError(f"{sorted(action_dict)} act, but it is {due}'s decision")
        self._game.push(int(action_dict[due]))
        self._play_forced()
        if not self._game.over:
            nothing = {self.agents[seat]: 0.0 for seat in sorted(self._asked)}
            return self._observe_actor(), nothing, {"__all__": False}, {"__all__": False}, {}
        rewards = self._game.rewards(self._reward)
        cut = self._game.outcome is not None and self._game.outcome.termination == "truncated"
        there = sorted(self._asked)
        seen = {self.agents[seat]: self._observe(seat, np.zeros(NUM_ACTIONS, np.float32)) for seat in there}
        paid = {self.agents[seat]: float(rewards[seat]) for seat in there}
        return seen, paid, {"__all__": not cut}, {"__all__": cut}, {}

    def _play_forced(self) -> None:
        while self._skips and len(legal := self._game.legal_actions()) == 1:
            self._game.push(legal[0])

    def _observe_actor(self) -> dict[str, Any]:
        seat = self._game.actor
        self._asked.add(seat)
        return {self.agents[seat]: self._observe(seat, self._game.action_mask().astype(np.float32))}

    def _observe(self, seat: int, mask: np.ndarray) -> dict[str, np.ndarray]:
        return {"observations": self._game.observe(seat).astype(self._dtype), "action_mask": mask}
