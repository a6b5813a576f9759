"""Run folders are read as they were written, and runs that differ in the seed alone make one curve."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.train.runs import make_run
from train.curves import Series, curve, group_runs, read_run, read_runs

T_2 = 4.30265
"""97.5% point of Student's distribution with 2 degrees of freedom (any table of it)."""


def test_runs_that_differ_in_the_seed_alone_are_one_group(tmp_path: Path) -> None:
    paths = [
        make_run(tmp_path / "two-seed1", seed=1),
        make_run(tmp_path / "wide", width=256),
        make_run(tmp_path / "two-seed2", seed=2),
        make_run(tmp_path / "two-seed3", seed=3),
    ]
    groups = group_runs(read_runs(paths))
    assert [(group.name, [run.seed for run in group.runs]) for group in groups] == [("two (3 seeds)", [1, 2, 3]), ("wide", [1])]
    make_run(tmp_path / "again", seed=1)
    with pytest.raises(ValueError, match="not independent"):
        group_runs(read_runs([paths[0], tmp_path / "again"]))
    with pytest.raises(ValueError, match="given twice"):
        read_runs([paths[0], tmp_path / "wide" / ".." / "two-seed1"])


def test_the_interval_over_seeds_is_students() -> None:
    steps = np.array([10, 20])
    rows = [[0.5, 0.1], [0.6, 0.1], [0.9, 0.1]]
    found = curve([Series(steps, np.array(row)) for row in rows])
    # Mean 2/3; squared deviations 1/36 + 1/225 + 49/900 = 78/900, over 2 degrees of freedom 39/900.
    half = T_2 * np.sqrt(39 / 900 / 3)
    assert found.mean == pytest.approx([2 / 3, 0.1])
    assert found.low == pytest.approx([2 / 3 - half, 0.1], abs=1e-4)
    assert found.high == pytest.approx([2 / 3 + half, 0.1], abs=1e-4)


def test_a_curve_keeps_to_the_steps_that_all_runs_have() -> None:
    found = curve([Series(np.array([1, 2, 3, 4]), np.array([1.0, 2, 3, 4])), Series(np.array([2, 4, 9]), np.array([4.0, 8, 0]))])
    assert found.steps.tolist() == [2, 4]
    assert found.mean.tolist() == [3, 6]
    alone = curve([Series(np.array([1, 2, 3]), np.array([1.0, 5, 6]))])
    assert alone.low.tolist() == alone.mean.tolist() == alone.high.tolist() == [1, 5, 6]
    # Five points in bins of two: (1+3)/2, (5+7)/2, and 9 alone.
    thin = curve([Series(np.array([2, 4, 6, 8, 10]), np.array([1.0, 3, 5, 7, 9]))], points=3)
    assert thin.steps.tolist() == [3, 7, 10]
    assert thin.mean.tolist() == [2, 6, 9]


def test_a_run_in_training_can_be_read(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    with (run / "metrics.jsonl").open("a") as file:
        file.write('{"update": 7, "ste')
    found = read_run(run)
    assert found.series["steps"].values.tolist() == [1000, 2000, 3000, 4000, 5000, 6000]
    assert found.series["win_rate/rule"].steps.tolist() == [2000, 4000, 6000]
    assert found.baselines() == ["random", "rule"]
