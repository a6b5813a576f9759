"""`UnoVector`: arrays that stay, restarts, seeds, threads, refusals, matches. `tests/env/test_lockstep.py` holds it to `Game`."""

from __future__ import annotations

import copy
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from uno_env import Game, IllegalAction, Rules, UnoVector, engine
from uno_env.jit import COMPILED
from uno_env.state import DRAW, PASS, Phase

ARRAYS = ("observations", "action_masks", "actors", "rewards", "dones", "truncations", "winners", "states", "seeds")
STEPS = 400 if COMPILED else 60


def pick(vector: UnoVector, rng: random.Random) -> np.ndarray:
    """A legal action in each game, mostly one that is not a draw or a pass."""
    actions = []
    for mask in vector.action_masks:
        legal = np.flatnonzero(mask).tolist()
        if rng.random() < 0.9:
            legal = [action for action in legal if action not in (DRAW, PASS)] or legal
        actions.append(rng.choice(legal))
    return np.array(actions)


def contents(vector: UnoVector) -> dict[str, bytes]:
    return {name: getattr(vector, name).tobytes() for name in ARRAYS}


def test_shapes_and_types() -> None:
    vector = UnoVector(5, "official", seed=1, num_players=3)
    assert {name: (getattr(vector, name).shape, getattr(vector, name).dtype) for name in ARRAYS[:7]} == {
        "observations": ((5, 950), np.int8),
        "action_masks": ((5, 91), np.int8),
        "actors": ((5,), np.int8),
        "rewards": ((5, 3), np.float32),
        "dones": ((5,), np.bool_),
        "truncations": ((5,), np.bool_),
        "winners": ((5,), np.int32),
    }


def test_arrays_never_move() -> None:
    vector = UnoVector(3, "mini", seed=1)
    kept = {name: getattr(vector, name) for name in ARRAYS if name != "seeds"}
    places = {name: array.__array_interface__["data"][0] for name, array in kept.items()}
    rng = random.Random(1)
    finished = 0
    for step in range(STEPS):
        vector.step(pick(vector, rng))
        finished += int(vector.dones.sum())
        if step == 30:
            vector.reset(2)
        if step == 40:
            vector.reset_games([1], [5])
        vector.refresh()
    assert finished > 3
    for name, array in kept.items():
        assert getattr(vector, name) is array
        assert array.__array_interface__["data"][0] == places[name]


def test_finished_games_restart_at_once() -> None:
    vector = UnoVector(4, "mini", seed=3)
    rng = random.Random(3)
    finished = 0
    for _ in range(STEPS):
        before = vector.states.copy()
        actions = pick(vector, rng)
        vector.step(actions)
        assert (vector.states["phase"] != Phase.OVER).all()
        assert vector.action_masks.any(axis=1).all()
        assert (vector.actors == vector.states["actor"]).all()
        for i in range(4):
            alone = Game.of_record(before[i : i + 1].copy(), vector.rules)
            alone.push(int(actions[i]))
            assert vector.dones[i] == alone.over
            assert vector.rewards[i].tolist() == alone.rewards().tolist()
            if alone.over:
                finished += 1
                assert alone.outcome is not None
                assert vector.winners[i] == sum(1 << seat for seat in alone.outcome.winners)
                assert vector.states["round"][i] == 1
                assert not vector.states["scores"][i].any()
                engine.restart(alone._states, vector.rules.params, 0)  # the same generator goes on
            else:
                assert vector.winners[i] == 0
            assert vector.states[i : i + 1].tobytes() == alone.to_bytes()
            assert vector.observations[i].tobytes() == alone.observe(alone.actor).tobytes()
            assert vector.action_masks[i].tobytes() == alone.action_mask().tobytes()
    assert finished > 8


def test_a_seed_per_game() -> None:
    vector = UnoVector(4, "research", seed=7)
    assert len(set(vector.seeds.tolist())) == 4
    for i, seed in enumerate(vector.seeds):
        assert Game("research", int(seed)).to_bytes() == vector.states[i : i + 1].tobytes()
    same = UnoVector(4, "research", seed=7)
    assert contents(same) == contents(vector)
    given = UnoVector(4, "research", seed=vector.seeds.tolist())
    assert contents(given) == contents(vector)
    given.reset([1, 2, 3, -1])
    assert given.seeds.tolist() == [1, 2, 3, 2**64 - 1]
    assert given.states[3:4].tobytes() == Game("research", -1).to_bytes()
    given.reset(7)
    assert contents(given) == contents(vector)
    assert UnoVector(4, "research").seeds.tolist() != UnoVector(4, "research").seeds.tolist()
    # Games from one seed do not depend on how many there are.
    assert UnoVector(2, "research", seed=7).seeds.tolist() == vector.seeds[:2].tolist()


@pytest.mark.parametrize("threads", [2, 3, 16])
def test_threads_change_nothing(threads: int) -> None:
    one, many = (UnoVector(7, "party", seed=11, num_threads=count) for count in (1, threads))
    rng = random.Random(11)
    for _ in range(STEPS // 4):
        actions = pick(one, rng)
        one.step(actions)
        many.step(actions)
        assert contents(one) == contents(many)
    many.close()
    many.close()
    actions = pick(one, rng)
    one.step(actions)
    many.step(actions)  # on this thread
    assert contents(one) == contents(many)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_illegal_action_changes_nothing(threads: int) -> None:
    vector = UnoVector(4, "official", seed=5, num_threads=threads)
    rng = random.Random(5)
    for _ in range(10):
        vector.step(pick(vector, rng))
    before, actions = contents(vector), pick(vector, rng)
    for wrong, text in ((int(np.flatnonzero(vector.action_masks[2] == 0)[0]), ""), (91, "no action"), (-1, "no action")):
        bad = actions.copy()
        bad[2] = wrong
        with pytest.raises(IllegalAction, match=rf"game 2: action {wrong} \({text}.* in phase PLAY; legal: "):
            vector.step(bad)
        assert contents(vector) == before
    vector.step(actions)


@pytest.mark.parametrize(
    "actions", [[72], np.full((4, 1), 72), np.full(4, 72.0), np.full(4, True), ["draw"] * 4, np.full(5, 72), 72]
)
def test_actions_of_another_shape_or_type(actions: Any) -> None:
    vector = UnoVector(4, seed=1)
    before = contents(vector)
    with pytest.raises(ValueError, match=r"actions: expected integers \[4\], got "):
        vector.step(actions)
    assert contents(vector) == before


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint64])
def test_actions_of_any_integer_type(dtype: Any) -> None:
    vector, other = UnoVector(4, seed=1), UnoVector(4, seed=1)
    actions = pick(vector, random.Random(1))
    vector.step(actions.astype(dtype))
    other.step(np.repeat(actions, 2)[::2].tolist())
    assert contents(vector) == contents(other)


@pytest.mark.parametrize("reward", ["win", "points", "match"])
def test_matches(reward: Any) -> None:
    rules = Rules.preset("digital", num_players=2, hand_size=2, target=60)
    vector = UnoVector(2, rules, seed=[4, 9], episode="match", reward=reward)
    games = [Game(rules, seed) for seed in (4, 9)]
    rng = random.Random(4)
    rounds = matches = 0
    for _ in range(2000):
        if matches == 2 and rounds > 2:
            break
        actions = pick(vector, rng)
        vector.step(actions)
        for i, game in enumerate(games):
            game.push(int(actions[i]))
            assert vector.rewards[i].tolist() == game.rewards(reward).tolist()
            won = game.match_winners
            assert vector.dones[i] == (won is not None)
            assert not vector.truncations[i]
            assert vector.winners[i] == sum(1 << seat for seat in won or ())
            if won is not None:
                matches += 1
                engine.restart(game._states, rules.params, 0)
            elif game.over:
                rounds += 1
                game.next_round()
            assert vector.states[i : i + 1].tobytes() == game.to_bytes()
    assert (matches, rounds > 2) == (2, True)


def test_truncation() -> None:
    vector = UnoVector(3, {"max_turns": 5}, seed=1)  # type: ignore[arg-type]
    for turn in range(1, 21):
        vector.step(np.full(3, DRAW) if vector.action_masks[:, DRAW].all() else pick(vector, random.Random(turn)))
        assert (vector.truncations <= vector.dones).all()
        assert not vector.rewards[vector.truncations].any()
        assert not vector.winners[vector.truncations].any()
        if vector.truncations.any():
            break
    else:
        pytest.fail("no game was cut off")


def test_reset_games() -> None:
    vector = UnoVector(4, "mini", seed=2)
    rng = random.Random(2)
    while not vector.dones[[1, 2]].any():
        vector.step(pick(vector, rng))
    before = {name: getattr(vector, name).copy() for name in ARRAYS}
    vector.reset_games([2, 1], [30, 20])
    for i, seed in ((1, 20), (2, 30)):
        game = Game("mini", seed)
        assert vector.states[i : i + 1].tobytes() == game.to_bytes()
        assert vector.seeds[i] == seed
        assert vector.observations[i].tobytes() == game.observe(game.actor).tobytes()
        assert vector.action_masks[i].tobytes() == game.action_mask().tobytes()
        assert vector.actors[i] == game.actor
        assert not vector.rewards[i].any()
        assert not vector.dones[i]
        assert not vector.truncations[i]
        assert vector.winners[i] == 0
    for name in ARRAYS:
        for i in (0, 3):
            assert getattr(vector, name)[i : i + 1].tobytes() == before[name][i : i + 1].tobytes()
    vector.reset_games([], [])


@pytest.mark.parametrize(
    ("indices", "seeds", "message"),
    [([0, 1], [5], "two lists of one length"), ([4], [5], "expected 0 to 3"), ([-1], [5], "expected 0 to 3"), (0, 5, "two lists")],
)
def test_reset_games_refuses(indices: Any, seeds: Any, message: str) -> None:
    vector = UnoVector(4, "mini", seed=2)
    before = contents(vector)
    with pytest.raises(ValueError, match=message):
        vector.reset_games(indices, seeds)
    assert contents(vector) == before


def test_refresh_after_a_change_from_outside() -> None:
    vector = UnoVector(2, "official", seed=2)
    game = Game("official", 99)
    game.push(game.legal_actions()[0])
    vector.states[1] = game._states[0]
    vector.refresh()
    assert vector.observations[1].tobytes() == game.observe(game.actor).tobytes()
    assert vector.action_masks[1].tobytes() == game.action_mask().tobytes()
    assert vector.actors[1] == game.actor


def test_rules_are_given_in_any_form(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    Rules.preset("digital", num_players=3).save(path)
    assert UnoVector(1, path, 1).rules == UnoVector(1, str(path), 1).rules == Rules.preset("digital", num_players=3)
    assert UnoVector(1, "digital", 1, num_players=7).num_players == 7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs=0: expected at least 1"),
        ({"num_threads": 0}, "num_threads=0: expected at least 1"),
        ({"episode": "game"}, "episode='game': expected 'round' or 'match'"),
        ({"reward": "money"}, "reward='money': expected one of 'win', 'points', 'match'"),
        ({"reward": "match"}, "reward='match' needs episode='match'"),
        ({"rules": "offcial"}, "neither a preset"),
        ({"seed": [1, 2]}, "2 seeds for 3 games"),
    ],
)
def test_bad_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        UnoVector(**({"num_envs": 3} | options))


@pytest.mark.parametrize("threads", [1, 3])
def test_copies_and_pickles_go_on_identically(threads: int) -> None:
    games = UnoVector(7, "party", seed=5, num_threads=threads)
    twins = [copy.deepcopy(games), pickle.loads(pickle.dumps(games))]
    for _ in range(60):
        actions = games.action_masks.argmax(axis=1)
        games.step(actions)
        for twin in twins:
            twin.step(actions)
            assert twin.states.tobytes() == games.states.tobytes()
            assert not np.shares_memory(twin.observations, games.observations)
    for vector in (games, *twins):
        vector.close()


def test_a_game_of_a_batch_is_an_independent_copy() -> None:
    games = UnoVector(3, "official", seed=1)
    game, before = games.game(1), games.states.tobytes()
    assert game.to_bytes() == games.states[1:2].tobytes()
    game.push(game.legal_actions()[0])
    assert games.states.tobytes() == before
    with pytest.raises(IndexError, match="game 3: expected 0 to 2"):
        games.game(3)


def test_rewards_last_one_step_only() -> None:
    """Every seat's reward is cleared by the next step, also where seat 0 got nothing in the round that ended."""
    games = UnoVector(
        50, Rules.preset("official", deck={"r0": 40, "r1": 10}, num_players=3), seed=2, episode="match", reward="points"
    )
    seen = 0
    for _ in range(300):
        rounds = games.states["round"].copy()
        games.step(games.action_masks.argmax(axis=1))
        same = (games.states["round"] == rounds) & ~games.dones
        assert not games.rewards[same].any()
        seen += int(games.rewards[~same].any(axis=1).sum())
    assert seen


def test_a_restarted_record_holds_no_trace_of_the_game_before() -> None:
    """The bytes of a game depend on its seed and actions alone, whatever its record held before."""
    games = UnoVector(8, "party", seed=3)
    for _ in range(STEPS):
        games.step(pick(games, random.Random(1)))
    games.reset_games(range(8), range(100, 108))
    for i in range(8):
        assert games.states[i : i + 1].tobytes() == Game("party", seed=100 + i).to_bytes()
