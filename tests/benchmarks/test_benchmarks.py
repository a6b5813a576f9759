"""The benchmark scripts run, with tiny settings, and choose uniformly among the legal actions."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import loops, ours, peers, report, soak, throughput
from uno_env import UnoVector
from uno_env.jit import COMPILED
from uno_env.state import NUM_ACTIONS

pytestmark = [pytest.mark.compiled_only, pytest.mark.skipif(not COMPILED, reason="a matter of speed")]


def test_choice_is_uniform_over_the_legal_actions() -> None:
    """For masks of 1, 2, 13 and all actions: only legal ones, each about equally often (5 standard deviations)."""
    rng, n = np.random.default_rng(1), 40_000
    for legal in (1, 2, 13, NUM_ACTIONS):
        places = np.sort(rng.choice(NUM_ACTIONS, legal, replace=False))
        masks = np.zeros((n, NUM_ACTIONS), np.int8)
        masks[:, places] = 1
        actions = np.zeros(n, np.int64)
        loops.choose(masks, 0, 0, n, actions)
        assert set(actions.tolist()) == set(places.tolist())
        counts = np.bincount(actions, minlength=NUM_ACTIONS)[places]
        assert np.abs(counts - n / legal).max() <= 5 * np.sqrt(n / legal)


def test_compiled_loop_does_what_steps_do() -> None:
    batch, vector = ours.Batch("party", 3, 16), UnoVector(16, "party", seed=1, num_players=3)
    actions = np.zeros(16, np.int64)
    for step in range(256):  # what `Batch` plays at first
        loops.choose(vector.action_masks, step * 16, 0, 16, actions)
        vector.step(actions)
    assert batch.vector.states.tobytes() == vector.states.tobytes()
    assert batch.vector.observations.tobytes() == vector.observations.tobytes()


def test_two_threads_play_the_same_games() -> None:
    one, two = (ours.Batch("official", 4, 32, threads) for threads in (1, 2))
    assert one.vector.states.tobytes() == two.vector.states.tobytes()


@pytest.mark.parametrize("name", ["rule against rule, compiled, digital, 2 players", "PettingZoo raw_env(), digital, 2 players"])
def test_each_measure_counts(name: str) -> None:
    subject = next(subject for subject in ours.subjects() if subject.name == name)
    assert subject.make()(0.01) > 0


def test_names_are_unique() -> None:
    names = [subject.name for subject in (*ours.subjects(), *peers.subjects())]
    assert len(set(names)) == len(names)


def test_throughput_and_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A peer that is missing is named; the page gets its tables and its picture."""
    for library in ("rlcard", "pyspiel", "jax", "pgx"):
        monkeypatch.setitem(sys.modules, library, None)
    few = [
        s for s in ours.subjects() if s.name.startswith(("compiled loop, digital, 4 players", "part ")) and "cores" not in s.name
    ]
    others = [s for s in peers.subjects() if "Leduc" not in s.name]
    monkeypatch.setattr(ours, "subjects", lambda: few)
    monkeypatch.setattr(peers, "subjects", lambda: others)
    throughput.main(["--seconds", "0.002", "--repeats", "2", "--json", str(tmp_path / "throughput.json"), "--note", "a test"])
    told = json.loads((tmp_path / "throughput.json").read_text())
    assert {row["name"] for row in told["results"]} == {subject.name for subject in few}
    assert all(row["lowest"] <= row["per_second"] <= row["highest"] for row in told["results"])
    assert set(told["missing"]) == {subject.name for subject in others}

    page = tmp_path / "performance.md"
    page.write_text(report.PAGE.read_text())
    report.main(["--results", str(tmp_path), "--page", str(page)])
    text = page.read_text()
    assert "**a test.**" in text
    assert "| RLCard Uno, 2 players | not installed: rlcard |" in text
    assert "not measured" in text
    assert (tmp_path / "performance.svg").stat().st_size > 10_000
    report.main(["--results", str(tmp_path), "--page", str(page)])
    assert page.read_text() == text


def test_unknown_parts_of_a_page_are_refused() -> None:
    with pytest.raises(ValueError, match="'tabel' is not one of table"):
        report.renew("<!-- measured: tabel -->\n<!-- measured end -->", {"table": ""})


@pytest.mark.parametrize(
    ("number", "text"), [(7, "7"), (1234, "1.23 k"), (12_345, "12.3 k"), (234_567, "235 k"), (9_876_543, "9.88 M")]
)
def test_short(number: float, text: str) -> None:
    assert report.short(number) == text


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="Linux tells the resident memory")
def test_soak(tmp_path: Path) -> None:
    soak.main(["--decisions", "1", "--spans", "1", "--json", str(tmp_path / "soak.json")])
    told = json.loads((tmp_path / "soak.json").read_text())
    assert told["decisions"] > 1
    assert len(told["resident"]) == 1
