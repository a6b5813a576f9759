"""A policy that ships: its weights, and a file that tells where it comes from and what it is worth."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.torch_policy import TorchPolicy
from tests.train import tiny
from train.evaluate import evaluate
from train.ppo import Config, Run
from train.ship import AGAINST, SEED, main
from uno_env.rules import Rules


def test_what_ships_tells_what_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Run(dataclasses.replace(Config(**tiny.TINY), player_counts=(2, 3)), tmp_path / "run")
    run.train(show=False)
    path = tmp_path / "shipped.safetensors"
    assert main([str(tmp_path / "run" / "last.safetensors"), str(path), "--games", "20", "--rules", "research", "--greedy"]) == 0
    told = json.loads(path.with_suffix(".json").read_text())
    shipped, last = TorchPolicy.load(path), TorchPolicy.load(tmp_path / "run" / "last.safetensors")
    assert shipped.greedy
    assert told["greedy"]
    weights = last.actor.state_dict()
    assert all(torch.equal(tensor, weights[name]) for name, tensor in shipped.actor.state_dict().items())
    assert told["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert told["trained"]["config"]["player_counts"] == [2, 3]
    assert told["trained"]["curve"]["steps"][-1] == run.steps
    assert [(one["num_players"], one["opponent"]) for one in told["strength"]] == [(n, name) for n in (2, 3) for name in AGAINST]
    rules = Rules.preset("research", num_players=3)
    again = evaluate({"network": shipped}, opponents=AGAINST, rules=rules, games=20, seed=SEED)
    assert told["strength"][-1]["win_rate"] == dataclasses.asdict(again.pairing("network", AGAINST[-1]).win_rate)
    assert np.isfinite(told["strength"][-1]["win_rate"]["low"])
    assert f"written: {path}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [(("nowhere", "x.safetensors"), "no such run folder"), (("nowhere", "x.pt"), "ends in .safetensors")],
)
def test_what_can_not_ship_is_refused(arguments: tuple[str, str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert complaint in capsys.readouterr().err
