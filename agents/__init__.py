"""Players: scripted, learnt, and yours. `load` finds one by name; `play_round` seats them at a game."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import cast

from agents import scripted
from agents.base import Agent, BatchAgent, CompiledAgent, View, play_round
from agents.strategist import Strategist
from uno_env.random_card import random_loop

__all__ = ["CHAMPION", "NAMES", "Agent", "BatchAgent", "CompiledAgent", "View", "load", "play_round"]

_SCRIPTED: dict[str, Callable[[], Agent]] = {
    "random": lambda: CompiledAgent("random", random_loop),
    "uniform": lambda: CompiledAgent("uniform", scripted.uniform_loop),
    "rule": lambda: CompiledAgent("rule", scripted.rule_loop),
    "actions_first": lambda: CompiledAgent("actions_first", scripted.actions_first_loop),
    "highest_points": lambda: CompiledAgent("highest_points", scripted.highest_points_loop),
    "strategist": Strategist,
}

NAMES = tuple(_SCRIPTED)
"""The scripted agents."""
CHAMPION = "champion"
"""The name of the strongest networks that ship with the checkout."""

RLCARD = "rlcard"
"""What stands before the colon of a model that RLCard ships."""


def load(spec: str | Path) -> Agent:
    """The agent that ``spec`` names, in one of these forms:

    * a scripted agent's name (`NAMES`);
    * ``champion``, the shipped network for the number of players (needs torch);
    * the path of a ``.safetensors`` checkpoint or of a run folder, of `train.ppo` or `train.sb3_maskable_ppo` (likewise);
    * ``search``, ``search:400`` (rollouts of a decision), ``search:0.2s`` (time), ``search:400:rule`` (who plays on in rollouts);
    * ``champion+search:0.2s`` (or ``policy+search:0.2s``), ``runs/x+search:400``: the same from another agent's choices;
    * ``rlcard:uno-rule-v1``, a model that RLCard ships (needs rlcard);
    * ``package.module:Class``, which is imported and called without arguments.

    Raises:
        ValueError: for a spec that names no agent; it says what exists.
        ImportError: for a checkpoint where torch is not installed, for a model of RLCard's where rlcard is not.
    """
    text = str(spec)
    for recognises, build in _FORMS:
        if recognises(text):
            return build(text)
    raise ValueError(
        f"unknown agent {text!r}: there are {', '.join((*NAMES, CHAMPION))}; search:ROLLOUTS or {CHAMPION}+search:ROLLOUTS; "
        "a .safetensors checkpoint (agents.sb3.export makes one of a Stable-Baselines3 model) or an existing run folder; "
        "rlcard:uno-rule-v1; package.module:Class"
    )


def _load_champion(_: str) -> Agent:
    from agents.champion import Champion  # torch is needed for learnt agents alone

    return Champion()


def _is_search(text: str) -> bool:
    return text.rpartition("+")[2].partition(":")[0] == "search"


def _load_search(text: str) -> Agent:
    from agents.search import searcher  # rollouts take long to compile, and only searchers need them

    prior, plus, _ = text.rpartition("+")
    return searcher(text, load(CHAMPION if prior == "policy" else prior) if plus else None)


def _load_rlcard(text: str) -> Agent:
    from agents.rlcard import RLCardAgent

    return cast(Agent, RLCardAgent.load(text.partition(":")[2]))


def _is_checkpoint(text: str) -> bool:
    return text.endswith(".safetensors") or (text != "" and Path(text).is_dir())


def _is_import(text: str) -> bool:
    module, colon, name = text.partition(":")
    return bool(colon) and name.isidentifier() and all(part.isidentifier() for part in module.split("."))


def _load_checkpoint(text: str) -> Agent:
    path = Path(text)
    if not path.exists():
        raise ValueError(f"agent {str(path)!r}: there is no such checkpoint")
    from agents.sb3 import SB3Policy  # torch is needed for learnt agents alone
    from agents.torch_policy import TorchPolicy, read_model

    try:
        kind = SB3Policy if "perceptron" in read_model(path)[0] else TorchPolicy
        return cast(Agent, kind.load(path))
    except FileNotFoundError as error:
        raise ValueError(f"agent {str(path)!r}: {error}") from None


def _import(spec: str) -> Agent:
    module, _, name = spec.partition(":")
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not (module == error.name or module.startswith(f"{error.name}.")):
            raise  # the module is there, something that it imports is not
        raise ValueError(f"agent {spec!r}: there is no module {error.name!r}") from None
    if not hasattr(found, name):
        raise ValueError(f"agent {spec!r}: module {module!r} has no {name!r}")
    agent = getattr(found, name)()
    if not callable(getattr(agent, "act", None)):
        raise ValueError(f"agent {spec!r}: {type(agent).__name__} has no method act(view)")
    return cast(Agent, agent)


_FORMS: tuple[tuple[Callable[[str], bool], Callable[[str], Agent]], ...] = (
    (_SCRIPTED.__contains__, lambda text: _SCRIPTED[text]()),
    (lambda text: text == CHAMPION, _load_champion),
    (_is_search, _load_search),
    (_is_checkpoint, _load_checkpoint),
    (lambda text: text.startswith(f"{RLCARD}:"), _load_rlcard),
    (_is_import, _import),
)
"""Forms of a spec: what recognises one, what makes an agent of it. The first that does is taken."""
