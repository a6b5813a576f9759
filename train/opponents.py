"""Who plays beside the learner: scripted agents, a pool of snapshots of its own past, and teachers that it imitates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

import agents
from agents.base import chances
from agents.network import Actor, NetworkConfig
from agents.torch_policy import TorchPolicy
from uno_env.rules import Rules


def load_opponent(name: str, rules: Rules) -> Any:
    """The agent that `agents.load` knows by ``name``, as it plays under ``rules``."""
    agent: Any = agents.load(name)
    return agent.for_rules(rules) if hasattr(agent, "for_rules") else agent


class Teachers:
    """Trained networks, each for the tables of its number of players; several at one table teach the mean of their policies."""

    def __init__(self, names: Sequence[str], tables: Sequence[Rules]) -> None:
        """Load them.

        Args:
            names: models, run folders, or ``champion``, as `agents.load` takes them.
            tables: the rules of each table.

        Raises:
            ValueError: for an agent without ``logits``, or one that plays at none of the tables.
        """
        self._at: list[list[Any]] = [[] for _ in tables]
        for name in names:
            seated = 0
            for here, rules in zip(self._at, tables, strict=True):
                teacher = load_opponent(name, rules)
                if not hasattr(teacher, "logits"):
                    raise ValueError(f"teachers: {name!r} is no network, so it has no policy to imitate")
                if getattr(teacher, "num_players", None) in (None, rules.num_players):
                    here.append(teacher)
                    seated += 1
            if not seated:
                sizes = ", ".join(str(rules.num_players) for rules in tables)
                raise ValueError(f"teachers: {name!r} plays with another number of players than the tables ({sizes})")

    def __len__(self) -> int:
        return sum(len(here) for here in self._at)

    def chances(self, table: int, observations: np.ndarray, masks: np.ndarray) -> np.ndarray | float:
        """How likely each action is in the mean of a table's teachers, ``float64[M, 91]``; 0 where nobody teaches."""
        here = self._at[table]
        return sum(chances(teacher.logits(observations), masks) for teacher in here) / max(len(here), 1)


class Pool:
    """Who sits in the seats that the learner does not play.

    Slots ``0 .. len(scripted) - 1`` always hold the scripted agents; the others hold snapshots, drawn anew by `reshuffle`.
    A game keeps its slot until it ends.
    """

    def __init__(self, scripted: Sequence[str], slots: int, size: int, network: NetworkConfig, tables: Sequence[Rules]) -> None:
        #: For each scripted opponent, how it plays at each of the tables.
        self.scripted = [[load_opponent(name, rules) for rules in tables] for name in scripted]
        for name, players in zip(scripted, self.scripted, strict=True):
            if not all(hasattr(player, "act_batch") for player in players):
                raise ValueError(f"opponents: {name!r} has no act_batch, so it can not play in training")
        self._size = size
        self.snapshots: list[dict[str, torch.Tensor]] = []
        self.chosen = [-1] * slots
        self._players = [TorchPolicy(Actor(network), network, tables[0]) for _ in range(slots)]

    @property
    def num_slots(self) -> int:
        """Slots that have a player."""
        return len(self.scripted) + (len(self._players) if self.snapshots else 0)

    def add(self, actor: Actor, rng: np.random.Generator) -> None:
        """Keep a copy of the actor; a full pool forgets a random older one."""
        if self._size == 0:
            return
        if len(self.snapshots) == self._size:
            forgotten = int(rng.integers(self._size))
            del self.snapshots[forgotten]
        self.snapshots.append({name: tensor.detach().cpu().clone() for name, tensor in actor.state_dict().items()})
        self.reshuffle(rng)

    def reshuffle(self, rng: np.random.Generator) -> None:
        """Draw the snapshots that play."""
        if self.snapshots:
            self.seat([int(rng.integers(len(self.snapshots))) for _ in self._players])

    def seat(self, chosen: Sequence[int]) -> None:
        """Let the given snapshots play."""
        self.chosen = list(chosen)
        for player, number in zip(self._players, self.chosen, strict=True):
            if number >= 0:
                player.actor.load_state_dict(self.snapshots[number])

    def player(self, slot: int, table: int) -> Any:
        """Who plays in a slot at a table: it has ``act_batch``."""
        return self.scripted[slot][table] if slot < len(self.scripted) else self._players[slot - len(self.scripted)]

    def __len__(self) -> int:
        return len(self.snapshots)
