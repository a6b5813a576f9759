"""The rules of Uno, compiled: the only place where a rule is decided.

Python calls the functions of this module with an array of records and an index; inside, records are passed around.

* `reset`: a new game from a seed; `restart`: a new game from the generator as it stands; `deal_next`: the next round;
  `stack`: a new game from a deck in a given order, and `goes_back`: which starters that order must not have.
* `legal`: the action mask of the decision that is due. `act`: carry out an action if it is legal.
* `resample`: redraw what a seat cannot know. `winners_of_match`, `rewards_of_round`, `rewards_of_match`.
"""

from __future__ import annotations

import numpy as np

from uno_env.engine import dealing
from uno_env.engine.generator import seeded
from uno_env.engine.legal import fill_mask, fill_playable, next_seat
from uno_env.engine.piles import known_holder, known_kind, known_observers, known_word
from uno_env.engine.scoring import hand_points, match_winners
from uno_env.engine.turns import apply
from uno_env.jit import jit, lean, scratch
from uno_env.state import NUM_ACTIONS, ROW

__all__ = [
    "act",
    "apply",
    "deal_next",
    "fill_mask",
    "fill_playable",
    "fill_rewards",
    "goes_back",
    "known_holder",
    "known_kind",
    "known_observers",
    "known_word",
    "legal",
    "match_winners",
    "next_seat",
    "resample",
    "reset",
    "restart",
    "rewards_of_round",
    "seeded",
    "stack",
    "winners_of_match",
]


@lean
def reset(states, rules, i, seed):
    """Start game ``i`` afresh from ``seed`` (uint64)."""
    states[i].rng = seeded(seed)
    dealing.new_game(states[i], rules[0])


@lean
def restart(states, rules, i):
    """Start a new match in game ``i`` with its generator as it stands."""
    dealing.new_game(states[i], rules[0])


@lean
def stack(states, rules, i, deck):
    """Start game ``i`` afresh from ``deck`` (``int8[D]``, kinds, the first card dealt at its end)."""
    dealing.stacked_game(states[i], rules[0], deck)


@lean
def goes_back(rules, kind):
    """Whether a card of that kind is shuffled back when it is turned up to start the discard pile."""
    return dealing.goes_back(rules[0], kind)


@lean
def deal_next(states, rules, i):
    """Deal the next round of game ``i``."""
    dealing.next_round(states[i], rules[0])


@lean
def legal(states, rules, i, mask):
    """Fill ``mask`` (``int8[91]``) with the legal actions of game ``i``'s actor."""
    fill_mask(states[i], rules[0], scratch(ROW, np.int8), mask)


@lean
def act(states, rules, i, action):
    """Carry out ``action`` in game ``i``. Returns False, and changes nothing, if it is not legal."""
    mask = scratch(NUM_ACTIONS, np.int8)
    legal(states, rules, i, mask)
    if action < 0 or action >= NUM_ACTIONS or mask[action] == 0:
        return False
    apply(states[i], rules[0], action)
    return True


@jit
def resample(states, rules, i, seat, seed):
    """Redraw what ``seat`` cannot know of game ``i``; see `uno_env.engine.dealing.resample`."""
    dealing.resample(states[i], rules[0], seat, seed)


@lean
def winners_of_match(states, rules, i):
    """The seats, as bits, that have won the match of game ``i``, or -1 while it goes on."""
    return match_winners(states[i], rules[0])


#: Reward schemes, by their place in this tuple.
REWARDS = ("win", "points", "match")


@lean
def share_win(winners, n, rewards):
    """+1 shared by the winners, -1 by the others: zero-sum. Nobody won: zeros."""
    count = np.int64(0)
    for seat in range(n):
        count += (winners >> seat) & 1
    for seat in range(n):
        if count == 0 or count == n:
            rewards[seat] = 0.0
        elif (winners >> seat) & 1:
            rewards[seat] = 1.0 / count
        else:
            rewards[seat] = -1.0 / (n - count)


@lean
def fill_rewards(state, rules, scheme, rewards):
    """Rewards (``float32[n]``) of the round that just ended, by the scheme's place in `REWARDS`; all are zero-sum.

    ``win``: the winner +1, each of the other n-1 seats -1/(n-1); with teams +-1 divided by the seats of a side.
    ``points``: in units of 100 points, losers pay for their hands, the winning side shares the sum.
    ``match``: as ``win``, for the match, in the round that decides it; else zero.
    """
    n = rules.num_players
    if scheme == 0:
        share_win(np.int64(state.winners), n, rewards)
        return
    if scheme == 2:
        share_win(max(match_winners(state, rules), 0), n, rewards)
        return
    total = np.float64(0.0)
    count = np.int64(0)
    for seat in range(n):
        rewards[seat] = 0.0
        if (state.winners >> seat) & 1:
            count += 1
        elif state.winners != 0:
            lost = hand_points(state, rules, seat) / 100.0
            rewards[seat] = -lost
            total += lost
    for seat in range(n):
        if (state.winners >> seat) & 1:
            rewards[seat] = total / count


@lean
def rewards_of_round(states, rules, i, scheme, rewards):
    """`fill_rewards` for game ``i``."""
    fill_rewards(states[i], rules[0], scheme, rewards)
