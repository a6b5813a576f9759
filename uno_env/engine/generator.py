"""The random generator inside the record: SplitMix64 (Steele, Lea and Flood 2014), the same on any machine and in plain Python.

Unsigned wrap-around is meant throughout.
"""

from __future__ import annotations

import numpy as np

from uno_env.jit import lean, wrapping

STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@wrapping
def mix(z):
    """Scramble a word: SplitMix64's output function."""
    z = (z ^ (z >> _30)) * _MIX1
    z = (z ^ (z >> _27)) * _MIX2
    return z ^ (z >> _31)


@wrapping
def seeded(seed):
    """The generator's first state for a seed (uint64)."""
    return mix(np.uint64(seed) + STEP)


@wrapping
def next_word(state):
    """The next 64 random bits."""
    word = state.rng + STEP
    state.rng = word
    return mix(word)


@wrapping
def below(state, n):
    """A uniform integer from 0 to ``n - 1``."""
    return np.int64(((next_word(state) >> _32) * np.uint64(n)) >> _32)


@lean
def shuffle(state, array, count):
    """Shuffle ``array[:count]`` in place (Fisher-Yates, from the end)."""
    for i in range(count - 1, 0, -1):
        j = below(state, i + 1)
        card = array[i]
        array[i] = array[j]
        array[j] = card
