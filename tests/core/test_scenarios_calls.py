"""The scenarios of `rules.md` section 4, each under its id: calling Uno, piles, going out, scoring, teams."""

from __future__ import annotations

import pytest

from tests.positions import all_cards, at, deck_of, drawn_by, expect, play, sizes
from uno_env import Game, IllegalAction, Rules

CALLS = {"uno_call": "declare"}


# Calling Uno ----------------------------------------------------------------------------------------------------------


def test_t082_caught() -> None:
    game = at([["r1", "b9"]], rules=CALLS)
    expect(play(game, "r1"), phase="CATCH", actor=1, offender=0, legal=["pass", "catch"])
    play(game, "pass", "catch")  # P1 passes, P2 catches
    assert game.history[-1].seat == 2
    assert drawn_by(game) == {0: 2}
    expect(game, sizes=[3, 2, 2, 2], actor=1, phase="PLAY")


def test_t083_four_cards() -> None:
    game = play(at([["r1", "b9"]], rules=CALLS | {"uno_penalty": 4}), "r1", "pass", "catch")
    assert drawn_by(game) == {0: 4}
    expect(game, sizes=[5, 2, 2, 2], actor=1)


def test_t085_silent_and_not_caught() -> None:
    game = play(at([["r1", "r9"]], n=2, rules=CALLS), "r1", "pass")
    play(game, "draw")
    if game.actor == 1:  # the card drawn could be played
        play(game, "pass")
    play(game, "r9")
    assert game.outcome is not None
    assert game.outcome.winners == (0,)


def test_t086_uno_required_to_win() -> None:
    rules = CALLS | {"uno_required_to_win": True}
    game = play(at([["rS"]], rules=rules), "rS")
    assert drawn_by(game) == {0: 2}
    expect(game, phase="PLAY", sizes=[2, 2, 2, 2], actor=2)  # the card and its effect stand
    game = at([["rS"]], rules=rules, declared=[True, False, False, False])
    expect(play(game, "rS"), phase="OVER")
    game = at([["r1", "rS"]], n=2, rules=rules)
    expect(play(game, "uno", "r1", "draw"), declared=[True, False])


def test_t088_one_two_one() -> None:
    game = at([["b9"]], rules=CALLS, declared=[True, False, False, False], next_cards=["r9"])
    expect(play(game, "draw"), phase="DRAWN", legal=["r9", "pass", "uno"], declared=[False] * 4)
    expect(play(game.copy(), "r9"), phase="CATCH", offender=0)
    expect(play(game, "uno", "r9"), phase="PLAY", actor=1)


def test_t089_skip_with_two() -> None:
    game = at([["rS", "r9"]], n=2, rules=CALLS)
    expect(play(game, "rS"), phase="CATCH", actor=1, turn=0)
    expect(play(game, "pass"), phase="PLAY", actor=0, legal=["r9", "draw"])


def test_t091_catch_before_the_challenge() -> None:
    game = at([["r1", "W4"]], rules=CALLS)
    expect(play(game, "W4:b"), phase="CATCH", actor=1, pending_draw=0)
    expect(play(game, "pass", "pass", "pass"), phase="CHALLENGE", actor=1, legal=["accept", "challenge"])


def test_t092_no_call_with_five_cards() -> None:
    game = at([["r1", "r2", "r3", "r4", "r6"]], rules=CALLS)
    assert "uno" not in game.legal_texts()
    with pytest.raises(IllegalAction, match="'uno'"):
        game.push("uno")


def test_t094_one_penalty_only() -> None:
    game = play(at([["r1", "b9"]], rules=CALLS), "r1", "catch")  # P1 is asked first; P3 not any more
    expect(game, phase="PLAY", actor=1, sizes=[3, 2, 2, 2])


FIVE = ["g1", "g2", "g3", "g4", "g6"]


def test_t095_seven_without_duty() -> None:
    game = at([["r7", "b9"], ["y1", "y2"], FIVE], rules=CALLS | {"seven_zero": "both", "uno_on_received": False})
    play(game, "r7", "swap:2")
    expect(game, sizes=[5, 2, 1, 2], phase="PLAY", actor=1, owing=[], received=[])


def test_t097_two_received_single_cards() -> None:
    hands = [["r0", "r1"], ["b1", "b2"], ["b3"], ["g1", "g2"]]
    rules = CALLS | {"seven_zero": "both", "uno_on_received": True}
    game = play(at(hands, rules=rules), "r0")
    expect(game, sizes=[2, 1, 2, 1], phase="CATCH", offender=1, received=[3])
    play(game, "pass", "catch")  # P1 does not call, P2 catches it
    assert drawn_by(game) == {1: 2}
    expect(game, phase="CATCH", offender=3)
    play(game, "pass", "catch")
    assert drawn_by(game) == {3: 2}
    expect(game, phase="PLAY", actor=1, sizes=[2, 3, 2, 3])


def test_t098_automatic_calls() -> None:
    game = at([["r1", "b9"]], rules={"uno_call": "auto"})
    expect(game, legal=["r1", "draw"])
    expect(play(game, "r1"), phase="PLAY", actor=1)


# Piles ----------------------------------------------------------------------------------------------------------------


def test_t100_wilds_lose_their_colour() -> None:
    # The Wild lay there as blue; after the reshuffle it is a Wild again that names any colour.
    game = at([["b1", "b2"]], draw_pile=[], discard_pile=["W", "r5"])
    play(game, "draw")
    assert game.history[-1].drawn == ((0, ("W",)),)
    expect(game, phase="DRAWN", legal=["W:r", "W:y", "W:g", "W:b", "pass"])


def test_t101_colour_in_force_survives() -> None:
    game = at([["b1", "b2"]], draw_pile=[], discard_pile=["y3", "y4", "W"], colour="b")
    before = all_cards(game)
    play(game, "draw")
    expect(game, colour="b", discard_pile=["W"])
    assert all_cards(game) == before


def test_t103_nothing_to_draw() -> None:
    game = at([["r1", "b2"]], draw_pile=[], discard_pile=["r5"], rules={"voluntary_draw": True})
    expect(game, legal=["r1"])


STUCK = [["b1", "b2"], ["g1", "g2"], ["b3", "b4"], ["y1", "y2"]]


def test_t104_stalemate() -> None:
    game = at(STUCK, draw_pile=[], discard_pile=["r5"], scores=[1, 2, 3, 4])
    for seat in range(4):
        expect(game, actor=seat, legal=["pass"], phase="PLAY", passes=seat)
        play(game, "pass")
    expect(game, phase="OVER", scores=[1, 2, 3, 4])
    expect(game, outcome={"winners": [], "points": [0, 0, 0, 0], "termination": "stalemate"})
    game.next_round()
    expect(game, dealer=0, round=2, sizes=[7, 7, 7, 7])


# Going out and scoring ------------------------------------------------------------------------------------------------

SCORED = [["r1"], ["r9", "bS", "W"], ["g0", "W4"]]


def test_t106_score() -> None:
    game = play(at(SCORED, n=3), "r1")
    assert game.history[-1].points == (9 + 20 + 50 + 50 + 0, 0, 0)
    expect(game, scores=[129, 0, 0], outcome={"winners": [0], "points": [129, 0, 0], "termination": "out"})


def test_t107_score_with_cheap_wilds() -> None:
    expect(play(at(SCORED, n=3, rules={"wild_points": 40}), "r1"), scores=[9 + 20 + 40 + 50 + 0, 0, 0])


def test_t109_last_reverse() -> None:
    game = play(at([["rR"]]), "rR")
    assert drawn_by(game) == {}
    expect(game, phase="OVER", sizes=[0, 2, 2, 2])


def test_t110_last_draw_two_counter_clockwise() -> None:
    game = play(at([["rD"]], direction=-1), "rD")
    assert drawn_by(game) == {3: 2}
    expect(game, phase="OVER", sizes=[0, 2, 2, 4])


def test_t112_keep_own() -> None:
    game = at([["b2"], ["b1"], ["r1"]], n=3, turn=2, rules={"scoring": "keep_own"}, scores=[298, 500, 120])
    expect(play(game, "r1"), scores=[300, 501, 120])
    assert game.match_winners == (2,)


def test_t113_keep_own_tie() -> None:
    game = at([["b1"], ["b2"], ["r1"]], n=3, turn=2, rules={"scoring": "keep_own"}, scores=[500, 118, 120])
    expect(play(game, "r1"), scores=[501, 120, 120])
    assert game.match_winners == (1, 2)


def test_t115_swap_and_customizable_cards() -> None:
    expect(play(at([["r1"], ["WX", "WC"]], n=2, rules={"deck": "swap"}), "r1"), scores=[80, 0])


def test_t116_void_round() -> None:
    game = play(at(STUCK, draw_pile=[], discard_pile=["r5"], dealer=2, turn=3), "pass", "pass", "pass", "pass")
    expect(game, scores=[0, 0, 0, 0], phase="OVER")
    game.next_round()
    expect(game, dealer=3)
    assert all_cards(game) == deck_of("official")


def test_t118_last_seven() -> None:
    game = play(at([["r7"]], rules={"seven_zero": "both"}), "r7")
    assert game.outcome is not None
    assert game.outcome.winners == (0,)
    expect(game, sizes=[0, 2, 2, 2])


# Teams ----------------------------------------------------------------------------------------------------------------


def test_t121_partners_win_together() -> None:
    game = at([["b5"], ["b9"], ["r1"], ["g2"]], rules={"teams": 2}, turn=2)
    play(game, "r1")
    # Only the cards of P1 and P3 count; both partners show the side's points (ruling 50).
    expect(game, outcome={"winners": [0, 2], "points": [11, 0, 11, 0], "termination": "out"})


def test_t122_last_draw_two_hits_an_opponent() -> None:
    game = play(at([["rD"]], rules={"teams": 2}), "rD")
    assert drawn_by(game) == {1: 2}
    assert game.rules.team_of(1) != game.rules.team_of(0)


def test_sizes_of_teams() -> None:
    for n, teams in ((4, 2), (6, 2), (6, 3), (8, 2), (8, 4), (9, 3), (10, 2), (10, 5)):
        rules = Rules(num_players=n, teams=teams)
        game = Game(rules, 1)
        assert sizes(game) == [7] * n or max(sizes(game)) == 9
        assert all(rules.team_of(s) != rules.team_of((s + 1) % n) for s in range(n))
