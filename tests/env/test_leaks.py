"""No agent sees what it cannot know, and each sees all that it lawfully knows."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.env.play import pick
from uno_env import LAYOUT, PRESETS, Game, Rules, uno_v0
from uno_env.aec import UnoAEC
from uno_env.cards import counts_of
from uno_env.render import text


def show(env: UnoAEC, game: Game) -> None:
    """Make ``env`` stand where ``game`` stands."""
    env._states[:] = game._states
    env._begin()


def seen(env: UnoAEC, agent: str) -> list[bytes]:
    """All that an agent is given, as bytes."""
    view, info = env.observe(agent), env.infos[agent]
    assert set(info) == {"action_mask"}
    return [view["observation"].tobytes(), view["action_mask"].tobytes(), info["action_mask"].tobytes()]


def compare(env: UnoAEC, game: Game, seed: int) -> tuple[int, int]:
    """Redraw what each seat cannot know; returns how often hands and draw piles became others."""
    hands = piles = 0
    for seat, agent in enumerate(env.possible_agents):
        show(env, game)
        before, table = seen(env, agent), text.table(game, seat, num_events=0)
        other = game.resample(seat, seed)
        show(env, other)
        assert seen(env, agent) == before
        assert text.table(other, seat, num_events=0) == table
        here, there = game.position(), other.position()
        assert here["hands"][seat] == there["hands"][seat]
        hands += here["hands"] != there["hands"]
        piles += here["draw_pile"] != there["draw_pile"]
    return hands, piles


@pytest.mark.parametrize("preset", PRESETS)
def test_hidden_cards_never_show(preset: str) -> None:
    rng = random.Random(3)
    rules = Rules.preset(preset)
    env = uno_v0.raw_env(rules)
    env.reset(seed=0)
    changed, decisions = np.zeros(2, int), 0
    phases = set()
    for seed in range(12):
        game = Game(rules, seed)
        while not game.over and decisions < 40 * (seed + 1):
            phases.add(game.phase.name)
            changed += compare(env, game, rng.randrange(2**32))
            game.push(pick(game.action_mask(), rng))
            decisions += 1
    assert decisions > 40
    assert (changed > decisions // 2).all(), "the redrawn games hardly differ: nothing was tested"
    assert "PLAY" in phases
    if preset == "party":
        assert {"JUMP", "SWAP", "STACK", "CATCH"} <= phases


@pytest.mark.parametrize("preset", ["official", "party", "house_seven_zero", "team"])
def test_what_is_known_shows(preset: str) -> None:
    rng = random.Random(4)
    known_entries = 0
    for seed in range(25):
        game = Game(preset, seed)
        n = game.num_players
        while not game.over:
            position = game.position()
            known = {(entry["seat"], entry["holder"]): entry["cards"] for entry in position["known"]}
            for seat in range(n):
                row = game.observe(seat)
                own = row[LAYOUT["hand"].slice]
                assert np.array_equal(own, counts_of(position["hands"][seat]))
                unseen = game.rules.deck_counts - own - counts_of(position["discard_pile"])
                for k in range(1, n):
                    holder = (seat + position["direction"] * k) % n
                    cards = counts_of(known.get((seat, holder), []))
                    assert np.array_equal(row[LAYOUT["known"].slice].reshape(9, 57)[k - 1], cards)
                    assert row[LAYOUT["known_size"].slice][k - 1] == cards.sum()
                    unseen = unseen - cards
                    known_entries += int(cards.sum())
                assert np.array_equal(row[LAYOUT["unseen"].slice], unseen)
            game.push(pick(game.action_mask(), rng))
    assert known_entries > 0


def test_a_shown_hand_is_seen_by_the_challenger_alone() -> None:
    hands = [["r5", "b1", "W4"], ["y1", "y2"], ["g1", "g2"]]
    game = Game.from_position(
        {"rules": {}, "hands": hands, "draw_pile": ["b7"] * 2 + ["b9"] * 2 + ["g9"] * 2, "discard_pile": ["r9"]}
    )
    game.push("W4:g")
    game.push("challenge")  # guilty: seat 0 holds a red card, and draws four that nobody sees
    shown = [game.observe(seat)[LAYOUT["known"].slice].reshape(9, 57) for seat in range(3)]
    assert np.array_equal(shown[1][1], counts_of(["r5", "b1"]))  # seat 0 is the second after seat 1
    assert not shown[1][0].any()
    assert not shown[0].any()
    assert not shown[2].any()
