"""Pictures of training runs: ``python -m train.plot runs/two-1 runs/two-2 [--out FOLDER] [--evaluation FILE.json ...]``.

Runs whose configs differ in nothing but the seed are drawn as one curve: the mean over the seeds with Student's 95% interval. How
the best model of each run acts is counted in games against copies of itself.
"""

from __future__ import annotations

import argparse
import datetime
import io
import itertools
import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import yaml
from matplotlib.figure import Figure
from tqdm import tqdm

from train.arena import deal_seeds, play
from train.estimate import Estimate, student
from train.evaluate import Evaluation, Pairing, save_heat_map
from uno_env.cards import NUM_COLOURED, NUM_COLOURS, NUM_SYMBOLS
from uno_env.rules import Rules
from uno_env.state import CHALLENGE, DRAW, PASS, PLAY_WILD, UNO, Phase
from uno_env.vector import UnoVector

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's palette, told apart by all kinds of colour vision; without its yellow, which white paper swallows."""
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))
MARKERS = "osD^vPX"
FORMATS = ("png", "svg")
POINTS = 200
"""Points of a curve, at most: measures taken at every update are averaged over neighbours."""

MEASURES = {
    "entropy": ("Entropy of the policy", "nats", 1.0),
    "kl": ("KL divergence of an update", "thousandths of a nat", 1000.0),
    "explained_variance": ("Explained variance of the returns", "share", 1.0),
    "value_loss": ("Loss of the critic", "squared error", 1.0),
    "episode_length": ("Length of a game", "decisions", 1.0),
    "steps_per_second": ("Speed", "thousand steps per second", 0.001),
}
"""What `training` draws, of the keys of ``metrics.jsonl``: title, unit, and the factor to it."""


# Runs ---------------------------------------------------------------------------------------------------------------------


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


# What a policy does ---------------------------------------------------------------------------------------------------------

HABITS = {
    "bluffs": ("Bluffs", "Wild Draw Four played\nwhere it is a bluff"),
    "challenges": ("Challenges", "challenged\na Wild Draw Four"),
    "holds_wilds": ("Holds wilds", "kept a playable wild\nwith another card playable"),
    "draws": ("Draws by choice", "drawn\nwith a card playable"),
    "keeps_drawn": ("Keeps the drawn card", "kept the card just drawn\nthough playable"),
}
"""What is counted: title, and what the share is of."""
MAX_SIZE = 12
"""Hands of so many cards and more are counted together."""
LEAST = 20
"""Chances below which a share is not drawn."""
_W4 = slice(PLAY_WILD + NUM_COLOURS, PLAY_WILD + 2 * NUM_COLOURS)
_COLOUR_OF = np.arange(NUM_COLOURED) // NUM_SYMBOLS


@dataclass(frozen=True, eq=False)
class Actions:
    """Chances and how often they were taken, ``int64[games, habits, MAX_SIZE]``: by game, `HABITS`, and cards in hand, from 1."""

    chances: np.ndarray
    taken: np.ndarray

    def rate(self, habit: str, size: int | None = None) -> Estimate | None:
        """The share taken with ``size`` cards in hand (None: any), games being the independent units; None without a chance."""
        index = list(HABITS).index(habit)
        chances, taken = self.chances[:, index], self.taken[:, index]
        if size is None:
            return ratio(taken.sum(axis=1), chances.sum(axis=1))
        return ratio(taken[:, size - 1], chances[:, size - 1])

    def to_dict(self) -> dict[str, Any]:
        """Counts by hand size and shares as plain data."""
        told: dict[str, Any] = {"games": len(self.chances), "hand_sizes": [*range(1, MAX_SIZE), f"{MAX_SIZE}+"]}
        for index, habit in enumerate(HABITS):
            rate = self.rate(habit)
            told[habit] = {
                "chances": self.chances[:, index].sum(axis=0).tolist(),
                "taken": self.taken[:, index].sum(axis=0).tolist(),
                "share": None if rate is None else {"mean": rate.mean, "low": rate.low, "high": rate.high},
            }
        return told


def ratio(taken: np.ndarray, chances: np.ndarray) -> Estimate | None:
    """The share ``taken.sum() / chances.sum()`` over independent games with its 95% interval; None without a chance.

    The chances of a game are not independent, so the spread is that between games (the ratio estimator: Cochran, Sampling
    Techniques, 1977, 6.3); where all or none were taken, it is that of an event that happened so in every game with a chance.
    """
    taken, chances = np.asarray(taken, np.float64), np.asarray(chances, np.float64)
    total, games = chances.sum(), int((chances > 0).sum())
    if not total:
        return None
    share = float(taken.sum() / total)
    gap = 1 - 0.025 ** (1 / games)
    if games == 1 or share in (0.0, 1.0):
        low, high = (0.0, gap) if share == 0 else (1 - gap, 1.0) if share == 1 else (0.0, 1.0)
        return Estimate(share, low, high, None, games)
    n = len(chances)
    error = float(np.sqrt(n / (n - 1) * ((taken - share * chances) ** 2).sum()) / total)
    half = student(games - 1) * error
    return Estimate(share, max(share - half, 0.0), min(share + half, 1.0), error, games)


class ActionCounter:
    """Fills `Actions` while games are played (`train.arena.Watch`), each known by its seed."""

    def __init__(self, seeds: np.ndarray) -> None:
        """A counter for games with the ``seeds``, ``uint64[games]``."""
        self._order = np.argsort(seeds)
        self._sorted = seeds[self._order]
        shape = (len(seeds), len(HABITS), MAX_SIZE)
        self.found = Actions(np.zeros(shape, np.int64), np.zeros(shape, np.int64))

    def watch(self, vector: UnoVector, rows: np.ndarray, who: np.ndarray, chosen: np.ndarray) -> None:
        """Count the choices ``chosen`` (``[K]``) in the games ``rows``."""
        masks, states = vector.action_masks[rows] != 0, vector.states[rows]
        phases, seats = states["phase"], vector.actors[rows]
        hands = states["hands"][np.arange(len(rows)), seats]
        sizes = np.minimum(hands.sum(axis=1, dtype=np.int64), MAX_SIZE) - 1
        games = self._order[np.searchsorted(self._sorted, vector.seeds[rows])]
        holds = ((hands[:, :NUM_COLOURED] > 0) & (states["colour"][:, None] == _COLOUR_OF)).any(axis=1)
        coloured, wild = masks[:, :PLAY_WILD].any(axis=1), masks[:, PLAY_WILD:DRAW].any(axis=1)
        # A call decides nothing yet: the same player goes on to play, draw or pass.
        play = (phases == Phase.PLAY) & (chosen != UNO)
        drawn = (phases == Phase.DRAWN) & (chosen != UNO)
        counted = {
            "bluffs": ((play | drawn) & masks[:, _W4].any(axis=1) & holds, (chosen >= _W4.start) & (chosen < _W4.stop)),
            "challenges": ((phases == Phase.CHALLENGE) & masks[:, CHALLENGE], chosen == CHALLENGE),
            "holds_wilds": (play & wild & coloured, (chosen < PLAY_WILD) | (chosen >= DRAW)),
            "draws": (play & (wild | coloured) & masks[:, DRAW], chosen == DRAW),
            "keeps_drawn": (drawn & (wild | coloured) & masks[:, PASS], chosen == PASS),
        }
        for index, habit in enumerate(HABITS):
            chance, took = counted[habit]
            np.add.at(self.found.chances[:, index], (games[chance], sizes[chance]), 1)
            took = chance & took
            np.add.at(self.found.taken[:, index], (games[took], sizes[took]), 1)


def count_actions(
    agent: Any, rules: Rules, *, games: int, seed: int = 0, progress: Callable[[int], Any] | None = None, name: str | None = None
) -> Actions:
    """What ``agent`` does in ``games`` games against copies of itself."""
    counter = ActionCounter(deal_seeds(seed, games))
    seating = np.zeros((1, rules.num_players), np.int64)
    names = None if name is None else [name]
    play([agent], seating, rules, deals=games, seed=seed, watch=counter.watch, progress=progress, names=names)
    return counter.found


# Drawing --------------------------------------------------------------------------------------------------------------------

STYLE: dict[Any, Any] = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.fontsize": 9,
    "text.parse_math": False,  # names are text, whatever they hold
    "svg.hashsalt": "uno-env",  # the same picture is the same file
}


def look(number: int) -> dict[str, Any]:
    """Colour and dashes of the ``number``-th line."""
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": DASHES[(number // len(COLOURS) + number) % len(DASHES)]}


def render(figure: Figure, formats: Sequence[str] = FORMATS) -> dict[str, bytes]:
    """A picture as the bytes of a file in each of the ``formats``, the same each time."""
    files = {}
    with matplotlib.rc_context(STYLE):
        for kind in formats:
            buffer = io.BytesIO()
            figure.savefig(buffer, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else None)
            files[kind] = buffer.getvalue()
    return files


def write_files(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write files into a folder (made where it is missing), each whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        partial = folder / f"{name}.tmp"
        partial.write_bytes(data)
        partial.replace(folder / name)
    return [folder / name for name in files]


def _panels(count: int, *, across: int = 3, width: float = 3.6, height: float = 2.9) -> tuple[Figure, list[Any]]:
    columns = min(across, count)
    rows = -(-count // columns)
    figure = Figure(figsize=(max(width * columns, 5.2), height * rows + 0.9), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for unused in axes[count:]:
        unused.remove()
    return figure, axes[:count]


def _legend(figure: Figure, names: Sequence[str]) -> None:
    """One legend for all panels, in the order of ``names``."""
    drawn: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            drawn.setdefault(label, handle)
    found = {name: drawn[name] for name in names if name in drawn}
    if found:
        longest = max(map(len, found))
        columns = max(1, min(len(found), int(figure.get_figwidth() * 11 / (longest + 8))))
        figure.legend(list(found.values()), list(found), loc="outside lower center", ncols=columns, frameon=False, handlelength=3)


def _draw_curve(axes: Any, group: Group, number: int, key: str, *, scale: float = 1.0, clock: bool = False) -> None:
    """A group's measure: each run thin and, if there are several, the mean with its band over what they share."""
    series = group.series(key)
    if not series:
        return
    style = look(number)
    shared = curve(series)
    if len(series) > 1:
        for run in group.runs:
            if key in run.series:
                alone = curve([run.series[key]])
                x = _minutes(run, alone.steps) if clock else alone.steps / 1e6
                axes.plot(x, scale * alone.mean, color=style["color"], linewidth=0.6, alpha=0.45)
    if not shared.steps.size:
        return
    x = np.mean([_minutes(run, shared.steps) for run in group.runs], axis=0) if clock else shared.steps / 1e6
    if len(series) > 1:
        axes.fill_between(x, scale * shared.low, scale * shared.high, color=style["color"], alpha=0.2, linewidth=0)
    marker = "o" if len(x) <= 40 else None
    axes.plot(x, scale * shared.mean, label=group.name, linewidth=1.6, marker=marker, markersize=3, **style)


def _minutes(run: Run, steps: np.ndarray) -> np.ndarray:
    """Minutes of training after which a run had made so many steps."""
    clock = run.series["minutes"]
    return np.interp(steps, clock.steps, clock.values)


def _even(axes: Any, players: int) -> None:
    axes.axhline(100 / players, color="#666666", linewidth=0.9, linestyle=(0, (2, 2)), zorder=1)
    axes.annotate(
        f"equals: {100 / players:.3g}%",
        (1, 100 / players),
        xycoords=("axes fraction", "data"),
        xytext=(-2, 2),
        textcoords="offset points",
        ha="right",
        fontsize=7.5,
        color="#555555",
    )


def with_score(run: Run) -> Run:
    """The run with the series ``score``, the mean of its win rates, by which training keeps its best model."""
    rates = [run.series[f"win_rate/{name}"] for name in run.judges()]
    if not rates:
        return run
    steps = rates[0].steps
    for other in rates[1:]:
        steps = np.intersect1d(steps, other.steps)
    mean = np.mean([one.values[np.searchsorted(one.steps, steps)] for one in rates], axis=0)
    return Run(run.path, run.name, run.config, run.series | {"score": Series(steps, mean)})


def learning(groups: Sequence[Group]) -> Figure | None:
    """The mean win rate over the baselines, against steps and against time; a row for each table and set of baselines."""
    scored = [Group(group.name, tuple(with_score(run) for run in group.runs)) for group in groups]
    kinds: dict[tuple[str, str], list[int]] = {}
    for number, group in enumerate(scored):
        if group.series("score"):
            first = group.runs[0]
            kinds.setdefault((first.table, ", ".join(first.judges())), []).append(number)
    if not kinds:
        return None
    figure, axes = _panels(2 * len(kinds), across=2, width=4.4)
    for place, ((table, against), numbers) in enumerate(kinds.items()):
        for clock in (False, True):
            panel = axes[2 * place + clock]
            for number in numbers:
                _draw_curve(panel, scored[number], number, "score", scale=100, clock=clock)
            _even(panel, scored[numbers[0]].runs[0].players)
            several = "mean over " if "," in against else ""
            panel.set_title(f"{table}\n{several}{against}" if several else f"{table}\nagainst {against}")
            panel.set_xlabel("minutes of training" if clock else "million steps")
            panel.set_ylabel("games won (%)")
            panel.set_xlim(left=0)
    figure.suptitle("Learning curves" + _bands(groups), fontsize=11)
    _legend(figure, [group.name for group in groups])
    return figure


def strength(groups: Sequence[Group]) -> Figure | None:
    """The win rate against each baseline over steps, a panel for each."""
    kinds: dict[tuple[str, str], list[int]] = {}
    for number, group in enumerate(groups):
        for name in dict.fromkeys(name for run in group.runs for name in run.baselines()):
            kinds.setdefault((group.runs[0].table, name), []).append(number)
    if not kinds:
        return None
    tables = list(dict.fromkeys(table for table, _ in kinds))
    ordered = sorted(kinds.items(), key=lambda kind: tables.index(kind[0][0]))
    figure, axes = _panels(len(kinds))
    for panel, ((table, name), numbers) in zip(axes, ordered, strict=True):
        for number in numbers:
            _draw_curve(panel, groups[number], number, f"win_rate/{name}", scale=100)
        _even(panel, groups[numbers[0]].runs[0].players)
        panel.set_title(f"against {name}\n{table}")
        panel.set_xlabel("million steps")
        panel.set_ylabel("games won (%)")
        panel.set_xlim(left=0)
    figure.suptitle("Strength against each baseline" + _bands(groups), fontsize=11)
    _legend(figure, [group.name for group in groups])
    return figure


def training(groups: Sequence[Group]) -> Figure | None:
    """The `MEASURES` over steps."""
    keys = [key for key in MEASURES if any(group.series(key) for group in groups)]
    if not keys:
        return None
    figure, axes = _panels(len(keys))
    for panel, key in zip(axes, keys, strict=True):
        title, unit, scale = MEASURES[key]
        for number, group in enumerate(groups):
            _draw_curve(panel, group, number, key, scale=scale)
        panel.set_title(title)
        panel.set_xlabel("million steps")
        panel.set_ylabel(unit)
        panel.set_xlim(left=0)
        if key in ("kl", "value_loss", "steps_per_second"):
            panel.set_ylim(bottom=0)
    figure.suptitle("Training" + _bands(groups), fontsize=11)
    _legend(figure, [group.name for group in groups])
    return figure


def _bands(groups: Sequence[Group]) -> str:
    several = any(len(group.runs) > 1 for group in groups)
    return " (mean over seeds, band: 95% interval; thin: single seeds)" if several else ""


def action_statistics(counted: Mapping[str, Actions]) -> Figure:
    """What the best model of each run does, by the cards it holds."""
    figure, axes = _panels(len(HABITS))
    for panel, (habit, (title, share)) in zip(axes, HABITS.items(), strict=True):
        index, top, bottom = list(HABITS).index(habit), 0.0, 100.0
        for number, (name, actions) in enumerate(counted.items()):
            chances = actions.chances[:, index].sum(axis=0)
            sizes = [size for size in range(1, MAX_SIZE + 1) if chances[size - 1] >= LEAST]
            rates = [rate for size in sizes if (rate := actions.rate(habit, size)) is not None]
            if not rates:
                continue
            mean, low, high = (100 * np.array([getattr(rate, end) for rate in rates]) for end in ("mean", "low", "high"))
            x = np.array(sizes) + 0.12 * (number - (len(counted) - 1) / 2)
            panel.errorbar(
                x,
                mean,
                yerr=np.maximum([mean - low, high - mean], 0),
                label=name,
                marker=MARKERS[number % len(MARKERS)],
                markersize=3.5,
                linewidth=1.3,
                elinewidth=0.9,
                capsize=2,
                **look(number),
            )
            top, bottom = max(top, float(high.max())), min(bottom, float(low.min()))
        panel.set_title(title)
        panel.set_xlabel("cards in own hand")
        panel.set_ylabel(f"{share} (%)")
        panel.set_xticks([1, *range(2, MAX_SIZE + 1, 2)], ["1", *map(str, range(2, MAX_SIZE, 2)), f"{MAX_SIZE}+"])
        panel.set_xlim(0.4, MAX_SIZE + 0.6)
        bottom = 0.0 if bottom < 50 or not top else 10 * np.floor(bottom / 10)
        panel.set_ylim(bottom, min(100 + 0.02 * (100 - bottom), max(1.08 * top, 1.0)))
        if not top:
            panel.text(0.5, 0.5, "hardly ever a chance", transform=panel.transAxes, ha="center", color="#555555")
    games = len(next(iter(counted.values())).chances)
    figure.suptitle(f"What the best models do in {games:,} games against themselves (bars: 95% intervals)", fontsize=11)
    _legend(figure, list(counted))
    return figure


# Tournaments ----------------------------------------------------------------------------------------------------------------


def read_evaluation(path: str | Path) -> Evaluation:
    """An `Evaluation` as ``train.evaluate`` wrote it, paths of agents shortened to what tells them apart.

    Raises:
        ValueError: for a file that is none.
    """
    try:
        told = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise ValueError(f"{path}: not JSON: {error}") from None
    try:
        short = dict(zip(told["agents"], short_names(told["agents"]), strict=True))
        pairings = []
        for pairing in told["pairings"]:
            estimates = {key: Estimate(**pairing[key]) for key in ("win_rate", "points", "score")}
            names = {key: short[pairing[key]] for key in ("agent", "opponent")}
            pairings.append(Pairing(**pairing | estimates | names))
        facts = {key: told[key] for key in ("episode", "seed", "batch", "games", "seconds")}
        return Evaluation(tuple(short.values()), tuple(pairings), Rules.from_dict(told["rules"]), **facts)
    except KeyError as error:
        raise ValueError(f"{path}: not an evaluation of train.evaluate: there is no key {error}") from None
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: not an evaluation of train.evaluate: {error}") from None


def short_names(names: Sequence[str]) -> list[str]:
    """The last part of each path, with as many parts before it as are needed to tell them apart."""
    parts = [name.removesuffix(".safetensors").split("/") for name in names]
    for count in range(1, max(map(len, parts), default=1) + 1):
        short = ["/".join(part[-count:]) for part in parts]
        if len(set(short)) == len(names):
            return short
    return list(names)


def heat_map(evaluation: Evaluation) -> dict[str, bytes]:
    """The heat map of `train.evaluate` as the bytes of a PNG and an SVG file."""
    files = {}
    with tempfile.TemporaryDirectory() as folder, matplotlib.rc_context({"svg.hashsalt": "uno-env"}):
        for kind in FORMATS:
            path = Path(folder) / f"heat_map.{kind}"
            save_heat_map(evaluation, path)
            files[kind] = path.read_bytes()
    files["svg"] = re.sub(rb"<dc:date>.*?</dc:date>", b"", files["svg"])
    return files


# The command ----------------------------------------------------------------------------------------------------------------


def _measure(runs: Sequence[Run], games: int, seed: int) -> dict[str, Actions]:
    import torch

    from agents.torch_policy import TorchPolicy, find_model

    policies = {}
    for run in runs:
        try:
            policies[run.name] = TorchPolicy.load(find_model(run.path))
        except FileNotFoundError as error:
            raise ValueError(f"{error}; --games 0 draws the curves alone") from None
    # One thread, so that other processes do not hold it up.
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with tqdm(total=games * len(runs), unit="game", desc="action statistics", disable=None) as bar:
            return {
                name: count_actions(policy, policy.rules, games=games, seed=seed, progress=bar.update, name=name)
                for name, policy in policies.items()
            }
    finally:
        torch.set_num_threads(before)


def draw_all(runs: Sequence[Run], evaluations: Mapping[str, Evaluation], *, games: int, seed: int = 0) -> dict[str, bytes]:
    """All files of the command by name, as bytes: nothing is written."""
    pictures: dict[str, dict[str, bytes]] = {}
    files: dict[str, bytes] = {}
    groups = group_runs(runs)
    figures: dict[str, Figure | None] = {}
    counted: dict[str, Actions] = {}
    with matplotlib.rc_context(STYLE):
        if groups:
            figures = {"learning": learning(groups), "strength": strength(groups), "training": training(groups)}
        if groups and games:
            counted = _measure(runs, games, seed)
            figures["actions"] = action_statistics(counted)
    for name, figure in figures.items():
        if figure is None:
            print(f"no picture of {name}: none of the runs has measured it yet", file=sys.stderr)
        else:
            pictures[name] = render(figure)
    if counted:
        told = {name: actions.to_dict() for name, actions in counted.items()}
        files["actions.json"] = (json.dumps({"seed": seed, "runs": told}, indent=2) + "\n").encode()
    for name, evaluation in evaluations.items():
        pictures[f"heat_map{name}"] = heat_map(evaluation)
    return {f"{name}.{kind}": data for name, kinds in pictures.items() for kind, data in kinds.items()} | files


def _read_evaluations(paths: Sequence[Path]) -> dict[str, Evaluation]:
    """Evaluations by what to add to the names of their files: nothing for a single one, else the folder or a number."""
    found = [read_evaluation(path) for path in paths]
    names = [path.resolve().parent.name if path.stem == "evaluation" else path.stem for path in paths]
    if len(set(names)) != len(names):
        names = [str(number) for number in range(1, len(names) + 1)]
    return {"": found[0]} if len(found) == 1 else {f"-{name}": one for name, one in zip(names, found, strict=True)}


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; see ``--help``."""
    parser = argparse.ArgumentParser(prog="python -m train.plot", description="Pictures of training runs and tournaments.")
    parser.add_argument("runs", nargs="*", type=Path, help="run folders; those that differ in the seed alone make one curve")
    parser.add_argument("--evaluation", nargs="+", type=Path, default=[], metavar="FILE", help="evaluation.json of train.evaluate")
    parser.add_argument(
        "--games", type=int, default=2000, help="games for the action statistics of a run; 0 for none (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="decides deals and choices of these games (%(default)s)")
    parser.add_argument("--out", type=Path, help="folder for the pictures (default: runs/plots-TIME)")
    options = parser.parse_args(argv)
    out = options.out or Path("runs") / f"plots-{datetime.datetime.now():%Y%m%d-%H%M%S}"
    try:
        if not options.runs and not options.evaluation:
            raise ValueError("nothing to draw: give run folders or --evaluation")
        if options.games < 0:
            raise ValueError(f"--games {options.games}: expected 0 or more")
        if options.seed < 0:
            raise ValueError(f"--seed {options.seed}: expected 0 or more")
        evaluations = _read_evaluations(options.evaluation) if options.evaluation else {}
        files = draw_all(read_runs(options.runs), evaluations, games=options.games, seed=options.seed)
        written = write_files(out, files)
    except (ValueError, OSError, ImportError) as error:
        parser.error(str(error))
    for path in written:
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
