"""`resample`: redraws exactly what a seat cannot know, uniformly; and no observation depends on what its seat cannot know."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.positions import by_kind
from tests.strategies import choose, examples, games, tell
from uno_env import PRESETS, Game, Rules
from uno_env.jit import COMPILED

Position = dict[str, Any]

PUBLIC = (
    *("rules", "num_players", "discard_pile", "colour", "direction", "dealer", "turn", "actor", "phase", "pending_draw"),
    *("declared", "scores", "round", "turns", "passes", "drew_on", "colour_before", "size_before", "owing", "received"),
    *("offender", "outcome"),
)
"""What everybody knows; of JUMP, who was asked shows in no observation, but stays as it is in a redrawn game."""


def seen_by(position: Position, seat: int) -> list[Any]:
    return [entry for entry in position["known"] if entry["seat"] == seat]


# What stays and what changes ------------------------------------------------------------------------------------------


@examples(200)
@given(games(longest=200), st.integers(0, 2**32))
def test_resample_keeps_what_the_seat_knows(game: Game, seed: int) -> None:
    before, bytes_before = game.position(), game.to_bytes()
    for seat in range(game.num_players):
        redrawn = game.resample(seat, seed)
        tell(game, seat=seat, redrawn=json.dumps(redrawn.position()))
        assert game.to_bytes() == bytes_before
        after = redrawn.position()
        assert redrawn.observe(seat).tobytes() == game.observe(seat).tobytes()
        for key in PUBLIC:
            assert after[key] == before[key], key
        assert after["hands"][seat] == before["hands"][seat]
        assert [len(hand) for hand in after["hands"]] == [len(hand) for hand in before["hands"]]
        assert len(after["draw_pile"]) == len(before["draw_pile"])
        assert seen_by(after, seat) == seen_by(before, seat)
        for entry in after["known"]:
            assert not Counter(entry["cards"]) - Counter(after["hands"][entry["holder"]])
        for entry, old in zip(after["known"], before["known"], strict=True):  # others know as many cards as before
            assert (entry["seat"], entry["holder"], len(entry["cards"])) == (old["seat"], old["holder"], len(old["cards"]))
            if entry["holder"] == seat:
                assert entry == old
        assert Counter(all_of(after)) == Counter(all_of(before))
        if seat == game.actor:
            assert redrawn.legal_texts() == game.legal_texts()
            assert after["drawn"] == before["drawn"]
        if not game.over:
            assert redrawn.legal_texts()
        assert Game.from_position(after).position() == after


def all_of(position: Position) -> list[str]:
    return [*position["draw_pile"], *position["discard_pile"], *(card for hand in position["hands"] for card in hand)]


@examples(60)
@given(games(longest=60, deck="classic", hand_size=5, starter="flip"), st.integers(0, 2**32))
def test_resample_changes_what_the_seat_cannot_know(game: Game, seed: int) -> None:
    before = game.position()
    for seat in range(game.num_players):
        hidden = [len(hand) for s, hand in enumerate(before["hands"]) if s != seat]
        if len(before["draw_pile"]) < 10 or sum(hidden) < 3:
            continue
        redrawn = [game.resample(seat, seed + k) for k in range(12)]
        tell(game, seat=seat)
        assert len({tuple(r.position()["draw_pile"]) for r in redrawn}) > 1
        assert game.resample(seat, seed).to_bytes() == redrawn[0].to_bytes()
        for holder, hand in enumerate(before["hands"]):
            known = sum(len(entry["cards"]) for entry in seen_by(before, seat) if entry["holder"] == holder)
            hands = {tuple(r.hand(holder)) for r in redrawn}
            if holder == seat or known == len(hand):
                assert hands == {tuple(hand)}
            elif len(hand) > known:
                assert len(hands) > 1
        # Future random draws are new as well.
        assert len({r.to_bytes()[:8] for r in redrawn}) == len(redrawn)


def test_a_redrawn_game_plays_on() -> None:
    for name in PRESETS:
        rng = random.Random(name)
        game = Game(name, 3)
        for _ in range(60 if COMPILED else 15):
            if game.over:
                break
            redrawn = game.resample(rng.randrange(game.num_players), rng.getrandbits(64))
            for _ in range(200 if COMPILED else 20):
                if redrawn.over:
                    break
                redrawn.push(choose(redrawn, rng))
            game.push(choose(game, rng))


# Nothing leaks --------------------------------------------------------------------------------------------------------


def other_hidden_cards(position: Position, seat: int, rng: random.Random) -> Position:
    """The same position with everything that ``seat`` cannot know exchanged. Shares no code with `resample`."""
    position = json.loads(json.dumps(position))
    hands = position["hands"]
    keep = {entry["holder"]: Counter(entry["cards"]) for entry in seen_by(position, seat)}
    pool = list(position["draw_pile"])
    for holder, hand in enumerate(hands):
        if holder != seat:
            pool += list((Counter(hand) - keep.get(holder, Counter())).elements())
    rng.shuffle(pool)
    for holder, hand in enumerate(hands):
        if holder != seat:
            known = list(keep.get(holder, Counter()).elements())
            hands[holder] = by_kind(known + [pool.pop() for _ in range(len(hand) - len(known))])
    position["draw_pile"] = pool
    if position["drawn"] is not None and position["actor"] != seat:
        position["drawn"] = rng.choice(hands[position["actor"]])
    if position["guilty"] is not None and position["turn"] != seat:
        position["guilty"] = rng.random() < 0.5
    for entry in position["known"]:
        if entry["seat"] != seat and entry["holder"] != seat:
            entry["cards"] = by_kind(rng.sample(hands[entry["holder"]], len(entry["cards"])))
    return position


def check_nothing_leaks(game: Game, rng: random.Random) -> None:
    position = game.position()
    for seat in range(game.num_players):
        changed = other_hidden_cards(position, seat, rng)
        other = Game.from_position(changed, rng.getrandbits(60))
        assert other.observe(seat).tobytes() == game.observe(seat).tobytes()
        if seat == game.actor:
            assert other.action_mask().tobytes() == game.action_mask().tobytes()


@examples(250)
@given(games(longest=200), st.integers(0, 2**32))
def test_hidden_cards_change_no_observation(game: Game, seed: int) -> None:
    tell(game)
    check_nothing_leaks(game, random.Random(seed))


@pytest.mark.parametrize("name", PRESETS)
def test_nothing_leaks_in_presets(name: str) -> None:
    rng = random.Random(name)
    for seed in range(3 if COMPILED else 1):
        n = {"mini": 2, "mini_bluff": 2, "team": 4}.get(name, 2 + (seed * 2) % 5)
        game = Game(name, seed, num_players=n)
        for _ in range(100 if COMPILED else 25):
            check_nothing_leaks(game, rng)
            if game.over:
                break
            game.push(choose(game, rng))


def test_who_is_asked_to_jump_in_is_invisible() -> None:
    """Two games differ in who holds the identical card; the asking shows in no other seat's observation."""
    hands = [["b1", "b2"], ["r5", "g1"], ["g2", "g3"], ["y1", "y2"]]
    rules = {"jump_in": True, "uno_call": "auto"}
    position = {"rules": rules, "hands": hands, "discard_pile": ["r5"], "phase": "JUMP", "actor": 1, "turn": 0, "draw_pile": ["r9"]}
    asked_1 = Game.from_position(position)
    position = position | {"hands": [hands[0], ["g1", "r9"], ["g2", "r5"], hands[3]], "actor": 2, "draw_pile": ["g3"]}
    asked_2 = Game.from_position(position)
    for seat in (0, 3):
        assert asked_1.observe(seat).tobytes() == asked_2.observe(seat).tobytes()


# Uniformity -----------------------------------------------------------------------------------------------------------

SAMPLES = 12_000 if COMPILED else 600


def check_uniform(game: Game, seat: int, expected: dict[Any, float], outcome: Callable[[Position], Any]) -> None:
    """Chi-square of redrawn games against ``expected`` weights, within 4.5 standard deviations of its mean."""
    seen = Counter(outcome(game.resample(seat, seed).position()) for seed in range(SAMPLES))
    assert set(seen) <= set(expected), set(seen) - set(expected)
    total = sum(expected.values())
    chi = sum((seen[key] - SAMPLES * w / total) ** 2 / (SAMPLES * w / total) for key, w in expected.items())
    freedom = len(expected) - 1
    assert abs(chi - freedom) < 4.5 * math.sqrt(2 * freedom), (chi, freedom)


def deals(pool: list[str], sizes: list[int]) -> Iterator[tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]]:
    """All orders of the (distinguishable) cards of ``pool``: cards dealt to the hands, and the rest, the draw pile in order."""
    for order in itertools.permutations(pool):
        hands, at = [], 0
        for size in sizes:
            hands.append(order[at : at + size])
            at += size
        yield tuple(hands), order[at:]


def hands_and_pile(position: Position) -> Any:
    return tuple(map(tuple, position["hands"])), tuple(position["draw_pile"])


TINY = {"deck": {"r1": 1, "r2": 2, "g1": 1, "g2": 1, "b1": 1, "W4": 1, "y1": 2}, "hand_size": 1, "uno_call": "auto"}


def test_uniform_over_the_deals() -> None:
    position = {
        "rules": TINY,
        "hands": [["y1"], ["r1", "r2"], ["g1", "r2"]],
        "draw_pile": ["b1", "W4"],
        "discard_pile": ["y1"],
        "known": [{"seat": 0, "holder": 2, "cards": ["g1"]}],
    }
    game = Game.from_position(position)
    expected: Counter[Any] = Counter()
    for (one, two), pile in deals(["r1", "r2", "r2", "b1", "W4"], [2, 1]):
        expected[((("y1",), tuple(by_kind(list(one))), tuple(by_kind([*two, "g1"]))), pile)] += 1
    check_uniform(game, 0, dict(expected), hands_and_pile)


def test_uniform_with_the_bluff_of_a_wild_draw_four() -> None:
    """The victim of a challenge: whether the Wild Draw Four is a bluff follows from the redrawn hand."""
    position = {
        "rules": TINY,
        "hands": [["r1", "g1"], ["y1"], ["g2"]],
        "draw_pile": ["r2", "b1"],
        "discard_pile": ["y1", "W4"],
        "colour": "b",
        "colour_before": "r",
        "phase": "CHALLENGE",
        "guilty": True,
    }
    game = Game.from_position(position)
    assert (game.state.turn, game.actor) == (0, 1)
    expected: Counter[Any] = Counter()
    for (player, third), pile in deals(["r1", "g1", "g2", "r2", "b1"], [2, 1]):
        guilty = any(card[0] == "r" for card in player)
        expected[(tuple(by_kind(list(player))), third, pile, guilty)] += 1
    assert {key[-1] for key in expected} == {True, False}
    check_uniform(
        game,
        1,
        dict(expected),
        lambda p: (tuple(p["hands"][0]), tuple(p["hands"][2]), tuple(p["draw_pile"]), p["guilty"]),
    )


def test_uniform_bluff_is_judged_on_the_cards_held_then() -> None:
    """Cards drawn after the Wild Draw Four was placed (a caught player, ruling 30) do not make it a bluff."""
    position = {
        "rules": TINY | {"uno_call": "declare"},
        "hands": [["r1", "g1", "r2"], ["y1"]],
        "draw_pile": ["b1"],
        "discard_pile": ["y1", "W4"],
        "colour": "b",
        "colour_before": "r",
        "size_before": 1,
        "phase": "CHALLENGE",
        "guilty": False,
    }
    game = Game.from_position(position)
    expected: Counter[Any] = Counter()
    for (held, later), pile in deals(["r1", "g1", "r2", "b1"], [1, 2]):
        expected[(tuple(by_kind([*held, *later])), pile, held[0][0] == "r")] += 1
    check_uniform(game, 1, dict(expected), lambda p: (tuple(p["hands"][0]), tuple(p["draw_pile"]), p["guilty"]))


def test_uniform_over_a_drawn_card_that_can_be_played() -> None:
    """Another player decides about its drawn card, so that card fits."""
    position = {
        "rules": TINY | {"voluntary_draw": True},
        "hands": [["g1", "r1"], ["y1"]],
        "draw_pile": ["b1", "r2", "g2"],
        "discard_pile": ["y1", "r2"],
        "phase": "DRAWN",
        "drawn": "r1",
    }
    game = Game.from_position(position)
    expected: Counter[Any] = Counter()
    for (hand,), pile in deals(["g1", "r1", "b1", "r2", "g2"], [2]):
        if hand[1][0] == "r" or hand[1] == "g2":  # on the red 2
            expected[(tuple(by_kind(list(hand))), pile, hand[1])] += 1
    check_uniform(game, 1, dict(expected), lambda p: (tuple(p["hands"][0]), tuple(p["draw_pile"]), p["drawn"]))


def test_uniform_over_what_others_know_of_each_other() -> None:
    position = {
        "rules": TINY,
        "hands": [["y1"], ["r1", "g1"], ["g2"]],
        "draw_pile": ["b1"],
        "discard_pile": ["y1"],
        "known": [{"seat": 2, "holder": 1, "cards": ["g1"]}],
    }
    game = Game.from_position(position)
    expected: Counter[Any] = Counter()
    for (one, two), pile in deals(["r1", "g1", "g2", "b1"], [2, 1]):
        for shown in one:
            expected[(tuple(by_kind(list(one))), two, pile, shown)] += 1
    check_uniform(
        game,
        0,
        dict(expected),
        lambda p: (tuple(p["hands"][1]), tuple(p["hands"][2]), tuple(p["draw_pile"]), p["known"][0]["cards"][0]),
    )


def test_shuffles_are_uniform() -> None:
    """The deal itself: all orders of a small deck are equally frequent."""
    rules = Rules(num_players=2, hand_size=1, deck={"r1": 1, "r2": 1, "g1": 1, "g2": 1}, uno_call="auto")
    seen = Counter()
    for seed in range(SAMPLES):
        p = Game(rules, seed).position()
        seen[(*p["hands"][0], *p["hands"][1], *p["discard_pile"], *p["draw_pile"])] += 1
    assert len(seen) == 24
    mean = SAMPLES / 24
    chi = sum((count - mean) ** 2 / mean for count in seen.values())
    assert abs(chi - 23) < 4.5 * math.sqrt(46)


def test_a_redrawn_game_is_apart_from_the_first() -> None:
    game = Game("official", 4)
    redrawn = game.resample(1, 9)
    assert redrawn.history == []
    before = game.to_bytes()
    redrawn.push(redrawn.legal_texts()[0])
    assert game.to_bytes() == before
    assert not np.shares_memory(game._states, redrawn._states)
