"""Learning from networks that were trained before: what is kept of them, and that the learner becomes like them."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.base import chances
from agents.network import Actor, NetworkConfig
from agents.torch_policy import TorchPolicy, save_model
from tests.train import tiny
from train.opponents import Teachers
from train.ppo import Config, Run
from uno_env.rules import Rules
from uno_env.vector import UnoVector

TINY = Config(**tiny.TINY)
TWO = Rules.preset("research", num_players=2)


def teacher(folder: Path, seed: int) -> str:
    """An untrained network for two players with opinions of its own."""
    torch.manual_seed(seed)
    network = NetworkConfig(num_players=2, width=8)
    actor = Actor(network)
    with torch.no_grad():
        for head in (actor.colour_head.each, actor.rest_head):
            head.weight.mul_(3000)
    path = folder / f"teacher{seed}.safetensors"
    save_model(path, actor.state_dict(), network, TWO)
    return str(path)


def distance(run: Run, name: str) -> float:
    """Mean KL divergence of a run's policy from a teacher's, in positions between them."""
    vector = UnoVector(256, TWO, seed=3)
    rng = np.random.default_rng(3)
    known, learner = TorchPolicy.load(name), TorchPolicy(run.learner.actor, run.config.network, TWO)
    found = []
    for _ in range(20):
        choice = vector.action_masks.sum(axis=1) > 1
        told, mine = (
            chances(policy.logits(vector.observations[choice]), vector.action_masks[choice]) for policy in (known, learner)
        )
        found.append((told * np.log(np.maximum(told, 1e-30) / np.maximum(mine, 1e-30))).sum(axis=1))
        vector.step(known.act_batch(vector.observations, vector.action_masks, rng))
    return float(np.concatenate(found).mean())


def test_the_learner_becomes_like_its_teacher(tmp_path: Path) -> None:
    name = teacher(tmp_path, 1)
    taught = dataclasses.replace(
        TINY,
        teachers=(name,),
        teacher_weight=10.0,
        final_teacher_weight=10.0,
        num_envs=128,
        rollout_steps=16,
        total_steps=128 * 16 * 30,
        learning_rate=1e-2,
        width=16,
    )
    run = Run(taught, tmp_path / "run")
    before = distance(run, name)
    run.train(show=False)
    assert before > 0.3, "a teacher that the untrained learner is already like teaches nothing"
    after = distance(run, name)
    assert after < 0.25 * before, (before, after)


def test_only_tables_of_the_teachers_size_are_taught(tmp_path: Path) -> None:
    names = (teacher(tmp_path, 1), teacher(tmp_path, 2))
    config = dataclasses.replace(TINY, player_counts=(2, 4), teachers=names, opponent_share=0.0)
    collector = Run(config, tmp_path / "run").collector
    two, four = (table.vector for table in collector.tables)
    choice = two.action_masks.sum(axis=1) > 1
    masks = two.action_masks[choice]
    expected = np.mean([chances(TorchPolicy.load(name).logits(two.observations[choice]), masks) for name in names], axis=0)
    others = int((four.action_masks.sum(axis=1) > 1).sum())
    with torch.inference_mode():
        collector._decide(Actor(config.network))
    assert collector.count == choice.sum() + others
    taught = collector.arrays["taught"][: collector.count]
    np.testing.assert_allclose(taught[: choice.sum()], expected, atol=1e-6)
    assert not taught[choice.sum() :].any()


def test_without_teachers_nothing_is_kept(tmp_path: Path) -> None:
    run = Run(TINY, tmp_path / "run")
    assert run.collector.arrays["taught"].shape[1] == 0


@pytest.mark.parametrize(
    ("name", "complaint"), [("rule", "'rule' is no network"), ("teacher", "plays with another number of players than the tables")]
)
def test_who_can_not_teach_is_refused(tmp_path: Path, name: str, complaint: str) -> None:
    given = teacher(tmp_path, 1) if name == "teacher" else name
    with pytest.raises(ValueError, match=complaint):
        Teachers([given], [Rules.preset("research", num_players=n) for n in (3, 4)])


def test_a_greedy_policy_is_kept_as_one(tmp_path: Path) -> None:
    run = Run(dataclasses.replace(TINY, greedy=True), tmp_path / "run")
    run.save()
    assert TorchPolicy.load(tmp_path / "run").greedy
    assert not TorchPolicy.load(tmp_path / "run", greedy=False).greedy
