"""Draw streams: each seat draws from its own order of the cards, and the game is still the same game."""

from __future__ import annotations

import collections
import itertools

import numpy as np
import pytest

import agents
from train.arena import play, rotations
from train.streams import Streams, card_kinds, name_cards, take_first
from uno_env.cards import MAX_DECK, NUM_KINDS
from uno_env.notation import action_id, states_from_position
from uno_env.rules import Rules
from uno_env.state import State, new_states
from uno_env.vector import UnoVector

RESEARCH = Rules.preset("research", num_players=2)


def batch(position: dict, count: int) -> UnoVector:
    """So many games at one position, with seeds from 0."""
    states, rules = states_from_position(position)
    vector = UnoVector(count, rules, list(range(count)))
    vector.states[:] = states
    vector.states["rng"] = np.random.default_rng(1).integers(2**63, size=count)
    vector.refresh()
    return vector


def act(vector: UnoVector, streams: Streams, text: str) -> None:
    actions = np.full(vector.num_envs, action_id(text, 0, vector.num_players, 1))
    rows = np.arange(vector.num_envs)
    streams(vector, rows, rows, actions)
    vector.step(actions)


def test_any_way_of_drawing_is_uniform_over_the_pile() -> None:
    # Two seats with all 24 x 24 orders of four cards. Who draws may hang on what was drawn: an even card passes the turn on.
    counts = collections.Counter()
    for orders in itertools.product(itertools.permutations(range(4)), repeat=2):
        priorities = np.full((2, MAX_DECK), 99, np.uint64)
        priorities[:, :4] = orders
        left = np.arange(MAX_DECK) < 4
        seat, drawn = 0, []
        for _ in range(4):
            drawn.append(int(take_first(left, priorities[seat])))
            seat ^= drawn[-1] % 2 == 0
        counts[tuple(drawn)] += 1
        assert not left.any()
    assert set(counts.values()) == {24 * 24 // 24}
    assert len(counts) == 24


def test_cards_are_named_by_kind_and_copy() -> None:
    states = new_states(1)
    states["pile"][0, :5] = [7, 3, 7, 56, 3]
    states["draw_size"] = 5
    kinds = np.full(MAX_DECK, -1, np.int64)
    kinds[:7] = [3, 3, 3, 7, 7, 9, 56]
    left = np.ones(MAX_DECK, np.bool_)
    name_cards(states[0], kinds, left)
    assert np.flatnonzero(left).tolist() == [0, 1, 3, 4, 6]
    counts = np.bincount(card_kinds(RESEARCH)[:108], minlength=NUM_KINDS)
    assert (counts == RESEARCH.params["deck"][0][:NUM_KINDS]).all()


def test_what_a_seat_draws_hangs_on_its_own_draws_alone() -> None:
    """Seat 0 draws the same cards whether or not seat 1 drew before it, but for those that seat 1 took."""
    table = {
        "rules": "digital",
        "hands": [["r1", "r2"], ["g1", "r3"]],
        "discard_pile": ["bS"],
        "colour": "b",
        "actor": 0,
        "turn": 0,
    }
    pile = [f"y{i}" for i in range(10)] + [f"g{i}" for i in range(2, 10)]  # nothing of it fits
    found = {}
    for first in (0, 1):
        vector = batch(table | {"draw_pile": pile, "actor": first, "turn": first}, 200)
        streams = Streams(vector.rules, 200)
        drawn = np.zeros((200, 2), np.int64)
        for step in range(6):
            before = vector.states["hands"].copy()
            seat = (first + step) % 2
            act(vector, streams, "draw")
            drawn_now = (vector.states["hands"] - before)[:, seat].argmax(axis=1)
            if step < 2:
                drawn[:, seat] = drawn_now
        found[first] = drawn
    same = (found[0] == found[1]).mean(axis=0)
    # The second of two to draw loses its first card to the first with probability 1/18.
    assert (same > 0.9).all(), same
    assert (found[0][:, 0] != found[0][:, 1]).all()


def test_every_draw_is_uniform_over_the_pile_also_of_copies_and_after_a_reshuffle() -> None:
    # Two of r5 and one of g7: each card of the pile comes equally often, first, second and third; then the discards come back.
    games = 9000
    position = {
        "rules": "digital",
        "hands": [["r1", "r2"], ["g1", "r3"]],
        "draw_pile": ["r5", "r5", "g7"],
        "discard_pile": ["y1", "y1", "y2", "b9"],
        "colour": "b",
    }
    vector = batch(position, games)
    streams = Streams(vector.rules, games)
    three_deviations = 3 * np.sqrt(games * 2 / 9)
    kinds = {text: action_id(text, 0, 2, 1) for text in ("r5", "g7", "y1", "y2")}
    for step in range(6):
        before = vector.states["hands"].copy()
        act(vector, streams, "draw")
        drawn = (vector.states["hands"] - before)[:, step % 2].argmax(axis=1)
        common, rare = ("r5", "g7") if step < 3 else ("y1", "y2")
        assert (drawn == kinds[rare]).sum() == pytest.approx(games / 3, abs=three_deviations), step
        assert (drawn == kinds[common]).sum() == pytest.approx(2 * games / 3, abs=three_deviations), step


def test_the_pile_keeps_its_cards() -> None:
    class Watch(Streams):
        def __call__(self, vector: UnoVector, rows: np.ndarray, games: np.ndarray, actions: np.ndarray) -> None:
            before = np.sort(vector.states["pile"][rows], axis=1)
            super().__call__(vector, rows, games, actions)
            after = vector.states["pile"][rows]
            assert (np.sort(after, axis=1) == before).all()
            for row in rows[:3]:
                state = State(vector.states, int(row))
                assert len(state.draw_pile) + state.discard_size <= MAX_DECK

    rules = Rules.preset("party", num_players=3, target=60)
    players = [agents.load("rule"), agents.load("random")]
    played = play(players, rotations(rules), rules, deals=5, seed=2, episode="match", chance=Watch(rules, 15))
    again = play(players, rotations(rules), rules, deals=5, seed=2, episode="match", chance=Streams(rules, 15))
    assert (played.lengths == again.lengths).all()
    with pytest.raises(ValueError, match="save"):
        play(players, rotations(rules), rules, deals=1, chance=Streams(rules, 3), save=print)


def test_streams_narrow_the_interval_and_keep_the_mean() -> None:
    rules, deals = RESEARCH, 3000
    seatings = rotations(rules)
    players = [agents.load("rule"), agents.load("highest_points")]
    plain = play(players, seatings, rules, deals=deals, seed=5)
    streamed = play(players, seatings, rules, deals=deals, seed=5, chance=Streams(rules, deals * 2))
    a, b = plain.of(0, plain.wins), streamed.of(0, streamed.wins)
    assert abs(a.mean() - b.mean()) < 3 * np.hypot(a.std(), b.std()) / np.sqrt(deals)
    assert b.var() < a.var()
