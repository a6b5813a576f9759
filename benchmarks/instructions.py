"""Instructions per decision, counted by callgrind: ``python -m benchmarks.instructions [--json PATH]`` (minutes; needs valgrind).

The compiled loop runs with two numbers of steps; the difference is what the steps took. valgrind knows no AVX-512, so the code is
compiled for AVX2 here; the code that runs at full speed has wider moves, and somewhat fewer instructions.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

RESULTS = Path(__file__).parent / "results" / "instructions.json"
BATCH, FEW, MANY = 64, 0, 1000
CASES = ("digital 4", "official 4", "masks digital 4")
TARGET = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": ""}


def child(case: str, steps: int) -> None:
    """Set up, then play ``steps`` steps."""
    from benchmarks import loops
    from benchmarks.ours import Batch

    *masks, rules, players = case.split()
    batch = Batch(rules, int(players), BATCH)
    if masks:
        loops.play_masks(batch.vector.states, batch.vector.rules.params, 0, steps)
    else:
        batch.play(steps)


def instructions(case: str, steps: int) -> int:
    """Instructions of a whole process."""
    work = [sys.executable, "-m", "benchmarks.instructions", "--child", case, str(steps)]
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *work]
    environment = os.environ | TARGET | {"PYTHONHASHSEED": "0"}
    subprocess.run(work, env=environment, check=True, capture_output=True)  # compiles
    told = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stderr
    found = re.search(r"Collected : (\d+)", told)
    if found is None:
        raise RuntimeError(f"callgrind did not count: {told[-2000:]}")
    return int(found[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="PATH", help=f"write the figures there, such as {RESULTS}")
    parser.add_argument("--child", nargs=2, metavar=("CASE", "STEPS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child[0], int(options.child[1]))
        return
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is not installed (apt-get install valgrind)")
    found = {case: round((instructions(case, MANY) - instructions(case, FEW)) / (BATCH * (MANY - FEW))) for case in CASES}
    for case, count in found.items():
        print(f"{case:18} {count:6} instructions per decision")
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
