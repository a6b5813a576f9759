"""Compiled loops that play, for `benchmarks.ours`: every decision is a uniformly random legal action, or the `rule` agent's."""

from __future__ import annotations

import numpy as np

from agents.scripted import rule_policy
from uno_env import engine, observe
from uno_env.engine.generator import mix
from uno_env.jit import copy_bytes, lean, scratch, wrapping
from uno_env.state import NUM_ACTIONS, ROW, Phase
from uno_env.vector import advance

OVER = int(Phase.OVER)
PADDED = 96  # a mask, padded to whole words
_ONES, _TOPS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_7, _32, _56 = np.uint64(7), np.uint64(32), np.uint64(56)


@wrapping
def nth_legal(padded, bits):
    """A uniform legal action by 64 random bits; ``padded`` (``int8[96]``) is a mask and zeros. Eight entries at a time."""
    words = padded.view(np.uint64)
    count = np.uint64(0)
    for i in range(words.shape[0]):
        count += (words[i] * _ONES) >> _56  # the sum of the word's bytes
    nth = ((bits >> _32) * count) >> _32
    i = np.int64(0)
    here = (words[0] * _ONES) >> _56
    while nth >= here:
        nth -= here
        i += 1
        here = (words[i] * _ONES) >> _56
    up_to = words[i] * _ONES  # byte b: how many are legal among the first b + 1
    not_yet = ~((up_to | _TOPS) - (nth + np.uint64(1)) * _ONES) & _TOPS  # in bytes with up to nth of them
    return np.int64(8) * i + np.int64(((not_yet >> _7) * _ONES) >> _56)


@lean
def choose(masks, first, low, high, actions):
    """A uniform legal action in each of the games ``low`` to ``high - 1``; ``first`` numbers the random words."""
    padded = scratch(PADDED, np.int8)
    padded[:] = 0
    for i in range(low, high):
        copy_bytes(padded, 0, masks[i], NUM_ACTIONS)
        actions[i] = nth_legal(padded, mix(np.uint64(first + i)))


@lean
def play(states, rules, low, high, first, steps, actions, observations, masks, actors, rewards, dones, truncations, winners):
    """``steps`` decisions in games ``low`` to ``high - 1``: chosen, carried out, all arrays written, rounds restarted."""
    for step in range(steps):
        choose(masks, (first + step) * states.shape[0], low, high, actions)
        advance(
            states,
            rules,
            low,
            high,
            actions,
            False,
            0,
            observations,
            masks,
            actors,
            rewards,
            dones,
            truncations,
            winners,
        )


@lean
def play_masks(states, rules, first, steps):
    """As `play` without observations: only the mask of each decision is written."""
    params = rules[0]
    playable, mask = scratch(ROW, np.int8), scratch(PADDED, np.int8)
    mask[:] = 0
    for step in range(steps):
        for i in range(states.shape[0]):
            engine.fill_mask(states[i], params, playable, mask)
            engine.apply(states[i], params, nth_legal(mask, mix(np.uint64((first + step) * states.shape[0] + i))))
            if states[i].phase == OVER:
                engine.restart(states, rules, i)


@lean
def write_masks(states, rules, masks, repeats):
    """The masks of all games, over and over."""
    playable = scratch(ROW, np.int8)
    for _ in range(repeats):
        for i in range(states.shape[0]):
            engine.fill_mask(states[i], rules[0], playable, masks[i])


@lean
def write_observations(states, rules, observations, repeats):
    """The actors' observations in all games, over and over."""
    playable = scratch(ROW, np.int8)
    playable[:] = 0
    for _ in range(repeats):
        for i in range(states.shape[0]):
            observe.fill(states[i], rules[0], np.int64(states[i].actor), playable, observations[i])


@lean
def choose_again(masks, actions, repeats):
    """`choose` over and over."""
    for first in range(repeats):
        choose(masks, first, 0, masks.shape[0], actions)


@lean
def copy_games(states, repeats):
    """Each record is copied to the place before it, over and over."""
    for _ in range(repeats):
        for i in range(1, states.shape[0]):
            states[i - 1] = states[i]


@lean
def resample_games(states, rules, seed):
    """Copy each of the games 1, 2, ... to place 0 and redraw there what the player on turn cannot know."""
    for i in range(1, states.shape[0]):
        states[0] = states[i]
        engine.resample(states, rules, 0, np.int64(states[0].actor), np.uint64(seed + i))


@lean
def play_rounds(states, rules, row, settings, by_rule, seed, rounds):
    """Deal and play whole rounds, all seats alike: by the `rule` agent, which sees an observation each time, or uniformly.

    Returns the number of decisions.
    """
    state, params = states[0], rules[0]
    playable, mask = scratch(ROW, np.int8), scratch(PADDED, np.int8)
    mask[:] = 0
    decisions = np.int64(0)
    for i in range(rounds):
        engine.reset(states, rules, 0, np.uint64(seed + i))
        while state.phase != OVER:
            engine.fill_mask(state, params, playable, mask)
            word = mix(np.uint64(seed * 1000003 + decisions))
            if by_rule:
                observe.fill(state, params, np.int64(state.actor), playable, row)
                action = rule_policy(row, mask, word, settings)
            else:
                action = nth_legal(mask, word)
            engine.apply(state, params, action)
            decisions += 1
    return decisions
