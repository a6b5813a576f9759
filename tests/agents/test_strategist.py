"""`strategist`: what it must see in positions that people can follow."""

from __future__ import annotations

import numpy as np
import pytest

import agents
from agents.strategist import FEATURES, FLAGS, HABITS, WEIGHTS, settings_for
from tests.agents.test_scripted import LONG, choices, only_choice
from tests.positions import at
from uno_env.game import Game
from uno_env.rules import Rules
from uno_env.view import View

OTHERS = ["b8", "y9", "g1", "y1", "b2"]


def test_every_setting_has_a_value():
    for weights in WEIGHTS.values():
        assert set(weights) == {*FEATURES, *HABITS}
    settings = settings_for(Rules.preset("party", num_players=2))
    assert len(settings) == len(FEATURES) + len(HABITS) + len(FLAGS)
    assert settings[-len(FLAGS) :].tolist() == [1, 1, 1, 1, 1]
    assert settings_for(Rules.preset("digital", num_players=2, two_player_reverse="plain"))[-len(FLAGS) :].tolist() == [0] * 5


@pytest.mark.parametrize("hand", [["rS", "rR", "bR", "b4"], ["g5", "gD", "yD", "yS", "rS"], ["rD", "rS", "W"]])
def test_finds_a_chain_that_nobody_can_stop(hand):
    game = at([hand, OTHERS], top="r9" if "rS" in hand[:2] or "rD" in hand else "g9", n=2, rules="digital")
    agent, rng = agents.load("strategist"), np.random.default_rng(0)
    if hand[0] == "g5":
        game = at([hand, OTHERS], top="gS", n=2, rules="digital")
    while not game.over:
        assert game.actor == 0
        game.push(agent.act(View(game, rng)))
    assert game.outcome is not None
    assert game.outcome.winners == (0,)


def test_no_chain_where_a_reverse_gives_no_turn():
    hand = ["rR", "bR", "r4", "b4", "b9", "b3"]
    agent = agents.load("strategist")
    for two_player_reverse in ("skip", "plain"):
        game = at([hand, OTHERS], top="r9", n=2, rules={"two_player_reverse": two_player_reverse})
        assert game.action_text(agent.act(View(game, np.random.default_rng(0)))) in game.legal_texts()


@pytest.mark.parametrize("n", [2, 4])
def test_keeps_the_wild_for_the_last_card(n):
    assert only_choice("strategist", at([["r1", "W"]], top="r5", n=n, rules="digital")) == "r1"


@pytest.mark.parametrize("n", [2, 4])
def test_goes_out_when_it_can(n):
    assert only_choice("strategist", at([["r1"]], top="r5", n=n)) == "r1"
    assert only_choice("strategist", at([["W4"]], top="r5", n=n)).startswith("W4")


@pytest.mark.parametrize("n", [2, 4])
def test_names_the_colour_that_it_holds(n):
    assert only_choice("strategist", at([["g1", "g2", "g8", "g9", "W"]], top="r5", n=n, rules="digital")) == "W:g"


def test_stops_a_player_with_one_card():
    game = at([["r1", "rS", "r3", "b6", "g3"], ["y4"]], top="r5", n=4, rules="digital")
    assert only_choice("strategist", game) == "rS"


def after_a_wild_draw_four(n: int, hand: list[str], rules: dict, **keys) -> Game:
    game = at([["W4", *hand], OTHERS], top="r5", n=n, rules=rules, **keys)
    game.push("W4:g")
    assert game.legal_texts() == ["accept", "challenge"]
    return game


# All red cards are on the table or in the challenger's own hand: the Wild Draw Four cannot have been a bluff.
REDS = ["r0", *(f"r{symbol}" for symbol in "123456789SRD" for _ in range(2))]


@pytest.mark.parametrize("n", [2, 4])
@pytest.mark.parametrize(
    ("rules", "always"),
    [({}, "two"), ({"hand_shown_to": "none"}, "never"), ({"failed_challenge_draw": 4}, "any")],
)
def test_challenges(n, rules, always):
    guilty = after_a_wild_draw_four(n, ["r2", *LONG], rules, known=[{"seat": 1, "holder": 0, "cards": ["r2"]}])
    assert only_choice("strategist", guilty) == "challenge"
    # To see the hand of the only opponent is worth a challenge that must fail, and so is one that costs nothing.
    innocent = after_a_wild_draw_four(n, LONG, rules, below=[card for card in REDS if card != "r5"] + ["r5"])
    always_now = always == "any" or (always == "two" and n == 2)
    assert only_choice("strategist", innocent) == ("challenge" if always_now else "accept")


# House rules ----------------------------------------------------------------------------------------------------------


def test_does_not_give_a_good_hand_away():
    rules = {"seven_zero": "both"}
    hands = [["r7", "r1", "b2"], [*OTHERS, "b4"], ["g8", "g9", "y2", "y4", "b3"], ["y3", "y6", "g4", "g6"]]
    assert only_choice("strategist", at(hands, top="r5", rules=rules)) == "r1"
    hands[0] = ["r0", "r1", "b2"]
    assert only_choice("strategist", at(hands, top="r5", rules=rules)) == "r1"


def test_swaps_a_bad_hand_for_a_good_one():
    rules = {"seven_zero": "both"}
    hands = [["r7", "r1", "b2", "b3", "g4", "g8", "y9"], OTHERS, ["y3", "g6"], ["g9", "y8", "y6", "b9"]]
    game = at(hands, top="r5", rules=rules)
    assert only_choice("strategist", game) == "r7"
    game.push("r7")
    assert only_choice("strategist", game) == "swap:2"


def test_declines_a_swap_that_hurts():
    game = at([["r7", "b2"], OTHERS, ["y3", "g6"]], top="r5", n=3, rules={"seven_zero": "both", "seven_optional": True})
    game.push("r7")
    assert only_choice("strategist", game) == "pass"


def test_jumps_in_unless_that_gives_a_good_hand_away():
    rules = {"jump_in": True, "seven_zero": "both"}
    game = at([["r2", *LONG], OTHERS, ["r2", "b9"], ["g8", "g9", "y4"]], top="r5", rules=rules)
    game.push("r2")
    assert game.legal_texts() == ["r2", "pass"]
    assert only_choice("strategist", game) == "r2"
    game = at([["r7", *LONG], OTHERS, ["r7", "b9"], ["g8", "g9", "y4"]], top="r5", rules=rules)
    game.push("r7")
    assert game.legal_texts() == ["r7", "pass"]
    assert only_choice("strategist", game) == "pass"


def test_answers_a_stack():
    game = at([["rD", *LONG], ["bD", "y9", "g1"]], top="r5", rules="house_stacking")
    game.push("rD")
    assert only_choice("strategist", game) == "bD"


def test_does_not_catch_its_partner():
    for offender, answer in ((1, "catch"), (0, "pass")):
        hands = [["r1", "b2"], OTHERS, ["y3", "g6", "b9"], ["y6", "g4", "g8"]]
        game = at(hands, top="r5", rules={"teams": 2, "uno_call": "declare"})
        game.push("r1")
        while game.actor != (2 if offender == 0 else 1):
            game.push("pass")
        assert only_choice("strategist", game) == answer


def test_an_outsider_challenges_only_where_it_helps():
    rules = {"challenger": "any"}
    known = [{"seat": 2, "holder": 0, "cards": ["r2"]}]
    for hand, answer in ((["W4", "r2", *LONG], "pass"), (["W4", "r2"], "challenge")):
        game = at([hand, OTHERS, ["y6", "g8"]], top="r5", n=3, rules=rules, known=known)
        game.push("W4:g")
        game.push("accept")
        assert game.legal_texts() == ["pass", "challenge"]
        assert only_choice("strategist", game) == answer


def test_bluffs_now_and_then():
    # Its colours are poor and the next player is about to go out: a bluff is worth a try, but never the rule.
    game = at([["r1", "W4", "b3", "y8", "g4"], ["y4"]], top="r5", n=2, rules="research")
    found = choices("strategist", game, 1000)
    assert sum(count for text, count in found.items() if text.startswith("W4")) < 500
    honest = Game.from_position({**game.position(), "rules": "digital"})
    assert not any(text.startswith("W4") for text in choices("strategist", honest, 50))
