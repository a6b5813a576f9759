"""What a seat sees: one row of int8, its parts as named slices (`LAYOUT`), and the function that fills it.

Everything is relative to the seat that looks: "other k" is the k-th other player in order of play, so rotating the seats changes
nothing. No part ever holds what the seat cannot know.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from uno_env.cards import NUM_COLOURS, NUM_KINDS, NUM_TOP_SYMBOLS
from uno_env.engine import known_holder, known_kind, known_observers, next_seat
from uno_env.engine.legal import fill_playable
from uno_env.engine.scoring import side_of
from uno_env.jit import copy_bytes, lean, scratch
from uno_env.rules import MAX_PLAYERS
from uno_env.state import ROW, Phase

NUM_PHASES = len(Phase)
MAX_OTHERS = MAX_PLAYERS - 1


class Part(NamedTuple):
    """One named part of the observation."""

    name: str
    start: int
    shape: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        """Number of entries."""
        return int(np.prod(self.shape))

    @property
    def slice(self) -> slice:
        """Where the part stands in an observation."""
        return slice(self.start, self.start + self.size)


def lay_out(parts: Iterable[tuple[str, tuple[int, ...], str]]) -> dict[str, Part]:
    """Parts by name, one after another, from their names, shapes and meanings."""
    layout: dict[str, Part] = {}
    start = 0
    for name, shape, meaning in parts:
        layout[name] = Part(name, start, shape, meaning)
        start += layout[name].size
    return layout


def _layout() -> dict[str, Part]:
    parts: list[tuple[str, tuple[int, ...], str]] = [
        ("hand", (NUM_KINDS,), "own cards, count per kind"),
        ("playable", (NUM_KINDS,), "1 for each kind that can be placed in the decision now asked of this seat"),
        ("drawn", (NUM_KINDS,), "1 at the kind just drawn by this seat, while it decides whether to play it"),
        ("discarded", (NUM_KINDS,), "discard pile since the last reshuffle, count per kind"),
        (
            "unseen",
            (NUM_KINDS,),
            "cards in the draw pile or in other hands that this seat has not seen, count per kind",
        ),
        ("colour", (NUM_COLOURS,), "colour in force, one-hot; all 0 before it is named"),
        (
            "symbol",
            (NUM_TOP_SYMBOLS,),
            "symbol of the top card, one-hot: 0-9, Skip, Reverse, Draw Two, W, W4, WX, WS, WC",
        ),
        (
            "colour_before",
            (NUM_COLOURS,),
            "colour in force before a Wild Draw Four that can still be challenged, one-hot",
        ),
        ("phase", (NUM_PHASES,), "phase, one-hot, for the seat that decides; all 0 for the others"),
        ("turn", (MAX_PLAYERS,), "whose turn it is, one-hot: 0 this seat, k other k"),
        ("hand_size", (1,), "own number of cards"),
        ("declared", (1,), "1 if this seat has called Uno"),
        ("catchable", (1,), "1 if this seat can be caught in the decision now asked"),
        ("score", (1,), "own match score in percent of the target, at most 127"),
        ("target", (1,), "target in tens of points, at most 127; 0 without one"),
        ("pending", (1,), "cards due, at most 127"),
        ("draw_pile", (1,), "cards in the draw pile"),
        ("direction", (1,), "1 clockwise, -1 counter-clockwise"),
        (
            "others",
            (MAX_OTHERS, 10),
            "for other k = 1..9: at the table, partner, number of cards, has called its single card, catchable, score as above, "
            "colour in force when it last drew or passed (one-hot, 4)",
        ),
        ("known_size", (MAX_OTHERS,), "for other k: how many of its cards this seat knows"),
        ("known", (MAX_OTHERS, NUM_KINDS), "for other k: the cards of its hand that this seat knows, count per kind"),
    ]
    return lay_out(parts)


#: The parts of an observation, by name, in order.
LAYOUT = _layout()
#: Length of an observation.
OBS_SIZE = sum(part.size for part in LAYOUT.values())

HAND, PLAYABLE, DRAWN = LAYOUT["hand"].start, LAYOUT["playable"].start, LAYOUT["drawn"].start
DISCARDED, UNSEEN = LAYOUT["discarded"].start, LAYOUT["unseen"].start
COLOUR, SYMBOL, COLOUR_BEFORE = LAYOUT["colour"].start, LAYOUT["symbol"].start, LAYOUT["colour_before"].start
PHASE, TURN = LAYOUT["phase"].start, LAYOUT["turn"].start
HAND_SIZE, DECLARED, CATCHABLE = LAYOUT["hand_size"].start, LAYOUT["declared"].start, LAYOUT["catchable"].start
SCORE, TARGET, PENDING = LAYOUT["score"].start, LAYOUT["target"].start, LAYOUT["pending"].start
DRAW_PILE, DIRECTION = LAYOUT["draw_pile"].start, LAYOUT["direction"].start
OTHERS, KNOWN_SIZE, KNOWN = LAYOUT["others"].start, LAYOUT["known_size"].start, LAYOUT["known"].start
OTHER_WIDTH = LAYOUT["others"].shape[1]
OTHER_CARDS = 2
"""Place of the number of cards in an `others` entry."""


@lean
def percent(score, target):
    """A score in percent of the target, at most 127."""
    if target == 0 or score == 0:
        return np.int64(0)
    return min(np.int64(score) * 100 // target, np.int64(127))


@lean
def fill(state, rules, seat, playable, row):
    """Fill ``row`` (``int8[OBS_SIZE]``) with what ``seat`` sees; ``playable`` (``int8[64]``) is that of the actor's decision."""
    n = rules.num_players
    hand = state.hands[seat]
    acts = seat == state.actor
    copy_bytes(row, HAND, hand, NUM_KINDS)
    for i in range(PLAYABLE, DISCARDED):
        row[i] = 0
    if acts:
        copy_bytes(row, PLAYABLE, playable, NUM_KINDS)
    copy_bytes(row, DISCARDED, state.discarded, NUM_KINDS)
    for kind in range(ROW):  # with the padding of the row, for wide moves; the next part is written over it
        row[UNSEEN + kind] = rules.deck[kind] - hand[kind] - state.discarded[kind]
    for i in range(COLOUR, KNOWN_SIZE):
        row[i] = 0
    if acts and state.drawn >= 0:
        row[DRAWN + state.drawn] = 1
    if state.colour >= 0:
        row[COLOUR + state.colour] = 1
    if state.symbol >= 0:
        row[SYMBOL + state.symbol] = 1
    if state.colour_before >= 0:
        row[COLOUR_BEFORE + state.colour_before] = 1
    if acts:
        row[PHASE + state.phase] = 1
    row[HAND_SIZE] = state.hand_size[seat]
    row[DECLARED] = state.declared[seat]
    row[CATCHABLE] = 1 if state.offender == seat else 0
    row[SCORE] = percent(state.scores[seat], rules.target)
    row[TARGET] = min(rules.target // 10, 127)
    row[PENDING] = min(state.pending, 127)
    row[DRAW_PILE] = min(state.draw_size, 127)
    row[DIRECTION] = state.direction

    other = np.int64(seat)
    side = side_of(rules, seat)
    if state.turn == seat:
        row[TURN] = 1
    for k in range(1, n):
        other = next_seat(state, rules, other)
        at = OTHERS + (k - 1) * OTHER_WIDTH
        row[at] = 1
        row[at + 1] = 1 if side_of(rules, other) == side else 0
        row[at + OTHER_CARDS] = state.hand_size[other]
        if state.hand_size[other] == 1:  # a call with two cards in hand could betray who is asked to jump in
            row[at + 3] = state.declared[other]
        row[at + 4] = 1 if state.offender == other else 0
        row[at + 5] = percent(state.scores[other], rules.target)
        if state.drew_on[other] >= 0:
            row[at + 6 + np.int64(state.drew_on[other])] = 1
        if state.turn == other:
            row[TURN + k] = 1
    fill_known(state, rules, seat, row)


@lean
def fill_known(state, rules, seat, row):
    """The cards that ``seat`` knows in other hands; they are not unseen. Usually there are none, before and now."""
    for k in range(MAX_OTHERS):
        if row[KNOWN_SIZE + k] != 0:
            row[KNOWN_SIZE + k] = 0
            row[KNOWN + k * NUM_KINDS : KNOWN + (k + 1) * NUM_KINDS] = 0
    for i in range(state.num_known):
        word = state.known[i]
        if (known_observers(word) >> seat) & 1:
            holder, kind = known_holder(word), known_kind(word)
            k = (holder - seat) * state.direction
            if k < 0:
                k += rules.num_players
            row[KNOWN_SIZE + k - 1] += 1
            row[KNOWN + (k - 1) * NUM_KINDS + kind] += 1
            row[UNSEEN + kind] -= 1


@lean
def observation(states, rules, i, seat, row):
    """Fill ``row`` (``int8[OBS_SIZE]``) with what ``seat`` sees of game ``i``; its old content must be an observation or 0."""
    playable = scratch(ROW, np.int8)
    fill_playable(states[i], rules[0], playable)
    fill(states[i], rules[0], seat, playable, row)


def describe_layout() -> str:
    """`LAYOUT` as a Markdown table."""
    lines = ["| part | entries | shape | meaning |", "|---|---|---|---|"]
    for part in LAYOUT.values():
        shape = " x ".join(map(str, part.shape))
        lines.append(f"| `{part.name}` | {part.start}-{part.start + part.size - 1} | {shape} | {part.meaning} |")
    return "\n".join(lines)


# What a critic may see in training, and no player ever ------------------------------------------------------------------

NEXT_CARDS = 4
"""How many cards of the draw pile `HIDDEN_LAYOUT` shows."""


def _hidden_layout() -> dict[str, Part]:
    hands = Part("hands", 0, (MAX_OTHERS, NUM_KINDS), "for other k = 1..9: its hand, count per kind")
    pile = Part(
        "next_cards",
        hands.size,
        (NEXT_CARDS, NUM_KINDS),
        "the next cards of the draw pile, each one-hot; 0 past its end",
    )
    return {part.name: part for part in (hands, pile)}


#: The parts of a row of hidden cards, by name, in order; "other k" is counted from the actor, as in `LAYOUT`.
HIDDEN_LAYOUT = _hidden_layout()
#: Length of a row of hidden cards.
HIDDEN_SIZE = sum(part.size for part in HIDDEN_LAYOUT.values())
HIDDEN_PILE = HIDDEN_LAYOUT["next_cards"].start


@lean
def hidden(states, rules, low, high, rows):
    """Fill ``rows[i]`` (``int8[N, HIDDEN_SIZE]``) with what the actors of games ``low`` to ``high - 1`` can not see.

    Only the places of players who sit at the table are written; the others keep their old content (zeros, where a caller makes
    the array so).
    """
    params = rules[0]
    for i in range(low, high):
        state = states[i]
        row = rows[i]
        other = np.int64(state.actor)
        for k in range(params.num_players - 1):
            other = next_seat(state, params, other)
            hand = state.hands[other]
            for kind in range(NUM_KINDS):
                row[k * NUM_KINDS + kind] = hand[kind]
        row[HIDDEN_PILE:] = 0
        for j in range(min(np.int64(state.draw_size), np.int64(NEXT_CARDS))):
            row[HIDDEN_PILE + j * NUM_KINDS + np.int64(state.pile[state.draw_size - 1 - j])] = 1
