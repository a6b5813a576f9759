"""A draw stream for each seat: in all games of a deal a seat draws from its own order of the cards, whoever sits there.

With one shared pile a player that draws once more shifts everybody's later cards, and two games of one deal soon have nothing in
common. Here each seat has, for each draw pile (the dealt one, and the one after each reshuffle), its own random order of all
physical cards, and draws the first of them that the pile still holds. `Streams` puts those cards on top of the pile right before
the action that draws them; the rules engine is as it always is.

Why this is the same game. A card keeps its name (kind and copy) as long as the pile lasts, so what a seat has drawn says only that
those cards came first in its order; the order of the cards that are left is as random as before, and each next card is uniform over
the pile given all that happened. Two things would break this and are not done: naming the copies in the pile anew after a draw (the
last of two equal cards would take the name of the first, which is known to come early), and keeping an order across a reshuffle
(cards that a seat drew early would come early again).

What does not come from a stream: the deal, the draw of a starter Draw Two (a part of the deal), cards drawn by the same action
after the pile ran out within it, and hands shuffled by a Wild Shuffle Hands. They are the engine's own, as in plain games.
"""

from __future__ import annotations

import numpy as np

from uno_env import engine
from uno_env.cards import MAX_DECK, NUM_KINDS
from uno_env.engine.generator import seeded
from uno_env.jit import jit
from uno_env.rules import Rules
from uno_env.state import Phase, new_states
from uno_env.vector import UnoVector

_SALT = np.uint64(0xD1B54A32D192ED03)  # the games' own generators start from the same seeds
_OVER = int(Phase.OVER)


@jit
def fill_order(seed, round_number, pile_number, seat, priorities):
    """``priorities`` (``uint64[128]``) of the cards in a seat's order for one pile: the least comes first."""
    place = np.uint64((np.int64(round_number) << 32) | (np.int64(pile_number) << 8) | np.int64(seat))
    base = seeded(seeded(np.uint64(seed) ^ _SALT) ^ place)
    for card in range(MAX_DECK):
        priorities[card] = seeded(base ^ np.uint64(card))


@jit
def take_first(left, priorities):
    """Take the first card by ``priorities`` out of those that are ``left`` (``bool[128]``, not all False)."""
    first = np.int64(-1)
    for card in range(MAX_DECK):
        if left[card] and (first < 0 or priorities[card] < priorities[first]):
            first = np.int64(card)
    left[first] = False
    return first


@jit
def name_cards(state, kind_of, left):
    """Give the cards of a fresh draw pile their names: ``left`` (``bool[128]``) becomes those in the pile."""
    counts = np.zeros(NUM_KINDS, np.int64)
    for i in range(state.draw_size):
        counts[state.pile[i]] += 1
    for card in range(MAX_DECK):
        kind = kind_of[card]
        left[card] = kind >= 0 and counts[kind] > 0
        if left[card]:
            counts[kind] -= 1


@jit
def arrange(states, rules, rows, games, actions, seeds, kind_of, left, piles, named, scratch):
    """Put on top of the piles of the games ``rows`` what their ``actions`` will draw."""
    params = rules[0]
    priorities = np.empty((params.num_players, MAX_DECK), np.uint64)
    ordered = np.empty(params.num_players, np.bool_)
    order = np.empty(MAX_DECK, np.int64)
    after = scratch[0]
    for k in range(rows.shape[0]):
        i, game = rows[k], games[k]
        scratch[0] = states[i]
        engine.apply(after, params, actions[k])
        if after.num_log > 0:
            state = states[i]
            if not named[game]:
                name_cards(state, kind_of, left[game])
                named[game] = True
            ordered[:] = False
            # Who draws never hangs on which cards come; how many do, where a player draws until a card is playable.
            size = np.int64(state.draw_size)
            count = size if params.draw_until_playable == 1 else min(size, np.int64(after.num_log))
            remaining = left[game].copy()
            for j in range(count):
                seat = np.int64(after.log[min(j, np.int64(after.num_log) - 1)]) >> 8
                if not ordered[seat]:
                    fill_order(seeds[i], state["round"], piles[game], seat, priorities[seat])
                    ordered[seat] = True
                order[j] = take_first(remaining, priorities[seat])
                state.pile[size - 1 - j] = kind_of[order[j]]
            place = np.int64(0)
            for card in range(MAX_DECK):  # below them the others, in any order
                if remaining[card]:
                    state.pile[place] = kind_of[card]
                    place += 1
            scratch[0] = states[i]
            engine.apply(after, params, actions[k])
            if after.draw_size != size - after.num_log:  # reshuffled on the way: a new pile
                named[game] = False
                piles[game] += 1
            else:
                for j in range(after.num_log):
                    left[game, order[j]] = False
        if after.phase == _OVER:  # a match goes on with a new deal
            named[game] = False
            piles[game] = 0


class Streams:
    """Draw streams for one call of `train.arena.play`, as its ``chance``."""

    def __init__(self, rules: Rules, games: int) -> None:
        """Streams for so many games (deals times seatings)."""
        self._left = np.zeros((games, MAX_DECK), np.bool_)
        self._piles = np.zeros(games, np.int64)
        self._named = np.zeros(games, np.bool_)
        self._kind_of = card_kinds(rules)
        self._scratch = new_states(1)

    def __call__(self, vector: UnoVector, rows: np.ndarray, games: np.ndarray, actions: np.ndarray) -> None:
        """Arrange the piles of the games ``rows`` for their ``actions``."""
        where = (self._kind_of, self._left, self._piles, self._named, self._scratch)
        arrange(vector.states, vector.rules.params, rows, games, actions, vector.seeds, *where)


def card_kinds(rules: Rules) -> np.ndarray:
    """The kind of each physical card of the deck, ``int64[128]``; -1 past the end of the deck."""
    counts = rules.params["deck"][0][:NUM_KINDS]
    kinds = np.full(MAX_DECK, -1, np.int64)
    kinds[: counts.sum()] = np.repeat(np.arange(NUM_KINDS), counts)
    return kinds
