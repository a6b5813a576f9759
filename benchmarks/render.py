"""Frames a second of ``render_mode="rgb_array"``: ``python benchmarks/render.py``.

By the clock, and by the processor time of this process, which other work on the machine hardly slows down.
"""

from __future__ import annotations

import argparse
import random
import time

import numpy as np

from uno_env import uno_v0


def frames_per_second(num_players: int, width: int, seconds: float) -> tuple[float, float]:
    env = uno_v0.raw_env("official", num_players, render_mode="rgb_array", render_width=width)
    rng = random.Random(0)
    env.reset(seed=0)
    frames, spent, worked, warm = 0, 0.0, 0.0, 0
    while spent < seconds:
        if not env.agents or any(env.terminations.values()) or any(env.truncations.values()):
            env.reset()
        mask = env.last()[0]["action_mask"]  # type: ignore[index]
        env.step(rng.choice(np.flatnonzero(mask).tolist()))
        start, busy = time.perf_counter(), time.process_time()
        env.render()
        if warm < 20:  # the cards are drawn once
            warm += 1
            continue
        spent += time.perf_counter() - start
        worked += time.process_time() - busy
        frames += 1
    return frames / spent, frames / worked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=3.0, help="of drawing, for each line (%(default)s)")
    options = parser.parse_args()
    print("players  size       frames/s  by processor time")
    for num_players, width in ((2, 960), (4, 480), (4, 960), (4, 1920), (10, 960)):
        rate, by_processor = frames_per_second(num_players, width, options.seconds)
        print(f"{num_players:7d}  {width:4d}x{width * 2 // 3:<4d}  {rate:8.0f}  {by_processor:17.0f}")


if __name__ == "__main__":
    main()
