"""A tournament gives one result however it is run, stops by the spread alone, and ranks by the whole matrix."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest

from train.arena import play, rotations
from train.config import ConfigError, load
from train.estimate import Estimate
from train.evaluate import load_agent
from train.tournament import Config, Tournament, chunk_seed, deals_needed, half_width, main, next_stage

ROOT = Path(__file__).resolve().parents[2]
CONFIGS = ROOT / "configs" / "tournament"
SMALL = Config(agents=("random", "rule", "actions_first"), half_width=8, chunk=20, first_chunks=2, max_chunks=5)


def run(config: Config, out: Path, workers: int = 1) -> dict:
    tournament = Tournament(config, out)
    tournament.play(workers=workers)
    return tournament.result().to_dict()


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_configs_load(path: Path) -> None:
    config = load(Config, path)
    assert ("four" in path.stem) == (config.num_players == 4)
    assert ("digital" in path.stem) == (config.rules == "digital")


def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    config = dataclasses.replace(SMALL, streams=True, control=True, fit_deals=20)
    assert run(config, tmp_path / "one") == run(config, tmp_path / "two", workers=2)
    files = [sorted(path.relative_to(tmp_path / out) for path in (tmp_path / out).rglob("*.npz")) for out in ("one", "two")]
    assert files[0] == files[1]


def test_the_chunks_are_the_games_of_the_arena(tmp_path: Path) -> None:
    tournament = Tournament(SMALL, tmp_path)
    tournament.play()
    pair = ("random", "actions_first")
    games, luck = tournament.games(pair)
    assert luck is None
    agents, table = [load_agent(name) for name in pair], SMALL.table
    again = [
        play(agents, rotations(table), table, deals=20, seed=chunk_seed(SMALL.seed, chunk))
        for chunk in range(len(games.wins) // 20)
    ]
    assert len(again) >= SMALL.first_chunks
    assert (games.wins == np.concatenate([part.wins for part in again])).all()
    assert (games.lengths == np.concatenate([part.lengths for part in again])).all()
    pairing = tournament.result().evaluation.pairing(*pair)
    wins = np.concatenate([part.of(0, part.wins) for part in again])
    assert pairing.win_rate == Estimate.of(wins, bounds=(0, 1)), "the unit of the interval is the deal"
    back = tournament.result().evaluation.pairing(*pair[::-1])
    assert back.win_rate.mean == pytest.approx(1 - pairing.win_rate.mean)


def test_killed_and_started_again_it_gives_the_same_result(tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    command = [sys.executable, "-m", "train.tournament", str(CONFIGS / "smoke.yaml"), "--out"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [*command, str(broken)], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 120
    while not list(broken.glob("chunks/*/*.npz")) and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    left = len(list(broken.glob("chunks/*/*.npz")))
    assert left >= 1
    for out in (broken, whole):
        assert main([str(CONFIGS / "smoke.yaml"), "--out", str(out)]) == 0
    told = [json.loads((out / "tournament.json").read_text()) for out in (broken, whole)]
    for one in told:
        assert {"command", "time", "versions", "seconds"} <= one.pop("made").keys()
    assert told[0] == told[1]
    for name in ("crossplay.csv", "standings.csv", "heat_map.png", "ratings.svg"):
        assert (broken / name).read_bytes() == (whole / name).read_bytes(), name


def test_the_command_plays_with_several_workers(tmp_path: Path) -> None:
    """As a user starts it: a script's own functions can not be sent to other processes by name."""
    command = [
        sys.executable,
        "-m",
        "train.tournament",
        str(CONFIGS / "smoke.yaml"),
        "--workers",
        "2",
        "--out",
        str(tmp_path / "two"),
    ]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=300)
    assert main([str(CONFIGS / "smoke.yaml"), "--out", str(tmp_path / "one")]) == 0
    assert (tmp_path / "two" / "crossplay.csv").read_bytes() == (tmp_path / "one" / "crossplay.csv").read_bytes()


def test_the_command_writes_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("agents: [random, twin=random]\nhalf_width: 20\nchunk: 30\nfirst_chunks: 1\nmax_chunks: 1\n")
    assert main([str(config), "--out", str(tmp_path / "out"), "--half-width", "1"]) == 0
    printed = capsys.readouterr().out
    assert "2 of 2 intervals are wider than the asked 1.0" in printed
    lines = (tmp_path / "out" / "crossplay.csv").read_text().splitlines()
    assert lines[0] == "agent,opponent,win_rate,low,high,standard_error,games,deals"
    assert [line.split(",")[:2] for line in lines[1:]] == [["random", "twin"], ["twin", "random"]]
    assert (tmp_path / "out" / "standings.csv").read_text().startswith("agent,rank,best,worst,mu,sigma\n")
    for name in ("heat_map.png", "ratings.png"):
        assert matplotlib.image.imread(tmp_path / "out" / name)[..., :3].std() > 0.02, name
    told = json.loads((tmp_path / "out" / "tournament.json").read_text())
    assert told["config"]["agents"] == ["random", "twin=random"]
    assert [pairing["deals"] for pairing in told["pairings"]] == [30, 30]


def test_more_players_meet_both_ways(tmp_path: Path) -> None:
    config = Config(agents=("random", "rule"), num_players=3, half_width=9, chunk=20, first_chunks=2, max_chunks=20)
    tournament = Tournament(config, tmp_path)
    tournament.play()
    evaluation = tournament.result().evaluation
    assert len(tournament.config.pairs()) == len(evaluation.pairings) == 2
    for pairing in evaluation.pairings:
        assert pairing.games == 3 * pairing.deals
        assert half_width(pairing) < 9.5, "the spread of the last stage may be a little more than that of the one before"


def test_given_opponents_are_the_only_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each pairing is the one of the full tournament, and where some are missing nobody is ranked."""
    config = tmp_path / "config.yaml"
    config.write_text("agents: [random, actions_first]\nopponents: [rule]\nchunk: 20\nfirst_chunks: 2\nmax_chunks: 2\n")
    assert main([str(config), "--out", str(tmp_path / "out")]) == 0
    assert "place" not in capsys.readouterr().out
    told = json.loads((tmp_path / "out" / "tournament.json").read_text())
    assert [(p["agent"], p["opponent"]) for p in told["pairings"]] == [("random", "rule"), ("actions_first", "rule")]
    assert told["standings"] == told["cycles"] == []
    full = Tournament(dataclasses.replace(SMALL, first_chunks=2, max_chunks=2), tmp_path / "full")
    full.play()
    for pairing in told["pairings"]:
        expected = full.result().evaluation.pairing(pairing["agent"], pairing["opponent"])
        assert pairing["win_rate"]["mean"] == expected.win_rate.mean
    assert not (tmp_path / "out" / "standings.csv").exists()


# When a pairing stops -------------------------------------------------------------------------------------------------


def test_the_deals_needed_are_those_of_the_interval() -> None:
    values = np.array([0.0, 0.5, 1.0] * 400)
    needed = deals_needed(values, 0.01)
    # A spread of 1/sqrt(6) and the normal distribution's 1.96: 6403 deals.
    assert needed == pytest.approx((1.96 / 0.01) ** 2 / 6, rel=5e-3)
    config = dataclasses.replace(SMALL, half_width=1, chunk=100, max_chunks=200)
    assert next_stage(values, config) == -(-needed // 100)
    assert next_stage(values, dataclasses.replace(config, max_chunks=50)) == 50
    assert next_stage(values, dataclasses.replace(config, half_width=5)) == 12, "never fewer than were played"


@pytest.mark.parametrize("rate", [0.5, 0.9])
def test_stopping_by_the_spread_keeps_the_coverage(rate: float) -> None:
    config = dataclasses.replace(SMALL, half_width=5, chunk=20, first_chunks=3, max_chunks=60)
    rng = np.random.default_rng(1)
    covered, lengths, tries = 0, [], 1000
    for _ in range(tries):
        deals = rng.binomial(2, rate, config.chunk * config.max_chunks) / 2
        chunks, played = config.first_chunks, 0
        while chunks > played:
            played = chunks
            chunks = next_stage(deals[: played * config.chunk], config)
        found = Estimate.of(deals[: played * config.chunk], bounds=(0, 1))
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= rate <= found.high
        lengths.append(played)
    assert len(set(lengths)) > 1, "nothing was decided"
    # 1000 tries of 95% have a standard error of 0.7 points.
    assert 0.93 < covered / tries < 0.97


# Refusals -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"agents": ("rule",)}, "it takes two to play"),
        ({"agents": ("rule", "rule")}, "given twice"),
        ({"opponents": ("rule",)}, "given twice"),
        ({"agents": (), "opponents": ("rule", "random")}, "it takes two to play"),
        ({"half_width": 0.0}, "half_width"),
        ({"first_chunks": 9, "max_chunks": 3}, "first_chunks"),
        ({"episode": "match"}, "target"),
        ({"agents": ("omniscient_search:9", "rule"), "streams": True}, "sees the order of the draw pile"),
        ({"episode": "game"}, "'round' or 'match'"),
        ({"agents": tuple(f"a{i}=rule" for i in range(15))}, "at most 14"),
    ],
)
def test_configs_that_can_not_be_played_are_refused(changes: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        dataclasses.replace(SMALL, **changes)


def test_a_folder_holds_one_tournament(tmp_path: Path) -> None:
    Tournament(SMALL, tmp_path)
    Tournament(SMALL, tmp_path)
    with pytest.raises(ConfigError, match="of another tournament"):
        Tournament(dataclasses.replace(SMALL, seed=2), tmp_path)
    with pytest.raises(ValueError, match="still to be played"):
        Tournament(SMALL, tmp_path).result()


def test_an_unknown_agent_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'nobody'"):
        Tournament(dataclasses.replace(SMALL, agents=("rule", "nobody")), tmp_path / "out")
    assert not (tmp_path / "out").exists()
