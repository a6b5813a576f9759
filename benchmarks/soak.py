"""A long run in which memory must not grow: ``python -m benchmarks.soak --decisions 5e9 [--json PATH]``.

Plays in turn: `UnoVector` in a compiled loop and step by step (the decisions that are counted), and, in each span, some rounds of
the PettingZoo environment, the Gymnasium environment and `Game`, with copies and redrawn games. Says the resident memory over time.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import time
from pathlib import Path

from benchmarks.ours import Batch, aec_loop, gymnasium_loop, of_a_game, push_loop
from uno_env import Game, uno_v0

RESULTS = Path(__file__).parent / "results" / "soak.json"


def resident() -> int:
    """Bytes of memory that this process holds (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def soak(decisions: float, spans: int) -> dict[str, object]:
    """Play; memory is looked at after each of ``spans`` equal parts, the first of which is for warming up."""
    batches = [
        Batch(rules, n, num_threads=threads) for rules, n, threads in (("digital", 4, 1), ("official", 10, 1), ("party", 6, 2))
    ]
    small = [aec_loop(uno_v0.env("official", 4)), gymnasium_loop(4), push_loop("party", 5), of_a_game(Game.copy)]
    small.append(of_a_game(lambda game: game.resample(0, 1)))
    loops = [measure for batch in batches for measure in (batch.compiled(), batch.from_numpy())]
    sizes, start, played = [], time.perf_counter(), 0.0
    for span in range(spans):
        while played < decisions * (span + 1) / spans:
            for measure in loops:
                before = time.perf_counter()
                rate = measure(0.5)
                played += rate * min(0.5, time.perf_counter() - before)
        for measure in small:
            measure(0.5)
        gc.collect()
        sizes.append(resident())
        print(f"{played:.3g} decisions, {time.perf_counter() - start:.0f} s: {sizes[-1] / 2**20:.2f} MiB", flush=True)
    minutes, grown = (time.perf_counter() - start) / 60, (sizes[-1] - sizes[0]) / 2**10
    told = (
        f"{played:.3g} decisions of `UnoVector` (environments of one game in between) in {minutes:.0f} minutes: resident memory "
        f"{sizes[0] / 2**20:.1f} MiB after the first {1 / spans:.0%}, {sizes[-1] / 2**20:.1f} MiB at the end ({grown:+.0f} KiB)."
    )
    return {"decisions": round(played), "minutes": round(minutes, 1), "resident": sizes, "told": told}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--decisions", type=float, default=1e9, help="how many to play (default: 1e9; an hour's worth is about 3e10)"
    )
    parser.add_argument("--spans", type=int, default=20, help="how often memory is looked at (default: 20)")
    parser.add_argument("--json", type=Path, metavar="PATH", help=f"write the figures there, such as {RESULTS}")
    options = parser.parse_args(arguments)
    found = soak(options.decisions, options.spans)
    print(found["told"])
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
