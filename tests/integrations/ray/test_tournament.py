"""A tournament on a local Ray cluster gives the result of one process, bit for bit."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import ray

from train.config import load
from train.tournament import Config, Tournament, main

CONFIGS = Path(__file__).resolve().parents[3] / "configs" / "tournament"


@pytest.fixture(scope="module", autouse=True)
def cluster():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(CONFIGS.parents[1]))  # of the workers, which import train and agents
        patch.setenv("RAY_worker_niceness", "0")  # Ray's own 15 starves them on a busy machine
        ray.init(num_cpus=2, include_dashboard=False)
        yield
        ray.shutdown()


def test_a_cluster_gives_the_result_of_one_process(tmp_path: Path) -> None:
    config = dataclasses.replace(
        load(Config, CONFIGS / "smoke.yaml"), agents=("random", "rule"), streams=True, control=True, fit_deals=50
    )
    found = []
    for out, options in (("here", {}), ("there", {"backend": "ray", "workers": 2})):
        tournament = Tournament(config, tmp_path / out)
        tournament.play(**options)
        found.append(tournament.result().to_dict())
    assert found[0] == found[1]


def test_the_command_plays_on_a_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        str(CONFIGS / "smoke.yaml"),
        "--agents",
        "random",
        "rule",
        "--backend",
        "ray",
        "--workers",
        "2",
        "--out",
        str(tmp_path / "out"),
    ]
    assert main(arguments) == 0
    assert "Wins in %" in capsys.readouterr().out
    assert (tmp_path / "out" / "tournament.json").is_file()
