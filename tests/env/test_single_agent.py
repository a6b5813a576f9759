"""The Gymnasium environment: its checker, opponents, seats, rewards, ends, fresh objects, copies, nothing leaks, films."""

from __future__ import annotations

import copy
import importlib
import inspect
import json
import os
import pickle
import random
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

import uno_env
from tests.env.play import pick
from uno_env import OBS_SIZE, PRESETS, Game, IllegalAction, Rules, UnoEnv, opponents, single_agent
from uno_env.aec import UnoAEC
from uno_env.random_card import RandomCard
from uno_env.rules import RulesError
from uno_env.view import View

ID = "uno_env:Uno-v0"


class Lowest:
    """Plays the first legal action, and notes what it was given."""

    def __init__(self) -> None:
        self.views: list[View] = []

    def act(self, view: View) -> int:
        self.views.append(view)
        return int(np.flatnonzero(view.action_mask)[0])


class Batched:
    """Decides by its generator, and spoils what it was given."""

    rules: Rules | None = None

    def for_rules(self, rules: Rules) -> Batched:
        agent = Batched()
        agent.rules = rules
        return agent

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        assert self.rules is not None
        assert (observations.shape, action_masks.shape) == ((1, OBS_SIZE), (1, 91))
        action = rng.choice(np.flatnonzero(action_masks[0]))
        observations[:] = action_masks[:] = 1
        return np.array([action])


class Cheat:
    def act(self, view: View) -> int:
        return int(np.flatnonzero(view.action_mask == 0)[0])


def stands(game: Game) -> list[Any]:
    """The position and the generator, without what a used record keeps of older games in places that are not in use."""
    return [game.position(), int(game._states["rng"][0])]


def told(step: tuple[Any, ...]) -> list[Any]:
    """What `reset` or `step` returned, comparable."""
    assert set(step[-1]) == {"action_mask"}
    return [step[0].tobytes(), step[-1]["action_mask"].tobytes(), *step[1:-1]]


def episode(env: Any, rng: random.Random, seed: int | None = None) -> tuple[list[list[Any]], float]:
    """One episode: all that was told, and the sum of the rewards."""
    returned = env.reset(seed=seed)
    record, total = [told(returned)], 0.0
    for _ in range(100_000):
        action = pick(returned[-1]["action_mask"], rng)
        returned = env.step(action)
        record.append(told(returned))
        assert type(returned[1]) is float
        assert type(returned[2]) is type(returned[3]) is bool
        total += returned[1]
        if returned[2] or returned[3]:
            assert not returned[-1]["action_mask"].any()
            return record, total
    raise AssertionError("the episode does not end")


# Gymnasium --------------------------------------------------------------------------------------------------------------

CASES = [
    pytest.param({}, id="default"),
    pytest.param({"num_players": 10, "seat": "random", "opponents": "random"}, id="ten"),
    pytest.param({"rules": "party", "seat": "rotate", "episode": "match", "reward": "points"}, id="party-match"),
    pytest.param({"rules": "team", "opponents": [None, "rule", {"pool": ["random", None]}], "viewpoint": "all"}, id="team"),
    pytest.param({"rules": "mini", "illegal_action": "end"}, id="mini"),
    pytest.param({"rules": {"max_turns": 30}}, id="truncated"),
]


@pytest.mark.parametrize("options", CASES)
def test_check_env(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # a window that nobody sees
    monkeypatch.setitem(UnoAEC.metadata, "render_fps", 10_000)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(gymnasium.make(ID, **options).unwrapped)
    assert [str(warning.message) for warning in caught] == []


@pytest.mark.parametrize("options", CASES)
def test_made_with_its_checks(options: dict[str, Any]) -> None:
    env = gymnasium.make(ID, **options)
    rng = random.Random(1)
    for seed in (3, None, None):
        returned = env.reset(seed=seed)
        done = False
        while not done:
            assert env.observation_space.contains(returned[0])
            masks = env.get_wrapper_attr("action_masks")()
            assert masks.dtype == bool
            assert np.array_equal(masks, returned[-1]["action_mask"])
            returned = env.step(pick(returned[-1]["action_mask"], rng))
            done = bool(returned[2] or returned[3])
        assert env.observation_space.contains(returned[0])
        assert not env.get_wrapper_attr("action_masks")().any()


def test_registration_is_silent_and_idempotent() -> None:
    assert UnoEnv is uno_env.UnoEnv
    before = gymnasium.registry["Uno-v0"]
    single_agent.register()
    assert gymnasium.registry["Uno-v0"] is before
    assert before.entry_point == "uno_env.single_agent:UnoEnv"
    script = (
        "import gymnasium, importlib, sys; env = gymnasium.make('uno_env:Uno-v0'); env.reset(seed=0)\n"
        "import uno_env; importlib.reload(uno_env.single_agent); importlib.reload(uno_env); gymnasium.make('uno_env:Uno-v0')\n"
        "for _ in range(50):\n"
        "    if any(env.step(int(env.unwrapped.action_masks().argmax()))[2:4]): env.reset()\n"
        "assert not {'agents', 'torch', 'pygame'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert not [line for line in done.stderr.splitlines() if "compiling the engine" not in line]


def test_spawned_workers() -> None:
    options: dict[str, Any] = {"opponents": "random", "seat": "rotate", "num_players": 3}
    kinds = {"async": {"context": "spawn"}, "sync": {}}
    seen: dict[str, list[bytes]] = {}
    for kind, more in kinds.items():
        envs = gymnasium.make_vec(ID, num_envs=2, vectorization_mode=kind, vector_kwargs=more, **options)
        rng = random.Random(2)
        observations, infos = envs.reset(seed=5)
        seen[kind] = []
        for _ in range(60):
            seen[kind] += [observations.tobytes(), infos["action_mask"].tobytes()]
            actions = [pick(mask, rng) if mask.any() else 72 for mask in infos["action_mask"]]
            observations, rewards, *_, infos = envs.step(np.array(actions))
            seen[kind].append(rewards.tobytes())
        envs.close()
    assert seen["async"] == seen["sync"]


def test_spaces_and_page() -> None:
    env = UnoEnv()
    space: Any = env.observation_space
    page = single_agent.__doc__
    assert page is not None
    assert (space.shape, space.dtype) == ((OBS_SIZE,), np.int8)
    assert f"Box({space.low.min()}, {space.high.max()}, ({OBS_SIZE},), int8)" in page
    assert str(env.action_space) == "Discrete(91)"
    assert env.rules == Rules.preset("research")
    for name, parameter in inspect.signature(UnoEnv).parameters.items():
        assert parameter.kind is inspect.Parameter.KEYWORD_ONLY
        assert name == "render_width" or f"{name}={parameter.default!r}".replace("'", '"') in page


# Seeds and copies -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 2, "random", "rotate"])
def test_same_seeds_same_episodes(seat: Any) -> None:
    def play() -> tuple[list[Any], list[int]]:
        env = UnoEnv(rules="party", num_players=3, seat=seat, opponents={"pool": [None, "random", "rule", Batched()]})
        rng = random.Random(4)
        record, seats = [], []
        for seed in (7, None, None, 8, None):
            record += episode(env, rng, seed)[0]
            seats.append(env.seat)
        return record, seats

    first = play()
    assert play() == first
    if seat == "rotate":
        assert first[1] == [7 % 3, (7 + 1) % 3, (7 + 2) % 3, 8 % 3, (8 + 1) % 3]


def test_the_game_is_that_of_the_seed() -> None:
    env = UnoEnv(num_players=3)
    for seed in range(4):
        env.reset(seed=seed)
        assert env.game_seed == seed
        assert env.game().to_bytes() == Game("research", seed, num_players=3).to_bytes()
    fresh, other = UnoEnv(num_players=3), UnoEnv(num_players=3)
    fresh.reset()
    other.reset()
    assert fresh.game_seed != other.game_seed
    other.reset(seed=fresh.game_seed)
    assert fresh.game().to_bytes() == other.game().to_bytes()
    assert episode(fresh, random.Random(1)) == episode(other, random.Random(1))


def test_opponents_have_random_numbers_of_their_own() -> None:
    env = UnoEnv(num_players=4, opponents=Batched())
    episode(env, random.Random(0), 3)
    states = [json.dumps(generator.bit_generator.state) for generator in env._seating._generators.values()]
    assert len(set(states)) == len(states) == 3
    env = UnoEnv(num_players=4, opponents=None, seat="random")
    env.reset(seed=3)
    assert len(set(env._seating._streams.ravel().tolist())) == 5
    assert len({table.tobytes() for table in (env.reset(seed=seed)[0] for seed in range(5))}) == 5


@pytest.mark.parametrize("render_mode", [None, "ansi"])
def test_copies_go_on_identically(render_mode: Any) -> None:
    options: dict[str, Any] = {"seat": "random", "opponents": {"pool": [None, "random", "strategist"]}, "render_mode": render_mode}
    env = UnoEnv(rules="party", num_players=3, episode="match", **options)
    returned: tuple[Any, ...] = env.reset(seed=9)
    rng = random.Random(9)
    copies: list[UnoEnv] = []
    for step in range(200):
        if step % 40 == 0:
            copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
            assert not any(np.shares_memory(env._game._states, other._game._states) for other in copies)
        if len(returned) == 5 and (returned[2] or returned[3]):
            returned = env.reset()
            assert all(told(other.reset()) == told(returned) for other in copies)
        action = pick(returned[-1]["action_mask"], rng)
        returned = env.step(action)
        assert all(told(other.step(action)) == told(returned) for other in copies)
        if render_mode:
            assert env.render() == copies[0].render() == copies[1].render()


def test_what_was_returned_never_changes() -> None:
    env = UnoEnv(num_players=2)
    rng = random.Random(4)
    arrays: list[np.ndarray] = []
    returned: tuple[Any, ...] = env.reset(seed=4)
    untouched = copy.deepcopy(env)
    infos = []
    for _ in range(60):
        infos.append(returned[-1])
        arrays += [returned[0], returned[-1]["action_mask"], env.action_masks()]
        done = len(returned) == 5 and (returned[2] or returned[3])
        mask = returned[-1]["action_mask"].copy()
        for array in arrays[-3:]:
            array[:] = 1  # it belongs to the user
        state = rng.getstate()
        returned = env.reset() if done else env.step(pick(mask, rng))
        rng.setstate(state)
        same = untouched.reset() if done else untouched.step(pick(mask, rng))
        assert told(same) == told(returned)
    assert all(array.all() for array in arrays)
    assert len({id(info) for info in infos}) == len(infos)
    assert not any(np.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i])


# Opponents --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_played(preset: str) -> None:
    n = Rules.preset(preset).num_players
    for seat in range(n):
        env = UnoEnv(rules=preset, seat=seat)
        for seed in range(4):
            _, total = episode(env, random.Random(seed), seed)
            game = env.game()
            assert game.over
            assert total == pytest.approx(float(game.rewards("win")[seat]))


@pytest.mark.parametrize("spec", ["random", "tests.env.test_single_agent:Lowest", Lowest(), Batched(), None])
def test_each_kind_of_opponent(spec: Any) -> None:
    env = UnoEnv(num_players=3, opponents=spec)
    assert len(env.table) == 2
    episode(env, random.Random(0), 0)
    if spec is None:
        assert all(isinstance(agent, RandomCard) for agent in env.table)


def test_a_list_sits_clockwise_from_the_learner() -> None:
    agents = [Lowest(), Lowest(), Lowest()]
    env = UnoEnv(rules="team", opponents=agents, seat="rotate")
    for seed in range(4):
        for agent in agents:
            agent.views.clear()
        episode(env, random.Random(seed), seed)
        assert env.seat == seed
        for k, agent in enumerate(agents, 1):
            assert env.table[k - 1] is agent
            assert {view.seat for view in agent.views} == {(seed + k) % 4}
    assert env.rules.team_of(env.seat) == env.rules.team_of((env.seat + 2) % 4)


def test_a_pool_is_drawn_from_for_each_seat_and_episode() -> None:
    one, two = Lowest(), Lowest()
    env = UnoEnv(num_players=3, opponents={"pool": [one, one, one, two]})
    tables = []
    for seed in range(200):
        env.reset(seed=seed)
        tables.append(tuple(env.table))
    assert set(tables) == {(a, b) for a in (one, two) for b in (one, two)}
    assert 0.6 < np.mean([agent is one for seats in tables for agent in seats]) < 0.9
    env = UnoEnv(num_players=3, opponents=[two, {"pool": (one, None)}])
    env.reset(seed=0)
    assert env.table[0] is two


def test_opponents_are_told_what_their_seat_may_know() -> None:
    agent = Lowest()
    env = UnoEnv(rules="official", num_players=3, opponents=agent, seat=1)
    env.reset(seed=2)
    (view,) = agent.views  # seat 0 began
    game = Game("official", 2, num_players=3)
    assert view.seat == game.actor == 0
    assert view.observation.tobytes() == game.observe(0).tobytes()
    assert view.action_mask.tobytes() == game.action_mask().tobytes()
    assert view.resample(0).hand(1) != game.hand(1)


def test_what_an_opponent_spoils_is_a_copy() -> None:
    env = UnoEnv(rules="party", num_players=4, opponents=Batched())
    for seed in range(3):
        episode(env, random.Random(seed), seed)
        assert env.game().over


def test_an_opponent_that_cheats_is_named() -> None:
    env = UnoEnv(num_players=2, opponents=Cheat(), seat=1)
    with pytest.raises(IllegalAction, match="of player_0 in phase PLAY"):
        env.reset(seed=0)


def test_the_built_in_opponent_plays_a_card_when_it_can() -> None:
    agent, played = RandomCard(), set()
    for seed in range(60):
        game = Game("party", seed)
        rng = np.random.default_rng(seed)
        while not game.over:
            mask = game.action_mask()
            view = View(game, rng)
            action = agent.act(view)
            assert mask[action]
            if mask[:72].any():
                assert action < 72 or action in (76, 77)
            played.add(action)
            game.push(action)
    assert {72, 74, 75, 76, 81, 82} <= played
    assert sum(action < 72 for action in played) > 55
    batch = agent.act_batch(np.zeros((2, OBS_SIZE), np.int8), np.eye(91, dtype=np.int8)[[72, 90]], np.random.default_rng(0))
    assert batch.tolist() == [72, 90]


def test_names_need_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def without(name: str, package: str | None = None) -> Any:
        if name == "agents":
            raise ModuleNotFoundError("No module named 'agents'", name="agents")
        return real(name, package)

    monkeypatch.setattr(opponents.importlib, "import_module", without)
    with pytest.raises(ImportError, match=r"opponents='random': names need the package agents of the uno-env checkout"):
        UnoEnv(opponents="random")
    UnoEnv().reset(seed=0)
    UnoEnv(opponents="tests.env.test_single_agent:Batched").reset(seed=0)
    monkeypatch.setattr(opponents.importlib, "import_module", lambda name: os if name == "agents" else real(name))
    with pytest.raises(ImportError, match="names need the package agents"):  # another package of that name
        UnoEnv(opponents="random")


# Rewards and ends -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reward", ["win", "points", "match"])
@pytest.mark.parametrize("seat", [0, 2])
def test_a_match_pays_the_sum_of_its_rounds(reward: Any, seat: int) -> None:
    rules = Rules(num_players=3, target=150)
    agent = Lowest()
    env = UnoEnv(rules=rules, episode="match", reward=reward, seat=seat, opponents=agent)
    for seed in range(3):
        _, total = episode(env, random.Random(seed), seed)
        game, rng, expected = Game(rules, seed), random.Random(seed), 0.0
        while game.match_winners is None:
            if game.over:
                game.next_round()
            mask = game.action_mask()
            game.push(pick(mask, rng) if game.actor == seat else int(np.flatnonzero(mask)[0]))
            if game.over:
                expected += float(game.rewards(reward)[seat])
        assert stands(game) == stands(env.game())
        assert total == pytest.approx(expected)


def test_a_game_without_a_decision_is_dealt_again() -> None:
    rules = Rules.preset("mini", hand_size=1)  # whoever begins may go out at once
    env = UnoEnv(rules=rules, seat=1, opponents=Lowest())
    again = 0
    for seed in range(30):
        observation, info = env.reset(seed=seed)
        assert info["action_mask"].any()
        assert env.observation_space.contains(observation)
        game = Game(rules, seed)
        while not game.over and game.actor == 0:
            game.push(game.legal_actions()[0])
        again += game.over
        assert game.over or stands(game) == stands(env.game())
        episode(env, random.Random(seed))
    assert 0 < again < 30


def test_rewards_before_the_first_decision_come_with_the_first_step() -> None:
    rules = Rules.preset("mini", hand_size=1, target=200)
    env = UnoEnv(rules=rules, seat=1, opponents=Lowest(), episode="match")
    carried = 0
    for seed in range(30):
        game, expected = Game(rules, seed), 0.0
        _, info = env.reset(seed=seed)
        while game.match_winners is None and (game.over or game.actor == 0):
            if game.over:
                expected += float(game.rewards()[1])
                game.next_round()
            else:
                game.push(game.legal_actions()[0])
        if game.match_winners is not None:
            continue
        action = pick(info["action_mask"], random.Random(seed))
        assert env._carried == expected
        carried += expected != 0
        assert copy.deepcopy(env).step(illegal_of(info["action_mask"]))[1] == expected - 1
        env.step(action)
        assert env._carried == 0
    assert carried


def test_rules_without_a_decision_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single_agent, "MAX_DEALS", 20)
    env = UnoEnv(rules={"max_turns": 1, "starter": "flip_number"}, num_players=4, seat=3, opponents=Lowest())
    with pytest.raises(RuntimeError, match="seat 3 decided nothing in 20 games"):
        env.reset(seed=0)


def test_truncation() -> None:
    env = UnoEnv(rules={"max_turns": 20})
    record, total = episode(env, random.Random(0), 0)
    assert record[-1][-2:] == [False, True]
    assert total == 0.0
    outcome = env.game().outcome
    assert outcome is not None
    assert outcome.termination == "truncated"


def illegal_of(mask: np.ndarray) -> int:
    return int(np.flatnonzero(mask == 0)[0])


@pytest.mark.parametrize("action", [None, np.int64(-1), 91, 2**70])
def test_an_illegal_action_ends_the_episode(action: Any) -> None:
    env = UnoEnv()
    _, info = env.reset(seed=0)
    returned = env.step(illegal_of(info["action_mask"]) if action is None else action)
    assert returned[1:4] == (-1.0, True, False)
    assert env.observation_space.contains(returned[0])
    assert not returned[-1]["action_mask"].any()
    assert not env.action_masks().any()
    with pytest.raises(ResetNeeded):
        env.step(72)
    assert told(env.reset(seed=0)) == told(UnoEnv().reset(seed=0))
    episode(env, random.Random(0))


def test_an_illegal_action_raises_on_demand() -> None:
    env = UnoEnv(illegal_action="raise", num_players=2)
    _, info = env.reset(seed=0)
    before = env.game().to_bytes()
    for action in (illegal_of(info["action_mask"]), 91, -1):
        with pytest.raises(IllegalAction, match=r"of player_0 in phase PLAY; legal: "):
            env.step(action)
        assert env.game().to_bytes() == before
    env.step(pick(info["action_mask"], random.Random(0)))


@pytest.mark.parametrize("action", ["r5", None, 0.0, True, [1]])
def test_what_is_no_integer_raises(action: Any) -> None:
    env = UnoEnv()
    env.reset(seed=0)
    before = env.game().to_bytes()
    with pytest.raises(IllegalAction):
        env.step(action)
    assert env.game().to_bytes() == before


def test_reset_comes_first() -> None:
    env = UnoEnv(render_mode="ansi")
    for call in (lambda: env.step(72), env.action_masks, env.game, env.render):
        with pytest.raises(ResetNeeded, match="reset"):
            call()
    env.close()


# Hidden cards -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["official", "party", "team", "mini_bluff", "research"])
def test_hidden_cards_never_show(preset: str) -> None:
    """Redraw what the learner cannot know, at each of its decisions: all that it is told and shown stays the same."""
    rng = random.Random(5)
    changed = decisions = 0
    env = UnoEnv(rules=preset, seat="rotate", render_mode="ansi")
    for seed in range(6):
        returned: tuple[Any, ...] = env.reset(seed=seed)
        for _ in range(25):
            game = env.game()
            other = game.resample(env.seat, rng.randrange(2**32))
            changed += other.position()["hands"] != game.position()["hands"]
            decisions += 1
            shown = []
            for one in (game, other):
                stands = copy.deepcopy(env)
                stands._game._states[:] = one._states
                stands._game._begin()
                shown.append([told(stands._told()), stands.action_masks().tobytes(), stands.render()])
            assert shown[0] == shown[1]
            assert shown[0][0] == told((returned[0], returned[-1]))
            returned = env.step(pick(returned[-1]["action_mask"], rng))
            if returned[2] or returned[3]:
                break
    assert changed > decisions // 2


# Pictures and files -----------------------------------------------------------------------------------------------------


def test_only_the_learners_hand_is_shown() -> None:
    for viewpoint in ("learner", "all"):
        env = UnoEnv(seat="rotate", num_players=3, render_mode="ansi", viewpoint=viewpoint)  # type: ignore[arg-type]
        for seed in range(3):
            env.reset(seed=seed)
            shown, game = env.render(), env.game()
            assert isinstance(shown, str)
            assert env._game._viewpoint == (None if viewpoint == "all" else env.seat)
            for seat in range(3):
                line = next(line for line in shown.splitlines() if line[1:].lstrip().startswith(f"player_{seat}"))
                assert all(card in line for card in game.hand(seat)) == (viewpoint == "all" or seat == env.seat), line


def test_pictures() -> None:
    env = gymnasium.make(ID, render_mode="rgb_array", render_width=240)
    env.reset(seed=1)
    first, again = env.render(), env.render()
    assert isinstance(first, np.ndarray)
    assert isinstance(again, np.ndarray)
    assert (first.dtype, first.shape) == (np.uint8, (160, 240, 3))
    assert not np.shares_memory(first, again)
    env.close()


def test_a_film_is_written(tmp_path: Path) -> None:
    from gymnasium.wrappers import RecordVideo

    env: Any = RecordVideo(gymnasium.make(ID, num_players=2, render_mode="rgb_array", render_width=240), str(tmp_path / "film"))
    _, info = env.reset(seed=1)
    frames, done, rng = 1, False, random.Random(1)
    first = env.unwrapped.render()
    while not done and frames < 12:
        *_, terminated, truncated, info = env.step(pick(info["action_mask"], rng))
        frames, done = frames + 1, terminated or truncated
    env.close()
    (film,) = (tmp_path / "film").glob("*.mp4")
    from moviepy import VideoFileClip

    with VideoFileClip(os.fspath(film)) as clip:
        assert clip.fps == UnoEnv.metadata["render_fps"]
        assert tuple(clip.size) == (240, 160)
        assert np.abs(clip.get_frame(0).astype(int) - first).mean() < 12


def test_games_are_saved(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    env = UnoEnv(save_games=path, num_players=3, seat="random")
    ends = []
    for seed in (1, None, 2):
        episode(env, random.Random(1), seed)
        ends.append(stands(env.game()))
    assert [stands(Game.replay(line)) for line in path.read_text(encoding="utf-8").splitlines()] == ends


# Arguments --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rules": "offcial"}, "'offcial' are neither a preset"),
        ({"num_players": 11}, "num_players=11"),
        ({"episode": "game"}, "episode='game'"),
        ({"reward": "money"}, "reward='money'"),
        ({"reward": "match"}, "reward='match' needs episode='match'"),
        ({"render_mode": "rgb"}, "render_mode='rgb'"),
        ({"viewpoint": 0}, "viewpoint=0: expected 'learner' or 'all'"),
        ({"illegal_action": "ignore"}, "illegal_action='ignore': expected 'end' or 'raise'"),
        ({"seat": 4, "num_players": 4}, "seat=4: expected 0 to 3, 'random' or 'rotate'"),
        ({"seat": -1}, "seat=-1"),
        ({"seat": True}, "seat=True"),
        ({"seat": "any"}, "seat='any'"),
        ({"opponents": [None], "num_players": 4}, "opponents: 1 players for 3 other seats"),
        ({"opponents": {"pool": []}}, "a pool is"),
        ({"opponents": {"pol": ["random"]}}, "a pool is"),
        ({"opponents": "nobody"}, "unknown agent 'nobody'"),
        ({"opponents": "no.such.module:Agent"}, "there is no module 'no'"),
        ({"opponents": "tests.env.play:Nobody"}, "module 'tests.env.play' has no 'Nobody'"),
        ({"opponents": 5}, "opponents: 5 is neither"),
        ({"opponents": Lowest}, "is neither"),
    ],
)
def test_bad_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        UnoEnv(**options)
    assert isinstance(caught.value, RulesError) == bool({"rules"} & set(options) or options == {"num_players": 11})
