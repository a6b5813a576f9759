"""Which cards fit, and which actions are legal: the one place that says so."""

from __future__ import annotations

import numpy as np

from uno_env.cards import (
    DRAW_TWO,
    KIND_COLOUR,
    KIND_SYMBOL,
    NUM_COLOURED,
    NUM_COLOURS,
    NUM_KINDS,
    NUM_SYMBOLS,
    NUM_TOP_SYMBOLS,
    NUM_WILDS,
    WILD_DRAW_FOUR,
)
from uno_env.engine.codes import BLUFFABLE, DECLARE, ENFORCED, MUST, NO_STACKING, STACK_ANY, STACK_UP
from uno_env.engine.piles import can_draw, top_kind
from uno_env.jit import copy_bytes, inline, lean
from uno_env.state import (
    ACCEPT,
    CATCH,
    CHALLENGE,
    DRAW,
    NAME_COLOUR,
    NUM_ACTIONS,
    PASS,
    PLAY_WILD,
    ROW,
    SWAP,
    UNO,
    Phase,
)

COLOUR_PHASE, PLAY_PHASE, DRAWN_PHASE = int(Phase.COLOUR), int(Phase.PLAY), int(Phase.DRAWN)
JUMP_PHASE, SWAP_PHASE, CATCH_PHASE = int(Phase.JUMP), int(Phase.SWAP), int(Phase.CATCH)
CHALLENGE_PHASE, STACK_PHASE, OVER_PHASE = int(Phase.CHALLENGE), int(Phase.STACK), int(Phase.OVER)
FOUR_SYMBOL = int(KIND_SYMBOL[WILD_DRAW_FOUR])

#: ``MATCH[colour, symbol, kind]``: 1 if a card of that kind fits on that colour and symbol (``rules.md`` 2.5).
MATCH = np.zeros((NUM_COLOURS, NUM_TOP_SYMBOLS, ROW), np.int8)
for _kind in range(NUM_KINDS):
    if KIND_COLOUR[_kind] < 0:
        MATCH[:, :, _kind] = 1
    else:
        MATCH[KIND_COLOUR[_kind], :, _kind] = 1
        MATCH[:, KIND_SYMBOL[_kind], _kind] = 1


@inline
def holds_colour(hand, colour):
    """Whether a hand (counts per kind) has a card of the colour: what makes a Wild Draw Four a bluff (``rules.md`` 2.9)."""
    total = np.int64(0)
    for kind in range(colour * NUM_SYMBOLS, (colour + 1) * NUM_SYMBOLS):
        total += hand[kind]
    return total > 0


@inline
def next_seat(state, rules, seat):
    """The next seat in the direction of play."""
    seat = seat + state.direction
    if seat == rules.num_players:
        return np.int64(0)
    if seat < 0:
        return np.int64(rules.num_players - 1)
    return np.int64(seat)


@inline
def allowed_on(state, rules, hand, kind):
    """Whether a held card of that kind may be played on the colour and symbol in force."""
    if MATCH[state.colour, state.symbol, kind] == 0:
        return False
    return not (kind == WILD_DRAW_FOUR and rules.wild_draw_four == ENFORCED and holds_colour(hand, np.int64(state.colour)))


@inline
def obliges(state, rules, hand, playable):
    """Whether a hand must count as able to play: a Wild Draw Four that would be a bluff obliges nobody (ruling 23)."""
    total = np.int64(0)
    for kind in range(NUM_KINDS):
        total += playable[kind]
    if total > playable[WILD_DRAW_FOUR]:
        return True
    if total == 0:
        return False
    return not is_bluff(state, rules, hand)


@inline
def is_bluff(state, rules, hand):
    """Whether a Wild Draw Four played from this hand now would be a bluff."""
    return rules.wild_draw_four == BLUFFABLE and holds_colour(hand, np.int64(state.colour))


@inline
def stack_allows(rules, top_symbol, kind):
    """Whether the stacking rule lets a draw card answer the draw card on top (``rules.md`` 3.1, ruling 34)."""
    if rules.stacking == NO_STACKING:
        return False
    if kind == WILD_DRAW_FOUR:
        return top_symbol == FOUR_SYMBOL or rules.stacking == STACK_UP or rules.stacking == STACK_ANY
    return KIND_SYMBOL[kind] == DRAW_TWO and (top_symbol == DRAW_TWO or rules.stacking == STACK_ANY)


@lean
def fill_answers(state, rules, seat, playable):
    """Mark the kinds with which ``seat`` may answer the draw card on top; returns how many kinds there are."""
    hand = state.hands[seat]
    answers = np.int64(0)
    playable[:] = 0
    for colour in range(NUM_COLOURS):
        kind = colour * NUM_SYMBOLS + DRAW_TWO
        if hand[kind] > 0 and stack_allows(rules, state.symbol, kind):
            playable[kind] = 1
            answers += 1
    if hand[WILD_DRAW_FOUR] > 0 and stack_allows(rules, state.symbol, WILD_DRAW_FOUR):
        if rules.wild_draw_four != ENFORCED or not holds_colour(hand, np.int64(state.colour)):
            playable[WILD_DRAW_FOUR] = 1
            answers += 1
    return answers


@lean
def fill_playable(state, rules, playable):
    """Mark in ``playable`` (``int8[64]``) every kind that the actor may place in the decision that is due."""
    phase = state.phase
    hand = state.hands[state.actor]
    if phase == PLAY_PHASE:
        if state.colour < 0:  # the opening of `starter="first_player"`: any card but a Wild Draw Four (ruling 18)
            others = np.int64(0)
            for kind in range(ROW):
                playable[kind] = 1 if hand[kind] > 0 else 0
                others += playable[kind]
            if others > playable[WILD_DRAW_FOUR]:
                playable[WILD_DRAW_FOUR] = 0
        else:
            row = MATCH[state.colour, state.symbol]
            for kind in range(ROW):
                playable[kind] = row[kind] if hand[kind] > 0 else 0
            if playable[WILD_DRAW_FOUR] > 0 and not allowed_on(state, rules, hand, WILD_DRAW_FOUR):
                playable[WILD_DRAW_FOUR] = 0
        return
    if phase == STACK_PHASE or (phase == CHALLENGE_PHASE and state.actor == next_seat(state, rules, state.turn)):
        fill_answers(state, rules, state.actor, playable)
        return
    playable[:] = 0
    if phase == DRAWN_PHASE:
        playable[state.drawn] = 1
    elif phase == JUMP_PHASE:
        kind = top_kind(state)
        if hand[kind] > 0:
            playable[kind] = 1


@lean
def fill_mask(state, rules, playable, mask):
    """Fill ``mask`` (``int8[91]``, 1 = legal) for the decision that is due; ``playable`` is filled on the way.

    The mask has at least one legal action, except in OVER, where it is all zero.
    """
    fill_playable(state, rules, playable)
    copy_bytes(mask, 0, playable, NUM_COLOURED)
    for wild in range(NUM_WILDS):
        for colour in range(NUM_COLOURS):
            mask[PLAY_WILD + wild * NUM_COLOURS + colour] = playable[NUM_COLOURED + wild]
    for action in range(DRAW, NUM_ACTIONS):
        mask[action] = 0

    phase, seat = state.phase, state.actor
    hand = state.hands[seat]
    if phase == PLAY_PHASE:
        if state.colour >= 0:
            if not can_draw(state, rules):
                mask[PASS] = 0 if obliges(state, rules, hand, playable) else 1
            elif rules.voluntary_draw == 1 or not obliges(state, rules, hand, playable):
                mask[DRAW] = 1
    elif phase == DRAWN_PHASE:
        if rules.drawn_card != MUST or (state.drawn == WILD_DRAW_FOUR and is_bluff(state, rules, hand)):
            mask[PASS] = 1
    elif phase == CHALLENGE_PHASE:
        mask[CHALLENGE] = 1
        mask[ACCEPT if seat == next_seat(state, rules, state.turn) else PASS] = 1
    elif phase == STACK_PHASE:
        mask[ACCEPT] = 1
    elif phase == JUMP_PHASE:
        mask[PASS] = 1
    elif phase == CATCH_PHASE:
        mask[UNO if seat == state.offender else CATCH] = 1
        mask[PASS] = 1
    elif phase == SWAP_PHASE:
        mask[SWAP : SWAP + rules.num_players - 1] = 1
        if state.symbol == 7 and rules.seven_optional == 1:
            mask[PASS] = 1
    elif phase == COLOUR_PHASE:
        mask[NAME_COLOUR : NAME_COLOUR + NUM_COLOURS] = 1

    if rules.uno_call == DECLARE and state.hand_size[seat] == 2 and state.declared[seat] == 0:
        if phase != OVER_PHASE and phase != SWAP_PHASE and phase != CATCH_PHASE and phase != COLOUR_PHASE:
            for kind in range(NUM_KINDS):
                if playable[kind] > 0:
                    mask[UNO] = 1
                    break
