"""Speed of everything, beside peers, in one run: ``python -m benchmarks.throughput [--json PATH]`` (about five minutes).

Every decision is a uniformly random legal action, rounds are restarted, and nothing is left out of the loop that makes the
decision. Each subject is measured several times, in turn with all others; medians count. Everything stays on one core but for what
says "of 2 cores". `benchmarks.report` writes ``docs/performance.md`` from the JSON.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import statistics
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import ours, peers
from benchmarks.measuring import Subject, measure_all, on_cores

RESULTS = Path(__file__).parent / "results" / "throughput.json"
LIBRARIES = ("numpy", "numba", "gymnasium", "pettingzoo", "rlcard", "open-spiel", "jax", "pgx")


def processor() -> str:
    """The processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def bandwidth(megabytes: int = 256, repeats: int = 8) -> dict[str, float]:
    """Bytes per second that one core writes, to memory and within its cache: the best of some fillings of a buffer."""
    from benchmarks.measuring import repeated

    found = {}
    for name, size in (("memory", megabytes << 20), ("cache", 1 << 18)):
        buffer = np.zeros(size, np.int8)
        measure = repeated(lambda buffer=buffer: buffer.fill(1), size)
        found[name] = max(measure(0.1) for _ in range(repeats))
    return found


def version(library: str) -> str | None:
    """The installed version, or None."""
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return None


def report_of(subjects: list[Subject], missing: dict[str, str], options: dict[str, Any]) -> dict[str, Any]:
    """What the JSON holds."""
    with on_cores(1):
        written = bandwidth()
    return {
        "date": datetime.date.today().isoformat(),
        "machine": {"processor": processor(), "cores": os.cpu_count(), "load": [round(x, 1) for x in os.getloadavg()]},
        "note": options["note"],
        "python": platform.python_version(),
        "versions": {library: version(library) for library in LIBRARIES},
        "options": {name: options[name] for name in ("seconds", "repeats")},
        "bytes_written_per_second": {name: round(figure) for name, figure in written.items()},
        "results": [
            {
                "name": subject.name,
                "unit": subject.unit,
                "per_second": round(statistics.median(subject.figures)),
                "lowest": round(min(subject.figures)),
                "highest": round(max(subject.figures)),
            }
            for subject in subjects
            if subject.figures
        ],
        "missing": missing,
    }


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="only subjects whose name has this text in it, such as 'Game.' or 'batch'"
    )
    parser.add_argument("--seconds", type=float, default=0.4, help="of each measurement (default: 0.4)")
    parser.add_argument("--repeats", type=int, default=7, help="measurements of each, of which the median counts (default: 7)")
    parser.add_argument(
        "--json", type=Path, metavar="PATH", help="write the figures there; make bench: benchmarks/results/throughput.json"
    )
    parser.add_argument("--note", default="", help="kept in the JSON, such as 'shared machine'")
    options = parser.parse_args(arguments)

    subjects = [subject for subject in (*ours.subjects(), *peers.subjects()) if options.only in subject.name]
    if not subjects:
        parser.error(f"--only {options.only!r}: no subject has that in its name")
    missing = measure_all(subjects, options.repeats, options.seconds)
    report = report_of(subjects, missing, vars(options))
    width = max(len(subject.name) for subject in subjects)
    for row in report["results"]:
        figures = "  ".join(f"{row[key]:13,}" for key in ("per_second", "lowest", "highest"))
        print(f"{row['name']:{width}}  {figures}  {row['unit']}/s")
    for name, reason in missing.items():
        print(f"{name:{width}}  {reason}")
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
