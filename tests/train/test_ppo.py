"""The run as a whole: configs, checkpoints, resuming, the command line, and that it learns."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import agents
from agents.torch_policy import TorchPolicy
from tests.train import tiny
from train import checkpoints
from train.arena import play, rotations
from train.config import ConfigError, load
from train.ppo import Config, Run, main
from uno_env.rules import Rules
from uno_env.vector import UnoVector

CONFIGS = sorted(Path(__file__).parents[2].glob("configs/ppo/*.yaml"))
TINY = Config(**tiny.TINY)


def weights_of(run: Run) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in run.learner.actor.state_dict().items()}


# Configs ----------------------------------------------------------------------------------------------------------------


def test_there_are_presets() -> None:
    assert {path.stem for path in CONFIGS} >= {"two_player", "four_player", "smoke", "quickstart"}


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_presets_load(path: Path) -> None:
    config = load(Config, path)
    Rules.of(config.rules, config.num_players)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("learning_rte: 0.1\n", "unknown key 'learning_rte'"),
        ("epochs: many\n", "epochs='many': expected int"),
        ("epochs: 0\n", "epochs=0: expected at least 1"),
        ("gae_lambda: 2\n", "gae_lambda=2.0: expected 0 to 1"),
        ("- 1\n", "expected a mapping"),
        ("a: [\n", "not YAML"),
    ],
)
def test_broken_configs_are_refused(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=complaint):
        load(Config, path)


def test_command_line_reports_a_broken_config(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("learning_rte: 0.1\n")
    assert main(["--config", str(path), "--out", str(tmp_path / "run")]) == 2
    assert "learning_rte" in capsys.readouterr().err
    assert main([]) == 2
    assert "--out" in capsys.readouterr().err


def test_fields_have_docstrings_and_configs_cannot_change() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        TINY.epochs = 3  # type: ignore[misc]


# Saving and resuming ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"autocast": False, "privileged_critic": False, "magnet": 0.0, "value_clip": 0.2, "target_kl": 0.01},
        {"num_players": 3},
        {"player_counts": (2, 5), "teachers": ("champion",)},
    ],
    ids=["default", "plain", "three players", "two and five players"],
)
def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path, changes: dict) -> None:
    config = dataclasses.replace(TINY, **changes)
    whole = Run(config, tmp_path / "whole")
    whole.train(show=False)

    first = Run(config, tmp_path / "parts")
    board = _Board()
    for _ in range(4):  # one update past the checkpoint that is written after the third
        first._update(board, board)
        if first.updates == 3:
            first.save()
    second = Run(config, tmp_path / "parts", resume=True)
    assert second.updates == 3
    second.train(show=False)

    expected = weights_of(whole)
    for name, tensor in weights_of(second).items():
        assert torch.equal(tensor, expected[name]), name
    for name, tensor in second.learner.magnet.state_dict().items():
        assert torch.equal(tensor, whole.learner.magnet.state_dict()[name]), name
    for ours, theirs in zip(second.collector.tables, whole.collector.tables, strict=True):
        assert ours.vector.states.tobytes() == theirs.vector.states.tobytes()
    assert second.win_rates == whole.win_rates

    def measured(folder: Path) -> list[dict]:
        clock = ("minutes", "collect_seconds", "learn_seconds", "steps_per_second")
        lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
        return [{name: value for name, value in line.items() if name not in clock} for line in lines]

    assert measured(tmp_path / "parts") == measured(tmp_path / "whole")
    for name in ("last.safetensors", "best.safetensors"):
        ours, theirs = load_file(tmp_path / "parts" / name), load_file(tmp_path / "whole" / name)
        assert all(torch.equal(tensor, theirs[key]) for key, tensor in ours.items())


class _Board:
    def __getattr__(self, _: str):
        return lambda *args, **kwargs: None


def test_the_run_folder(tmp_path: Path) -> None:
    run = Run(TINY, tmp_path / "run")
    run.train(show=False)
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names >= {
        "config.yaml",
        "versions.json",
        "metrics.jsonl",
        "tensorboard",
        "checkpoints",
        "best.safetensors",
        "last.safetensors",
    }
    assert load(Config, tmp_path / "run" / "config.yaml") == TINY
    assert not list(tmp_path.rglob("*.tmp"))
    assert not [path for path in tmp_path.rglob("*") if path.suffix in (".pt", ".pth", ".pkl", ".pickle")]
    assert len(checkpoints.list_checkpoints(tmp_path / "run" / "checkpoints")) == TINY.keep_checkpoints
    with pytest.raises(ConfigError, match="already holds a run"):
        Run(TINY, tmp_path / "run")
    with pytest.raises(ConfigError, match="no checkpoint"):
        Run(TINY, tmp_path / "nothing", resume=True)


def test_loading_unpickles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(TINY, tmp_path / "run")
    run.save()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("something was unpickled")

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(f"pickle.{name}", refuse)
    monkeypatch.setattr(torch, "load", refuse)
    Run(TINY, tmp_path / "run", resume=True)
    TorchPolicy.load(tmp_path / "run")


def test_the_first_interrupt_ends_the_run_after_its_update(tmp_path: Path) -> None:
    run = Run(TINY, tmp_path / "run")
    run.stopping = True
    run.train(show=False)
    assert run.updates == 0
    run.stopping = False
    update = run._update

    def interrupted(*args) -> None:
        update(*args)
        run.stopping = True

    run._update = interrupted  # type: ignore[method-assign]
    run.train(show=False)
    assert run.updates == 1
    assert Run(TINY, tmp_path / "run", resume=True).updates == 1


# The command line and the models ----------------------------------------------------------------------------------------


def test_smoke_training_and_playing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    smoke = next(str(path) for path in CONFIGS if path.stem == "smoke")
    out = tmp_path / "run"
    arguments = ["--config", smoke, "--out", str(out), "--quiet"]
    assert main([*arguments, "--seed", "5", "--total-steps", "4000"]) == 0
    assert main(["--out", str(out), "--resume", "--quiet", "--total-steps", "8000"]) == 0
    assert load(Config, out / "config.yaml").seed == 5
    assert "against random" in capsys.readouterr().out
    policy = agents.load(str(out))
    assert isinstance(policy, TorchPolicy)
    assert policy.num_players == policy.rules.num_players == 2
    games = play([policy, agents.load("random")], rotations(policy.rules), policy.rules, deals=5, seed=1)
    assert games.wins.sum() == pytest.approx(10 - games.truncated.sum() - games.void.sum())


def test_a_saved_policy_plays_as_the_one_in_memory(tmp_path: Path) -> None:
    run = Run(TINY, tmp_path / "run")
    run.save()
    ours = TorchPolicy(run.learner.actor, run.config.network, run.rules)
    vector = UnoVector(32, run.rules, seed=1)
    saved = TorchPolicy.load(tmp_path / "run" / "last.safetensors")
    assert saved.rules == run.rules
    assert np.array_equal(saved.logits(vector.observations), ours.logits(vector.observations))
    draws = [p.act_batch(vector.observations, vector.action_masks, np.random.default_rng(2)) for p in (saved, ours)]
    assert np.array_equal(*draws)
    greedy = TorchPolicy.load(tmp_path / "run", greedy=True)
    best = np.where(vector.action_masks != 0, saved.logits(vector.observations), -np.inf).argmax(axis=1)
    assert np.array_equal(greedy.act_batch(vector.observations, vector.action_masks, np.random.default_rng(3)), best)


@pytest.mark.parametrize(
    "device", ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU"))]
)
def test_devices(tmp_path: Path, device: str) -> None:
    run = Run(dataclasses.replace(TINY, device=device, total_steps=2 * 16 * 24), tmp_path / "run")
    run.train(show=False)
    assert {parameter.device.type for parameter in run.learner.parameters} == {device}
    assert TorchPolicy.load(tmp_path / "run", device=device).about["updates"] == run.updates


# Learning ---------------------------------------------------------------------------------------------------------------


def test_an_untrained_policy_plays_like_random(tmp_path: Path) -> None:
    """The prior keeps rounds short: those of a policy that is uniform over all legal actions last hundreds of decisions."""
    run = Run(dataclasses.replace(TINY, opponent_share=0.0, num_envs=128, rollout_steps=128), tmp_path / "run")
    board = _Board()
    run._update(board, board)
    episodes = run.episodes
    assert 25 < run.steps / episodes < 100


def test_learns_the_best_play_of_a_tiny_game(tmp_path: Path) -> None:
    """The only choice of `tests.train.tiny.skips`."""
    config = dataclasses.replace(TINY, **tiny.skips(tmp_path), entropy=0.01, final_entropy=0.0)
    run = Run(config, tmp_path / "run")

    def skips_first() -> np.ndarray:
        policy = TorchPolicy(run.learner.actor, run.config.network, run.rules)
        vector = UnoVector(64, run.rules, seed=9)
        chances = []
        for _ in range(40):
            choice = vector.action_masks.sum(axis=1) == 2
            logits = np.where(vector.action_masks != 0, policy.logits(vector.observations), -np.inf)
            probs = np.exp(logits - logits.max(axis=1, keepdims=True))
            probs /= probs.sum(axis=1, keepdims=True)
            chances.append(probs[choice, 10])  # rS
            vector.step(vector.action_masks.argmax(axis=1))
        return np.concatenate(chances)

    assert skips_first().mean() == pytest.approx(0.5, abs=0.1)
    run.train(show=False)
    assert skips_first().min() > 0.95


def test_a_run_goes_on_with_the_critic_of_another(tmp_path: Path) -> None:
    first = Run(TINY, tmp_path / "first")
    first.train(show=False)
    later = dataclasses.replace(TINY, initial_critic=str(tmp_path / "first"))
    known, fresh = (
        run.learner.modules["critic"].state_dict() for run in (Run(later, tmp_path / "on"), Run(TINY, tmp_path / "fresh"))
    )
    for name, tensor in first.learner.modules["critic"].state_dict().items():
        assert torch.equal(known[name], tensor)
    assert any(not torch.equal(fresh[name], known[name]) for name in known)
    with pytest.raises(ConfigError, match="no checkpoint"):
        Run(dataclasses.replace(TINY, initial_critic=str(tmp_path / "nothing")), tmp_path / "a")
    with pytest.raises(ConfigError, match="another shape"):
        Run(dataclasses.replace(later, privileged_critic=False), tmp_path / "b")
