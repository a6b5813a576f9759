"""Self-tests of the reference implementation: the scenarios of rules.md section 4 (T numbers), rulings, random play.

As in rules.md section 4, four players, seat 0 to move, and `uno_call="auto"` unless a test says otherwise.
"""

import json
import random
from collections import Counter

import pytest

from tests.reference import PRESETS, ReferenceGame, complete_rules, random_rules
from tests.reference.cards import KINDS, full_deck, points, sort_cards
from tests.reference.generator import Generator

FILLER = ["g1", "y2", "b3", "g4", "y6", "b8", "g9", "y1", "b2", "g3", "y4", "b6", "g8", "y9"]
REST = ["b1", "y3"]  # a hand that does not matter


def at(hands, top="r5", rules=None, **keys):
    """The game with these hands and this top card; missing hands are dull, the draw pile is long."""
    n = keys.pop("n", 4)
    position = {
        "rules": {"uno_call": "auto", **(rules or {})},
        "num_players": n,
        "hands": [list(hand) for hand in hands] + [list(REST) for _ in range(n - len(hands))],
        "draw_pile": list(FILLER),
        "discard_pile": ["y5", top],
        **keys,
    }
    return ReferenceGame.from_position(position)


def play(game, *actions):
    for action in actions:
        game.push(action)
    return game


def sizes(game):
    return [len(hand) for hand in game.hands]


def deal(deck, n=4, hand_size=2, seed=0, **rules):
    return ReferenceGame({"uno_call": "auto", "deck": deck, "hand_size": hand_size, **rules}, n, seed)


@pytest.fixture
def unshuffled(monkeypatch):
    """Shuffles that leave an array as it is."""
    monkeypatch.setattr(Generator, "below", lambda self, n: n - 1)


# ---------------------------------------------------------------------------------------------- generator and cards


def test_generator_is_splitmix64():
    # The published first outputs of SplitMix64 from state 1234567.
    generator = Generator(0)
    generator.state = 1234567
    assert [generator.next() for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_deck_sizes_and_points():
    assert len(KINDS) == 57
    for deck, size, total in (("classic", 108, 1240), ("swap", 112, 1400), ("shuffle", 112, 1400)):  # rules.md 2.14
        cards = full_deck(deck)
        assert len(cards) == size
        assert sum(points(card, complete_rules("official")) for card in cards) == total
    assert sum(points(card, complete_rules("how_to_play")) for card in full_deck("classic")) == 1200


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_presets_deal(name):
    rules = complete_rules(name)
    game = ReferenceGame(name, rules["num_players"], 3)
    assert game.legal()
    assert game.position()["rules"] == name


# ------------------------------------------------------------------------------------------------------------ set-up


def test_t001_t002_deal():
    for n, pile in ((4, 79), (10, 37)):
        game = ReferenceGame({"starter": "flip_number"}, n, seed=5)
        assert sizes(game) == [7] * n
        assert len(game.draw_pile) + len(game.discard_pile) == 108 - 7 * n
        game = next(g for g in (ReferenceGame({}, n, seed) for seed in range(99)) if g.discard_pile[0][1:].isdigit())
        assert (len(game.draw_pile), len(game.discard_pile)) == (pile, 1)


def test_order_of_dealing(unshuffled):
    # Ascending deck r0..r9, taken from the end: r9 to the dealer's left, one at a time, then the starter.
    game = deal({f"r{k}": 1 for k in range(10)}, n=3, hand_size=2)
    assert game.hands == [["r6", "r9"], ["r5", "r8"], ["r4", "r7"]]
    assert game.discard_pile == ["r3"]
    assert game.draw_pile == ["r2", "r1", "r0"]


def test_t005_number_starter():
    game = deal({"r5": 20})
    assert (game.actor, game.direction, game.colour, game.phase, game.turns) == (0, 1, "r", "PLAY", 1)


@pytest.mark.parametrize(
    ("starter", "n", "changes", "mover", "direction"),
    [
        ("rD", 4, {}, 1, 1),  # T007
        ("rR", 4, {}, 3, -1),  # T008
        ("rR", 4, {"starter_reverse": "right_of_dealer"}, 2, -1),
        ("rR", 4, {"starter_reverse": "left_of_dealer"}, 0, -1),  # T010
        ("rS", 2, {}, 1, 1),  # T011
        ("rR", 2, {}, 1, 1),
        ("rR", 2, {"starter_reverse": "left_of_dealer"}, 1, 1),
        ("rR", 2, {"two_player_reverse": "plain"}, 1, 1),  # ruling 19
        ("rR", 2, {"two_player_reverse": "plain", "starter_reverse": "right_of_dealer"}, 0, 1),
        ("rD", 2, {}, 1, 1),  # T013
        ("rS", 4, {}, 1, 1),
    ],
)
def test_t007_to_t013_action_starters(starter, n, changes, mover, direction):
    game = deal({starter: 20}, n=n, **changes)
    assert (game.actor, game.turn, game.direction, game.colour) == (mover, mover, direction, "r")
    assert sizes(game) == [4 if starter == "rD" else 2] + [2] * (n - 1)


def test_t014_wild_starter():
    game = deal({"W": 20})
    assert (game.phase, game.actor, game.colour, game.turns) == ("COLOUR", 0, None, 0)
    assert game.legal() == ["colour:r", "colour:y", "colour:g", "colour:b"]
    play(game, "colour:b")
    assert (game.phase, game.actor, game.colour, game.turns) == ("PLAY", 0, "b", 1)


def test_t016_t017_wild_draw_four_goes_back():
    for seed in range(50):
        game = deal({"W4": 7, "r5": 9}, seed=seed)
        assert game.discard_pile == ["r5"]
        assert Counter([*game.draw_pile, *game.discard_pile, *(card for hand in game.hands for card in hand)]) == {
            "W4": 7,
            "r5": 9,
        }


def test_t019_shuffle_hands_starter():
    game = deal({"WS": 20})
    assert game.phase == "COLOUR"
    assert play(game, "colour:g").phase == "PLAY"


def test_t020_flip_number(unshuffled):
    # Taken from the end of the ascending array: eight bS dealt, then bS, gS, g7.
    game = deal({"g7": 2, "gS": 1, "bS": 9}, starter="flip_number")
    assert game.discard_pile == ["bS", "gS", "g7"]
    assert game.colour == "g"


def at_rules(name, hands, **keys):
    return ReferenceGame.from_position({"rules": name, "hands": hands, "draw_pile": list(FILLER), **keys})


def test_t022_t023_t025_opening():
    hands = [["rS", "rR", "W", "W4"], REST, REST, REST]
    game = at_rules("crash_course", hands)
    assert game.legal() == ["rS", "rR", "W:r", "W:y", "W:g", "W:b"]  # T023: neither W4, nor draw, nor pass
    assert play(game, "rS").actor == 2  # T022
    game = play(at_rules("crash_course", hands), "rR")
    assert (game.direction, game.actor) == (-1, 3)  # T025


def test_opening_with_wild_draw_fours_only():
    # Ruling 18: legal, and unchallengeably innocent.
    game = at_rules("crash_course", [["W4", "W4"], REST, REST, REST])
    assert game.legal() == ["W4:r", "W4:y", "W4:g", "W4:b", "uno"]
    play(game, "uno", "W4:b")
    assert (game.phase, game.actor, sizes(game), game.guilty) == ("PLAY", 2, [1, 6, 2, 2], None)


# ----------------------------------------------------------------------------------------------------------- drawing


def test_t028_legal_plays():
    assert at([["b5", "g7", "rS", "r1"]]).legal() == ["r1", "rS", "b5", "draw"]


def test_t029_voluntary_draw():
    game = play(at([["r1", "b2"]], draw_pile=["r9"]), "draw")
    assert (game.phase, game.drawn, game.legal()) == ("DRAWN", "r9", ["r9", "pass"])
    assert game.drew_on == ["r", None, None, None]
    assert play(game, "pass").actor == 1


def test_t031_no_voluntary_draw():
    assert at([["r1", "b2"]], rules={"voluntary_draw": False}).legal() == ["r1"]


def test_t032_never_play_the_drawn_card():
    game = play(at([["b1", "b2"]], rules={"drawn_card": "never"}, draw_pile=["r9"]), "draw")
    assert (game.actor, game.hands[0]) == (1, ["r9", "b1", "b2"])


def test_t034_must_play_the_drawn_card():
    game = play(at([["b1", "b2"]], rules={"drawn_card": "must"}, draw_pile=["r9"]), "draw")
    assert game.legal() == ["r9"]


def test_t035_drawn_wild():
    game = play(at([["b1", "b2"]], draw_pile=["W"]), "draw", "W:b")
    assert (game.colour, game.actor) == ("b", 1)


def test_t037_drawn_bluff():
    game = play(at([["r1", "b2"]], draw_pile=["W4", *FILLER]), "draw", "W4:b")
    assert (game.phase, game.actor, game.turn, game.pending_draw, game.guilty) == ("CHALLENGE", 1, 0, 4, True)
    play(game, "challenge")
    assert (sizes(game), game.actor, game.phase) == ([6, 2, 2, 2], 1, "PLAY")


def test_t038_enforced_drawn_wild_draw_four():
    game = play(at([["r1", "b2"]], rules={"wild_draw_four": "enforced"}, draw_pile=["W4"]), "draw")
    assert (game.actor, game.phase) == (1, "PLAY")


def test_t040_t041_obligation():
    rules = {"voluntary_draw": False}
    assert at([["W4", "b5"]], rules=rules).legal() == ["b5", "W4:r", "W4:y", "W4:g", "W4:b"]  # T040
    assert at([["W4", "g2"]], rules=rules).legal() == ["W4:r", "W4:y", "W4:g", "W4:b"]  # T041
    # A bluff never obliges. After a wild the colour card itself is playable, so it is only met with nothing to draw.
    game = at([["W4", "r2"]], rules=rules)
    assert game.legal() == ["r2", "W4:r", "W4:y", "W4:g", "W4:b"]


def test_must_with_a_drawn_bluff():
    game = play(at([["r1", "b2"]], rules={"drawn_card": "must"}, draw_pile=["W4"]), "draw")  # ruling 23
    assert game.legal() == ["W4:r", "W4:y", "W4:g", "W4:b", "pass"]
    rules = {"drawn_card": "must", "wild_draw_four": "free"}
    assert "pass" not in play(at([["r1", "b2"]], rules=rules, draw_pile=["W4"]), "draw").legal()


def test_t043_search_that_fails():
    rules = {"draw_until_playable": True}
    game = play(at([["b1", "b2"]], rules=rules, draw_pile=["b3", "g4"], discard_pile=["r5"]), "draw")
    assert (game.actor, game.hands[0], game.draw_pile) == (1, ["g4", "b1", "b2", "b3"], [])


def test_search_passes_a_bluff_and_reshuffles():
    rules = {"draw_until_playable": True}
    game = at([["r1", "b2"]], rules=rules, draw_pile=["b3", "W4"], discard_pile=["r9", "r5"])
    play(game, "draw")  # rulings 23 and 25: the W4 would be a bluff, so r9 is reshuffled and found
    assert (game.drawn, game.hands[0], game.discard_pile) == ("r9", ["r1", "r9", "b2", "b3", "W4"], ["r5"])


# ----------------------------------------------------------------------------------------------------------- actions


def test_t044_skip():
    assert play(at([["rS", *REST]]), "rS").actor == 2


def test_t046_reverse_twice():
    game = play(at([["rR", *REST], REST, REST, ["bR", *REST]]), "rR")
    assert (game.direction, game.actor) == (-1, 3)
    play(game, "bR")
    assert (game.direction, game.actor) == (1, 0)


def test_t047_t049_draw_two():
    game = play(at([["rD", *REST], REST, ["bD", *REST]]), "rD")
    assert (game.actor, sizes(game)) == (2, [2, 4, 3, 2])
    assert play(game, "bD").actor == 0
    assert sizes(game) == [2, 4, 2, 4]
    assert game.drew_on == [None] * 4


def test_t050_wild_names_the_colour_in_force():
    assert play(at([["W", *REST]]), "W:r").colour == "r"


@pytest.mark.parametrize(
    ("card", "changes", "mover"),
    [("rS", {}, 0), ("rR", {}, 0), ("rR", {"two_player_reverse": "plain"}, 1), ("rD", {}, 0)],  # T052, T053, T055
)
def test_two_players(card, changes, mover):
    game = play(at([[card, *REST]], n=2, rules=changes), card)
    assert (game.actor, game.direction) == (mover, 1)


def test_t056_three_players_reverse():
    assert play(at([["rR", *REST]], n=3), "rR").actor == 2


def test_t058_shuffle_hands(unshuffled):
    hands = [["WS", "r1"], ["r2", "r3", "r4", "r5"], ["y1", "y2"], ["g1", "g2", "g3"]]
    game = play(at(hands, known=[{"seat": 1, "holder": 0, "cards": ["r1"]}]), "WS:y")
    # The array is r1, r2..r5, y1 y2, g1..g3; dealt from the end: g3 to P1, g2 to P2, g1 to P3, y2 to P0 ...
    assert game.hands == [["r3", "y2"], ["r2", "y1", "g3"], ["r1", "r5", "g2"], ["r4", "g1"]]
    assert game.known == {}
    # Ruling 39: from the left also counter-clockwise.
    assert sizes(play(at(hands, direction=-1), "WS:y")) == [2, 3, 3, 2]


# ---------------------------------------------------------------------------------------------------- wild draw four


@pytest.mark.parametrize(
    ("hand", "keys", "guilty"),
    [
        (["W4", "b5"], {}, False),  # T059
        (["W4", "W"], {}, False),  # T062
        (["W4", "b2"], {"top": "W", "colour": "b"}, True),  # T064
        (["W4", "r2"], {"top": "W", "colour": "b"}, False),  # T065
        (["W4", "r1"], {}, True),
    ],
)
def test_t059_to_t065_challenge(hand, keys, guilty):
    game = play(at([hand], **keys), "W4:b")
    assert (game.phase, game.guilty) == ("CHALLENGE", guilty)
    assert game.legal() == ["accept", "challenge"]
    shown = list(game.hands[0])
    play(game, "challenge")
    assert sizes(game) == ([5, 2, 2, 2] if guilty else [1, 8, 2, 2])
    assert (game.actor, game.colour) == (1 if guilty else 2, "b")
    assert game.position()["known"] == [{"seat": 1, "holder": 0, "cards": shown}]


def test_t061_accept():
    game = play(at([["W4", "r1"]]), "W4:b", "accept")
    assert (sizes(game), game.actor, game.guilty, game.pending_draw) == ([1, 6, 2, 2], 2, None, 0)


def test_t067_enforced():
    assert at([["W4", "r1"]], rules={"wild_draw_four": "enforced"}).legal() == ["r1", "draw"]


def test_t068_free():
    game = play(at([["W4", "r1"]], rules={"wild_draw_four": "free"}), "W4:b")
    assert (sizes(game), game.actor) == ([1, 6, 2, 2], 2)


def test_t070_only_the_victim():
    assert play(at([["W4", "r1"]]), "W4:b", "accept").phase == "PLAY"


def test_t071_any_challenger():
    rules = {"challenger": "any", "hand_shown_to": "all"}
    game = play(at([["W4", "r1"]], rules=rules), "W4:b", "accept")
    assert (game.phase, game.actor, game.legal()) == ("CHALLENGE", 2, ["pass", "challenge"])
    play(game, "challenge")
    assert (sizes(game), game.actor) == ([5, 2, 2, 2], 1)
    assert sorted(game.known) == [(1, 0), (2, 0), (3, 0)]
    # A wrong outsider draws 2, and the victim 4 (rulings 31 and 32).
    rules = {"challenger": "any", "hand_shown_to": "none", "failed_challenge_draw": 4}
    game = play(at([["W4", "b1"]], rules=rules), "W4:b", "accept", "pass", "challenge")
    assert (sizes(game), game.actor, game.known) == ([1, 6, 2, 4], 2, {})
    assert game.hands[3] == sort_cards([*REST, *FILLER[:2]])  # it draws first
    game = play(at([["W4", "b1"]], rules=rules), "W4:b", "accept", "pass", "pass")
    assert (sizes(game), game.actor) == ([1, 6, 2, 2], 2)


def test_t073_t074_two_players():
    game = play(at([["W4", "r1"]], n=2), "W4:b", "challenge")
    assert (sizes(game), game.actor) == ([5, 2], 1)
    game = play(at([["W4", "b1"]], n=2), "W4:b", "challenge")
    assert (sizes(game), game.actor) == ([1, 8], 0)


def test_t076_t077_last_wild_draw_four():
    for final, left in ((True, 7), (False, 3)):
        game = play(at([["W4"], ["b1", "b2", "b3"]], rules={"final_draw": final}), "W4:r")
        assert (game.phase, len(game.hands[1]), game.outcome["winners"]) == ("OVER", left, [0])


def test_t079_draw_across_a_reshuffle():
    game = at([["W4", "b1"]], draw_pile=["g1", "g2"], discard_pile=["y1", "y2", "r5"])
    play(game, "W4:b", "accept")
    assert (len(game.hands[1]), len(game.draw_pile), game.discard_pile) == (6, 1, ["W4"])
    assert {"g1", "g2"} <= set(game.hands[1])


def test_t080_too_few_cards():
    game = at([["W4", "b1"]], draw_pile=["g1"], discard_pile=["r5"], rules={"reshuffle": False})
    play(game, "W4:b", "challenge")
    assert (sizes(game), game.actor) == ([1, 3, 2, 2], 2)


# ---------------------------------------------------------------------------------------------------------- uno call

DECLARE = {"uno_call": "declare"}


def test_t082_t083_catch():
    for penalty in (2, 4, 0):
        game = play(at([["r1", "b9"]], rules={**DECLARE, "uno_penalty": penalty}), "r1")
        assert (game.phase, game.offender, game.actor, game.turn) == ("CATCH", 0, 1, 0)
        assert game.legal() == ["pass", "catch"]
        play(game, "pass", "catch")  # P1 passes, P2 catches
        assert (sizes(game), game.actor, game.phase) == ([1 + penalty, 2, 2, 2], 1, "PLAY")


def test_called_in_time():
    game = at([["r1", "b9"]], rules=DECLARE)
    assert game.legal() == ["r1", "draw", "uno"]
    play(game, "uno")
    assert (game.legal(), game.actor) == (["r1", "draw"], 0)
    play(game, "r1")
    assert (game.phase, game.actor, game.declared) == ("PLAY", 1, [True, False, False, False])


def test_t085_silent_and_uncaught_wins():
    game = play(at([["r8", "r9"]], n=2, rules=DECLARE), "r8", "pass", "draw")
    assert play(game, "r9").outcome["winners"] == [0]


def test_t086_uno_required_to_win():
    rules = {**DECLARE, "uno_required_to_win": True}
    game = play(at([["rD"]], rules=rules), "rD")
    assert (sizes(game), game.actor, game.phase) == ([2, 4, 2, 2], 2, "PLAY")
    assert play(at([["rD"]], rules=rules, declared=[True] + [False] * 3), "rD").phase == "OVER"
    # Ruling 49: out after all if nothing can be drawn.
    game = at([["r1"]], rules={**rules, "reshuffle": False}, draw_pile=[])
    assert play(game, "r1").outcome["termination"] == "out"


def test_t088_draw_and_play_at_one_card():
    game = at([["b9"]], rules=DECLARE, draw_pile=["r9"], declared=[True, False, False, False])
    play(game, "draw")
    assert game.legal() == ["r9", "pass", "uno"]
    play(game, "r9")
    assert (game.phase, game.offender) == ("CATCH", 0)


def test_t089_two_players_skip():
    game = play(at([["rS", "b9"]], n=2, rules=DECLARE), "rS")
    assert (game.phase, game.actor) == ("CATCH", 1)
    assert play(game, "pass").actor == 0


def test_t091_catch_before_challenge():
    game = play(at([["W4", "r1"]], n=2, rules=DECLARE), "W4:b")
    assert (game.phase, game.pending_draw, game.guilty) == ("CATCH", 0, True)
    play(game, "catch")
    assert (game.phase, game.pending_draw, sizes(game)) == ("CHALLENGE", 4, [3, 2])


def test_t092_no_false_calls():
    assert "uno" not in at([["r1", "r2", "r3", "r4", "r5"]], rules=DECLARE).legal()
    assert "uno" not in at([["b1", "b2"]], rules=DECLARE).legal()


def test_a_call_without_a_play_is_lost():
    game = play(at([["r1", "b9"]], rules=DECLARE), "uno", "draw")  # ruling 41
    assert game.declared == [False] * 4


def test_t094_one_penalty_only():
    game = play(at([["r1", "b9"]], rules=DECLARE), "r1", "catch")
    assert (game.phase, len(game.hands[0])) == ("PLAY", 3)


SEVEN = {**DECLARE, "seven_zero": "both"}


def test_t095_seven_without_duty():
    hands = [["r7", "b9"], REST, ["g1", "g2", "g3", "g4", "g5"]]
    game = play(at(hands, rules=SEVEN), "r7")
    assert (game.phase, game.owing) == ("SWAP", {0})
    assert game.legal() == ["swap:1", "swap:2", "swap:3"]
    play(game, "swap:2")
    assert (sizes(game), game.phase, game.actor) == ([5, 2, 1, 2], "PLAY", 1)
    assert game.position()["known"] == [
        {"seat": 0, "holder": 2, "cards": ["b9"]},
        {"seat": 2, "holder": 0, "cards": ["g1", "g2", "g3", "g4", "g5"]},
    ]


def test_t097_received_single_cards():
    hands = [["r0", "r1"], ["b1", "b2"], ["b3"], ["g1", "g2"]]
    game = play(at(hands, rules={**SEVEN, "uno_on_received": True}, declared=[False, False, True, False]), "r0")
    # P1 received the single r1 of P0, P3 the single b3 of P2; each may call first (ruling 44).
    assert sizes(game) == [2, 1, 2, 1]
    assert (game.phase, game.offender, game.actor, game.received) == ("CATCH", 1, 1, {3})
    assert game.legal() == ["pass", "uno"]
    play(game, "uno")
    assert (game.offender, game.actor, game.declared) == (3, 3, [False, True, False, False])
    play(game, "pass")
    assert (game.offender, game.actor, game.legal()) == (3, 0, ["pass", "catch"])
    play(game, "catch")
    assert (game.phase, game.actor, sizes(game)) == ("PLAY", 1, [2, 1, 2, 3])


def test_calls_and_movement():
    # Ruling 42: the player's call with this very play stands for the single card it ends with.
    game = play(at([["r7", "b9"], ["g1"]], rules=SEVEN, declared=[False, True, False, False]), "uno", "r7", "swap:1")
    assert (game.declared, game.phase) == ([True, False, False, False], "PLAY")
    # Ruling 43: the silent player of a 7 still owes for the single card it ends with.
    game = play(at([["r7", "b9"], ["g1"]], rules={**SEVEN, "uno_on_received": True}), "r7", "swap:1")
    assert (game.offender, game.actor, game.received) == (0, 1, {1})


def test_t098_auto():
    game = at([["r1", "b9"]])
    assert "uno" not in game.legal()
    assert play(game, "r1").phase == "PLAY"


# ------------------------------------------------------------------------------------------------------------- piles


def test_t100_t101_reshuffle_under_a_wild():
    game = at([["b1", "b2"]], draw_pile=[], discard_pile=["W", "y3", "W"], colour="g")
    play(game, "draw")
    assert (game.colour, game.discard_pile) == ("g", ["W"])
    assert sorted([*game.draw_pile, *game.hands[0]]) == ["W", "b1", "b2", "y3"]


def test_t103_nothing_to_draw():
    assert at([["r1", "b2"]], draw_pile=[], discard_pile=["r5"]).legal() == ["r1"]
    assert at([["r1", "b2"]], draw_pile=[], rules={"reshuffle": False}).legal() == ["r1"]


def test_bluff_only_and_nothing_to_draw():
    # Ruling 24. The bluff alone without another play needs a card of the colour that is not playable: none exists, so
    # only an innocent Wild Draw Four can be alone, and that one obliges.
    assert at([["W4", "b2"]], draw_pile=[], discard_pile=["r5"]).legal() == ["W4:r", "W4:y", "W4:g", "W4:b"]


def test_t104_stalemate():
    hands = [["b1", "b2"], ["g1"], ["b3", "b4"], ["y1", "y2"]]
    keys = {"draw_pile": [], "discard_pile": ["r5"]}
    game = at(hands, **keys)
    for seat in range(4):
        assert (game.actor, game.legal(), game.passes) == (seat, ["pass"], seat)
        play(game, "pass")
    assert game.outcome == {"winners": [], "points": [0] * 4, "termination": "stalemate"}
    assert game.drew_on == ["r"] * 4
    game = play(at(hands, rules={"stalemate": "fewest_cards"}, **keys), *["pass"] * 4)  # ruling 27
    assert game.outcome == {"winners": [1], "points": [0, 13, 0, 0], "termination": "stalemate"}
    hands[3] = ["y1"]
    game = play(at(hands, rules={"stalemate": "fewest_cards"}, **keys), *["pass"] * 4)
    assert game.outcome["winners"] == []
    game = play(at(hands, rules={"stalemate": "fewest_cards", "teams": 2}, **keys), *["pass"] * 4)
    assert game.outcome["points"] == [0, 10, 0, 10]


def test_max_turns():
    game = play(at([["r8", "b2"]], rules={"max_turns": 2}), "r8", "draw")  # ruling 29
    assert game.outcome == {"winners": [], "points": [0] * 4, "termination": "truncated"}
    assert (game.turns, game.phase) == (2, "OVER")


# --------------------------------------------------------------------------------------------- going out and scoring


def test_t106_t107_score():
    hands = [["r1"], ["r9", "bS", "W"], ["W4", "g0"]]
    assert play(at(hands, n=3), "r1").outcome["points"] == [129, 0, 0]
    assert play(at(hands, n=3, rules={"wild_points": 40}), "r1").scores == [119, 0, 0]


def test_t109_t110_final_draw():
    game = play(at([["rR"]]), "rR")
    assert (sizes(game), game.phase) == ([0, 2, 2, 2], "OVER")
    assert sizes(play(at([["rD"]], direction=-1), "rD")) == [0, 2, 2, 4]


def test_t112_t113_keep_own():
    rules = {"scoring": "keep_own"}
    hands = [["b2"], ["b1"], ["r1"]]
    game = play(at(hands, n=3, turn=2, rules=rules, scores=[298, 500, 120]), "r1")
    assert (game.scores, game.match_over, game.match_winners) == ([300, 501, 120], True, [2])
    game = play(at([["b1"], ["b2"], ["r1"]], n=3, turn=2, rules=rules, scores=[500, 118, 120]), "r1")
    assert (game.scores, game.match_winners) == ([501, 120, 120], [1, 2])


def test_t115_custom_points():
    assert play(at([["r1"], ["WX", "WC"]], n=2), "r1").scores == [80, 0]


def test_t116_next_round():
    game = at([["b1"], ["b2"]], n=2, draw_pile=[], discard_pile=["r5"], scores=[7, 9])
    play(game, "pass", "pass")
    assert (game.scores, game.match_over) == ([7, 9], False)
    game.next_round()
    assert (game.dealer, game.round, sizes(game), game.scores) == (0, 2, [7, 7], [7, 9])
    with pytest.raises(ValueError, match="not over"):
        game.next_round()
    game = play(at([["r1"]], scores=[499, 0, 0, 0]), "r1")
    assert (game.match_over, game.match_winners) == (True, [0])
    with pytest.raises(ValueError, match="match is over"):
        game.next_round()


def test_t118_last_seven():
    assert play(at([["r7"]], rules={"seven_zero": "both"}), "r7").outcome["winners"] == [0]


# ------------------------------------------------------------------------------------------------------------- teams


def test_t121_t122_teams():
    hands = [["r1"], ["b5"], ["b9"], ["WC"]]
    game = play(at(hands, rules={"teams": 2}), "r1")
    assert game.outcome == {"winners": [0, 2], "points": [45, 0, 45, 0], "termination": "out"}
    assert sizes(play(at([["rD"]], rules={"teams": 2}), "rD")) == [0, 4, 2, 2]
    game = play(at(hands, rules={"teams": 2, "scoring": "keep_own"}), "r1")  # ruling 50
    assert game.outcome == {"winners": [0, 2], "points": [0, 45, 0, 45], "termination": "out"}


# ---------------------------------------------------------------------------------------------------------- stacking

SAME = {"stacking": "same"}


def test_t124_stack():
    game = play(at([["rD", *REST], ["bD", *REST]], rules=SAME), "rD")
    assert (game.phase, game.turn, game.actor, game.pending_draw) == ("STACK", 1, 1, 2)
    assert game.legal() == ["bD", "accept"]
    play(game, "bD")
    assert (sizes(game), game.actor, game.pending_draw) == ([2, 2, 6, 2], 3, 0)


def test_stack_accepted():
    game = play(at([["rD", *REST], ["bD", *REST]], rules=SAME), "rD", "accept")
    assert (sizes(game), game.actor) == ([2, 5, 2, 2], 2)


def test_t125_t130_no_answer():
    for hand in (["W4", "b1"], ["rS", "r5"]):
        assert play(at([["rD", *REST], hand], rules=SAME), "rD").actor == 2  # ruling 3: drawn at once


def test_t127_up():
    game = play(at([["rD", *REST], ["W4", "b1"], ["bD", "W4"]], rules={"stacking": "up"}), "rD", "W4:b")
    assert (game.phase, game.actor, game.pending_draw, game.colour, game.guilty) == ("CHALLENGE", 2, 6, "b", False)
    assert game.legal() == ["W4:r", "W4:y", "W4:g", "W4:b", "accept", "challenge"]


def test_any_on_any():
    game = play(at([["W4", *REST], ["rD", "b1"], ["W4", "r2"]], rules={"stacking": "any"}), "W4:b", "rD")
    assert (game.phase, game.actor, game.pending_draw, game.colour) == ("STACK", 2, 6, "r")
    rules = {"stacking": "any", "wild_draw_four": "enforced"}
    game = play(at([["W4", *REST], ["rD", "b1"], ["W4", "r2"]], rules=rules), "W4:b")
    assert game.phase == "STACK"  # ruling 8
    assert play(game, "rD").actor == 3  # P2 holds red: its Wild Draw Four is barred (ruling 34)


def test_t133_t134_challenge_in_a_stack():
    for other, drawn in (("r2", [0, 8, 0, 0]), ("b2", [0, 0, 10, 0])):
        hands = [["W4", "b1"], ["W4", other, "y1"], REST, REST]
        game = play(at(hands, top="g5", rules=SAME), "W4:r", "W4:b", "challenge")
        assert sizes(game) == [size + more for size, more in zip([1, 2, 2, 2], drawn, strict=True)]
        assert (game.actor, game.colour) == (2 if other == "r2" else 3, "b")
    hands = [["W4", "b1"], ["W4", "b2", "y1"], REST, REST]  # ruling 33
    game = play(at(hands, top="g5", rules={**SAME, "failed_challenge_draw": 4}), "W4:r", "W4:b", "challenge")
    assert sizes(game) == [1, 2, 10, 2]


def test_t136_out_inside_a_stack():
    game = play(at([["rD", *REST], ["bD"]], rules=SAME), "rD", "bD")
    assert (game.outcome["winners"], sizes(game)) == ([1], [2, 0, 6, 2])


def test_t137_starter_cannot_be_answered():
    game = deal({"bD": 20}, **SAME)
    assert (sizes(game), game.actor, game.phase) == ([4, 2, 2, 2], 1, "PLAY")


# ------------------------------------------------------------------------------------------------ seven-o and jump-in


def test_t139_seven():
    game = play(at([["r7", "r1", "b2"], REST, ["g9"]], rules={"seven_zero": "seven"}), "r7", "swap:2")
    assert (game.hands[0], game.hands[2], game.actor) == (["g9"], ["r1", "b2"], 1)


def test_t140_zero_counter_clockwise():
    hands = [["r0", "r1"], ["y1", "y2"], ["g1", "g2", "g3"]]
    keys = {"n": 3, "direction": -1, "known": [{"seat": 2, "holder": 0, "cards": ["r0"]}]}
    keys["known"].append({"seat": 0, "holder": 1, "cards": ["y2"]})
    game = play(at(hands, rules={"seven_zero": "zero"}, **keys), "r0")
    assert game.hands == [["y1", "y2"], ["g1", "g2", "g3"], ["r1"]]
    assert game.actor == 2
    assert game.position()["known"] == [
        {"seat": 0, "holder": 2, "cards": ["r1"]},
        {"seat": 1, "holder": 0, "cards": ["y1", "y2"]},
        {"seat": 2, "holder": 1, "cards": ["g1", "g2", "g3"]},
    ]


def test_t142_t143_targets():
    assert play(at([["r7", *REST]], rules=SEVEN), "r7").legal() == ["swap:1", "swap:2", "swap:3"]
    game = play(at([["r7", *REST]], rules={**SEVEN, "seven_optional": True}, direction=-1), "r7")
    assert game.legal() == ["pass", "swap:3", "swap:2", "swap:1"]
    play(game, "pass")
    assert (sizes(game), game.actor) == ([2, 2, 2, 2], 3)
    # Two players: compulsory at once, asked when optional; Swap Hands is always compulsory (rulings 6 and 38).
    assert sizes(play(at([["r7", "b1"], ["b2"]], n=2, rules={"seven_zero": "both"}), "r7")) == [1, 1]
    rules = {"seven_zero": "both", "seven_optional": True}
    assert play(at([["r7", "b1"], ["b2"]], n=2, rules=rules), "r7").legal() == ["pass", "swap:1"]
    assert play(at([["WX", "b1"], ["b2"]], n=2, rules=rules), "WX:r").hands == [["b2"], ["b1"]]


JUMP = {"jump_in": True}


def test_t145_t146_no_jump():
    assert play(at([["r5", *REST], ["b5", "rS"]], rules=JUMP), "r5").phase == "PLAY"
    assert play(at([["W", *REST], REST, ["W"]], rules=JUMP), "W:r").phase == "PLAY"


def test_t148_jumped_reverse():
    game = play(at([["rR", *REST], REST, ["rR", *REST]], rules=JUMP), "rR")
    assert (game.phase, game.turn, game.actor, game.legal()) == ("JUMP", 0, 2, ["rR", "pass"])
    play(game, "rR")
    assert (game.direction, game.actor) == (-1, 1)


def test_t149_t151_jumped_draw_two():
    game = play(at([["rD", *REST], REST, ["rD", *REST]], rules=JUMP), "rD", "rD")
    assert (sizes(game), game.actor) == ([2, 2, 2, 4], 0)
    game = play(at([["rD", *REST], ["rD", *REST]], rules=JUMP), "rD", "rD")
    assert (sizes(game), game.actor) == ([2, 2, 4, 2], 3)


def test_jumped_draw_two_adds_to_a_stack():
    rules = {**JUMP, **SAME}  # ruling 35
    game = play(at([["rD", *REST], REST, ["rD", *REST]], rules=rules), "rD", "rD")
    assert (sizes(game), game.actor) == ([2, 2, 2, 6], 0)
    game = play(at([["rD", *REST], REST, ["rD"]], rules=rules), "rD", "rD")  # ruling 36
    assert (sizes(game), game.phase) == ([2, 2, 0, 6], "OVER")
    game = play(at([["rD", *REST], REST, ["rD", "rD", "b1"]], rules=rules), "rD", "rD")
    assert (game.phase, game.actor, game.pending_draw) == ("JUMP", 2, 2)


def test_t152_jump_after_jump():
    hands = [["r5", *REST], ["r5", *REST], ["r5", "r5", "g1"]]
    game = play(at(hands, top="r9", rules=JUMP), "r5", "pass", "r5")  # P1 declines, P2 jumps
    assert game.actor == 1
    play(game, "r5")  # P1 jumps
    assert (game.phase, game.turn, game.actor) == ("JUMP", 1, 2)
    play(game, "pass")
    assert (game.phase, game.actor) == ("PLAY", 2)


def test_t154_jump_wins():
    game = play(at([["r5", *REST], REST, ["r5"]], top="r9", rules=JUMP), "r5", "r5")
    assert game.outcome["winners"] == [2]


def test_t155_only_the_jumped_seven_swaps():
    hands = [["r7", "b1", "b2"], ["g1"], ["r7", "y1", "y2", "y3"], REST]
    game = play(at(hands, rules={**JUMP, "seven_zero": "both"}), "r7", "r7")
    assert (game.phase, game.actor) == ("SWAP", 2)
    play(game, "swap:1")
    assert game.hands == [["b1", "b2"], ["y1", "y2", "y3"], ["g1"], sort_cards(REST)]
    assert game.actor == 3


def test_duties_survive_a_jump():
    rules = {**JUMP, **DECLARE}  # ruling 46
    game = play(at([["r5", "b1"], REST, ["r5", "b2"]], top="r9", rules=rules), "r5")
    assert (game.phase, game.owing, game.legal()) == ("JUMP", {0}, ["r5", "pass", "uno"])
    play(game, "r5")
    assert (game.phase, game.offender, game.actor, game.owing) == ("CATCH", 2, 3, {0})
    play(game, "catch")
    assert (game.offender, game.actor, len(game.hands[2])) == (0, 1, 3)
    play(game, "pass", "pass", "pass")
    assert (game.phase, game.actor) == ("PLAY", 3)
    # A silent player may win by jumping its own second card; it is asked last.
    game = play(at([["r5", "r5"], ["r5", *REST]], top="r9", rules=rules), "r5", "pass")
    assert game.actor == 0
    assert play(game, "r5").outcome["winners"] == [0]


def test_known_copies():
    known = [{"seat": 2, "holder": 0, "cards": ["r1", "b9"]}]
    game = play(at([["r1", "r1", "b9"]], known=known), "r1")
    assert game.position()["known"] == [{"seat": 2, "holder": 0, "cards": ["b9"]}]


# ------------------------------------------------------------------------------------------------------- random play


@pytest.mark.parametrize("block", range(8))
def test_random_play(block):
    """Invariants of rules.md 7.2 over whole games, and every position can be taken up from its text."""
    for seed in range(block * 15, block * 15 + 15):
        rng = random.Random(seed)
        rules = random_rules(rng)
        assert set(rules) == set(complete_rules("official"))
        game = ReferenceGame(rules, rules["num_players"], seed)
        deck = full_deck(rules["deck"])
        while game.phase != "OVER":
            hands = [card for hand in game.hands for card in hand]
            assert sort_cards([*game.draw_pile, *game.discard_pile, *hands]) == deck
            assert all(game.hands)
            assert game.legal()
            text = json.dumps(game.position())
            twin = ReferenceGame.from_position(json.loads(text))
            twin.generator.state = game.generator.state
            action = rng.choice(game.legal())
            game.push(action)
            twin.push(action)
            assert twin.position() == game.position(), (seed, action, text)
        assert game.outcome["termination"] in ("out", "stalemate", "truncated")


def test_illegal_actions_are_refused():
    game = at([["g9", "b1"]])
    before = game.position()
    for text in ("g9", "pass", "uno", "accept", "r5", "W:r", "W", "nonsense", ""):
        with pytest.raises(ValueError, match="PLAY"):
            game.push(text)
    assert game.position() == before
