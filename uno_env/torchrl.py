"""Uno for TorchRL, batched: `UnoTorchEnv` for one learner against opponents, `UnoSelfPlayEnv` where the policy plays every seat.

Both hold a `uno_env.vector.UnoVector` of N games and have the batch size ``[N]``. What a policy sees in both:

| key           | shape and type   | meaning                                                                       |
|---------------|------------------|-------------------------------------------------------------------------------|
| `observation` | ``[N, 950] int8``| what the seat that decides sees (`uno_env.observe.LAYOUT`)                    |
| `action_mask` | ``[N, 91] bool`` | its legal actions; the action spec follows it, so that random actions are legal|
| `seat`        | ``[N, 1] int64`` | the seat that decides                                                         |
| `action`      | ``[N] int64``    | what it does                                                                  |

A game that ends is `done` and `terminated`; one that `uno_env.Rules.max_turns` cuts off is `truncated` as well, and terminated too,
since nobody has won it and nothing follows. After the end there is nothing to see: observation 0, mask all True; steps leave the
game as it is until it is reset, which TorchRL does by itself in rollouts and collectors: the next game is dealt by the generator of
the one that ended. After `set_seed` a `reset` of all games deals what the seed says, whatever was played before.

This module needs torch and torchrl (``pip install 'uno-env[torchrl]'``); nothing else in `uno_env` imports it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np

try:
    import torch
    from tensordict import TensorDict, TensorDictBase  # type: ignore[import-not-found]
    from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded  # type: ignore[import-not-found]
    from torchrl.envs import EnvBase  # type: ignore[import-not-found]
except ModuleNotFoundError as error:
    if error.name is None or error.name.partition(".")[0] not in ("torch", "tensordict", "torchrl"):
        raise
    raise ImportError(f"uno_env.torchrl needs {error.name.partition('.')[0]}: pip install 'uno-env[torchrl]'") from None

from uno_env.aec import observation_space
from uno_env.jit import jit
from uno_env.observe import OBS_SIZE
from uno_env.opponents import Opponents, candidates_of
from uno_env.rules import Rules
from uno_env.single_agent import MAX_DEALS
from uno_env.state import NUM_ACTIONS
from uno_env.vector import UnoVector, advance, find_illegal
from uno_env.view import Agent, View


@jit
def advance_games(
    states, rules, games, actions, whole_match, scheme, observations, masks, actors, rewards, dones, truncations, winners
):
    """`uno_env.vector.advance` in the ``games`` (``int64[K]``) alone; ``actions`` are those of all games, ``int64[N]``."""
    for i in games:
        advance(
            states,
            rules,
            i,
            i + 1,
            actions,
            whole_match,
            scheme,
            observations,
            masks,
            actors,
            rewards,
            dones,
            truncations,
            winners,
        )


class _UnoBatch(EnvBase):
    """What both environments share: the games, the specs of what a policy sees, seeds and resets."""

    def __init__(self, vector: UnoVector, rewards_per_game: int, device: Any) -> None:
        n = vector.num_envs
        super().__init__(device=torch.device("cpu" if device is None else device), batch_size=[n])
        self.vector = vector
        self._over = np.zeros(n, np.bool_)  # games that wait for their reset
        box: Any = observation_space()["observation"]
        low, high = (torch.as_tensor(bound, device=self.device).expand(n, -1) for bound in (box.low, box.high))
        self.observation_spec = Composite(
            observation=Bounded(low, high, (n, OBS_SIZE), self.device, torch.int8),
            action_mask=Binary(NUM_ACTIONS, (n, NUM_ACTIONS), self.device, torch.bool),
            seat=Categorical(vector.num_players, (n, 1), self.device, torch.int64),
            shape=(n,),
        )
        self.action_spec = Categorical(NUM_ACTIONS, (n,), self.device, torch.int64)
        self.reward_spec = Unbounded((n, rewards_per_game), self.device, torch.float32)
        flag = Categorical(2, (n, 1), self.device, torch.bool)
        self.done_spec = Composite(done=flag, terminated=flag.clone(), truncated=flag.clone(), shape=(n,))

    @property
    def rules(self) -> Rules:
        """The rules of the games."""
        return self.vector.rules

    def _set_seed(self, seed: int | None) -> None:
        self._seeds = np.random.default_rng(seed)

    def _deal(self, tensordict: TensorDictBase | None) -> np.ndarray:
        """Put a new game in each place that is to be reset; these places, ``int64[K]``."""
        games = fresh = np.arange(self.vector.num_envs)
        reset = None if tensordict is None else tensordict.get("_reset", None)
        if reset is not None:
            games = np.flatnonzero(reset.reshape(-1).numpy(force=True))
            fresh = games[~self._over[games]]  # where a game is over `UnoVector` has dealt the next one
        if fresh.size:
            self.vector.reset_games(fresh, self._seeds.integers(0, 2**64, fresh.size, np.uint64))
        self._over[games] = False
        return games

    def _due(self, tensordict: TensorDictBase) -> np.ndarray:
        """The games that go on with this step, ``int64[K]``: not over, and not left out by TorchRL's `_step`."""
        step = tensordict.get("_step", None)
        going = ~self._over
        return np.flatnonzero(going if step is None else going & step.reshape(-1).numpy(force=True))

    def _advance(self, games: np.ndarray, actions: np.ndarray) -> None:
        """Carry out ``actions`` (``int64[N]``) in the ``games`` (``int64[K]``) alone; `IllegalAction` changes nothing."""
        vector = self.vector
        if games.size == vector.num_envs:
            vector.step(actions)
            return
        chosen = np.full(vector.num_envs, -1)
        chosen[games] = actions[games]
        wrong = find_illegal(vector.action_masks[games], chosen[games])
        if wrong >= 0:
            vector._refuse(int(games[wrong]), int(chosen[games[wrong]]))
        advance_games(
            vector.states,
            vector.rules.params,
            games,
            chosen,
            vector.episode == "match",
            vector._scheme,
            vector.observations,
            vector.action_masks,
            vector.actors,
            vector.rewards,
            vector.dones,
            vector.truncations,
            vector.winners,
        )

    def _seen(self, seats: np.ndarray, **more: torch.Tensor) -> TensorDict:
        """What a policy sees now, deciding for ``seats`` (integers ``[N]``), and ``more`` to tell."""
        vector, over = self.vector, self._over[:, None]
        mask = torch.as_tensor((vector.action_masks != 0) | over, device=self.device)
        self.action_spec.update_mask(mask)
        seen = {
            "observation": torch.tensor(np.where(over, np.int8(0), vector.observations), device=self.device),
            "action_mask": mask,
            "seat": torch.tensor(seats[:, None], dtype=torch.int64, device=self.device),
            "done": torch.tensor(over, device=self.device),
            "terminated": torch.tensor(over, device=self.device),
            "truncated": torch.tensor(over & vector.truncations[:, None], device=self.device),
        }
        return TensorDict(seen | more, self.batch_size, device=self.device)


# The policy plays every seat --------------------------------------------------------------------------------------------


class UnoSelfPlayEnv(_UnoBatch):
    """N games in which the policy decides for whichever seat is to decide; see the module for what it sees.

    ``("next", "reward")`` is ``float32[N, P]``: what each seat has won or lost with this step. Most of it comes with decisions of
    other seats, so that an algorithm for one learner can not use it as it is: `by_seat` makes of a rollout what such an algorithm
    wants.
    """

    def __init__(
        self,
        num_envs: int,
        *,
        rules: Rules | str | Path = "research",
        num_players: int | None = None,
        episode: Literal["round", "match"] = "round",
        reward: Literal["win", "points", "match"] = "win",
        num_threads: int = 1,
        seed: int | None = None,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the games.

        Args:
            num_envs: number of games N.
            rules: a `Rules`, a preset's name or a YAML file's path.
            num_players: outranks the number in ``rules``.
            episode: ``"round"``, or ``"match"``: rounds until the match is won.
            reward: see `uno_env.engine.fill_rewards`.
            num_threads: threads that share the work of a step.
            seed: as with `set_seed`; None for a fresh one.
            device: where the tensors are; the games are played on the CPU.

        Raises:
            ValueError: for a value that can not be played with.
        """
        vector = UnoVector(num_envs, rules, 0, num_threads, num_players=num_players, episode=episode, reward=reward)
        super().__init__(vector, vector.num_players, device)
        self._set_seed(seed)

    def _reset(self, tensordict: TensorDictBase | None = None, **_: Any) -> TensorDictBase:
        self._deal(tensordict)
        return self._seen(self.vector.actors)

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        vector, games = self.vector, self._due(tensordict)
        self._advance(games, tensordict["action"].numpy(force=True))
        reward = np.zeros_like(vector.rewards)
        reward[games] = vector.rewards[games]
        self._over[games] = vector.dones[games]
        return self._seen(vector.actors, reward=torch.as_tensor(reward, device=self.device))


def by_seat(rollout: TensorDictBase) -> TensorDictBase:
    """A rollout of `UnoSelfPlayEnv`, sorted into what each seat lived through: the transitions of one learner, ready for training.

    Each decision's ``next`` becomes the next decision of the *same seat* in its game, with the reward ``[M, 1]`` that this seat has
    earned in between; where the game ended before, it is done. The decisions of a seat in a game stand in a row, one seat after
    another, so that the batch of M is one long time axis: it goes into a replay buffer as it is, and through
    `torchrl.objectives.value.GAE` as well. Where the rollout ends before the game, a seat's last decision has no known
    sequel: it is left out, and the one before it is `done` and `truncated`, to be bootstrapped from its ``next``.

    Args:
        rollout: batch size ``[N, T]``, from a `rollout` or a collector.

    Returns:
        A new tensordict, batch size ``[M]``, with all keys of the decisions; under ``next`` `observation`, `action_mask`, `seat`,
        `reward`, `done`, `terminated` and `truncated`.
    """
    n, length = rollout.batch_size
    seats = rollout["seat"].reshape(n, length).cpu()
    done, cut = (rollout["next", key].reshape(n, length).cpu() for key in ("done", "truncated"))
    rewards = rollout["next", "reward"].cpu()
    players = rewards.shape[-1]

    # Backwards through time, for each game and seat: what it has earned since its decision, whether the game ended, how, and when
    # it decides next (-1: not in this rollout).
    rows = torch.arange(n)
    earned = torch.zeros(n, players)
    ended, ended_by_cut = (torch.zeros(n, players, dtype=torch.bool) for _ in range(2))
    later = torch.full((n, players), -1)
    reward = torch.zeros(n, length)
    over, truncated = (torch.zeros(n, length, dtype=torch.bool) for _ in range(2))
    sequel = torch.full((n, length), -1)
    for t in reversed(range(length)):
        over_now = done[:, t, None]
        earned = torch.where(over_now, 0.0, earned) + rewards[:, t]
        ended |= over_now
        ended_by_cut = torch.where(over_now, cut[:, t, None], ended_by_cut)
        later = torch.where(over_now, -1, later)
        seat = seats[:, t]
        reward[:, t], over[:, t], sequel[:, t] = earned[rows, seat], ended[rows, seat], later[rows, seat]
        truncated[:, t] = ended_by_cut[rows, seat]
        earned[rows, seat], ended[rows, seat], ended_by_cut[rows, seat], later[rows, seat] = 0.0, False, False, t

    game, time = torch.meshgrid(rows, torch.arange(length), indexing="ij")
    known = (over | (sequel >= 0)).flatten()
    order = torch.argsort((game * players + seats).flatten(), stable=True)
    order = order[known[order]]
    after = (game * length + torch.where(sequel >= 0, sequel, time)).flatten()[order]
    over, truncated, reward = over.flatten()[order], truncated.flatten()[order], reward.flatten()[order]
    # The next decision was left out: the row of transitions breaks off here.
    broken = ~over & ~known[after]

    flat = rollout.reshape(-1)
    order, after = order.to(flat.device or "cpu"), after.to(flat.device or "cpu")
    result = flat.exclude("next")[order]
    following = flat.select("observation", "action_mask", "seat")[after]
    gone = over[:, None].to(following.device or "cpu")
    following["observation"] = following["observation"].masked_fill(gone, 0)
    following["action_mask"] = following["action_mask"] | gone
    for key, flags in (("done", over | broken), ("terminated", over), ("truncated", truncated | broken)):
        following[key] = flags[:, None].to(following.device or "cpu")
    following["reward"] = reward[:, None].to(following.device or "cpu")
    result["next"] = following
    return result


# One learner against opponents ------------------------------------------------------------------------------------------


class UnoTorchEnv(_UnoBatch):
    """N games of one learner against opponents; see the module for what the learner sees.

    Every step answers one decision of the learner in each game, and comes back with its next one, or with the end.
    ``("next", "reward")`` is ``float32[N, 1]``, the learner's. Opponents are asked for all games at once; they are given copies of
    observation and mask, or a `View`. A game that ends before the learner has decided anything is dealt again.

    Attributes:
        seats: ``int64[N]``, where the learner sits.
    """

    def __init__(
        self,
        num_envs: int,
        *,
        rules: Rules | str | Path = "research",
        num_players: int | None = None,
        opponents: Opponents = None,
        seat: int | Literal["random", "rotate"] = 0,
        episode: Literal["round", "match"] = "round",
        reward: Literal["win", "points", "match"] = "win",
        seed: int | None = None,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the games.

        Args:
            num_envs: number of games N.
            rules: a `Rules`, a preset's name or a YAML file's path.
            num_players: outranks the number in ``rules``.
            opponents: who plays the other seats, in the forms that `uno_env.single_agent` tells of.
            seat: where the learner sits: a number, ``"random"`` (drawn for every game) or ``"rotate"`` (game i begins with seat
                ``i % num_players`` and goes on with the next one at every deal).
            episode: ``"round"``, or ``"match"``: rounds until the match is won.
            reward: see `uno_env.engine.fill_rewards`.
            seed: as with `set_seed`; None for a fresh one.
            device: where the tensors are; the games are played on the CPU.

        Raises:
            ValueError: for a value that can not be played with.
        """
        vector = UnoVector(num_envs, rules, 0, num_players=num_players, episode=episode, reward=reward)
        n = vector.num_players
        if seat not in ("random", "rotate") and (isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < n):
            raise ValueError(f"seat={seat!r}: expected 0 to {n - 1}, 'random' or 'rotate'")
        super().__init__(vector, 1, device)
        places = candidates_of(opponents, vector.rules)
        #: All opponents, and for each place at the learner's left who may sit there, as numbers into the former.
        self._opponents: list[Agent] = list({id(agent): agent for place in places for agent in place}.values())
        numbers = {id(agent): number for number, agent in enumerate(self._opponents)}
        self._choices = [np.array([numbers[id(agent)] for agent in place]) for place in places]
        self._seating = seat
        self.seats = np.zeros(num_envs, np.int64)
        self._table = np.zeros((num_envs, n), np.int64)  # the opponent in each seat, the learner's left out
        self._carried = np.zeros(num_envs, np.float32)  # rewards of rounds that ended before the learner's first decision
        self._set_seed(seed)

    def _set_seed(self, seed: int | None) -> None:
        own, seating, *others = np.random.SeedSequence(seed).spawn(2 + len(self._opponents))
        super()._set_seed(own)  # type: ignore[arg-type]
        self._draws = np.random.default_rng(seating)
        self._generators = [np.random.default_rng(sequence) for sequence in others]
        self._next_seat = np.arange(self.vector.num_envs) % self.vector.num_players

    def _seat_players(self, games: np.ndarray) -> None:
        n = self.vector.num_players
        if self._seating == "random":
            self.seats[games] = self._draws.integers(n, size=games.size)
        elif self._seating == "rotate":
            self.seats[games] = self._next_seat[games]
            self._next_seat[games] = (self._next_seat[games] + 1) % n
        else:
            self.seats[games] = self._seating
        for place, choice in enumerate(self._choices, 1):
            drawn = choice[self._draws.integers(choice.size, size=games.size)]
            self._table[games, (self.seats[games] + place) % n] = drawn

    def _reset(self, tensordict: TensorDictBase | None = None, **_: Any) -> TensorDictBase:
        games = self._deal(tensordict)
        self._seat_players(games)
        for _deals in range(MAX_DEALS):
            self._carried[games] = self._play_on(games)[games]
            games = games[self._over[games]]
            if not games.size:
                return self._seen(self.seats)
            self._over[games] = False
        raise ValueError(f"{MAX_DEALS} games in a row ended before the learner at seat {self.seats[games[0]]} decided anything")

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        vector, games = self.vector, self._due(tensordict)
        self._advance(games, tensordict["action"].numpy(force=True))
        self._over[games] = vector.dones[games]
        reward = np.zeros(vector.num_envs, np.float32)
        reward[games] = self._carried[games] + vector.rewards[games, self.seats[games]]
        self._carried[games] = 0
        reward += self._play_on(games[~self._over[games]])
        return self._seen(self.seats, reward=torch.as_tensor(reward[:, None], device=self.device))

    def _play_on(self, games: np.ndarray) -> np.ndarray:
        """Let opponents decide in ``games`` until the learner is to decide or the game is over; its rewards, ``float32[N]``."""
        vector = self.vector
        earned = np.zeros(vector.num_envs, np.float32)
        while (games := games[vector.actors[games] != self.seats[games]]).size:
            self._advance(games, self._ask(games))
            earned[games] += vector.rewards[games, self.seats[games]]
            self._over[games] = vector.dones[games]
            games = games[~self._over[games]]
        return earned

    def _ask(self, games: np.ndarray) -> np.ndarray:
        """The actions, ``int64[N]``, of the opponents who are to decide in ``games``."""
        vector = self.vector
        actions = np.full(vector.num_envs, -1)
        who = self._table[games, vector.actors[games]]
        for number in np.unique(who).tolist():
            agent: Any = self._opponents[number]
            rng = self._generators[number]
            mine = games[who == number]
            if hasattr(agent, "act_batch"):
                actions[mine] = agent.act_batch(vector.observations[mine], vector.action_masks[mine], rng)
            else:
                actions[mine] = [agent.act(View(vector.game(game), rng)) for game in mine.tolist()]
        return actions
