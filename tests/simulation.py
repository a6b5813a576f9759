"""The two simple policies of `rules.md` section 5.2, compiled, and the figures of rounds that they play.

Both never draw when they can play, always play a drawn card that fits, always answer a stack, and accept every Wild Draw Four.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from uno_env import engine
from uno_env.cards import DRAW_TWO, NUM_COLOURED, NUM_COLOURS, NUM_KINDS, NUM_SYMBOLS, WILD, WILD_DRAW_FOUR
from uno_env.jit import jit, wrapping
from uno_env.rules import Rules
from uno_env.state import ACCEPT, DRAW, NAME_COLOUR, NUM_ACTIONS, PASS, PLAY_WILD, ROW, SWAP, Phase, new_states

RANDOM, SIMPLE = 0, 1
PLAY, OVER, COLOUR, SWAPPING = int(Phase.PLAY), int(Phase.OVER), int(Phase.COLOUR), int(Phase.SWAP)
FOUR_SYMBOL = NUM_SYMBOLS + WILD_DRAW_FOUR - WILD
FIGURES = (
    "turns",
    "plays",
    "draws",
    "forced",
    "legal",
    "reshuffled",
    "winner",
    "dealer",
    "points",
    "points40",
    "fours",
    "bluffs",
    "faced",
)
(TURNS, PLAYS, DRAWS, FORCED, LEGAL, RESHUFFLED, WINNER, DEALER, POINTS, POINTS_40, FOURS, BLUFFS, FACED) = range(len(FIGURES))


@wrapping
def pick(rng, n):
    """A uniform integer below ``n`` from the policies' own generator (xorshift64*), ``uint64[1]``."""
    x = rng[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    rng[0] = x
    word = x * np.uint64(0x2545F4914F6CDD1D)
    return np.int64(((word >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@jit
def pick_card(hand, playable, rng):
    """A kind among the playable cards of a hand, each card equally likely; -1 if there is none."""
    total = np.int64(0)
    for kind in range(NUM_KINDS):
        total += hand[kind] * playable[kind]
    if total == 0:
        return np.int64(-1)
    left = pick(rng, total)
    for kind in range(NUM_KINDS):
        left -= hand[kind] * playable[kind]
        if left < 0:
            return np.int64(kind)
    return np.int64(-1)


@jit
def pick_colour(hand, policy, rng):
    """Random, or the colour of which a hand has most cards, ties by chance."""
    if policy == RANDOM:
        return pick(rng, NUM_COLOURS)
    best, ties, colour = np.int64(-1), np.int64(0), np.int64(0)
    for c in range(NUM_COLOURS):
        count = np.int64(0)
        for kind in range(c * NUM_SYMBOLS, (c + 1) * NUM_SYMBOLS):
            count += hand[kind]
        if count > best:
            best, ties, colour = count, np.int64(1), np.int64(c)
        elif count == best:
            ties += 1
            if pick(rng, ties) == 0:
                colour = np.int64(c)
    return colour


@jit
def decide(state, playable, mask, policy, rng):
    """The action of a policy, or -1 for a draw in PLAY."""
    hand = state.hands[state.actor]
    if policy == SIMPLE:  # coloured cards first, then Wild, then Wild Draw Four
        for kind in range(NUM_COLOURED):
            if playable[kind] > 0:
                playable[NUM_COLOURED:] = 0
                break
        if playable[WILD] > 0:
            playable[WILD_DRAW_FOUR] = 0
    kind = pick_card(hand, playable, rng)
    if kind >= NUM_COLOURED:
        return PLAY_WILD + NUM_COLOURS * (kind - NUM_COLOURED) + pick_colour(hand, policy, rng)
    if kind >= 0:
        return kind
    if state.phase == COLOUR:
        return NAME_COLOUR + pick_colour(hand, policy, rng)
    if state.phase == SWAPPING:
        targets = np.int64(0)
        for action in range(SWAP, NUM_ACTIONS):
            targets += mask[action]
        return SWAP + pick(rng, targets)
    for action in (DRAW, ACCEPT, PASS):
        if mask[action] > 0:
            return np.int64(action)
    return np.int64(-1)


@jit
def points_left(state, rules, wild):
    """Points of all hands with a Wild worth ``wild``."""
    total = np.int64(0)
    for seat in range(rules.num_players):
        for kind in range(NUM_KINDS):
            total += state.hands[seat, kind] * (wild if kind == WILD else rules.points[kind])
    return total


@jit
def play_rounds(states, rules, policy, seed, rng, figures):
    """Fill ``figures`` (``float64[games, len(FIGURES)]``), one row per round from seeds ``seed``, ``seed + 1``, ..."""
    playable = np.empty(ROW, np.int8)
    mask = np.empty(NUM_ACTIONS, np.int8)
    state, params = states[0], rules[0]
    for i in range(figures.shape[0]):
        engine.reset(states, rules, 0, np.uint64(seed + i))
        row = figures[i]
        row[:] = 0.0
        for seat in range(params.num_players):  # a starter Draw Two
            row[FORCED] += state.hand_size[seat] - params.hand_size
        while state.phase != OVER:
            engine.fill_mask(state, params, playable, mask)
            pile = state.draw_size
            in_play = state.phase == PLAY
            fits = np.int64(0)
            for kind in range(NUM_KINDS):
                fits += playable[kind]
            action = decide(state, playable, mask, policy, rng)
            if in_play and fits > 0:
                row[LEGAL] += 1
            if action < DRAW:
                row[PLAYS] += 1
            engine.apply(state, params, action)
            if action >= PLAY_WILD + NUM_COLOURS and action < PLAY_WILD + 2 * NUM_COLOURS:
                row[FOURS] += 1
                row[BLUFFS] += state.guilty == 1
            if action < DRAW and state.phase != OVER and (state.symbol == DRAW_TWO or state.symbol == FOUR_SYMBOL):
                row[FACED] += 1  # the next player answers or draws
            if action == DRAW:
                row[DRAWS] += state.num_log
            else:
                row[FORCED] += state.num_log
            if state.num_log > pile or (state.num_log > 0 and state.draw_size > pile):
                row[RESHUFFLED] = 1.0
        row[TURNS] = state.turns
        row[DEALER] = state.dealer
        row[WINNER] = -1.0
        for seat in range(params.num_players):
            if (state.winners >> seat) & 1:
                row[WINNER] = seat
        if state.winners != 0:
            row[POINTS] = points_left(state, params, 50)
            row[POINTS_40] = points_left(state, params, 40)


@jit
def play_matches(states, rules, policy, seed, rng, rounds):
    """Fill ``rounds`` (``int64[matches]``) with the number of rounds that each match took."""
    playable = np.empty(ROW, np.int8)
    mask = np.empty(NUM_ACTIONS, np.int8)
    state, params = states[0], rules[0]
    for i in range(rounds.shape[0]):
        engine.reset(states, rules, 0, np.uint64(seed + i))
        while True:
            while state.phase != OVER:
                engine.fill_mask(state, params, playable, mask)
                engine.apply(state, params, decide(state, playable, mask, policy, rng))
            if engine.match_winners(state, params) >= 0:
                break
            engine.deal_next(states, rules, 0)
        rounds[i] = state.round


class Estimate(NamedTuple):
    """A measured figure and its standard error."""

    value: float
    error: float


class Rounds:
    """The figures of many rounds."""

    def __init__(self, rules: Rules, policy: int, games: int, seed: int = 1) -> None:
        """Play ``games`` rounds."""
        self.games = games
        self.rules = rules
        self.figures = np.zeros((games, len(FIGURES)))
        rng = np.array([np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]], np.uint64)
        play_rounds(new_states(1), rules.params, policy, seed * 10**9, rng, self.figures)

    def column(self, name: str) -> np.ndarray:
        """One figure, a value per round."""
        return self.figures[:, FIGURES.index(name)]

    def mean(self, name: str | np.ndarray) -> Estimate:
        """Mean per round."""
        values = self.column(name) if isinstance(name, str) else name
        return Estimate(float(values.mean()), float(values.std() / np.sqrt(self.games)))

    def deviation(self, name: str) -> Estimate:
        """Standard deviation over rounds."""
        values = self.column(name)
        centred = values - values.mean()
        sd = float(values.std())
        return Estimate(sd, float(np.sqrt(((centred**4).mean() - sd**4) / self.games) / (2 * sd)))

    def ratio(self, part: str, whole: str) -> Estimate:
        """Sum of one figure over the sum of another."""
        a, b = self.column(part), self.column(whole)
        ratio = float(a.sum() / b.sum())
        return Estimate(ratio, float((a - ratio * b).std() / (np.sqrt(self.games) * b.mean())))

    def wins(self, seat: int) -> Estimate:
        """Share of rounds that a seat won."""
        return self.mean((self.column("winner") == seat).astype(float))


def rounds_per_match(rules: Rules, policy: int, matches: int, seed: int = 1) -> Estimate:
    """Mean number of rounds of a match."""
    rounds = np.zeros(matches, np.int64)
    rng = np.array([np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]], np.uint64)
    play_matches(new_states(1), rules.params, policy, seed * 10**9, rng, rounds)
    return Estimate(float(rounds.mean()), float(rounds.std() / np.sqrt(matches)))
