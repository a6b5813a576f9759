"""Trajectories per player: a seat's own decisions joined across the turns of the others, and their advantages.

Decisions of all games and seats stand in one buffer in the order in which they were made. ``last[game, seat]`` is the place of the
seat's latest decision, ``next_of[place]`` that of its following one, so that the place after a decision is always greater. What is
paid to a seat between two of its decisions belongs to the first of them, since both the others' turns and its forced moves are part
of what followed. Compiled; ``tests/train/test_trajectories.py`` holds it against a slow plain collector.
"""

from __future__ import annotations

import numpy as np

from uno_env.jit import jit
from uno_env.state import NUM_ACTIONS

OPEN, END = -1, -2
"""In place of a following decision: not made yet; never, the episode is over."""

FORCED, LEARNER = -1, 0
"""Who decides: nobody, since one action is legal; the learner; k > 0 is opponent k - 1."""


@jit
def find_deciders(masks, actors, owners, actions, deciders):
    """Say who decides in each game, and fill in the forced actions.

    Args:
        masks: ``int8[N, 91]``.
        actors: ``int8[N]``.
        owners: ``int8[N, P]``, who plays each seat (P: seats or more).
        actions: ``int64[N]``, filled where forced.
        deciders: ``int8[N]``, filled.
    """
    for i in range(masks.shape[0]):
        first = np.int64(-1)
        choice = False
        for a in range(NUM_ACTIONS):
            if masks[i, a] != 0:
                if first >= 0:
                    choice = True
                    break
                first = a
        if choice:
            deciders[i] = owners[i, actors[i]]
        else:
            deciders[i] = FORCED
            actions[i] = first


@jit
def record(rows, actors, at, last, next_of, rewards):
    """Enter decisions of the games ``rows`` (``int64[M]``) from place ``at`` on, linked to their seats' earlier ones."""
    for j in range(rows.shape[0]):
        game = rows[j]
        seat = actors[game]
        place = at + j
        if last[game, seat] >= 0:
            next_of[last[game, seat]] = place
        last[game, seat] = place
        next_of[place] = OPEN
        rewards[place] = 0.0


@jit
def pay(step_rewards, dones, scale, last, next_of, rewards):
    """Credit a step's rewards (``float32[N, P]``), times ``scale``, to each seat's latest decision; close the trajectories of
    finished games.
    """
    for i in range(dones.shape[0]):
        for seat in range(step_rewards.shape[1]):
            place = last[i, seat]
            if place >= 0:
                rewards[place] += scale * step_rewards[i, seat]
                if dones[i]:
                    next_of[place] = END
                    last[i, seat] = -1


@jit
def complete(next_of):
    """Whether the episode of each decision is over: ``bool[M]``."""
    over = np.empty(next_of.shape[0], np.bool_)
    for back in range(next_of.shape[0]):
        i = next_of.shape[0] - 1 - back
        over[i] = over[next_of[i]] if next_of[i] >= 0 else next_of[i] == END
    return over


@jit
def estimate_advantages(count, next_of, rewards, values, discount, gae_lambda, advantages):
    """Generalised advantage estimation (arXiv 1506.02438) along each player's decisions.

    With ``j = next_of[i]``: ``advantage[i] = reward[i] + discount * value[j] - value[i] + discount * lambda * advantage[j]``,
    where value and advantage past the end are 0. An open decision has no target yet: its advantage is 0 and it only lends
    its value.
    """
    for back in range(count):
        i = count - 1 - back
        following = next_of[i]
        if following == OPEN:
            advantages[i] = 0.0
        elif following == END:
            advantages[i] = rewards[i] - values[i]
        else:
            delta = rewards[i] + discount * values[following] - values[i]
            advantages[i] = delta + discount * gae_lambda * advantages[following]
