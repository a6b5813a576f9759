"""Where the time of a PPO update goes: ``python benchmarks/training.py [--config FILE] [--updates 10] [--json FILE]``.

Every part is timed inside the real training loop, on one thread unless ``--torch-threads`` says otherwise; parts are exclusive of
each other. The last lines say what overlapping collection with learning could gain at most: the shorter of the two, hidden
behind the longer one, at the price of learning from decisions of an older policy.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from train import collector as collecting
from train.config import load
from train.ppo import Config, Run

CONFIG = Path(__file__).parents[1] / "configs" / "ppo" / "two_player.yaml"


class Clock:
    """Seconds by part, each without the parts that are timed inside it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._inside: list[float] = []

    def timed(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """``function``, its time credited to ``part``."""

        def wrapped(*args: Any, **kwargs: Any) -> Any:
            self._inside.append(0.0)
            start = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                spent = time.perf_counter() - start
                self.seconds[part] = self.seconds.get(part, 0.0) + spent - self._inside.pop()
                if self._inside:
                    self._inside[-1] += spent

        return wrapped


def watch(run: Run, clock: Clock) -> None:
    """Time the parts of a run."""
    collector, learner = run.collector, run.learner
    for table in collector.tables:
        table.vector.step = clock.timed("environment", table.vector.step)  # type: ignore[method-assign]
    for columns in (collector.observed_columns, collector.hidden_columns):
        if columns is not None:
            columns.read = clock.timed("reading observations", columns.read)  # type: ignore[method-assign]
    for name in ("find_deciders", "pay", "record"):
        setattr(collecting, name, clock.timed("trajectories", getattr(collecting, name)))
    collecting.observe.hidden = clock.timed("reading observations", collecting.observe.hidden)
    pool = run.pool
    inner = pool.player

    def player(slot: int, table: int) -> Any:
        class Timed:
            act_batch = staticmethod(clock.timed("opponents", inner(slot, table).act_batch))

        return Timed

    pool.player = player  # type: ignore[method-assign]
    collector.choose = clock.timed("sampling", collector.choose)
    collector.collect = clock.timed("collection, rest", collector.collect)  # type: ignore[method-assign]
    forward = learner.actor.forward
    asked = clock.timed("inference", forward)
    in_collection = [False]
    collect = collector.collect

    def collecting_now(network: Any) -> Any:
        in_collection[0] = True
        try:
            return collect(network)
        finally:
            in_collection[0] = False

    collector.collect = collecting_now  # type: ignore[method-assign]
    learner.actor.forward = lambda rows: asked(rows) if in_collection[0] else forward(rows)  # type: ignore[method-assign]
    learner.update = clock.timed("learning", learner.update)  # type: ignore[method-assign]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", type=Path, default=CONFIG)
    parser.add_argument("--updates", type=int, default=10, help="updates that are timed (%(default)s)")
    parser.add_argument("--torch-threads", type=int, default=1)
    parser.add_argument("--num-envs", type=int)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--json", type=Path, help="write the result here as well")
    options = parser.parse_args()
    config = dataclasses.replace(load(Config, options.config), torch_threads=options.torch_threads, device=options.device)
    if options.num_envs:
        config = dataclasses.replace(config, num_envs=options.num_envs)
    with tempfile.TemporaryDirectory() as folder:
        run = Run(config, Path(folder) / "run")
        run.pool.add(run.learner.actor, np.random.default_rng(0))  # a snapshot plays, as in most of a run
        for _ in range(2):
            run.collector.collect(run.learner.actor)
            run.learner.update(run.collector.buffers, run.collector.count, 0.0)
        clock = Clock()
        watch(run, clock)
        start = time.perf_counter()
        for _ in range(options.updates):
            run.collector.collect(run.learner.actor)
            run.learner.update(run.collector.buffers, run.collector.count, 0.0)
        total = time.perf_counter() - start
    steps = options.updates * config.num_envs * config.rollout_steps
    learning = clock.seconds["learning"]
    collection = total - learning
    shares = {part: spent / total for part, spent in sorted(clock.seconds.items(), key=lambda item: -item[1])}
    result = {
        "config": options.config.name,
        "num_envs": config.num_envs,
        "torch_threads": config.torch_threads,
        "device": options.device,
        "cpus": os.cpu_count(),
        "steps_per_second": round(steps / total),
        "shares": {part: round(share, 4) for part, share in shares.items()},
        "overlap_at_most": round(total / max(learning, collection), 3),
    }
    print(f"{result['steps_per_second']:,} steps a second with {config.num_envs} games")
    for part, share in shares.items():
        print(f"{part:22} {share:6.1%}")
    print(f"overlapping collection with learning, a core for each, would be at most {result['overlap_at_most']} times as fast")
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
