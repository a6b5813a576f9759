"""The end of a round and of a match: who wins, what it is worth (``rules.md`` 2.13-2.15)."""

from __future__ import annotations

import numpy as np

from uno_env.cards import NUM_KINDS
from uno_env.engine.codes import FEWEST_CARDS, KEEP_OWN
from uno_env.engine.legal import OVER_PHASE
from uno_env.jit import inline, lean
from uno_env.state import Termination

OUT, STALEMATE, TRUNCATED = int(Termination.OUT), int(Termination.STALEMATE), int(Termination.TRUNCATED)


@inline
def side_of(rules, seat):
    """The team of a seat, or the seat itself."""
    return seat % rules.teams if rules.teams > 0 else seat


@lean
def hand_points(state, rules, seat):
    """Points of the cards in a hand."""
    total = np.int64(0)
    for kind in range(NUM_KINDS):
        total += state.hands[seat, kind] * rules.points[kind]
    return total


@lean
def end_round(state, rules, termination, winning_side):
    """The round is over; ``winning_side`` is -1 when nobody wins. Fills winners, points and scores."""
    state.phase = OVER_PHASE
    state.termination = termination
    state.pending = 0
    state.drawn = -1
    state.guilty = -1
    state.colour_before = -1
    state.owing = 0
    state.received = 0
    state.offender = -1
    state.winners = 0
    n = rules.num_players
    state.points[:] = 0
    if winning_side < 0:
        return
    lost = np.int64(0)
    for seat in range(n):
        if side_of(rules, seat) == winning_side:
            state.winners |= 1 << seat
        else:
            lost += hand_points(state, rules, seat)
    for seat in range(n):
        side = side_of(rules, seat)
        if rules.scoring == KEEP_OWN:
            if side != winning_side:
                for other in range(n):
                    if side_of(rules, other) == side:
                        state.points[seat] += hand_points(state, rules, other)
        elif side == winning_side:
            state.points[seat] = lost
        state.scores[seat] += state.points[seat]


@lean
def end_in_stalemate(state, rules):
    """Nobody can play or draw: void, or won by the side that alone holds the smallest hand (ruling 27)."""
    winner = np.int64(-1)
    if rules.stalemate == FEWEST_CARDS:
        fewest = np.int64(state.hand_size[0])
        for seat in range(1, rules.num_players):
            fewest = min(fewest, np.int64(state.hand_size[seat]))
        for seat in range(rules.num_players):
            if state.hand_size[seat] == fewest:
                side = side_of(rules, seat)
                if winner == -1 or winner == side:
                    winner = np.int64(side)
                else:
                    winner = np.int64(-2)
    end_round(state, rules, STALEMATE, winner)


@lean
def match_winners(state, rules):
    """The seats, as bits, that have won the match, or -1 while it goes on. A match without a target is one round."""
    if state.phase != OVER_PHASE:
        return np.int64(-1)
    if rules.target == 0:
        return np.int64(state.winners)
    n = rules.num_players
    best = np.int64(state.scores[0])
    most = np.int64(state.scores[0])
    for seat in range(1, n):
        score = np.int64(state.scores[seat])
        most = max(most, score)
        best = min(best, score) if rules.scoring == KEEP_OWN else max(best, score)
    if most < rules.target:
        return np.int64(-1)
    winners = np.int64(0)
    for seat in range(n):
        if state.scores[seat] == best:
            winners |= 1 << seat
    return winners
