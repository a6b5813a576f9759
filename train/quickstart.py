"""What ``make train`` runs: train a two-player policy for about five minutes, then measure it against the scripted agents."""

from __future__ import annotations

import argparse
import datetime
import sys
from collections.abc import Sequence
from pathlib import Path

from train import evaluate, ppo

CONFIG = Path(__file__).parents[1] / "configs" / "ppo" / "quickstart.yaml"
BASELINES = ("strategist", "rule", "random")


def main(argv: Sequence[str] | None = None) -> int:
    """Train, evaluate, print the table. Further arguments go to `train.ppo`."""
    parser = argparse.ArgumentParser(prog="python -m train.quickstart", description=__doc__)
    parser.add_argument("--config", default=str(CONFIG), help="training config (%(default)s)")
    parser.add_argument("--out", type=Path, help="run folder (default: runs/quickstart-TIME)")
    parser.add_argument("--games", type=int, default=10_000, help="games of each pairing in the evaluation (%(default)s)")
    options, rest = parser.parse_known_args(argv)
    out = options.out or Path("runs") / f"quickstart-{datetime.datetime.now():%Y%m%d-%H%M%S}"
    print(f"Training into {out} (Ctrl-C stops early and saves)", flush=True)
    failed = ppo.main(["--config", options.config, "--out", str(out), *rest])
    if failed:
        return failed
    print(f"Playing {options.games:,} games of each pairing", flush=True)
    games = ["--games", str(options.games), "--out", str(out / "evaluation")]
    evaluate.main([str(out), *BASELINES, *games])
    return 0


if __name__ == "__main__":
    sys.exit(main())
