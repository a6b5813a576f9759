"""`uno_env.rllib` and `train.rllib_ppo` on a real local Ray: training, a killed worker, a checkpoint, an agent that plays."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import ray
import torch
from ray.rllib.core.columns import Columns

import agents
from agents.network import MASKED, Actor, NetworkConfig
from agents.torch_policy import TorchPolicy
from train import rllib_ppo
from train.arena import play, rotations
from train.config import ConfigError, load
from train.rllib_modules import FrozenModule, LearnerModule, ScriptedModule
from train.rllib_ppo import MAIN, Config, Resources, Run, Seating
from uno_env import Rules
from uno_env.rllib import ACTION_SPACE, UnoMultiAgentEnv, observation_space

# RLlib registers its vector environment anew with every algorithm.
pytestmark = pytest.mark.filterwarnings("ignore:.*Overriding environment rllib-multi-agent-env:UserWarning")

ROOT = Path(__file__).parents[3]
SPACE = observation_space(np.int8)
RULES = Rules.preset("research", num_players=2)
SMALL = Config(
    total_steps=100_000,
    width=16,
    batch=150,
    minibatch=64,
    epochs=1,
    league_share=0.5,
    opponents=("rule",),
    league_size=2,
    snapshot_every=2,
    evaluate_every=2,
    evaluate_deals=20,
)


def test_missing_library_names_the_extra() -> None:
    script = "import sys; sys.modules['ray'] = sys.modules['ray.rllib.env.multi_agent_env'] = None; import uno_env.rllib"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert told.returncode == 1
    assert "ImportError: uno_env.rllib needs Ray: pip install 'uno-env[rllib]'" in told.stderr


@pytest.mark.parametrize("players", [2, 4])
def test_environment_plays_rounds(players: int) -> None:
    def rounds(seed: int) -> list[Any]:
        env = UnoMultiAgentEnv({"rules": "research", "num_players": players})
        rng = np.random.default_rng(0)
        told: list[Any] = []
        seen, _ = env.reset(seed=seed)
        for _ in range(10):
            acted: set[str] = set()
            while True:
                (agent,) = seen
                assert env.observation_spaces[agent].contains(seen[agent])
                mask = seen[agent]["action_mask"]
                assert mask.sum() > 1  # forced decisions are not asked
                acted.add(agent)
                seen, rewards, ended, cut, _ = env.step({agent: int(rng.choice(np.flatnonzero(mask)))})
                assert set(rewards) == acted
                if ended["__all__"] or cut["__all__"]:
                    break
                assert not any(rewards.values())
            assert set(seen) == acted
            assert not any(end["action_mask"].any() for end in seen.values())
            assert len(acted) < players or abs(sum(rewards.values())) < 1e-6  # they are float32
            told.append((sorted(rewards.items()), {name: end["observations"].tobytes() for name, end in seen.items()}))
            seen, _ = env.reset()
        return told

    assert rounds(3) == rounds(3)
    assert rounds(3) != rounds(4)


def test_environment_refuses() -> None:
    env = UnoMultiAgentEnv({"rules": "research", "num_players": 2})
    (agent,) = env.reset(seed=1)[0]
    other = next(name for name in env.agents if name != agent)
    with pytest.raises(ValueError, match=f"it is {agent}'s decision"):
        env.step({other: 72})
    with pytest.raises(ValueError, match="legal: "):
        env.step({agent: 77})  # nobody can be caught where Uno is called automatically
    with pytest.raises(ValueError, match="unknown key 'players' in the environment's config"):
        UnoMultiAgentEnv({"players": 2})
    with pytest.raises(ValueError, match="dtype='int16': expected"):
        UnoMultiAgentEnv({"dtype": "int16"})


def decisions(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Observations and masks of random play."""
    env = UnoMultiAgentEnv({"rules": "research", "num_players": 2, "dtype": "int8"})
    rng = np.random.default_rng(0)
    seen, _ = env.reset(seed=0)
    rows = []
    while len(rows) < count:
        ((agent, row),) = seen.items()
        rows.append(row)
        seen, _, ended, cut, _ = env.step({agent: int(rng.choice(np.flatnonzero(row["action_mask"])))})
        if ended["__all__"] or cut["__all__"]:
            seen, _ = env.reset()
    return np.stack([row["observations"] for row in rows]), np.stack([row["action_mask"] for row in rows])


def test_modules_play_as_the_agents_that_they_stand_for() -> None:
    observations, masks = decisions(200)
    batch = {Columns.OBS: {"observations": torch.from_numpy(observations), "action_mask": torch.from_numpy(masks)}}
    network = NetworkConfig(num_players=2, width=16)
    for kind in (FrozenModule, LearnerModule):
        config = {"network": dataclasses.asdict(network)}
        module = kind(observation_space=SPACE, action_space=ACTION_SPACE, model_config=config, inference_only=False)
        with torch.no_grad():
            logits = module.forward_exploration(batch)[Columns.ACTION_DIST_INPUTS].numpy()
        assert (logits[masks == 0] == np.float32(MASKED)).all()
        actor = Actor(network)
        actor.load_state_dict(module.actor.state_dict())
        expected = TorchPolicy(actor, network, RULES).logits(observations)
        np.testing.assert_allclose(logits[masks > 0], expected[masks > 0], rtol=1e-5, atol=1e-6)
    config = {"agent": "strategist", "rules": RULES.to_dict(), "seed": 5}
    scripted = ScriptedModule(observation_space=SPACE, action_space=ACTION_SPACE, model_config=config)
    strategist: Any = agents.load("strategist")
    expected = strategist.for_rules(RULES).act_batch(observations, masks.astype(np.int8), np.random.default_rng(5))
    assert scripted.forward_inference(batch)[Columns.ACTIONS].tolist() == expected.tolist()


def test_seating() -> None:
    config = dataclasses.replace(SMALL, league_share=0.4)
    seating = Seating(config)
    tables: Counter[tuple[str, str]] = Counter()
    rounds = 4000
    for number in range(rounds):
        episode = SimpleNamespace(id_=f"round {number}")
        tables[seating("player_0", episode), seating("player_1", episode)] += 1
    places = [(member, MAIN) for member in config.league] + [(MAIN, member) for member in config.league]
    assert set(tables) == {(MAIN, MAIN), *places}
    for table, share in {(MAIN, MAIN): 0.6, **dict.fromkeys(places, 0.4 / len(places))}.items():
        assert abs(tables[table] - rounds * share) < 4.5 * np.sqrt(rounds * share * (1 - share))


def test_wrong_configs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"league_share=2\.0: expected 0 to 1"):
        Config(league_share=2.0)
    with pytest.raises(ConfigError, match="--resume: no checkpoint"):
        Run(SMALL, tmp_path, resume=True)
    with pytest.raises(ValueError, match="unknown agent 'rul'"):
        Run(dataclasses.replace(SMALL, opponents=("rul",)), tmp_path)
    assert load(Config, ROOT / "configs/rllib/two_player.yaml").rules == "research"
    config, out, resources, resume, show = rllib_ppo.parse(
        [
            "--config",
            str(ROOT / "configs/rllib/two_player.yaml"),
            "--out",
            str(tmp_path),
            "--workers",
            "3",
            "--gpus",
            "0.5",
            "--seed",
            "7",
        ]
    )
    assert (config.seed, out, resume, show) == (7, tmp_path, False, True)
    assert (resources.workers, resources.gpus, resources.learners) == (3, 0.5, 0)


def test_page() -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/integrations/rllib.md").read_text(), re.MULTILINE | re.DOTALL)
    rllib_ppo.start_ray(Resources())
    try:
        exec(compile(code, "rllib.md", "exec"), {})
    finally:
        ray.shutdown()


def worker_pids(run: Run) -> list[int]:
    return run.algorithm.env_runner_group.foreach_env_runner(lambda _: os.getpid(), local_env_runner=False)


def test_training_survives_a_dead_worker_and_is_resumed(tmp_path: Path) -> None:
    out = tmp_path / "run"
    run = Run(SMALL, out, Resources(workers=2, envs_per_worker=4))
    try:
        untrained = run.actor_weights()
        weights = run.algorithm.learner_group.get_weights()
        for member in SMALL.past:  # the league begins with copies of the learner
            assert all(np.array_equal(weights[member][f"actor.{name}"], untrained[name]) for name in untrained)
        for _ in range(2):
            run.update()
        learnt = run.actor_weights()
        assert any(not torch.equal(learnt[name], untrained[name]) for name in learnt)
        # The oldest place has a copy of the learner, here and where games are played; the other one is as it was.
        for group in [run.algorithm.learner_group.get_weights(), *worker_weights(run)]:
            assert all(np.array_equal(group["past_0"][f"actor.{name}"], learnt[name]) for name in learnt)
            assert all(np.array_equal(group["past_1"][f"actor.{name}"], untrained[name]) for name in learnt)

        pids = worker_pids(run)
        assert len(set(pids)) == 2
        assert os.getpid() not in pids
        os.kill(pids[0], signal.SIGKILL)
        before, deadline = run.steps, time.monotonic() + 90
        while run.updates < 4 or set(worker_pids(run)) == {pids[1]}:
            assert time.monotonic() < deadline, "no new worker came"
            run.update()
        assert run.steps > before
        now = worker_pids(run)
        assert len(now) == 2
        assert pids[1] in now
        assert pids[0] not in now
        current = run.algorithm.learner_group.get_weights()
        for group in worker_weights(run):  # the new worker plays with what the old one knew
            assert all(np.array_equal(group["past_0"][name], current["past_0"][name]) for name in current["past_0"])
        run.save()
        saved, updates = run.algorithm.learner_group.get_weights(), run.updates
    finally:
        run.close()

    lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert [line["update"] for line in lines] == list(range(1, updates + 1))
    assert "win_rate/random" in lines[1]
    agent: Any = agents.load(out)
    games = play([agent, agents.load("random")], rotations(RULES), RULES, deals=5)
    assert games.wins.sum() + games.void.sum() + games.truncated.sum() == pytest.approx(10)

    with pytest.raises(ConfigError, match="already holds a run"):
        Run(SMALL, out)
    again = Run(SMALL, out, Resources(workers=0, envs_per_worker=4), resume=True)
    try:
        assert again.updates == updates
        restored = again.algorithm.learner_group.get_weights()
        for module in (MAIN, *SMALL.past):
            assert all(np.array_equal(restored[module][name], saved[module][name]) for name in saved[module])
        (moments,) = [
            optimiser["state"]["state"]
            for optimiser in again.algorithm.learner_group.get_state("learner/optimizer")["learner"]["optimizer"].values()
            if optimiser["module_id"] == MAIN
        ]
        assert all(entry["step"] > 0 for entry in moments.values())
        again.update()
        assert again.updates == updates + 1
    finally:
        again.close()


def worker_weights(run: Run) -> list[dict[str, Any]]:
    return run.algorithm.env_runner_group.foreach_env_runner(lambda runner: runner.module.get_state(), local_env_runner=False)
