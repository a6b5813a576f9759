"""Rollouts, compiled: redraw what a seat cannot know, try actions in the same redrawn world, and play each to the end of the round.

`roll` is the whole of it: worlds by candidate actions, one outcome each. What the outcomes mean for the choice is `agents.search`.
"""

from __future__ import annotations

import numpy as np

from agents.scripted import actions_first_policy, rule_policy
from agents.strategist import strategist_policy
from uno_env.cards import NUM_COLOURED, NUM_KINDS, NUM_SYMBOLS
from uno_env.engine import apply, fill_mask, known_holder, known_kind, known_observers
from uno_env.engine.dealing import resample
from uno_env.engine.generator import below, next_word, seeded, shuffle
from uno_env.jit import inline, jit
from uno_env.observe import OBS_SIZE, fill
from uno_env.random_card import random_policy
from uno_env.state import NUM_ACTIONS, ROW, Phase

OVER = int(Phase.OVER)

POLICIES = ("strategist", "rule", "actions_first", "random")
"""The policies that rollouts can follow; compiled code knows them by their place."""
STRATEGIST, RULE, ACTIONS_FIRST, _ = range(len(POLICIES))

MOST_DECISIONS = 2_000
"""Decisions after which a rollout is given up and counts as not won."""

UNSEEN, PILE, NOTHING = range(3)
"""What a world draws anew: all that the seat cannot know; only the order of the draw pile; only what comes after the draw pile.
The last two look at hidden cards: they are for upper references (`train.oracle`)."""

BELIEFS = ("bluffers", "lacking", "lacked", "wilds")
"""What behaviour tells about hidden cards: how often a player who could bluff with a Wild Draw Four does; and how many times as
often as by chance one who drew still holds cards of the colour then in force, if it is in force now, if it is not, and wilds."""
BLUFFERS, LACKING, LACKED, WILDS = range(len(BELIEFS))
MOST_TRIES = 40
"""Draws, at most, to find a world whose Wild Draw Four is believed, or a card that a hand is believed to hold."""


@inline
def decide(policy, row, mask, word, settings):
    """The action of a policy of `POLICIES`."""
    if policy == STRATEGIST:
        return strategist_policy(row, mask, word, settings)
    if policy == RULE:
        return rule_policy(row, mask, word, settings)
    if policy == ACTIONS_FIRST:
        return actions_first_policy(row, mask, word, settings)
    return random_policy(row, mask, word, settings)


@inline
def only_action(mask):
    """The legal action if there is but one, else -1."""
    found = np.int64(-1)
    for action in range(NUM_ACTIONS):
        if mask[action] > 0:
            if found >= 0:
                return np.int64(-1)
            found = np.int64(action)
    return found


@jit
def play_out(state, rules, policy, settings, playable, row, mask):
    """Play a game to the end of its round, one policy for all seats; its random words come from the game's own generator."""
    for _ in range(MOST_DECISIONS):
        if state.phase == OVER:
            return
        fill_mask(state, rules, playable, mask)
        action = only_action(mask)
        if action < 0:
            fill(state, rules, np.int64(state.actor), playable, row)
            action = decide(policy, row, mask, next_word(state), settings)
        apply(state, rules, action)


@inline
def belief_in(state, colour, kind, beliefs):
    """How many times as often as by chance a player who drew on ``colour`` holds a kind; at most 1."""
    if kind >= NUM_COLOURED:
        return beliefs[WILDS]
    if kind // NUM_SYMBOLS != colour:
        return 1.0
    return beliefs[LACKING] if colour == state.colour else beliefs[LACKED]


@inline
def chance(state, probability):
    """True with a probability, from the game's own generator."""
    return below(state, 1 << 30) < probability * (1 << 30)


@jit
def believe(state, rules, seat, beliefs):
    """Exchange cards of players who drew, unlikely ones as `BELIEFS` say, with cards of the draw pile."""
    bit = np.int64(1) << seat
    hidden = np.empty(NUM_KINDS, np.int64)
    for holder in range(rules.num_players):
        colour = np.int64(state.drew_on[holder])
        if holder == seat or colour < 0:
            continue
        hand = state.hands[holder]
        hidden[:] = hand[:NUM_KINDS]
        for i in range(state.num_known):
            word = state.known[i]
            if known_holder(word) == holder and known_observers(word) & bit != 0:
                hidden[known_kind(word)] -= 1
        for kind in range(NUM_KINDS):
            for _ in range(hidden[kind]):
                if chance(state, belief_in(state, colour, np.int64(kind), beliefs)):
                    continue
                for _ in range(MOST_TRIES if state.draw_size > 0 else 0):
                    at = below(state, np.int64(state.draw_size))
                    other = np.int64(state.pile[at])
                    if chance(state, belief_in(state, colour, other, beliefs)):
                        state.pile[at] = kind
                        hand[kind] -= 1
                        hand[other] += 1
                        break


@jit
def draw_world(state, rules, seat, seed, unknown, beliefs):
    """Draw anew what is ``unknown``, from ``seed``, as likely as ``beliefs`` say."""
    if unknown != UNSEEN:
        state.rng = seeded(seed)
        if unknown == PILE:
            shuffle(state, state.pile, np.int64(state.draw_size))
        return
    for attempt in range(MOST_TRIES):
        resample(state, rules, seat, seed + np.uint64(attempt))
        if state.guilty != 1 or chance(state, beliefs[BLUFFERS]):
            break
    if state.guilty < 0:  # else the hand has to stay as it was judged
        believe(state, rules, seat, beliefs)


@jit
def roll(root, rules, seat, seed, worlds, actions, unknown, policy, settings, beliefs, outcomes):
    """Play ``worlds`` worlds of the game ``root[0]`` once for each of ``actions``.

    All actions are tried on the same cards with the same generator, so that most of the luck falls on all alike.

    Args:
        root: ``STATE[1]``, a decision of ``seat``; not changed.
        rules: ``PARAMS[1]``.
        seat: whose outcome counts.
        seed: uint64, decides everything.
        worlds: how many, W.
        actions: ``int64[A]``, legal.
        unknown: what is drawn anew: `UNSEEN`, `PILE` or `NOTHING`.
        policy: place in `POLICIES` of who plays on, in every seat.
        settings: ``float64[K]``, those of the policy.
        beliefs: ``float64[4]``, see `BELIEFS`.
        outcomes: ``float64[W, A]``, filled: 1 if the seat's side won, else 0.
    """
    params = rules[0]
    work = np.empty(2, root.dtype)
    world, state = work[0], work[1]
    playable, mask, row = np.empty(ROW, np.int8), np.empty(NUM_ACTIONS, np.int8), np.zeros(OBS_SIZE, np.int8)
    for w in range(worlds):
        work[0] = root[0]
        draw_world(world, params, seat, seed + np.uint64(w * MOST_TRIES), unknown, beliefs)
        for a in range(actions.shape[0]):
            work[1] = work[0]
            apply(state, params, actions[a])
            play_out(state, params, policy, settings, playable, row, mask)
            outcomes[w, a] = (state.winners >> seat) & 1


@jit
def decide_all(policy, rows, masks, words, settings, actions):
    """The actions of a policy of `POLICIES` for every row; see `agents.base.CompiledAgent`."""
    for i in range(actions.shape[0]):
        actions[i] = decide(policy, rows[i], masks[i], words[i], settings)
