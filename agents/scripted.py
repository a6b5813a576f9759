"""Scripted agents by simple rules, compiled: `uniform`, `rule`, `actions_first`, `highest_points`.

The simplest one, ``random``, is the built-in opponent of the environments: `uno_env.random_card`.

All of them call Uno and catch whenever they may, play a drawn card that fits, and answer a stack when they can. Only `uniform` ever
draws while it could play.
"""

from __future__ import annotations

import numpy as np

from agents.reading import cards_of_colour, named_colour, player_on_turn, seen_of_colour, would_bluff
from uno_env.cards import NUM_COLOURED, NUM_COLOURS, NUM_KINDS, NUM_SYMBOLS, SKIP, WILD_DRAW_FOUR
from uno_env.jit import inline, jit
from uno_env.observe import COLOUR_BEFORE, MAX_OTHERS, OTHER_CARDS, OTHER_WIDTH, OTHERS, PLAYABLE
from uno_env.random_card import high, low, not_a_card, pick, play
from uno_env.state import CATCH, CHALLENGE, NAME_COLOUR, NUM_ACTIONS, PASS, SWAP, UNO

# Small choices --------------------------------------------------------------------------------------------------------


@inline
def first_legal(mask, low_action, high_action):
    """The first legal action from ``low_action`` to ``high_action - 1``, -1 for none."""
    for action in range(low_action, high_action):
        if mask[action] > 0:
            return np.int64(action)
    return np.int64(-1)


@jit
def favourite_colour(row, bits):
    """The colour most held, ties by chance."""
    most, ties = np.int64(-1), np.int64(0)
    for colour in range(NUM_COLOURS):
        count = cards_of_colour(row, colour)
        if count > most:
            most, ties = count, np.int64(1)
        elif count == most:
            ties += 1
    nth = pick(bits, ties)
    for colour in range(NUM_COLOURS):
        if cards_of_colour(row, colour) == most:
            if nth == 0:
                return np.int64(colour)
            nth -= 1
    return np.int64(0)


# uniform --------------------------------------------------------------------------------------------------------------


@jit
def uniform_policy(row, mask, word, settings):
    """A uniformly chosen legal action."""
    total = np.int64(0)
    for action in range(NUM_ACTIONS):
        total += mask[action]
    nth = pick(low(word), total)
    for action in range(NUM_ACTIONS):
        nth -= mask[action]
        if nth < 0:
            return np.int64(action)
    return np.int64(PASS)


# Cards in an order of preference --------------------------------------------------------------------------------------

LAST, WILDS = 1, 2  # preferences of a Wild Draw Four and of the other wilds; coloured cards stand above


@jit
def by_preference(row, mask, word, preferences):
    """The playable card with the highest preference (``int64[57]``, above 0), ties by chance; wilds name the most-held colour.

    A Wild Draw Four is never a bluff. It is accepted, and challenged only when its player is known to hold the colour: that is how
    a player of this kind plays, who takes others to be honest. Hands are swapped with the player who has the fewest cards.
    """
    if mask[UNO] > 0:
        return np.int64(UNO)
    if mask[CATCH] > 0:
        return np.int64(CATCH)
    if mask[SWAP] > 0:
        return SWAP + fewest_cards(row) - 1
    if mask[NAME_COLOUR] > 0:
        return NAME_COLOUR + favourite_colour(row, low(word))
    if mask[CHALLENGE] > 0 and seen_of_colour(row, player_on_turn(row), named_colour(row, COLOUR_BEFORE)) > 0:
        return np.int64(CHALLENGE)
    no_bluff = not would_bluff(row)
    best, ties = np.int64(0), np.int64(0)
    for kind in range(NUM_KINDS):
        if row[PLAYABLE + kind] > 0 and (kind != WILD_DRAW_FOUR or no_bluff):
            if preferences[kind] > best:
                best, ties = preferences[kind], np.int64(1)
            elif preferences[kind] == best:
                ties += 1
    if best > 0:
        nth = pick(low(word), ties)
        for kind in range(NUM_KINDS):
            if row[PLAYABLE + kind] > 0 and preferences[kind] == best and (kind != WILD_DRAW_FOUR or no_bluff):
                if nth == 0:
                    return play(kind, favourite_colour(row, high(word)))
                nth -= 1
    action = not_a_card(mask)
    return action if action >= 0 else first_legal(mask, 0, NUM_ACTIONS)


@jit
def fewest_cards(row):
    """K of the other player with the fewest cards, the first in order of play."""
    best, fewest = np.int64(1), np.int64(127)
    for k in range(1, MAX_OTHERS + 1):
        at = OTHERS + (k - 1) * OTHER_WIDTH
        if row[at] > 0 and row[at + OTHER_CARDS] < fewest:
            best, fewest = np.int64(k), np.int64(row[at + OTHER_CARDS])
    return best


@inline
def prefer_wilds_last(preferences):
    """Fill in the preferences of the wilds."""
    for kind in range(NUM_COLOURED, NUM_KINDS):
        preferences[kind] = WILDS
    preferences[WILD_DRAW_FOUR] = LAST


@jit
def rule_policy(row, mask, word, settings):
    """Most-held colour first, within it Draw Two, Reverse, Skip, then the highest number; wilds last."""
    preferences = np.empty(NUM_KINDS, np.int64)
    prefer_wilds_last(preferences)
    for colour in range(NUM_COLOURS):
        held = cards_of_colour(row, colour)
        for symbol in range(NUM_SYMBOLS):
            preferences[colour * NUM_SYMBOLS + symbol] = WILDS + 1 + held * NUM_SYMBOLS + symbol
    return by_preference(row, mask, word, preferences)


@jit
def actions_first_policy(row, mask, word, settings):
    """Skip, Reverse and Draw Two first, then numbers, wilds last."""
    preferences = np.empty(NUM_KINDS, np.int64)
    prefer_wilds_last(preferences)
    for kind in range(NUM_COLOURED):
        preferences[kind] = WILDS + (2 if kind % NUM_SYMBOLS >= SKIP else 1)
    return by_preference(row, mask, word, preferences)


@jit
def highest_points_policy(row, mask, word, settings):
    """Highest points first, wilds last."""
    preferences = np.empty(NUM_KINDS, np.int64)
    prefer_wilds_last(preferences)
    for kind in range(NUM_COLOURED):
        symbol = kind % NUM_SYMBOLS
        preferences[kind] = WILDS + 1 + (symbol if symbol < SKIP else 20)
    return by_preference(row, mask, word, preferences)


# Batches --------------------------------------------------------------------------------------------------------------


@jit
def uniform_loop(rows, masks, words, settings, actions):
    """`uniform_policy` for every row."""
    for i in range(actions.shape[0]):
        actions[i] = uniform_policy(rows[i], masks[i], words[i], settings)


@jit
def rule_loop(rows, masks, words, settings, actions):
    """`rule_policy` for every row."""
    for i in range(actions.shape[0]):
        actions[i] = rule_policy(rows[i], masks[i], words[i], settings)


@jit
def actions_first_loop(rows, masks, words, settings, actions):
    """`actions_first_policy` for every row."""
    for i in range(actions.shape[0]):
        actions[i] = actions_first_policy(rows[i], masks[i], words[i], settings)


@jit
def highest_points_loop(rows, masks, words, settings, actions):
    """`highest_points_policy` for every row."""
    for i in range(actions.shape[0]):
        actions[i] = highest_points_policy(rows[i], masks[i], words[i], settings)
