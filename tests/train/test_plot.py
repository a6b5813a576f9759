"""Pictures of runs: what is drawn is what was measured, and a mistake writes nothing."""

from __future__ import annotations

import io
import json
from pathlib import Path
from xml.etree import ElementTree

import matplotlib.image
import numpy as np
import pytest

from tests.train.runs import make_run
from train.curves import group_runs, read_runs
from train.evaluate import evaluate
from train.plot import learning, main, read_evaluation, short_names, strength, training


def readable(path: Path) -> None:
    if path.suffix == ".png":
        picture = matplotlib.image.imread(path)
        assert min(picture.shape[:2]) > 300
        assert picture[..., :3].std() > 0.02, "an empty picture"
    else:
        root = ElementTree.parse(path).getroot()
        assert root.tag.endswith("svg")
        assert len(list(root.iter())) > 50


def test_the_pictures_show_what_was_measured(tmp_path: Path) -> None:
    rates = [(0.5, 0.6, 0.7), (0.6, 0.6, 0.9)]
    paths = [make_run(tmp_path / f"run-{seed}", seed=seed, rates=rate) for seed, rate in enumerate(rates, start=1)]
    groups = group_runs(read_runs([*paths, make_run(tmp_path / "four", num_players=4)]))
    drawn = strength(groups)
    assert drawn is not None
    assert [panel.get_title() for panel in drawn.axes] == [
        f"against {name}\n{players} players, research" for players in (2, 4) for name in ("random", "rule")
    ]
    mean = next(line for line in drawn.axes[1].lines if line.get_label() == "run (2 seeds)")
    assert np.asarray(mean.get_xdata()).tolist() == [0.002, 0.004, 0.006]
    assert np.asarray(mean.get_ydata(), float) == pytest.approx([45, 50, 70])
    scores = learning(groups)
    assert scores is not None
    mean = next(line for line in scores.axes[1].lines if line.get_label() == "run (2 seeds)")
    assert np.asarray(mean.get_xdata(), float) == pytest.approx([1, 2, 3]), "minutes"
    assert np.asarray(mean.get_ydata(), float) == pytest.approx([50, 55, 75])
    measures = training(groups)
    assert measures is not None
    assert {"Entropy of the policy", "KL divergence of an update"} <= {panel.get_title() for panel in measures.axes}


def test_the_command_writes_all_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [str(make_run(tmp_path / f"run-{seed}", seed=seed, model=True)) for seed in (1, 2)]
    told = tmp_path / "evaluation.json"
    told.write_text(json.dumps(evaluate({"runs/a": "random", "b": "rule"}, games=10, num_players=2).to_dict()))
    names = {f"{name}.{kind}" for name in ("learning", "strength", "training", "actions", "heat_map") for kind in ("png", "svg")}
    files = []
    for out in (tmp_path / "one", tmp_path / "deeper" / "two"):
        assert main([*runs, "--games", "6", "--evaluation", str(told), "--out", str(out)]) == 0
        assert {path.name for path in out.iterdir()} == names | {"actions.json"}
        files.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert files[0] == files[1], "the same seed, the same files"
    for name in names:
        readable(tmp_path / "one" / name)
    counted = json.loads(files[0]["actions.json"])["runs"]
    assert list(counted) == ["run-1", "run-2"]
    assert counted["run-1"]["games"] == 6
    assert sum(counted["run-1"]["draws"]["chances"]) > 0
    assert str(tmp_path / "one" / "learning.png") in capsys.readouterr().out


def test_an_evaluation_is_read_as_it_was_written(tmp_path: Path) -> None:
    result = evaluate({"runs/x/best.safetensors": "random", "b": "rule"}, games=10, num_players=2)
    path = tmp_path / "evaluation.json"
    path.write_text(json.dumps(result.to_dict()))
    found = read_evaluation(path)
    assert found.agents == ("best", "b")
    assert found.rules == result.rules
    np.testing.assert_array_equal(found.win_rates(), result.win_rates())
    assert [p.win_rate for p in found.pairings] == [p.win_rate for p in result.pairings]
    assert short_names(["runs/a/best.safetensors", "runs/b/best.safetensors", "rule"]) == ["a/best", "b/best", "rule"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to draw"),
        (["{tmp}/none"], "no such run folder"),
        (["{tmp}/empty"], "no config.yaml"),
        (["{tmp}/unmeasured"], "no metrics.jsonl"),
        (["{tmp}/silent"], "nothing measured yet"),
        (["{tmp}/broken"], "line 2"),
        (["{tmp}/run"], "no best.safetensors or last.safetensors"),
        (["{tmp}/run", "{tmp}/run", "--games", "0"], "given twice"),
        (["{tmp}/run", "--games", "-1"], "--games -1"),
        (["{tmp}/run", "--games", "0", "--seed", "-1"], "--seed -1"),
        (["{tmp}/run", "--games", "0", "--evaluation", "{tmp}/none.json"], "No such file"),
        (["{tmp}/run", "--games", "0", "--evaluation", "{tmp}/run/config.yaml"], "not JSON"),
        (["{tmp}/run", "--games", "0", "--evaluation", "{tmp}/other.json"], "there is no key 'agents'"),
    ],
)
def test_a_mistake_writes_nothing(arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(tmp_path / "run")
    (tmp_path / "empty").mkdir()
    (make_run(tmp_path / "unmeasured") / "metrics.jsonl").unlink()
    (make_run(tmp_path / "silent") / "metrics.jsonl").write_text("")
    (make_run(tmp_path / "broken") / "metrics.jsonl").write_text('{"steps": 1, "minutes": 0.1}\nnonsense\n')
    (tmp_path / "other.json").write_text("{}")
    out = tmp_path / "out"
    with pytest.raises(SystemExit) as stopped:
        main([*(argument.replace("{tmp}", str(tmp_path)) for argument in arguments), "--out", str(out)])
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_a_run_without_evaluations_is_drawn_without_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path / "run", rates=())
    (run / "metrics.jsonl").write_text('{"steps": 1000, "minutes": 0.5, "entropy": 0.7}\n')
    assert main([str(run), "--games", "0", "--out", str(tmp_path / "out")]) == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"training.png", "training.svg"}
    assert "no picture of learning" in capsys.readouterr().err
    assert matplotlib.image.imread(io.BytesIO((tmp_path / "out" / "training.png").read_bytes())).ndim == 3
