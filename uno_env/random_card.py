"""`RandomCard`, the opponent that is built in: a random playable card, compiled.

It calls Uno and catches whenever it may, plays a drawn card that fits, and answers a stack when it can.
"""

from __future__ import annotations

import numpy as np

from uno_env.cards import NUM_COLOURED, NUM_COLOURS, NUM_KINDS
from uno_env.jit import inline, jit
from uno_env.observe import HAND, PLAYABLE
from uno_env.state import ACCEPT, CATCH, CHALLENGE, DRAW, NUM_ACTIONS, PASS, PLAY_WILD, SWAP, UNO
from uno_env.view import View

_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
NO_SETTINGS = np.zeros(0)


@inline
def pick(bits, n):
    """A uniform integer from 0 to ``n - 1`` made of 32 random bits (uint64)."""
    return np.int64(((bits & _LOW) * np.uint64(n)) >> _32)


@inline
def low(word):
    """Half of a random word."""
    return word & _LOW


@inline
def high(word):
    """The other half."""
    return word >> _32


@inline
def not_a_card(mask):
    """What is left when no card is played: draw, accept, or pass; -1 for none of these."""
    if mask[DRAW] > 0:
        return np.int64(DRAW)
    if mask[ACCEPT] > 0:
        return np.int64(ACCEPT)
    if mask[PASS] > 0:
        return np.int64(PASS)
    return np.int64(-1)


@inline
def play(kind, colour):
    """The action that plays a card, naming ``colour`` if it is wild."""
    return np.int64(kind) if kind < NUM_COLOURED else PLAY_WILD + (kind - NUM_COLOURED) * NUM_COLOURS + colour


@jit
def any_legal(mask, bits):
    """A uniformly chosen legal action; passing counts only when nothing else is legal."""
    total = np.int64(0)
    for action in range(NUM_ACTIONS):
        total += mask[action]
    passing = mask[PASS] > 0 and total > 1
    nth = pick(bits, total - 1 if passing else total)
    for action in range(NUM_ACTIONS):
        if mask[action] > 0 and not (passing and action == PASS):
            if nth == 0:
                return np.int64(action)
            nth -= 1
    return np.int64(PASS)


@jit
def random_policy(row, mask, word, settings):
    """A card chosen uniformly among the playable ones in hand, a uniform colour, a coin for a challenge."""
    if mask[UNO] > 0:
        return np.int64(UNO)
    if mask[CATCH] > 0:
        return np.int64(CATCH)
    total = np.int64(0)
    for kind in range(NUM_KINDS):
        if row[PLAYABLE + kind] > 0:
            total += row[HAND + kind]
    if total > 0:
        nth = pick(low(word), total)
        for kind in range(NUM_KINDS):
            if row[PLAYABLE + kind] > 0:
                nth -= row[HAND + kind]
                if nth < 0:
                    return play(kind, pick(high(word), NUM_COLOURS))
    if mask[CHALLENGE] > 0 and pick(low(word), 2) == 0:
        return np.int64(CHALLENGE)
    action = not_a_card(mask)
    return action if action >= 0 and mask[SWAP] == 0 else any_legal(mask, low(word))


@jit
def random_loop(rows, masks, words, settings, actions):
    """`random_policy` for every row."""
    for i in range(actions.shape[0]):
        actions[i] = random_policy(rows[i], masks[i], words[i], settings)


class RandomCard:
    """Any playable card of its hand, any colour, a coin for a challenge: what the checkout calls ``random``."""

    def decide(self, observations: np.ndarray, action_masks: np.ndarray, words: np.ndarray) -> np.ndarray:
        """Legal actions, ``int64[M]``, made of the random ``words``, ``uint64[M]``."""
        actions = np.empty(len(words), np.int64)
        random_loop(observations, action_masks, words, NO_SETTINGS, actions)
        return actions

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Legal actions, ``int64[M]``; every decision takes one word of ``rng``."""
        return self.decide(observations, action_masks, rng.integers(0, 2**64, len(observations), dtype=np.uint64))

    def act(self, view: View) -> int:
        """A legal action of ``view``."""
        return int(self.act_batch(view.observation[None], view.action_mask[None], view.rng)[0])

    def __repr__(self) -> str:
        return "<agent RandomCard>"
