"""An exploiter plays against the frozen agent alone, and its gain is measured on deals that it was not chosen by."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from agents.torch_policy import TorchPolicy
from tests.train.runs import make_run
from train import ppo
from train.best_response import exploit, main, report
from train.config import ConfigError, load, to_yaml

SMOKE = Path(__file__).resolve().parents[2] / "configs" / "ppo" / "smoke.yaml"
BASE = dataclasses.replace(load(ppo.Config, SMOKE), total_steps=4096)


def test_an_exploiter_from_scratch_and_one_from_the_agents_own_weights(tmp_path: Path) -> None:
    agent = str(make_run(tmp_path / "victim", model=True) / "best.safetensors")
    found = exploit(agent, tmp_path / "out", base=BASE, half_width=10, max_chunks=4)
    assert {one.start for one in found} == {"own", "scratch"}
    assert found[0].score >= found[1].score, "the better one in training counts"
    for one in found:
        config = load(ppo.Config, tmp_path / "out" / one.start / "config.yaml")
        assert (config.opponents, config.opponent_share, config.snapshot_slots) == ((agent,), 1.0, 0)
        assert config.total_steps == 4096
        assert (config.width, config.layers) == (8, 1), "the agent's own shape"
        assert bool(config.initial_model) == (one.start == "own")
        assert one.pairing.opponent == agent
        mean, low, high = one.gain(2)
        assert low < mean < high
        assert mean == pytest.approx(100 * one.pairing.win_rate.mean - 50)
    told = report(agent, BASE, found)
    assert told["gain"]["mean"] == found[0].gain(2)[0]
    # Called again it finds all done, and says the same.
    assert exploit(agent, tmp_path / "out", base=BASE, half_width=10, max_chunks=4) == found
    with pytest.raises(ConfigError, match="another training"):
        exploit(agent, tmp_path / "out", base=dataclasses.replace(BASE, seed=9))


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(to_yaml(BASE))
    arguments = ["random", "--config", str(config), "--players", "3", "--steps", "2048", "--out", str(tmp_path / "out")]
    assert main([*arguments, "--half-width", "20", "--max-chunks", "4"]) == 0
    assert "random can be exploited by at least" in capsys.readouterr().out
    told = json.loads((tmp_path / "out" / "best_response.json").read_text())
    assert told["rules"]["num_players"] == 3
    (one,) = told["exploiters"]
    assert one["start"] == "scratch"
    assert told["gain"]["mean"] == pytest.approx(100 * (one["pairing"]["win_rate"]["mean"] - 1 / 3))


def test_only_networks_have_weights_to_start_from(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no network of ours"):
        exploit("rule", tmp_path, base=BASE, starts=["own"])
    with pytest.raises(ValueError, match="expected 'own', 'scratch'"):
        exploit("rule", tmp_path, base=BASE, starts=["elsewhere"])


def test_training_starts_from_a_model_of_the_same_shape(tmp_path: Path) -> None:
    model = make_run(tmp_path / "victim", model=True)
    config = dataclasses.replace(BASE, width=8, layers=1, initial_model=str(model))
    run = ppo.Run(config, tmp_path / "run")
    told = TorchPolicy.load(model).actor.state_dict()
    for part in (run.learner.actor, run.learner.magnet):
        assert all((tensor == told[name]).all() for name, tensor in part.state_dict().items())
    with pytest.raises(ConfigError, match="initial_model"):
        ppo.Run(dataclasses.replace(config, width=16), tmp_path / "other")
