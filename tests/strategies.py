"""What hypothesis draws in the core tests: rules, and games somewhere in the middle. Failures print the position as text."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, note, settings
from hypothesis import strategies as st

from tests.reference import random_rules
from uno_env import PRESETS, Game, Rules
from uno_env.jit import COMPILED


def examples(count: int) -> Any:
    """Settings for ``count`` examples, a tenth of them in plain Python; the same ones on every run."""
    return settings(
        max_examples=count if COMPILED else max(count // 10, 5),
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
    )


@st.composite
def rules(draw: st.DrawFn, **fixed: Any) -> Rules:
    """Any rules: a preset for 2-6 players, or a random value of every field, ``fixed`` ones apart."""
    if draw(st.booleans()):
        name = draw(st.sampled_from(sorted(PRESETS)))
        n = 2 if name.startswith("mini") else 4 if name == "team" else draw(st.integers(2, 6))
        return Rules.preset(name, **{"num_players": n} | fixed)
    return Rules.from_dict(random_rules(draw(st.randoms(use_true_random=False))) | fixed)


def choose(game: Game, rng: random.Random) -> str:
    """A random action, mostly not a draw, so that rounds end."""
    legal = game.legal_texts()
    if rng.random() < 0.8:
        legal = [text for text in legal if text not in ("draw", "pass")] or legal
    return rng.choice(legal)


def every_rules(count: int) -> Iterator[tuple[Rules, random.Random]]:
    """All presets, for different numbers of players, then ``count`` random rules; each with a generator of its own."""
    for i, name in enumerate(PRESETS):
        n = {"mini": 2, "mini_bluff": 2, "team": 4}.get(name, 2 + i % 5)
        yield Rules.preset(name, num_players=n), random.Random(name)
    for seed in range(count):
        rng = random.Random(seed)
        yield Rules.from_dict(random_rules(rng)), rng


@st.composite
def games(draw: st.DrawFn, longest: int = 120, **fixed: Any) -> Game:
    """A game after up to ``longest`` random actions; the round may be over."""
    game = Game(draw(rules(**fixed)), draw(st.integers(0, 2**32)))
    rng = random.Random(draw(st.integers(0, 2**32)))
    for _ in range(draw(st.integers(0, longest))):
        if game.over:
            break
        game.push(choose(game, rng))
    return game


def tell(game: Game, **more: Any) -> None:
    """Have hypothesis print the position, should this example fail."""
    note(f"position: {json.dumps(game.position())}")
    for name, value in more.items():
        note(f"{name}: {value}")
