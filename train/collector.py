"""Plays games and keeps the learner's decisions, for `train.ppo` and `train.dmc`.

Games of several numbers of players may be played side by side, each number at its own *table*: a `UnoVector` of its own.
The network is asked once per step for the decisions of all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from agents.network import Columns, hidden_columns, observed_columns, sample_masked
from train.opponents import Pool, Teachers
from train.trajectories import LEARNER, complete, find_deciders, pay, record
from uno_env import observe
from uno_env.rules import Rules
from uno_env.state import NUM_ACTIONS
from uno_env.vector import UnoVector

CHUNK = 4096
"""Decisions that networks look at together where no gradient is needed; buffers hold a multiple of it."""

#: Chooses actions: logits ``float32[M, 91]``, masks ``int8[M, 91]``, generator; fills actions ``int64[M]`` and log-probabilities.
Choose = Callable[[np.ndarray, np.ndarray, np.random.Generator, np.ndarray, np.ndarray], None]


def padded(count: int, multiple: int) -> int:
    """The next multiple. bfloat16 kernels are compiled and kept for each batch size, so few sizes save time and memory;
    what the rows past the end hold does not matter.
    """
    return -(-count // multiple) * multiple


def autocast(device: torch.device, enabled: bool) -> Any:
    """The context in which networks compute during training."""
    return torch.autocast(device.type, torch.bfloat16, enabled=enabled)


def sample(logits: np.ndarray, masks: np.ndarray, rng: np.random.Generator, actions: np.ndarray, log_probs: np.ndarray) -> None:
    """Draw from the policy: a `Choose`."""
    sample_masked(logits, masks, rng.random(len(logits)), actions, log_probs)


class Table:
    """Games of one number of players.

    Attributes:
        vector: the games.
        owners: ``int8[N, max players]``, who plays each seat: `LEARNER`, or 1 + a slot of the pool.
        last: ``int64[N, max players]``, the place of each seat's latest decision in the buffers, or -1.
        reward_scale: makes the rewards of games that are won or lost of variance 1, whatever the number of players.
    """

    def __init__(
        self,
        games: int,
        rules: Rules,
        seed: int,
        threads: int,
        episode: Literal["round", "match"],
        reward: Literal["win", "points", "match"],
        owners: np.ndarray,
        last: np.ndarray,
    ) -> None:
        self.vector = UnoVector(games, rules, seed, threads, episode=episode, reward=reward)
        self.owners, self.last = owners, last
        self.reward_scale = math.sqrt(rules.num_players - 1) if reward == "win" and not rules.teams else 1.0
        self.actions = np.zeros(games, np.int64)
        self.deciders = np.zeros(games, np.int8)
        self.hidden_rows = np.zeros((games, observe.HIDDEN_SIZE), np.int8)


class Collector:
    """The games, and buffers of the learner's decisions in the order in which they were made.

    The first ``count`` entries of the buffers are filled. They live in page-locked memory when the network is on a GPU.
    """

    def __init__(
        self,
        tables: Sequence[Rules],
        pool: Pool,
        device: torch.device,
        *,
        games: int,
        steps: int,
        seed: int,
        opponent_share: float,
        network_players: int | None,
        threads: int = 1,
        episode: Literal["round", "match"] = "round",
        reward: Literal["win", "points", "match"] = "win",
        hidden: bool = False,
        low_precision: bool = False,
        whole_episodes: bool = False,
        truncation_reward: float = 0.0,
        teachers: Teachers | None = None,
        choose: Choose = sample,
    ) -> None:
        """Deal the games.

        Args:
            tables: the rules of each table.
            pool: opponents.
            device: where the network is.
            games: games in all, in equal shares for the tables.
            steps: steps of a rollout.
            seed: decides deals, seats and choices.
            opponent_share: share of games in which all seats but one belong to an opponent.
            network_players: as `NetworkConfig.num_players`.
            threads: threads of each environment.
            episode: a round or a match.
            reward: reward scheme.
            hidden: whether hidden cards are kept too, for a critic that sees them.
            low_precision: whether the network computes in bfloat16.
            whole_episodes: whether decisions are carried into the next rollout until their episode ends, not only until the
                seat's next decision.
            truncation_reward: what every seat gets in a game that `Rules.max_turns` cuts off.
            teachers: whose policies are kept beside the decisions.
            choose: how actions are chosen from the network's output.
        """
        self.pool, self.device, self.steps, self.choose = pool, device, steps, choose
        self.opponent_share, self.low_precision, self.whole_episodes = opponent_share, low_precision, whole_episodes
        self.truncation_reward = truncation_reward
        self.teachers = teachers or None  # one that teaches nobody is none
        self.rng = np.random.default_rng([seed, 1])
        seats = max(rules.num_players for rules in tables)
        self.owners = np.zeros((games, seats), np.int8)
        self.last = np.full((games, seats), -1, np.int64)
        bounds = np.linspace(0, games, len(tables) + 1).astype(int)
        self.tables: list[Table] = []
        for i, rules in enumerate(tables):
            here = slice(bounds[i], bounds[i + 1])
            shares = self.owners[here], self.last[here]
            self.tables.append(Table(bounds[i + 1] - bounds[i], rules, seed + i, threads, episode, reward, *shares))
        self.observed_columns = observed_columns(network_players)
        self.hidden_columns: Columns | None = hidden_columns(network_players) if hidden else None
        self.count = 0
        self.buffers: dict[str, Tensor] = {}
        self.arrays: dict[str, np.ndarray] = {}
        self.reserve(games * (steps + seats))
        for table in self.tables:
            self.assign_seats(table, np.arange(table.vector.num_envs))

    def reserve(self, capacity: int) -> None:
        """Make the buffers large enough; what is in them stays."""
        if self.buffers and len(self.buffers["actions"]) >= capacity:
            return
        hidden = self.hidden_columns.size if self.hidden_columns else 0
        kinds: dict[str, tuple[torch.dtype, tuple[int, ...]]] = {
            "observed": (torch.int8, (self.observed_columns.size,)),
            "hidden": (torch.int8, (hidden,)),
            "masks": (torch.int8, (NUM_ACTIONS,)),
            "taught": (torch.float32, (NUM_ACTIONS if self.teachers else 0,)),
            "actions": (torch.int64, ()),
            "log_probs": (torch.float32, ()),
            "rewards": (torch.float32, ()),
            "next_of": (torch.int64, ()),
        }
        old, pinned = self.buffers, self.device.type == "cuda"
        shape = padded(capacity, CHUNK)
        self.buffers = {name: torch.zeros((shape, *rest), dtype=dtype, pin_memory=pinned) for name, (dtype, rest) in kinds.items()}
        for name, tensor in old.items():
            self.buffers[name][: self.count] = tensor[: self.count]
        self.arrays = {name: tensor.numpy() for name, tensor in self.buffers.items()}

    def assign_seats(self, table: Table, games: np.ndarray) -> None:
        """Say who plays the seats of games that begin."""
        table.owners[games] = LEARNER
        if self.pool.num_slots:
            against = games[self.rng.random(len(games)) < self.opponent_share]
            slots = self.rng.integers(self.pool.num_slots, size=len(against))
            seats = self.rng.integers(table.vector.num_players, size=len(against))
            table.owners[against] = 1 + slots[:, None]
            table.owners[against, seats] = LEARNER

    def carry_open_decisions(self) -> None:
        """Move the decisions that can not be learnt from yet to the front of the emptied buffers."""
        next_of = self.arrays["next_of"]
        if self.whole_episodes:
            places = np.flatnonzero(~complete(next_of[: self.count]))
        else:
            places = np.sort(self.last[self.last >= 0])
        for array in self.arrays.values():
            array[: len(places)] = array[places]
        self.count = len(places)
        linked = next_of[: self.count] >= 0
        next_of[: self.count][linked] = np.searchsorted(places, next_of[: self.count][linked])
        self.last[self.last >= 0] = np.searchsorted(places, self.last[self.last >= 0])

    @torch.inference_mode()
    def collect(self, network: Any) -> dict[str, float]:
        """Advance all games by ``steps``; returns what happened."""
        self.carry_open_decisions()
        self.reserve(self.count + len(self.owners) * self.steps)
        arrays = self.arrays
        carried, episodes, truncated = self.count, 0, 0
        for _ in range(self.steps):
            self._decide(network)
            for i, table in enumerate(self.tables):
                vector = table.vector
                for slot in range(self.pool.num_slots):
                    rows = np.flatnonzero(table.deciders == 1 + slot)
                    if rows.size:
                        observations, masks = vector.observations[rows], vector.action_masks[rows]
                        table.actions[rows] = self.pool.player(slot, i).act_batch(observations, masks, self.rng)
                vector.step(table.actions)
                vector.rewards[vector.truncations] = self.truncation_reward
                pay(vector.rewards, vector.dones, table.reward_scale, table.last, arrays["next_of"], arrays["rewards"])
                ended = np.flatnonzero(vector.dones)
                if ended.size:
                    episodes += ended.size
                    truncated += int(vector.truncations[ended].sum())
                    self.assign_seats(table, ended)
        return {"episodes": episodes, "truncated": truncated, "decisions": self.count - carried}

    def _decide(self, network: Any) -> None:
        """The learner's decisions in all games: made, and entered in the buffers."""
        arrays, start = self.arrays, self.count
        rows_of: list[np.ndarray] = []
        for i, table in enumerate(self.tables):
            vector = table.vector
            find_deciders(vector.action_masks, vector.actors, table.owners, table.actions, table.deciders)
            rows = np.flatnonzero(table.deciders == LEARNER)
            rows_of.append(rows)
            here = slice(self.count, self.count + rows.size)
            players = vector.num_players
            self.observed_columns.read(vector.observations, rows, players, arrays["observed"][here])
            arrays["masks"][here] = vector.action_masks[rows]
            if self.teachers is not None and rows.size:
                arrays["taught"][here] = self.teachers.chances(i, vector.observations[rows], vector.action_masks[rows])
            if self.hidden_columns is not None:
                observe.hidden(vector.states, vector.rules.params, 0, vector.num_envs, table.hidden_rows)
                self.hidden_columns.read(table.hidden_rows, rows, players, arrays["hidden"][here])
            record(rows, vector.actors, self.count, table.last, arrays["next_of"], arrays["rewards"])
            self.count += rows.size
        made = self.count - start
        if not made:
            return
        here = slice(start, self.count)
        inputs = self.buffers["observed"][start : start + padded(made, 128)]
        with autocast(self.device, self.low_precision):
            logits = network(inputs.to(self.device, non_blocking=True))[:made].float().cpu().numpy()
        self.choose(logits, arrays["masks"][here], self.rng, arrays["actions"][here], arrays["log_probs"][here])
        for table, rows in zip(self.tables, rows_of, strict=True):
            table.actions[rows] = arrays["actions"][start : start + rows.size]
            start += rows.size
