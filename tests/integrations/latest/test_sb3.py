"""Stable-Baselines3 and sb3-contrib: `UnoSB3VecEnv` in step with ``DummyVecEnv``, MaskablePPO on every kind of environment, films,
and the training script in self-play.
"""

from __future__ import annotations

import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecMonitor, VecVideoRecorder

import agents
from agents.sb3 import SB3Policy
from train import sb3_maskable_ppo
from train.config import ConfigError, load
from uno_env import UnoEnv
from uno_env.random_card import RandomCard
from uno_env.sb3 import UnoSB3VecEnv

ID = "uno_env:Uno-v0"


def test_check_env() -> None:
    for options in ({}, {"rules": "party", "num_players": 6, "seat": "rotate", "episode": "match", "reward": "points"}):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            check_env(gymnasium.make(ID, **options))
        assert [str(warning.message) for warning in caught] == []


def legal(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def test_in_step_with_single_environments() -> None:
    options: dict[str, Any] = {
        "rules": {"max_turns": 25},
        "num_players": 3,
        "seat": "rotate",
        "opponents": {"pool": ["random", "strategist"]},
    }
    batch, single = UnoSB3VecEnv(4, **options), DummyVecEnv([lambda: Monitor(UnoEnv(**options))] * 4)
    rng, ends, cuts = np.random.default_rng(3), 0, 0
    for seed in (3, None):
        if seed is not None:
            assert list(batch.seed(seed)) == list(single.seed(seed)) == [3, 4, 5, 6]
        one, other = batch.reset(), single.reset()
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)
        for _ in range(200):
            masks = get_action_masks(batch)
            assert masks.dtype == bool
            assert np.array_equal(masks, get_action_masks(single))
            ours, theirs = (env.step(actions) for actions in [legal(masks, rng)] for env in (batch, single))
            for a, b in zip(ours[:3], theirs[:3], strict=True):
                assert (a.dtype, a.tobytes()) == (b.dtype, b.tobytes())
            for info, expected, done in zip(ours[3], theirs[3], ours[2], strict=True):
                assert (
                    info.keys()
                    == expected.keys()
                    == ({"action_mask", "TimeLimit.truncated"} | ({"terminal_observation", "episode"} if done else set()))
                )
                for name in ("action_mask", "TimeLimit.truncated", "terminal_observation"):
                    assert np.array_equal(info.get(name), expected.get(name))
                if done:
                    assert {name: info["episode"][name] for name in "rl"} == {name: expected["episode"][name] for name in "rl"}
                    ends, cuts = ends + 1, cuts + info["TimeLimit.truncated"]
            for info, expected in zip(batch.reset_infos, single.reset_infos, strict=True):
                assert np.array_equal(info["action_mask"], expected["action_mask"])
        assert batch.get_attr("seat") == single.get_attr("seat")
        assert batch.get_attr("game_seed") == single.get_attr("game_seed")
    assert ends > cuts > 5


def test_attributes_and_methods() -> None:
    envs = UnoSB3VecEnv(3, num_players=2, seat="random")
    assert is_masking_supported(envs)
    envs.seed(1)
    envs.set_options({"anything": 1})
    envs.reset()
    masks = np.stack(envs.env_method("action_masks"))
    assert np.array_equal(np.stack(envs.env_method("action_masks", indices=[2, 0])), masks[[2, 0]])
    assert np.array_equal(envs.get_attr("action_masks", 1)[0](), masks[1])
    assert [game.seed for game in envs.env_method("game")] == envs.get_attr("game_seed") == [1, 2, 3]
    assert envs.get_attr("rules", [0, 1]) == [envs.games.rules] * 2
    assert envs.get_attr("seat", indices=2) == [int(envs.games.seats[2])]
    assert envs.env_is_wrapped(Monitor) == [False] * 3
    assert not envs.has_attr("nothing")
    envs.set_attr("illegal_action", "raise")
    assert envs.get_attr("illegal_action") == ["raise"] * 3
    with pytest.raises(ValueError, match=r"illegal_action: all games share it, so indices=\[0\]"):
        envs.set_attr("illegal_action", "end", indices=[0])
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        envs.set_attr("nothing", 1)
    with pytest.raises(AttributeError, match="no method 'nothing'"):
        envs.env_method("nothing")
    envs.env_method("set_opponents", "rule")
    assert isinstance(envs.get_attr("table", 0)[0][0], RandomCard)  # until the game ends
    envs.reset()
    assert [repr(table) for table in envs.get_attr("table")] == ["[<agent rule>]"] * 3
    twin = pickle.loads(pickle.dumps(envs))
    actions = legal(get_action_masks(envs), np.random.default_rng(0))
    assert envs.step(actions)[0].tobytes() == twin.step(actions)[0].tobytes()
    envs.close()


def one() -> Any:
    return gymnasium.make(ID, num_players=2, illegal_action="raise")


KINDS = {
    "single": one,
    "dummy": lambda: DummyVecEnv([one] * 4),
    "subproc": lambda: SubprocVecEnv([one] * 2, start_method="spawn"),
    "native": lambda: UnoSB3VecEnv(8, num_players=2, illegal_action="raise"),
    "monitored": lambda: VecMonitor(UnoSB3VecEnv(8, num_players=2, illegal_action="raise")),
}


@pytest.mark.parametrize("kind", KINDS)
def test_maskable_ppo_trains(kind: str) -> None:
    """Any illegal action would raise."""
    model = MaskablePPO("MlpPolicy", KINDS[kind](), n_steps=64, batch_size=64, n_epochs=2, seed=1, device="cpu")
    before = [value.clone() for value in model.policy.parameters()]
    rollouts = 6 if kind == "single" else 2
    model.learn(64 * model.n_envs * rollouts)
    assert any(not value.equal(old) for value, old in zip(model.policy.parameters(), before, strict=True))
    assert model.num_timesteps == 64 * model.n_envs * rollouts
    if kind in ("native", "monitored", "single"):
        episodes = list(model.ep_info_buffer or [])
        assert {episode["r"] for episode in episodes} <= {-1.0, 1.0}
        assert len(episodes) > 1
    model.get_env().close()


def test_evaluate_policy() -> None:
    envs = VecMonitor(UnoSB3VecEnv(8, num_players=2))
    model = MaskablePPO("MlpPolicy", envs, n_steps=16, device="cpu", seed=1)
    mean, _ = evaluate_policy(model, envs, n_eval_episodes=20, deterministic=False)
    assert -1 <= mean <= 1


@pytest.mark.parametrize("kind", ["native", "dummy"])
def test_a_film_is_written(kind: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"num_players": 2, "render_mode": "rgb_array", "render_width": 240}
    made = UnoSB3VecEnv(2, **options) if kind == "native" else DummyVecEnv([lambda: UnoEnv(**options)] * 2)
    envs = VecVideoRecorder(made, str(tmp_path), record_video_trigger=lambda step: step == 0, video_length=6)
    envs.reset()
    for _ in range(8):
        envs.step(legal(get_action_masks(envs), np.random.default_rng(0)))
    envs.close()
    from moviepy import VideoFileClip

    (film,) = tmp_path.glob("*.mp4")
    with VideoFileClip(str(film)) as clip:
        assert clip.size[0] * clip.size[1] == 2 * 240 * 160  # a tile for each game


# The training script ----------------------------------------------------------------------------------------------------

SHORT = ["--total-steps", "32768", "--num-envs", "64", "--rollout-steps", "32", "--minibatch", "512", "--evaluate-deals", "300"]


def test_self_play(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    arguments = ["--opponent", "self", "--snapshot-every", "10000", "--snapshots", "2", "--out", str(out), *SHORT]
    assert sb3_maskable_ppo.main(arguments) == 0
    assert "against random" in capsys.readouterr().out
    snapshots = sorted((out / "snapshots").iterdir())
    assert [int(path.stem) for path in snapshots] == [0, 10240, 20480, 30720]
    lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["steps"] for line in lines] == [0, 32768]
    # It begins with random legal actions, which draw as readily as they play and hardly ever win; it has to learn to play cards.
    assert lines[-1]["win_rate/random"] > 0.1 > lines[0]["win_rate/random"]
    assert (out / "learning.png").read_bytes().startswith(b"\x89PNG")
    assert load(sb3_maskable_ppo.Config, out / "config.yaml").opponent == "self"
    best: Any = agents.load(out / "best.safetensors")
    assert isinstance(best, SB3Policy)
    assert best.about["win_rates"] == {"random": pytest.approx(lines[-1]["win_rate/random"], abs=1e-5)}
    model = MaskablePPO.load(out / "last.zip", device="cpu")  # the same policy, to go on with in Stable-Baselines3
    observations = UnoSB3VecEnv(8, num_players=2).reset()
    logits = model.policy.get_distribution(model.policy.obs_to_tensor(observations)[0]).distribution.logits
    ours = agents.load(out / "last.safetensors").logits(observations)  # type: ignore[attr-defined]
    ours -= np.log(np.exp(ours).sum(axis=1, keepdims=True))
    assert np.allclose(ours, logits.detach().numpy(), atol=1e-4)
    assert sb3_maskable_ppo.main(arguments) == 2  # the folder holds a run
    assert "already holds a run" in capsys.readouterr().err


def test_snapshots_become_the_opponents(tmp_path: Path) -> None:
    """In each kind of vector environment, also across processes."""
    for kind, count in (("native", 4), ("dummy", 2), ("subproc", 2), ("single", 1)):
        config = sb3_maskable_ppo.Config(opponent="self", vec_env=kind, num_envs=count, snapshots=2)  # type: ignore[arg-type]
        run = sb3_maskable_ppo.Run(config, tmp_path / kind, show=False)
        run._take_snapshot()
        run._env.reset()
        tables = run._env.get_attr("table")
        assert len(tables) == count
        assert all(type(agent).__name__ == "SB3Policy" for table in tables for agent in table)
        run._env.close()


def test_bad_configs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, message in (
        ([], "--out FOLDER is missing"),
        (["--out", str(tmp_path), "--opponent", "nobody"], "unknown agent 'nobody'"),
        (["--out", str(tmp_path), "--rules", "offcial"], "'offcial' are neither a preset"),
    ):
        assert sb3_maskable_ppo.main(arguments) == 2
        assert message in capsys.readouterr().err
    assert not (tmp_path / "config.yaml").exists()
    for options, message in (
        ({"vec_env": "single"}, "plays one game: num_envs=256"),
        ({"activation": "Sine"}, "activation='Sine': expected one of ReLU, "),
        ({"epochs": 0}, "epochs=0: expected at least 1"),
        ({"evaluate_against": ()}, "evaluate_against: expected at least one opponent"),
    ):
        with pytest.raises(ConfigError, match=message):
            sb3_maskable_ppo.Config(**options)
