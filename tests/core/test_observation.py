"""The observation, part by part, by hand: what design.md section 6 lists is there, and nothing else."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.positions import at, play
from tests.strategies import choose
from uno_env import LAYOUT, OBS_SIZE, PRESETS, Game, Phase, Rules, observe
from uno_env.cards import KIND_OF_TEXT, KIND_TEXTS
from uno_env.jit import COMPILED


def part(game: Game, seat: int, name: str) -> Any:
    found = LAYOUT[name]
    values = game.observe(seat)[found.slice].reshape(found.shape)
    return int(values[0]) if found.shape == (1,) else values


def cards_in(row: np.ndarray) -> dict[str, int]:
    return {KIND_TEXTS[kind]: int(count) for kind, count in enumerate(row) if count}


def seen(game: Game, seat: int, name: str) -> dict[str, int]:
    """A part that counts cards, as card -> count."""
    return cards_in(part(game, seat, name))


def one_hot(game: Game, seat: int, name: str) -> list[int]:
    return np.flatnonzero(part(game, seat, name)).tolist()


def known_to(game: Game, seat: int) -> dict[int, dict[str, int]]:
    """For other k (from 1): the cards that ``seat`` knows it has."""
    rows = part(game, seat, "known")
    found = {k + 1: cards_in(row) for k, row in enumerate(rows) if row.any()}
    sizes = part(game, seat, "known_size")
    assert {k + 1: int(size) for k, size in enumerate(sizes) if size} == {k: sum(c.values()) for k, c in found.items()}
    return found


# The layout -----------------------------------------------------------------------------------------------------------


def test_layout_is_contiguous() -> None:
    start = 0
    for name, spot in LAYOUT.items():
        assert spot.name == name
        assert spot.start == start
        assert spot.size == int(np.prod(spot.shape))
        assert spot.meaning
        start += spot.size
    assert start == OBS_SIZE


def test_layout_is_what_the_design_lists() -> None:
    assert {name: spot.shape for name, spot in LAYOUT.items()} == {
        "hand": (57,),
        "playable": (57,),
        "drawn": (57,),
        "discarded": (57,),
        "unseen": (57,),
        "colour": (4,),
        "symbol": (18,),
        "colour_before": (4,),
        "phase": (9,),
        "turn": (10,),
        "hand_size": (1,),
        "declared": (1,),
        "catchable": (1,),
        "score": (1,),
        "target": (1,),
        "pending": (1,),
        "draw_pile": (1,),
        "direction": (1,),
        "others": (9, 10),
        "known_size": (9,),
        "known": (9, 57),
    }


def test_table_of_the_layout() -> None:
    lines = observe.describe_layout().splitlines()
    assert len(lines) == len(LAYOUT) + 2
    assert lines[2] == "| `hand` | 0-56 | 57 | own cards, count per kind |"
    assert any(f"| `known` | {LAYOUT['known'].start}-{OBS_SIZE - 1} | 9 x 57 |" in line for line in lines)


# Cards ----------------------------------------------------------------------------------------------------------------


def test_own_cards_discards_and_unseen() -> None:
    game = at([["r1", "r1", "b9", "W"], ["g1", "g2"]], below=["y3", "y3", "W"], n=2)
    assert seen(game, 0, "hand") == {"r1": 2, "b9": 1, "W": 1}
    assert seen(game, 1, "hand") == {"g1": 1, "g2": 1}
    assert part(game, 0, "hand_size") == 4
    for seat in (0, 1):
        assert seen(game, seat, "discarded") == {"y3": 2, "W": 1, "r5": 1}
    deck = Counter({KIND_TEXTS[k]: int(count) for k, count in enumerate(game.rules.deck_counts) if count})
    assert seen(game, 0, "unseen") == deck - Counter(["r1", "r1", "b9", "W", "y3", "y3", "W", "r5"])
    assert seen(game, 1, "unseen") == deck - Counter(["g1", "g2", "y3", "y3", "W", "r5"])
    assert part(game, 0, "draw_pile") == 108 - 4 - 4 - 2


def test_discards_since_the_last_reshuffle() -> None:
    game = play(at([["b1", "b2"], ["g1", "g2"]], n=2, draw_pile=[], below=["y3", "y4"]), "draw")
    assert seen(game, 0, "discarded") == {"r5": 1}
    assert part(game, 0, "draw_pile") == 1


def test_playable() -> None:
    game = at([["r1", "r9", "b5", "g7", "W", "W4"], ["r2", "b1"]])
    assert seen(game, 0, "playable") == {"r1": 1, "r9": 1, "b5": 1, "W": 1, "W4": 1}  # 1 for each kind, not a count
    assert seen(game, 1, "playable") == {}  # it is not asked
    game = at([["r1", "r1", "W4"]], rules={"wild_draw_four": "enforced"})
    assert seen(game, 0, "playable") == {"r1": 1}
    game = play(at([["rD", "b1"], ["g1", "gD", "W4"]], rules={"stacking": "up"}), "rD")
    assert seen(game, 1, "playable") == {"gD": 1, "W4": 1}
    game = play(at([["r1", "b1"], ["r1", "r2"]], rules={"jump_in": True}), "r1")
    assert seen(game, 1, "playable") == {"r1": 1}
    game = at([["b1", "W4"]], rules={"starter": "first_player"}, discard_pile=[])
    assert seen(game, 0, "playable") == {"b1": 1}
    for seat in range(4):
        assert one_hot(game, seat, "colour") == one_hot(game, seat, "symbol") == []


def test_drawn() -> None:
    game = play(at([["r1", "b2"]], next_cards=["r9"]), "draw")
    assert seen(game, 0, "drawn") == seen(game, 0, "playable") == {"r9": 1}
    assert seen(game, 0, "hand") == {"r1": 1, "r9": 1, "b2": 1}
    for seat in (1, 2, 3):
        assert seen(game, seat, "drawn") == {}
        assert seen(game, seat, "playable") == {}
    play(game, "pass")
    assert seen(game, 0, "drawn") == {}


# The table ------------------------------------------------------------------------------------------------------------


def test_colour_and_symbol() -> None:
    for top, colour, symbol in (("r5", "r", 5), ("yS", "y", 10), ("gR", "g", 11), ("bD", "b", 12)):
        game = at([["W", "W4"]], top)
        for seat in range(4):
            assert one_hot(game, seat, "colour") == ["rygb".index(colour)]
            assert one_hot(game, seat, "symbol") == [symbol]
    for top, symbol in (("W", 13), ("W4", 14), ("WX", 15), ("WC", 17)):
        game = at([["r1", "b1"]], top, colour="g", rules={"deck": "swap"})
        assert one_hot(game, 2, "symbol") == [symbol]
        assert one_hot(game, 2, "colour") == [2]
    assert one_hot(at([["r1"]], "WS", colour="b", rules={"deck": "shuffle"}), 0, "symbol") == [16]
    game = at([["r1"]], "W", phase="COLOUR")
    assert one_hot(game, 0, "colour") == []
    assert one_hot(game, 0, "symbol") == [13]


def test_phase_is_seen_by_who_decides() -> None:
    def check(game: Game) -> None:
        for seat in range(game.num_players):
            assert one_hot(game, seat, "phase") == ([int(game.phase)] if seat == game.actor else [])

    rules = {"uno_call": "declare", "jump_in": True, "seven_zero": "both", "stacking": "same", "uno_on_received": True}
    check(at([["r1"]], "W", phase="COLOUR"))
    check(at([["r1", "b2"]]))
    check(play(at([["b1", "b2"]], next_cards=["r9"]), "draw"))
    game = play(at([["r7", "b1", "b2"], ["g1"], ["r7", "y1"]], rules=rules), "r7")
    seen_phases = [game.phase]
    check(game)
    for action in ("pass", "swap:1", "pass"):
        check(play(game, action))
        seen_phases.append(game.phase)
    assert seen_phases == [Phase.JUMP, Phase.SWAP, Phase.CATCH, Phase.CATCH]
    check(play(at([["b1", "b2", "W4"]]), "W4:b"))
    check(play(at([["rD", "b1", "b2"], ["gD", "g1"]], rules=rules), "rD"))


def test_turn_is_relative() -> None:
    for direction in (1, -1):
        game = at([["r1", "b2"]], turn=1, direction=direction)
        for seat in range(4):
            assert one_hot(game, seat, "turn") == [((1 - seat) * direction) % 4]
    game = play(at([["b1", "b2", "W4"]]), "W4:b")  # the turn stays with the card's player
    assert [one_hot(game, seat, "turn") for seat in range(4)] == [[0], [3], [2], [1]]


def test_direction_pending_and_piles() -> None:
    for direction in (1, -1):
        game = at([["r1"]], direction=direction, draw_pile=["g1", "g2", "g3"])
        assert {part(game, seat, "direction") for seat in range(4)} == {direction}
        assert {part(game, seat, "draw_pile") for seat in range(4)} == {3}
        assert {part(game, seat, "pending") for seat in range(4)} == {0}
    game = play(at([["b1", "b2", "W4"]]), "W4:b")
    assert {part(game, seat, "pending") for seat in range(4)} == {4}
    game = play(at([["rD", "b1"], ["gD", "g1"], ["bD", "b2"]], rules={"stacking": "same"}), "rD", "gD")
    assert {part(game, seat, "pending") for seat in range(4)} == {4}


def test_colour_before_a_wild_draw_four() -> None:
    game = play(at([["b1", "b2", "W4"]]), "W4:b")
    for seat in range(4):
        assert one_hot(game, seat, "colour") == [3]
        assert one_hot(game, seat, "colour_before") == [0]
    play(game, "accept")
    assert one_hot(game, 1, "colour_before") == []
    game = play(at([["b1", "b2", "W4"]], rules={"wild_draw_four": "free"}), "W4:b")
    assert one_hot(game, 1, "colour_before") == []
    answered = at([["b1", "b2", "W4"], ["g1", "g2", "W4"]], rules={"stacking": "same"})
    assert one_hot(play(answered, "W4:y", "W4:g"), 2, "colour_before") == [1]


def test_scores_and_target() -> None:
    game = at([["r1"]], scores=[0, 250, 499, 700])
    assert [part(game, seat, "score") for seat in range(4)] == [0, 50, 99, 127]  # percent of 500, at most 127
    assert part(game, 0, "target") == 50
    assert part(game, 0, "others")[:3, 5].tolist() == [50, 99, 127]
    game = at([["r1"]], rules={"target": 200}, scores=[30, 0, 0, 0])
    assert (part(game, 0, "score"), part(game, 0, "target")) == (15, 20)
    game = at([["r1"]], rules={"target": None}, scores=[30, 0, 0, 0])
    assert (part(game, 0, "score"), part(game, 0, "target")) == (0, 0)
    assert part(at([["r1"]], rules={"target": 5000}), 0, "target") == 127


# The others -----------------------------------------------------------------------------------------------------------


def test_others_in_order_of_play() -> None:
    hands = [["r1", "b2"], ["g1"], ["g2", "g3", "g4"], ["y1", "y2", "y3", "y4"]]
    for direction, sizes in ((1, [1, 3, 4]), (-1, [4, 3, 1])):
        others = part(at(hands, direction=direction), 0, "others")
        assert others[:, 0].tolist() == [1, 1, 1, 0, 0, 0, 0, 0, 0]
        assert others[:3, 2].tolist() == sizes
        assert not others[3:].any()
    assert part(at(hands), 2, "others")[:3, 2].tolist() == [4, 2, 1]


def test_partners() -> None:
    game = at([["r1"]], n=6, rules={"teams": 3})
    for seat in range(6):
        assert part(game, seat, "others")[:5, 1].tolist() == [0, 0, 1, 0, 0]
    game = at([["r1"]], n=6, rules={"teams": 2})
    assert part(game, 1, "others")[:5, 1].tolist() == [0, 1, 0, 1, 0]
    assert not part(at([["r1"]]), 0, "others")[:, 1].any()


def test_declared_and_catchable() -> None:
    game = at([["r1", "b9"], ["g1"]], rules={"uno_call": "declare"}, declared=[False, True, False, False])
    assert [part(game, seat, "declared") for seat in range(4)] == [0, 1, 0, 0]
    assert part(game, 3, "others")[:3, 3].tolist() == [0, 1, 0]
    play(game, "r1")
    assert game.phase is Phase.CATCH
    assert [part(game, seat, "catchable") for seat in range(4)] == [1, 0, 0, 0]
    assert [part(game, seat, "others")[:3, 4].tolist() for seat in range(4)] == [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]]
    play(game, "catch")
    assert not any(part(game, seat, "catchable") for seat in range(4))
    assert not any(part(game, seat, "others")[:, 4].any() for seat in range(4))


def test_a_call_with_two_cards_is_seen_by_the_caller_alone() -> None:
    """It could betray who was asked to jump in; once the card is placed, the call is there for all to see."""
    rules = {"uno_call": "declare", "jump_in": True}
    game = at([["r9", "b1", "b2"], ["r9", "g1"]], rules=rules)
    play(game, "r9", "uno")
    assert [part(game, seat, "declared") for seat in range(4)] == [0, 1, 0, 0]
    assert not any(part(game, seat, "others")[:, 3].any() for seat in range(4))
    play(game, "r9")
    assert part(game, 0, "others")[:3, 3].tolist() == [1, 0, 0]


def test_colour_when_another_drew() -> None:
    game = at([["b1", "b2"], ["g1", "g2"]], rules={"drawn_card": "never"})
    play(game, "draw")
    for seat, k in ((1, 3), (2, 2), (3, 1)):
        assert part(game, seat, "others")[k - 1, 6:10].tolist() == [1, 0, 0, 0]
    assert not part(game, 0, "others")[:, 6:10].any()  # the others have not drawn
    game = at([["b1", "b2"]], draw_pile=[], discard_pile=["r5"])
    assert part(play(game, "pass"), 1, "others")[2, 6:10].tolist() == [1, 0, 0, 0]
    game = play(at([["rD", "b2"]]), "rD")
    assert not part(game, 0, "others")[:, 6:10].any()  # a penalty tells nothing
    game = at([["r1"]], drew_on=["r", "y", "g", None])
    assert part(game, 3, "others")[:3, 6:10].tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]


# What is known of other hands -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shown_to", "who"), [("challenger", {1}), ("all", {1, 2, 3}), ("none", set())])
def test_known_after_a_challenge(shown_to: str, who: set[int]) -> None:
    game = at([["r1", "b1", "W4"]], rules={"hand_shown_to": shown_to}, next_cards=["g1", "g2", "g3", "g4"])
    play(game, "W4:b", "challenge")  # guilty: seat 0 draws four after showing r1 b1
    for seat in range(1, 4):
        k = 4 - seat  # seat 0, seen from seat
        assert known_to(game, seat) == ({k: {"r1": 1, "b1": 1}} if seat in who else {})
        seen_here = part(game, seat, "unseen")
        for card in ("r1", "b1"):
            in_play = int(game.rules.deck_counts[KIND_OF_TEXT[card]]) - game.hand(seat).count(card)
            assert seen_here[KIND_OF_TEXT[card]] == in_play - (1 if seat in who else 0)
    assert known_to(game, 0) == {}


def test_known_cards_go_when_they_are_played() -> None:
    game = at([["r1", "b1", "b2", "W4"], ["y1", "y2"]], n=2, next_cards=["y3", "y4", "y6", "y8", "g1", "g2"])
    play(game, "W4:b", "challenge")  # guilty
    assert known_to(game, 1) == {1: {"r1": 1, "b1": 1, "b2": 1}}
    play(game, "draw")
    if game.phase is Phase.DRAWN:
        play(game, "pass")
    play(game, "b1")
    assert known_to(game, 1) == {1: {"r1": 1, "b2": 1}}


def test_known_after_a_swap() -> None:
    game = at([["r7", "b1", "b2"], ["g1", "g2"], ["y1", "y2", "y3"]], rules={"seven_zero": "both"})
    play(game, "r7", "swap:2")
    assert known_to(game, 0) == {2: {"b1": 1, "b2": 1}}
    assert known_to(game, 2) == {2: {"y1": 1, "y2": 1, "y3": 1}}
    assert known_to(game, 1) == known_to(game, 3) == {}
    # Seen from seat 0, what it gave away is not unseen.
    assert part(game, 0, "unseen")[KIND_OF_TEXT["b1"]] == 2 - 1


def test_known_after_a_rotation() -> None:
    hands = [["r0", "b1", "b2"], ["g1", "g2"], ["y1", "y2", "y3"]]
    game = play(at(hands, n=3, rules={"seven_zero": "both"}), "r0")
    assert known_to(game, 0) == {1: {"b1": 1, "b2": 1}}
    assert known_to(game, 1) == {1: {"g1": 1, "g2": 1}}
    assert known_to(game, 2) == {1: {"y1": 1, "y2": 1, "y3": 1}}


def test_known_cards_travel_with_the_hand() -> None:
    known = [{"seat": 3, "holder": 0, "cards": ["b1"]}, {"seat": 2, "holder": 0, "cards": ["b2"]}]
    game = at([["r7", "b1", "b2"], ["g1", "g2"], ["y1", "y2", "y3"]], rules={"seven_zero": "both"}, known=known)
    play(game, "r7", "swap:2")
    assert known_to(game, 3) == {3: {"b1": 1}}  # seat 2 has it now
    assert known_to(game, 2) == {2: {"y1": 1, "y2": 1, "y3": 1}}  # its own cards are no longer somebody else's
    shuffled = at(
        [["b1", "b2", "WS"], ["g1", "g2"]], n=2, rules={"deck": "shuffle"}, known=[{"seat": 1, "holder": 0, "cards": ["b1"]}]
    )
    play(shuffled, "WS:r")
    assert known_to(shuffled, 0) == known_to(shuffled, 1) == {}


def test_known_counts_copies() -> None:
    known = [{"seat": 1, "holder": 0, "cards": ["r1", "r1"]}, {"seat": 2, "holder": 0, "cards": ["r1"]}]
    game = at([["r1", "r1", "b9"]], known=known)
    assert known_to(game, 1) == {3: {"r1": 2}}
    assert known_to(game, 2) == {2: {"r1": 1}}
    play(game, "r1")
    assert known_to(game, 1) == {3: {"r1": 1}}
    assert known_to(game, 2) == {}  # it cannot tell the copies apart


def test_known_follows_the_order_of_play() -> None:
    known = [{"seat": 1, "holder": 0, "cards": ["b9"]}]
    assert known_to(at([["r1", "b9"]], known=known), 1) == {3: {"b9": 1}}
    assert known_to(at([["r1", "b9"]], known=known, direction=-1), 1) == {1: {"b9": 1}}


# Whole observations ---------------------------------------------------------------------------------------------------


def observation_by_hand(game: Game, seat: int) -> np.ndarray:
    """The whole row again, from the position's text alone."""
    p, n, rules = game.position(), game.num_players, game.rules
    row = np.zeros(OBS_SIZE, np.int64)

    def put(name: str, values: Any) -> None:
        row[LAYOUT[name].slice] = np.asarray(values).ravel()

    def counts(texts: list[str]) -> np.ndarray:
        return np.bincount([KIND_OF_TEXT[text] for text in texts] or [0], minlength=57) * (1 if texts else 0)

    def hot(size: int, place: int | None) -> list[int]:
        return [int(place == k) for k in range(size)]

    def percent(score: int) -> int:
        return 0 if rules.target is None else min(100 * score // rules.target, 127)

    def letter(colour: str | None) -> int | None:
        return None if colour is None else "rygb".index(colour)

    acts = seat == p["actor"]
    order = [(seat + k * p["direction"]) % n for k in range(n)]
    known = {entry["holder"]: entry["cards"] for entry in p["known"] if entry["seat"] == seat}
    top = p["discard_pile"][-1] if p["discard_pile"] else None
    symbols = [*"0123456789", "S", "R", "D", "W", "W4", "WX", "WS", "WC"]
    placed = {text.partition(":")[0] for text in game.legal_texts()} & set(KIND_OF_TEXT)
    put("hand", counts(p["hands"][seat]))
    put("playable", counts(sorted(placed)) if acts else np.zeros(57))
    put("drawn", counts([p["drawn"]]) if acts and p["drawn"] else np.zeros(57))
    put("discarded", counts(p["discard_pile"]))
    deck = [KIND_TEXTS[k] for k, c in enumerate(rules.deck_counts) for _ in range(c)]
    put("unseen", counts(deck) - counts(p["hands"][seat]) - counts(p["discard_pile"]) - sum(map(counts, known.values())))
    put("colour", hot(4, letter(p["colour"])))
    put("symbol", hot(18, None if top is None else symbols.index(top if top[0] == "W" else top[1])))
    put("colour_before", hot(4, letter(p["colour_before"])))
    put("phase", hot(9, int(game.phase) if acts else None))
    put("turn", hot(10, order.index(p["turn"])))
    put("hand_size", len(p["hands"][seat]))
    put("declared", p["declared"][seat])
    put("catchable", p["offender"] == seat)
    put("score", percent(p["scores"][seat]))
    put("target", min((rules.target or 0) // 10, 127))
    put("pending", min(p["pending_draw"], 127))
    put("draw_pile", len(p["draw_pile"]))
    put("direction", p["direction"])
    others = np.zeros((9, 10))
    sizes, cards = np.zeros(9), np.zeros((9, 57))
    for k, other in enumerate(order[1:]):
        called = p["declared"][other] and len(p["hands"][other]) == 1
        partner = rules.teams is not None and other % rules.teams == seat % rules.teams
        others[k, :5] = [1, partner, len(p["hands"][other]), called, p["offender"] == other]
        others[k, 5] = percent(p["scores"][other])
        others[k, 6:] = hot(4, letter(p["drew_on"][other]))
        sizes[k] = len(known.get(other, []))
        cards[k] = counts(known.get(other, []))
    put("others", others)
    put("known_size", sizes)
    put("known", cards)
    return row


@pytest.mark.parametrize("name", PRESETS)
def test_whole_observations_of_presets(name: str) -> None:
    rng = random.Random(name)
    for seed in range(4 if COMPILED else 1):
        n = {"mini": 2, "mini_bluff": 2, "team": 4}.get(name, 2 + (seed * 3) % 8)
        game = Game(Rules.preset(name, num_players=n), seed)
        for _ in range(80 if COMPILED else 25):
            for seat in range(n):
                assert game.observe(seat).tolist() == observation_by_hand(game, seat).tolist()
            if game.over:
                if game.match_winners is not None:
                    break
                game.next_round()
            else:
                game.push(choose(game, rng))


def test_nothing_is_cut_off() -> None:
    """Counts fit into int8 in the largest deck; cards due are cut at 127."""
    game = Game(Rules(num_players=2, hand_size=60, deck={"r1": 127}, uno_call="auto"), 0)
    assert part(game, 0, "hand")[KIND_OF_TEXT["r1"]] == 60
    assert part(game, 0, "unseen")[KIND_OF_TEXT["r1"]] == 127 - 61
    huge = at([["r1"], ["g1", "gD"]], "rD", n=2, rules={"stacking": "same"}, phase="STACK", turn=1, pending_draw=200)
    assert part(huge, 1, "pending") == 127
    full = {"rules": {"deck": {"r1": 127, "r2": 1}, "num_players": 2, "hand_size": 1}, "hands": [["r1"], ["r1"]]}
    game = Game.from_position(full | {"draw_pile": ["r1"] * 125, "discard_pile": ["r2"]})
    assert part(game, 0, "unseen")[KIND_OF_TEXT["r1"]] == 126
    assert part(game, 0, "draw_pile") == 125


# Hidden cards, for a critic -------------------------------------------------------------------------------------------


def test_hidden_cards() -> None:
    hands = [["r1", "b2"], ["g1"], ["g2", "g2"], ["y1"]]
    for direction in (1, -1):
        game = at(hands, direction=direction, draw_pile=["b1", "W", "b3", "y4", "y6"])
        rows = np.zeros((1, observe.HIDDEN_SIZE), np.int8)
        observe.hidden(game._states, game.rules.params, 0, 1, rows)
        spot = observe.HIDDEN_LAYOUT["hands"]
        others = rows[0, spot.slice].reshape(spot.shape)
        expected = [{"g1": 1}, {"g2": 2}, {"y1": 1}][::direction]
        assert [cards_in(row) for row in others] == expected + [{}] * 6
        spot = observe.HIDDEN_LAYOUT["next_cards"]
        assert [cards_in(row) for row in rows[0, spot.slice].reshape(spot.shape)] == [{"b1": 1}, {"W": 1}, {"b3": 1}, {"y4": 1}]
    game = at(hands, draw_pile=["b1"])
    observe.hidden(game._states, game.rules.params, 0, 1, rows)
    assert [cards_in(row) for row in rows[0, spot.slice].reshape(spot.shape)] == [{"b1": 1}, {}, {}, {}]
