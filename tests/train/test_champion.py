"""The networks that ship with the checkout: they load, know their tables, and are as strong as the files beside them say."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents import champion
from agents.torch_policy import TorchPolicy
from train.arena import play, rotations
from train.config import from_mapping
from train.ppo import Config
from train.ship import SEED
from uno_env import Game, Rules

MODELS = sorted(champion.FOLDER.glob("*.safetensors"))
DEALS = 1500
JUDGES = ("rule", "strategist")


def told_of(model: Path) -> dict[str, Any]:
    return json.loads(model.with_suffix(".json").read_text())


STATED = [(model, one) for model in MODELS for one in told_of(model)["strength"] if one["opponent"] in JUDGES]


def test_each_table_has_its_network() -> None:
    assert {model.name for model in MODELS} == {*champion.MODELS.values(), champion.ANY_NUMBER}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.stem)
def test_what_is_told_is_of_this_file(model: Path) -> None:
    told = told_of(model)
    assert told["sha256"] == hashlib.sha256(model.read_bytes()).hexdigest()
    policy = TorchPolicy.load(model)
    assert told["rules"] == policy.rules.to_dict() | {"num_players": policy.rules.num_players}
    assert told["greedy"] == policy.greedy
    config = from_mapping(Config, told["trained"]["config"], model.stem)
    assert config.network == policy.network
    apart, last = config.evaluate_every * config.num_envs * config.rollout_steps, told["trained"]["steps"]
    assert told["trained"]["curve"]["steps"] == [*range(apart, last, apart), last]
    assert model.stat().st_size < 1_000_000


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("model", "one"), STATED, ids=[f"{m.stem}, {one['rules']}, {one['num_players']}, {one['opponent']}" for m, one in STATED]
)
def test_networks_are_as_strong_as_stated(model: Path, one: dict[str, Any]) -> None:
    """On other deals than those of the statement."""
    rules = Rules.preset(one["rules"], num_players=one["num_players"])
    seatings = rotations(rules)
    deals = 2 * DEALS // len(seatings)
    games = play([agents.load(str(model)), agents.load(one["opponent"])], seatings, rules, deals=deals, seed=SEED + 77)
    rates = np.asarray(games.of(0, games.wins))
    error = rates.std(ddof=1) / len(rates) ** 0.5
    assert one["games"] >= 20_000
    assert one["win_rate"]["low"] - 3.5 * error < rates.mean() < one["win_rate"]["high"] + 3.5 * error


def test_champion_plays_a_game() -> None:
    player = agents.load("champion")
    outcome = agents.play_round(Game("research", seed=1, num_players=2), [player, agents.load("random")], seed=1)
    assert outcome.termination == "out"


@pytest.mark.parametrize("num_players", [3, 7, 10])
def test_other_tables_have_the_network_for_any_number(num_players: int) -> None:
    rules = Rules.preset("research", num_players=num_players)
    player = agents.load("champion")
    assert player.for_rules(rules).num_players is None  # type: ignore[attr-defined]
    outcome = agents.play_round(Game(rules, seed=1), [player, *[agents.load("random")] * (num_players - 1)], seed=1)
    assert outcome.termination == "out"
