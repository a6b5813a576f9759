"""A study trains what it lists, once, and reports the mean over seeds."""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib.image
import pytest

from train import dmc, ppo
from train.config import ConfigError, load
from train.study import Study, main, markdown, trainings

STUDIES = sorted(Path(__file__).parents[2].glob("configs/study/*.yaml"))
TINY = {
    "num_envs": 16,
    "rollout_steps": 16,
    "total_steps": 512,
    "max_minutes": None,
    "width": 8,
    "minibatch": 64,
    "torch_threads": 1,
    "evaluate_deals": 2,
}


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_studies_are_valid(path: Path) -> None:
    found = trainings(load(Study, path))
    assert len({training.folder for training in found}) == len(found)
    assert {training.config.rules for training in found} == {"research"}


def test_variants_change_the_base() -> None:
    study = Study(
        common={"total_steps": 1000}, variants={"plain": {}, "deep": {"layers": 3, "seeds": (4, 5)}, "mc": {"method": "dmc"}}
    )
    plain, *deep, mc = trainings(study)
    assert isinstance(plain.config, ppo.Config)
    assert isinstance(mc.config, dmc.Config)
    assert {training.config.total_steps for training in (plain, *deep, mc)} == {1000}
    assert [(training.seed, training.config.seed, training.config.layers) for training in deep] == [(4, 4, 3), (5, 5, 3)]
    with pytest.raises(ConfigError, match="variant 'a': unknown key 'clipp'"):
        trainings(Study(variants={"a": {"clipp": 1.0}}))
    with pytest.raises(ConfigError, match="method 'sac': expected one of ppo, dmc"):
        trainings(Study(variants={"a": {"method": "sac"}}))


def test_a_study_runs_once_and_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = tmp_path / "study.yaml"
    variants = {"one": {}, "two seeds": {"seeds": [1, 2]}, "mc": {"method": "dmc"}}
    study.write_text(json.dumps({"common": TINY, "variants": variants, "games": 40, "against": ["random"]}))
    out = tmp_path / "out"
    assert main([str(study), "--out", str(out), "--quiet"]) == 0
    shown = capsys.readouterr().out
    result = json.loads((out / "study.json").read_text())
    assert [row["variant"] for row in result["rows"]] == ["one", "two seeds", "mc"]
    each = [rate["mean"] for rate in result["rows"][1]["win_rates"]["random"]["each"]]
    assert len(each) == 2
    assert result["rows"][1]["win_rates"]["random"]["mean"]["mean"] == pytest.approx(sum(each) / 2)
    assert markdown(result) in shown
    assert matplotlib.image.imread(out / "learning.png")[..., :3].std() > 0.02
    curves = result["rows"][1]["curves"]
    assert [curve["steps"][-1] for curve in curves] == [512, 512]
    written = {path: path.stat().st_mtime_ns for path in out.glob("*/metrics.jsonl")}
    assert len(written) == 4
    assert main([str(study), "--out", str(out), "--quiet", "--workers", "2"]) == 0
    assert {path: path.stat().st_mtime_ns for path in written} == written, "finished trainings are kept"


def test_broken_studies_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = tmp_path / "study.yaml"
    study.write_text("seeds: [1]\n")
    assert main([str(study), "--out", str(tmp_path / "out")]) == 2
    assert "variants: expected at least one" in capsys.readouterr().err
