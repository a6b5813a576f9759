"""A control variate on draws: luck in the cards drawn is taken out of a result without moving its mean (as AIVAT, arXiv
1612.06915).

A logistic value of twelve features of all hands says how likely agent 0 is to win. For every card drawn after the deal, the value
after it less its expectation over the cards of the draw pile is summed up; the sum has mean zero whatever the value function
says, since each card is uniform over the pile given all that happened before. `Control` sums it up for each game, and wins less
that sum have the mean of the wins and, the better the value function, the less variance. The deal needs no such term: in
duplicate deals every side plays it from every place.

No term is written for cards drawn by an action after the pile ran out within it, nor for those drawn once the round is decided:
both are known before the card is. With ``uno_required_to_win`` hands may move between a draw and the end of its action, so that
what stands before the draw cannot be told; those rules are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from train.arena import Chance, play, rotations
from train.streams import Streams
from uno_env import engine
from uno_env.cards import KIND_COLOUR, KIND_SYMBOL, NUM_COLOURED, NUM_COLOURS, NUM_KINDS, SKIP
from uno_env.jit import jit
from uno_env.rules import Rules
from uno_env.state import DRAW, Phase, new_states
from uno_env.vector import UnoVector

OF_A_HAND = ("cards", "one by cards", "wilds", "action cards", "colours", "playable")
"""Features of a hand; the value takes their mean over the seats of agent 0 and over the others."""
NUM_WEIGHTS = 2 * len(OF_A_HAND) + 2
"""Weights of the value: of both sides' features, of having the next turn, and a constant."""
FIT_SEED = 2**40
"""Added to a seed for the games that the value is fitted to: none of them is ever measured."""
_HAND = len(OF_A_HAND)
_OVER = int(Phase.OVER)


@jit
def fill_features(hand, colour, symbol, features):
    """`OF_A_HAND` of a hand (counts per kind) with a colour and symbol in force."""
    cards, wilds, actions, playable = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    held = np.zeros(NUM_COLOURS, np.int64)
    for kind in range(NUM_KINDS):
        count = np.int64(hand[kind])
        if count == 0:
            continue
        cards += count
        if kind >= NUM_COLOURED:
            wilds += count
            playable += count
        else:
            held[KIND_COLOUR[kind]] = 1
            if KIND_SYMBOL[kind] >= SKIP:
                actions += count
            if KIND_COLOUR[kind] == colour or KIND_SYMBOL[kind] == symbol:
                playable += count
    features[0] = cards
    features[1] = 1.0 / max(cards, 1)
    features[2] = wilds
    features[3] = actions
    features[4] = held.sum()
    features[5] = playable


@jit
def value(weights, features, mine, on_turn):
    """How likely agent 0 wins, with the ``features`` (``float64[n, 6]``) of each hand and the seats that are ``mine``."""
    n = features.shape[0]
    seats = np.int64(0)
    for seat in range(n):
        seats += mine[seat]
    score = weights[2 * _HAND] * mine[on_turn] + weights[2 * _HAND + 1]
    for seat in range(n):
        place = 0 if mine[seat] else _HAND
        share = 1.0 / seats if mine[seat] else 1.0 / (n - seats)
        for f in range(_HAND):
            score += weights[place + f] * share * features[seat, f]
    return 1.0 / (1.0 + np.exp(-score))


@jit
def luck(before, after, params, action, mine, weights):
    """The sum over the cards drawn by ``action`` of the value with the card less its expectation over the pile.

    ``before`` and ``after`` are the records around the action.
    """
    n = params.num_players
    hands = after.hands[:n].copy()
    for j in range(after.num_log):
        hands[np.int64(after.log[j]) >> 8, np.int64(after.log[j]) & 0xFF] -= 1
    counts = np.zeros(NUM_KINDS, np.int64)
    for i in range(before.draw_size):
        counts[before.pile[i]] += 1
    left = np.int64(before.draw_size)
    features = np.empty((n, _HAND))
    for seat in range(n):
        fill_features(hands[seat], after.colour, after.symbol, features[seat])
    total = 0.0
    for j in range(after.num_log):
        if left == 0:
            break
        seat, drawn = np.int64(after.log[j]) >> 8, np.int64(after.log[j]) & 0xFF
        following = engine.next_seat(after, params, seat)
        mean, actual = 0.0, 0.0
        for kind in range(NUM_KINDS):
            if counts[kind] == 0:
                continue
            hands[seat, kind] += 1
            fill_features(hands[seat], after.colour, after.symbol, features[seat])
            hands[seat, kind] -= 1
            fits = kind >= NUM_COLOURED or KIND_COLOUR[kind] == after.colour or KIND_SYMBOL[kind] == after.symbol
            found = value(weights, features, mine, seat if action == DRAW and fits else following)
            mean += counts[kind] * found
            if kind == drawn:
                actual = found
        total += actual - mean / left
        hands[seat, drawn] += 1
        counts[drawn] -= 1
        left -= 1
        fill_features(hands[seat], after.colour, after.symbol, features[seat])
    return total


@jit
def add_luck(states, rules, rows, games, actions, seatings, weights, sums, scratch):
    """Add the luck of the ``actions`` in the games ``rows`` to ``sums``, from the side of agent 0."""
    after = scratch[0]
    for k in range(rows.shape[0]):
        scratch[0] = states[rows[k]]
        engine.apply(after, rules[0], actions[k])
        if after.num_log > 0 and after.phase != _OVER:
            mine = seatings[games[k] % seatings.shape[0]] == 0
            sums[games[k]] += luck(states[rows[k]], after, rules[0], actions[k], mine, weights)


class Control:
    """Sums up the luck of each game of one call of `train.arena.play`, as its ``chance``."""

    def __init__(self, rules: Rules, seatings: np.ndarray, deals: int, value: np.ndarray) -> None:
        """A control variate for so many deals with what `fit` returned."""
        refuse_rules(rules)
        if value.shape != (NUM_WEIGHTS + 1,):
            raise ValueError(f"value {list(value.shape)}: expected [{NUM_WEIGHTS + 1}]")
        self._seatings, self._weights, self._scale = seatings, value[:-1], value[-1]
        self._sums = np.zeros(deals * len(seatings))
        self._scratch = new_states(1)

    @property
    def luck(self) -> np.ndarray:
        """What luck added to the wins of agent 0, ``float64[deals, seatings]``: of mean zero."""
        return self._scale * self._sums.reshape(-1, len(self._seatings))

    def __call__(self, vector: UnoVector, rows: np.ndarray, games: np.ndarray, actions: np.ndarray) -> None:
        """Note the luck of the ``actions`` to come in the games ``rows``."""
        where = (self._seatings, self._weights, self._sums, self._scratch)
        add_luck(vector.states, vector.rules.params, rows, games, actions, *where)


def refuse_rules(rules: Rules) -> None:
    """ValueError for rules under which the control variate is not known to be unbiased."""
    if rules.uno_required_to_win:
        raise ValueError("control: not with uno_required_to_win, under which hands may move between a draw and the action's end")


# The value ------------------------------------------------------------------------------------------------------------


@jit
def describe(states, rows, games, seatings, described):
    """The inputs of `value` for the games ``rows`` as they stand: ``float64[K, NUM_WEIGHTS]``."""
    n = seatings.shape[1]
    features = np.empty(_HAND)
    for k in range(rows.shape[0]):
        state, mine = states[rows[k]], seatings[games[k] % seatings.shape[0]] == 0
        seats = mine.sum()
        described[k, :] = 0.0
        for seat in range(n):
            fill_features(state.hands[seat], state.colour, state.symbol, features)
            place = 0 if mine[seat] else _HAND
            described[k, place : place + _HAND] += features / (seats if mine[seat] else n - seats)
        described[k, 2 * _HAND] = mine[state.actor]
        described[k, 2 * _HAND + 1] = 1.0


def fit(agents: Sequence[Any], rules: Rules, *, deals: int, seed: int = 0, streams: bool = False, every: int = 4) -> np.ndarray:
    """Fit the value and its scale to ``2 * deals`` deals between two agents, none of which is ever measured.

    The first half gives the weights: every ``every``-th step tells the hands at its decisions and who won. The second half says
    how much of the luck that the value sees is worth taking out of the mean over a deal's seatings: a duplicate deal cancels some
    already.

    Returns:
        ``float64[NUM_WEIGHTS + 1]``: the weights, then the scale.
    """
    refuse_rules(rules)
    seatings = rotations(rules)
    inputs: list[np.ndarray] = []
    game_of: list[np.ndarray] = []
    steps = 0

    def take(vector: UnoVector, rows: np.ndarray, games: np.ndarray, actions: np.ndarray) -> None:
        nonlocal steps
        steps += 1
        if steps % every == 0:
            described = np.empty((len(rows), NUM_WEIGHTS))
            describe(vector.states, rows, games, seatings, described)
            inputs.append(described)
            game_of.append(games.copy())

    played = play(agents, seatings, rules, deals=deals, seed=FIT_SEED + seed, chance=take)
    won = (played.wins * (seatings == 0)).sum(axis=2).ravel()
    weights = np.append(logistic(np.concatenate(inputs), won[np.concatenate(game_of)]), 1.0)

    control = Control(rules, seatings, deals, weights)
    chance = all_of(Streams(rules, deals * len(seatings)), control) if streams else control
    played = play(agents, seatings, rules, deals=deals, seed=FIT_SEED + seed + 1, chance=chance)
    wins, luck = played.of(0, played.wins), control.luck.mean(axis=1)
    spread = luck.var()
    weights[-1] = ((wins - wins.mean()) * luck).mean() / spread if spread > 0 else 0.0
    return weights


def logistic(inputs: np.ndarray, shares: np.ndarray, *, ridge: float = 1.0, rounds: int = 25) -> np.ndarray:
    """Weights of a logistic regression of ``shares`` (0 to 1, ``[M]``) on ``inputs`` (``[M, F]``), by Newton's method."""
    weights = np.zeros(inputs.shape[1])
    for _ in range(rounds):
        chances = 1 / (1 + np.exp(-inputs @ weights))
        slope = inputs.T @ (shares - chances) - ridge * weights
        curvature = (inputs * (chances * (1 - chances))[:, None]).T @ inputs + ridge * np.eye(inputs.shape[1])
        step = np.linalg.solve(curvature, slope)
        weights += step
        if np.abs(step).max() < 1e-10:
            break
    return weights


def all_of(*parts: Chance) -> Chance:
    """One `train.arena.Chance` that calls several in turn."""

    def call(vector: UnoVector, rows: np.ndarray, games: np.ndarray, actions: np.ndarray) -> None:
        for part in parts:
            part(vector, rows, games, actions)

    return call
