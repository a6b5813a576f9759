"""The compiled collector against a slow plain one, and advantages against their definition."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
import torch

from agents.network import Columns
from train.collector import Collector
from train.opponents import Pool
from train.ppo import Config, Learner
from train.trajectories import END, FORCED, LEARNER, OPEN, estimate_advantages, find_deciders
from uno_env.vector import UnoVector


def collector_for(config: Config) -> tuple[Collector, Learner]:
    cpu = torch.device("cpu")
    pool = Pool(config.opponents, config.snapshot_slots, config.pool_size, config.network, config.tables)
    collector = Collector(
        config.tables,
        pool,
        cpu,
        games=config.num_envs,
        steps=config.rollout_steps,
        seed=config.seed,
        opponent_share=config.opponent_share,
        network_players=config.network.num_players,
        episode=config.episode,
        reward=config.reward,
        hidden=True,
    )
    return collector, Learner(config, cpu)


class PlainCollector:
    """Watches the same games and keeps every trajectory as a plain list: (input, mask, action, reward until the next one)."""

    def __init__(self, collector: Collector) -> None:
        self.collector = collector
        self.running: dict[tuple[int, int, int], list[list]] = defaultdict(list)
        self.finished: list[list[list]] = []
        for number in range(len(collector.tables)):
            self._watch(number)

    def _watch(self, number: int) -> None:
        table = self.collector.tables[number]
        columns, step = self.collector.observed_columns, table.vector.step

        def watched(actions: np.ndarray) -> None:
            vector = table.vector
            owners = table.owners.copy()
            for game in range(vector.num_envs):
                seat, mask = int(vector.actors[game]), vector.action_masks[game].copy()
                if owners[game, seat] == LEARNER and mask.sum() > 1:
                    seen = read_slowly(columns, vector.observations[game], vector.num_players)
                    self.running[number, game, seat].append([seen, mask, int(actions[game]), 0.0])
            step(actions)
            for game in range(vector.num_envs):
                for seat in range(vector.num_players):
                    trajectory = self.running[number, game, seat]
                    if trajectory:
                        # Of variance 1 for any number of players: the winner gets 1, the n - 1 others -1 / (n - 1).
                        scale = (vector.num_players - 1) ** 0.5 if vector.reward == "win" else 1.0
                        trajectory[-1][3] += scale * float(vector.rewards[game, seat])
                        if vector.dones[game]:
                            self.finished.append(self.running.pop((number, game, seat)))

        table.vector.step = watched  # type: ignore[method-assign]


def read_slowly(columns: Columns, row: np.ndarray, players: int) -> np.ndarray:
    """What a network reads of an observation, by the definition of its entries."""
    values = []
    for column, at_most, terms, stride, last_stride in columns.table.tolist():
        found = [int(row[column + last_stride * (players - 2) + k * stride]) for k in range(terms)]
        values.append(sum(found if at_most < 0 else [value <= at_most for value in found]))
    return np.array(values, np.int8)


def walk(collector: Collector) -> tuple[list[list[int]], list[list[int]]]:
    """The places of finished and of unfinished trajectories in the buffer."""
    next_of = collector.arrays["next_of"][: collector.count]
    starts = set(range(collector.count)) - {int(place) for place in next_of if place >= 0}
    finished, unfinished = [], []
    for start in sorted(starts):
        places = [start]
        while next_of[places[-1]] >= 0:
            places.append(int(next_of[places[-1]]))
        (finished if next_of[places[-1]] == END else unfinished).append(places)
    return finished, unfinished


def rows_of(arrays: dict[str, np.ndarray], places: list[int]) -> list[tuple]:
    """Decisions in the buffer: observation, mask, action, reward."""
    seen, masks, actions, rewards = (arrays[name][places] for name in ("observed", "masks", "actions", "rewards"))
    return [(bytes(s), bytes(m), int(a), round(float(r), 4)) for s, m, a, r in zip(seen, masks, actions, rewards, strict=True)]


def plain_rows(trajectory: list[list]) -> list[tuple]:
    """The same of a plain trajectory."""
    return [(bytes(s.astype(np.int8)), bytes(m), a, round(r, 4)) for s, m, a, r in trajectory]


CASES = {
    "two": Config(num_envs=24, rollout_steps=60, opponents=("rule",), opponent_share=0.4, torch_threads=1, autocast=False, width=8),
    "official, three, all learner": Config(
        rules="official",
        num_players=3,
        num_envs=12,
        rollout_steps=150,
        opponent_share=0.0,
        torch_threads=1,
        autocast=False,
        width=8,
    ),
    "two to four, one network": Config(
        num_envs=24,
        player_counts=(2, 3, 4),
        rollout_steps=100,
        opponent_share=0.3,
        torch_threads=1,
        autocast=False,
        width=8,
    ),
    "points over matches": Config(
        num_envs=4,
        rollout_steps=1000,
        rules="how_to_play",
        episode="match",
        reward="points",
        torch_threads=1,
        autocast=False,
        width=8,
    ),
}


@pytest.mark.parametrize("config", CASES.values(), ids=CASES)
def test_collector_agrees_with_a_plain_one(config: Config) -> None:
    collector, learner = collector_for(config)
    plain = PlainCollector(collector)
    collected: dict[bytes, list] = {}
    for rollout in range(3):
        collector.collect(learner.actor)
        arrays, count = collector.arrays, collector.count
        finished, unfinished = walk(collector)
        # Every seat has one open decision at most, and `last` says where it is.
        assert sorted(places[-1] for places in unfinished) == sorted(collector.last[collector.last >= 0])
        next_of = arrays["next_of"][:count]
        assert (next_of[next_of >= 0] > np.flatnonzero(next_of >= 0)).all()
        assert (arrays["masks"][:count].sum(axis=1) > 1).all(), "a forced decision, or none, in what is learnt from"
        assert (arrays["masks"][np.arange(count), arrays["actions"][:count]] == 1).all()
        if rollout == 0:  # nothing was carried in: whole trajectories stand in the buffer
            assert finished
            assert sorted(rows_of(arrays, places) for places in finished) == sorted(map(plain_rows, plain.finished))
            running = [trajectory for trajectory in plain.running.values() if trajectory]
            assert sorted(rows_of(arrays, places) for places in unfinished) == sorted(map(plain_rows, running))
        for place in np.flatnonzero(next_of != OPEN):
            key = bytes(arrays["observed"][place]) + bytes(arrays["masks"][place]) + bytes([arrays["actions"][place]])
            collected.setdefault(key, []).append(round(float(arrays["rewards"][place]), 4))
    # Over several rollouts, each decision with a known successor was learnt from exactly once.
    expected: dict[bytes, list] = {}
    for trajectory in plain.finished + [t[:-1] for t in plain.running.values() if t]:
        for seen, mask, action, reward in trajectory:
            key = bytes(seen.astype(np.int8)) + bytes(mask) + bytes([action])
            expected.setdefault(key, []).append(round(reward, 4))
    assert {key: sorted(rewards) for key, rewards in collected.items()} == {
        key: sorted(rewards) for key, rewards in expected.items()
    }


def test_opponents_play_only_their_seats() -> None:
    collector, _ = collector_for(CASES["two"])
    collector.assign_seats(collector.tables[0], np.arange(24))
    mixed = (collector.owners != LEARNER).any(axis=1)
    assert 0 < mixed.sum() < 24
    assert ((collector.owners == LEARNER).sum(axis=1)[mixed] == 1).all()


def test_forced_actions_are_filled_in() -> None:
    vector = UnoVector(64, "research", seed=3, num_players=2)
    owners = np.zeros((64, 2), np.int8)
    owners[:, 1] = 2
    actions, deciders = np.full(64, -1, np.int64), np.zeros(64, np.int8)
    for _ in range(50):
        find_deciders(vector.action_masks, vector.actors, owners, actions, deciders)
        alone = vector.action_masks.sum(axis=1) == 1
        assert (deciders[alone] == FORCED).all()
        assert (deciders[~alone] == owners[np.arange(64), vector.actors][~alone]).all()
        assert (vector.action_masks[np.flatnonzero(alone), actions[alone]] == 1).all()
        vector.step(vector.action_masks.argmax(axis=1))


def test_advantages_by_definition() -> None:
    """Two players whose decisions alternate in the buffer; one trajectory ends, the other stays open."""
    rng = np.random.default_rng(0)
    discount, gae_lambda = 0.9, 0.7
    next_of = np.array([2, 3, 4, 5, END, 6, OPEN])  # trajectories 0-2-4 (over) and 1-3-5-6 (6 still open)
    rewards, values = rng.normal(size=7).astype(np.float32), rng.normal(size=7).astype(np.float32)
    estimates = np.zeros(7, np.float32)
    estimate_advantages(7, next_of, rewards, values, discount, gae_lambda, estimates)

    def definition(places: list[int], over: bool) -> list[float]:
        deltas = []
        for here, following in zip(places, [*places[1:], None], strict=True):
            if following is None and not over:
                break
            bootstrap = 0.0 if following is None else values[following]
            deltas.append(rewards[here] + discount * bootstrap - values[here])
        return [sum((discount * gae_lambda) ** k * delta for k, delta in enumerate(deltas[t:])) for t in range(len(deltas))]

    assert estimates[[0, 2, 4]] == pytest.approx(definition([0, 2, 4], over=True), rel=1e-5)
    assert estimates[[1, 3, 5]] == pytest.approx(definition([1, 3, 5, 6], over=False), rel=1e-5)
    assert estimates[6] == 0


def test_lambda_one_gives_the_outcome() -> None:
    """Without discount and with lambda 1 a return is what the player was paid from there on, whatever the critic says."""
    next_of = np.array([1, 2, END])
    rewards, values = np.array([0.5, 0.0, -1.0], np.float32), np.array([3.0, -2.0, 7.0], np.float32)
    estimates = np.zeros(3, np.float32)
    estimate_advantages(3, next_of, rewards, values, 1.0, 1.0, estimates)
    assert (estimates + values).tolist() == pytest.approx([-0.5, -1.0, -1.0])
