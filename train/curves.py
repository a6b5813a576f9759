"""Run folders of `train.ppo` as series and curves: what is read before anything is drawn."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from train.estimate import student

POINTS = 200
"""Points of a curve, at most: measures taken at every update are averaged over neighbours."""


@dataclass(frozen=True, eq=False)
class Series:
    """One measure of a run: ``steps`` (``int64[T]``, ascending) and ``values`` (``float64[T]``)."""

    steps: np.ndarray
    values: np.ndarray


@dataclass(frozen=True, eq=False)
class Run:
    """What a run folder of `train.ppo` tells."""

    path: Path
    name: str
    config: dict[str, Any]
    series: dict[str, Series]
    """Of each key of ``metrics.jsonl``."""

    @property
    def table(self) -> str:
        """What was played: runs can only be compared where it is the same."""
        rules = Path(str(self.config.get("rules", "research"))).stem
        match = ", matches" if self.config.get("episode") == "match" else ""
        return f"{self.players} players, {rules}{match}"

    @property
    def players(self) -> int:
        """Players at the table."""
        return int(self.config.get("num_players", 2))

    @property
    def seed(self) -> Any:
        """The seed of the training."""
        return self.config.get("seed")

    def baselines(self) -> list[str]:
        """Whom it was measured against: at any time, also those that its config names no longer."""
        return [key.removeprefix("win_rate/") for key in self.series if key.startswith("win_rate/")]

    def judges(self) -> list[str]:
        """Those of the `baselines` by whose mean training chooses the best model."""
        chosen = self.config.get("evaluate_against", [])
        return [name for name in self.baselines() if name in chosen] or self.baselines()


def read_run(path: str | Path, name: str | None = None) -> Run:
    """Read a run folder, also one in which training goes on.

    Raises:
        ValueError: where there is no run, or none that has measured anything.
    """
    path = Path(path)
    if not path.is_dir():
        raise ValueError(f"{path}: no such run folder")
    for needed in ("config.yaml", "metrics.jsonl"):
        if not (path / needed).is_file():
            raise ValueError(f"{path}: no {needed} in this folder; a run of train.ppo has one")
    try:
        config = yaml.safe_load((path / "config.yaml").read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ValueError(f"{path / 'config.yaml'}: not YAML: {error}") from None
    if not isinstance(config, dict):
        raise ValueError(f"{path / 'config.yaml'}: expected a mapping of keys")
    return Run(path, name or path.resolve().name, config, _read_metrics(path / "metrics.jsonl"))


def _read_metrics(path: Path) -> dict[str, Series]:
    text = path.read_text(encoding="utf-8")
    found: dict[str, list[tuple[int, float]]] = {}
    # What follows the last line break is a line that is being written.
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        try:
            told = json.loads(line)
            steps, _ = int(told["steps"]), float(told["minutes"])
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path}: line {number} is no JSON object with numbers 'steps' and 'minutes': {line:.60}") from None
        for key, value in told.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool) and np.isfinite(value):
                found.setdefault(key, []).append((steps, float(value)))
    if not found:
        raise ValueError(f"{path}: nothing measured yet")
    return {key: Series(np.array([s for s, _ in pairs]), np.array([v for _, v in pairs])) for key, pairs in found.items()}


def win_rate_curves(run: Run) -> dict[str, list[float]]:
    """The win rates that were measured in training by opponent, and under ``steps`` when."""
    told: dict[str, list[float]] = {}
    for name in run.baselines():
        series = run.series[f"win_rate/{name}"]
        told["steps"] = series.steps.tolist()
        told[name] = [round(value, 4) for value in series.values.tolist()]
    return told


def read_runs(paths: Iterable[str | Path]) -> list[Run]:
    """Read run folders; runs of one name get the name of the folder above as well. ValueError for one given twice."""
    folders = [Path(path) for path in paths]
    resolved = [folder.resolve() for folder in folders]
    for i, folder in enumerate(resolved):
        if folder in resolved[:i]:
            raise ValueError(f"{folders[i]}: given twice")
    names = [folder.name for folder in resolved]
    return [
        read_run(folder, full.name if names.count(full.name) == 1 else f"{full.parent.name}/{full.name}")
        for folder, full in zip(folders, resolved, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Group:
    """Runs that differ in nothing but the seed."""

    name: str
    runs: tuple[Run, ...]

    def series(self, key: str) -> list[Series]:
        """The measure ``key`` of those runs that have it."""
        return [run.series[key] for run in self.runs if key in run.series]


def group_runs(runs: Sequence[Run]) -> list[Group]:
    """Runs by config without the seed, in the order given.

    Raises:
        ValueError: for two runs of one config and one seed: an interval over seeds takes runs for independent.
    """
    groups: dict[str, list[Run]] = {}
    for run in runs:
        config = {key: value for key, value in run.config.items() if key != "seed"}
        same = groups.setdefault(json.dumps(config, sort_keys=True, default=str), [])
        for other in same:
            if other.seed == run.seed:
                raise ValueError(f"{other.path} and {run.path}: one config and one seed ({run.seed}), so not independent; give one")
        same.append(run)
    return [Group(_group_name([run.name for run in same]), tuple(same)) for same in groups.values()]


def _group_name(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    shared = itertools.takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    # The number of the seed goes, with the word and the hyphen before it.
    prefix = re.sub(r"[-_. ]*(seed)?[-_. ]*\d*$", "", "".join(letters[0] for letters in shared))
    return f"{prefix or f'{names[0]} and others'} ({len(names)} seeds)"


@dataclass(frozen=True, eq=False)
class Curve:
    """A measure over the steps that all runs of a group share: mean and 95% interval (equal to the mean for a single run)."""

    steps: np.ndarray
    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray


def curve(series: Sequence[Series], *, points: int = POINTS) -> Curve:
    """Mean and Student's 95% interval over runs at each step that all have; ``ValueError`` for no series."""
    if not series:
        raise ValueError("no series to draw a curve of")
    steps = series[0].steps
    for other in series[1:]:
        steps = np.intersect1d(steps, other.steps)
    rows = np.array([one.values[np.searchsorted(one.steps, steps)] for one in series])
    rows, steps = _bins(rows, points), _bins(steps[None].astype(np.float64), points)[0]
    mean = rows.mean(axis=0)
    if len(rows) == 1:
        return Curve(steps, mean, mean, mean)
    half = student(len(rows) - 1) * rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
    return Curve(steps, mean, mean - half, mean + half)


def _bins(rows: np.ndarray, points: int) -> np.ndarray:
    """``rows`` (``[R, T]``) averaged over neighbours until at most ``points`` are left."""
    width = -(-rows.shape[1] // points)
    if width <= 1:
        return rows
    starts = np.arange(0, rows.shape[1], width)
    counts = np.diff(np.append(starts, rows.shape[1]))
    return np.add.reduceat(rows, starts, axis=1) / counts
