"""Make a trained policy one of those that ship: its weights, and beside them where it comes from and what it is worth.

    python -m train.ship runs/two_player agents/pretrained/two_player.safetensors

Writes the best model of the run folder (``runs/two_player/last.safetensors`` means its last one), and next to it a JSON file of the
same name: the run's config and versions, its learning curve (the evaluations on the way), and the rounds it wins of scripted agents
on fresh deals, at every table it was trained for. ``tests/train/test_champion.py`` holds the shipped networks to these figures.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.torch_policy import TorchPolicy, save_model, write_atomically
from train.curves import read_run, win_rate_curves
from train.evaluate import evaluate, provenance, torch_threads
from uno_env.rules import Rules

AGAINST = ("random", "rule", "actions_first", "strategist")
"""Whose games tell how strong a network is."""
SEED = 2**20
"""Of the deals: others than those on which a training chose its best model, or on which tournaments are played."""


def strength(policy: TorchPolicy, tables: Sequence[Rules], names: Sequence[str], games: int) -> list[dict[str, Any]]:
    """What a policy wins of each of `AGAINST` at each table, called by its name in ``names``: one entry each."""
    found = []
    for rules, name in zip(tables, names, strict=True):
        measured = evaluate({"network": policy}, opponents=AGAINST, rules=rules, games=games, seed=SEED)
        found += [
            {
                "rules": name,
                "num_players": rules.num_players,
                "opponent": pairing.opponent,
                "win_rate": dataclasses.asdict(pairing.win_rate),
                "games": pairing.games,
            }
            for pairing in measured.pairings
        ]
    return found


def ship(folder: str | Path, path: str | Path, *, presets: Sequence[str], games: int, greedy: bool | None = None) -> dict[str, Any]:
    """Write the model and what is told of it; returns the latter.

    Args:
        folder: the run, or a model in its folder.
        path: the model file to write; the other file has the suffix ``.json``.
        presets: rules under which it is measured.
        games: games of each pairing, at least.
        greedy: whether it is to play its likeliest action; None for as the run says.

    Raises:
        ValueError: for a folder that is no run of `train.ppo`, or a path that does not end in ``.safetensors``.
        FileNotFoundError: where the run has no model yet.
    """
    folder, path = Path(folder), Path(path)
    if path.suffix != ".safetensors":
        raise ValueError(f"{path}: expected a file name that ends in .safetensors")
    policy = TorchPolicy.load(folder, greedy=greedy) if folder.is_file() else None
    folder = folder.parent if policy else folder
    run = read_run(folder)
    policy = policy or TorchPolicy.load(folder, greedy=greedy)
    counts = sorted(set(run.config.get("player_counts") or [run.players]))
    tables = [(Rules.of(preset, count), preset) for preset in presets for count in counts]
    told = {
        "network": dataclasses.asdict(policy.network),
        "greedy": policy.greedy,
        "rules": policy.rules.to_dict() | {"num_players": policy.rules.num_players},
        "trained": {
            "config": run.config,
            "versions": json.loads((folder / "versions.json").read_text(encoding="utf-8")),
            "steps": policy.about.get("steps"),
            "minutes": round(float(run.series["minutes"].values[-1]), 1),
            "curve": win_rate_curves(run),
        },
        "strength": strength(policy, [rules for rules, _ in tables], [name for _, name in tables], games),
        "made": provenance(),
    }
    about = {name: policy.about[name] for name in ("run", "updates", "steps") if name in policy.about}
    save_model(path, policy.actor.state_dict(), policy.network, policy.rules, greedy=policy.greedy, **about)
    told["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    write_atomically(path.with_suffix(".json"), f"{json.dumps(told, indent=1)}\n".encode())
    return told


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; see ``--help``."""
    parser = argparse.ArgumentParser(prog="python -m train.ship", description="Make a trained policy one of those that ship.")
    parser.add_argument("run", type=Path, help="run folder of train.ppo, or a model in one")
    parser.add_argument("model", type=Path, help="the .safetensors file to write; a .json of the same name goes beside it")
    parser.add_argument(
        "--rules", nargs="+", default=["research", "digital"], help="presets under which it is measured (%(default)s)"
    )
    parser.add_argument("--games", type=int, default=40_000, help="games of each pairing (%(default)s)")
    parser.add_argument(
        "--greedy", action=argparse.BooleanOptionalAction, help="play the likeliest action (default: as the run says)"
    )
    options = parser.parse_args(argv)
    try:
        with torch_threads(1):
            told = ship(options.run, options.model, presets=options.rules, games=options.games, greedy=options.greedy)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    for one in told["strength"]:
        rate = one["win_rate"]
        interval = f"{100 * rate['mean']:.1f} [{100 * rate['low']:.1f}, {100 * rate['high']:.1f}]"
        print(f"{one['rules']}, {one['num_players']} players, against {one['opponent']}: {interval} of {one['games']:,}")
    print(f"written: {options.model}, {options.model.with_suffix('.json')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
