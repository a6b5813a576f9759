"""The table as text holds what a person needs, and for one seat no more than that seat may know."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from tests.env.play import pick
from uno_env import PRESETS, Game, uno_v0
from uno_env.cards import KIND_TEXTS
from uno_env.render.text import event_line, table

POSITION: dict[str, Any] = {
    "rules": {"uno_call": "declare"},
    "hands": [["r5", "W"], ["b1", "b2", "gS"], ["y9"]],
    "draw_pile": ["b7", "rS", "g3", "g4"],
    "discard_pile": ["y1", "r9"],
    "declared": [False, False, True],
    "scores": [120, 0, 45],
    "direction": -1,
}


def test_everything_is_on_the_table() -> None:
    game = Game.from_position(POSITION)
    assert table(game) == "\n".join(
        [
            "Uno, official rules, 3 players; round 1, turn 1",
            "Direction    counter-clockwise: player_2 > player_1 > player_0 > ...",
            "Top card     red 9 (r9)",
            "Colour       red",
            "Piles        4 to draw, 2 discarded",
            "Pending draw none",
            "",
            "   player             cards  score  Uno     hand",
            ">  player_0               2    120          r5 W",
            "   player_1               3      0          gS b1 b2",
            "   player_2 (dealer)      1     45  called  y9",
            "",
            "It is the turn of player_0. player_0 plays a card or draws (PLAY).",
            "Legal: r5, W:r, W:y, W:g, W:b, draw, uno",
        ]
    )


def test_one_seat_sees_its_own_cards() -> None:
    game = Game.from_position(POSITION)
    assert table(game, 1).splitlines()[8:] == [
        ">  player_0               2    120          ? ?",
        "   player_1               3      0          gS b1 b2",
        "   player_2 (dealer)      1     45  called  ?",
        "",
        "It is the turn of player_0.",
    ]
    assert "Legal: r5" in table(game, 0)


def test_events_are_told() -> None:
    game = Game.from_position(POSITION)
    game.push("uno")
    game.push("W:b")
    text = table(game, names=["Ann", "Bob", "Cem"])
    assert "\nWhat happened last:\n  Ann calls Uno\n  Ann plays Wild and names blue\n" in text
    assert "Colour       blue" in text
    assert "What happened" not in table(game, num_events=0)
    assert "\nWhat happened last:\n  player_0 plays Wild and names blue\n\n" in table(game, num_events=1)


def test_drawn_cards_are_counted_for_others() -> None:
    game = Game.from_position(POSITION | {"hands": [["g5", "g6"], ["b1", "b2"], ["y9", "y8"]], "declared": [False] * 3})
    names = ["Ann", "Bob", "Cem"]
    event = game.push("draw")
    assert event_line(event, names) == event_line(event, names, 0) == "Ann draws 1 card (b7)"
    assert event_line(event, names, 1) == "Ann draws 1 card"


def test_a_challenge_is_told() -> None:
    hands = [["r5", "b1", "W4"], ["y1", "y2"], ["g1", "g2"]]
    game = Game.from_position({"hands": hands, "draw_pile": ["b7", "b8", "b9", "g9", "g7", "g8"], "discard_pile": ["r9"]})
    game.push("W4:g")
    text = table(game)
    assert "Pending draw 4" in text
    assert "player_1 may challenge the Wild Draw Four (CHALLENGE)" in text
    assert table(game, 2).endswith("It is the turn of player_0.")
    event = game.push("challenge")
    assert event_line(event, ["A", "B", "C"]) == "B challenges: a bluff; A draws 4 cards (b7 b8 b9 g9)"
    assert "r5 b1 ? ? ? ?" in table(game, 1)  # the challenger saw the hand
    assert "? ? ? ? ? ?" in table(game, 2)


def test_the_end_is_told() -> None:
    game = Game.from_position({"hands": [["r5"], ["b1", "W"], ["y9"]], "draw_pile": ["b7"], "discard_pile": ["r9"]})
    event = game.push("r5")
    assert event_line(event, ["A", "B", "C"]) == "A plays red 5; the round is over: A +60"
    assert table(game).endswith("The round is over (out), won by player_0.")
    won = Game.from_position(
        {"hands": [["r5"], ["b1", "W"], ["y9"]], "draw_pile": ["b7"], "discard_pile": ["r9"], "scores": [450, 0, 0]}
    )
    won.push("r5")
    assert table(won).endswith("The match is over, won by player_0.")


def test_nobody_can_tell_who_might_have_jumped_in() -> None:
    rng = random.Random(0)
    names = [f"player_{seat}" for seat in range(4)]
    unseen = 0
    for seed in range(20):
        game = Game("party", seed)
        while not game.over:
            actor = game.actor
            event = game.push(pick(game.action_mask(), rng))
            for viewpoint in range(4):
                line = event_line(event, names, viewpoint)
                secret = ("pass", "JUMP"), ("pass", "DRAWN"), ("pass", "CATCH"), ("uno", "JUMP")
                if (event.action, event.phase.name) in secret and viewpoint != actor:
                    assert line is None
                    unseen += 1
                else:
                    assert line is not None
                    told = set(re.findall(r"\(([^)]*)\)", line))
                    own = {" ".join(cards) for seat, cards in event.drawn if seat == viewpoint}
                    assert told == own
    assert unseen > 0


@pytest.mark.parametrize("preset", PRESETS)
def test_every_event_and_decision_has_words(preset: str) -> None:
    env = uno_v0.raw_env(preset, render_mode="ansi", viewpoint="all", episode="match")
    rng = random.Random(1)
    env.reset(seed=1)
    for _ in range(400):
        if not env.agents or any(env.terminations.values()) or any(env.truncations.values()):
            text = env.render()
            assert isinstance(text, str)
            assert "The round is over" in text
            env.reset()
        game, text = env.game(), env.render()
        assert isinstance(text, str)
        assert f"It is the turn of player_{game.state.turn}. player_{game.actor} " in text
        assert text.endswith(f"({game.phase.name}).\nLegal: {', '.join(game.legal_texts())}")
        for seat in range(game.num_players):
            assert " ".join(game.hand(seat)) in text
        top = [f"({KIND_TEXTS[kind]})" for kind in game.state.discard_pile[-1:]] or ["Top card     none"]
        assert top[0] in text
        assert f"{game.state.draw_size} to draw, {game.state.discard_size} discarded" in text
        env.step(pick(env.last()[0]["action_mask"], rng))


def test_without_a_render_mode_render_warns() -> None:
    env = uno_v0.raw_env()
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="without specifying any render mode"):
        assert env.render() is None
