"""What PettingZoo's tests do not ask: rewards, masks, order, fresh objects, copies, errors, the full state."""

from __future__ import annotations

import copy
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from tests.env.play import pick
from uno_env import OBS_SIZE, PRESETS, Game, IllegalAction, Rules, uno_v0
from uno_env.aec import STATE_LAYOUT, STATE_SIZE, UnoAEC
from uno_env.cards import KIND_TEXTS, NUM_KINDS, texts_of
from uno_env.engine import REWARDS
from uno_env.rules import RulesError

NOBODY = np.zeros(91, np.int8)


def play(env: Any, rng: random.Random, totals: dict[str, float] | None = None) -> list[str]:
    """Play to the end of the episode; returns who was told of its end, in order. ``totals`` gathers rewards from `last`."""
    told = []
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        if totals is not None:
            totals[agent] = totals.get(agent, 0.0) + reward
        assert np.array_equal(observation["action_mask"], info["action_mask"])
        if termination or truncation:
            assert not observation["action_mask"].any()
            told.append(agent)
            env.step(None)
        else:
            env.step(pick(observation["action_mask"], rng))
    return told


# Masks, observations, infos ---------------------------------------------------------------------------------------------


def test_only_the_agent_that_decides_has_a_mask() -> None:
    env = uno_v0.raw_env("party")
    env.reset(seed=2)
    rng = random.Random(2)
    while env.agent_selection and not any(env.terminations.values()):
        game = env.game()
        for seat, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert seen["observation"].tobytes() == game.observe(seat).tobytes()
            expected = game.action_mask() if seat == game.actor else NOBODY
            assert seen["action_mask"].tobytes() == env.infos[agent]["action_mask"].tobytes() == expected.tobytes()
        assert env.agent_selection == f"player_{game.actor}"
        env.step(pick(env.last()[0]["action_mask"], rng))


def test_what_was_returned_never_changes() -> None:
    env = uno_v0.raw_env(num_players=3, episode="match", rules={"target": 60})
    rng = random.Random(4)
    returned: list[tuple[np.ndarray, bytes]] = []
    env.reset(seed=4)
    for _ in range(3):
        for agent in env.agent_iter():
            observation, _, termination, truncation, info = env.last()
            arrays = [*observation.values(), info["action_mask"], *env.observe("player_1").values(), env.state()]
            arrays += [other["action_mask"] for name, other in env.infos.items() if name != agent]
            for array in arrays[:-1]:
                assert array.flags.writeable
            returned += [(array, array.tobytes()) for array in arrays]
            env.step(None if termination or truncation else pick(observation["action_mask"], rng))
        env.reset()
    assert all(array.tobytes() == before for array, before in returned)
    inside = [value for value in vars(env).values() if isinstance(value, np.ndarray)]
    assert len(inside) >= 5
    for array, _ in returned:
        assert not any(np.shares_memory(array, value) for value in inside)


def test_no_two_returned_arrays_share_memory() -> None:
    env = uno_v0.raw_env()
    env.reset(seed=1)
    rng = random.Random(1)
    arrays: list[np.ndarray] = []
    for _ in range(12):
        first, again = env.last(), env.last()
        arrays += [*first[0].values(), *again[0].values(), first[4]["action_mask"], *env.observe("player_2").values()]
        env.step(pick(first[0]["action_mask"], rng))
    assert not any(np.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i])


def test_what_is_returned_belongs_to_the_user() -> None:
    env = uno_v0.raw_env()
    env.reset(seed=3)
    untouched = copy.deepcopy(env)
    for array in (*env.last()[0].values(), env.infos[env.agent_selection]["action_mask"], env.state()):
        array[:] = 1
    assert env.game().to_bytes() == untouched.game().to_bytes()
    assert env.last()[0]["action_mask"].tobytes() == untouched.last()[0]["action_mask"].tobytes()
    illegal = int(np.flatnonzero(untouched.last()[0]["action_mask"] == 0)[0])
    with pytest.raises(IllegalAction):
        env.step(illegal)


def test_observe_at_any_time() -> None:
    env = uno_v0.raw_env(num_players=3)
    env.reset(seed=6)
    play(env, random.Random(6))
    assert env.agents == []
    game = env.game()
    assert game.over
    for seat, agent in enumerate(env.possible_agents):
        seen = env.observe(agent)
        assert seen["observation"].tobytes() == game.observe(seat).tobytes()
        assert seen["action_mask"].tobytes() == NOBODY.tobytes()
        assert env.observation_space(agent).contains(seen)
    assert env.state_space.contains(env.state())


@pytest.mark.parametrize("n", [2, 5, 10])
def test_observe_while_agents_leave(n: int) -> None:
    """Who has left, who is leaving and who waits to be told see the same table, each from its own seat; nobody may act."""
    env = uno_v0.env(num_players=n)
    env.reset(seed=2)
    rng = random.Random(2)
    while not any(env.terminations.values()):
        env.step(pick(env.last()[0]["action_mask"], rng))
    game = env.unwrapped.game()  # type: ignore[attr-defined]
    for left in range(n):
        assert env.agents == env.possible_agents[left:]
        assert env.agent_selection == env.possible_agents[left]
        for seat, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            assert seen is not None
            assert seen["observation"].tobytes() == game.observe(seat).tobytes()
            assert seen["action_mask"].tobytes() == NOBODY.tobytes()
        env.step(None)
    assert env.agents == []


@pytest.mark.parametrize("reward", ["win", "points"])
@pytest.mark.parametrize("rules", ["official", "party", "team", "house_stacking"])
def test_every_step_pays_zero_in_sum(rules: str, reward: str) -> None:
    env = uno_v0.raw_env(rules, episode="match", reward=reward)  # type: ignore[arg-type]
    env.reset(seed=3)
    rng, paid = random.Random(3), 0
    for _ in range(1500):
        if not env.agents or any(env.terminations.values()):
            env.reset()
        env.step(pick(env.last()[0]["action_mask"], rng))
        assert set(env.rewards) == set(env.possible_agents)
        assert sum(env.rewards.values()) == pytest.approx(0, abs=1e-6)
        paid += any(env.rewards.values())
    assert paid > 2


def test_spaces() -> None:
    env = uno_v0.env(num_players=10)
    assert len(env.possible_agents) == 10
    for agent in env.possible_agents:
        space: Any = env.observation_space(agent)
        assert space is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent).n == 91  # type: ignore[attr-defined]
        assert {name: (box.shape, box.dtype) for name, box in space.items()} == {
            "observation": ((OBS_SIZE,), np.int8),
            "action_mask": ((91,), np.int8),
        }
    assert env.observation_space("player_0") is not env.observation_space("player_1")


# Rewards and ends -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(2, 11))
def test_win_is_plus_one_and_the_others_share_minus_one(n: int) -> None:
    env = uno_v0.env(num_players=n)
    for seed in range(3):
        totals: dict[str, float] = {}
        env.reset(seed=seed)
        told = play(env, random.Random(seed), totals)
        assert told == env.possible_agents  # `_deads_step_first`: all agents, in order
        outcome = env.unwrapped.game().outcome  # type: ignore[attr-defined]
        assert outcome is not None
        (winner,) = outcome.winners
        expected = {f"player_{seat}": 1.0 if seat == winner else -1 / (n - 1) for seat in range(n)}
        assert totals == pytest.approx(expected)
        assert sum(totals.values()) == pytest.approx(0, abs=1e-6)


def test_partners_share() -> None:
    env = uno_v0.env("team")
    totals: dict[str, float] = {}
    env.reset(seed=1)
    play(env, random.Random(1), totals)
    winners = env.unwrapped.game().outcome.winners  # type: ignore[attr-defined]
    assert winners in ((0, 2), (1, 3))
    assert totals == {f"player_{seat}": 0.5 if seat in winners else -0.5 for seat in range(4)}


def test_points_are_hundreds_of_the_cards_left() -> None:
    env = uno_v0.env(num_players=3, reward="points")
    totals: dict[str, float] = {}
    env.reset(seed=8)
    play(env, random.Random(8), totals)
    game = env.unwrapped.game()  # type: ignore[attr-defined]
    (winner,) = game.outcome.winners
    assert totals[f"player_{winner}"] == pytest.approx(game.outcome.points[winner] / 100)
    assert sum(totals.values()) == pytest.approx(0, abs=1e-6)
    assert all(total < 0 for agent, total in totals.items() if agent != f"player_{winner}")


@pytest.mark.parametrize("reward", REWARDS)
def test_match_pays_every_round(reward: str) -> None:
    rules = Rules(num_players=3, target=150)
    env = uno_v0.raw_env(rules, episode="match", reward=reward)  # type: ignore[arg-type]
    env.reset(seed=3)
    totals: dict[str, float] = {}
    told = play(env, random.Random(3), totals)
    # The same match again as a `Game`: what each round was worth.
    game, rng = Game(rules, 3), random.Random(3)
    expected, rounds = np.zeros(3), 0
    while game.match_winners is None:
        if game.over:
            game.next_round()
        game.push(pick(game.action_mask(), rng))
        if game.over:
            rounds += 1
            expected += game.rewards(reward)
    assert told == env.possible_agents
    assert rounds > 1
    assert env.game().to_bytes() == game.to_bytes()
    assert [totals[agent] for agent in env.possible_agents] == pytest.approx(expected.tolist())
    if reward == "match":
        assert sorted(totals.values()) == [-0.5, -0.5, 1.0]


def test_rewards_last_for_one_step() -> None:
    env = uno_v0.raw_env(num_players=2, episode="match")
    env.reset(seed=5)
    rng = random.Random(5)
    while not any(env.rewards.values()):
        env.step(pick(env.last()[0]["action_mask"], rng))
    assert sorted(env.rewards.values()) == [-1.0, 1.0]
    assert env.agents == env.possible_agents
    env.step(pick(env.last()[0]["action_mask"], rng))
    assert list(env.rewards.values()) == [0, 0]


def test_truncation_is_for_all() -> None:
    env = uno_v0.env({"max_turns": 20})
    env.reset(seed=0)
    totals: dict[str, float] = {}
    rng = random.Random(0)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        assert not termination
        assert isinstance(truncation, bool)
        totals[agent] = totals.get(agent, 0.0) + reward
        if truncation:
            assert all(env.truncations.values())
            assert not any(env.terminations.values())
            env.step(None)
        else:
            assert observation is not None
            env.step(pick(observation["action_mask"], rng))
    assert env.unwrapped.game().outcome.termination == "truncated"  # type: ignore[attr-defined]
    assert totals == dict.fromkeys(env.possible_agents, 0.0)


# Illegal actions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", [0, np.int64(0), 73, -1, 91, 2**70, 0.0, "r5", None, True, np.True_, [1]])
def test_raw_env_refuses(action: Any) -> None:
    env = uno_v0.raw_env()
    env.reset(seed=0)
    before = env.game().to_bytes()
    assert env.last()[0]["action_mask"][0] == 0
    with pytest.raises(IllegalAction, match=r"of player_0 in phase PLAY; legal: .*72 draw"):
        env.step(action)
    assert env.game().to_bytes() == before
    assert env.agent_selection == "player_0"
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))


def test_env_ends_with_minus_one_for_the_offender(capsys: pytest.CaptureFixture[str]) -> None:
    env = uno_v0.env(num_players=3)
    env.reset(seed=0)
    rng = random.Random(0)
    for _ in range(4):
        env.step(pick(env.last()[0]["action_mask"], rng))
    offender = env.agent_selection
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]))
    totals: dict[str, float] = {}
    assert play(env, rng, totals) == env.possible_agents  # `play` asserts that masks are empty, in infos as well
    assert totals == {agent: -1.0 if agent == offender else 0.0 for agent in env.possible_agents}
    env.reset(seed=0)
    play(env, rng)


def test_env_refuses_what_is_no_action() -> None:
    env = uno_v0.env()
    env.reset(seed=0)
    with pytest.raises(AssertionError, match="action is not in action space"):
        env.step(91)


def test_dead_agents_step_with_none() -> None:
    env = uno_v0.raw_env("mini")
    env.reset(seed=0)
    rng = random.Random(0)
    while not any(env.terminations.values()):
        env.step(pick(env.last()[0]["action_mask"], rng))
    with pytest.raises(ValueError, match="the only valid action is None"):
        env.step(72)


# Order ------------------------------------------------------------------------------------------------------------------


def test_reset_comes_first() -> None:
    env = uno_v0.raw_env(render_mode="ansi")
    for call in (lambda: env.step(72), lambda: env.observe("player_0"), env.state, env.game, env.render):
        with pytest.raises(ResetNeeded, match="reset"):
            call()
    env.reset(seed=0)
    play(env, random.Random(0))
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(72)
    env.reset()
    assert env.agents == env.possible_agents
    env.close()
    env.close()


def test_reset_in_the_middle() -> None:
    env = uno_v0.raw_env(episode="match", rules="mini")
    rng = random.Random(0)
    for steps in (1, 5, 3, 8, 2, 13):
        env.reset()
        assert not any(env.terminations.values())
        assert set(env.rewards.values()) == set(env._cumulative_rewards.values()) == {0}
        for _ in range(steps):
            if env.agents:
                observation, _, termination, truncation, _ = env.last()
                env.step(None if termination or truncation else pick(observation["action_mask"], rng))
    env.reset()
    assert play(env, rng) == env.possible_agents


def test_seeds() -> None:
    def deals(env: UnoAEC, seed: int | None) -> list[bytes]:
        games = []
        for s in (seed, None, None):
            env.reset(seed=s)
            games.append(env.game().to_bytes())
        return games

    first, again = deals(uno_v0.raw_env(), 7), deals(uno_v0.raw_env(), 7)
    assert first == again
    assert len(set(first)) == 3
    assert first[0] == Game(seed=7).to_bytes()
    fresh = uno_v0.raw_env()
    assert deals(fresh, None)[0] == Game(seed=fresh.game_seed).to_bytes()
    assert deals(uno_v0.raw_env(), None) != deals(uno_v0.raw_env(), None)
    assert deals(uno_v0.raw_env(), -1)[0] == Game(seed=2**64 - 1).to_bytes()
    assert deals(uno_v0.raw_env(), np.int32(7)) == first  # type: ignore[arg-type]


# Copies -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", [uno_v0.env, uno_v0.raw_env])
@pytest.mark.parametrize("render_mode", [None, "ansi"])
def test_copies_go_on_identically(entry: Any, render_mode: str | None) -> None:
    env = entry("party", num_players=3, episode="match", render_mode=render_mode)
    env.reset(seed=9)
    rng = random.Random(9)
    for step in range(400):
        if step % 80 == 0:
            copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
            assert not any(np.shares_memory(env.unwrapped._states, other.unwrapped._states) for other in copies)
            assert not any(other.unwrapped._params.flags.writeable for other in copies)  # what the engine is compiled for
        if not env.agents:
            for one in (env, *copies):
                one.reset()
        observation, reward, termination, truncation, info = env.last()
        action = None if termination or truncation else pick(observation["action_mask"], rng)
        for other in copies:
            assert other.agent_selection == env.agent_selection
            seen = other.last()
            assert seen[0]["observation"].tobytes() == observation["observation"].tobytes()
            assert seen[4]["action_mask"].tobytes() == info["action_mask"].tobytes()
            assert seen[1:4] == (reward, termination, truncation)
        for one in (env, *copies):
            one.step(action)
        if render_mode:
            assert env.render() == copies[0].render() == copies[1].render()


# Arguments --------------------------------------------------------------------------------------------------------------


def test_rules_are_given_in_any_form(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text("preset: party\nnum_players: 6\n", encoding="utf-8")
    assert uno_v0.raw_env(path).rules == uno_v0.raw_env(str(path)).rules == Rules.preset("party", num_players=6)
    assert uno_v0.raw_env({"stacking": "any"}).rules == Rules(stacking="any")
    assert uno_v0.raw_env(Rules(num_players=2)).rules.num_players == 2
    assert uno_v0.raw_env(Rules(num_players=2), num_players=5).rules.num_players == 5
    assert uno_v0.raw_env().rules == Rules.preset("official", num_players=4)
    for preset in PRESETS:
        assert len(uno_v0.env(preset).possible_agents) == Rules.preset(preset).num_players


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rules": "offcial"}, "'offcial' are neither a preset"),
        ({"rules": 5}, "not int"),
        ({"rules": {"target": 0}}, "target=0"),
        ({"num_players": 11}, "num_players=11: expected an integer from 2 to 10"),
        ({"episode": "game"}, "episode='game': expected 'round' or 'match'"),
        ({"reward": "money"}, "reward='money': expected one of 'win', 'points', 'match'"),
        ({"reward": "match"}, "reward='match' needs episode='match'"),
        ({"render_mode": "rgb"}, "render_mode='rgb': expected None, 'human', 'rgb_array', 'ansi'"),
        ({"viewpoint": "player_4"}, "viewpoint='player_4': expected 'all', a seat or one of player_0"),
        ({"viewpoint": 4}, "viewpoint=4"),
        ({"viewpoint": True}, "viewpoint=True"),
    ],
)
def test_bad_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        uno_v0.env(**options)
    assert isinstance(caught.value, RulesError) == (not {"episode", "reward", "render_mode", "viewpoint"} & set(options))


def test_unknown_agent() -> None:
    env = uno_v0.raw_env("mini")
    env.reset(seed=0)
    with pytest.raises(ValueError, match="unknown agent 'player_2': agents are player_0, player_1"):
        env.observe("player_2")


# The full state ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["official", "party", "team"])
def test_full_state_tells_the_position(preset: str) -> None:
    env = uno_v0.raw_env(preset, num_players=4, episode="match")
    env.reset(seed=11)
    rng = random.Random(11)
    for _ in range(600):
        if not env.agents or any(env.terminations.values()):
            env.reset()
        vector, position, game = env.state(), env.game().position(), env.game()
        assert vector.dtype == np.int8
        assert vector.shape == (STATE_SIZE,)
        assert env.state_space.contains(vector)

        def part(name: str, vector: np.ndarray = vector) -> np.ndarray:
            return vector[STATE_LAYOUT[name].slice].reshape(STATE_LAYOUT[name].shape)

        def pile(name: str, part: Any = part) -> list[str]:
            kinds = part(name)
            size = int((kinds > 0).sum())
            assert not kinds[size:].any()
            return [KIND_TEXTS[kind - 1] for kind in kinds[:size]]

        def seats(name: str, part: Any = part) -> list[int]:
            return np.flatnonzero(part(name)).tolist()

        assert [texts_of(hand) for hand in part("hands")[:4]] == position["hands"]
        assert pile("draw_pile") == position["draw_pile"]
        assert pile("discard_pile")[::-1] == position["discard_pile"]
        assert ["rygb"[colour] for colour in seats("colour")] == ([position["colour"]] if position["colour"] else [])
        before = position["colour_before"]
        assert ["rygb"[colour] for colour in seats("colour_before")] == ([before] if before else [])
        assert seats("phase") == [game.phase]
        assert (seats("actor"), seats("turn"), seats("dealer")) == ([game.actor], [position["turn"]], [position["dealer"]])
        assert seats("declared") == [seat for seat, flag in enumerate(position["declared"]) if flag]
        assert (seats("owing"), seats("received")) == (position["owing"], position["received"])
        assert seats("offender") == ([] if position["offender"] is None else [position["offender"]])
        assert seats("at_table") == [0, 1, 2, 3]
        assert part("team")[:4].tolist() == ([0, 1, 0, 1] if preset == "team" else [0, 1, 2, 3])
        drew_on = [None if not row.any() else "rygb"[int(row.argmax())] for row in part("drew_on")[:4]]
        assert drew_on == position["drew_on"]
        assert part("score")[:4].tolist() == [min(score // 5, 127) for score in position["scores"]]  # percent of 500
        assert (part("target")[0], part("direction")[0]) == (50, position["direction"])
        assert (part("pending")[0], part("passes")[0]) == (position["pending_draw"], position["passes"])
        assert part("drawn")[0] == (KIND_TEXTS.index(position["drawn"]) + 1 if position["drawn"] else 0)
        assert part("guilty")[0] == {None: -1, False: 0, True: 1}[position["guilty"]]
        env.step(pick(env.last()[0]["action_mask"], rng))
    assert STATE_LAYOUT["hands"].shape[1] == NUM_KINDS
