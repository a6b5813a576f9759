"""Deep Monte Carlo: what it fits to, how it explores, that it resumes exactly and learns."""

from __future__ import annotations

import dataclasses
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import torch

import agents
from agents.network import REST_ACTIONS, Actor
from agents.torch_policy import TorchPolicy
from tests.train import tiny
from train.arena import play, rotations
from train.collector import Collector
from train.config import ConfigError, load
from train.dmc import Config, Explorer, Run, main
from train.opponents import Pool
from train.trajectories import END, OPEN, complete, estimate_advantages
from uno_env.rules import Rules
from uno_env.state import DRAW, NUM_ACTIONS
from uno_env.vector import UnoVector

CONFIG = Path(__file__).parents[2] / "configs" / "dmc" / "two_player.yaml"
TINY = Config(**tiny.TINY)


def test_its_config_is_one() -> None:
    assert load(Config, CONFIG).total_steps == 40_000_000
    with pytest.raises(ConfigError, match=r"final_epsilon=1\.5: expected 0 to 1"):
        Config(final_epsilon=1.5)


def test_complete_follows_the_links() -> None:
    next_of = np.array([2, 3, 4, OPEN, END, END, OPEN])
    assert complete(next_of).tolist() == [True, False, True, False, True, True, False]


def test_every_decision_is_learnt_from_once_with_the_outcome_of_its_episode() -> None:
    """Rollouts much shorter than a round: the outcome reaches decisions made several rollouts before."""
    tables = [Rules.of("research", count) for count in (2, 3)]
    network = dataclasses.replace(TINY, player_counts=(2, 3)).network
    pool = Pool((), 0, 0, network, tables)
    collector = Collector(
        tables,
        pool,
        torch.device("cpu"),
        games=12,
        steps=10,
        seed=3,
        opponent_share=0.0,
        network_players=None,
        whole_episodes=True,
        choose=Explorer(0.3),
    )
    made: dict[tuple, list[tuple]] = defaultdict(list)
    expected: list[tuple] = []

    def watch(number: int) -> None:
        table, step = collector.tables[number], collector.tables[number].vector.step

        def watched(actions: np.ndarray) -> None:
            vector = table.vector
            for game in np.flatnonzero(vector.action_masks.sum(axis=1) > 1).tolist():
                mask = vector.action_masks[game].tobytes()
                made[number, game, int(vector.actors[game])].append((mask, int(actions[game])))
            step(actions)
            for game in np.flatnonzero(vector.dones).tolist():
                for seat in range(vector.num_players):
                    # Of variance 1 for any number of players.
                    outcome = float(vector.rewards[game, seat]) * (vector.num_players - 1) ** 0.5
                    expected.extend((*decision, round(outcome, 4)) for decision in made.pop((number, game, seat), []))

        table.vector.step = watched  # type: ignore[method-assign]

    watch(0)
    watch(1)
    values = torch.rand(NUM_ACTIONS)
    values[DRAW] = -1.0
    learnt: list[tuple] = []
    for _ in range(40):
        collector.collect(lambda inputs: values.expand(len(inputs), NUM_ACTIONS))
        arrays, count = collector.arrays, collector.count
        outcomes = np.zeros(count, np.float32)
        estimate_advantages(count, arrays["next_of"], arrays["rewards"], np.zeros(count, np.float32), 1.0, 1.0, outcomes)
        for i in np.flatnonzero(complete(arrays["next_of"][:count])):
            learnt.append((arrays["masks"][i].tobytes(), int(arrays["actions"][i]), round(float(outcomes[i]), 4)))
    assert len(expected) > 200
    assert sorted(learnt) == sorted(expected)


def test_exploring_takes_any_legal_action_as_often_as_asked() -> None:
    rng = np.random.default_rng(0)
    values = np.tile(rng.normal(size=NUM_ACTIONS).astype(np.float32), (20_000, 1))
    masks = np.zeros((20_000, NUM_ACTIONS), np.int8)
    masks[:, [3, 17, 72, 90]] = 1
    best = max((3, 17, 72, 90), key=lambda action: values[0, action])
    actions, log_probs = np.empty(20_000, np.int64), np.zeros(20_000, np.float32)
    Explorer(0.2)(values, masks, rng, actions, log_probs)
    shares = np.bincount(actions, minlength=NUM_ACTIONS) / 20_000
    expected = np.where(masks[0] != 0, 0.05, 0.0)
    expected[best] += 0.8
    assert shares == pytest.approx(expected, abs=0.012)


def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    whole = Run(TINY, tmp_path / "whole")
    whole.train(show=False)
    first = Run(TINY, tmp_path / "stopped")
    for _ in range(3):
        first._update(_Board(), _Board())
    first.save()
    second = Run(TINY, tmp_path / "stopped", resume=True)
    second.train(show=False)
    expected = whole.learner.actor.state_dict()
    for name, tensor in second.learner.actor.state_dict().items():
        assert torch.equal(tensor, expected[name]), name
    assert second.win_rates == whole.win_rates


class _Board:
    def add_scalar(self, *_: object) -> None: ...
    def update(self, *_: object) -> None: ...
    def set_postfix(self, *_: object) -> None: ...


def test_command_line_and_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    arguments = ["--num-envs", "16", "--width", "8", "--torch-threads", "1", "--evaluate-deals", "2", "--total-steps", "2000"]
    assert main(["--config", str(CONFIG), "--out", str(out), "--quiet", *arguments]) == 0
    assert "against random" in capsys.readouterr().out
    lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert lines[-1]["steps"] >= 2000
    policy = agents.load(str(out))
    assert isinstance(policy, TorchPolicy)
    assert policy.greedy, "values of actions are not probabilities: the highest is played"
    vector = UnoVector(32, policy.rules, seed=1)
    best = np.where(vector.action_masks != 0, policy.logits(vector.observations), -np.inf).argmax(axis=1)
    assert np.array_equal(policy.act_batch(vector.observations, vector.action_masks, np.random.default_rng(3)), best)


def test_learns_the_value_of_a_tiny_game(tmp_path: Path) -> None:
    """The only choice of `tests.train.tiny.skips`: with {r0, rS} the Skip wins for sure, value 1."""
    config = dataclasses.replace(TINY, **tiny.skips(tmp_path))
    run = Run(config, tmp_path / "run")
    run.train(show=False)
    policy = TorchPolicy(run.learner.actor, config.network, run.rules, greedy=True)
    vector = UnoVector(64, run.rules, seed=9)
    for _ in range(40):
        choice = np.flatnonzero(vector.action_masks.sum(axis=1) == 2)
        values = policy.logits(vector.observations[choice])
        assert (values[:, 10] > values[:, 0]).all(), "rS before r0"
        assert values[:, 10] == pytest.approx(1.0, abs=0.25)
        vector.step(vector.action_masks.argmax(axis=1))


def test_players_who_draw_for_ever_learn_not_to(tmp_path: Path) -> None:
    """Rounds that nobody ends would teach nothing: they are given up, as lost by all."""
    rules = tmp_path / "short.yaml"
    Rules.preset("digital", num_players=2, hand_size=2).save(rules)
    config = dataclasses.replace(
        TINY, rules=str(rules), num_envs=64, rollout_steps=32, total_steps=64 * 32 * 40, opponent_share=0.0
    )
    config = dataclasses.replace(config, learning_rate=1e-2, minibatch=256, evaluate_every=1000, max_turns=30)
    assert [rules.max_turns for rules in config.training_tables] == [30]
    assert [rules.max_turns for rules in config.tables] == [10_000]
    run = Run(config, tmp_path / "run")
    with torch.no_grad():
        run.learner.actor.rest_head.bias[REST_ACTIONS.index(DRAW)] = 1.0
    run.train(show=False)
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    ended = np.diff([0, *(line["episodes"] for line in lines)])
    given_up = np.array([line["truncated"] for line in lines]) / np.maximum(ended, 1)
    assert given_up[1:3].mean() > 0.9, "they did not draw for ever"
    assert given_up[-5:].mean() < 0.6


def test_a_round_that_is_given_up_is_lost_by_all(tmp_path: Path) -> None:
    config = dataclasses.replace(TINY, opponent_share=0.0, max_turns=2)
    collector = Run(config, tmp_path / "run").collector
    assert collector.collect(Actor(config.network))["truncated"] > 0
    over = collector.arrays["next_of"][: collector.count] == END
    assert over.any()
    assert set(collector.arrays["rewards"][: collector.count][over]) == {-1.0}


@pytest.mark.slow
def test_beats_random_soon(tmp_path: Path) -> None:
    run = Run(dataclasses.replace(load(Config, CONFIG), total_steps=3_000_000, evaluate_every=1000), tmp_path / "run")
    run.train(show=False)
    policy = TorchPolicy(run.learner.actor, run.config.network, run.rules, greedy=True)
    games = play([policy, agents.load("random")], rotations(run.rules), run.rules, deals=2000, seed=5)
    rates = games.of(0, games.wins)
    assert rates.mean() - 4 * rates.std() / len(rates) ** 0.5 > 0.55
