"""The rules in force in words: every field that matters is told, and what a game does is what they say."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from uno_env import PRESETS, Rules
from uno_env.render.rulebook import rules_in_words
from uno_env.rules import CHOICES, FLAGS

# Where a field has an effect only beside another, and with how many players.
BESIDE: dict[str, dict[str, Any]] = {
    "seven_optional": {"seven_zero": "both"},
    "two_player_reverse": {"num_players": 2},
    "custom_points": {"deck": "swap"},
    "draw_until_playable": {"drawn_card": "may"},
}
NUMBERS: dict[str, Any] = {
    "num_players": 3,
    "hand_size": 5,
    "uno_penalty": 4,
    "target": None,
    "wild_points": 40,
    "custom_points": 41,
    "max_turns": None,
    "teams": 2,
    "failed_challenge_draw": 4,
    "deck": "shuffle",
}


def alternatives(name: str) -> list[Any]:
    default = getattr(Rules(), name)
    if name in CHOICES:
        return [value for value in CHOICES[name] if value != default]
    return [not default] if name in FLAGS else [NUMBERS[name]]


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(Rules)])
def test_every_field_is_told(name: str) -> None:
    told = {rules_in_words(Rules(**BESIDE.get(name, {})))}
    values = alternatives(name)
    for value in values:
        beside = BESIDE.get(name, {})
        # The title names the preset: only the rest counts.
        told.add(rules_in_words(Rules(**beside | {name: value})).split("\n", 1)[1])
    plain = rules_in_words(Rules(**BESIDE.get(name, {}))).split("\n", 1)[1]
    assert plain not in told
    assert len(told) == len(values) + 1


def test_what_has_no_effect_is_left_out() -> None:
    told = rules_in_words(Rules.preset("digital", num_players=2))
    assert "challenge" not in told
    assert "caught" not in told
    assert "points win" not in told
    assert "House rules" not in told
    assert "Wild Swap Hands" not in told
    assert "Reverse: acts as a Skip." in told
    assert "It may be played only by who holds no other card of the colour in force." in told


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_named_and_short(preset: str) -> None:
    told = rules_in_words(Rules.preset(preset))
    assert told.startswith(f"The rules in force ({preset}):\n")
    assert told.isascii()
    assert len(told) < 4500
    assert all(line.endswith((".", ":")) for line in told.splitlines())


def test_house_rules_are_told() -> None:
    told = rules_in_words(Rules.preset("party"))
    assert "A draw card may be answered (Draw Two with Draw Two, Wild Draw Four with Wild Draw Four)" in told
    assert "The player of a 7 swaps its whole hand" in told
    assert "After a 0 all hands pass" in told
    assert "may play it out of turn" in told
    assert "must be called as well" in told
    own = rules_in_words(Rules(deck={"r0": 3, "W": 2}, num_players=2, hand_size=1))
    assert "(own rules)" in own
    assert "The deck: 3 r0, 2 W." in own
    assert "Wild Draw Four: The next" not in own
