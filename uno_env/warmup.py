"""Compile ahead of time: ``python -m uno_env.warmup``, after an installation or while an image is built.

Compiles, or loads from disk, what `UnoVector`, the PettingZoo and Gymnasium environments and `Game` use; in a checkout also the
scripted agents. Later processes find it in the cache.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from uno_env import Game, UnoEnv, UnoVector, jit, uno_v0
from uno_env.code_cache import PACKAGE
from uno_env.view import play_round


def _vector() -> None:
    vector = UnoVector(2, "official", seed=1)
    vector.step(vector.action_masks.argmax(1))
    vector.refresh()


def _aec() -> None:
    env = uno_v0.raw_env("mini")
    env.reset(seed=1)
    while env.agents:
        observation, _, ended, cut, _ = env.last()
        assert observation is not None
        env.observe(env.possible_agents[0])
        env.step(None if ended or cut else int(observation["action_mask"].argmax()))
    env.reset()


def _gymnasium() -> None:
    env = UnoEnv(rules="mini")
    _, info = env.reset(seed=1)
    env.step(int(info["action_mask"].argmax()))


def _game() -> None:
    game = Game("mini", seed=1)
    game.resample(0, 1)
    game.observe(1)
    while not game.over:
        game.push(game.legal_actions()[0])
    game.rewards()
    Game.from_position(game.position())


def _agents() -> Iterator[tuple[str, Callable[[], Any]]]:
    """The agents of a checkout, which an installed package does not have."""
    found = importlib.util.find_spec("agents")
    if found is None or found.origin is None or Path(found.origin).parent.parent != PACKAGE.parent:
        return
    agents = importlib.import_module("agents")
    for name in agents.NAMES:
        yield f"agent {name}", lambda name=name: play_round(Game("official", 1, num_players=2), [agents.load(name)] * 2)


def warm_up() -> Iterator[tuple[str, float]]:
    """Compile everything; says of each part what it is, and the seconds that it took to compile or load."""
    for name, use in (("UnoVector", _vector), ("PettingZoo", _aec), ("Gymnasium", _gymnasium), ("Game", _game), *_agents()):
        start = time.perf_counter()
        use()
        yield name, time.perf_counter() - start


def main() -> None:
    """Warm up and say what was done."""
    parser = argparse.ArgumentParser(
        prog="python -m uno_env.warmup", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.parse_args()
    if not jit.COMPILED:
        sys.exit("NUMBA_DISABLE_JIT is set: nothing is compiled")
    for name, seconds in warm_up():
        print(f"{name:22} {seconds:6.2f} s", flush=True)
    place = jit.cache_place()
    print(f"{jit.compilations()} functions compiled, the others found; kept in {place}" if place else "nothing could be kept")


if __name__ == "__main__":
    main()
