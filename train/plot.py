"""Pictures of training runs: ``python -m train.plot runs/two-1 runs/two-2 [--out FOLDER] [--evaluation FILE.json ...]``.

Runs whose configs differ in nothing but the seed are drawn as one curve: the mean over the seeds with Student's 95% interval. How
the best model of each run acts is counted in games against copies of itself.
"""

from __future__ import annotations

import argparse
import datetime
import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from tqdm import tqdm

from train.actions import HABITS, LEAST, MAX_SIZE, Actions, count_actions
from train.curves import Group, Run, Series, curve, group_runs, read_runs
from train.drawing import COLOURS, FORMATS, MARKERS, STYLE, legend, look, panels, render, write_files
from train.estimate import Estimate
from train.evaluate import Evaluation, Pairing, save_heat_map
from train.standings import START, Standing
from uno_env.rules import Rules

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
    figure, axes = panels(2 * len(kinds), across=2, width=4.4)
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
    legend(figure, [group.name for group in groups])
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
    figure, axes = panels(len(kinds))
    for panel, ((table, name), numbers) in zip(axes, ordered, strict=True):
        for number in numbers:
            _draw_curve(panel, groups[number], number, f"win_rate/{name}", scale=100)
        _even(panel, groups[numbers[0]].runs[0].players)
        panel.set_title(f"against {name}\n{table}")
        panel.set_xlabel("million steps")
        panel.set_ylabel("games won (%)")
        panel.set_xlim(left=0)
    figure.suptitle("Strength against each baseline" + _bands(groups), fontsize=11)
    legend(figure, [group.name for group in groups])
    return figure


def training(groups: Sequence[Group]) -> Figure | None:
    """The `MEASURES` over steps."""
    keys = [key for key in MEASURES if any(group.series(key) for group in groups)]
    if not keys:
        return None
    figure, axes = panels(len(keys))
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
    legend(figure, [group.name for group in groups])
    return figure


def _bands(groups: Sequence[Group]) -> str:
    several = any(len(group.runs) > 1 for group in groups)
    return " (mean over seeds, band: 95% interval; thin: single seeds)" if several else ""


def action_statistics(counted: Mapping[str, Actions]) -> Figure:
    """What the best model of each run does, by the cards it holds."""
    figure, axes = panels(len(HABITS))
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
    legend(figure, list(counted))
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


def rating_bars(found: Sequence[Standing]) -> Figure:
    """OpenSkill ratings of a tournament with 95% intervals, in the order of its ranking, from where all agents start."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 1.3 + 0.38 * len(found)), layout="constrained")
        axes = figure.add_subplot()
        places = list(range(len(found)))
        axes.barh(
            places,
            [standing.mu - START for standing in found],
            left=START,
            color=COLOURS[0],
            height=0.6,
            xerr=[1.96 * standing.sigma for standing in found],
            error_kw={"linewidth": 1.1, "capsize": 3},
        )
        labels = [f"{s.rank}  {s.agent}" if s.best == s.worst else f"{s.rank} ({s.best}-{s.worst})  {s.agent}" for s in found]
        axes.set_yticks(places, labels)
        axes.invert_yaxis()
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="y", visible=False)
        axes.axvline(START, color="#666666", linewidth=0.9)
        axes.set_xlabel("OpenSkill rating (bars: 95% intervals)")
        axes.set_title("Place by the matrix of win rates, in brackets with 95%")
    return figure


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
