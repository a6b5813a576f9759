"""Deals from a deck in a given order: what a seeded deal does with a shuffled one (``rules.md`` 2.2-2.4)."""

from __future__ import annotations

import numpy as np
import pytest

from uno_env import engine
from uno_env.cards import KIND_TEXTS
from uno_env.rules import Rules
from uno_env.state import Phase, State, new_states

KIND = {text: kind for kind, text in enumerate(KIND_TEXTS)}


def stacked(rules: Rules, cards: list[str]) -> State:
    """A game dealt from ``cards``, the first card dealt at the front."""
    states = new_states(1)
    engine.reset(states, rules.params, 0, np.uint64(5))
    engine.stack(states, rules.params, 0, np.array([KIND[card] for card in reversed(cards)], np.int8))
    return State(states, 0)


def hand(state: State, seat: int) -> list[str]:
    return [text for kind, text in enumerate(KIND_TEXTS) for _ in range(int(state.row("hands")[seat, kind]))]


def test_cards_are_dealt_one_at_a_time_from_the_dealers_left() -> None:
    rules = Rules.preset("official", num_players=3, hand_size=2, deck={"r1": 4, "g2": 4, "b3": 4, "y5": 2})
    state = stacked(rules, ["r1", "g2", "b3", "r1", "g2", "b3", "y5", "r1", "g2", "b3"])
    assert [hand(state, seat) for seat in range(3)] == [["r1"] * 2, ["g2"] * 2, ["b3"] * 2]
    assert (state.dealer, state.turn, state.phase) == (2, 0, Phase.PLAY)
    assert [KIND_TEXTS[kind] for kind in state.draw_pile] == ["r1", "g2", "b3"]
    assert state.colour == 1, "yellow is in force"


def test_a_starter_acts() -> None:
    rules = Rules.preset("official", num_players=3, hand_size=1, deck={"r1": 4, "yS": 1})
    state = stacked(rules, ["r1", "r1", "r1", "yS", "r1"])
    assert state.turn == 1, "the first player is skipped"


@pytest.mark.parametrize(("starter", "back"), [("flip", True), ("flip_number", False)])
def test_only_a_starter_wild_draw_four_goes_back(starter: str, back: bool) -> None:
    rules = Rules.preset("official", starter=starter)
    assert engine.goes_back(rules.params, KIND["W4"]) == back
    assert not engine.goes_back(rules.params, KIND["W"])
    assert not engine.goes_back(rules.params, KIND["r5"])
