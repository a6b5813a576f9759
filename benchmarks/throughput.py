"""Decisions per second, beside RLCard's Uno in the same run: ``python benchmarks/throughput.py [--json PATH]``.

Every decision is chosen uniformly from the legal ones, and an observation and a mask are made for each. RLCard is measured if it is
installed (``pip install rlcard``). The figures are medians of several repetitions on one core, one after another in each
repetition, so that a busy moment meets them all alike.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from uno_env import Game, UnoVector, uno_v0
from uno_env.engine.generator import mix
from uno_env.jit import jit
from uno_env.state import NUM_ACTIONS
from uno_env.vector import advance

Measure = Callable[[float], float]
"""Plays for about so many seconds and returns decisions per second."""


@jit
def choose(masks, step, actions):
    """A uniform legal action in each game."""
    legal = np.empty(NUM_ACTIONS, np.int64)
    for i in range(masks.shape[0]):
        count = np.int64(0)
        for action in range(NUM_ACTIONS):
            if masks[i, action] != 0:
                legal[count] = action
                count += 1
        actions[i] = legal[np.int64(mix(np.uint64(step * masks.shape[0] + i)) >> np.uint64(32)) % count]


@jit
def play(states, rules, first, steps, actions, observations, masks, actors, rewards, dones, truncations, winners):
    """``steps`` decisions in every game, without leaving compiled code."""
    for step in range(first, first + steps):
        choose(masks, step, actions)
        advance(
            states,
            rules,
            0,
            states.shape[0],
            actions,
            False,
            0,
            observations,
            masks,
            actors,
            rewards,
            dones,
            truncations,
            winners,
        )


class Batch:
    """`UnoVector`: whole games in compiled code, or step by step with actions from NumPy."""

    def __init__(self, rules: str, num_players: int, num_envs: int) -> None:
        self.vector = UnoVector(num_envs, rules, seed=1, num_players=num_players)
        self.actions = np.zeros(num_envs, np.int64)
        self.steps = 0
        self._play(1)

    def _play(self, steps: int) -> None:
        v = self.vector
        arrays = (v.observations, v.action_masks, v.actors, v.rewards, v.dones, v.truncations, v.winners)
        play(v.states, v.rules.params, self.steps, steps, self.actions, *arrays)
        self.steps += steps

    def compiled(self, seconds: float) -> float:
        start, first = time.perf_counter(), self.steps
        while (spent := time.perf_counter() - start) < seconds:
            self._play(16)
        return (self.steps - first) * self.vector.num_envs / spent

    def from_numpy(self, seconds: float) -> float:
        """The time of `UnoVector.step` alone; choosing is the caller's business."""
        spent, first = 0.0, self.steps
        while spent < seconds:
            choose(self.vector.action_masks, self.steps, self.actions)
            start = time.perf_counter()
            self.vector.step(self.actions)
            spent += time.perf_counter() - start
            self.steps += 1
        return (self.steps - first) * self.vector.num_envs / spent


def aec(env: Any) -> Measure:
    """The loop of PettingZoo's documentation: last(), choose from the mask, step()."""
    rng = random.Random(1)
    env.reset(seed=1)

    def measure(seconds: float) -> float:
        decisions, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            for _ in env.agent_iter():
                observation, _, termination, truncation, _ = env.last()
                if termination or truncation:
                    env.step(None)
                else:
                    env.step(rng.choice(observation["action_mask"].nonzero()[0].tolist()))
                    decisions += 1
            env.reset()
        return decisions / spent

    return measure


def single_game(rules: str, num_players: int) -> Measure:
    """`Game`: legal_actions(), push(). It also keeps a history of what every action did."""
    rng, seeds = random.Random(1), iter(range(10**9))

    def measure(seconds: float) -> float:
        decisions, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            game = Game(rules, next(seeds), num_players=num_players)
            while legal := game.legal_actions():
                game.push(rng.choice(legal))
                decisions += 1
        return decisions / spent

    return measure


def rlcard_uno() -> Measure:
    """RLCard's Uno, two players (it makes two whatever it is asked for)."""
    import rlcard  # type: ignore[import-not-found]

    rng = random.Random(1)
    env = rlcard.make("uno", config={"seed": 1})

    def measure(seconds: float) -> float:
        decisions, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            state, _ = env.reset()
            try:
                while not env.is_over():
                    state, _ = env.step(rng.choice(list(state["legal_actions"])))
                    decisions += 1
            except IndexError:  # both of its piles are empty
                pass
        return decisions / spent

    return measure


def subjects(rules: str, num_envs: int) -> dict[str, Measure]:
    """What is measured, by name; making it compiles what it needs."""
    found: dict[str, Measure] = {}
    for n in (2, 4, 10):
        batch = Batch(rules, n, num_envs)
        found[f"UnoVector, compiled loop, {n} players"] = batch.compiled
        found[f"UnoVector.step(), actions from NumPy, {n} players"] = batch.from_numpy
    for n in (2, 4):
        found[f"AEC raw_env(), {n} players"] = aec(uno_v0.raw_env(rules, num_players=n))
        found[f"AEC env(), {n} players"] = aec(uno_v0.env(rules, num_players=n))
        found[f"Game.push(), {n} players"] = single_game(rules, n)
    if importlib.util.find_spec("rlcard"):
        found["RLCard Uno, 2 players"] = rlcard_uno()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="official", help="a preset's name or a YAML file (default: official)")
    parser.add_argument("--games", type=int, default=1024, metavar="N", help="games in a UnoVector (default: 1024)")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each measurement (default: 0.5)")
    parser.add_argument("--repeats", type=int, default=5, help="measurements of each, of which the median counts (default: 5)")
    parser.add_argument("--json", metavar="PATH", help="write the figures there as well; - for standard output alone")
    options = parser.parse_args()

    measures = subjects(options.rules, options.games)
    for measure in measures.values():
        measure(options.seconds / 5)  # warm
    runs: dict[str, list[float]] = {name: [] for name in measures}
    for number in range(options.repeats):
        for name, measure in measures.items():
            runs[name].append(measure(options.seconds))
        print(f"repetition {number + 1} of {options.repeats}", file=sys.stderr)

    rlcard = next((statistics.median(figures) for name, figures in runs.items() if name.startswith("RLCard")), None)
    results = [
        {
            "name": name,
            "decisions_per_second": round(statistics.median(figures)),
            "lowest": round(min(figures)),
            "highest": round(max(figures)),
            "times_rlcard": round(statistics.median(figures) / rlcard, 2) if rlcard else None,
        }
        for name, figures in runs.items()
    ]
    if options.json:
        versions = {name: importlib.metadata.version(name) for name in ("numpy", "numba", "pettingzoo")}
        if rlcard:
            versions["rlcard"] = importlib.metadata.version("rlcard")
        report = {
            "machine": {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()},
            "python": platform.python_version(),
            "versions": versions,
            "options": {name: value for name, value in vars(options).items() if name != "json"},
            "results": results,
        }
        document = json.dumps(report, indent=2)
        if options.json == "-":
            print(document)
            return
        with open(options.json, "w", encoding="utf-8") as file:
            file.write(document + "\n")
    width = max(len(name) for name in runs)
    print(f"\n{'':{width}}  {'decisions/s':>12}  {'lowest':>12}  {'highest':>12}  {'x RLCard':>9}")
    for row in results:
        ratio = "" if row["times_rlcard"] is None else f"{row['times_rlcard']:9.2f}"
        figures = "  ".join(f"{row[key]:12,}" for key in ("decisions_per_second", "lowest", "highest"))
        print(f"{row['name']:{width}}  {figures}  {ratio:>9}")
    if rlcard is None:
        print("RLCard Uno: not installed (pip install rlcard)")


if __name__ == "__main__":
    main()
