"""The scenarios of `rules.md` section 4, each under its id: stacking, Seven-O, jump-in."""

from __future__ import annotations

import pytest

from tests.positions import at, dealt, drawn_by, expect, play
from uno_env import IllegalAction

SAME = {"stacking": "same"}


# Stacking -------------------------------------------------------------------------------------------------------------


def test_t124_two_draw_twos() -> None:
    game = at([["rD", "b1"], ["g1", "bD"]], rules=SAME)
    expect(play(game, "rD"), phase="STACK", turn=1, actor=1, pending_draw=2, legal=["bD", "accept"])
    play(game, "bD")
    assert drawn_by(game) == {2: 4}
    expect(game, actor=3, sizes=[1, 1, 6, 2], pending_draw=0)


def test_t125_no_wild_draw_four_on_a_draw_two() -> None:
    game = play(at([["rD", "b1"], ["g1", "W4"]], rules=SAME), "rD")
    assert drawn_by(game) == {1: 2}
    expect(game, actor=2, phase="PLAY")


def test_t127_up() -> None:
    game = at([["rD", "b1"], ["g1", "W4"]], rules={"stacking": "up"})
    expect(play(game, "rD"), phase="STACK", legal=["W4:r", "W4:y", "W4:g", "W4:b", "accept"])
    expect(play(game, "W4:b"), actor=2, pending_draw=6, colour="b", phase="CHALLENGE", guilty=False)
    play(game, "accept")
    assert drawn_by(game) == {2: 6}


def test_t128_draw_two_on_a_wild_draw_four() -> None:
    # stacking=any_color is out of scope; "any" allows the same answer.
    game = at([["g1", "W4"], ["rD", "b1"]], rules={"stacking": "any"})
    expect(play(game, "W4:r"), phase="CHALLENGE", actor=1, legal=["rD", "accept", "challenge"])
    play(game, "rD")
    assert drawn_by(game) == {2: 6}
    expect(game, colour="r", actor=3)
    game = at([["g1", "W4"], ["rD", "b1"], ["y1", "gD"]], rules={"stacking": "any"})
    expect(play(game, "W4:r", "rD"), phase="STACK", actor=2, pending_draw=6, colour="r")


def test_t130_nothing_else_answers() -> None:
    game = play(at([["rD", "b1"], ["r5", "rS"]], "r9", rules=SAME), "rD")
    assert drawn_by(game) == {1: 2}  # drawn at once, no decision (ruling 3)
    expect(game, actor=2, phase="PLAY")


def test_t133_guilty_in_a_stack() -> None:
    game = at([["b1", "W4"], ["r2", "y1", "W4"]], "g5", rules=SAME)
    expect(play(game, "W4:r"), phase="CHALLENGE", actor=1, guilty=False)
    expect(play(game, "W4:b"), phase="CHALLENGE", actor=2, guilty=True, pending_draw=8)
    assert play(game, "challenge").history[-1].verdict == "guilty"
    assert drawn_by(game) == {1: 8}
    expect(game, actor=2, colour="b", phase="PLAY", sizes=[1, 10, 2, 2])


def test_t134_innocent_in_a_stack() -> None:
    game = at([["b1", "W4"], ["b2", "y1", "W4"]], "g5", rules=SAME)
    play(game, "W4:r", "W4:b", "challenge")
    assert drawn_by(game) == {2: 10}
    expect(game, actor=3, sizes=[1, 2, 12, 2])


def test_t136_out_inside_a_stack() -> None:
    game = play(at([["rD", "b1"], ["bD"], ["g1", "gD"]], rules=SAME), "rD", "bD")
    assert drawn_by(game) == {2: 4}
    assert game.outcome is not None
    assert game.outcome.winners == (1,)
    hands = game.position()["hands"]
    worth = game.rules.points
    expected = sum(int(worth[game.action_id(card)]) if card[0] != "W" else 50 for hand in hands for card in hand)
    assert game.outcome.points == (0, expected, 0, 0)


def test_t137_starter_cannot_be_answered() -> None:
    game = dealt("rD", SAME | {"deck": {"rD": 20, "bD": 20}, "hand_size": 2})
    expect(game, sizes=[4, 2, 2, 2], actor=1, phase="PLAY")


# Seven-O --------------------------------------------------------------------------------------------------------------

BOTH = {"seven_zero": "both"}


def test_t139_seven() -> None:
    game = at([["r1", "r7", "b2"], ["y1", "y2"], ["g9"]], rules=BOTH)
    expect(play(game, "r7"), phase="SWAP", actor=0)
    play(game, "swap:2")
    assert (game.hand(0), game.hand(2)) == (["g9"], ["r1", "b2"])
    expect(game, actor=1, phase="PLAY")


def test_t140_zero_counter_clockwise() -> None:
    hands = [["r0", "r1"], ["y1", "y2"], ["g1", "g2", "g3"]]
    game = play(at(hands, n=3, direction=-1, rules=BOTH), "r0")
    expect(game, hands=[["y1", "y2"], ["g1", "g2", "g3"], ["r1"]], actor=2, direction=-1)


def test_t142_not_with_oneself() -> None:
    game = play(at([["r1", "r7", "b2"]], rules=BOTH), "r7")
    expect(game, legal=["swap:1", "swap:2", "swap:3"])
    with pytest.raises(IllegalAction, match="swap:0"):
        game.push("swap:0")


def test_t143_optional_seven() -> None:
    game = play(at([["r1", "r7", "b2"]], rules=BOTH | {"seven_optional": True}), "r7")
    hands = game.position()["hands"]
    expect(game, legal=["pass", "swap:1", "swap:2", "swap:3"])
    expect(play(game, "pass"), hands=hands, actor=1, phase="PLAY")


# Jump-in --------------------------------------------------------------------------------------------------------------

JUMP = {"jump_in": True}


def test_t145_only_the_identical_card() -> None:
    expect(play(at([["r5", "b1"], ["b5", "rS"]], "r9", rules=JUMP), "r5"), phase="PLAY", actor=1)


def test_t146_no_wild_on_a_wild() -> None:
    expect(play(at([["b1", "W"], ["g1", "g2"], ["W"]], rules=JUMP), "W:r"), phase="PLAY", actor=1)


def test_t148_jumped_reverse() -> None:
    game = at([["rR", "b1"], ["g1", "g2"], ["rR", "b2"]], rules=JUMP)
    expect(play(game, "rR"), phase="JUMP", actor=2, turn=0, direction=1, legal=["rR", "pass"])
    expect(play(game, "rR"), direction=-1, actor=1, phase="PLAY")


def test_t149_jumped_draw_two() -> None:
    game = play(at([["rD", "b1"], ["g1", "g2"], ["rD", "b2"]], rules=JUMP), "rD", "rD")
    assert drawn_by(game) == {3: 2}
    expect(game, sizes=[1, 2, 1, 4], actor=0)


def test_t151_the_victim_jumps() -> None:
    game = play(at([["rD", "b1"], ["rD", "b2"]], rules=JUMP), "rD", "rD")
    assert drawn_by(game) == {2: 2}
    expect(game, sizes=[1, 1, 4, 2], actor=3)


def test_t152_turn_order() -> None:
    # P0 plays the r5 on top; four more are about, so the deck has five of them.
    rules = JUMP | {"deck": {"r5": 5, "r9": 1, "g1": 3, "b1": 3, "b2": 3, "y1": 9}, "hand_size": 3}
    hands = [["r5", "b1"], ["r5", "b2"], ["r5", "r5", "g1"], ["b1", "b2"]]
    game = play(at(hands, "r9", rules=rules), "r5")
    expect(game, phase="JUMP", actor=1)  # the seat after the player comes first
    play(game, "pass")
    expect(game, phase="JUMP", actor=2)
    play(game, "r5")  # P2 jumps; a new window opens
    expect(game, phase="JUMP", turn=2, actor=1)  # P3 and P0 hold none
    play(game, "r5")  # P1's jump stands
    expect(game, phase="JUMP", turn=1, actor=2)
    expect(play(game, "pass"), phase="PLAY", turn=2, actor=2)


def test_t154_jump_and_win() -> None:
    game = play(at([["r5", "b1"], ["g1", "g2"], ["r5"]], "r9", rules=JUMP), "r5", "r5")
    assert game.outcome is not None
    assert game.outcome.winners == (2,)


def test_t155_only_the_last_seven_swaps() -> None:
    hands = [["r7", "b1", "b2"], ["g1"], ["r7", "y1", "y2", "y3"], ["g8", "g9"]]
    game = play(at(hands, rules=JUMP | BOTH), "r7", "r7")
    expect(game, phase="SWAP", actor=2, turn=2)
    expect(play(game, "swap:1"), hands=[["b1", "b2"], ["y1", "y2", "y3"], ["g1"], ["g8", "g9"]], actor=3)
