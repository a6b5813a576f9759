"""What holds in every game under any rules (`rules.md` 7.2), over games that hypothesis draws.

A failing example is shrunk to few actions under rules near the official ones; its position is printed as text.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.positions import by_kind
from tests.strategies import choose, examples, games, rules, tell
from tests.symmetry import recolour, recolour_action, recolour_observation, rotate
from uno_env import Event, Game, Phase, Rules
from uno_env.cards import COLOUR_LETTERS, KIND_OF_TEXT, KIND_TEXTS
from uno_env.state import STATE

Position = dict[str, Any]


def deck_of(rules: Rules) -> Counter[str]:
    return Counter({KIND_TEXTS[kind]: int(count) for kind, count in enumerate(rules.deck_counts) if count})


# One decision ---------------------------------------------------------------------------------------------------------


def check_position(game: Game) -> None:
    """A state by itself."""
    p, n = game.position(), game.num_players
    cards = Counter([*p["draw_pile"], *p["discard_pile"], *(card for hand in p["hands"] for card in hand)])
    assert cards == deck_of(game.rules)

    mask = game.action_mask()
    assert set(mask.tolist()) <= {0, 1}
    assert bool(mask.any()) != game.over
    assert 0 <= p["actor"] < n
    assert 0 <= p["turn"] < n
    assert p["direction"] == 1 or (p["direction"] == -1 and n > 2)

    top = p["discard_pile"][-1] if p["discard_pile"] else None
    if top is None:
        assert game.rules.starter == "first_player"
        assert p["phase"] == "PLAY"
        assert p["colour"] is None
    elif top in COLOUR_LETTERS or top[0] in COLOUR_LETTERS:
        assert p["colour"] == top[0]
    else:
        assert (p["colour"] is None) == (p["phase"] == "COLOUR")

    empty = [seat for seat, hand in enumerate(p["hands"]) if not hand]
    if game.over:
        assert game.outcome is not None
        if game.outcome.termination == "out":
            assert len(empty) == 1
            assert empty[0] in game.outcome.winners
        else:
            assert not empty
        assert not mask.any()
    else:
        assert not empty
        assert p["outcome"] is None

    window = p["phase"] in ("JUMP", "SWAP", "CATCH")
    if p["phase"] in ("STACK", "CHALLENGE"):
        assert p["pending_draw"] >= 2
    elif not (window and game.rules.stacking != "off"):
        assert p["pending_draw"] == 0
    assert p["pending_draw"] % 2 == 0
    assert (p["drawn"] is not None) == (p["phase"] == "DRAWN")
    if p["drawn"] is not None:
        assert p["drawn"] in p["hands"][p["actor"]]
    if p["phase"] in ("PLAY", "DRAWN", "SWAP", "STACK", "COLOUR"):
        assert p["actor"] == p["turn"]
    if p["phase"] == "CHALLENGE":
        assert p["guilty"] is not None
        assert top == "W4"
        assert p["actor"] != p["turn"]
    elif not window:
        assert p["guilty"] is None
    for seat, called in enumerate(p["declared"]):
        if called:
            assert game.rules.uno_call == "declare"
            assert len(p["hands"][seat]) == 1 or (len(p["hands"][seat]) == 2 and seat == p["actor"])
    for entry in p["known"]:
        assert not Counter(entry["cards"]) - Counter(p["hands"][entry["holder"]])


def check_action(before: Position, event: Event, after: Position, rules: Rules) -> None:
    """What one action changed."""
    n, seat = rules.num_players, event.seat
    played = event.action.partition(":")[0]
    played_cards = Counter([played]) if played in KIND_OF_TEXT else Counter()
    drawn = Counter(card for _, cards in event.drawn for card in cards)

    # Every card that moved is told of.
    old, new = ([Counter(hand) for hand in p["hands"]] for p in (before, after))
    assert sum(new, Counter()) == sum(old, Counter()) + drawn - played_cards
    top = after["discard_pile"][-1] if after["discard_pile"] else ""
    hands_move = top in ("WX", "WS") or (rules.seven_zero != "off" and top[1:] in ("0", "7"))
    if not hands_move:
        for s in range(n):
            gains = Counter(card for who, cards in event.drawn if who == s for card in cards)
            assert new[s] + (played_cards if s == seat else Counter()) == old[s] + gains
    order = [card for _, cards in event.drawn for card in cards]
    taken = len(before["draw_pile"]) + len(played_cards) + len(before["discard_pile"]) - len(after["draw_pile"])
    assert taken - len(after["discard_pile"]) == len(order)
    ahead = len(before["draw_pile"])
    assert order[:ahead] == before["draw_pile"][: len(order)]
    if len(order) <= ahead:  # nothing was shuffled
        assert after["draw_pile"] == before["draw_pile"][len(order) :]
        assert after["discard_pile"] == before["discard_pile"] + list(played_cards)

    # Turns and direction.
    assert 0 <= after["turns"] - before["turns"] <= 1
    if after["direction"] != before["direction"]:
        assert top[1:] == "R"
        assert n > 2
    if event.action == "draw":
        following = (seat + before["direction"]) % n
        assert after["phase"] in ("DRAWN", "OVER") or after["turn"] == following
        assert after["drew_on"][seat] == before["colour"]
    number = played_cards and played[0] in COLOUR_LETTERS and played[1].isdigit()
    if after["phase"] == "PLAY" and (number or played == "W" or played == "WC"):
        assert after["turn"] == (seat + after["direction"]) % n
    if after["turns"] == before["turns"] and not played_cards and event.phase != Phase.STACK:
        assert after["turn"] in (before["turn"], seat, after["actor"])

    # Points.
    points = event.points
    assert (points is not None) == (after["phase"] == "OVER")
    if points is None:
        assert after["scores"] == before["scores"]
        return
    assert after["scores"] == [a + b for a, b in zip(before["scores"], points, strict=True)]
    winners = after["outcome"]["winners"]
    if rules.scoring == "winner_takes_all":
        assert all(points[s] == 0 for s in range(n) if s not in winners)
        if rules.teams is None:
            assert sum(1 for gain in points if gain) <= 1
    else:
        assert all(points[s] == 0 for s in winners)
    if not winners:
        assert set(points) == {0}
    worth = rules.points
    held = [sum(int(worth[KIND_OF_TEXT[card]]) for card in hand) for hand in after["hands"]]
    losers = [s for s in range(n) if s not in winners]
    if winners and rules.scoring == "winner_takes_all":
        assert {points[s] for s in winners} == {sum(held[s] for s in losers)}


@examples(250)
@given(rules(), st.integers(0, 2**32), st.binary(max_size=200))
def test_every_action(made: Rules, seed: int, choices: bytes) -> None:
    game = Game(made, seed)
    check_position(game)
    for choice in choices:
        if game.over:
            break
        legal = game.legal_texts()
        action = legal[choice % len(legal)]
        tell(game, action=action)
        before = game.position()
        event = game.push(action)
        check_position(game)
        check_action(before, event, game.position(), made)


@examples(250)
@given(games(longest=400), st.integers(0, 2**32))
def test_every_action_deep_in_a_game(game: Game, seed: int) -> None:
    rng = random.Random(seed)
    check_position(game)
    for _ in range(25):
        if game.over:
            if game.match_winners is not None:
                break
            game.next_round()
            check_position(game)
            continue
        action = choose(game, rng)
        tell(game, action=action)
        before = game.position()
        event = game.push(action)
        check_position(game)
        check_action(before, event, game.position(), game.rules)


# Sameness -------------------------------------------------------------------------------------------------------------


def test_records_have_no_padding() -> None:
    """NumPy does not copy padding, so equal games would not have equal bytes."""
    assert sum(field[0].itemsize for field in (STATE.fields or {}).values()) == STATE.itemsize


@examples(120)
@given(games(), st.integers(0, 2**32))
def test_copies_go_on_identically(game: Game, seed: int) -> None:
    tell(game)
    copy = game.copy()
    assert copy.to_bytes() == game.to_bytes()
    frozen = game.to_bytes()
    rng = random.Random(seed)
    actions = []
    while not copy.over and len(actions) < 40:
        actions.append(choose(copy, rng))
        copy.push(actions[-1])
    assert game.to_bytes() == frozen
    for action in actions:
        game.push(action)
    assert game.to_bytes() == copy.to_bytes()
    assert game.history == copy.history


@examples(60)
@given(rules(), st.integers(-(2**70), 2**70), st.integers(0, 2**32))
def test_same_seed_and_actions_same_bytes(made: Rules, seed: int, choices: int) -> None:
    one, rng = Game(made, seed), random.Random(choices)
    actions = []
    while not one.over and len(actions) < 80:
        actions.append(choose(one, rng))
        one.push(actions[-1])
    two = Game(made, seed)
    for action in actions:
        two.push(action)
    assert one.to_bytes() == two.to_bytes()
    assert one.history == two.history


@examples(60)
@given(games())
def test_looking_changes_nothing(game: Game) -> None:
    before = game.to_bytes()
    rows = [game.observe(seat) for seat in range(game.num_players)]
    game.action_mask()
    game.position()
    str(game)
    game.transcript()
    game.rewards()
    game.resample(0, 1)
    assert game.to_bytes() == before
    for seat, row in enumerate(rows):
        assert game.observe(seat).tobytes() == row.tobytes()
        assert not np.shares_memory(game.observe(seat), row)


# Symmetry -------------------------------------------------------------------------------------------------------------


def shuffled(before: Position, after: Position) -> bool:
    """Whether the action made use of chance: a reshuffle or Wild Shuffle Hands."""
    return len(after["discard_pile"]) < len(before["discard_pile"]) or after["discard_pile"][-1:] == ["WS"]


@examples(150)
@given(games(), st.permutations(COLOUR_LETTERS), st.integers(0, 2**32))
def test_colours_can_be_exchanged(game: Game, letters: list[str], seed: int) -> None:
    colours = dict(zip(COLOUR_LETTERS, letters, strict=True))
    tell(game, colours=colours)
    rng = random.Random(seed)
    other = Game.from_position(recolour(game.position(), colours))
    if game.rules.deck in ("classic", "swap", "shuffle"):
        assert other.rules == game.rules
    for _ in range(12):
        before = game.position()
        assert other.position() | {"rules": None} == recolour(before, colours) | {"rules": None}
        assert sorted(other.legal_texts()) == sorted(recolour_action(text, colours) for text in game.legal_texts())
        for seat in range(game.num_players):
            assert other.observe(seat).tolist() == recolour_observation(game.observe(seat), colours).tolist()
        if game.over:
            break
        action = choose(game, rng)
        events = game.push(action), other.push(recolour_action(action, colours))
        if shuffled(before, game.position()):
            break
        assert events[0].verdict == events[1].verdict
        assert events[0].points == events[1].points


@examples(150)
@given(games(), st.integers(1, 9), st.integers(0, 2**32))
def test_seats_can_be_rotated(game: Game, k: int, seed: int) -> None:
    n = game.num_players
    assume(k % n)
    tell(game, k=k)
    rng = random.Random(seed)
    other = Game.from_position(rotate(game.position(), k))
    for _ in range(12):
        before = game.position()
        assert other.position() == rotate(before, k)
        assert other.legal_actions() == game.legal_actions()
        for seat in range(n):
            assert other.observe((seat + k) % n).tobytes() == game.observe(seat).tobytes()
        if game.over:
            assert other.rewards("win").tolist() == np.roll(game.rewards("win"), k).tolist()
            break
        action = game.action_id(choose(game, rng))
        game.push(action)
        other.push(action)
        if shuffled(before, game.position()):
            break


def test_recolouring_by_hand() -> None:
    """The helper itself, on one example."""
    swap = {"r": "b", "b": "r", "y": "y", "g": "g"}
    game = Game.from_position({"hands": [["r1", "W"], ["b2", "y3"]], "discard_pile": ["r5"], "drew_on": ["b", None]})
    other = recolour(game.position(), swap)
    assert other["hands"] == [["b1", "W"], ["r2", "y3"]] == [by_kind(hand) for hand in other["hands"]]
    assert (other["colour"], other["discard_pile"], other["drew_on"]) == ("b", ["b5"], ["r", None])
    texts = ["r1", "W4:b", "colour:r", "swap:1", "draw", "yS"]
    assert [recolour_action(text, swap) for text in texts] == ["b1", "W4:r", "colour:b", "swap:1", "draw", "yS"]
