"""What agents are made of: the protocol they follow, and the two classes that give it to compiled and to batched policies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from uno_env.rules import Rules
from uno_env.view import Agent, View, play_round

__all__ = ["Agent", "BatchAgent", "CompiledAgent", "View", "chances", "play_round"]

NO_SETTINGS = np.zeros(0)


def chances(logits: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
    """How likely logits make each action, ``float64[M, 91]``, 0 for the illegal ones."""
    values = np.where(action_masks != 0, np.asarray(logits, np.float64), -np.inf)
    weights = np.exp(values - values.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


class BatchAgent(ABC):
    """An agent that decides batches; a single decision is a batch of one."""

    @abstractmethod
    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Legal actions, ``int64[M]``, for ``int8[M, OBS_SIZE]`` and ``int8[M, 91]``."""

    def for_rules(self, rules: Rules) -> BatchAgent:
        """The agent as it plays under ``rules``: unless it says otherwise, itself."""
        return self

    def act(self, view: View) -> int:
        """A legal action of ``view``."""
        agent = self.for_rules(view.rules)
        return int(agent.act_batch(view.observation[None], view.action_mask[None], view.rng)[0])


class CompiledAgent(BatchAgent):
    """An agent made of a compiled policy.

    A *policy* is ``policy(row, mask, word, settings) -> action``: an observation ``int8[OBS_SIZE]``, its mask ``int8[91]``, a
    uniform random word (uint64), from which all that is random in the decision comes, and ``settings`` (``float64[K]``),
    whatever numbers it plays by. Its *loop* calls it for every row of a batch: ``loop(rows, masks, words, settings, actions)``.
    """

    def __init__(self, name: str, loop: Callable[..., None], settings: np.ndarray = NO_SETTINGS) -> None:
        """An agent called ``name`` that plays as ``loop`` says."""
        self.name = name
        self.loop = loop
        self.settings = settings

    def decide(self, observations: np.ndarray, action_masks: np.ndarray, words: np.ndarray) -> np.ndarray:
        """The actions, ``int64[M]``, that the policy chooses with the random ``words``, ``uint64[M]``."""
        actions = np.empty(len(words), np.int64)
        self.loop(observations, action_masks, words, self.settings, actions)
        return actions

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Legal actions, ``int64[M]``; every decision takes one word of ``rng``."""
        words = rng.integers(0, 2**64, len(observations), dtype=np.uint64, endpoint=False)
        return self.decide(observations, action_masks, words)

    def __repr__(self) -> str:
        return f"<agent {self.name}>"
