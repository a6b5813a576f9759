"""What a seat is shown: all it needs, and no hidden card, in whole games under rules that move hands about."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.play.seating import a_table, act_at_random, at_position, let_agents_play
from tests.positions import position_at
from train.playing import sight
from train.playing.table import Table, think
from uno_env import Game, Rules
from uno_env.cards import KIND_NAMES, KIND_OF_TEXT, KIND_TEXTS
from uno_env.notation import known_of
from uno_env.state import STATE

CARD_WORDS = re.compile(r"\b(" + "|".join(sorted(map(re.escape, KIND_NAMES), key=len, reverse=True)) + r")\b")
CARD_TEXTS = re.compile(r"\b([rygb][0-9SRD]|W4|WX|WS|WC|W)\b")


def cards_in(message: object) -> set[str]:
    """Every card that a message names, as text or in words."""
    text = message if isinstance(message, str) else json.dumps(message)
    return {name for name in CARD_TEXTS.findall(text)} | {KIND_TEXTS[KIND_NAMES.index(name)] for name in CARD_WORDS.findall(text)}


def seen_of(table: Table, game: Game, seat: int) -> dict[str, Any]:
    """The view of ``seat``, as if ``game`` were on the table."""
    kept, table.game = table.game, game
    try:
        return sight.view(table, seat)
    finally:
        table.game = kept


@pytest.mark.parametrize("preset", ["official", "party", "house_seven_zero", "team", "crash_course"])
@pytest.mark.parametrize("seed", [1, 2])
def test_hidden_cards_change_nothing_that_a_seat_sees(preset: str, seed: int) -> None:
    """Redraw all that a seat cannot know: what it is shown stays the same, word for word."""
    table = a_table(Rules.preset(preset, hand_shown_to="all" if seed == 2 else "challenger"), people=4, num_players=4, seed=seed)
    rng = random.Random(seed)
    changed = 0
    for step in range(150):
        if table.game.over:
            table.next_round(0) if not table.match_over else table.new_match(0)
        for seat in table.people:
            other = table.game.resample(seat, step)
            changed += other.position()["hands"] != table.game.position()["hands"]
            assert seen_of(table, other, seat) == sight.view(table, seat)
        act_at_random(table, rng)
    assert changed > 300  # the hands did differ


@pytest.mark.parametrize("preset", ["official", "party"])
def test_no_message_names_a_card_that_its_seat_cannot_know(preset: str) -> None:
    """An account of its own: a seat may be told of its hand, of what was placed, and of cards that `known_of` lists."""
    table = a_table(preset, people=[0, 2], num_players=4, seed=11, vs="rule")
    rng = random.Random(5)
    lawful: dict[int, Counter[str]] = {0: Counter(), 2: Counter()}
    lines_seen = {0: 0, 2: 0}

    def look(fresh: bool) -> None:
        position = table.game.position()
        for seat in table.people:
            known = {entry["holder"]: entry["cards"] for entry in known_of(table.game._states, 0) if entry["seat"] == seat}
            view = sight.view(table, seat)
            assert view["hand"] == position["hands"][seat]
            for player in view["players"]:
                assert player["known"] == (known.get(player["seat"], []))
                assert player["size"] == len(position["hands"][player["seat"]])
            if fresh:
                lawful[seat] = Counter()
            lawful[seat] |= Counter(view["hand"]) | Counter(position["discard_pile"])
            for texts in known.values():
                lawful[seat] |= Counter(texts)
            head = {key: value for key, value in view.items() if key not in ("log", "actions")}
            now = set(view["hand"]) | set(position["discard_pile"]) | {text for texts in known.values() for text in texts}
            assert cards_in(head) <= now
            assert cards_in([option["label"] for option in view["actions"]]) <= set(view["hand"]) | {
                position["discard_pile"][-1]
            } | {"W4"}
            # New lines of the log: another seat's draws are counted, never named.
            told = sight.lines(table, seat)
            for line in told[lines_seen[seat] :]:
                for part in line.split("; "):
                    if "draws" in part:
                        assert not cards_in(part), line
            lines_seen[seat] = len(told)

    look(True)
    for _ in range(400):
        if table.game.over:
            (table.new_match if table.match_over else table.next_round)(0)
            if len(table.log) < 3:
                lines_seen.update({0: 0, 2: 0})
            look(True)
        decision = table.decision()
        if decision is not None:
            table.answer(decision, think(decision))
        else:
            act_at_random(table, rng)
        look(False)


def jumpable() -> dict[str, Any]:
    return position_at([["r5", "y1", "y2"], ["g1", "g2", "r5"], ["b1", "b2"], ["b3", "b4"]], top="r1", rules="house_jump_in")


def test_nobody_sees_who_is_asked_to_jump_in() -> None:
    table = at_position(a_table("house_jump_in", people=4), jumpable())
    table.act(0, "r5")
    assert table.game.phase.name == "JUMP"
    assert table.game.actor == 1
    shown = {seat: sight.view(table, seat) for seat in (0, 2, 3)}
    assert sight.view(table, 1)["phase"] == "JUMP"
    for view in shown.values():
        assert view["phase"] is None
        assert not view["actions"]
        assert "Player 2" not in view["prompt"]
    # Whoever is asked, the others see the same.
    record = np.frombuffer(table.game.to_bytes(), STATE).copy()
    for actor in (2, 3):
        record["actor"] = actor
        for seat in {0, 2, 3} - {actor}:
            assert seen_of(table, Game.of_record(record.copy(), table.rules), seat) == shown[seat]
    # Declining shows to nobody; a call before it neither.
    logs = {seat: sight.lines(table, seat) for seat in (0, 2, 3)}
    table.act(1, "pass")
    assert all(sight.lines(table, seat) == logs[seat] for seat in logs)


def test_nobody_sees_whether_a_drawn_card_could_be_played() -> None:
    kept = position_at([["y1", "y2"], ["g1", "g2"], ["b1", "b2"], ["b3", "b4"]], top="r1", next_cards=["r9"], rules="official")
    unfit = position_at([["y1", "y2"], ["g1", "g2"], ["b1", "b2"], ["b3", "b4"]], top="r1", next_cards=["y9"], rules="official")
    tables = [at_position(a_table(people=4), position) for position in (kept, unfit)]
    for table in tables:
        table.act(0, "draw")
    assert tables[0].asks(0)
    assert not tables[1].asks(0)
    assert not sight.view(tables[0], 2)["phase"]
    tables[0].act(0, "pass")
    assert sight.view(tables[0], 2) == sight.view(tables[1], 2)


def test_the_challenger_sees_the_hand_and_the_others_do_not() -> None:
    position = position_at([["W4", "r2", "g2"], ["g1", "b2"], ["b1", "y2"], ["b3", "b4"]], top="r1", rules="official")
    table = at_position(a_table(people=4), position)
    table.act(0, "W4:b")
    asked = sight.view(table, 1)
    by_action = {option["action"]: option for option in asked["actions"]}
    assert by_action["accept"]["means"] == "You lose your turn."
    means = by_action["challenge"]["means"]
    assert "If Player 1 held red when playing it, Player 1 draws 4 cards and you play on" in means
    assert "if not, you draw 6 cards and lose your turn" in means
    assert "Either way you see Player 1's hand." in means
    assert "decides whether to challenge" in sight.view(table, 2)["prompt"]
    table.act(1, "challenge")
    assert sight.view(table, 1)["players"][0]["known"] == ["r2", "g2"]
    assert not sight.view(table, 2)["players"][0]["known"]
    assert "You challenge: a bluff; Player 1 draws 4 cards" in sight.lines(table, 1)


def test_a_wrong_challenge_in_a_stack_and_an_outsiders() -> None:
    rules = {"wild_draw_four": "challenge", "challenger": "any", "failed_challenge_draw": 4, "stacking": "same"}
    position = position_at([["W4", "y2", "g2"], ["g1", "b2"], ["b1", "y2"], ["b3", "b4"]], top="r1", rules=rules)
    table = at_position(a_table(Rules.of(rules), people=4), position)
    table.act(0, "W4:b")
    means = {option["action"]: option["means"] for option in sight.view(table, 1)["actions"]}
    assert means["accept"].startswith("If nobody else challenges, you draw them")
    assert "if not, you draw 4 cards and lose your turn" in means["challenge"]
    table.act(1, "accept")
    means = {option["action"]: option["means"] for option in sight.view(table, 2)["actions"]}
    assert "Player 2 plays on; if not, you draw 2 cards, and Player 2 draws 4 cards." in means["challenge"]


def test_sentences_about_you() -> None:
    says = sight.in_second_person
    assert says("You plays red 5") == "You play red 5"
    assert says("You plays Wild and names red") == "You play Wild and name red"
    assert says("You passes") == "You pass"
    assert says("You catches the missing call; Ada draws 2 cards") == "You catch the missing call; Ada draws 2 cards"
    assert says("You does not jump in") == "You do not jump in"
    assert says("Ada swaps hands with You") == "Ada swaps hands with you"
    assert says("Ada plays red Draw Two; You draws 2 cards (r1 r2)") == "Ada plays red Draw Two; you draw 2 cards (r1 r2)"
    assert says("Ada plays Wild and names red") == "Ada plays Wild and names red"


def test_every_decision_is_put_into_words() -> None:
    prompts: dict[str, str] = {}
    for preset in ("official", "party", "crash_course", "house_seven_zero"):
        table = a_table(preset, people=3, num_players=3, seed=2)
        rng = random.Random(preset)
        for _ in range(300):
            if table.game.over:
                (table.new_match if table.match_over else table.next_round)(0)
            view = sight.view(table, table.game.actor)
            prompts[view["phase"]] = view["prompt"]
            assert all(option["label"] for option in view["actions"])
            assert view["prompt"]
            assert all(KIND_OF_TEXT.get(card) is not None for card in view["hand"])
            act_at_random(table, rng)
    assert {"PLAY", "DRAWN", "JUMP", "SWAP", "CATCH", "CHALLENGE", "STACK"} <= set(prompts)


def test_the_end_is_told_and_let_agents_play_leaves_people_their_turn() -> None:
    table = a_table("digital", num_players=2, seed=5)
    rng = random.Random(0)
    while not table.game.over:
        let_agents_play(table)
        if not table.game.over:
            assert sight.view(table, 0)["phase"]
            act_at_random(table, rng)
    view = sight.view(table, 0)
    assert view["round_over"]
    assert view["match_over"]
    assert re.fullmatch(r"(You win|Ada wins) the round\.", view["prompt"])
    assert view["turn"] is None
