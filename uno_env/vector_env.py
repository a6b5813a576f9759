"""`UnoVectorEnv`: many games for one learner each, as a Gymnasium vector environment over the batch engine.

``gymnasium.make_vec("uno_env:Uno-v0", num_envs=64)`` makes one.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from uno_env import engine, observe
from uno_env.aec import CUT_OFF, EPISODE_ENDED, UnoAEC, as_picture, as_text, carry_out, follow, observation_space
from uno_env.game import Game
from uno_env.jit import jit
from uno_env.opponents import Opponents, Seat, Seating
from uno_env.render import raster, table
from uno_env.rules import Rules
from uno_env.single_agent import MAX_DEALS
from uno_env.state import NUM_ACTIONS, new_states
from uno_env.vector import UnoVector, refresh
from uno_env.view import Agent

RENDER_MODES = ("rgb_array", "ansi")


@jit
def act_in(states, rules, games, actions, scheme, whole_match, seats, observations, masks, actors, earned, flags):
    """Carry out a legal action in each of ``games`` (``int64[K]``): what is over stays as it ended, the others are looked at.

    Adds what the learners at ``seats`` (``int64[N]``) gain to ``earned`` (``float64[N]``); writes `carry_out`'s ``flags``.
    Returns -1, or, having changed nothing, the place j of the first action that is not legal.
    """
    for j in range(games.shape[0]):
        action = actions[j]
        if action < 0 or action >= NUM_ACTIONS or masks[games[j], action] == 0:
            return j
    rewards = np.zeros(rules[0].num_players, np.float32)
    for j in range(games.shape[0]):
        i = games[j]
        rewards[:] = 0.0
        flags[i] = carry_out(states, rules, i, actions[j], scheme, whole_match, rewards)
        earned[i] += rewards[seats[i]]
        if flags[i] & EPISODE_ENDED == 0:
            refresh(states, rules, i, i + 1, observations, masks, actors)
    return -1


@jit
def deal_again(states, rules, games, observations, masks, actors):
    """Start new games in the places ``games`` (``int64[K]``), with their generators as they stand."""
    for i in games:
        engine.restart(states, rules, i)
        refresh(states, rules, i, i + 1, observations, masks, actors)


@jit
def look_at_end(states, rules, games, seats, observations, masks):
    """Write what the learners see of ``games`` (``int64[K]``) in which nobody decides any more."""
    for i in games:
        observe.observation(states, rules, i, seats[i], observations[i])
        masks[i, :] = 0


class UnoVectorEnv(gymnasium.vector.VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """``num_envs`` games that advance together, one decision of each learner per `step`.

    With equal arguments and seeds it does, bit for bit, what ``SyncVectorEnv`` does with as many `UnoEnv`: observations, rewards,
    ends, infos, and what opponents choose. There are two exceptions among opponents, which still play alike and repeat with the
    same seeds: agents that draw random numbers in ``act_batch`` and have no ``decide`` (`uno_env.opponents.Seating`), and neural
    networks, whose sums are rounded otherwise in batches of another size, so that one decision in a great many may differ.

    Agents with ``decide`` or ``act_batch`` are asked for all games that wait for them at once. One that has only ``act(view)`` is
    asked game by game, which is slow.

    What is returned is fresh: nothing changes later. Copies (``copy.deepcopy``, ``pickle``) go on identically.

    Attributes:
        rules: the rules of the games.
        illegal_action: what an illegal action does, as in `UnoEnv`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        rules: Rules | str | Path | Mapping[str, Any] = "research",
        num_players: int | None = None,
        opponents: Opponents = None,
        seat: Seat = 0,
        episode: Literal["round", "match"] = "round",
        reward: Literal["win", "points", "match"] = "win",
        illegal_action: Literal["end", "raise"] = "end",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: Literal["rgb_array", "ansi"] | None = None,
        viewpoint: Literal["learner", "all"] = "learner",
        render_width: int = table.WIDTH,
        ansi_colour: bool | None = False,
    ) -> None:
        """Make the environment; `reset` deals.

        Args:
            num_envs: number of games N.
            rules: this and what is not told of here means what it means in `uno_env.single_agent`.
            num_players: see there.
            opponents: see there.
            seat: see there.
            episode: see there.
            reward: see there.
            illegal_action: with ``"raise"`` an illegal action in any game raises, and no game has changed.
            autoreset_mode: what follows an end (https://farama.org/Vector-Autoreset-Mode): ``NEXT_STEP``: the next step ignores the
                game's action and resets it; ``SAME_STEP``: it is reset at once, and ``final_obs`` and ``final_info`` tell of the
                end; ``DISABLED``: it waits for ``reset(options={"reset_mask": ended})``, ``bool[N]``.
            render_mode: ``"rgb_array"`` or ``"ansi"``: `render` gives one picture or text for each game. It costs speed.
            viewpoint: see there.
            render_width: see there.
            ansi_colour: see there.

        Raises:
            ValueError: for a value that can not be played with.
            ImportError: for an opponent's name outside the checkout, or where pictures are asked for without pygame-ce.
        """
        if illegal_action not in ("end", "raise"):
            raise ValueError(f"illegal_action={illegal_action!r}: expected 'end' or 'raise'")
        if viewpoint not in ("learner", "all"):
            raise ValueError(f"viewpoint={viewpoint!r}: expected 'learner' or 'all'")
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode={render_mode!r}: expected None, {' or '.join(map(repr, RENDER_MODES))}")
        if render_mode == "rgb_array":
            raster.load_pygame()
        self.rules = Rules.of(rules, num_players)
        self._seating = Seating(num_envs, self.rules, opponents, seat)
        self._vector = UnoVector(num_envs, self.rules, episode=episode, reward=reward)
        self.num_envs = num_envs
        self.illegal_action = illegal_action
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.render_mode = render_mode
        self.viewpoint = viewpoint
        self.render_width = render_width
        self.ansi_colour = ansi_colour
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "render_fps": UnoAEC.metadata["render_fps"],
            "autoreset_mode": self.autoreset_mode,
        }
        self.single_observation_space = observation_space()["observation"]
        self.single_action_space = gymnasium.spaces.Discrete(NUM_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

        self._earned = np.zeros(num_envs)  # by the learner since its last decision
        self._flags = np.zeros(num_envs, np.int64)
        self._dealt = np.zeros(num_envs, np.bool_)
        self._over = np.zeros(num_envs, np.bool_)
        self._shown: dict[int, Game] | None = None if render_mode is None else {}  # games that play along

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy's records have the very dtype object that numba knows, which it finds sooner than an equal one."""
        self.__dict__.update(state)
        copied = self._vector.states
        self._vector.states = new_states(self.num_envs)
        self._vector.states[:] = copied

    # Gymnasium --------------------------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal new games and play on to each learner's first decision.

        Args:
            seed: integers from 0, or None to go on with a game's generators: one for each game, or one number ``s`` for the seeds
                ``s, s + 1, ...``. Each means what it means to `UnoEnv`.
            options: ``{"reset_mask": bool[N]}``: only these games are dealt anew. Others are none.

        Returns:
            Observations ``int8[N, OBS_SIZE]``, and ``{"action_mask": int8[N, 91], "_action_mask": bool[N]}``, which tells of the
            games that were dealt.
        """
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
            seeds: list[int | None] = [int(seed) + i for i in range(self.num_envs)]
        else:
            seeds = [None] * self.num_envs if seed is None else [None if s is None else int(s) for s in seed]
        if len(seeds) != self.num_envs:
            raise ValueError(f"seed: {len(seeds)} seeds for {self.num_envs} games")
        games = self._to_reset(options)
        if len(games) < self.num_envs:
            self._check_reset("reset_mask")
        self._begin(games, [seeds[i] for i in games])
        return self._vector.observations.copy(), self._info(games)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Carry out the learners' actions (integers ``[N]``) and play on to their next decisions, or to the end.

        Returns:
            Observations ``int8[N, OBS_SIZE]``, rewards ``float64[N]``, terminations and truncations ``bool[N]``, and infos as
            `reset` gives them, with ``final_obs`` and ``final_info`` in the mode ``SAME_STEP``.

        Raises:
            IllegalAction: (a `ValueError`) with ``illegal_action="raise"``, naming the first game whose action is not legal; no
                game has changed. Also when an opponent chooses an illegal action.
            ValueError: for what is no array of N integers.
            ResetNeeded: before the first `reset`, and in the mode ``DISABLED`` for games that are over.
        """
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(f"actions: expected integers [{self.num_envs}], got {actions.dtype} {list(actions.shape)}")
        self._check_reset("step")
        acting = ~self._over
        if self.autoreset_mode is AutoresetMode.DISABLED and not acting.all():
            over = np.flatnonzero(self._over)
            raise ResetNeeded(f"game {over[0]} is over: call reset(options={{'reset_mask': ended}}) first")
        masks = self._vector.action_masks
        inside = np.clip(actions, 0, NUM_ACTIONS - 1).astype(np.int64)
        legal = (inside == actions) & (masks[np.arange(self.num_envs), inside] != 0)
        illegal = np.flatnonzero(acting & ~legal)
        if illegal.size and self.illegal_action == "raise":
            self._vector._refuse(int(illegal[0]), int(actions[illegal[0]]))

        again = np.flatnonzero(~acting)
        games = np.flatnonzero(legal) if not again.size else np.flatnonzero(legal & acting)
        self._act(games, inside[games])
        self._play_on(games)
        if illegal.size:
            self._earned[illegal] -= 1.0
            self._flags[illegal] = EPISODE_ENDED
            self._end(illegal)
        rewards, self._earned = self._earned, np.zeros(self.num_envs)
        truncations = self._over & (self._flags & CUT_OFF != 0)
        terminations = self._over & ~truncations
        infos: dict[str, Any] = {}
        if again.size:  # in the mode NEXT_STEP
            terminations[again] = truncations[again] = False
            rewards[again] = 0.0
        elif self.autoreset_mode is AutoresetMode.SAME_STEP:
            again = np.flatnonzero(self._over)
            infos = self._final_info(again)
        self._begin(again, [None] * len(again))
        infos |= self._info(slice(None))
        return self._vector.observations.copy(), rewards, terminations, truncations, infos

    def action_masks(self) -> np.ndarray:
        """The actions that are legal now, a fresh ``bool[N, 91]``; all False in games that are over."""
        self._check_reset("action_masks")
        return self._vector.action_masks != 0

    def render(self) -> tuple[Any, ...] | None:
        """A picture (fresh ``uint8[H, W, 3]``) or a text for each game."""
        if self._shown is None:
            gymnasium.logger.warn("You are calling render method without specifying any render mode.")
            return None
        self._check_reset("render")
        return tuple(self._frame(i) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Nothing is held open; ``kwargs`` are taken because the API passes them on."""
        self._vector.close()

    # More than Gymnasium asks for -------------------------------------------------------------------------------------

    @property
    def seats(self) -> np.ndarray:
        """Where the learners sit, a fresh ``int64[N]``."""
        return self._seating.seats.copy()

    @property
    def game_seeds(self) -> list[int | None]:
        """The seed of each game's last seeded start: ``Game(rules, seed)`` plays the same cards; None before."""
        return list(self._seating.seeds)

    def table(self, index: int) -> list[Agent]:
        """Who plays in one game: the agents of the other seats, clockwise from the learner's left."""
        return [self._seating.agents[number] for number in self._seating.table[index]]

    def game(self, index: int) -> Game:
        """One game as it stands, hidden cards and all, as a `Game` of its own: for search and tests."""
        return self._vector.game(index)

    def set_opponents(self, opponents: Opponents) -> None:
        """Play against others from each game's next reset on; ``opponents`` as in `uno_env.single_agent`."""
        self._seating.set_opponents(opponents)

    # Help -------------------------------------------------------------------------------------------------------------

    def _check_reset(self, what: str) -> None:
        if not self._dealt.all():
            raise ResetNeeded(f"{what}: call reset() first, for all games")

    def _to_reset(self, options: dict[str, Any] | None) -> np.ndarray:
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return np.arange(self.num_envs)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(f"reset_mask={mask!r:.200}: expected an array bool[{self.num_envs}] with at least one True")
        return np.flatnonzero(mask)

    def _begin(self, games: np.ndarray, seeds: Sequence[int | None]) -> None:
        """Deal ``games`` (``int64[K]``), from seeds where given, and play on to the learners' first decisions."""
        if not games.size:
            return
        known = self._seating.seeds
        seeds = [secrets.randbits(63) if s is None and known[i] is None else s for i, s in zip(games.tolist(), seeds, strict=True)]
        self._seating.begin(games, seeds)
        seeded = np.array([seed is not None for seed in seeds])
        if seeded.any():
            self._vector.reset_games(games[seeded], np.array([seed % 2**64 for seed in seeds if seed is not None], np.uint64))
        self._deal_again(games[~seeded])
        self._dealt[games] = True
        for _ in range(MAX_DEALS):
            self._over[games] = False
            self._earned[games] = 0.0
            if self._shown is not None:
                self._shown |= {i: self._vector.game(i) for i in games.tolist()}
            self._play_on(games)
            games = games[self._over[games]]
            if not games.size:
                return
            self._deal_again(games)
        seat = self._seating.seats[games[0]]
        raise RuntimeError(f"seat {seat} decided nothing in {MAX_DEALS} games: under these rules there is nothing to learn")

    def _deal_again(self, games: np.ndarray) -> None:
        vector = self._vector
        deal_again(vector.states, self.rules.params, games, vector.observations, vector.action_masks, vector.actors)

    def _play_on(self, games: np.ndarray) -> None:
        """Let the opponents in ``games`` (``int64[K]``) decide until each waits for its learner or is over."""
        vector, seating = self._vector, self._seating
        waiting = games
        while True:
            seats = vector.actors[waiting].astype(np.int64)
            others = (seats != seating.seats[waiting]) & ~self._over[waiting]
            waiting, seats = waiting[others], seats[others]
            if not waiting.size:
                break
            self._act(waiting, seating.choose(waiting, seats, vector.observations, vector.action_masks, vector.game))
        self._end(games[self._over[games]])

    def _act(self, games: np.ndarray, actions: np.ndarray) -> None:
        """Carry out an action in each of ``games``, if all are legal."""
        vector = self._vector
        actions = np.ascontiguousarray(actions, np.int64)
        wrong = act_in(
            vector.states,
            self.rules.params,
            games,
            actions,
            vector._scheme,
            vector.episode == "match",
            self._seating.seats,
            vector.observations,
            vector.action_masks,
            vector.actors,
            self._earned,
            self._flags,
        )
        if wrong >= 0:
            vector._refuse(int(games[wrong]), int(actions[wrong]))
        self._over[games] = self._flags[games] & EPISODE_ENDED != 0
        if self._shown is not None:
            for i, action in zip(games.tolist(), actions.tolist(), strict=True):
                follow(self._shown[i], action, vector.episode == "match")

    def _end(self, games: np.ndarray) -> None:
        """``games`` are over: the arrays show what their learners see of the end."""
        vector = self._vector
        self._over[games] = True
        look_at_end(vector.states, self.rules.params, games, self._seating.seats, vector.observations, vector.action_masks)

    def _info(self, games: Any) -> dict[str, Any]:
        """The masks of ``games`` (an index), zeros elsewhere."""
        told = np.zeros(self.num_envs, np.bool_)
        told[games] = True
        masks = self._vector.action_masks.copy()
        masks[~told] = 0
        return {"action_mask": masks, "_action_mask": told}

    def _final_info(self, ended: np.ndarray) -> dict[str, Any]:
        """What ``SAME_STEP`` tells of games (``int64[K]``) that have just ended."""
        if not ended.size:
            return {}
        final = np.full(self.num_envs, None, object)
        final[ended] = list(self._vector.observations[ended])
        info = self._info(ended)
        told = info["_action_mask"]
        return {"final_obs": final, "_final_obs": told.copy(), "final_info": info, "_final_info": told.copy()}

    def _frame(self, index: int) -> Any:
        assert self._shown is not None
        game, names = self._shown[index], [f"player_{seat}" for seat in range(self.rules.num_players)]
        viewpoint = int(self._seating.seats[index]) if self.viewpoint == "learner" else None
        if self.render_mode == "ansi":
            return as_text(game, viewpoint, names, self.ansi_colour)
        return raster.pixels(as_picture(game, viewpoint, names, self.render_width))
