"""Random play for the tests of the environments: eager enough for rounds to end, curious enough to reach every phase."""

from __future__ import annotations

import random

import numpy as np

from uno_env.state import DRAW, PASS


def pick(mask: np.ndarray, rng: random.Random) -> int:
    """A legal action: any now and then, else one that is not a draw or a pass."""
    legal = np.flatnonzero(mask).tolist()
    if rng.random() < 0.85:
        legal = [action for action in legal if action not in (DRAW, PASS)] or legal
    return rng.choice(legal)
