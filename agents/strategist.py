"""`strategist`: the best scripted agent, compiled. It rates every card it could play, and plays the best.

A rating is a weighted sum of what a card does and of what it leaves behind: the chance that the next player can follow, the
chance that this seat can play on at its next turn, how well the rest of the hand hangs together. Wins that nobody can stop, chains
of cards that give another turn to one of two players, are searched for. `WEIGHTS` tells where the weights come from.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from agents.base import CompiledAgent
from agents.reading import (
    SYMBOLS_AT,
    WILDS_AT,
    chance_of_guilt,
    chance_to_follow,
    chance_to_go_on,
    count_cards,
    count_players,
    fitting,
    is_partner,
    named_colour,
    other_cards,
    player_on_turn,
    top_symbol,
    would_bluff,
)
from agents.scripted import favourite_colour, first_legal
from uno_env.cards import (
    DRAW_TWO,
    NUM_COLOURED,
    NUM_COLOURS,
    NUM_KINDS,
    NUM_SYMBOLS,
    REVERSE,
    SKIP,
    WILD_DRAW_FOUR,
    WILD_SHUFFLE,
    WILD_SWAP,
)
from uno_env.jit import inline, jit
from uno_env.observe import (
    COLOUR,
    HAND,
    HAND_SIZE,
    MAX_OTHERS,
    OTHER_WIDTH,
    OTHERS,
    PENDING,
    PHASE,
    PLAYABLE,
    UNSEEN,
)
from uno_env.random_card import low, play
from uno_env.rules import Rules
from uno_env.state import ACCEPT, CATCH, CHALLENGE, DRAW, NAME_COLOUR, NUM_ACTIONS, PASS, SWAP, UNO, Phase

JUMP_PHASE = int(Phase.JUMP)
FOUR_SYMBOL, SWAP_SYMBOL, SHUFFLE_SYMBOL = (NUM_SYMBOLS + kind - NUM_COLOURED for kind in (WILD_DRAW_FOUR, WILD_SWAP, WILD_SHUFFLE))

# Features: what a choice is rated by, each with its weight. -----------------------------------------------------------

FEATURES = (
    # What the card is; a number is nothing. Threat: 1 over the cards of the next player. Late: 1 over the cards left.
    *("skip", "reverse", "draw_two", "wild", "four", "bluff"),
    *("skip_threat", "reverse_threat", "draw_two_threat", "wild_threat", "four_threat"),
    *("action_late", "wild_late", "four_late"),
    # Playing on: at once; the chance to have a card to play next time, also if it is the last or one of the last two.
    *("again", "on", "on_last", "on_two"),
    # The chance that the next player can follow, also if that is with its last card or one of its last two.
    *("follow", "follow_last", "follow_two"),
    # The hand that is left: share of the colour in force, pairs that match, colours, action cards, those in that colour, wilds.
    *("colour", "together", "colours", "tempo", "tempo_here", "wilds"),
    # Drawing by choice; keeping a drawn card; cards that an exchange of hands makes this seat's hand smaller and others' larger.
    *("draw", "pass", "swap"),
)
NUM_FEATURES = len(FEATURES)
F_SKIP, F_REVERSE, F_DRAW_TWO, F_WILD, F_FOUR, F_BLUFF = range(6)
F_SKIP_THREAT, F_REVERSE_THREAT, F_DRAW_TWO_THREAT, F_WILD_THREAT, F_FOUR_THREAT = range(6, 11)
F_ACTION_LATE, F_WILD_LATE, F_FOUR_LATE = range(11, 14)
F_AGAIN, F_ON, F_ON_LAST, F_ON_TWO, F_FOLLOW, F_FOLLOW_LAST, F_FOLLOW_TWO = range(14, 21)
F_COLOUR, F_TOGETHER, F_COLOURS, F_TEMPO, F_TEMPO_HERE, F_WILDS = range(21, 27)
F_DRAW, F_PASS, F_SWAP = range(27, 30)

# The settings of the agent: the weights of the features, how it bluffs and challenges, and what it has to know of the rules.
HABITS = ("bluffers", "doubt", "bluff_rate")
"""How often others bluff when they could, the least chance of guilt worth a challenge, how often it considers a bluff."""
FLAGS = ("reverse_skips", "sevens", "zeros", "stacks", "interrupted")
BLUFFERS, DOUBT, BLUFF_RATE = range(NUM_FEATURES, NUM_FEATURES + 3)
REVERSE_SKIPS, SEVENS, ZEROS, STACKS, INTERRUPTED = range(NUM_FEATURES + 3, NUM_FEATURES + 8)

MOST_CHOICES = NUM_COLOURED + NUM_COLOURS * (NUM_KINDS - NUM_COLOURED) + 1
"""Cards, wilds in each colour, and the choice to play none."""
LONGEST_CHAIN = 7
"""Cards in a hand beyond which no chain is searched for."""

# Rating ---------------------------------------------------------------------------------------------------------------


@jit
def runs_out(hand, left, colour, symbol, reverse_skips):
    """Whether all ``left`` cards of a hand can follow each other, each but the last giving another turn against one opponent."""
    for kind in range(NUM_KINDS):
        if hand[kind] == 0:
            continue
        wild = kind >= NUM_COLOURED
        kind_colour, kind_symbol = kind // NUM_SYMBOLS, kind % NUM_SYMBOLS
        if wild or kind_colour == colour or kind_symbol == symbol:
            if left == 1:
                return True
            if not wild and (kind_symbol in (SKIP, DRAW_TWO) or (kind_symbol == REVERSE and reverse_skips)):
                hand[kind] -= 1
                out = runs_out(hand, left - 1, kind_colour, kind_symbol, reverse_skips)
                hand[kind] += 1
                if out:
                    return True
    return False


@jit
def fill_rest(row, own, unseen, cards, colour, symbol, k, again, features):
    """The features of leaving ``cards`` cards, counted in ``own``, with colour and symbol on top; other ``k`` is next, or ``again``
    this seat.
    """
    if again:
        on = 1.0 if fitting(row, HAND, own, colour, symbol) > 0 else 0.0
        features[F_AGAIN] = 1.0
    else:
        follow = chance_to_follow(row, unseen, k, colour, symbol)
        on = chance_to_go_on(row, own, unseen, colour, symbol, follow)
        if is_partner(row, k):
            follow = -follow
        features[F_FOLLOW] = follow
        theirs = other_cards(row, k)
        if theirs == 1:
            features[F_FOLLOW_LAST] = follow
        elif theirs == 2:
            features[F_FOLLOW_TWO] = follow
    features[F_ON] = on
    if cards == 1:
        features[F_ON_LAST] = on
    elif cards == 2:
        features[F_ON_TWO] = on
    pairs, colours, tempo, here = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for c in range(NUM_COLOURS):
        pairs += own[c] * (own[c] - 1)
        if own[c] > 0:
            colours += 1
    for s in range(NUM_SYMBOLS):
        pairs += own[SYMBOLS_AT + s] * (own[SYMBOLS_AT + s] - 1)
        if s >= SKIP:
            tempo += own[SYMBOLS_AT + s]
            here += row[HAND + colour * NUM_SYMBOLS + s]
    size = np.float64(max(cards, 1))
    features[F_COLOUR] = own[colour] / size
    features[F_TOGETHER] = pairs / (size * size)
    features[F_COLOURS] = colours
    features[F_TEMPO] = tempo / size
    features[F_TEMPO_HERE] = here / size
    features[F_WILDS] = own[WILDS_AT] / size


@jit
def gain_of_swap(row, n, cards, gives, takes):
    """What it is worth, in cards, to give ``cards`` cards to other ``gives`` and get the hand of other ``takes``."""
    mine = np.float64(cards - other_cards(row, takes))
    theirs = np.float64(cards - other_cards(row, gives))
    if is_partner(row, gives):
        theirs = -theirs
    return mine + theirs / (n - 1)


@jit
def best_swap(row, n, cards):
    """The other player with whom a swap is worth most."""
    best, most = np.int64(1), -1e9
    for k in range(1, n):
        gain = gain_of_swap(row, n, cards, k, k)
        if gain > most:
            best, most = np.int64(k), gain
    return best


@jit
def fill_card(row, own, unseen, settings, n, kind, colour, bluff, features):
    """The features of playing a card that brings ``colour`` into force. Returns True if it wins, at once or in a sure chain.

    ``row`` and ``own`` are changed and set back.
    """
    cards = np.int64(row[HAND_SIZE]) - 1
    if cards == 0:
        return True
    features[:] = 0.0
    wild = kind >= NUM_COLOURED
    symbol = np.int64(kind - NUM_COLOURED + NUM_SYMBOLS if wild else kind % NUM_SYMBOLS)
    threat, late = 1.0 / max(other_cards(row, 1), 1), 1.0 / cards
    k, again = np.int64(1), False
    if symbol == SKIP:
        features[F_SKIP], features[F_SKIP_THREAT], features[F_ACTION_LATE] = 1.0, threat, late
        k = np.int64(2)
    elif symbol == REVERSE:
        features[F_REVERSE], features[F_REVERSE_THREAT], features[F_ACTION_LATE] = 1.0, threat, late
        again = n == 2 and settings[REVERSE_SKIPS] > 0
        k = np.int64(n - 1)
    elif symbol == DRAW_TWO:
        features[F_DRAW_TWO], features[F_DRAW_TWO_THREAT], features[F_ACTION_LATE] = 1.0, threat, late
        k = np.int64(2)
    elif symbol == FOUR_SYMBOL:
        features[F_BLUFF if bluff else F_FOUR], features[F_FOUR_THREAT], features[F_FOUR_LATE] = 1.0, threat, late
        k = np.int64(2)
    elif wild:
        features[F_WILD], features[F_WILD_THREAT], features[F_WILD_LATE] = 1.0, threat, late
    if n == 2 and k == 2:
        again = settings[STACKS] == 0 or symbol == SKIP
        k = np.int64(1)

    if (symbol == 7 and settings[SEVENS] > 0) or symbol == SWAP_SYMBOL:
        other = best_swap(row, n, cards)
        features[F_SWAP] = gain_of_swap(row, n, cards, other, other)
    elif symbol == 0 and settings[ZEROS] > 0:
        features[F_SWAP] = gain_of_swap(row, n, cards, 1, n - 1)
    elif symbol == SHUFFLE_SYMBOL:
        total = cards
        for other in range(1, n):
            total += other_cards(row, other)
        features[F_SWAP] = (cards - total / n) * n / (n - 1)
    else:
        take_out(row, own, kind, 1)
        fill_rest(row, own, unseen, cards, colour, symbol, k, again, features)
        sure = again and not bluff and settings[INTERRUPTED] == 0 and chain(row, own, settings, cards, colour, symbol)
        take_out(row, own, kind, -1)
        return sure
    features[F_ON] = 0.75  # of a hand that is not known
    return False


@inline
def take_out(row, own, kind, count):
    """Take ``count`` cards of a kind out of the hand in ``row`` and out of its counts."""
    row[HAND + kind] -= count
    if kind >= NUM_COLOURED:
        own[WILDS_AT] -= count
    else:
        own[kind // NUM_SYMBOLS] -= count
        own[SYMBOLS_AT + kind % NUM_SYMBOLS] -= count


@jit
def chain(row, own, settings, cards, colour, symbol):
    """Whether the whole hand can be played in one go; a quick look comes before the search."""
    if cards > LONGEST_CHAIN:
        return False
    ends = own[WILDS_AT]
    for s in range(SKIP):
        ends += own[SYMBOLS_AT + s]
    return ends <= 1 and runs_out(row[HAND : HAND + NUM_KINDS], cards, colour, symbol, settings[REVERSE_SKIPS] > 0)


# The policy -----------------------------------------------------------------------------------------------------------


@jit
def fill_choices(row, mask, word, own, unseen, settings, actions, features):
    """The choices of a decision about cards: their actions, and a row of features each (of a sure win, only that one).

    ``row`` is the observation, changed and set back. Returns how many choices there are, and whether the only one is a sure win.
    """
    n = count_players(row)
    cards = np.int64(row[HAND_SIZE])
    colour = named_colour(row, COLOUR)
    holds = colour >= 0 and own[colour] > 0
    coin = np.float64(low(word)) / 2.0**32
    count = np.int64(0)
    for kind in range(NUM_KINDS):
        if row[PLAYABLE + kind] == 0:
            continue
        first, last, bluff = np.int64(kind // NUM_SYMBOLS), np.int64(kind // NUM_SYMBOLS), False
        if kind >= NUM_COLOURED:
            first, last = np.int64(0), np.int64(NUM_COLOURS - 1)
            bluff = kind == WILD_DRAW_FOUR and holds
            if bluff and cards > 1 and (mask[ACCEPT] > 0 or coin >= settings[BLUFF_RATE]):
                continue
        for named in range(first, last + 1):
            sure = fill_card(row, own, unseen, settings, n, kind, named, bluff, features[count])
            actions[count] = play(kind, named)
            if sure:
                actions[0] = actions[count]
                return np.int64(1), True
            count += 1
    none = np.int64(DRAW) if mask[DRAW] > 0 else np.int64(PASS)
    if mask[none] > 0 and colour >= 0:
        more = 1 if none == DRAW else 0
        features[count, :] = 0.0
        fill_rest(row, own, unseen, cards + more, colour, top_symbol(row), 1, False, features[count])
        features[count, F_DRAW if none == DRAW else F_PASS] = 1.0
        actions[count] = none
        count += 1
    return count, False


@jit
def without_rating(row, mask, word, own, unseen, settings):
    """The decisions that are made without rating cards; -1 for the others. Calls and catches always."""
    if mask[UNO] > 0:
        return np.int64(UNO)
    if mask[CATCH] > 0:
        return catch_opponents(row, mask)
    if mask[NAME_COLOUR] > 0:
        return NAME_COLOUR + favourite_colour(row, low(word))
    if mask[SWAP] > 0:
        return swap_or_not(row, mask)
    if row[PHASE + JUMP_PHASE] > 0:
        return jump_in_or_not(row, mask, settings)
    if mask[CHALLENGE] > 0 and worth_a_challenge(row, mask, unseen, settings):
        return np.int64(CHALLENGE)
    return np.int64(-1)


@jit
def strategist_policy(observation, mask, word, settings):
    """The action that is rated best."""
    row = observation.copy()
    own, unseen = np.empty(WILDS_AT + 1, np.int64), np.empty(WILDS_AT + 1, np.int64)
    count_cards(row, HAND, own)
    count_cards(row, UNSEEN, unseen)
    action = without_rating(row, mask, word, own, unseen, settings)
    if action >= 0:
        return action
    actions, features = np.empty(MOST_CHOICES, np.int64), np.empty((MOST_CHOICES, NUM_FEATURES))
    count, _ = fill_choices(row, mask, word, own, unseen, settings, actions, features)
    if count == 1:
        return actions[0]
    best, most = np.int64(-1), -1e9
    for choice in range(count):
        rating = 0.0
        for f in range(NUM_FEATURES):
            rating += settings[f] * features[choice, f]
        if rating > most:
            best, most = actions[choice], rating
    if best < 0:
        return np.int64(ACCEPT) if mask[ACCEPT] > 0 else first_legal(mask, 0, NUM_ACTIONS)
    return best


@inline
def catch_opponents(row, mask):
    """Catch whoever did not call, but not a partner."""
    for k in range(1, MAX_OTHERS + 1):
        if row[OTHERS + (k - 1) * OTHER_WIDTH + 4] > 0 and is_partner(row, k):
            return np.int64(PASS)
    return np.int64(CATCH)


@inline
def swap_or_not(row, mask):
    """Swap with whom it is worth most, or, where one may, with nobody."""
    n, cards = count_players(row), np.int64(row[HAND_SIZE])
    k = best_swap(row, n, cards)
    if mask[PASS] > 0 and gain_of_swap(row, n, cards, k, k) <= 0.0:
        return np.int64(PASS)
    return SWAP + k - 1


@inline
def jump_in_or_not(row, mask, settings):
    """Jump in, unless the card makes hands move and that hurts."""
    n, cards = count_players(row), np.int64(row[HAND_SIZE]) - 1
    action = first_legal(mask, 0, NUM_COLOURED)
    gain = 0.0
    if cards > 0 and action % NUM_SYMBOLS == 7 and settings[SEVENS] > 0:
        other = best_swap(row, n, cards)
        gain = gain_of_swap(row, n, cards, other, other)
    elif cards > 0 and action % NUM_SYMBOLS == 0 and settings[ZEROS] > 0:
        gain = gain_of_swap(row, n, cards, np.int64(1), n - 1)
    return action if gain >= 0.0 else np.int64(PASS)


@inline
def has_answer(row):
    """Whether a total can be passed on without a bluff."""
    answers = np.int64(0)
    for kind in range(NUM_KINDS):
        answers += row[PLAYABLE + kind]
    if answers == 1 and row[PLAYABLE + WILD_DRAW_FOUR] > 0:
        return not would_bluff(row)
    return answers > 0


@inline
def worth_a_challenge(row, mask, unseen, settings):
    """Whether guilt is likely enough. A victim risks two more cards, but may have an answer; an outsider gains only if it stops a
    player or helps a partner.
    """
    guilt = chance_of_guilt(row, unseen, settings[BLUFFERS])
    if mask[ACCEPT] > 0:
        if has_answer(row):
            return guilt > 0.5
        # The more is due, the less two more cards weigh.
        return guilt > settings[DOUBT] * 4.0 / max(row[PENDING], 4)
    n, k = count_players(row), player_on_turn(row)
    victim = k + 1 if k + 1 < n else 1
    if is_partner(row, k):
        return False
    return guilt > 0.5 and (other_cards(row, k) <= 2 or is_partner(row, victim))


@jit
def strategist_loop(rows, masks, words, settings, actions):
    """`strategist_policy` for every row."""
    for i in range(actions.shape[0]):
        actions[i] = strategist_policy(rows[i], masks[i], words[i], settings)


# Weights --------------------------------------------------------------------------------------------------------------

ALWAYS, BREAK_EVEN = -1.0, 0.2
"""Values of ``doubt``: challenge whatever the chance of guilt; challenge where the hope of four cards outweighs the fear of two."""

WEIGHTS: dict[int, dict[str, float]] = {
    2: {
        "skip": 56.5, "reverse": 48.5, "draw_two": 47.5, "wild": -142.8, "four": -85.1, "bluff": -190.0,
        "skip_threat": 13.4, "reverse_threat": 36.8, "draw_two_threat": 49.9, "wild_threat": 101.2, "four_threat": 223.0,
        "action_late": 74.4, "wild_late": 67.8, "four_late": 17.7,
        "again": -116.9, "on": 22.3, "on_last": 231.6, "on_two": 36.0,
        "follow": -47.8, "follow_last": -333.1, "follow_two": -45.5,
        "colour": 75.2, "together": 177.6, "colours": -12.4, "tempo": 68.8, "tempo_here": -94.7, "wilds": 149.2,
        "draw": -88.5, "pass": -70.8, "swap": 100.0,
        "bluffers": 0.2, "doubt": -1.0, "bluff_rate": 0.1,
    },
    4: {
        "skip": -5.1, "reverse": -16.2, "draw_two": -13.5, "wild": -48.1, "four": -83.3, "bluff": -122.4,
        "skip_threat": 23.0, "reverse_threat": 41.4, "draw_two_threat": 61.5, "wild_threat": 32.1, "four_threat": 131.6,
        "action_late": -16.9, "wild_late": -62.9, "four_late": 1.5,
        "again": 0.0, "on": 6.8, "on_last": 82.5, "on_two": 16.7,
        "follow": -40.5, "follow_last": -86.5, "follow_two": -26.5,
        "colour": 27.3, "together": -13.9, "colours": 4.1, "tempo": -17.1, "tempo_here": -5.1, "wilds": 79.8,
        "draw": -88.7, "pass": -120.7, "swap": 40.0,
        "bluffers": 0.2, "doubt": 0.2, "bluff_rate": 0.1,
    },
}  # fmt: skip
"""For two players, and for more; only the ratios of the features' weights matter.

They were found under ``research`` by natural policy gradient, in 38 steps for two players and 24 for four: a softmax over the
ratings played 53,000 rounds a step, an eighth of them against `random`, a quarter each against `rule` and `actions_first`, the rest
against itself; the weights then moved along the regression of the result on the sum, over a round's decisions, of the chosen
features less their mean. Those of ``swap`` and the habits are from coarse grids. Two players always challenge: a look at the only
opponent's hand is worth more than the two cards that it may cost (against `rule`, which never bluffs, 61.0 instead of 58.1 per cent
of 20,000 games; but 57.0 where the hand is not shown).
"""


class Strategist(CompiledAgent):
    """The best scripted agent. It is told the rules by the view, or by `for_rules`; until then it plays as under ``research``."""

    def __init__(self, rules: Rules | None = None) -> None:
        """The agent for ``rules``."""
        super().__init__("strategist", strategist_loop, settings_for(rules or Rules.preset("research")))

    def for_rules(self, rules: Rules) -> Strategist:
        """The agent that knows ``rules``."""
        return _strategist(rules)


@lru_cache(64)
def _strategist(rules: Rules) -> Strategist:
    return Strategist(rules)


def settings_for(rules: Rules, weights: dict[str, float] | None = None) -> np.ndarray:
    """The settings, ``float64``: weights and habits by name, then what matters of the rules."""
    values = dict(weights or WEIGHTS[2 if rules.num_players == 2 else 4])
    if rules.failed_challenge_draw == 4:
        values["doubt"] = ALWAYS
    elif rules.hand_shown_to == "none":
        values["doubt"] = max(values["doubt"], BREAK_EVEN)
    flags = {
        "reverse_skips": rules.two_player_reverse == "skip",
        "sevens": rules.seven_zero in ("both", "seven"),
        "zeros": rules.seven_zero in ("both", "zero"),
        "stacks": rules.stacking != "off",
        "interrupted": rules.jump_in or rules.stacking != "off" or rules.seven_zero != "off",
    }
    return np.array([*(values[name] for name in (*FEATURES, *HABITS)), *(flags[name] for name in FLAGS)], np.float64)
