"""The rule that applied, in words: right in the cases that matter, there for every event, silent about what a seat cannot know."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from tests.env.play import pick
from uno_env import PRESETS, Game
from uno_env.render.explain import rules_for
from uno_env.render.text import event_line

NAMES = ["Ann", "Bob", "Cem", "Dia"]
PARAGRAPHS = set(
    re.findall(r"^#+ (\d+\.\d+) ", (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8"), re.M)
)


def told(game: Game, *actions: str, viewpoint: int | None = None) -> list[str]:
    """What is said of the last of these actions."""
    said: list[str] = []
    for action in actions:
        before = game.position()
        event = game.push(action)
        said = rules_for(event, before, game.position(), game.rules, NAMES, viewpoint)
    return said


def table(hands: list[list[str]], **more: Any) -> Game:
    return Game.from_position({"hands": hands, "draw_pile": ["b7", "b8", "b9", "g9", "g7", "g8"], "discard_pile": ["r9"], **more})


def test_a_bluff_and_its_challenge() -> None:
    hands = [["r5", "b1", "W4"], ["y1", "y2"], ["g1", "g2"]]
    bluff = "It is a bluff: Ann holds red (r5), the colour in force (rules.md 2.9)."
    hidden = "A Wild Draw Four is honest if its player holds no red card, and a bluff otherwise (rules.md 2.9)."
    assert told(table(hands), "W4:g")[0] == told(table(hands), "W4:g", viewpoint=0)[0] == bluff
    assert (
        told(table(hands), "W4:g", viewpoint=1)[0]
        == told(table([["b5", "b1", "W4"], *hands[1:]]), "W4:g", viewpoint=1)[0]
        == hidden
    )
    assert told(table(hands), "W4:g", "challenge") == ["Ann bluffed: it held red; Ann draws 4, and Bob plays on (rules.md 2.10)."]
    honest = [["b5", "b1", "W4"], *hands[1:]]
    assert told(table(honest), "W4:g")[0] == "It is honest: Ann holds no card of the colour in force, red (rules.md 2.9)."
    assert told(table(honest), "W4:g", "challenge") == [
        "Ann was honest: it held no red; Bob draws 6, and a turn is lost (rules.md 2.10)."
    ]
    assert told(table(honest), "W4:g", "accept") == [
        "Bob does not challenge, draws 4 and loses its turn; a bluff is not raised again (rules.md 2.10)."
    ]


def test_why_a_card_fits() -> None:
    hands = [["r5", "b9", "W", "g1"], ["y1", "y2"], ["g1", "g2"]]
    assert told(table(hands), "r5") == ["It fits: red is in force (rules.md 2.5)."]
    assert told(table(hands), "b9") == ["It fits: 9 on 9; blue is in force now (rules.md 2.5)."]
    assert told(table(hands), "W:y") == ["A wild fits on everything; its player names yellow (rules.md 2.5)."]
    drawn = table([["g5", "g6"], ["b1", "b2"], ["y9", "y8"]], draw_pile=["r1", "r2"])
    assert told(drawn.copy(), "draw")[-1] == "The card fits: it may be played now (rules.md 2.7)."
    assert len(told(drawn.copy(), "draw", viewpoint=1)) == 1
    assert told(drawn.copy(), "draw", "r1")[0].startswith("The card just drawn may be played at once (rules.md 2.7).")
    assert told(drawn.copy(), "draw", "pass") == ["Ann keeps the card it drew, and its turn ends (rules.md 2.7)."]


def test_calls() -> None:
    hands = [["r5", "r6"], ["y1", "y2"], ["g1", "g2"]]
    assert told(table(hands), "uno") == ["Ann calls Uno before the play that leaves it one card (rules.md 2.11)."]
    assert told(table(hands), "uno", "r5")[-1] == "Ann had called Uno, so nobody can catch it (rules.md 2.11)."
    assert told(table(hands), "r5")[-1] == "Ann did not call Uno: it can be caught until the card takes effect (rules.md 2.11)."
    assert told(table(hands), "r5", "catch") == [
        "Ann holds one card without having called Uno: caught, it draws 2 (rules.md 2.11)."
    ]
    assert told(table(hands), "r5", "pass") == ["Bob does not catch Ann, who did not call Uno (rules.md 2.11)."]


def test_house_rules() -> None:
    stack = table([["rD", "r6", "b1"], ["yD", "y2", "b2"], ["g1", "g2"]], rules="house_stacking")
    assert told(stack.copy(), "rD")[-1] == "The next player may answer with another draw card (rules.md 3.1)."
    assert told(stack.copy(), "rD", "yD") == [
        "A draw card answers a draw card: the 2 due pass on to the next player (rules.md 3.1).",
        "Cem has no answer, draws the 4 due and loses its turn (rules.md 3.1).",
    ]
    seven = table([["r7", "r6", "b1"], ["yD", "y2", "b2"], ["g1", "g2"]], rules="house_seven_zero")
    assert told(seven.copy(), "r7")[-1] == "7: Ann swaps hands with a player of its choice (rules.md 3.2)."
    assert told(seven.copy(), "r7", "swap:2") == ["After a 7 Ann swaps its whole hand with that of Cem (rules.md 3.2)."]
    jump = table([["r7", "r6", "b1"], ["y7", "y2", "b2"], ["r7", "g2", "g3"]], rules="house_jump_in")
    assert told(jump, "r7", "r7")[0] == "The card is identical to the one on top, so it may be played out of turn (rules.md 3.3)."


def test_the_end() -> None:
    game = table([["r5"], ["b1", "W"], ["y9"]])
    assert told(game, "r5")[1:] == [
        "Ann is out of cards and wins the round (rules.md 2.13).",
        "The winner scores the cards left in the other hands (rules.md 2.14).",
    ]
    draw = table([["rD"], ["b1", "W"], ["y9"]])
    assert "The last card still makes Bob draw 2 before the hands are counted (rules.md 2.13)." in told(draw, "rD")


@pytest.mark.parametrize("preset", PRESETS)
def test_every_event_has_a_rule_that_exists(preset: str) -> None:
    rng = random.Random(5)
    for seed in range(6):
        game = Game(preset, seed)
        names = [f"Seat {seat}" for seat in range(game.num_players)]
        for _ in range(300):
            if game.over:
                break
            before = game.position()
            event = game.push(pick(game.action_mask(), rng))
            after = game.position()
            said = rules_for(event, before, after, game.rules, names)
            assert said
            assert event_line(event, names)
            for sentence in said:
                assert sentence.endswith(".")
                assert set(re.findall(r"rules\.md (\d+\.\d+)", sentence)) <= PARAGRAPHS
            assert any("rules.md" in sentence for sentence in said)
            for viewpoint in range(game.num_players):
                if event_line(event, names, viewpoint) is None:
                    continue
                hidden = rules_for(event, before, after, game.rules, names, viewpoint)
                if viewpoint != event.seat and event.verdict is None:
                    assert not [
                        word for sentence in hidden for word in ("bluff:", "honest:", "may be played now") if word in sentence
                    ]


def test_what_a_seat_reads_does_not_depend_on_hidden_cards() -> None:
    rng = random.Random(2)
    for seed in range(10):
        game = Game("official", seed, num_players=3)
        names = [f"Seat {seat}" for seat in range(3)]
        while not game.over and len(game.history) < 120:
            twins = [(seat, game.resample(seat, 7)) for seat in range(3) if seat != game.actor]
            before, actor = game.position(), game.actor
            action = pick(game.action_mask(), rng)
            event = game.push(action)
            for seat, twin in twins:
                if event.action not in twin.legal_texts():
                    continue
                mine = twin.position()
                other = twin.push(event.action)
                if other.verdict != event.verdict or [len(d[1]) for d in other.drawn] != [len(d[1]) for d in event.drawn]:
                    continue
                assert twin.rules == game.rules
                assert actor == other.seat
                if event.points is None and event_line(event, names, seat) is not None:
                    assert rules_for(event, before, game.position(), game.rules, names, seat) == rules_for(
                        other, mine, twin.position(), game.rules, names, seat
                    )
