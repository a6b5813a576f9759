"""What is measured of this project: the batch environment, the environments of one game, the engine by itself."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from agents.base import NO_SETTINGS
from benchmarks import loops
from benchmarks.measuring import Measure, Subject, repeated, timed_calls
from uno_env import OBS_SIZE, Game, Rules, UnoEnv, UnoVector, uno_v0
from uno_env.state import new_states

BATCH = 1024
SPAN = 1 << 15
"""Decisions between two looks at the clock, in compiled loops."""


class Batch:
    """`UnoVector` with uniformly random legal actions: in a compiled loop, or step by step with actions from NumPy."""

    def __init__(self, rules: str = "digital", num_players: int = 4, num_envs: int = BATCH, num_threads: int = 1) -> None:
        self.vector = UnoVector(num_envs, rules, seed=1, num_threads=num_threads, num_players=num_players)
        self.actions = np.zeros(num_envs, np.int64)
        self.count = 0
        self.slices = self.vector._slices
        self.pool = ThreadPoolExecutor(num_threads)
        self.play(256)  # into the middle of rounds

    def play(self, steps: int) -> None:
        v = self.vector
        arrays = (self.actions, v.observations, v.action_masks, v.actors, v.rewards, v.dones, v.truncations, v.winners)
        if len(self.slices) == 1:
            loops.play(v.states, v.rules.params, 0, v.num_envs, self.count, steps, *arrays)
        else:
            jobs = [
                self.pool.submit(loops.play, v.states, v.rules.params, *ends, self.count, steps, *arrays) for ends in self.slices
            ]
            for job in jobs:
                job.result()
        self.count += steps

    def compiled(self) -> Measure:
        n = self.vector.num_envs
        steps = max(1, len(self.slices) * SPAN // n)
        return repeated(lambda: self.play(steps), steps * n)

    def masks_only(self) -> Measure:
        n, states, params = self.vector.num_envs, self.vector.states, self.vector.rules.params
        steps = max(1, SPAN // n)

        def play() -> None:
            loops.play_masks(states, params, self.count, steps)
            self.count += steps

        return repeated(play, steps * n)

    def from_numpy(self) -> Measure:
        """The time of `UnoVector.step`; choosing is the caller's business."""
        n = self.vector.num_envs

        def prepare() -> None:
            loops.choose(self.vector.action_masks, self.count * n, 0, n, self.actions)
            self.count += 1

        return timed_calls(prepare, lambda: self.vector.step(self.actions), n)

    def part(self, name: str) -> Measure:
        """One part of a decision by itself, in all games as they stand."""
        v, repeats = self.vector, max(1, SPAN // self.vector.num_envs)
        calls: dict[str, Callable[[], None]] = {
            "choose": lambda: loops.choose_again(v.action_masks, self.actions, repeats),
            "mask": lambda: loops.write_masks(v.states, v.rules.params, v.action_masks, repeats),
            "observation": lambda: loops.write_observations(v.states, v.rules.params, v.observations, repeats),
        }
        return repeated(calls[name], repeats * v.num_envs)


def aec_loop(env: Any) -> Measure:
    """The loop of PettingZoo's documentation: last(), choose from the mask, step(), reset()."""
    rng = random.Random(1)

    def episode() -> int:
        decisions = 0
        env.reset(seed=rng.randrange(2**31))
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
            else:
                env.step(rng.choice(observation["action_mask"].nonzero()[0].tolist()))
                decisions += 1
        return decisions

    return repeated(episode)


def gymnasium_loop(num_players: int) -> Measure:
    """One learner against players that place a random card; a step of the learner counts, not those of the others."""
    rng = random.Random(1)
    env = UnoEnv(rules="digital", num_players=num_players)

    def episode() -> int:
        decisions = 0
        _, info = env.reset(seed=rng.randrange(2**31))
        done = False
        while not done:
            _, _, terminated, truncated, info = env.step(rng.choice(info["action_mask"].nonzero()[0].tolist()))
            done = terminated or truncated
            decisions += 1
        return decisions

    return repeated(episode)


def push_loop(rules: str, num_players: int) -> Measure:
    """`Game`: legal_actions(), push(), with a history of what every action did."""
    rng = random.Random(1)

    def episode() -> int:
        decisions = 0
        game = Game(rules, rng.randrange(2**31), num_players=num_players)
        while legal := game.legal_actions():
            game.push(rng.choice(legal))
            decisions += 1
        return decisions

    return repeated(episode)


def of_a_game(use: Callable[[Game], Any], moves: int = 20) -> Measure:
    """Calls of ``use`` with a game of four players some moves old."""
    game, rng = Game("digital", 1), random.Random(1)
    for _ in range(moves):
        game.push(rng.choice(game.legal_actions()))

    def many() -> None:
        for _ in range(100):
            use(game)

    return repeated(many, 100)


def middle_games(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Records of games of four players in full swing, and their rules."""
    batch = Batch(num_envs=count)
    return batch.vector.states.copy(), batch.vector.rules.params


def copies() -> Measure:
    """Records copied in compiled code."""
    states, _ = middle_games(16)
    return repeated(lambda: loops.copy_games(states, 1000), 15 * 1000)


def resamples() -> Measure:
    """Records copied and redrawn in compiled code."""
    states, params = middle_games(65)
    return repeated(lambda: loops.resample_games(states, params, 1), 64)


def rounds(by_rule: bool, num_players: int) -> Measure:
    """Whole rounds in compiled code, the deal included."""
    params = Rules.preset("digital", num_players=num_players).params
    states, row, seeds = new_states(1), np.zeros(OBS_SIZE, np.int8), iter(range(0, 10**12, 100))
    number = 100 if by_rule else 4

    def play() -> None:
        loops.play_rounds(states, params, row, NO_SETTINGS, by_rule, next(seeds), number)

    return repeated(play, number)


def subjects() -> Iterator[Subject]:
    """All of them; the options of `Batch` are in the names."""
    unit = "decisions"
    for rules in ("digital", "official", "party"):
        for n in (2, 4, 10):
            yield Subject(f"compiled loop, {rules}, {n} players", unit, lambda r=rules, n=n: Batch(r, n).compiled())
    for n in (2, 4, 10):
        yield Subject(f"compiled loop, masks alone, digital, {n} players", unit, lambda n=n: Batch("digital", n).masks_only())
    for n in (2, 4, 10):
        yield Subject(f"UnoVector.step(), official, {n} players", unit, lambda n=n: Batch("official", n).from_numpy())
    for size in (1, 8, 64, 256, 1024, 2048, 4096, 8192):
        yield Subject(f"compiled loop, digital, 4 players, batch {size}", unit, lambda s=size: Batch(num_envs=s).compiled())
    for size in (1, 64, 1024, 8192):
        yield Subject(f"UnoVector.step(), digital, 4 players, batch {size}", unit, lambda s=size: Batch(num_envs=s).from_numpy())
    for threads in (1, 2):
        yield Subject(
            f"compiled loop, digital, 4 players, {threads} of 2 cores",
            unit,
            lambda t=threads: Batch(num_threads=t).compiled(),
            cores=2,
        )
        yield Subject(
            f"UnoVector.step(), digital, 4 players, batch 8192, {threads} of 2 cores",
            unit,
            lambda t=threads: Batch(num_envs=8192, num_threads=t).from_numpy(),
            cores=2,
        )
    for rules in ("digital", "official"):
        for part in ("choose", "mask", "observation"):
            yield Subject(f"part {part}, {rules}, 4 players", unit, lambda r=rules, p=part: Batch(r, num_envs=64).part(p))
        yield Subject(f"part all, {rules}, 4 players", unit, lambda r=rules: Batch(r, num_envs=64).compiled())
    for n in (2, 4):
        yield Subject(f"PettingZoo raw_env(), digital, {n} players", unit, lambda n=n: aec_loop(uno_v0.raw_env("digital", n)))
        yield Subject(f"PettingZoo env(), digital, {n} players", unit, lambda n=n: aec_loop(uno_v0.env("digital", n)))
        yield Subject(f"Gymnasium UnoEnv, digital, {n} players", "learner's decisions", lambda n=n: gymnasium_loop(n))
        yield Subject(f"Game.push(), digital, {n} players", unit, lambda n=n: push_loop("digital", n))
        yield Subject(f"random rounds, compiled, digital, {n} players", "rounds", lambda n=n: rounds(False, n))
        yield Subject(f"rule against rule, compiled, digital, {n} players", "rounds", lambda n=n: rounds(True, n))
    yield Subject("Game.copy(), 4 players", "copies", lambda: of_a_game(Game.copy))
    yield Subject("Game.resample(), 4 players", "redrawn games", lambda: of_a_game(lambda game: game.resample(0, 1)))
    yield Subject("copy of a game, compiled", "copies", copies)
    yield Subject("copy and resample, compiled, 4 players", "redrawn games", resamples)
