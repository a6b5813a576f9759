"""TorchRL: its PettingZoo wrapper, and `uno_env.torchrl`, batched environments over the compiled engine."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np
import pytest
import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torchrl.envs import PettingZooWrapper, SerialEnv
from torchrl.envs.utils import MarlGroupMapType, check_env_specs
from torchrl.modules import MaskedCategorical, ProbabilisticActor
from torchrl.objectives.value import GAE

import agents
from tests.integrations.pages import run_blocks
from uno_env import IllegalAction, Rules, UnoVector, uno_v0
from uno_env.torchrl import UnoSelfPlayEnv, UnoTorchEnv, by_seat

pytestmark = pytest.mark.filterwarnings(
    "ignore:The env passed to Collector is missing transforms:FutureWarning",  # told of every policy; harmless for this one
    "ignore:PettingZoo in TorchRL is tested using version:UserWarning",
    "ignore:The PyTorch API of nested tensors is in prototype stage:UserWarning",
)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)


def uniform(tensordict: TensorDict) -> TensorDict:
    """A policy: a uniformly chosen legal action."""
    mask = tensordict["action_mask"]
    tensordict["action"] = torch.multinomial(mask.flatten(0, -2).float(), 1).reshape(mask.shape[:-1])
    return tensordict


def chosen_are_legal(rollout: TensorDict) -> bool:
    return bool(rollout["action_mask"].gather(-1, rollout["action"].unsqueeze(-1)).all())


# PettingZooWrapper ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 4])
def test_wrapper_follows_its_specs(num_players: int) -> None:
    check_env_specs(PettingZooWrapper(uno_v0.env("research", num_players), use_mask=True))


def test_wrapper_masked_rollout_is_legal() -> None:
    """A masked categorical for every player, in one group: whole games, and whoever acted chose what its mask allows."""
    env = PettingZooWrapper(
        uno_v0.raw_env("digital", 3), use_mask=True, group_map=MarlGroupMapType.ALL_IN_ONE_GROUP, seed=1, categorical_actions=True
    )
    logits = TensorDictModule(lambda mask: torch.zeros(mask.shape), [("agents", "action_mask")], [("agents", "logits")])
    policy = ProbabilisticActor(
        logits,
        in_keys={"logits": ("agents", "logits"), "mask": ("agents", "action_mask")},
        out_keys=[("agents", "action")],
        distribution_class=MaskedCategorical,
    )
    finished = 0
    for _ in range(2):
        rollout = env.rollout(1000, policy)
        players = rollout["agents"]
        assert (players["mask"].sum(-1) == 1).all()
        assert players["action_mask"].gather(-1, players["action"].unsqueeze(-1))[players["mask"]].all()
        if rollout["next", "done"][-1].item():
            finished += 1
            assert players["mask"].any(0).all(), "everybody has played"
            assert sorted(rollout["next", "agents", "reward"][-1].flatten().tolist()) == [-0.5, -0.5, 1.0]
    assert finished


# The native environments ----------------------------------------------------------------------------------------------


def native() -> list[Any]:
    return [
        UnoSelfPlayEnv(6, num_players=3, seed=1),
        UnoSelfPlayEnv(1, rules="party", episode="match", reward="points", seed=1, num_threads=2),
        UnoTorchEnv(6, num_players=3, opponents=[None, "rule"], seat="rotate", seed=1),
        UnoTorchEnv(3, rules="mini", opponents={"pool": ["random", "rule"]}, seat="random", seed=1),
    ]


@pytest.mark.parametrize("env", native(), ids=lambda env: type(env).__name__)
def test_specs_seeds_and_resets(env: Any) -> None:
    check_env_specs(env)
    rollouts = []
    for _ in range(2):
        env.set_seed(7)
        torch.manual_seed(0)
        rollouts.append(env.rollout(150, break_when_any_done=False))  # without a policy: the action spec is masked
        assert chosen_are_legal(rollouts[-1])
    first, second = rollouts
    assert all(torch.equal(first[key], second[key]) for key in first.keys(True, True))
    env.set_seed(8)
    assert not torch.equal(env.reset()["observation"], first["observation"][:, 0])
    for game, done in enumerate(first["next", "done"][..., 0]):
        for t in np.flatnonzero(done[:-1]).tolist():
            assert first["next", "terminated"][game, t].item()
            assert not first["next", "observation"][game, t].any()
            assert first["next", "action_mask"][game, t].all()
            assert first["observation"][game, t + 1].any(), "the next game has begun"
            assert not first["done"][game, t + 1].item()


def test_self_play_is_uno_vector() -> None:
    """The same games, decision by decision, as the batch it stands on."""
    env = UnoSelfPlayEnv(5, rules="research", num_players=4, seed=3)
    rollout = env.rollout(300, uniform, break_when_any_done=False)
    env.set_seed(3)
    env.reset()
    vector = UnoVector(5, "research", env.vector.seeds, num_players=4)
    for t in range(300):
        now = rollout[:, t]
        assert torch.equal(now["observation"], torch.as_tensor(vector.observations))
        assert torch.equal(now["action_mask"], torch.as_tensor(vector.action_masks) == 1)
        assert now["seat"].flatten().tolist() == vector.actors.tolist()
        vector.step(now["action"].numpy())
        assert torch.equal(now["next", "reward"], torch.as_tensor(vector.rewards))
        assert now["next", "done"].flatten().tolist() == vector.dones.tolist()


@pytest.mark.parametrize("seat", [0, 2, "rotate"])
def test_learner_sees_its_own_decisions(seat: int | str) -> None:
    """The seat that observes has the turn or another decision of its own, and a game pays +1 or -1/2 once, at its end."""
    env = UnoTorchEnv(8, rules="digital", num_players=3, opponents="random", seat=seat, seed=2)
    rollout = env.rollout(250, uniform, break_when_any_done=False)
    reward, done = rollout["next", "reward"], rollout["next", "done"]
    assert set(reward[done].tolist()) <= {1.0, -0.5}
    assert done.sum() > 20
    assert not reward[~done].any()
    if seat == "rotate":
        assert rollout["seat"][:, 0].flatten().tolist() == [0, 1, 2, 0, 1, 2, 0, 1]
        assert set(rollout["seat"].flatten().tolist()) == {0, 1, 2}
    else:
        assert (rollout["seat"] == seat).all()


class First:
    """An opponent with `act` alone."""

    def act(self, view: Any) -> int:
        return int(np.flatnonzero(view.action_mask)[0])


def test_opponents() -> None:
    env = UnoTorchEnv(2, rules="digital", num_players=2, opponents=First(), seed=0)
    assert chosen_are_legal(env.rollout(60, uniform, break_when_any_done=False))
    with pytest.raises(ValueError, match="1 players for 2 other seats"):
        UnoTorchEnv(2, num_players=3, opponents=["random"])
    with pytest.raises(ValueError, match=r"seat=3: expected 0 to 2, 'random' or 'rotate'"):
        UnoTorchEnv(2, num_players=3, seat=3)


def test_cut_off_games() -> None:
    env = UnoSelfPlayEnv(4, rules=Rules.preset("digital", num_players=2, max_turns=6), seed=0)
    rollout = env.rollout(60, uniform, break_when_any_done=False)
    done, truncated = rollout["next", "done"], rollout["next", "truncated"]
    assert truncated.sum() > 4
    assert torch.equal(done, rollout["next", "terminated"])
    assert (done | ~truncated).all()
    assert not rollout["next", "reward"][truncated.squeeze(-1)].any()


@pytest.mark.parametrize("make", [UnoSelfPlayEnv, UnoTorchEnv])
def test_illegal_actions_change_nothing(make: type) -> None:
    env = make(3, rules="digital", num_players=2, seed=0)
    start = env.reset()
    state = env.vector.states.tobytes()
    start["action"] = (~start["action_mask"]).int().argmax(-1)
    with pytest.raises(IllegalAction, match="game 0: action"):
        env.step(start)
    assert env.vector.states.tobytes() == state


@pytest.mark.parametrize("make", [UnoSelfPlayEnv, UnoTorchEnv])
def test_games_that_are_over_wait(make: type) -> None:
    """Without resets every game is played to its end and then stays there."""
    env = make(6, rules=Rules.preset("digital", num_players=2, voluntary_draw=False), seed=1)
    rollout = env.rollout(2000, uniform, break_when_any_done=False, break_when_all_done=True)
    done = rollout["next", "done"].squeeze(-1)
    assert done[:, -1].all()
    assert (done.int().diff() >= 0).all()
    assert not done[:, 0].any()
    assert ((rollout["next", "reward"] != 0).any(-1) == done).all()
    state = env.vector.states.tobytes()
    still = env.step(uniform(rollout[:, -1]["next"].clone()))["next"]
    assert still["done"].all()
    assert not still["reward"].any()
    assert env.vector.states.tobytes() == state


def test_partial_reset() -> None:
    env = UnoSelfPlayEnv(3, rules="digital", num_players=2, seed=0)
    before = env.rollout(5, uniform)[:, -1]["next"].clone()
    seen = before["observation"].clone()
    before["_reset"] = torch.tensor([[True], [False], [False]])
    after = env.reset(before)
    assert torch.equal(after["observation"][1:], seen[1:])
    assert not torch.equal(after["observation"][0], seen[0])


@pytest.mark.parametrize("make", [UnoSelfPlayEnv, UnoTorchEnv])
def test_partial_steps(make: type) -> None:
    """TorchRL's `_step` says which games are to go on."""
    env = make(3, rules="digital", num_players=2, seed=0)
    now = uniform(env.reset())
    before = env.vector.states.copy()
    now["_step"] = torch.tensor([True, False, False])
    env.step(now)
    assert (env.vector.states != before).tolist() == [True, False, False]


def test_copies_and_workers() -> None:
    env = UnoTorchEnv(3, rules="digital", num_players=2, opponents="random", seed=0)
    for copied in (copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))):
        one = env.rollout(20, uniform, break_when_any_done=False)[:, -1]["next"].clone()
        twin, two = copied(env), one.clone()
        for _ in range(10):
            one, two = env.maybe_reset(one), twin.maybe_reset(two)
            one["action"] = two["action"] = one["action_mask"].int().argmax(-1)
            one, two = env.step(one)["next"].clone(), twin.step(two)["next"].clone()
            assert torch.equal(one["observation"], two["observation"])
    both = SerialEnv(2, lambda: UnoSelfPlayEnv(3, rules="digital", num_players=2, seed=0))
    assert both.rollout(10, uniform, break_when_any_done=False).batch_size == (2, 3, 10)


# by_seat --------------------------------------------------------------------------------------------------------------


def chains(rollout: TensorDict) -> list[list[tuple[int, float, bool, int | None]]]:
    """By the definition, one game and seat at a time: each decision's time, reward, whether it is the game's last, and the next."""
    found = []
    games, length = rollout.batch_size
    players = rollout["next", "reward"].shape[-1]
    for game in range(games):
        seats, done = rollout["seat"][game, :, 0].tolist(), rollout["next", "done"][game, :, 0].tolist()
        rewards = rollout["next", "reward"][game].tolist()
        for seat in range(players):
            chain = []
            mine = [t for t in range(length) if seats[t] == seat]
            for t, after in pairwise([*mine, None]):
                end = next((u for u in range(t, length if after is None else after) if done[u]), None)
                if end is None and after is None:
                    continue  # its sequel is not in the rollout
                until = after if end is None else end + 1
                chain.append(
                    (t, sum(rewards[u][seat] for u in range(t, until)), end is not None, None if end is not None else after)
                )
            found.append(chain)
    return found


@pytest.mark.parametrize(("num_players", "length"), [(2, 200), (3, 157)])
def test_by_seat(num_players: int, length: int) -> None:
    rollout = UnoSelfPlayEnv(4, rules="mini" if num_players == 2 else "digital", num_players=num_players, seed=4).rollout(
        length, uniform, break_when_any_done=False
    )
    rollout["place"] = torch.arange(4 * length).reshape(4, length)
    batch = by_seat(rollout)
    row = 0
    for number, chain in enumerate(chains(rollout)):
        game = number // num_players
        for place, (t, reward, over, after) in enumerate(chain):
            decision = batch[row]
            assert decision["place"].item() == game * length + t
            assert decision["next", "reward"].item() == pytest.approx(reward)
            assert decision["next", "terminated"].item() == over
            broken = not over and place == len(chain) - 1
            assert decision["next", "done"].item() == (over or broken)
            assert decision["next", "truncated"].item() == broken
            if over:
                assert not decision["next", "observation"].any()
            else:
                assert torch.equal(decision["next", "observation"], rollout["observation"][game, after])
                assert decision["next", "seat"].item() == decision["seat"].item()
            row += 1
    assert row == len(batch) > 3 * length
    # With lambda and gamma 1 and values 0 the advantage is what the seat earns in the end.
    batch["state_value"] = torch.zeros(len(batch), 1)
    batch["next", "state_value"] = torch.zeros(len(batch), 1)
    advantage = GAE(gamma=1.0, lmbda=1.0, value_network=None, average_gae=False)(batch)["advantage"].flatten()
    future, expected = 0.0, []
    for reward, done in zip(
        batch["next", "reward"].flatten().tolist()[::-1], batch["next", "done"].flatten().tolist()[::-1], strict=True
    ):
        future = reward + (0.0 if done else future)
        expected.append(future)
    assert advantage.tolist() == pytest.approx(expected[::-1], abs=1e-5)


# The page, speed, and what is missing ---------------------------------------------------------------------------------


def test_page_trains() -> None:
    """Masked PPO against `random`: from about 8% (voluntary draws) to more than 20%, and self-play goes on with the same loss."""
    names = run_blocks("torchrl")
    wins = names["wins"]
    assert np.mean(wins[:3]) < 0.15
    assert np.mean(wins[-3:]) > np.mean(wins[:3]) + 0.12
    assert all(torch.isfinite(weights).all() for weights in names["loss"].parameters())


def test_native_is_much_faster_than_the_wrapper(capsys: pytest.CaptureFixture[str]) -> None:
    wrapped = PettingZooWrapper(uno_v0.env("digital", 4), use_mask=True, seed=0)
    batched = UnoSelfPlayEnv(256, rules="digital", num_players=4, seed=0)
    speeds = []
    for env, steps, games in ((wrapped, 100, 1), (batched, 50, 256)):
        env.rollout(3)
        start = perf_counter()
        env.rollout(steps, break_when_any_done=False)
        speeds.append(steps * games / (perf_counter() - start))
    with capsys.disabled():
        print(f"\nsteps/s: wrapper {speeds[0]:.0f}, native {speeds[1]:.0f}, ratio {speeds[1] / speeds[0]:.0f}")
    assert speeds[1] > 20 * speeds[0]


def test_missing_torchrl_is_named() -> None:
    code = "import sys; sys.modules['torchrl'] = None; import uno_env; print('imported'); import uno_env.torchrl"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "imported"
    assert "ImportError: uno_env.torchrl needs torchrl: pip install 'uno-env[torchrl]'" in done.stderr


def test_opponents_by_name_are_those_of_the_checkout() -> None:
    assert repr(agents.load("random")) == repr(UnoTorchEnv(1, opponents="random")._opponents[0])
