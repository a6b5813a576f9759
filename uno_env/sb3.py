"""`UnoSB3VecEnv`: the batch of `UnoVectorEnv` as a Stable-Baselines3 vector environment. Needs the extra ``sb3``.

``MaskablePPO("MlpPolicy", UnoSB3VecEnv(256, num_players=2))`` of sb3-contrib takes it as it is.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from uno_env.vector_env import AutoresetMode, UnoVectorEnv

try:
    from stable_baselines3.common.vec_env import VecEnv  # pyright: ignore[reportMissingImports]
except ImportError as error:
    raise ImportError(f"uno_env.sb3 needs Stable-Baselines3 ({error}): pip install 'uno-env[sb3]'") from error


class UnoSB3VecEnv(VecEnv):
    """Many games for one learner each; with equal seeds it does what ``DummyVecEnv`` does with as many `UnoEnv`.

    Infos hold ``action_mask``; at an end also ``terminal_observation``, ``TimeLimit.truncated`` and ``episode`` (reward ``r``,
    length ``l`` in decisions, seconds ``t`` since the start), so that returns are logged without ``VecMonitor``, which may wrap it.

    Attributes:
        games: the `UnoVectorEnv` that plays.
    """

    def __init__(self, num_envs: int = 1, **options: Any) -> None:
        """Make the environment; `reset` deals.

        Args:
            num_envs: number of games N.
            **options: as for `UnoVectorEnv`, but for ``autoreset_mode``: Stable-Baselines3 resets in the same step.
        """
        self.games = UnoVectorEnv(num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **options)
        super().__init__(num_envs, self.games.single_observation_space, self.games.single_action_space)
        self._actions = np.zeros(num_envs, np.int64)
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)
        self._started = time.monotonic()

    def reset(self) -> np.ndarray:
        """Deal new games, from the seeds of `seed` where it was called since the last reset: ``int8[N, OBS_SIZE]``."""
        observations, infos = self.games.reset(seed=self._seeds)
        self.reset_infos = [{"action_mask": mask} for mask in infos["action_mask"]]
        self._returns[:] = 0.0
        self._lengths[:] = 0
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions (integers ``[N]``) for `step_wait`."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Observations ``int8[N, OBS_SIZE]``, rewards ``float32[N]``, ends ``bool[N]`` and an info for each game."""
        observations, rewards, terminations, truncations, told = self.games.step(self._actions)
        ends = terminations | truncations
        infos: list[dict[str, Any]] = [{"action_mask": mask, "TimeLimit.truncated": False} for mask in told["action_mask"]]
        self._returns += rewards
        self._lengths += 1
        seconds = round(time.monotonic() - self._started, 6)
        for i in np.flatnonzero(ends).tolist():
            self.reset_infos[i] = {"action_mask": infos[i]["action_mask"]}
            infos[i] = {
                "action_mask": told["final_info"]["action_mask"][i],
                "TimeLimit.truncated": bool(truncations[i]),
                "terminal_observation": told["final_obs"][i],
                "episode": {"r": float(self._returns[i]), "l": int(self._lengths[i]), "t": seconds},
            }
        self._returns[ends] = 0.0
        self._lengths[ends] = 0
        return observations, rewards.astype(np.float32), ends, infos

    def close(self) -> None:
        """Close the games."""
        self.games.close()

    def get_images(self) -> Sequence[np.ndarray | None]:
        """A picture of each game, with ``render_mode="rgb_array"``."""
        return self.games.render() or [None] * self.num_envs

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """What a method gives for each of the games ``indices``, as it would with single environments.

        ``action_masks`` (``bool[91]``), ``game`` (a copy, with hidden cards), ``render``, and ``set_opponents(opponents)``, which
        holds for all games.
        """
        games = self._numbers(indices)
        if method_name == "action_masks":
            return list(self.games.action_masks()[games])
        if method_name == "game":
            return [self.games.game(i) for i in games]
        if method_name == "render":
            frames = self.games.render()
            return [None if frames is None else frames[i] for i in games]
        if method_name == "set_opponents":
            self._need_all(games, method_name)
            self.games.set_opponents(*method_args, **method_kwargs)
            return [None] * self.num_envs
        raise AttributeError(f"UnoSB3VecEnv has no method {method_name!r}: action_masks, game, render, set_opponents")

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute for each of the games ``indices``: ``seat``, ``table`` and ``game_seed``, else what all games share."""
        games = self._numbers(indices)
        if attr_name == "seat":
            return self.games.seats[games].tolist()
        if attr_name == "table":
            return [self.games.table(i) for i in games]
        if attr_name == "game_seed":
            return [self.games.game_seeds[i] for i in games]
        if attr_name in ("action_masks", "game"):
            return [partial(self._method_of, attr_name, i) for i in games]
        return [getattr(self.games, attr_name)] * len(games)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute that all games share, such as ``illegal_action``; only for all of them."""
        self._need_all(self._numbers(indices), attr_name)
        if not hasattr(self.games, attr_name):
            raise AttributeError(f"UnoVectorEnv has no attribute {attr_name!r}")
        setattr(self.games, attr_name, value)

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """False for each: there are no single environments that could be wrapped."""
        return [False for _ in self._numbers(indices)]

    def _method_of(self, name: str, game: int) -> Any:
        return self.env_method(name, indices=game)[0]

    def _numbers(self, indices: int | Iterable[int] | None) -> list[int]:
        return [int(i) for i in self._get_indices(indices)]

    def _need_all(self, games: list[int], what: str) -> None:
        if sorted(games) != list(range(self.num_envs)):
            raise ValueError(f"{what}: all games share it, so indices={games} can not have their own")
