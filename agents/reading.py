"""Reading an observation: what it says, what counting cards tells, and how likely the rest is. Compiled, for scripted agents."""

from __future__ import annotations

import numpy as np

from uno_env.cards import NUM_COLOURED, NUM_COLOURS, NUM_KINDS, NUM_SYMBOLS, NUM_TOP_SYMBOLS
from uno_env.jit import inline, jit
from uno_env.observe import (
    COLOUR,
    COLOUR_BEFORE,
    HAND,
    KNOWN,
    KNOWN_SIZE,
    MAX_OTHERS,
    OTHER_CARDS,
    OTHER_WIDTH,
    OTHERS,
    SYMBOL,
    TURN,
    UNSEEN,
)

# Counts of a set of cards: per colour, per symbol, wilds.
SYMBOLS_AT, WILDS_AT = NUM_COLOURS, NUM_COLOURS + NUM_SYMBOLS


@inline
def cards_of_colour(row, colour):
    """Own cards of a colour."""
    total = np.int64(0)
    for kind in range(colour * NUM_SYMBOLS, (colour + 1) * NUM_SYMBOLS):
        total += row[HAND + kind]
    return total


@inline
def named_colour(row, at):
    """The colour of a one-hot part that starts at ``at``, -1 for none."""
    for colour in range(NUM_COLOURS):
        if row[at + colour] > 0:
            return np.int64(colour)
    return np.int64(-1)


@inline
def would_bluff(row):
    """Whether a Wild Draw Four played now would be a bluff."""
    colour = named_colour(row, COLOUR)
    return colour >= 0 and cards_of_colour(row, colour) > 0


@inline
def count_players(row):
    """Players at the table."""
    n = np.int64(1)
    for k in range(1, MAX_OTHERS + 1):
        n += row[OTHERS + (k - 1) * OTHER_WIDTH]
    return n


@inline
def top_symbol(row):
    """The symbol of the top card."""
    for symbol in range(NUM_TOP_SYMBOLS):
        if row[SYMBOL + symbol] > 0:
            return np.int64(symbol)
    return np.int64(NUM_SYMBOLS)


@inline
def player_on_turn(row):
    """Whose turn it is: 0 this seat, k the k-th other."""
    for k in range(MAX_OTHERS + 1):
        if row[TURN + k] > 0:
            return np.int64(k)
    return np.int64(0)


@inline
def seen_of_colour(row, k, colour):
    """Cards of a colour that this seat knows the k-th other player to hold."""
    total = np.int64(0)
    start = KNOWN + (k - 1) * NUM_KINDS + colour * NUM_SYMBOLS
    for at in range(start, start + NUM_SYMBOLS):
        total += row[at]
    return total


@inline
def count_cards(row, start, counts):
    """Fill ``counts`` (``int64[18]``) with the cards per colour, per symbol and the wilds of a part of the observation."""
    counts[:] = 0
    for colour in range(NUM_COLOURS):
        for symbol in range(NUM_SYMBOLS):
            count = np.int64(row[start + colour * NUM_SYMBOLS + symbol])
            counts[colour] += count
            counts[SYMBOLS_AT + symbol] += count
    for kind in range(NUM_COLOURED, NUM_KINDS):
        counts[WILDS_AT] += row[start + kind]


@inline
def fitting(row, start, counts, colour, symbol):
    """How many cards of a part fit on colour and symbol, wilds included."""
    total = counts[colour] + counts[WILDS_AT]
    if symbol < NUM_SYMBOLS:
        total += counts[SYMBOLS_AT + symbol] - row[start + colour * NUM_SYMBOLS + symbol]
    return total


@inline
def other_cards(row, k):
    """Cards of the k-th other player."""
    return np.int64(row[OTHERS + (k - 1) * OTHER_WIDTH + OTHER_CARDS])


@inline
def is_partner(row, k):
    """Whether the k-th other player is on this side."""
    return row[OTHERS + (k - 1) * OTHER_WIDTH + 1] > 0


@inline
def colour_lacked(row, k):
    """The colour in force when the k-th other player last drew or passed, -1 for never."""
    return named_colour(row, OTHERS + (k - 1) * OTHER_WIDTH + 6)


# Chances --------------------------------------------------------------------------------------------------------------


@jit
def chance_to_follow(row, unseen, k, colour, symbol):
    """The chance that the k-th other player holds a card that fits, by what is unseen, known, and when it last drew."""
    known = np.int64(row[KNOWN_SIZE + k - 1])
    if known > 0:
        at = KNOWN + (k - 1) * NUM_KINDS
        for kind in range(NUM_KINDS):
            if row[at + kind] > 0:
                if kind >= NUM_COLOURED or kind // NUM_SYMBOLS == colour or kind % NUM_SYMBOLS == symbol:
                    return 1.0
    total = np.int64(unseen[WILDS_AT])
    for c in range(NUM_COLOURS):
        total += unseen[c]
    if total <= 0:
        return 0.0
    cards = np.float64(other_cards(row, k) - known)
    fit = fitting(row, UNSEEN, unseen, colour, symbol)
    if colour_lacked(row, k) == colour:
        # It had none of the colour and no wild then; it may have kept the card that it drew.
        fresh = min(cards, 1.5)
        by_symbol = np.int64(0)
        if symbol < NUM_SYMBOLS:
            by_symbol = unseen[SYMBOLS_AT + symbol] - row[UNSEEN + colour * NUM_SYMBOLS + symbol]
        rest = max(total - unseen[colour] - unseen[WILDS_AT], 1)
        return 1.0 - (1.0 - min(fit / total, 1.0)) ** fresh * (1.0 - min(by_symbol / rest, 1.0)) ** (cards - fresh)
    return 1.0 - (1.0 - min(fit / total, 1.0)) ** cards


@jit
def chance_to_go_on(row, own, unseen, colour, symbol, follow):
    """The chance that this seat can play on the top card after one more player, who follows with chance ``follow``."""
    stay = 1.0 if fitting(row, HAND, own, colour, symbol) > 0 else 0.0
    if own[WILDS_AT] > 0:
        return 1.0
    total, good = np.int64(0), np.float64(0.0)
    for s in range(NUM_SYMBOLS):
        count = row[UNSEEN + colour * NUM_SYMBOLS + s]
        total += count
        if count > 0 and fitting(row, HAND, own, colour, s) > 0:
            good += count
    if symbol < NUM_SYMBOLS:
        for c in range(NUM_COLOURS):
            if c != colour:
                count = row[UNSEEN + c * NUM_SYMBOLS + symbol]
                total += count
                if count > 0 and fitting(row, HAND, own, c, symbol) > 0:
                    good += count
    wilds = unseen[WILDS_AT]
    held = np.int64(0)
    for c in range(NUM_COLOURS):
        if own[c] > 0:
            held += 1
    total += wilds
    good += wilds * held / NUM_COLOURS
    return follow * good / total + (1.0 - follow) * stay if total > 0 else stay


@jit
def chance_of_guilt(row, unseen, bluffers):
    """The chance that the Wild Draw Four on top was a bluff, by Bayes' rule, if those who can bluff do so at rate ``bluffers``."""
    k = player_on_turn(row)
    colour = named_colour(row, COLOUR_BEFORE)
    if colour < 0:
        return 0.0
    if seen_of_colour(row, k, colour) > 0:
        return 1.0
    cards = other_cards(row, k) - row[KNOWN_SIZE + k - 1]
    total = np.int64(unseen[WILDS_AT])
    for c in range(NUM_COLOURS):
        total += unseen[c]
    none = 1.0
    for drawn in range(cards):
        if total - drawn > 0:
            none *= max(total - unseen[colour] - drawn, 0) / (total - drawn)
    holds = 1.0 - none
    if colour_lacked(row, k) == colour:
        holds *= 0.4
    bluffs = bluffers * holds
    return bluffs / (bluffs + 1.0 - holds) if holds < 1.0 else 1.0
