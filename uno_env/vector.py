"""`UnoVector`: many games at once, the fast path. Every game always waits for one decision of its current actor."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

import numpy as np

from uno_env import engine, observe
from uno_env.game import Game
from uno_env.jit import fetch_early, lean, scratch
from uno_env.notation import IllegalAction, action_text
from uno_env.rules import Rules
from uno_env.state import NUM_ACTIONS, ROW, STATE, Phase, new_states

OVER = int(Phase.OVER)
AHEAD = 4
"""While a game is played, the one so many places on is fetched into the cache: large batches do not fit it."""
HOT_STATE, HOT_ROW = int((STATE.fields or {})["known"][1]), observe.KNOWN
"""Bytes of a record, and of an observation, that nearly every decision needs."""


@lean
def refresh(states, rules, low, high, observations, masks, actors):
    """Write observation, mask and actor of the decisions due in games ``low`` to ``high - 1``."""
    params = rules[0]
    playable = scratch(ROW, np.int8)
    for i in range(low, high):
        state = states[i]
        engine.fill_mask(state, params, playable, masks[i])
        observe.fill(state, params, np.int64(state.actor), playable, observations[i])
        actors[i] = state.actor


@lean
def find_illegal(masks, actions):
    """The first game whose action is not legal, or -1."""
    for i in range(actions.shape[0]):
        action = actions[i]
        if action < 0 or action >= NUM_ACTIONS or masks[i, action] == 0:
            return i
    return -1


@lean
def advance(
    states,
    rules,
    low,
    high,
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
):
    """Carry out one (legal) action in each of the games ``low`` to ``high - 1``, restart what is over, and refresh the arrays."""
    params = rules[0]
    playable = scratch(ROW, np.int8)
    for i in range(low, high):
        if i + AHEAD < high:
            fetch_early(states, i + AHEAD, HOT_STATE)
            fetch_early(observations, i + AHEAD, HOT_ROW)
            fetch_early(masks, i + AHEAD, NUM_ACTIONS)
        state = states[i]
        rewards[i, :] = 0.0
        if dones[i]:
            dones[i] = False
            truncations[i] = False
            winners[i] = 0
        engine.apply(state, params, actions[i])
        if state.phase == OVER:
            engine.fill_rewards(state, params, scheme, rewards[i])
            if whole_match and engine.match_winners(state, params) < 0:
                engine.deal_next(states, rules, i)
            else:
                dones[i] = True
                truncations[i] = state.termination == 3
                winners[i] = engine.match_winners(state, params) if whole_match else state.winners
                engine.restart(states, rules, i)
        engine.fill_mask(state, params, playable, masks[i])
        observe.fill(state, params, np.int64(state.actor), playable, observations[i])
        actors[i] = state.actor


class UnoVector:
    """``num_envs`` games that advance together, one decision each per `step`.

    The arrays below never move: `step` and `reset` refresh them in place, so copy what must last. A finished game restarts at once;
    its arrays then show the new game's first decision, while ``rewards`` and ``dones`` tell of the one that ended.

    Attributes:
        observations: ``int8[N, OBS_SIZE]``, what each game's actor sees (`uno_env.observe.LAYOUT`).
        action_masks: ``int8[N, 91]``, 1 = legal for the actor.
        actors: ``int8[N]``, the seat that decides.
        rewards: ``float32[N, P]``, per seat, of the last step.
        dones: ``bool[N]``, whether the last step ended the episode.
        truncations: ``bool[N]``, whether it did so by `Rules.max_turns`.
        winners: ``int32[N]``, seats as bits that won the episode that the last step ended, else 0.
        states: the game records, ``STATE[N]``.
        seeds: ``uint64[N]``, the seed of each game: ``Game(rules, seed=int(seeds[i]))`` plays the same cards.
    """

    def __init__(
        self,
        num_envs: int,
        rules: Rules | str | Path = "official",
        seed: int | Sequence[int] | None = None,
        num_threads: int = 1,
        *,
        num_players: int | None = None,
        episode: Literal["round", "match"] = "round",
        reward: Literal["win", "points", "match"] = "win",
    ) -> None:
        """Deal ``num_envs`` games.

        Args:
            num_envs: number of games N.
            rules: a `Rules`, a preset's name or a YAML file's path.
            seed: one seed, from which each game's is derived; or a seed per game; None for fresh ones.
            num_threads: threads that share the work of a step.
            num_players: outranks the number in ``rules``.
            episode: ``"round"``, or ``"match"``: rounds until the match is won.
            reward: see `uno_env.engine.fill_rewards`.

        Raises:
            ValueError: for a value that can not be played with.
        """
        if num_envs < 1:
            raise ValueError(f"num_envs={num_envs}: expected at least 1")
        if num_threads < 1:
            raise ValueError(f"num_threads={num_threads}: expected at least 1")
        if episode not in ("round", "match"):
            raise ValueError(f"episode={episode!r}: expected 'round' or 'match'")
        if reward not in engine.REWARDS:
            raise ValueError(f"reward={reward!r}: expected one of {', '.join(map(repr, engine.REWARDS))}")
        if reward == "match" and episode != "match":
            raise ValueError("reward='match' needs episode='match'")
        self.rules = Rules.of(rules, num_players)
        self.num_envs = num_envs
        self.num_players = self.rules.num_players
        self.episode = episode
        self.reward = reward
        self._scheme = engine.REWARDS.index(reward)
        self.states = new_states(num_envs)
        self.observations = np.zeros((num_envs, observe.OBS_SIZE), np.int8)
        self.action_masks = np.zeros((num_envs, NUM_ACTIONS), np.int8)
        self.actors = np.zeros(num_envs, np.int8)
        self.rewards = np.zeros((num_envs, self.num_players), np.float32)
        self.dones = np.zeros(num_envs, np.bool_)
        self.truncations = np.zeros(num_envs, np.bool_)
        self.winners = np.zeros(num_envs, np.int32)
        threads = min(num_threads, num_envs)
        bounds = np.linspace(0, num_envs, threads + 1).astype(int)
        self._slices = [(int(low), int(high)) for low, high in itertools.pairwise(bounds)]
        self._pool = self._helpers()
        self.reset(seed)

    def reset(self, seed: int | Sequence[int] | None = None) -> None:
        """Start all games afresh, from ``seed`` or from fresh seeds."""
        if seed is None or isinstance(seed, (int, np.integer)):
            self.seeds = np.random.SeedSequence(seed).generate_state(self.num_envs, np.uint64)
        else:
            self.seeds = np.array([int(s) % 2**64 for s in seed], np.uint64)
            if len(self.seeds) != self.num_envs:
                raise ValueError(f"seed: {len(self.seeds)} seeds for {self.num_envs} games")
        self.reset_games(np.arange(self.num_envs), self.seeds)

    def reset_games(self, indices: Any, seeds: Any) -> None:
        """Start the games ``indices`` (integers ``[K]``) afresh from ``seeds`` (``[K]``); their last step counts as not done."""
        indices = np.asarray(indices, np.int64)
        seeds = np.asarray(seeds, np.uint64)
        if indices.shape != seeds.shape or indices.ndim != 1:
            raise ValueError(f"indices {list(indices.shape)} and seeds {list(seeds.shape)}: expected two lists of one length")
        if indices.size and not (0 <= indices.min() and indices.max() < self.num_envs):
            raise ValueError(f"indices: expected 0 to {self.num_envs - 1}")
        self.seeds[indices] = seeds
        self.rewards[indices] = 0
        self.dones[indices] = False
        self.truncations[indices] = False
        self.winners[indices] = 0
        for i, seed in zip(indices, seeds, strict=True):
            engine.reset(self.states, self.rules.params, i, seed)
            refresh(self.states, self.rules.params, i, i + 1, self.observations, self.action_masks, self.actors)

    def refresh(self) -> None:
        """Write observations, masks and actors anew from ``states``, after these were changed from outside."""
        self._run(refresh, self.observations, self.action_masks, self.actors)

    def step(self, actions: Any) -> None:
        """Carry out one action in each game.

        Args:
            actions: integers ``[N]``, each legal in its game.

        Raises:
            IllegalAction: naming the first illegal action and its game; no game has changed.
            ValueError: for another shape or dtype.
        """
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(f"actions: expected integers [{self.num_envs}], got {actions.dtype} {list(actions.shape)}")
        actions = np.ascontiguousarray(actions, np.int64)
        wrong = find_illegal(self.action_masks, actions)
        if wrong >= 0:
            self._refuse(int(wrong), int(actions[wrong]))
        self._run(
            advance,
            actions,
            self.episode == "match",
            self._scheme,
            self.observations,
            self.action_masks,
            self.actors,
            self.rewards,
            self.dones,
            self.truncations,
            self.winners,
        )

    def game(self, index: int) -> Game:
        """An independent copy of one game, with an empty history."""
        if not 0 <= index < self.num_envs:
            raise IndexError(f"game {index}: expected 0 to {self.num_envs - 1}")
        return Game.of_record(self.states[index : index + 1].copy(), self.rules, int(self.seeds[index]))

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_pool": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._pool = self._helpers()

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
            self._slices = [(0, self.num_envs)]

    def _run(self, function: Callable[..., None], *args: Any) -> None:
        """Call a compiled ``function`` over all games, a slice per thread; this thread takes the first."""
        (low, high), *others = self._slices
        jobs = [self._pool.submit(function, self.states, self.rules.params, *ends, *args) for ends in others] if self._pool else ()
        function(self.states, self.rules.params, low, high, *args)
        for job in jobs:
            job.result()

    def _helpers(self) -> ThreadPoolExecutor | None:
        """The other threads."""
        return ThreadPoolExecutor(len(self._slices) - 1, "uno") if len(self._slices) > 1 else None

    def _refuse(self, index: int, action: int) -> None:
        state = self.states[index]
        seat, n, direction = int(state.actor), self.num_players, int(state.direction)
        legal = [action_text(int(a), seat, n, direction) for a in np.flatnonzero(self.action_masks[index])]
        given = action_text(action, seat, n, direction) if 0 <= action < NUM_ACTIONS else "no action"
        raise IllegalAction(
            f"game {index}: action {action} ({given}) in phase {Phase(int(state.phase)).name}; legal: {', '.join(legal)}"
        )
