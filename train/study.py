"""What helps in training: ``python -m train.study configs/study/two_player.yaml --out runs/study``.

Trains every variant of a base config with every seed, measures each against scripted agents in the same deals, and writes
``study.json`` with the mean over seeds and its 95% interval, and draws their learning curves. Finished trainings are kept, so a
study that was stopped goes on.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from agents.torch_policy import TorchPolicy
from train import checkpoints, dmc, plot, ppo, run
from train.config import ConfigError, from_mapping, load
from train.curves import Group, read_run, win_rate_curves
from train.drawing import render, write_files
from train.estimate import Estimate
from train.evaluate import evaluate, provenance

METHODS: dict[str, tuple[type[Any], type[Any]]] = {"ppo": (ppo.Config, ppo.Run), "dmc": (dmc.Config, dmc.Run)}


@dataclass(frozen=True, kw_only=True)
class Study:
    """What to compare."""

    base: str = "configs/ppo/two_player.yaml"
    """The config that all variants start from."""
    common: dict[str, Any] = dataclasses.field(default_factory=dict)
    """Fields changed in all of them."""
    variants: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    """Fields changed in each variant, by its name. The key ``method`` picks ``ppo`` (default) or ``dmc``; a variant of another
    method than the base keeps those of the base's fields that its config knows. ``seeds`` outranks the study's."""
    seeds: tuple[int, ...] = (1,)
    """Each variant is trained with each of them."""
    against: tuple[str, ...] = ("random", "rule", "strategist")
    """Who the trained policies are measured against."""
    games: int = 20_000
    """Games of each pairing."""
    greedy: bool = True
    """Whether policies play their likeliest action when they are measured, or sample."""
    evaluation_seed: int = 1000
    """Decides the deals of the measurement."""


@dataclass(frozen=True)
class Training:
    """One training of a study."""

    variant: str
    seed: int
    method: str
    config: run.RunConfig

    @property
    def folder(self) -> str:
        """Its run folder, inside the study's."""
        return f"{self.variant.replace(' ', '_').replace('/', '-')}-{self.seed}"


def trainings(study: Study) -> list[Training]:
    """All trainings of a study; `ConfigError` for a variant that can not be."""
    base = load(ppo.Config, study.base)
    found = []
    for name, changes in study.variants.items():
        changes = study.common | changes
        method = str(changes.pop("method", "ppo"))
        if method not in METHODS:
            raise ConfigError(f"variant {name!r}: method {method!r}: expected one of {', '.join(METHODS)}")
        seeds = changes.pop("seeds", study.seeds)
        kind, _ = METHODS[method]
        fields = dataclasses.asdict(base)
        if kind is not ppo.Config:
            shared = {field.name for field in dataclasses.fields(run.RunConfig)}
            fields = {key: value for key, value in fields.items() if key in shared}
        for seed in seeds:
            config = from_mapping(kind, fields | changes | {"seed": seed}, f"variant {name!r}")
            found.append(Training(name, seed, method, config))
    return found


def train(training: Training, out: Path, *, show: bool) -> None:
    """Run one training, or go on with it, unless it is finished."""
    folder = out / training.folder
    _, make = METHODS[training.method]
    found = checkpoints.list_checkpoints(folder / "checkpoints")
    if found and json.loads((found[-1] / "state.json").read_text())["steps"] >= training.config.total_steps:
        return
    make(training.config, folder, resume=bool(found)).train(show=show)


def measure(study: Study, done: Sequence[Training], out: Path) -> dict[str, Any]:
    """The win rates of what was trained: per training, and per variant the mean over its seeds."""
    rules = done[0].config.tables[0]
    result = evaluate(
        {training.folder: TorchPolicy.load(out / training.folder, greedy=study.greedy) for training in done},
        opponents=study.against,
        rules=rules,
        games=study.games,
        seed=study.evaluation_seed,
    )
    rates = {(pairing.agent, pairing.opponent): pairing.win_rate for pairing in result.pairings}
    rows = []
    for variant in dict.fromkeys(training.variant for training in done):
        runs = [training for training in done if training.variant == variant]
        row: dict[str, Any] = {"variant": variant, "seeds": [training.seed for training in runs], "win_rates": {}}
        for opponent in study.against:
            each = [rates[training.folder, opponent] for training in runs]
            row["win_rates"][opponent] = {
                "each": [dataclasses.asdict(rate) for rate in each],
                "mean": dataclasses.asdict(over_seeds(each)),
            }
        found = group(runs, out).runs
        row["minutes"] = [round(float(one.series["minutes"].values[-1]), 1) for one in found]
        row["curves"] = [win_rate_curves(one) for one in found]
        rows.append(row)
    return {"study": dataclasses.asdict(study), "rows": rows, "made": provenance()}


def group(trainings: Sequence[Training], out: Path) -> Group:
    """The trainings of a variant, to draw."""
    return Group(trainings[0].variant, tuple(read_run(out / training.folder) for training in trainings))


def over_seeds(rates: Sequence[Estimate]) -> Estimate:
    """The mean over trainings and its interval; of a single training it is the interval of its games."""
    return rates[0] if len(rates) == 1 else Estimate.of(np.array([rate.mean for rate in rates]), bounds=(0, 1))


def markdown(result: dict[str, Any]) -> str:
    """A study's result as a table."""
    against = result["study"]["against"]
    lines = ["| variant | seeds | " + " | ".join(f"`{name}`" for name in against) + " |", "|---|---|" + "---|" * len(against)]
    for row in result["rows"]:
        cells = []
        for name in against:
            mean = row["win_rates"][name]["mean"]
            cells.append(f"{100 * mean['mean']:.1f} [{100 * mean['low']:.1f}, {100 * mean['high']:.1f}]")
        lines.append(f"| {row['variant']} | {len(row['seeds'])} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _train(number: str, training: Training, out: Path, show: bool) -> None:
    print(f"{number}: {training.variant}, seed {training.seed}", flush=True)
    train(training, out, show=show)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a study as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m train.study", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("study", help="a YAML file with the fields of train.study.Study")
    parser.add_argument("--out", type=Path, required=True, help="folder of the trainings and of study.json")
    parser.add_argument("--workers", type=int, default=1, help="trainings at a time, each in a process of its own (%(default)s)")
    parser.add_argument("--quiet", action="store_true", help="show no progress bars")
    options = parser.parse_args(argv)
    try:
        if options.workers < 1:
            raise ConfigError(f"--workers {options.workers}: expected at least 1")
        study = load(Study, options.study)
        todo = trainings(study)
        if not todo:
            raise ConfigError(f"{options.study}: variants: expected at least one")
    except (ValueError, OSError) as error:
        print(f"train.study: {error}", file=sys.stderr)
        return 2
    options.out.mkdir(parents=True, exist_ok=True)
    show = not options.quiet and options.workers == 1
    Parallel(n_jobs=options.workers)(
        delayed(_train)(f"{i} of {len(todo)}", training, options.out, show) for i, training in enumerate(todo, 1)
    )
    result = measure(study, todo, options.out)
    checkpoints.write_json(options.out / "study.json", result)
    variants = [[training for training in todo if training.variant == row["variant"]] for row in result["rows"]]
    if (picture := plot.strength([group(runs, options.out) for runs in variants])) is not None:
        write_files(options.out, {f"learning.{kind}": data for kind, data in render(picture).items()})
    print(markdown(result))
    return 0


if __name__ == "__main__":
    # Workers look functions up in their module, which must not be called __main__.
    from train.study import main as importable_main

    sys.exit(importable_main())
