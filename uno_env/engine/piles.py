"""Cards on the move: drawing, discarding, reshuffling, and what seats know of each other's hands."""

from __future__ import annotations

import numpy as np

from uno_env.cards import KIND_COLOUR, KIND_SYMBOL, MAX_DECK, NUM_KINDS
from uno_env.engine.generator import shuffle
from uno_env.jit import inline, jit, lean

OBSERVERS = np.uint32(0x3FF)
HOLDER_SHIFT, KIND_SHIFT = np.uint32(10), np.uint32(16)
_ONE = np.uint32(1)


@inline
def top_kind(state):
    """The kind on top of the discard pile, which is not empty."""
    return np.int64(state.pile[MAX_DECK - state.discard_size])


@inline
def can_draw(state, rules):
    """Whether at least one card can be drawn (``rules.md`` 2.12)."""
    return state.draw_size > 0 or (rules.reshuffle == 1 and state.discard_size > 1)


@lean
def reshuffle(state):
    """The discards below the top become the draw pile, which is empty."""
    count = state.discard_size - 1
    top = state.pile[MAX_DECK - state.discard_size]
    for i in range(count):  # to the front, upwards, so that nothing is overwritten before it is read
        state.pile[i] = state.pile[MAX_DECK - count + i]
    state.pile[count:] = 0
    for i in range(count // 2):  # bottom first
        card = state.pile[i]
        state.pile[i] = state.pile[count - 1 - i]
        state.pile[count - 1 - i] = card
    state.pile[MAX_DECK - 1] = top
    state.discarded[:] = 0
    state.discarded[top] = 1
    state.draw_size = count
    state.discard_size = 1
    shuffle(state, state.pile, count)


@lean
def draw(state, rules, seat, count):
    """``seat`` draws up to ``count`` cards, reshuffling when the pile runs out; returns how many there were.

    This is the only way a card gets from the pile into a hand after the deal; each is noted in ``log``.
    """
    drawn = np.int64(0)
    while drawn < count and can_draw(state, rules):
        if state.draw_size == 0:
            reshuffle(state)
        state.draw_size -= 1
        kind = np.int64(state.pile[state.draw_size])
        state.hands[seat, kind] += 1
        state.hand_size[seat] += 1
        state.log[state.num_log] = (seat << 8) | kind
        state.num_log += 1
        drawn += 1
    return drawn


@inline
def put_on_top(state, kind):
    """A card goes to the top of the discard pile; its colour (-1 for a wild) and symbol come into force."""
    state.discard_size += 1
    state.pile[MAX_DECK - state.discard_size] = kind
    state.discarded[kind] += 1
    state.colour = KIND_COLOUR[kind]
    state.symbol = KIND_SYMBOL[kind]


# Known cards ----------------------------------------------------------------------------------------------------------
#
# ``known`` holds one word per card that somebody has seen in another's hand: who knows of it (bits 0-9), holder, kind. The
# number of words with an observer's bit is the number of copies that this observer knows the holder to have.


@inline
def known_word(observers, holder, kind):
    """One entry of ``known``."""
    return np.uint32(np.int64(observers) | (np.int64(holder) << 10) | (np.int64(kind) << 16))


@inline
def known_observers(word):
    """The seats, as bits, that know of the card."""
    return np.int64(word) & 0x3FF


@inline
def known_holder(word):
    """Who holds the card."""
    return (np.int64(word) >> 10) & 0xF


@inline
def known_kind(word):
    """The card's kind."""
    return np.int64(word) >> 16


@lean
def forget_played(state, seat, kind):
    """A card left a hand: whoever knew of copies of it there knows of one fewer, since copies look alike."""
    unpaid = np.int64(0x3FF)
    kept = 0
    for i in range(state.num_known):
        word = state.known[i]
        observers = known_observers(word)
        if known_holder(word) == seat and known_kind(word) == kind:
            paid = observers & unpaid
            unpaid &= ~paid
            observers &= ~paid
        if observers != 0:
            state.known[kept] = known_word(observers, known_holder(word), known_kind(word))
            kept += 1
    state.num_known = kept


@lean
def show_hand(state, holder, observer):
    """``observer`` sees the whole hand of ``holder``."""
    if observer == holder:
        return
    bit = np.int64(1) << observer
    for kind in range(NUM_KINDS):
        missing = np.int64(state.hands[holder, kind])
        if missing == 0:
            continue
        for i in range(state.num_known):
            word = state.known[i]
            if known_holder(word) == holder and known_kind(word) == kind:
                state.known[i] = known_word(known_observers(word) | bit, holder, kind)
                missing -= 1
        for _ in range(missing):
            state.known[state.num_known] = known_word(bit, holder, kind)
            state.num_known += 1


@jit
def tidy_known(state, rules):
    """Write ``known`` in order of holder and kind, the k-th copy with all who know of more than k."""
    n = rules.num_players
    counts = np.zeros((n, NUM_KINDS, n), np.int8)
    for i in range(state.num_known):
        word = state.known[i]
        for observer in range(n):
            counts[known_holder(word), known_kind(word), observer] += (known_observers(word) >> observer) & 1
    state.num_known = 0
    for holder in range(n):
        for kind in range(NUM_KINDS):
            for copy in range(state.hands[holder, kind]):
                observers = np.int64(0)
                for observer in range(n):
                    if counts[holder, kind, observer] > copy:
                        observers |= np.int64(1) << observer
                if observers != 0:
                    state.known[state.num_known] = known_word(observers, holder, kind)
                    state.num_known += 1


@lean
def pass_on_knowledge(state, receiver_of):
    """Every hand moved: that of ``h`` went to ``receiver_of[h]``. What third parties know goes along, the giver knows it all."""
    kept = 0
    for i in range(state.num_known):
        word = state.known[i]
        holder = np.int64(receiver_of[known_holder(word)])
        observers = known_observers(word) & ~(np.int64(1) << holder)
        if observers != 0:
            state.known[kept] = known_word(observers, holder, known_kind(word))
            kept += 1
    state.num_known = kept
    for giver in range(receiver_of.shape[0]):
        if receiver_of[giver] != giver:
            show_hand(state, receiver_of[giver], giver)
