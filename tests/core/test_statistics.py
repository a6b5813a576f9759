"""The sanity numbers of `rules.md` section 5: exact facts, and the reference simulation reproduced within sampling error.

A measured figure agrees when it lies within 4.5 standard errors, ours and the reference's combined, plus half a unit of the last
digit printed there. The reference's figures come from 400,000 rounds (100,000 in the last table) of a separate C++ program.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.positions import at, deck_of
from tests.simulation import RANDOM, SIMPLE, Estimate, Rounds, decide, rounds_per_match
from uno_env import Game, Rules, engine
from uno_env.cards import KIND_TEXTS
from uno_env.jit import COMPILED
from uno_env.state import NUM_ACTIONS, ROW, new_states

BOUND = 4.5
ROUNDS = 20_000
POLICIES = {"random": RANDOM, "simple": SIMPLE}


def agrees(ours: Estimate, printed: str, rounds: int, of: int = 400_000) -> tuple[float, bool]:
    """The difference in standard errors, rounding apart, and whether it is small enough."""
    decimals = len(printed.partition(".")[2])
    error = ours.error * math.sqrt(1 + rounds / of)
    z = (abs(ours.value - float(printed)) - 0.5 * 10.0**-decimals) / error
    return z, z < BOUND


def check(found: dict[str, tuple[Estimate, str]], rounds: int, of: int = 400_000) -> None:
    wrong = {}
    for name, (ours, printed) in found.items():
        z, fine = agrees(ours, printed, rounds, of)
        if not fine:
            wrong[name] = f"{ours.value:.4f} +- {ours.error:.4f}, reference {printed}, z {z:.1f}"
    assert not wrong


# 5.1 Exact facts ------------------------------------------------------------------------------------------------------

DECK = deck_of("official")


def hypergeometric_none(marked: int, deck: int = 108, hand: int = 7) -> float:
    """Chance that a hand holds none of the marked cards."""
    return math.comb(deck - marked, hand) / math.comb(deck, hand)


def test_exact_facts_of_the_deck() -> None:
    numbers = sum(count for card, count in DECK.items() if card[1:].isdigit() and card[0] != "W")
    assert DECK.total() == 108
    assert numbers == 76
    assert sum(DECK[c + "S"] for c in "rygb") == sum(DECK[c + "R"] for c in "rygb") == sum(DECK[c + "D"] for c in "rygb") == 8
    assert f"{76 / 108:.4f} {8 / 108:.4f} {4 / 108:.4f}" == "0.7037 0.0741 0.0370"
    assert f"{76 / 104:.4f} {8 / 104:.4f} {4 / 104:.4f} {24 / 104:.4f}" == "0.7308 0.0769 0.0385 0.2308"
    assert f"{1 - hypergeometric_none(4):.4f} {1 - hypergeometric_none(8):.4f}" == "0.2381 0.4259"
    assert f"{7 * 8 / 108:.4f}" == "0.5185"
    for rules, hand in (("official", "80.37"), ("how_to_play", "77.78")):
        made = Rules.preset(rules)
        assert f"{7 * int(made.deck_counts @ made.points) / 108:.2f}" == hand


@pytest.mark.parametrize(("top", "playable", "none"), [("r5", 38, "0.0414"), ("rS", 38, "0.0414"), ("r0", 35, "0.0565")])
def test_cards_that_fit(top: str, playable: int, none: str) -> None:
    left = DECK - Counter([top])
    fits = 0
    for card, count in left.items():
        legal = at([[card, "b6" if card != "b6" else "g4"]], top).legal_texts()
        fits += count * any(text.partition(":")[0] == card for text in legal)
    assert fits == playable
    assert f"{playable / 107:.4f}" == {38: "0.3551", 35: "0.3271"}[playable]
    assert f"{hypergeometric_none(playable, 107):.4f}" == none


@pytest.mark.parametrize(("n", "pile"), [(2, 93), (4, 79), (6, 65), (8, 51), (10, 37)])
def test_draw_pile_after_the_deal(n: int, pile: int) -> None:
    for seed in range(100):
        game = Game("official", seed, num_players=n)
        if game.position()["discard_pile"][0][1:].isdigit():
            assert game.state.draw_size == pile


def test_frequency_of_starters() -> None:
    """All 104 cards that may start are equally frequent: chi-square over the 53 kinds."""
    deals = 40_000 if COMPILED else 400
    rules = Rules.preset("official")
    states = new_states(1)
    seen: Counter[str] = Counter()
    for seed in range(deals):
        engine.reset(states, rules.params, 0, np.uint64(seed))
        seen[KIND_TEXTS[states["pile"][0, -1]]] += 1
    expected = {card: deals * count / 104 for card, count in DECK.items() if card != "W4"}
    assert set(seen) <= set(expected)
    chi = sum((seen[card] - mean) ** 2 / mean for card, mean in expected.items())
    freedom = len(expected) - 1
    assert abs(chi - freedom) < BOUND * math.sqrt(2 * freedom)


def test_opening_hands() -> None:
    """Mean points of an opening hand, and how often it holds a wild."""
    deals = 20_000 if COMPILED else 300
    rules = Rules.preset("official", num_players=2)
    states = new_states(1)
    points, wilds = np.zeros(deals), np.zeros(deals)
    for seed in range(deals):
        engine.reset(states, rules.params, 0, np.uint64(seed))
        hand = states["hands"][0, 1, :57].astype(np.int64)  # the dealer's, which no starter Draw Two reaches
        points[seed] = hand @ rules.points
        wilds[seed] = hand[52:].sum() > 0
    assert abs(points.mean() - 7 * 1240 / 108) < BOUND * points.std() / math.sqrt(deals)
    share = 1 - hypergeometric_none(8)
    assert abs(wilds.mean() - share) < BOUND * math.sqrt(share * (1 - share) / deals)


# 5.2 Reference simulation ---------------------------------------------------------------------------------------------

#: The table of rules.md 5.2 without the longest round.
TABLE = """\
policy n turns sd p5 p50 p95 p99 plays draws forced legal reshuffled seat0 dealer points points40 match
random 2 46.6 33.8 13 37 113 167 36.3 16.1 11.0 0.654 0.0193 0.5052 0.4948 45.2 44.8 18.9
random 3 46.4 26.2 18 40 98 136 37.8 13.5 11.7 0.710 0.0095 0.3409 0.3270 77.5 76.9 14.1
random 4 50.1 24.5 23 44 98 131 41.6 13.1 13.2 0.738 0.0106 0.2589 0.2437 117.0 116.1 10.6
random 5 55.4 24.5 28 50 103 134 46.6 13.6 15.0 0.754 0.0191 0.2103 0.1930 157.0 155.8 8.5
random 6 60.8 25.1 32 55 109 142 51.6 14.2 16.8 0.766 0.0400 0.1767 0.1605 198.6 197.0 7.0
random 7 66.4 26.0 37 60 116 150 56.7 15.0 18.6 0.774 0.0841 0.1537 0.1352 241.1 239.2 5.7
random 8 71.9 27.1 41 66 124 159 61.8 15.8 20.5 0.781 0.1666 0.1356 0.1179 285.3 283.0 4.8
random 9 77.5 28.1 45 71 132 168 66.8 16.6 22.4 0.786 0.3006 0.1211 0.1044 331.0 328.1 4.5
random 10 82.9 29.1 49 76 140 177 71.9 17.4 24.5 0.790 0.4944 0.1113 0.0934 379.1 375.6 4.2
simple 2 31.1 21.7 11 24 75 110 25.3 9.0 7.9 0.709 0.0018 0.5048 0.4952 57.6 56.3 14.7
simple 3 36.0 19.2 17 31 74 103 30.3 8.9 9.6 0.753 0.0014 0.3427 0.3243 90.9 89.2 11.7
simple 4 42.1 20.0 22 37 82 109 35.8 9.8 11.4 0.768 0.0029 0.2626 0.2403 132.6 130.0 9.1
simple 5 48.7 21.4 26 43 91 120 41.7 10.9 13.3 0.777 0.0088 0.2120 0.1909 174.5 171.1 7.5
simple 6 55.0 22.9 31 49 100 131 47.3 11.9 15.2 0.784 0.0247 0.1801 0.1579 218.3 214.0 6.1
simple 7 60.8 24.0 35 54 108 141 52.6 12.7 16.9 0.790 0.0570 0.1563 0.1351 263.3 257.9 5.1
simple 8 66.4 25.1 39 60 116 150 57.7 13.6 18.7 0.796 0.1184 0.1391 0.1167 309.9 303.5 4.5
simple 9 71.9 26.1 43 65 123 159 62.7 14.3 20.5 0.801 0.2254 0.1241 0.1036 357.9 350.4 4.2
simple 10 77.0 27.0 47 70 130 166 67.4 15.0 22.2 0.806 0.3861 0.1122 0.0921 408.1 399.3 3.5
"""
COLUMNS, *CELLS = [line.split() for line in TABLE.splitlines()]


def digital(n: int, **changes: Any) -> Rules:
    """The reference's rules: Wild Draw Four enforced, calls automatic, no voluntary draw."""
    return Rules.preset("digital", num_players=n, voluntary_draw=False, **changes)


def check_cell(cell: list[str], rounds: int) -> None:
    policy, n = POLICIES[cell[0]], int(cell[1])
    printed = dict(zip(COLUMNS, cell, strict=True))
    played = Rounds(digital(n), policy, rounds, seed=n)
    check(
        {
            "turns": (played.mean("turns"), printed["turns"]),
            "sd of turns": (played.deviation("turns"), printed["sd"]),
            "plays": (played.mean("plays"), printed["plays"]),
            "draws for want of a card": (played.mean("draws"), printed["draws"]),
            "forced draws": (played.mean("forced"), printed["forced"]),
            "turns with a legal card": (played.ratio("legal", "turns"), printed["legal"]),
            "rounds with a reshuffle": (played.mean("reshuffled"), printed["reshuffled"]),
            "seat 0 wins": (played.wins(0), printed["seat0"]),
            "dealer wins": (played.wins(n - 1), printed["dealer"]),
            "points": (played.mean("points"), printed["points"]),
            "points with a Wild at 40": (played.mean("points40"), printed["points40"]),
        },
        rounds,
    )
    turns = played.column("turns")
    for name, share in (("p5", 0.05), ("p50", 0.5), ("p95", 0.95), ("p99", 0.99)):
        error = BOUND * math.sqrt(share * (1 - share) / rounds * (1 + rounds / 400_000))
        value = int(printed[name])
        assert (turns < value).mean() - error <= share <= (turns <= value).mean() + error, name
    assert set(played.column("winner")) <= set(range(n))  # no round was void
    assert played.column("turns").max() < 600


@pytest.mark.compiled_only
@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell[0]}-{cell[1]}")
def test_reference_simulation(cell: list[str]) -> None:
    check_cell(cell, ROUNDS)


@pytest.mark.compiled_only
@pytest.mark.slow
@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell[0]}-{cell[1]}")
def test_reference_simulation_at_length(cell: list[str]) -> None:
    check_cell(cell, 400_000)


@pytest.mark.compiled_only
@pytest.mark.parametrize("cell", [CELLS[k] for k in (0, 2, 8, 9, 11, 17)], ids=lambda cell: f"{cell[0]}-{cell[1]}")
def test_rounds_of_a_match(cell: list[str]) -> None:
    n = int(cell[1])
    rules = digital(n, target=500)
    check({"rounds of a match": (rounds_per_match(rules, POLICIES[cell[0]], 1500, seed=n), cell[-1])}, 1500, of=20_000)


# Variants -------------------------------------------------------------------------------------------------------------


VARIANTS: dict[str, tuple[dict[str, Any], str, str]] = {
    "official": ({}, "46.6 50.1 71.9", "31.1 42.1 66.4"),
    "Wild Draw Four free": ({"wild_draw_four": "free"}, "48.7 52.7 76.0", "31.1 42.1 66.4"),
    "until playable, then play": ({"draw_until_playable": True, "drawn_card": "must"}, "78.7 86.8 101.4", "46.1 71.6 90.9"),
    "Seven-O, random target": ({"seven_zero": "both"}, "46.3 49.9 71.5", "30.9 42.1 65.9"),
}


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", VARIANTS)
def test_variants(name: str) -> None:
    changes, *printed = VARIANTS[name]
    found = {}
    for policy, row in zip(POLICIES, printed, strict=True):
        for n, turns in zip((2, 4, 8), row.split(), strict=True):
            played = Rounds(digital(n, **changes), POLICIES[policy], ROUNDS, seed=100 + n)
            found[f"{policy} {n}"] = (played.mean("turns"), turns)
            if "seven_zero" in changes and policy == "random" and n == 4:
                found["seat 0 wins"] = (played.wins(0), ".251")
    check(found, ROUNDS)


@pytest.mark.compiled_only
def test_stacking() -> None:
    """In the reference's count, whoever faces a draw card takes a turn, by an answer or by drawing the total."""
    found = {}
    for policy, row in (("random", "48.8 52.9 77.0"), ("simple", "33.1 45.0 71.2")):
        for n, turns in zip((2, 4, 8), row.split(), strict=True):
            played = Rounds(digital(n, stacking="same"), POLICIES[policy], ROUNDS, seed=200 + n)
            found[f"{policy} {n}"] = (played.mean(played.column("turns") + played.column("faced")), turns)
            if policy == "random" and n == 4:
                found["plays"] = (played.mean("plays"), "40.9")
    check(found, ROUNDS)


@pytest.mark.compiled_only
def test_text_a() -> None:
    """Opening with any card, no play after a draw, no last-card draw: `crash_course` with enforced Wild Draw Fours."""
    found = {}
    rows = (("random", "58.7 57.0 77.5", ".513 .276 .151"), ("simple", "35.0 43.5 68.5", ".520 .282 .154"))
    for policy, turns, shares in rows:
        for n, mean, share in zip((2, 4, 8), turns.split(), shares.split(), strict=True):
            rules = Rules.preset("crash_course", num_players=n, wild_draw_four="enforced", uno_call="auto", target=None)
            played = Rounds(rules, POLICIES[policy], ROUNDS, seed=300 + n)
            found[f"{policy} {n} turns"] = (played.mean("turns"), mean)
            found[f"{policy} {n} seat 0 wins"] = (played.wins(0), share)
    check(found, ROUNDS, of=100_000)


@pytest.mark.compiled_only
def test_drawn_card_never() -> None:
    found = {}
    for n, turns in ((2, "59.1"), (4, "57.8"), (8, "78.1")):
        played = Rounds(digital(n, drawn_card="never"), RANDOM, ROUNDS, seed=400 + n)
        found[str(n)] = (played.mean("turns"), turns)
    check(found, ROUNDS, of=100_000)


@pytest.mark.compiled_only
def test_no_final_draw() -> None:
    found = {}
    for policy, row in (("random", "42.7 114.0 281.1"), ("simple", "53.1 127.3 303.4")):
        for n, points in zip((2, 4, 8), row.split(), strict=True):
            played = Rounds(digital(n, final_draw=False), POLICIES[policy], ROUNDS, seed=500 + n)
            found[f"{policy} {n}"] = (played.mean("points"), points)
    check(found, ROUNDS, of=100_000)


@pytest.mark.compiled_only
def test_share_of_bluffs() -> None:
    """Random play that ignores the restriction on the Wild Draw Four and is never challenged."""
    found = {}
    for n, share in ((2, ".332"), (4, ".436"), (8, ".478")):
        played = Rounds(digital(n, wild_draw_four="challenge"), RANDOM, ROUNDS, seed=600 + n)
        found[str(n)] = (played.ratio("bluffs", "fours"), share)
    check(found, ROUNDS, of=100_000)


def test_policies_play_lawfully() -> None:
    """The simulation goes round the check of `Game.push`; here every action of it is checked."""
    generator = random.Random(3)
    playable, mask = np.empty(ROW, np.int8), np.empty(NUM_ACTIONS, np.int8)
    for rules in (digital(4), digital(2, stacking="any", seven_zero="both"), Rules.preset("crash_course", uno_call="auto")):
        for policy in (RANDOM, SIMPLE):
            game = Game(rules, generator.getrandbits(60))
            rng = np.array([7], np.uint64)
            while not game.over:
                engine.fill_mask(game._states[0], rules.params[0], playable, mask)
                game.push(int(decide(game._states[0], playable, mask, policy, rng)))
