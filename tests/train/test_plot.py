"""Pictures of runs: what is drawn is what was measured, and a mistake writes nothing."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib.image
import numpy as np
import pytest
import torch
import yaml

from agents.network import Actor, NetworkConfig
from agents.torch_policy import save_model
from train.evaluate import evaluate
from train.plot import (
    HABITS,
    ActionCounter,
    Series,
    count_actions,
    curve,
    group_runs,
    learning,
    main,
    ratio,
    read_evaluation,
    read_run,
    read_runs,
    short_names,
    strength,
    training,
)
from uno_env.notation import action_id, states_from_position
from uno_env.rules import Rules
from uno_env.state import CHALLENGE, DRAW, PASS
from uno_env.vector import UnoVector

RESEARCH = Rules.preset("research", num_players=2)
T_2 = 4.30265
"""97.5% point of Student's distribution with 2 degrees of freedom (any table of it)."""


def make_run(
    folder: Path, *, seed: int = 1, rates: tuple[float, ...] = (0.5, 0.6, 0.7), model: bool = False, **config: Any
) -> Path:
    """A run folder as `train.ppo` leaves it: an update every 1000 steps, an evaluation at each second one."""
    folder.mkdir(parents=True)
    fields = {"rules": "research", "num_players": 2, "seed": seed, "evaluate_against": ["random", "rule"], **config}
    (folder / "config.yaml").write_text(yaml.safe_dump(fields))
    lines = []
    for update in range(1, 2 * len(rates) + 1):
        line = {"update": update, "steps": 1000 * update, "minutes": update / 2, "entropy": 1 / update, "kl": 0.001}
        line |= {"explained_variance": 0.1 * update, "value_loss": 0.1, "episode_length": 40.0, "steps_per_second": 9000.0}
        if update % 2 == 0:
            rate = rates[update // 2 - 1]
            line |= {"win_rate/random": rate, "win_rate/rule": rate - 0.1}
        lines.append(json.dumps(line) + "\n")
    (folder / "metrics.jsonl").write_text("".join(lines))
    if model:
        torch.manual_seed(seed)
        network = NetworkConfig(num_players=2, width=8, layers=1)
        save_model(folder / "best.safetensors", Actor(network).state_dict(), network, RESEARCH)
    return folder


def readable(path: Path) -> None:
    if path.suffix == ".png":
        picture = matplotlib.image.imread(path)
        assert min(picture.shape[:2]) > 300
        assert picture[..., :3].std() > 0.02, "an empty picture"
    else:
        root = ElementTree.parse(path).getroot()
        assert root.tag.endswith("svg")
        assert len(list(root.iter())) > 50


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


def test_the_interval_of_a_share_takes_games_as_units() -> None:
    taken, chances = np.array([1, 0, 2, 0]), np.array([2, 1, 2, 0])
    found = ratio(taken, chances)
    assert found is not None
    share = 3 / 5
    # Three games had a chance; the fourth counts as a game without.
    error = np.sqrt(4 / 3 * ((1 - 2 * share) ** 2 + share**2 + (2 - 2 * share) ** 2)) / 5
    assert found.mean == pytest.approx(share)
    assert found.standard_error == pytest.approx(error)
    assert (found.low, found.high) == (pytest.approx(max(share - T_2 * error, 0), abs=1e-3), 1)
    none = ratio(np.zeros(2), np.array([1, 5]))
    assert none is not None
    # Two games without: (1 - p)^2 = 0.025.
    assert (none.mean, none.low, none.high) == (0, 0, pytest.approx(1 - np.sqrt(0.025)))
    assert ratio(np.zeros(2), np.zeros(2)) is None


def test_actions_are_counted_as_by_hand() -> None:
    base = {"rules": "research", "discard_pile": ["r7"], "draw_pile": ["y1", "g2", "b4"]}
    other = ["b3", "b9"]
    four = {"discard_pile": ["r7", "W4"], "colour": "g", "phase": "CHALLENGE", "pending_draw": 4, "guilty": False, "turn": 1}
    # The position, what is chosen, and what it counts as: habit -> taken.
    decisions: list[tuple[dict[str, Any], str, dict[str, bool], int]] = [
        ({"hands": [["r5", "W4", "g1"], other]}, "W4:g", {"bluffs": True, "holds_wilds": False, "draws": False}, 3),
        ({"hands": [["r5", "W4", "g1"], other]}, "r5", {"bluffs": False, "holds_wilds": True, "draws": False}, 3),
        ({"hands": [["g1", "W4"], other]}, "W4:g", {"draws": False}, 2),
        ({"hands": [["r1", "r2", "W", "b1"], other]}, "draw", {"holds_wilds": True, "draws": True}, 4),
        ({"hands": [["g1", "b1"], other]}, "draw", {}, 2),
        ({"hands": [["r5", "g1"], other], "phase": "DRAWN", "drawn": "r5"}, "pass", {"keeps_drawn": True}, 2),
        ({"hands": [["r5", "g1"], other], "phase": "DRAWN", "drawn": "r5"}, "r5", {"keeps_drawn": False}, 2),
        ({"hands": [["g1"], other], **four}, "challenge", {"challenges": True}, 1),
        ({"hands": [["g1"], other], **four}, "accept", {"challenges": False}, 1),
    ]
    seeds = np.arange(100, 100 + len(decisions), dtype=np.uint64)[::-1].copy()
    vector = UnoVector(len(decisions), RESEARCH, seeds.tolist())
    chosen = []
    for i, (position, action, _, _) in enumerate(decisions):
        states, rules = states_from_position(base | position)
        assert rules == RESEARCH
        vector.states[i] = states[0]
        chosen.append(action_id(action, 0, 2, 1))
    vector.refresh()
    counter = ActionCounter(seeds)
    rows = np.arange(len(decisions))
    counter.watch(vector, rows, np.zeros(len(rows), np.int64), np.array(chosen))
    for game, (position, action, counts, size) in enumerate(decisions):
        for index, habit in enumerate(HABITS):
            chances, taken = (np.flatnonzero(part[game, index]) + 1 for part in (counter.found.chances, counter.found.taken))
            assert chances.tolist() == ([size] if habit in counts else []), (position, action, habit)
            assert taken.tolist() == ([size] if counts.get(habit) else []), (position, action, habit)
    assert counter.found.to_dict()["bluffs"]["share"]["mean"] == 0.5


class Habitual:
    """Draws, keeps, and challenges whenever it may; else plays the first legal card."""

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        actions = masks.argmax(axis=1)
        # Without an end to drawing no game would end.
        willing = rng.random(len(masks)) < 0.5
        for favourite in (DRAW, PASS, CHALLENGE):
            actions = np.where((masks[:, favourite] != 0) & ((favourite != DRAW) | willing), favourite, actions)
        return actions


def test_actions_of_an_agent_known_by_construction() -> None:
    found = count_actions(Habitual(), RESEARCH, games=30, seed=3)
    assert found.chances.shape[0] == 30
    for habit, share in {"keeps_drawn": 1.0, "challenges": 1.0}.items():
        rate = found.rate(habit)
        assert rate is not None
        assert rate.mean == share
    draws = found.rate("draws")
    assert draws is not None
    assert draws.low is not None
    assert draws.high is not None
    assert 0.3 < draws.low < 0.5 < draws.high < 0.7
    again = count_actions(Habitual(), RESEARCH, games=30, seed=3)
    assert (again.chances == found.chances).all()
    assert (again.taken == found.taken).all()


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
