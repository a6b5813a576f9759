"""The engine against the independent reference in `tests/reference`: random rules, random games, every decision compared whole."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

from tests.reference import PRESETS, ReferenceGame, random_rules
from uno_env import Game
from uno_env.jit import COMPILED

ONLY_ENGINE = ("rules", "colour_before", "size_before")
"""Keys of a position that the reference does not write."""


def compare(game: Game, reference: ReferenceGame) -> None:
    ours, theirs = game.position(), reference.position()
    for key in ours:
        if key not in ONLY_ENGINE:
            assert ours[key] == theirs[key], f"{key}: engine {ours[key]!r}, reference {theirs[key]!r}"
    assert game.legal_texts() == ([] if game.over else reference.legal())


def play_both(seed: int, rules: dict[str, Any] | None = None, rounds: int = 3) -> int:
    """One match (random rules unless given) with random actions in both programs; returns the number of decisions compared."""
    rng = random.Random(seed)
    if rules is None:
        rules = random_rules(rng)
    n = rules["num_players"]
    game, reference = Game(rules, seed), ReferenceGame(rules, n, seed)
    decisions = 0
    eager = rng.random() < 0.8  # mostly play when one can, so that rounds end
    try:
        for _ in range(rounds):
            compare(game, reference)
            while not game.over and decisions < 3000:
                legal = game.legal_texts()
                if eager and rng.random() < 0.9:
                    legal = [text for text in legal if text not in ("draw", "pass")] or legal
                action = rng.choice(legal)
                game.push(action)
                reference.push(action)
                decisions += 1
                compare(game, reference)
            if not game.over:
                break
            winners = game.match_winners
            assert (winners is not None) == reference.match_over
            if winners is not None:
                assert list(winners) == list(reference.match_winners)
                break
            game.next_round()
            reference.next_round()
    except AssertionError as error:
        raise AssertionError(f"seed {seed}, decision {decisions}: {error}\n{game.transcript()}") from None
    assert Game.replay(game.transcript()).to_bytes() == game.to_bytes()
    return decisions


# 200,000 games: UNO_DIFFERENTIAL_GAMES=200000 UNO_DIFFERENTIAL_FIRST=1000000 pytest -n 2 tests/core/test_differential.py
GAMES = int(os.environ.get("UNO_DIFFERENTIAL_GAMES", "400" if COMPILED else "30"))
FIRST = int(os.environ.get("UNO_DIFFERENTIAL_FIRST", "0"))
BATCHES = 10


@pytest.mark.parametrize("batch", range(BATCHES))
def test_engine_equals_reference(batch: int) -> None:
    decisions = 0
    for seed in range(FIRST + batch, FIRST + GAMES, BATCHES):
        decisions += play_both(seed)
    assert decisions > 0


PRESET_TABLES = [("official", 2), ("official", 10), ("crash_course", 4), ("how_to_play", 3), ("party", 5), ("team", 4), ("mini", 2)]


@pytest.mark.parametrize(("preset", "num_players"), PRESET_TABLES)
def test_presets_equal_reference(preset: str, num_players: int) -> None:
    for seed in range(6 if COMPILED else 1):
        play_both(seed, PRESETS[preset] | {"num_players": num_players}, rounds=2)
