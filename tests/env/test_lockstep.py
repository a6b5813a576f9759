"""`Game`, `UnoAEC` and `UnoVector` play the same games, step by step, from the same seeds."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from tests.env.play import pick
from uno_env import PRESETS, Game, Rules, UnoVector, engine, uno_v0
from uno_env.aec import UnoAEC

SEEDS = (1, 2**40 + 7, 2**64 - 3)
FIELDS = {"house": {"stacking": "any", "jump_in": True, "seven_zero": "both", "seven_optional": True, "teams": 2}}


class Totals:
    """The rewards of one episode as an agent hears of them: through `last`."""

    def __init__(self, env: UnoAEC) -> None:
        self.env = env
        self.rewards = np.zeros(env.rules.num_players, np.float32)

    def listen(self) -> tuple[dict[str, np.ndarray], dict[str, Any], bool]:
        observation, reward, termination, truncation, info = self.env.last()
        assert observation is not None
        self.rewards[int(self.env.agent_selection.removeprefix("player_"))] += reward
        return observation, info, termination or truncation


def in_lockstep(rules: Rules, episode: Any, reward: Any, steps: int) -> int:
    rng = random.Random(5)
    vector = UnoVector(len(SEEDS), rules, SEEDS, episode=episode, reward=reward)
    games = [Game(rules, seed) for seed in SEEDS]
    envs = [uno_v0.raw_env(rules, episode=episode, reward=reward) for _ in SEEDS]
    for env, seed in zip(envs, SEEDS, strict=True):
        env.reset(seed=seed)
    totals = [Totals(env) for env in envs]
    paid = np.zeros((len(SEEDS), rules.num_players), np.float32)  # by the batch, in this episode
    finished = 0
    for _ in range(steps):
        actions = []
        for i, (game, env) in enumerate(zip(games, envs, strict=True)):
            seen, info, done = totals[i].listen()
            assert not done
            assert env.agent_selection == f"player_{game.actor}" == f"player_{vector.actors[i]}"
            row, mask = game.observe(game.actor).tobytes(), game.action_mask().tobytes()
            assert seen["observation"].tobytes() == vector.observations[i].tobytes() == row
            assert seen["action_mask"].tobytes() == info["action_mask"].tobytes() == vector.action_masks[i].tobytes() == mask
            assert env.game().to_bytes() == vector.states[i : i + 1].tobytes() == game.to_bytes()
            actions.append(pick(vector.action_masks[i], rng))
        vector.step(np.array(actions))
        paid += vector.rewards
        for i, (game, env) in enumerate(zip(games, envs, strict=True)):
            env.step(actions[i])
            game.push(actions[i])
            earned = game.rewards(reward) if game.over else np.zeros(rules.num_players, np.float32)
            assert [env.rewards[agent] for agent in env.possible_agents] == earned.tolist() == vector.rewards[i].tolist()
            over = game.over and (episode == "round" or game.match_winners is not None)
            assert over == vector.dones[i] == (any(env.terminations.values()) or any(env.truncations.values()))
            if over:
                outcome = game.outcome
                assert outcome is not None
                cut = outcome.termination == "truncated"
                assert cut == vector.truncations[i] == all(env.truncations.values()) != all(env.terminations.values())
                winners = outcome.winners if episode == "round" else game.match_winners
                assert winners is not None
                assert vector.winners[i] == sum(1 << seat for seat in winners)
                while env.agents:
                    assert totals[i].listen()[2]
                    env.step(None)
                assert totals[i].rewards == pytest.approx(paid[i], abs=1e-5)
                assert paid[i].sum() == pytest.approx(0, abs=1e-4)
                finished += 1
                # A new episode: each goes on with its own generator.
                env.reset()
                engine.restart(game._states, rules.params, 0)
                totals[i], paid[i] = Totals(env), 0
            elif game.over:
                game.next_round()
    return finished


@pytest.mark.parametrize("preset", PRESETS)
def test_presets(preset: str) -> None:
    assert in_lockstep(Rules.preset(preset), "round", "win", 700) >= 5


@pytest.mark.parametrize("n", [2, 3, 10])
@pytest.mark.parametrize("episode_reward", [("round", "points"), ("match", "win"), ("match", "points"), ("match", "match")])
def test_player_counts_and_rewards(n: int, episode_reward: tuple[str, str]) -> None:
    assert in_lockstep(Rules(num_players=n, target=100), *episode_reward, 900) >= 3


@pytest.mark.parametrize("name", FIELDS)
def test_other_rules(name: str) -> None:
    assert in_lockstep(Rules(**FIELDS[name]), "match", "points", 900) >= 0


def test_truncated() -> None:
    assert in_lockstep(Rules(num_players=3, max_turns=15), "round", "win", 300) >= 20
    assert in_lockstep(Rules(num_players=3, max_turns=40, target=None), "match", "match", 300) >= 10
