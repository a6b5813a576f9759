"""Answers in any plausible spelling are read; what names nothing is refused with a reason."""

from __future__ import annotations

import pytest

from uno_env.cards import COLOUR_LETTERS, COLOURS, KIND_NAMES, KIND_TEXTS, WILD_NAMES, WILD_TEXTS
from uno_env.notation import ACTION_TEXTS
from uno_env.spelling import ColourMissing, Unreadable, read

NAMES = ["You", "player_1", "Ada", "player_3"]


def meant(text: str, *legal: str) -> str:
    return read(text, legal, NAMES)


@pytest.mark.parametrize("action", ACTION_TEXTS.values())
def test_proper_texts_are_read_as_they_stand(action: str) -> None:
    for text in (action, action.upper(), f" {action} ", f"`{action}`", f"[{action}]", f"Action: {action}", f"I think.\n{action}."):
        assert meant(text) == action
    assert meant(action, *(other for other in ACTION_TEXTS.values() if other != action)) in ("accept", action)


def test_every_card_is_read_by_its_name() -> None:
    for text, name in zip(KIND_TEXTS[:52], KIND_NAMES[:52], strict=True):
        colour, symbol = name.split(" ", 1)
        for said in (name, name.title(), f"play {name}", f"I'll play the {name}.", f"{symbol} {colour}", f"play {text}"):
            assert meant(said) == text


def test_every_wild_is_read_by_its_name_and_colour() -> None:
    for text, name in zip(WILD_TEXTS, WILD_NAMES, strict=True):
        for letter, colour in zip(COLOUR_LETTERS, COLOURS, strict=True):
            action = f"{text}:{letter}"
            for said in (
                f"{name} {colour}",
                f"{colour} {name}",
                f"{name}, {letter}",
                f"play {name} and name {colour}",
                text + letter,
            ):
                assert meant(said) == action
        for said in (name, text, f"play a {name.lower()}"):
            with pytest.raises(ColourMissing, match=f"name a colour with it: {text}:r, {text}:y, {text}:g, {text}:b"):
                meant(said)


@pytest.mark.parametrize(
    ("said", "action"),
    [
        *[(said, "rD") for said in ("red +2", "red draw two", "red plus 2", "Red Draw 2")],
        *[(said, "W4:b") for said in ("wild draw four blue", "Wild +4 (blue)", "wild plus four blue", "+4 blue", "draw four blue")],
        *[(said, "W:g") for said in ("Wild: Green", "wild to green", "play wild, choosing green", "green wild card")],
        *[(said, "b5") for said in ("blue five", "5 blue", "B 5", "the blue number 5", "put down b5", "**b5**", "blue-5")],
        *[(said, "draw") for said in ("draw", "Draw a card.", "draw one card", "I will draw", "pick up", "take a card", "D")],
        *[(said, "pass") for said in ("pass", "I pass.", "keep it", "keep the card", "no", "say nothing", "don't jump in")],
        *[(said, "uno") for said in ("UNO!", "call Uno", "say uno", "u")],
        *[(said, "challenge") for said in ("challenge", "I challenge!", "challenge player_1", "Challenge Ada")],
        *[(said, "catch") for said in ("catch", "Catch player_3", "catch Ada!")],
        *[(said, "accept") for said in ("accept", "I accept", "accept 4 cards", "draw 4", "take four", "do not challenge")],
        *[(said, "colour:y") for said in ("yellow", "color yellow", "colour: y", "name yellow", "y")],
        *[(said, "swap:2") for said in ("swap:2", "swap 2", "swap with 2", "swap hands with Ada", "Ada", "swap player_2")],
    ],
)
def test_natural_variants(said: str, action: str) -> None:
    assert meant(said) == action


def test_what_is_legal_decides_between_readings() -> None:
    assert meant("draw", "accept", "challenge") == "accept"
    assert meant("draw", "r5", "draw") == "draw"
    assert meant("no", "accept", "challenge") == "accept"
    assert meant("no", "r5", "pass") == "pass"
    assert meant("c", "catch", "pass") == "catch"
    assert meant("c", "accept", "challenge") == "challenge"


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ("Red is in force, so r5 fits. [r5]", "r5"),
        ("I could draw, but a skip is better.\nAction: blue skip", "bS"),
        ("Thinking: they hold few cards.\n\n**Move:** `W:r`", "W:r"),
        ("First I thought of [r5].\nBut no: [y2]", "y2"),
        ("Let me play safe.\n\ndraw\n", "draw"),
    ],
)
def test_the_answer_is_found_in_a_longer_text(said: str, action: str) -> None:
    assert meant(said) == action


@pytest.mark.parametrize("said", ["", "  ", "\n", "?!", "hello", "r55", "purple 5", "the", "r5 y5", "swap:9", "never draw"])
def test_what_names_nothing_is_unreadable(said: str) -> None:
    with pytest.raises(Unreadable, match="names no action"):
        meant(said)


@pytest.mark.parametrize("said", ["uno r5", "UNO, then play red 5", "red 5 uno", "Uno! Wild, blue"])
def test_two_actions_are_not_read_as_one(said: str) -> None:
    with pytest.raises(Unreadable, match="one action at a time: answer `uno` first"):
        meant(said)


def test_no_spelling_of_a_card_stands_for_another() -> None:
    from uno_env.spelling import _index

    shared = {key: actions for key, actions in _index(("player_0", "player_1")).items() if len(actions) > 1}
    assert set(shared.values()) <= {("draw", "accept"), ("pass", "accept"), ("challenge", "catch")}
