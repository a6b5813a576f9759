"""One test per ruling of `rulings.md`, under its number: what `rules.md` and `design.md` leave open, decided."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.positions import AUTO, at, by_kind, dealt, drawn_by, expect, play, position_at, sizes
from uno_env import PRESETS, Game, IllegalAction, Outcome, PositionError, Rules, RulesError

CALLS = {"uno_call": "declare"}
SAME = {"stacking": "same"}
BOTH = {"seven_zero": "both"}
JUMP = {"jump_in": True}
STUCK = [["b1", "b2"], ["g1", "g2"], ["b3", "b4"], ["y1", "y2"]]
"""Hands without a card that fits on r5."""


def stuck(hands: list[list[str]] = STUCK, rules: Any = None, **keys: Any) -> Game:
    """Nobody has anything to draw."""
    return at(hands, rules=rules, draw_pile=[], discard_pile=["r5"], **keys)


# Shape of a game ------------------------------------------------------------------------------------------------------


def test_ruling_01_rounds_and_matches() -> None:
    game = play(at([["r1"], ["b9", "W"]], n=2, scores=[400, 499]), "r1")
    assert game.outcome == Outcome(winners=(0,), points=(59, 0), termination="out")
    assert game.scores == [459, 499]
    assert game.match_winners is None
    game.next_round()
    expect(game, round=2, dealer=0, scores=[459, 499])
    assert game.outcome is None
    with pytest.raises(ValueError, match="the round is not over"):
        game.next_round()
    game = play(at([["r1"], ["b9", "W"]], n=2, scores=[441, 499]), "r1")
    assert game.match_winners == (0,)
    with pytest.raises(ValueError, match=r"the match is over, won by \[0\]"):
        game.next_round()


def test_ruling_02_play_and_drawn_are_always_asked() -> None:
    expect(at([["b1", "b2"]]), phase="PLAY", legal=["draw"])
    expect(stuck(), phase="PLAY", legal=["pass"])
    game = play(at([["b1", "b2"]], rules={"drawn_card": "must"}, next_cards=["r9"]), "draw")
    expect(game, phase="DRAWN", legal=["r9"])


def test_ruling_03_a_stack_without_an_answer_is_drawn() -> None:
    expect(play(at([["rD", "b1"], ["r1", "r2"]], rules=SAME), "rD"), phase="PLAY", actor=2, sizes=[1, 4, 2, 2])


def test_ruling_04_a_single_play_is_asked_too() -> None:
    rules = CALLS | {"drawn_card": "must"}
    game = play(at([["b1"]], rules=rules, next_cards=["r9"]), "draw")
    expect(game, phase="DRAWN", legal=["r9", "uno"])


def test_ruling_05_swap_is_a_phase_after_the_jump_window() -> None:
    game = at([["r7", "b1", "b2"], ["g1", "g2"], ["r7", "y1"]], rules=BOTH | JUMP)
    assert "r7" in game.legal_texts()  # the target is not part of the play
    expect(play(game, "r7"), phase="JUMP", actor=2)
    expect(play(game, "pass"), phase="SWAP", actor=0, turn=0)


def test_ruling_06_two_players_swap_at_once() -> None:
    game = play(at([["r7", "b1"], ["g1", "g2", "g3"]], n=2, rules=BOTH), "r7")
    expect(game, phase="PLAY", actor=1, hands=[["g1", "g2", "g3"], ["b1"]])
    game = play(at([["b1", "WX"], ["g1", "g2", "g3"]], n=2, rules={"deck": "swap"}), "WX:b")
    expect(game, phase="PLAY", actor=1, hands=[["g1", "g2", "g3"], ["b1"]])
    game = play(at([["r7", "b1"], ["g1", "g2"]], n=2, rules=BOTH | {"seven_optional": True}), "r7")
    expect(game, phase="SWAP", legal=["pass", "swap:1"])


def test_ruling_07_whose_turn_it_is() -> None:
    hands = [["r7", "b1"], ["g1", "g2"], ["r7", "y1"]]
    game = at(hands, rules=CALLS | BOTH | JUMP)
    expect(play(game, "r7"), phase="JUMP", turn=0, actor=2)
    expect(play(game, "pass"), phase="SWAP", turn=0, actor=0)
    expect(play(game, "swap:2"), phase="PLAY", turn=1)
    expect(play(at([["b1", "W4"]], rules=CALLS), "W4:b"), phase="CATCH", turn=0, actor=1)
    expect(play(at([["b1", "b2", "W4"]]), "W4:b"), phase="CHALLENGE", turn=0, actor=1)
    game = play(at([["rD", "b1"], ["bD", "g1"], ["gD", "g2"]], rules=SAME), "rD")
    expect(game, phase="STACK", turn=1, actor=1)
    expect(play(game, "bD"), phase="STACK", turn=2, actor=2)  # the answer made the turn seat 1's, the total seat 2's
    game = play(at([["b1", "W4"], ["b2", "y1", "W4"], ["b3", "W4"]], "g5", rules=SAME), "W4:r", "W4:b")
    expect(game, phase="CHALLENGE", turn=1, actor=2)


def test_ruling_08_no_challenge_means_stack() -> None:
    for mode in ("enforced", "free"):
        game = play(at([["b1", "W4"], ["g1", "W4"]], rules=SAME | {"wild_draw_four": mode}), "W4:b")
        expect(game, phase="STACK", actor=1, legal=["W4:r", "W4:y", "W4:g", "W4:b", "accept"], pending_draw=4)


def test_ruling_09_pending_rises_with_the_effect() -> None:
    rules = CALLS | JUMP | SAME
    game = play(at([["rD", "b1"], ["bD", "rD", "g1"], ["gD", "g2", "g3"]], rules=rules), "rD")
    expect(game, phase="JUMP", pending_draw=0)
    expect(play(game, "pass"), phase="CATCH", pending_draw=0)
    expect(play(game, "pass", "pass", "pass"), phase="STACK", pending_draw=2, actor=1)
    expect(play(game, "bD"), phase="STACK", pending_draw=4, actor=2)
    expect(play(game, "gD"), phase="PLAY", pending_draw=0)
    expect(play(at([["b1", "W4"]]), "W4:b"), phase="CHALLENGE", pending_draw=4)


def test_ruling_10_over() -> None:
    game = play(at([["rR"], ["b1", "b2"]], "r9"), "rR")
    expect(game, phase="OVER", pending_draw=0, drawn=None, colour="r", direction=1, legal=[])


def test_ruling_11_outcome() -> None:
    team = play(at([["r1"], ["b5"], ["g1"], ["g2"]], rules={"teams": 2}), "r1")
    assert team.outcome == Outcome(winners=(0, 2), points=(7, 0, 7, 0), termination="out")
    void = play(stuck(), *["pass"] * 4)
    assert void.outcome == Outcome(winners=(), points=(0,) * 4, termination="stalemate")
    cut = play(at([["b1", "b2"]], rules={"max_turns": 1, "drawn_card": "never"}), "draw")
    assert cut.outcome == Outcome(winners=(), points=(0,) * 4, termination="truncated")


def test_ruling_12_nulls() -> None:
    expect(dealt("W"), phase="COLOUR", colour=None)
    game = Game("crash_course", 1)
    expect(game, colour=None, discard_pile=[], phase="PLAY")
    with pytest.raises(PositionError, match="declared"):
        at([["r1", "b1"]], declared=[True, False, False, False])  # calls are automatic
    game = at([["r1", "b1"]])
    expect(play(game, "r1"), declared=[False] * 4)


def test_ruling_13_the_positions_number_of_players_wins() -> None:
    game = Game.from_position({"rules": {"num_players": 4}, "num_players": 2, "hands": [["r1"], ["b1"]], "discard_pile": ["r5"]})
    assert game.num_players == 2
    with pytest.raises(PositionError, match="hands: 2 hands for 4 players"):
        Game.from_position({"rules": {"num_players": 4}, "hands": [["r1"], ["b1"]], "discard_pile": ["r5"]})


def test_ruling_14_plain_values() -> None:
    expect(at([["b1", "b2"]]), passes=0, turns=1)
    game = play(at([["b1", "b2"]], rules={"max_turns": 1, "drawn_card": "never"}), "draw")
    expect(game, phase="OVER", turns=1)
    with pytest.raises(PositionError, match="offender"):
        at([["r1"]], phase="CATCH")
    with pytest.raises(PositionError, match="phase"):
        at([["r1"]], phase="JUMP")
    game = play(at([["r7", "b1"], ["g1", "g2"], ["r7", "y1"]], rules=CALLS | BOTH | JUMP), "r7")
    for action in ("pass", "swap:2"):
        again = Game.from_position(game.position())
        assert again.position() == game.position()
        game.push(action)
        assert Game.from_position(again.position()).push(action) == game.history[-1]


def test_ruling_15_seat_0_is_the_dealers_left() -> None:
    seen = set()
    for seed in range(40):
        game = Game(AUTO | {"first_dealer": "random", "starter": "flip_number"}, seed)
        dealer = game.position()["dealer"]
        seen.add(dealer)
        expect(game, actor=(dealer + 1) % 4)
    assert seen == {0, 1, 2, 3}
    game = play(at([["r1"]], dealer=1), "r1")
    game.next_round()
    expect(game, dealer=2)


# Set-up ---------------------------------------------------------------------------------------------------------------


def test_ruling_16_a_wild_draw_four_is_buried() -> None:
    rules = {"starter": "flip_number", "deck": {"W4": 2, "g7": 6}, "hand_size": 1}
    expect(dealt(["W4", "g7"], rules, n=2), colour="g", phase="PLAY")


def test_ruling_17_decks_without_a_sure_starter() -> None:
    with pytest.raises(RulesError, match="starter='flip': after the deal 4 cards are left, which may all be Wild Draw Fours"):
        Rules(num_players=2, hand_size=2, deck={"W4": 4, "r1": 4})
    Rules(num_players=2, hand_size=2, deck={"W4": 4, "r1": 5})
    with pytest.raises(RulesError, match="starter='flip_number'"):
        Rules(num_players=2, hand_size=2, deck={"W": 1, "rS": 3, "r1": 4}, starter="flip_number")
    Rules(num_players=2, hand_size=2, deck={"W": 1, "rS": 3, "r1": 5}, starter="flip_number")
    Rules(num_players=2, hand_size=2, deck={"W4": 5}, starter="first_player")


def test_ruling_18_the_opening() -> None:
    rules = {"starter": "first_player"}
    expect(at([["b1", "W", "W4"]], rules=rules, discard_pile=[]), legal=["b1", "W:r", "W:y", "W:g", "W:b"])
    game = at([["W4", "W4"]], rules=rules, discard_pile=[])
    expect(game, legal=["W4:r", "W4:y", "W4:g", "W4:b"])
    expect(play(game, "W4:b"), phase="PLAY", actor=2, sizes=[1, 6, 2, 2], guilty=None)
    game = at([["b1", "g2"], ["g1", "g3"], ["b1", "y1"]], rules=rules | JUMP, discard_pile=[])
    expect(play(game, "b1"), phase="JUMP", actor=2)


def test_ruling_19_a_starter_reverse_with_two() -> None:
    for choice in ("dealer", "right_of_dealer", "left_of_dealer"):
        deck = {"rR": 20}
        expect(dealt("rR", {"deck": deck, "starter_reverse": choice}, n=2), actor=1)
        plain = {"deck": deck, "starter_reverse": choice, "two_player_reverse": "plain"}
        expect(dealt("rR", plain, n=2), actor=1 if choice == "dealer" else 0)


def test_ruling_20_direction_with_two() -> None:
    for plain in ("skip", "plain"):
        expect(dealt("rR", {"deck": {"rR": 20}, "two_player_reverse": plain}, n=2), direction=1)
        expect(play(at([["rR", "b1"]], n=2, rules={"two_player_reverse": plain}), "rR"), direction=1)
    with pytest.raises(PositionError, match="direction"):
        at([["rR", "b1"]], n=2, direction=-1)


def test_ruling_21_teams() -> None:
    for n, teams in ((4, 3), (5, 2), (4, 4), (2, 2), (9, 2)):
        with pytest.raises(RulesError, match=f"teams={teams} with num_players={n}"):
            Rules(num_players=n, teams=teams)
    assert [Rules(num_players=6, teams=3).team_of(seat) for seat in range(6)] == [0, 1, 2, 0, 1, 2]
    assert [Rules(num_players=6).team_of(seat) for seat in range(6)] == [0, 1, 2, 3, 4, 5]


def test_ruling_22_presets() -> None:
    single = {"uno_call": "auto", "target": None}
    mini = single | {
        "wild_draw_four": "enforced",
        "num_players": 2,
        "hand_size": 2,
        "voluntary_draw": False,
        "reshuffle": False,
        "deck": dict.fromkeys(("r0", "r1", "rS", "y0", "y1", "yS", "W"), 1),
    }
    bluff = {"wild_draw_four": "challenge", "deck": dict.fromkeys(("r0", "r1", "r2", "y0", "y1", "y2", "W", "W4"), 1)}
    assert PRESETS == {
        "official": {},
        "crash_course": {"starter": "first_player", "voluntary_draw": False, "drawn_card": "never", "final_draw": False},
        "how_to_play": {"final_draw": False, "wild_points": 40},
        "house_stacking": {"stacking": "same"},
        "house_seven_zero": {"seven_zero": "both", "uno_on_received": True},
        "house_jump_in": {"jump_in": True},
        "party": {"stacking": "same", "seven_zero": "both", "jump_in": True, "uno_on_received": True},
        "no_bluffing_penalty": {"failed_challenge_draw": 4},
        "team": {"teams": 2},
        "research": single,
        "digital": single | {"wild_draw_four": "enforced"},
        "mini": mini,
        "mini_bluff": mini | bluff,
    }


# Drawing and passing --------------------------------------------------------------------------------------------------


def test_ruling_23_a_bluff_never_obliges() -> None:
    four = ["W4:r", "W4:y", "W4:g", "W4:b"]
    game = play(at([["r1", "b2"]], rules={"drawn_card": "must"}, next_cards=["W4"]), "draw")
    expect(game, phase="DRAWN", legal=[*four, "pass"])
    game = play(at([["b1", "b2"]], rules={"drawn_card": "must"}, next_cards=["W4"]), "draw")
    expect(game, phase="DRAWN", legal=four)  # no bluff
    game = play(at([["r1", "b2"]], rules={"drawn_card": "must", "wild_draw_four": "free"}, next_cards=["W4"]), "draw")
    expect(game, phase="DRAWN", legal=four)
    rules = {"draw_until_playable": True}
    game = play(at([["r1", "b2"]], rules=rules, next_cards=["b3", "W4", "g4", "r9"]), "draw")
    assert drawn_by(game) == {0: 4}
    expect(game, phase="DRAWN", drawn="r9")
    game = play(at([["b1", "b2"]], rules=rules, next_cards=["b3", "W4", "g4", "r9"]), "draw")
    assert drawn_by(game) == {0: 2}
    expect(game, phase="DRAWN", drawn="W4")


def test_ruling_24_only_a_bluff_and_nothing_to_draw() -> None:
    # A Wild Draw Four is a bluff only beside a card of the colour in force, which can itself be played: then neither draw nor
    # pass. So the pass beside a Wild Draw Four needs a hand where the colour was matched, and there is none; what is left of the
    # ruling is that an innocent Wild Draw Four obliges, in either `voluntary_draw`.
    for voluntary in (True, False):
        rules = {"voluntary_draw": voluntary}
        expect(stuck([["b1", "W4"], *STUCK[1:]], rules), legal=["W4:r", "W4:y", "W4:g", "W4:b"])
        expect(stuck([["r1", "W4"], *STUCK[1:]], rules), legal=["r1", "W4:r", "W4:y", "W4:g", "W4:b"])
        expect(stuck([["b1", "b2"], *[["g1"], ["b3"], ["y1"]]], rules), legal=["pass"])


def test_ruling_25_a_search_that_runs_out_of_cards() -> None:
    rules = {"draw_until_playable": True}
    game = play(at([["r1", "b2"]], rules=rules, draw_pile=["b3", "W4"]), "draw")
    assert drawn_by(game) == {0: 2}
    expect(game, phase="PLAY", actor=1)
    game = play(at([["r1", "b2"]], rules=rules | {"wild_draw_four": "free"}, draw_pile=["b3", "W4"]), "draw")
    expect(game, phase="DRAWN", drawn="W4")


def test_ruling_26_the_circle_of_passes() -> None:
    game = play(stuck([["b1", "b2"], ["g1", "g2"], ["r1", "b4", "b6"], ["y1", "y2"]]), "pass", "pass")
    expect(game, passes=2, actor=2)
    expect(play(game, "r1"), passes=0, actor=3)
    expect(stuck(passes=3), passes=3)
    game = at(STUCK, draw_pile=["b8"], passes=3)
    expect(play(game, "draw"), passes=0, phase="PLAY", actor=1)


def test_ruling_27_fewest_cards() -> None:
    rules = {"stalemate": "fewest_cards"}
    game = play(stuck([["b1", "b2"], ["g1"], ["b3", "b4"], ["y1", "y2"]], rules), *["pass"] * 4)
    assert game.outcome == Outcome(winners=(1,), points=(0, 1 + 2 + 3 + 4 + 1 + 2, 0, 0), termination="stalemate")
    game = play(stuck([["b1", "b2"], ["g1"], ["b3", "b4"], ["y1"]], rules), *["pass"] * 4)
    assert game.outcome == Outcome(winners=(), points=(0,) * 4, termination="stalemate")
    game = play(stuck([["b1"], ["g1"], ["b3"], ["y1", "y2"]], rules), *["pass"] * 4)  # three tied: still void
    assert game.outcome == Outcome(winners=(), points=(0,) * 4, termination="stalemate")
    game = play(stuck([["b1", "b2"], ["g1"], ["b3", "b4"], ["y1"]], rules | {"teams": 2}), *["pass"] * 4)
    assert game.outcome == Outcome(winners=(1, 3), points=(0, 10, 0, 10), termination="stalemate")
    game = play(stuck(rules={"scoring": "keep_own"}), *["pass"] * 4)
    assert game.scores == [0, 0, 0, 0]


def test_ruling_28_limits_against_endless_rounds() -> None:
    assert {Rules.preset(name).max_turns for name in PRESETS} == {10_000}
    game = at([["b1", "b2"]], below=["g1", "g2"], draw_pile=[], rules={"reshuffle": False})
    expect(game, legal=["pass"])
    expect(play(game, "pass"), draw_pile=[])


def test_ruling_29_max_turns() -> None:
    # Turn 1: seat 0 plays; the jump, the stack answer and the lost turn do not count; turn 2 begins with seat 0.
    hands = [["rD", "b1", "b2"], ["rD", "b3"], ["gD", "b4"], ["y1", "y2"]]
    game = at(hands, rules=JUMP | SAME | {"max_turns": 2, "drawn_card": "never"})
    expect(play(game, "rD", "rD"), phase="STACK", turns=1, turn=2, pending_draw=4)
    expect(play(game, "gD"), turns=2, phase="PLAY", turn=0)  # seat 3 drew 6 and lost its turn
    play(game, "draw")
    assert game.outcome == Outcome(winners=(), points=(0,) * 4, termination="truncated")
    expect(game, turns=2)


# Wild Draw Four and stacking ------------------------------------------------------------------------------------------


def test_ruling_30_guilt_is_fixed_when_the_card_is_placed() -> None:
    game = at([["b1", "W4"]], rules=CALLS, next_cards=["r1", "r2"])
    play(game, "W4:b", "catch")
    assert game.hand(0) == ["r1", "r2", "b1"]
    assert play(game, "challenge").history[-1].verdict == "innocent"
    rules = CALLS | {"uno_required_to_win": True}
    game = play(at([["W4"]], rules=rules, next_cards=["r1", "r2"]), "W4:b")
    expect(game, phase="CHALLENGE", guilty=False, hands=[["r1", "r2"], *game.position()["hands"][1:]])


ANY = {"challenger": "any"}


def test_ruling_31_any_challenger() -> None:
    bluff = at([["r1", "W4"], ["g1", "W4"], ["g2", "g3"], ["g4", "g6"]], rules=ANY | {"stacking": "same", "teams": 2})
    expect(play(bluff, "W4:b"), actor=1, legal=["W4:r", "W4:y", "W4:g", "W4:b", "accept", "challenge"])
    answered = play(bluff.copy(), "W4:g")  # the answer ends all claims against seat 0
    expect(answered, phase="CHALLENGE", turn=1, actor=2, guilty=False)
    expect(play(bluff, "accept"), phase="CHALLENGE", actor=2, legal=["pass", "challenge"])  # the partner too
    expect(play(bluff, "pass"), phase="CHALLENGE", actor=3, legal=["pass", "challenge"])
    none = play(bluff.copy(), "pass")
    expect(none, phase="PLAY", actor=2)
    assert drawn_by(none) == {1: 4}
    play(bluff, "challenge")
    assert drawn_by(bluff) == {0: 4}
    expect(bluff, phase="PLAY", actor=1)


def test_ruling_32_a_wrong_outsider() -> None:
    for failed in (6, 4):
        game = at([["b1", "W4"]], rules=ANY | {"failed_challenge_draw": failed}, next_cards=["g1", "g2", "g3", "g4", "g6", "g8"])
        play(game, "W4:b", "accept", "challenge")
        assert game.history[-1].drawn == ((2, ("g1", "g2")), (1, ("g3", "g4", "g6", "g8")))
        expect(game, phase="PLAY", actor=2)


def test_ruling_33_failed_challenge_in_a_stack() -> None:
    for failed in (6, 4):
        game = at([["b1", "W4"], ["b2", "y1", "W4"]], "g5", rules=SAME | {"failed_challenge_draw": failed})
        play(game, "W4:r", "W4:b", "challenge")
        assert drawn_by(game) == {2: 8 + failed - 4}


def test_ruling_34_what_answers_what() -> None:
    two, four = ["bD", "accept"], ["W4:r", "W4:y", "W4:g", "W4:b", "accept"]
    expected = {"off": None, "same": two, "up": [two[0], *four], "any": [two[0], *four]}
    for stacking, legal in expected.items():
        game = play(at([["rD", "b1"], ["g1", "bD", "W4"]], rules={"stacking": stacking}), "rD")
        if legal is None:
            expect(game, phase="PLAY", actor=2)
        else:
            expect(game, phase="STACK", legal=legal)
    expected = {"off": [], "same": four[:4], "up": four[:4], "any": ["bD", *four[:4]]}
    for stacking, answers in expected.items():
        game = play(at([["b1", "W4"], ["g1", "bD", "W4"]], rules={"stacking": stacking}), "W4:r")
        expect(game, phase="CHALLENGE", legal=[*answers, "accept", "challenge"])
    # A Wild Draw Four answer obeys `wild_draw_four` against the colour in force, red here.
    rules = {"stacking": "up", "wild_draw_four": "enforced"}
    expect(play(at([["rD", "b1"], ["r1", "W4"]], rules=rules), "rD"), phase="PLAY", actor=2)
    game = play(at([["rD", "b1"], ["r1", "W4"]], rules={"stacking": "up"}), "rD", "W4:b")
    expect(game, phase="CHALLENGE", guilty=True, pending_draw=6)


def test_ruling_35_jumped_draw_twos_add_when_stacking() -> None:
    hands = [["rD", "b1"], ["g1", "g2"], ["rD", "b2"]]
    assert drawn_by(play(at(hands, rules=JUMP), "rD", "rD")) == {3: 2}
    assert drawn_by(play(at(hands, rules=JUMP | SAME), "rD", "rD")) == {3: 4}


def test_ruling_36_the_final_draw_is_the_whole_total() -> None:
    game = play(at([["rD", "b1"], ["bD"]], rules=SAME), "rD", "bD")
    assert drawn_by(game) == {2: 4}
    game = play(at([["rD", "b1"], ["g1", "g2"], ["rD"]], rules=JUMP | SAME), "rD", "rD")
    assert drawn_by(game) == {3: 4}
    game = play(at([["rD", "b1"], ["g1", "g2"], ["rD"]], rules=JUMP), "rD", "rD")
    assert drawn_by(game) == {3: 2}
    game = play(at([["b1", "W4"], ["W4"]], rules=SAME), "W4:r", "W4:b")
    assert drawn_by(game) == {2: 8}


# Jump-in, hands that move ---------------------------------------------------------------------------------------------


def test_ruling_37_the_jump_window() -> None:
    rules = JUMP | SAME
    # After a drawn card.
    game = at([["b1", "b2"], ["g1", "g2"], ["r9", "y1"]], rules=rules, next_cards=["r9"])
    expect(play(game, "draw", "r9"), phase="JUMP", actor=2)
    # After a stack answer.
    game = at([["rD", "b1"], ["bD", "g1"], ["y1", "y2"], ["bD", "y3"]], rules=rules)
    expect(play(game, "rD", "bD"), phase="JUMP", actor=3, turn=1)
    # Not after a starter.
    expect(dealt("r5", {"deck": {"r5": 20}, "hand_size": 2, **JUMP}), phase="PLAY", actor=0)
    # In order of play, the player itself last; a Reverse has not turned yet.
    deck = {"rR": 4, "b1": 4, "b2": 4, "r9": 1}
    hands = [["rR", "rR", "b1"], ["b1", "b2"], ["rR", "b2"], ["rR", "b1"]]
    game = play(at(hands, "r9", rules=rules | {"deck": deck, "hand_size": 3}), "rR")
    asked = []
    while game.phase.name == "JUMP":
        asked.append(game.actor)
        play(game, "pass")
    assert asked == [2, 3, 0]
    expect(game, direction=-1, actor=3)


def test_ruling_38_pass_declines() -> None:
    optional = BOTH | {"seven_optional": True}
    expect(play(at([["r7", "b1", "b2"]], rules=optional), "r7"), legal=["pass", "swap:1", "swap:2", "swap:3"])
    game = play(at([["b1", "b2", "WX"]], rules=optional | {"deck": "swap"}), "WX:b")
    expect(game, phase="SWAP", legal=["swap:1", "swap:2", "swap:3"])
    game = play(at([["r1", "W4"]], rules=ANY), "W4:b", "accept")
    expect(game, legal=["pass", "challenge"])


def test_ruling_39_shuffle_hands_from_the_left() -> None:
    for direction in (1, -1):
        hands = [["b1", "WS"], ["g1", "g2"], ["b2", "b3"], ["y1"]]
        game = play(at(hands, rules={"deck": "shuffle"}, direction=direction), "WS:b")
        assert sizes(game) == [1, 2, 2, 1]  # six cards from seat 1 clockwise
        expect(game, actor=1 if direction == 1 else 3)


# Calling --------------------------------------------------------------------------------------------------------------


def test_ruling_40_uno_comes_first_and_once() -> None:
    game = at([["r1", "b9"]], rules=CALLS)
    expect(game, legal=["r1", "draw", "uno"])
    expect(play(game, "uno"), phase="PLAY", actor=0, legal=["r1", "draw"], declared=[True, False, False, False])
    assert "uno" not in at([["b1", "b9"]], rules=CALLS).legal_texts()  # nothing to play
    assert "uno" not in at([["r1", "b8", "b9"]], rules=CALLS).legal_texts()
    expect(play(at([["b1"]], rules=CALLS, next_cards=["r9"]), "draw"), phase="DRAWN", legal=["r9", "pass", "uno"])
    game = at([["r9", "b1", "b2"], ["r9", "g1"]], rules=CALLS | JUMP)
    expect(play(game, "r9"), phase="JUMP", actor=1, legal=["r9", "pass", "uno"])
    expect(play(game, "uno", "r9"), phase="PLAY", declared=[False, True, False, False])
    game = at([["rD", "b1", "b2"], ["bD", "g1"]], rules=CALLS | SAME)
    expect(play(game, "rD"), phase="STACK", actor=1, legal=["bD", "accept", "uno"])
    game = at([["b1", "b2", "W4"], ["g1", "W4"]], rules=CALLS | SAME)
    expect(play(game, "W4:b"), phase="CHALLENGE", legal=["W4:r", "W4:y", "W4:g", "W4:b", "accept", "challenge", "uno"])


def test_ruling_41_a_flag_lives_on_a_single_card() -> None:
    game = at([["r1", "b9"]], rules=CALLS | {"drawn_card": "never"})
    expect(play(game, "uno", "draw"), declared=[False] * 4)
    game = at([["b1"]], rules=CALLS, next_cards=["r9"])
    expect(play(game, "draw", "uno", "pass"), declared=[False] * 4, sizes=[2, 2, 2, 2])
    game = at([["r1", "b9"], ["g1", "g2"]], n=2, rules=CALLS | {"drawn_card": "never"})
    expect(play(game, "uno", "r1", "draw"), declared=[True, False], actor=0)  # it lasts over others' turns
    expect(play(game, "draw"), declared=[False, False])


def test_ruling_42_flags_do_not_move_with_hands() -> None:
    rules = CALLS | BOTH
    called = [False, True, False, False]
    game = play(at([["r7", "b1", "b2"], ["g1"]], rules=rules, declared=called), "r7", "swap:1")
    expect(game, declared=[False] * 4, sizes=[1, 2, 2, 2])
    # One for one: the call made with this very play stands.
    game = play(at([["r7", "b1"], ["g1"]], rules=rules, declared=called), "uno", "r7", "swap:1")
    expect(game, declared=[True, False, False, False], phase="PLAY")
    # Who does not take part keeps its flag.
    game = play(at([["r7", "b1", "b2"], ["g1"]], rules=rules, declared=called), "r7", "swap:2")
    expect(game, declared=called)


def test_ruling_43_a_silent_seven() -> None:
    game = play(at([["r7", "b1"], ["g1"]], rules=CALLS | BOTH), "r7", "swap:1")
    expect(game, phase="CATCH", offender=0, actor=1, legal=["pass", "catch"])
    game = play(at([["r7", "b1"], ["g1"]], rules=CALLS | BOTH | {"uno_on_received": True}), "r7", "swap:1")
    expect(game, phase="CATCH", offender=0, actor=1, legal=["pass", "catch"], received=[1])  # it cannot call now
    expect(play(game, "pass", "pass", "pass"), phase="CATCH", offender=1, actor=1, received=[])  # handled once
    expect(play(game, "uno"), phase="PLAY", actor=1)


def test_ruling_44_received_cards() -> None:
    rules = CALLS | BOTH | {"uno_on_received": True}
    game = play(at([["r7", "b1", "b2"], ["g1"]], rules=rules, declared=[False, True, False, False]), "r7", "swap:1")
    expect(game, phase="CATCH", offender=0, actor=0, legal=["pass", "uno"])
    expect(play(game.copy(), "uno"), phase="PLAY", declared=[True, False, False, False])
    expect(play(game, "pass"), phase="CATCH", offender=0, actor=1, legal=["pass", "catch"])
    play(game, "pass", "pass", "pass")
    expect(game, phase="PLAY", actor=1)
    # Also a single card that replaces a single card.
    game = play(at([["r0", "b1", "b2"], ["g1"], ["b3"]], rules=rules, declared=[False, True, True, False]), "r0")
    expect(game, sizes=[2, 2, 1, 1], offender=2, actor=2, received=[3])


def test_ruling_45_no_self_correction() -> None:
    game = play(at([["r1", "b9"]], rules=CALLS), "r1", "pass", "pass", "pass")
    expect(game, phase="PLAY", actor=1, declared=[False] * 4)  # seat 0 was not asked


def test_ruling_46_jump_before_catch() -> None:
    rules = CALLS | JUMP
    game = play(at([["r5", "b1"], ["g1", "g2"], ["r5", "b2", "b3"]], "r9", rules=rules), "r5")
    expect(game, phase="JUMP", actor=2, owing=[0])
    expect(play(game, "r5"), phase="CATCH", turn=2, offender=0, actor=1)  # the duty from before the jump
    expect(play(game, "pass", "pass", "pass"), phase="PLAY", actor=3)
    game = play(at([["r5", "r5"]], "r9", rules=rules), "r5")
    expect(game, phase="JUMP", actor=0)
    assert play(game, "r5").outcome is not None  # out without ever having called


def test_ruling_47_offenders_one_by_one() -> None:
    rules = CALLS | BOTH | {"uno_on_received": True}
    hands = [["r0", "b1"], ["g1", "g2"], ["b3"], ["y1"]]
    game = play(at(hands, rules=rules, direction=-1, declared=[False, False, True, True]), "r0")
    # Counter-clockwise: 0 -> 3 -> 2 -> 1 -> 0. Seat 3 got b1, seat 2 got y1, seat 1 got b3, seat 0 got two cards.
    expect(game, sizes=[2, 1, 1, 1], offender=3, actor=3, received=[1, 2])
    expect(play(game, "pass"), offender=3, actor=2)
    expect(play(game, "pass", "catch"), offender=2, actor=2, received=[1])  # seat 1 caught seat 3: the window closes
    expect(play(game, "pass", "pass", "pass", "pass"), offender=1, actor=1, received=[])
    expect(play(game, "uno"), phase="PLAY", actor=3)


def test_ruling_48_a_penalty_of_nothing() -> None:
    game = play(at([["r1", "b9"]], rules=CALLS | {"uno_penalty": 0}), "r1")
    expect(game, phase="CATCH", actor=1)
    expect(play(game, "catch"), phase="PLAY", actor=1, sizes=[1, 2, 2, 2])


def test_ruling_49_an_uncalled_last_card() -> None:
    rules = CALLS | {"uno_required_to_win": True, "uno_penalty": 4}
    game = play(at([["r9"], ["g1", "g2"], ["r9", "b1"]], rules=rules | JUMP), "r9")
    expect(game, phase="JUMP", actor=2, sizes=[2, 2, 2, 2])  # two cards, drawn before the window
    game = at([["r9"]], rules=rules, draw_pile=[], discard_pile=["r5"])
    # One card can be drawn: the r5 under the card just placed.
    expect(play(game, "r9"), phase="PLAY", sizes=[1, 2, 2, 2], hands=[["r5"], *game.position()["hands"][1:]])
    game = at([["r9"]], rules=rules | {"reshuffle": False}, draw_pile=[], discard_pile=["r5"])
    assert play(game, "r9").outcome is not None
    expect(at([["r9"]], rules=rules), legal=["r9", "draw"])  # no call for a single card
    assert play(at([["r9"]], rules=rules | AUTO), "r9").outcome is not None


# Scoring --------------------------------------------------------------------------------------------------------------


def test_ruling_50_scores_of_sides() -> None:
    hands = [["r1"], ["b5"], ["b9"], ["g2"]]
    expect(play(at(hands, rules={"teams": 2}), "r1"), scores=[7, 0, 7, 0])
    expect(play(at(hands, rules={"teams": 2, "scoring": "keep_own"}), "r1"), scores=[0, 7, 0, 7])
    game = play(at(hands, rules={"scoring": "keep_own"}, scores=[10, 500, 10, 0]), "r1")
    assert game.outcome == Outcome(winners=(0,), points=(0, 5, 9, 2), termination="out")
    assert game.scores == [10, 505, 19, 2]
    assert game.match_winners == (3,)
    game = play(at(hands, rules={"scoring": "keep_own"}, scores=[11, 500, 2, 20]), "r1")
    assert game.match_winners == (0, 2)
    game = play(at(hands, rules={"teams": 2}, scores=[493, 400, 493, 400]), "r1")
    assert game.match_winners == (0, 2)


def test_ruling_51_points_of_the_wilds() -> None:
    for deck, cards in (("swap", ["WX", "WC"]), ("shuffle", ["WS", "WC"])):
        rules = {"deck": deck, "custom_points": 30, "wild_points": 45}
        game = play(at([["r1"], by_kind([*cards, "W", "W4"])], n=2, rules=rules), "r1")
        assert game.scores == [30 + 30 + 45 + 50, 0]


def test_every_ruling_has_a_test() -> None:
    names = [name for name in globals() if name.startswith("test_ruling_")]
    assert sorted(int(name.split("_")[2]) for name in names) == list(range(1, 52))


def test_illegal_answers_in_every_phase() -> None:
    """Whatever is not listed is refused, in each kind of decision that the rulings speak of."""
    rng = random.Random(5)
    position = position_at([["r7", "b1"], ["g1", "g2"], ["r7", "y1"]], rules=CALLS | BOTH | JUMP)
    game = Game.from_position(position)
    while not game.over and len(game.history) < 40:
        legal = set(game.legal_actions())
        for action in set(range(91)) - legal:
            with pytest.raises(IllegalAction):
                game.push(action)
        game.push(rng.choice(sorted(legal)))
