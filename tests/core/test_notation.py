"""Text both ways: cards, actions, positions."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.positions import expect
from tests.strategies import choose, every_rules
from uno_env import NUM_ACTIONS, PRESETS, Game, Phase, PositionError, cards
from uno_env.jit import COMPILED
from uno_env.notation import KEYS, action_id, action_text

# Cards and actions ----------------------------------------------------------------------------------------------------


def expected_action_texts() -> dict[int, str]:
    """The table of design.md section 3, written out; swaps apart."""
    texts = {}
    for colour, letter in enumerate("rygb"):
        for symbol, name in enumerate([*"0123456789", "S", "R", "D"]):
            texts[colour * 13 + symbol] = letter + name
        for wild, name in enumerate(["W", "W4", "WX", "WS", "WC"]):
            texts[52 + 4 * wild + colour] = f"{name}:{letter}"
        texts[78 + colour] = f"colour:{letter}"
    return texts | {72: "draw", 73: "pass", 74: "accept", 75: "challenge", 76: "uno", 77: "catch"}


def test_card_texts() -> None:
    texts = [letter + symbol for letter in "rygb" for symbol in [*"0123456789", "S", "R", "D"]] + ["W", "W4", "WX", "WS", "WC"]
    assert list(cards.KIND_TEXTS) == texts
    assert [cards.kind_of(text) for text in texts] == list(range(57))
    assert cards.KIND_NAMES[cards.kind_of("yS")] == "yellow Skip"
    assert cards.coloured(2, 7) == cards.kind_of("g7")
    for wrong in ("", "r", "r10", "5r", "x5", "w", "W5", " r5", None, 5, "colour:r"):
        with pytest.raises(ValueError, match="unknown card"):
            cards.kind_of(wrong)  # type: ignore[arg-type]


def test_action_texts() -> None:
    expected = expected_action_texts()
    assert len(expected) == 82
    for n in range(2, 11):
        for seat in range(n):
            for direction in (1, -1):
                for action, text in expected.items():
                    assert action_text(action, seat, n, direction) == text
                    assert action_id(text, seat, n, direction) == action
                for k in range(1, n):
                    text = f"swap:{(seat + k * direction) % n}"
                    assert action_text(81 + k, seat, n, direction) == text
                    assert action_id(text, seat, n, direction) == 81 + k
    for wrong in (-1, NUM_ACTIONS, 1000):
        with pytest.raises(ValueError, match="actions are 0 to 90"):
            action_text(wrong, 0, 4, 1)
    for wrong in ("swap:0", "swap:4", "swap:", "swap:-1", "swap:x", "swap", "W", "W4", "r10", "R5", "", "Draw", "colour:x"):
        with pytest.raises(ValueError, match="unknown action"):
            action_id(wrong, 0, 4, 1)


# Bad positions --------------------------------------------------------------------------------------------------------

GOOD: dict[str, Any] = {"hands": [["r1", "b2"], ["g1", "g2"]], "discard_pile": ["r5"], "draw_pile": ["y1"]}
FOUR = {"rules": "official", "hands": [["r1"], ["g1", "g2"]], "discard_pile": ["W4"], "colour": "b", "phase": "CHALLENGE"}
CATCHING = {"hands": [["r1"], ["g1", "g2"]], "discard_pile": ["r5"], "phase": "CATCH", "offender": 0}
STACKING = {
    "rules": {"stacking": "same"},
    "hands": [["r1"], ["g1", "bD"]],
    "discard_pile": ["rD"],
    "phase": "STACK",
    "turn": 1,
}
ENDED = {
    "hands": [[], ["g1", "g2"]],
    "discard_pile": ["r5"],
    "phase": "OVER",
    "outcome": {"winners": [0], "points": [3, 0], "termination": "out"},
}
COLOURS = {"hands": [["r1"], ["g1", "g2"]], "discard_pile": ["W"], "phase": "COLOUR"}
DRAWN = {"hands": [["r1"], ["g1", "g2"]], "discard_pile": ["r5"], "phase": "DRAWN", "drawn": "r1"}
SWAPPING = {"rules": {"seven_zero": "both"}, "hands": [["r1"], ["g1"], ["b1"]], "discard_pile": ["r7"], "phase": "SWAP"}
JUMPING = {"rules": {"jump_in": True}, "hands": [["r1"], ["r5"], ["b1"]], "discard_pile": ["r5"], "phase": "JUMP", "actor": 1}
KNOWN = GOOD | {"known": [{"seat": 0, "holder": 1, "cards": ["g1"]}]}
AUTO = {"uno_call": "auto"}
OUTCOME = ENDED["outcome"]

BAD: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("rules", GOOD, {"rules": "offical"}),
    ("rules", GOOD, {"rules": {"stack": "same"}}),
    ("rules", GOOD, {"rules": {"stacking": "all"}}),
    ("rules", GOOD, {"rules": 3}),
    ("num_players", GOOD, {"num_players": 1}),
    ("num_players", GOOD, {"num_players": 11}),
    ("num_players", GOOD, {"num_players": "2"}),
    ("hands", GOOD, {"num_players": 3}),
    ("hands", GOOD, {"hands": "r1 b2"}),
    ("hands", GOOD, {"hands": ["r1", "b2"]}),
    ("hands", GOOD, {"hands": [["r1"], ["x1"]]}),
    ("hands", GOOD, {"hands": [["r1"], []]}),
    ("hands", GOOD, {"hands": [["r5", "r5"], ["b1"]]}),
    ("hands", GOOD, {"hands": [["WX"], ["b1"]]}),
    ("draw_pile", GOOD, {"draw_pile": ["r10"]}),
    ("draw_pile", GOOD, {"draw_pile": "r1"}),
    ("draw_pile", GOOD, {"draw_pile": [7]}),
    ("discard_pile", GOOD, {"discard_pile": []}),
    ("discard_pile", GOOD, {"discard_pile": ["purple"]}),
    ("discard_pile", GOOD, {"discard_pile": None}),
    ("colour", GOOD, {"colour": "b"}),
    ("colour", GOOD, {"colour": "x"}),
    ("colour", GOOD, {"colour": ""}),
    ("colour", GOOD, {"colour": "rygb"}),
    ("colour", GOOD, {"discard_pile": ["W"]}),
    ("colour", COLOURS, {"colour": "r"}),
    ("colour", GOOD, {"rules": "crash_course", "discard_pile": [], "colour": "r"}),
    ("direction", GOOD, {"direction": 0}),
    ("direction", GOOD, {"direction": -1}),
    ("direction", GOOD, {"direction": 2}),
    ("direction", GOOD, {"direction": True}),
    ("dealer", GOOD, {"dealer": 2}),
    ("dealer", GOOD, {"dealer": -1}),
    ("dealer", GOOD, {"dealer": None}),
    ("turn", GOOD, {"turn": 2}),
    ("turn", GOOD, {"turn": "0"}),
    ("actor", GOOD, {"turn": 0, "actor": 1}),
    ("actor", GOOD, {"actor": 2}),
    ("actor", FOUR, {"actor": 0}),
    ("actor", FOUR | {"hands": [["r1"], ["g1"], ["b1"]]}, {"actor": 2}),
    ("actor", STACKING, {"actor": 0}),
    ("actor", DRAWN, {"turn": 0, "actor": 1}),
    ("phase", GOOD, {"phase": "play"}),
    ("phase", GOOD, {"phase": 1}),
    ("phase", GOOD, {"phase": "COLOUR"}),
    ("phase", COLOURS, {"discard_pile": ["W4"]}),
    ("phase", GOOD, {"phase": "JUMP"}),
    ("phase", JUMPING, {"discard_pile": ["W"], "colour": "r"}),
    ("phase", GOOD, {"phase": "SWAP"}),
    ("phase", SWAPPING, {"rules": {"seven_zero": "zero"}}),
    ("phase", GOOD, {"phase": "STACK", "pending_draw": 2}),
    ("phase", STACKING, {"rules": "official"}),
    ("drawn", GOOD, {"drawn": "r1"}),
    ("drawn", GOOD, {"phase": "DRAWN"}),
    ("drawn", DRAWN, {"drawn": "b9"}),
    ("drawn", DRAWN, {"drawn": "nine"}),
    ("pending_draw", GOOD, {"pending_draw": 2}),
    ("pending_draw", FOUR, {"pending_draw": 3}),
    ("pending_draw", STACKING, {"pending_draw": 0}),
    ("pending_draw", STACKING, {"pending_draw": -2}),
    ("pending_draw", CATCHING, {"pending_draw": 2}),
    ("declared", GOOD, {"declared": [True]}),
    ("declared", GOOD, {"declared": [1, 0]}),
    ("declared", GOOD, {"declared": [False, True]}),
    ("declared", GOOD, {"hands": [["r1"], ["g1", "g2", "g3"]], "declared": [False, True]}),
    ("declared", GOOD, {"rules": AUTO, "hands": [["r1"], ["g1"]], "declared": [True, False]}),
    ("scores", GOOD, {"scores": [1]}),
    ("scores", GOOD, {"scores": [1, -1]}),
    ("scores", GOOD, {"scores": [1, "2"]}),
    ("scores", GOOD, {"scores": 7}),
    ("round", GOOD, {"round": 0}),
    ("round", GOOD, {"round": 1.0}),
    ("turns", GOOD, {"turns": -1}),
    ("turns", GOOD, {"turns": None}),
    ("passes", GOOD, {"passes": 2}),
    ("passes", GOOD, {"passes": -1}),
    ("drew_on", GOOD, {"drew_on": ["r"]}),
    ("drew_on", GOOD, {"drew_on": ["red", None]}),
    ("guilty", GOOD, {"guilty": False}),
    ("guilty", FOUR, {"guilty": "yes"}),
    ("guilty", FOUR, {"guilty": None}),
    ("guilty", FOUR, {"rules": {"wild_draw_four": "enforced"}}),
    ("guilty", FOUR, {"discard_pile": ["W"]}),
    ("colour_before", GOOD, {"colour_before": "r"}),
    ("colour_before", FOUR, {"colour_before": None}),
    ("colour_before", FOUR, {"colour_before": "pink"}),
    ("size_before", FOUR, {"size_before": -1}),
    ("size_before", FOUR, {"size_before": "one"}),
    ("owing", GOOD, {"hands": [["r1"], ["g1"]], "owing": [0]}),
    ("owing", CATCHING, {"owing": [1]}),
    ("owing", CATCHING, {"owing": [2]}),
    ("owing", CATCHING, {"owing": [True]}),
    ("owing", CATCHING, {"owing": 1}),
    ("owing", CATCHING, {"rules": AUTO}),
    ("received", CATCHING, {"received": ["0"]}),
    ("received", CATCHING, {"received": [1]}),
    ("received", JUMPING, {"received": [0]}),
    ("offender", GOOD, {"hands": [["r1"], ["g1"]], "offender": 0}),
    ("offender", CATCHING, {"offender": None}),
    ("offender", CATCHING, {"offender": 1}),
    ("offender", CATCHING, {"offender": 5}),
    ("known", KNOWN, {"known": [{"seat": 0, "holder": 1}]}),
    ("known", KNOWN, {"known": [{"seat": 0, "holder": 0, "cards": ["r1"]}]}),
    ("known", KNOWN, {"known": [{"seat": 0, "holder": 2, "cards": ["r1"]}]}),
    ("known", KNOWN, {"known": [{"seat": 0, "holder": 1, "cards": ["r1"]}]}),
    ("known", KNOWN, {"known": [{"seat": 0, "holder": 1, "cards": ["g1", "g1"]}]}),
    ("known", KNOWN, {"known": [{"seat": 0, "holder": 1, "cards": ["none"]}]}),
    ("known", KNOWN, {"known": 3}),
    ("known", KNOWN, {"known": ["g1"]}),
    ("outcome", GOOD, {"outcome": OUTCOME}),
    ("outcome", ENDED, {"outcome": None}),
    ("outcome", ENDED, {"outcome": {"winners": [0]}}),
    ("outcome", ENDED, {"outcome": "won"}),
    ("outcome", ENDED, {"outcome": OUTCOME | {"termination": "won"}}),
    ("outcome", ENDED, {"outcome": OUTCOME | {"winners": [2]}}),
    ("outcome", ENDED, {"outcome": OUTCOME | {"winners": 0}}),
    ("outcome", ENDED, {"outcome": OUTCOME | {"points": [1]}}),
]


@pytest.mark.parametrize("good", [GOOD, FOUR, CATCHING, STACKING, ENDED, COLOURS, DRAWN, SWAPPING, JUMPING, KNOWN])
def test_the_good_positions_are_good(good: dict[str, Any]) -> None:
    game = Game.from_position(good)
    assert game.over or game.legal_actions()


@pytest.mark.parametrize(("key", "good", "change"), BAD)
def test_bad_positions_name_the_key(key: str, good: dict[str, Any], change: dict[str, Any]) -> None:
    with pytest.raises(PositionError, match=f"^{key}: "):
        Game.from_position(good | change)


def test_every_key_is_checked() -> None:
    assert {key for key, _, _ in BAD} == set(KEYS)


JUNK = [None, True, -1, 3.5, "x", [], {}, [None], [[]], [["r1"]], {"a": 1}, 10**30, ["r1", "g1"], [0, 1], (1,), b"r", np.int64(7)]


@pytest.mark.parametrize("good", [GOOD, FOUR, CATCHING, STACKING, ENDED, COLOURS, DRAWN, SWAPPING, JUMPING, KNOWN])
def test_junk_is_refused_as_a_position_error(good: dict[str, Any]) -> None:
    """Whatever stands under a key: either it is a position, or a `PositionError` says that it is none."""
    for key in KEYS:
        for junk in JUNK:
            try:
                game = Game.from_position(good | {key: junk})
            except PositionError:
                continue
            assert Game.from_position(game.position()).to_bytes() == game.to_bytes()
            assert json.loads(game.transcript())
    for part in ("seat", "holder", "cards"):
        for junk in JUNK:
            with pytest.raises(PositionError, match=r"^known: "):
                Game.from_position(KNOWN | {"known": [{"seat": 0, "holder": 1, "cards": ["g1"]} | {part: [junk, junk]}]})
    for part in ("winners", "points", "termination"):
        for junk in JUNK:
            try:
                game = Game.from_position(ENDED | {"outcome": OUTCOME | {part: junk}})
            except PositionError:
                continue
            assert Game.from_position(game.position()).position() == game.position()


def test_positions_that_are_none() -> None:
    with pytest.raises(PositionError, match="hands: missing"):
        Game.from_position({"discard_pile": ["r5"]})
    with pytest.raises(PositionError, match="unknown key 'hand': a position has the keys rules, num_players, hands"):
        Game.from_position(GOOD | {"hand": []})
    with pytest.raises(PositionError, match="a position is a mapping of keys, not list"):
        Game.from_position([GOOD])  # type: ignore[arg-type]


def test_plain_values() -> None:
    game = Game.from_position({"hands": [["r1", "b2"], ["g1"], ["y1"]], "discard_pile": ["r5"]})
    assert game.position() == {
        "rules": "official",
        "num_players": 3,
        "hands": [["r1", "b2"], ["g1"], ["y1"]],
        "draw_pile": [],
        "discard_pile": ["r5"],
        "colour": "r",
        "direction": 1,
        "dealer": 2,
        "turn": 0,
        "actor": 0,
        "phase": "PLAY",
        "drawn": None,
        "pending_draw": 0,
        "declared": [False] * 3,
        "scores": [0] * 3,
        "round": 1,
        "turns": 1,
        "passes": 0,
        "drew_on": [None] * 3,
        "guilty": None,
        "colour_before": None,
        "size_before": game.position()["size_before"],
        "owing": [],
        "received": [],
        "offender": None,
        "known": [],
        "outcome": None,
    }
    expect(Game.from_position(GOOD | {"actor": 1}), turn=1, actor=1)
    expect(Game.from_position(COLOURS), turns=0, colour=None, actor=0)
    expect(Game.from_position(FOUR), actor=1, turn=0, guilty=False, pending_draw=4, colour_before="b")
    expect(Game.from_position(STACKING), pending_draw=2)
    expect(Game.from_position(CATCHING), actor=1)


# Positions of random games --------------------------------------------------------------------------------------------

GAMES = 60 if COMPILED else 6


def test_positions_round_trip_at_every_decision() -> None:
    phases = set()
    for rules, rng in every_rules(GAMES):
        game = Game(rules, rng.getrandbits(70))
        for _ in range(150 if COMPILED else 40):
            position = game.position()
            phases.add(game.phase)
            assert list(position) == list(KEYS)
            again = Game.from_position(json.loads(json.dumps(position)))
            assert again.position() == position
            assert again.legal_texts() == game.legal_texts()
            assert again.rules == game.rules
            for seat in range(game.num_players):
                assert again.observe(seat).tobytes() == game.observe(seat).tobytes()
            if game.over:
                break
            game.push(choose(game, rng))
    assert phases == set(Phase) or not COMPILED


def test_presets_are_named() -> None:
    for name in PRESETS:
        assert Game(name, 1).position()["rules"] == name
        assert json.loads(Game(name, 1).transcript())["rules"] == name
    assert Game({"stacking": "any"}, 1).position()["rules"] == {"stacking": "any"}
    assert Game({"stacking": "same", "num_players": 6}, 1).position()["rules"] == "house_stacking"
