"""`UnoVectorEnv`: in step with `SyncVectorEnv` in all three modes; batches of opponents, copies, pictures, refusals."""

from __future__ import annotations

import copy
import importlib
import os
import pickle
import random
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import batch_space

import agents
from tests.env.play import pick
from tests.reference.generator import Generator, mix
from uno_env import OBS_SIZE, Game, IllegalAction, Rules, UnoEnv, UnoVectorEnv, opponents, vector_env
from uno_env.jit import COMPILED
from uno_env.random_card import RandomCard
from uno_env.view import View

ID = "uno_env:Uno-v0"
STEPS = 150 if COMPILED else 60
MODES = list(AutoresetMode)


class Lowest:
    """The first legal action, one view at a time."""

    def act(self, view: View) -> int:
        return int(np.flatnonzero(view.action_mask)[0])


class Coin:
    """A random legal action by the generator of the view."""

    def act(self, view: View) -> int:
        return int(view.rng.choice(np.flatnonzero(view.action_mask)))


class Highest:
    """The last legal action, in batches whose sizes are noted; it spoils what it was given."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        self.sizes.append(len(action_masks))
        actions = 90 - action_masks[:, ::-1].argmax(axis=1)
        observations[:] = action_masks[:] = 1
        return actions


class Gambler:
    """A random legal action; draws for the batch as a whole."""

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return (rng.random(action_masks.shape) * action_masks).argmax(axis=1)


class Cheat:
    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return action_masks.argmin(axis=1)


class Mute:
    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return np.zeros(len(observations))


def check_same(one: Any, other: Any, where: str = "") -> None:
    """Equal in types, shapes, dtypes and every bit."""
    assert type(one) is type(other), where
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for key in one:
            check_same(one[key], other[key], f"{where} {key}")
    elif isinstance(one, (tuple, list)) or (isinstance(one, np.ndarray) and one.dtype == object):
        assert len(one) == len(other), where
        for i, (a, b) in enumerate(zip(one, other, strict=True)):
            check_same(a, b, f"{where} {i}")
    elif isinstance(one, np.ndarray):
        assert (one.shape, one.dtype) == (other.shape, other.dtype), where
        assert one.tobytes() == other.tobytes(), where
    else:
        assert one == other, where


def choose(masks: np.ndarray, rng: random.Random, *, wrong: float = 0.0) -> np.ndarray:
    """Legal actions, but for a share of ``wrong`` ones; anything where no decision is due."""
    actions = [pick(mask, rng) if mask.any() and rng.random() >= wrong else rng.randrange(-3, 95) for mask in masks]
    return np.array(actions)


# In step with SyncVectorEnv ---------------------------------------------------------------------------------------------

CASES = [
    pytest.param({"num_players": 2}, id="default"),
    pytest.param(
        {"rules": "party", "num_players": 3, "seat": "rotate", "episode": "match", "reward": "points", "opponents": "rule"},
        id="party-match",
    ),
    pytest.param(
        {"num_players": 4, "seat": "random", "opponents": ["random", {"pool": ["strategist", None, "uniform"]}, Highest()]},
        id="pool",
    ),
    pytest.param({"rules": "team", "seat": 2, "opponents": [Lowest(), Coin(), {"pool": [Coin(), "rule"]}]}, id="views"),
    pytest.param({"rules": {"max_turns": 12}, "num_players": 10}, id="truncated"),
    pytest.param(
        {"rules": Rules.preset("mini", hand_size=1, target=200), "episode": "match", "seat": 1, "opponents": Lowest()},
        id="dealt-again",
    ),
    pytest.param({"rules": Rules.preset("mini", hand_size=1), "seat": 1, "opponents": Lowest()}, id="mini"),
]


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("options", CASES)
def test_in_step_with_single_environments(options: dict[str, Any], mode: AutoresetMode) -> None:
    count, rng, ends = 4, random.Random(3), 0
    batch = UnoVectorEnv(count, autoreset_mode=mode, **options)
    single = SyncVectorEnv([lambda: UnoEnv(**options)] * count, autoreset_mode=mode)
    seeds: Any = 2**70
    for start in range(3):
        one, other = batch.reset(seed=seeds), single.reset(seed=seeds)
        check_same(one, other, f"reset {start}")
        assert set(one[1]) == {"action_mask", "_action_mask"}
        for step in range(STEPS // 3):
            actions = choose(batch.action_masks(), rng, wrong=0.02)
            returned = batch.step(actions)
            check_same(returned, single.step(actions), f"reset {start}, step {step}")
            ended = returned[2] | returned[3]
            ends += int(ended.sum())
            if mode is AutoresetMode.DISABLED and ended.any():
                check_same(batch.action_masks(), np.stack(single.call("action_masks")))
                again = [rng.choice([None, rng.randrange(2**40)]) for _ in range(count)]
                mask = {"reset_mask": ended}
                check_same(batch.reset(seed=again, options=mask), single.reset(seed=again, options={"reset_mask": ended}))
                assert mask == {"reset_mask": ended}
            check_same(batch.seats, np.array(single.get_attr("seat")))
            check_same([repr(batch.table(i)) for i in range(count)], [repr(table) for table in single.get_attr("table")])
            games = single.call("game")
            assert all(batch.game(i).position() == game.position() for i, game in enumerate(games))
        seeds = None if start == 0 else [5, None, 2**64 + 5, None]
    assert batch.game_seeds == list(single.get_attr("game_seed"))
    assert ends > 3


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_ends_and_infos_by_hand(mode: AutoresetMode) -> None:
    """One game ends by an illegal action: what each mode says of it, without another implementation to compare with."""
    envs = UnoVectorEnv(3, num_players=2, autoreset_mode=mode)
    before, info = envs.reset(seed=0)
    actions = info["action_mask"].argmax(axis=1)
    actions[1] = info["action_mask"][1].argmin()
    after, rewards, terminations, truncations, info = envs.step(actions)
    assert (rewards[1], terminations.tolist(), truncations.any()) == (-1.0, [False, True, False], False)
    if mode is AutoresetMode.SAME_STEP:
        assert info["_final_obs"].tolist() == info["_final_info"].tolist() == [False, True, False]
        assert [row is None for row in info["final_obs"]] == [True, False, True]
        assert np.array_equal(info["final_obs"][1], before[1])
        assert not info["final_info"]["action_mask"].any()
        assert info["action_mask"].any(axis=1).all()
        assert not np.array_equal(after[1], before[1])
        return
    assert np.array_equal(after[1], before[1])
    assert info["action_mask"].any(axis=1).tolist() == [True, False, True]
    if mode is AutoresetMode.DISABLED:
        with pytest.raises(ResetNeeded, match=r"game 1 is over: call reset\(options={'reset_mask': ended}\)"):
            envs.step(actions)
        again, info = envs.reset(options={"reset_mask": terminations})
        assert np.array_equal(again[[0, 2]], after[[0, 2]])
        assert info["_action_mask"].tolist() == info["action_mask"].any(axis=1).tolist() == [False, True, False]
    else:
        again, rewards, terminations, _, info = envs.step(np.where(envs.action_masks().any(axis=1), 72, -7))
        assert (rewards[1], terminations[1]) == (0.0, False)
        assert info["action_mask"][1].any()
    assert not np.array_equal(again[1], before[1])


def test_the_games_are_those_of_the_seeds() -> None:
    envs = UnoVectorEnv(5, num_players=3, rules="official")
    envs.reset(seed=7)
    assert envs.game_seeds == [7, 8, 9, 10, 11]
    same = 0
    for i, seed in enumerate(range(7, 12)):
        game = Game("official", seed, num_players=3)
        same += game.actor == 0 and game.to_bytes() == envs.game(i).to_bytes()
        assert game.actor != 0 or game.to_bytes() == envs.game(i).to_bytes()
    assert same
    fresh = UnoVectorEnv(5, num_players=3)
    fresh.reset()
    seeds = fresh.game_seeds
    assert len(set(seeds)) == 5
    check_same(UnoVectorEnv(5, num_players=3).reset(seed=seeds)[0], fresh._vector.observations)


# Opponents --------------------------------------------------------------------------------------------------------------


def test_batched_opponents_are_asked_together() -> None:
    agent = Highest()
    envs = UnoVectorEnv(32, num_players=2, opponents=agent, autoreset_mode="SameStep")
    _, info = envs.reset(seed=1)
    rng = random.Random(1)
    for _ in range(20):
        agent.sizes.clear()
        info = envs.step(choose(info["action_mask"], rng))[-1]
        assert agent.sizes
        assert agent.sizes == sorted(agent.sizes, reverse=True)  # each time those that still wait
    assert max(agent.sizes) > 10


def test_who_draws_for_a_batch_repeats_with_the_seeds() -> None:
    def play(seed: int) -> list[bytes]:
        envs = UnoVectorEnv(8, num_players=3, opponents=Gambler(), seat="random", autoreset_mode="SameStep")
        observations, info = envs.reset(seed=seed)
        rng, seen = random.Random(1), [observations.tobytes()]
        for _ in range(STEPS // 3):
            observations, *_, info = envs.step(choose(info["action_mask"], rng))
            seen.append(observations.tobytes())
        return seen

    assert play(1) == play(1) != play(2)


def test_the_built_in_opponent_is_random() -> None:
    envs = UnoVectorEnv(64, rules="party", num_players=3)
    envs.reset(seed=1)
    words = np.random.default_rng(1).integers(0, 2**64, 64, dtype=np.uint64)
    vector = envs._vector
    one = RandomCard().decide(vector.observations, vector.action_masks, words)
    other: Any = agents.load("random")
    assert one.tolist() == other.decide(vector.observations, vector.action_masks, words).tolist()
    rngs = np.random.default_rng(4), np.random.default_rng(4)
    answers = [
        agent.act_batch(vector.observations, vector.action_masks, rng)
        for agent, rng in zip((RandomCard(), other), rngs, strict=True)
    ]
    assert answers[0].tolist() == answers[1].tolist()


def test_random_words_are_splitmix64() -> None:
    seed, seats = 2**63 + 11, 4
    streams = np.zeros((2, seats), np.uint64)
    opponents.start_streams(np.uint64(seed), streams[1])
    starts = [mix(Generator(seed).state ^ (place + 1)) for place in range(seats)]
    assert streams.tolist() == [[0] * seats, starts]
    words = np.empty(3, np.uint64)
    opponents.draw_words(streams, np.array([1, 1, 1]), np.array([2, 0, 2]), words)
    two, nought = Generator(0), Generator(0)
    two.state, nought.state = starts[2], starts[0]
    assert words.tolist() == [two.next(), nought.next(), two.next()]


def test_others_sit_down_at_the_next_reset() -> None:
    first, second = Lowest(), Highest()
    envs = UnoVectorEnv(2, num_players=3, opponents=first, autoreset_mode="SameStep")
    envs.reset(seed=0)
    envs.set_opponents([second, None])
    assert envs.table(0) == envs.table(1) == [first, first]
    masks = envs.action_masks()
    *_, infos = envs.step(np.array([masks[0].argmin(), masks[1].argmax()]))  # an illegal action ends the first game
    assert infos["_final_obs"].tolist() == [True, False]
    assert envs.table(0)[0] is second
    assert isinstance(envs.table(0)[1], RandomCard)
    assert envs.table(1) == [first, first]
    envs.set_opponents(second)
    envs.reset()
    assert envs.table(0) == envs.table(1) == [second, second]

    env = UnoEnv(num_players=3, opponents=first)
    env.reset(seed=0)
    env.set_opponents(second)
    assert env.table == [first, first]
    env.reset()
    with pytest.raises(ValueError, match="2 other seats"):
        env.set_opponents([first])
    assert env.table == [second, second]


def test_opponents_that_cheat_or_say_nothing() -> None:
    with pytest.raises(IllegalAction, match=r"game \d: action 0 .*in phase PLAY; legal"):
        UnoVectorEnv(4, num_players=2, opponents=Cheat(), seat=1).reset(seed=0)
    with pytest.raises(ValueError, match=r"chose float64 \[\d\], expected integers \[\d\]"):
        UnoVectorEnv(4, num_players=2, opponents=Mute(), seat=1).reset(seed=0)


def test_rules_without_a_decision_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_env, "MAX_DEALS", 20)
    envs = UnoVectorEnv(2, rules={"max_turns": 1, "starter": "flip_number"}, num_players=4, seat=3, opponents=Lowest())
    with pytest.raises(RuntimeError, match="seat 3 decided nothing in 20 games"):
        envs.reset(seed=0)


# Objects ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("render_mode", [None, "ansi"])
def test_copies_go_on_identically(render_mode: Any) -> None:
    pool = {"pool": [None, "strategist", Coin()]}
    envs = UnoVectorEnv(3, rules="party", num_players=3, seat="random", opponents=pool, render_mode=render_mode)
    envs.reset(seed=9)
    rng = random.Random(9)
    copies: list[UnoVectorEnv] = []
    for step in range(STEPS // 2):
        if step % 25 == 0:
            copies = [copy.deepcopy(envs), pickle.loads(pickle.dumps(envs))]
            assert not any(np.shares_memory(envs._vector.states, other._vector.states) for other in copies)
        actions = choose(envs.action_masks(), rng)
        returned = envs.step(actions)
        for other in copies:
            check_same(other.step(actions), returned)
            assert not render_mode or other.render() == envs.render()


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_what_was_returned_never_changes(mode: AutoresetMode) -> None:
    envs = UnoVectorEnv(3, num_players=2, autoreset_mode=mode)
    untouched = copy.deepcopy(envs)
    rng = random.Random(4)
    kept: list[np.ndarray] = []

    def spoil(value: Any) -> None:
        """It belongs to the user, who writes ones to it."""
        if isinstance(value, dict):
            for entry in value.values():
                spoil(entry)
        elif isinstance(value, np.ndarray) and value.dtype == object:
            for entry in value:
                spoil(entry)
        elif isinstance(value, np.ndarray):
            value[:] = 1
            kept.append(value)

    returned: tuple[Any, ...] = envs.reset(seed=4)
    untouched.reset(seed=4)
    for _ in range(25):
        actions = choose(envs.action_masks(), rng, wrong=0.05)
        for value in (*returned, envs.action_masks(), envs.seats):
            spoil(value)
        returned = envs.step(actions)
        check_same(untouched.step(actions), returned)
        ended = returned[2] | returned[3]
        if mode is AutoresetMode.DISABLED and ended.any():
            returned = envs.reset(options={"reset_mask": ended.copy()})
            check_same(untouched.reset(options={"reset_mask": ended}), returned)
    assert all(array.all() for array in kept)
    assert not any(np.shares_memory(a, b) for i, a in enumerate(kept) for b in kept[:i])


def test_spaces() -> None:
    envs, env = UnoVectorEnv(3), UnoEnv()
    assert envs.single_observation_space == env.observation_space
    assert envs.single_action_space == env.action_space
    assert envs.observation_space == batch_space(env.observation_space, 3)
    observations, info = envs.reset(seed=0)
    assert envs.observation_space.contains(observations)
    assert observations.shape == (3, OBS_SIZE)
    assert (info["action_mask"].shape, info["action_mask"].dtype) == ((3, 91), np.int8)
    masks = envs.action_masks()
    assert (masks.shape, masks.dtype) == ((3, 91), np.bool_)
    assert np.array_equal(masks, info["action_mask"])


# Gymnasium's registry ---------------------------------------------------------------------------------------------------


def test_made_by_gymnasium() -> None:
    options: dict[str, Any] = {"opponents": "random", "seat": "rotate", "num_players": 3}
    kinds: dict[str, Any] = {"vector_entry_point": {}, "sync": {}, "async": {"context": "spawn"}}
    seen: dict[str, list[Any]] = {}
    for kind, more in kinds.items():
        envs: Any = gymnasium.make_vec(ID, num_envs=2, vectorization_mode=kind, vector_kwargs=more, **options)
        assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
        assert isinstance(envs, UnoVectorEnv) == (kind == "vector_entry_point")
        rng = random.Random(2)
        returned: tuple[Any, ...] = envs.reset(seed=5)
        seen[kind] = []
        for _ in range(60):
            seen[kind].append(returned)
            returned = envs.step(choose(returned[-1]["action_mask"], rng))
        envs.close()
        assert envs.closed
    check_same(seen["vector_entry_point"], seen["sync"])
    check_same(seen["vector_entry_point"], seen["async"])


def test_made_by_gymnasium_without_a_mode() -> None:
    envs: Any = gymnasium.make_vec(ID, num_envs=8, autoreset_mode="SameStep")
    assert isinstance(envs, UnoVectorEnv)
    assert envs.num_envs == 8
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert str(envs) == "UnoVectorEnv(Uno-v0, num_envs=8)"
    again: Any = gymnasium.make_vec(envs.spec)
    assert (again.num_envs, again.autoreset_mode) == (8, AutoresetMode.SAME_STEP)


# Pictures ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{"render_mode": "ansi", "viewpoint": "all"}, {"render_mode": "rgb_array", "render_width": 120}]
)
def test_pictures_are_those_of_single_environments(options: dict[str, Any]) -> None:
    options |= {"num_players": 3, "seat": "rotate", "rules": "party", "episode": "match"}
    batch, single = UnoVectorEnv(2, **options), SyncVectorEnv([lambda: UnoEnv(**options)] * 2)
    batch.reset(seed=1)
    single.reset(seed=1)
    rng = random.Random(1)
    for _ in range(40):
        actions = choose(batch.action_masks(), rng, wrong=0.05)
        batch.step(actions)
        single.step(actions)
        check_same(batch.render(), single.render())


def test_a_film_is_written(tmp_path: Path) -> None:
    from gymnasium.wrappers.vector import RecordVideo
    from moviepy import VideoFileClip

    made: Any = gymnasium.make_vec(ID, num_envs=2, num_players=2, render_mode="rgb_array", render_width=120)
    envs = RecordVideo(made, os.fspath(tmp_path / "film"), video_length=6)
    _, info = envs.reset(seed=1)
    rng = random.Random(1)
    for _ in range(8):
        *_, info = envs.step(choose(info["action_mask"], rng))
    envs.close()
    (film,) = (tmp_path / "film").glob("*.mp4")
    with VideoFileClip(os.fspath(film)) as clip:
        assert clip.fps == UnoEnv.metadata["render_fps"]
        assert clip.size[0] * clip.size[1] == 2 * 120 * 80  # a tile for each game


def test_render_without_a_mode_warns() -> None:
    envs = UnoVectorEnv(1)
    envs.reset(seed=0)
    with pytest.warns(UserWarning, match="without specifying any render mode"):
        assert envs.render() is None


# Refusals ---------------------------------------------------------------------------------------------------------------


def test_an_illegal_action_raises_on_demand() -> None:
    envs = UnoVectorEnv(4, illegal_action="raise", num_players=2, autoreset_mode="SameStep")
    _, info = envs.reset(seed=0)
    before = envs._vector.states.tobytes()
    right = info["action_mask"].argmax(axis=1)
    for action in (int(info["action_mask"][2].argmin()), 91, -1):
        actions = right.copy()
        actions[2] = action
        with pytest.raises(IllegalAction, match=rf"game 2: action {action} .*in phase PLAY; legal: "):
            envs.step(actions)
        assert envs._vector.states.tobytes() == before
    envs.step(right)


@pytest.mark.parametrize("actions", [[72], np.zeros(2), np.array([72, 72], object), np.array([[72, 72]]), [True, False], 72])
def test_what_are_no_actions(actions: Any) -> None:
    envs = UnoVectorEnv(2)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match=r"actions: expected integers \[2\], got"):
        envs.step(actions)


def test_reset_comes_first() -> None:
    envs = UnoVectorEnv(2, render_mode="ansi")
    for call in (lambda: envs.step(np.array([72, 72])), envs.action_masks, envs.render):
        with pytest.raises(ResetNeeded, match="call reset"):
            call()
    with pytest.raises(ResetNeeded, match="for all games"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    envs.close()
    envs.close()


@pytest.mark.parametrize("mask", [[True, False], np.array([1, 0]), np.array([True]), np.array([False, False])])
def test_bad_reset_masks(mask: Any) -> None:
    envs = UnoVectorEnv(2)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match=r"expected an array bool\[2\] with at least one True"):
        envs.reset(options={"reset_mask": mask})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs=0: expected at least 1"),
        ({"autoreset_mode": "SomeStep"}, "'SomeStep' is not a valid AutoresetMode"),
        ({"render_mode": "human"}, "render_mode='human': expected None, 'rgb_array' or 'ansi'"),
        ({"viewpoint": 0}, "viewpoint=0: expected 'learner' or 'all'"),
        ({"illegal_action": "ignore"}, "illegal_action='ignore': expected 'end' or 'raise'"),
        ({"seat": 4, "num_players": 4}, "seat=4: expected 0 to 3, 'random' or 'rotate'"),
        ({"opponents": [None], "num_players": 4}, "opponents: 1 players for 3 other seats"),
        ({"reward": "match"}, "reward='match' needs episode='match'"),
        ({"rules": "offcial"}, "'offcial' are neither a preset"),
    ],
)
def test_bad_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        UnoVectorEnv(**options)
    if "num_envs" not in options:
        with pytest.raises(ValueError, match="2 seeds for 3 games"):
            UnoVectorEnv(3).reset(seed=[1, 2])


def test_stable_baselines3_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    monkeypatch.delitem(sys.modules, "uno_env.sb3", raising=False)
    with pytest.raises(ImportError, match=r"uno_env\.sb3 needs Stable-Baselines3 .*: pip install 'uno-env\[sb3\]'"):
        importlib.import_module("uno_env.sb3")
