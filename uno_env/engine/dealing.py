"""The deal, the starter, the next round (``rules.md`` 2.2-2.4), and the resampling of what a seat cannot know."""

from __future__ import annotations

import numpy as np

from uno_env.cards import DRAW_TWO, NUM_KINDS, REVERSE, SKIP, WILD_DRAW_FOUR
from uno_env.engine.codes import FIRST_PLAYER, FLIP, RANDOM_DEALER, REVERSE_DEALER, REVERSE_RIGHT, REVERSE_SKIPS
from uno_env.engine.generator import below, seeded, shuffle
from uno_env.engine.legal import COLOUR_PHASE, DRAWN_PHASE, allowed_on, holds_colour
from uno_env.engine.piles import draw, known_holder, known_kind, known_observers, known_word, put_on_top, tidy_known
from uno_env.engine.turns import ask, begin_turn
from uno_env.jit import inline, jit, lean, scratch
from uno_env.rules import MAX_PLAYERS
from uno_env.state import MAX_DECK


@lean
def new_game(state, rules):
    """A new match, from the generator as it stands: the first dealer, then the deal."""
    begin_match(state, rules)
    deal(state, rules)


@lean
def begin_match(state, rules):
    """The score sheet is empty and somebody deals."""
    n = rules.num_players
    state.round = 1
    state.scores[:] = 0
    state.dealer = below(state, n) if rules.first_dealer == RANDOM_DEALER else n - 1


@lean
def stacked_game(state, rules, deck):
    """A new match dealt from a deck in a given order (kinds, the first card dealt at its end) instead of a shuffled one."""
    begin_match(state, rules)
    clear_round(state)
    state.draw_size = deck.shape[0]
    for i in range(deck.shape[0]):
        state.pile[i] = deck[i]
    deal_out(state, rules)


@lean
def next_round(state, rules):
    """The deal moves one seat to the left."""
    state["round"] += 1  # an array of NumPy has a method of that name
    state.dealer = (state.dealer + 1) % rules.num_players
    deal(state, rules)


@lean
def clear_round(state):
    """Everything that belongs to one round starts empty."""
    state.hands[:, :] = 0
    state.hand_size[:] = 0
    state.pile[:] = 0
    state.discarded[:] = 0
    state.discard_size = 0
    state.direction = 1
    state.colour = -1
    state.symbol = -1
    state.drawn = -1
    state.pending = 0
    state.guilty = -1
    state.colour_before = -1
    state.size_before = 0
    state.owing = 0
    state.received = 0
    state.offender = -1
    state.passes = 0
    state.turns = 0
    state.termination = 0
    state.winners = 0
    state.declared[:] = 0
    state.drew_on[:] = -1
    state.points[:] = 0
    state.num_known = 0
    state.known[:] = 0
    state.num_log = 0
    state.log[:] = 0


@lean
def deal(state, rules):
    """Shuffle, deal, and start the discard pile."""
    clear_round(state)
    count = np.int64(0)
    for kind in range(NUM_KINDS):
        for _ in range(rules.deck[kind]):
            state.pile[count] = kind
            count += 1
    state.draw_size = count
    shuffle(state, state.pile, count)
    deal_out(state, rules)


@inline
def goes_back(rules, kind):
    """Whether a card of that kind, turned up to start the discard pile, is shuffled back (``rules.md`` 2.4)."""
    return rules.starter == FLIP and kind == WILD_DRAW_FOUR


@lean
def deal_out(state, rules):
    """Deal the hands from the draw pile as it stands, and start the discard pile."""
    n = rules.num_players
    count = np.int64(state.draw_size)
    first = (np.int64(state.dealer) + 1) % n
    seat = first
    for _ in range(n * rules.hand_size):
        count -= 1
        state.hands[seat, state.pile[count]] += 1
        seat = seat + 1 if seat + 1 < n else 0
    state.hand_size[:n] = rules.hand_size
    state.draw_size = count

    if rules.starter == FIRST_PLAYER:
        begin_turn(state, rules, first)
        return
    while True:
        kind = np.int64(state.pile[state.draw_size - 1])
        if goes_back(rules, kind):
            shuffle(state, state.pile, state.draw_size)  # back into the pile; turn up another
            continue
        state.draw_size -= 1
        put_on_top(state, kind)
        if rules.starter == FLIP or state.symbol < SKIP:
            break
    start(state, rules, first)


@lean
def start(state, rules, first):
    """The starter acts on the first player, the seat on the dealer's left (``rules.md`` 2.4)."""
    n = rules.num_players
    second = (first + 1) % n
    state.turn = first
    if state.colour < 0:
        ask(state, COLOUR_PHASE, first)
    elif state.symbol == SKIP:
        begin_turn(state, rules, second)
    elif state.symbol == DRAW_TWO:
        draw(state, rules, first, 2)
        begin_turn(state, rules, second)
    elif state.symbol == REVERSE:
        dealer = np.int64(state.dealer)
        if n == 2:  # ruling 19
            skips = rules.two_player_reverse == REVERSE_SKIPS or rules.starter_reverse == REVERSE_DEALER
            begin_turn(state, rules, dealer if skips else first)
            return
        state.direction = -1
        if rules.starter_reverse == REVERSE_DEALER:
            begin_turn(state, rules, dealer)
        elif rules.starter_reverse == REVERSE_RIGHT:
            begin_turn(state, rules, (dealer + n - 1) % n)
        else:
            begin_turn(state, rules, first)
    else:
        begin_turn(state, rules, first)


@jit
def resample(state, rules, seat, seed):
    """Replace what ``seat`` cannot know by a uniform draw that fits all it lawfully knows.

    Redrawn are the order of the draw pile, the other hands but for cards it has seen there, the card another player has just
    drawn, whether a Wild Draw Four is a bluff, what other seats know of each other, and all future random draws. What it knows:
    its own hand, the discards, all sizes, hands shown in a challenge, given or taken. Its observation stays the same.
    """
    n = rules.num_players
    state.rng = seeded(seed)
    pool = scratch(MAX_DECK, np.int8)
    seen = np.zeros((n, NUM_KINDS), np.int8)
    bit = np.int64(1) << seat
    for i in range(state.num_known):
        word = state.known[i]
        if known_observers(word) & bit != 0:
            seen[known_holder(word), known_kind(word)] += 1
    unseen = np.zeros(NUM_KINDS, np.int64)
    for i in range(state.draw_size):
        unseen[state.pile[i]] += 1
    for holder in range(n):
        if holder != seat:
            for kind in range(NUM_KINDS):
                unseen[kind] += state.hands[holder, kind] - seen[holder, kind]
    count = np.int64(0)
    for kind in range(NUM_KINDS):  # in order of kind: where the cards are now must not show in what the seed makes of them
        for _ in range(unseen[kind]):
            pool[count] = kind
            count += 1

    hidden_draw = state.phase == DRAWN_PHASE and state.actor != seat
    drawn = np.int64(state.drawn)
    while True:
        shuffle(state, pool, count)
        left = count
        for holder in range(n):
            if holder == seat:
                continue
            missing = np.int64(state.hand_size[holder])
            for kind in range(NUM_KINDS):
                state.hands[holder, kind] = seen[holder, kind]
                missing -= seen[holder, kind]
            # A bluff is judged on the cards held when the Wild Draw Four was played, not on those drawn since (ruling 30).
            challenged = state.guilty >= 0 and holder == state.turn
            since = state.hand_size[holder] - state.size_before if challenged else 0
            before = max(missing - since, 0)
            left = hand_out(state, holder, pool, left, before)
            if challenged:
                state.guilty = 1 if holds_colour(state.hands[holder], np.int64(state.colour_before)) else 0
            left = hand_out(state, holder, pool, left, missing - before)
            if hidden_draw and holder == state.actor:
                drawn = np.int64(pool[left])
        # The other player was asked whether to play its card, so the card can be played: draw again until it can.
        if not hidden_draw or allowed_on(state, rules, state.hands[state.actor], drawn):
            break
    state.drawn = drawn
    for i in range(state.draw_size):
        state.pile[i] = pool[i]
    resample_knowledge(state, seat)
    tidy(state, rules)


@jit
def tidy(state, rules):
    """Leave no trace of how the game came here: the record is then, byte for byte, what its position in text gives."""
    state.pile[state.draw_size : MAX_DECK - state.discard_size] = 0
    state.log[:] = 0
    state.num_log = 0
    if state.num_known > 0:
        tidy_known(state, rules)
    state.known[state.num_known :] = 0


@lean
def hand_out(state, holder, pool, left, count):
    """Give ``holder`` the last ``count`` of the ``left`` cards in ``pool``; returns how many are left."""
    for _ in range(count):
        left -= 1
        state.hands[holder, pool[left]] += 1
    return left


@jit
def resample_knowledge(state, seat):
    """Others know as many cards as before of each hand, but which ones ``seat`` cannot tell, except of its own hand.

    Nor can it tell whether two others know the same cards, so these are then the same, as far as their numbers go.
    """
    bit = np.int64(1) << seat
    free = state.hands.copy()
    counts = np.zeros((MAX_PLAYERS, MAX_PLAYERS), np.int64)  # cards of a holder that an observer knows
    kept = np.int64(0)
    for i in range(state.num_known):
        word = state.known[i]
        holder, observers = known_holder(word), known_observers(word)
        if observers & bit != 0:
            free[holder, known_kind(word)] -= 1
        if observers & bit != 0 or holder == seat:
            state.known[kept] = word
            kept += 1
        else:
            for observer in range(MAX_PLAYERS):
                counts[holder, observer] += (observers >> observer) & 1
    pool = np.empty(MAX_DECK, np.int8)
    for holder in range(MAX_PLAYERS):
        most = np.int64(counts[holder].max())
        if most == 0:
            continue
        total = np.int64(0)
        for kind in range(NUM_KINDS):
            for _ in range(free[holder, kind]):
                pool[total] = kind
                total += 1
        shuffle(state, pool, total)
        for card in range(most):
            observers = np.int64(0)
            for observer in range(MAX_PLAYERS):
                if counts[holder, observer] > card:
                    observers |= np.int64(1) << observer
            state.known[kept] = known_word(observers, holder, np.int64(pool[card]))
            kept += 1
    state.num_known = kept
