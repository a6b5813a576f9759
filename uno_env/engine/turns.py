"""The turn machine (``rules.md`` 7.1): what an action does and whose decision comes next.

After a card is placed: going out, jump-in window, hand movement, Uno catch window, the card's effect, the next seat. Each step ends
by asking somebody (setting ``phase`` and ``actor``) or by calling the next step.
"""

from __future__ import annotations

import numpy as np

from uno_env.cards import (
    DRAW_TWO,
    NUM_COLOURED,
    NUM_KINDS,
    REVERSE,
    SKIP,
    WILD_DRAW_FOUR,
    WILD_SHUFFLE,
    WILD_SWAP,
)
from uno_env.engine.codes import (
    ANYONE,
    BLUFFABLE,
    DECLARE,
    NEVER,
    NO_STACKING,
    NO_SWAPS,
    ONLY_SEVEN,
    ONLY_ZERO,
    REVERSE_SKIPS,
    SHOWN_TO_ALL,
    SHOWN_TO_CHALLENGER,
)
from uno_env.engine.generator import shuffle
from uno_env.engine.legal import (
    CATCH_PHASE,
    CHALLENGE_PHASE,
    DRAWN_PHASE,
    FOUR_SYMBOL,
    JUMP_PHASE,
    OVER_PHASE,
    PLAY_PHASE,
    STACK_PHASE,
    SWAP_PHASE,
    allowed_on,
    fill_answers,
    is_bluff,
    next_seat,
)
from uno_env.engine.piles import draw, forget_played, pass_on_knowledge, put_on_top, show_hand, top_kind
from uno_env.engine.scoring import OUT, TRUNCATED, end_in_stalemate, end_round, side_of
from uno_env.jit import copy_bytes, inline, lean, scratch
from uno_env.rules import MAX_PLAYERS
from uno_env.state import ACCEPT, CATCH, CHALLENGE, DRAW, MAX_DECK, NAME_COLOUR, PASS, PLAY_WILD, ROW, SWAP, UNO

ALL_HANDS = MAX_PLAYERS * ROW  # bytes
SWAP_SYMBOL, SHUFFLE_SYMBOL = 13 + WILD_SWAP - NUM_COLOURED, 13 + WILD_SHUFFLE - NUM_COLOURED


@inline
def ask(state, phase, actor):
    """The next decision is ``actor``'s."""
    state.phase = phase
    state.actor = actor


@lean
def begin_turn(state, rules, seat):
    """The turn of ``seat`` begins, unless the round has had all the turns it may have (ruling 29)."""
    if rules.max_turns > 0 and state.turns >= rules.max_turns:
        end_round(state, rules, TRUNCATED, -1)
        return
    state.turns += 1
    state.turn = seat
    ask(state, PLAY_PHASE, seat)


# Placing a card -------------------------------------------------------------------------------------------------------


@lean
def place(state, rules, seat, kind, colour):
    """``seat`` plays a card; ``colour`` is the one named for a wild."""
    state.guilty = -1
    state.colour_before = -1
    if kind == WILD_DRAW_FOUR and rules.wild_draw_four == BLUFFABLE and state.colour >= 0:
        state.guilty = 1 if is_bluff(state, rules, state.hands[seat]) else 0
        state.colour_before = state.colour
    if state.phase == JUMP_PHASE and rules.stacking != NO_STACKING and state.symbol == DRAW_TWO:
        state.pending += 2  # the card that is jumped on adds to the total (ruling 35)
    state.hands[seat, kind] -= 1
    state.hand_size[seat] -= 1
    if state.num_known > 0:
        forget_played(state, seat, kind)
    put_on_top(state, kind)
    if kind >= NUM_COLOURED:
        state.colour = colour
    state.turn = seat
    state.drawn = -1
    state.passes = 0
    state.size_before = state.hand_size[seat]

    declare = rules.uno_call == DECLARE and state.declared[seat] == 0
    if state.hand_size[seat] == 0:
        # An uncalled last card costs two where a call is required to win; without a card to draw the player is out (ruling 49).
        if not (rules.uno_required_to_win == 1 and declare and draw(state, rules, seat, 2) > 0):
            go_out(state, rules, seat)
            return
    elif state.hand_size[seat] == 1 and declare:
        state.owing |= 1 << seat
    if rules.jump_in == 1 and kind < NUM_COLOURED:
        ask_jump_in(state, rules, seat)
    else:
        move_hands(state, rules)


@lean
def go_out(state, rules, seat):
    """The last card is played: draw what it makes the next player draw, then score."""
    if rules.final_draw == 1:
        due = np.int64(0)
        if state.symbol == DRAW_TWO:
            due = state.pending + 2
        elif state.symbol == FOUR_SYMBOL:
            due = state.pending + 4
        if due > 0:
            draw(state, rules, next_seat(state, rules, seat), due)
    end_round(state, rules, OUT, side_of(rules, seat))


@lean
def ask_jump_in(state, rules, after):
    """Ask the next seat after ``after`` that holds a card identical to the top card; the card's player comes last (ruling 37)."""
    kind = top_kind(state)
    while True:
        after = next_seat(state, rules, after)
        if state.hands[after, kind] > 0:
            ask(state, JUMP_PHASE, after)
            return
        if after == state.turn:
            move_hands(state, rules)
            return


# Hands that move ------------------------------------------------------------------------------------------------------


@lean
def move_hands(state, rules):
    """The movement that the placed card asks for: 7, 0, Wild Swap Hands, Wild Shuffle Hands; then the catch window."""
    n = rules.num_players
    seven_zero = rules.seven_zero
    swap = state.symbol == SWAP_SYMBOL
    optional = False
    if state.symbol == 7 and seven_zero != NO_SWAPS and seven_zero != ONLY_ZERO:
        swap = True
        optional = rules.seven_optional == 1
    if swap:
        if n > 2 or optional:
            ask(state, SWAP_PHASE, state.turn)
            return
        swap_hands(state, rules, 1 - state.turn)
    elif state.symbol == 0 and seven_zero != NO_SWAPS and seven_zero != ONLY_SEVEN:
        receiver_of = scratch(MAX_PLAYERS, np.int64)[:n]
        for seat in range(n):
            receiver_of[seat] = next_seat(state, rules, seat)
        give_hands(state, rules, receiver_of)
    elif state.symbol == SHUFFLE_SYMBOL:
        shuffle_hands(state, rules)
    open_catch(state, rules)


@lean
def swap_hands(state, rules, other):
    """The player whose turn it is and ``other`` swap hands."""
    receiver_of = scratch(MAX_PLAYERS, np.int64)[: rules.num_players]
    for seat in range(rules.num_players):
        receiver_of[seat] = seat
    receiver_of[state.turn] = other
    receiver_of[other] = state.turn
    give_hands(state, rules, receiver_of)


@lean
def give_hands(state, rules, receiver_of):
    """The hand of each seat ``h`` goes to ``receiver_of[h]``."""
    n = receiver_of.shape[0]
    hands = scratch(ALL_HANDS, np.int8)
    sizes = scratch(MAX_PLAYERS, np.int64)
    for seat in range(n):
        sizes[seat] = state.hand_size[seat]
        copy_bytes(hands, seat * ROW, state.hands[seat], ROW)
    moved = np.int64(0)
    for seat in range(n):
        receiver = receiver_of[seat]
        state.hand_size[receiver] = sizes[seat]
        copy_bytes(state.hands[receiver], 0, hands[seat * ROW :], ROW)
        if receiver != seat:
            moved |= np.int64(1) << seat
    pass_on_knowledge(state, receiver_of)
    call_again(state, rules, moved)


@lean
def shuffle_hands(state, rules):
    """All hands are shuffled together and dealt out from the seat at the player's left (ruling 39). Nobody knows anything after."""
    n = rules.num_players
    pool = scratch(MAX_DECK, np.int8)
    count = np.int64(0)
    for seat in range(n):
        for kind in range(NUM_KINDS):
            for _ in range(state.hands[seat, kind]):
                pool[count] = kind
                count += 1
    state.hands[:n, :] = 0
    state.hand_size[:n] = 0
    state.num_known = 0
    shuffle(state, pool, count)
    seat = state.turn
    for i in range(count - 1, -1, -1):
        seat = seat + 1 if seat + 1 < n else 0
        state.hands[seat, pool[i]] += 1
        state.hand_size[seat] += 1
    call_again(state, rules, (np.int64(1) << n) - 1)


@lean
def call_again(state, rules, moved):
    """Flags do not move with hands (ruling 42); with ``uno_on_received`` a single card that moved must be called (ruling 44)."""
    for seat in range(rules.num_players):
        bit = np.int64(1) << seat
        if moved & bit == 0:
            continue
        if not (seat == state.turn and state.hand_size[seat] == 1):
            state.declared[seat] = 0
        if rules.uno_on_received == 1 and rules.uno_call == DECLARE and state.hand_size[seat] == 1:
            if state.declared[seat] == 0 and state.owing & bit == 0:
                state.received |= bit


# The Uno catch window -------------------------------------------------------------------------------------------------


@lean
def open_catch(state, rules):
    """Duties are judged on the hands as they are now; then the offenders are handled one by one."""
    if state.owing | state.received != 0:
        for seat in range(rules.num_players):
            if state.hand_size[seat] != 1:
                state.owing &= ~(1 << seat)
                state.received &= ~(1 << seat)
    next_offender(state, rules)


@lean
def next_offender(state, rules):
    """Open the window for the next offender in order of play from the card's player, or let the card take effect (ruling 47)."""
    state.offender = -1
    seat = np.int64(state.turn)
    while state.owing | state.received != 0:
        bit = np.int64(1) << seat
        if state.owing & bit != 0:
            state.owing &= ~bit
            state.offender = seat
            ask(state, CATCH_PHASE, next_seat(state, rules, seat))
            return
        if state.received & bit != 0:
            state.received &= ~bit
            state.offender = seat
            ask(state, CATCH_PHASE, seat)
            return
        seat = next_seat(state, rules, seat)
    take_effect(state, rules)


# Effects --------------------------------------------------------------------------------------------------------------


@lean
def take_effect(state, rules):
    """The placed card acts on the next seat in the direction of play (``rules.md`` 2.8)."""
    seat = np.int64(state.turn)
    symbol = state.symbol
    following = next_seat(state, rules, seat)
    if symbol == SKIP:
        begin_turn(state, rules, next_seat(state, rules, following))
    elif symbol == REVERSE:
        if rules.num_players > 2:
            state.direction = -state.direction
            begin_turn(state, rules, next_seat(state, rules, seat))
        else:  # with two players the direction is never changed (ruling 20)
            begin_turn(state, rules, seat if rules.two_player_reverse == REVERSE_SKIPS else following)
    elif symbol == DRAW_TWO:
        state.pending += 2
        face_total(state, rules, following)
    elif symbol == FOUR_SYMBOL:
        state.pending += 4
        if state.guilty >= 0:
            ask(state, CHALLENGE_PHASE, following)
        else:
            face_total(state, rules, following)
    else:
        begin_turn(state, rules, following)


@lean
def face_total(state, rules, victim):
    """``victim`` is asked if it has an answer to the total, and draws it at once if not (ruling 3)."""
    if rules.stacking != NO_STACKING and fill_answers(state, rules, victim, scratch(ROW, np.int8)) > 0:
        state.turn = victim
        ask(state, STACK_PHASE, victim)
    else:
        take_total(state, rules, victim)


@lean
def take_total(state, rules, victim):
    """``victim`` draws all that is due and loses its turn."""
    draw(state, rules, victim, state.pending)
    settle(state, rules, next_seat(state, rules, victim))


@inline
def settle(state, rules, seat):
    """Nothing is due any more and nothing can be challenged; the turn of ``seat`` begins."""
    state.pending = 0
    state.guilty = -1
    state.colour_before = -1
    begin_turn(state, rules, seat)


@lean
def challenge(state, rules, challenger):
    """The Wild Draw Four of the player whose turn it is is challenged (``rules.md`` 2.10, rulings 30-33)."""
    player = np.int64(state.turn)
    victim = next_seat(state, rules, player)
    if rules.hand_shown_to == SHOWN_TO_CHALLENGER:
        show_hand(state, player, challenger)
    elif rules.hand_shown_to == SHOWN_TO_ALL:
        for seat in range(rules.num_players):
            show_hand(state, player, seat)
    if state.guilty == 1:
        draw(state, rules, player, state.pending)
        settle(state, rules, victim)
    elif challenger == victim:
        state.pending += rules.failed_challenge_draw - 4
        take_total(state, rules, victim)
    else:
        draw(state, rules, challenger, 2)
        take_total(state, rules, victim)


@lean
def ask_outsider(state, rules, after):
    """With ``challenger="any"`` the others may challenge in order of play; when none does, the victim draws (ruling 31)."""
    outsider = next_seat(state, rules, after)
    if rules.challenger == ANYONE and outsider != state.turn:
        ask(state, CHALLENGE_PHASE, outsider)
    else:
        take_total(state, rules, next_seat(state, rules, state.turn))


# Drawing and passing --------------------------------------------------------------------------------------------------


@lean
def draw_in_turn(state, rules):
    """The actor draws one card, or until one is playable; it may be able to play it (``rules.md`` 2.7, 3.4)."""
    seat = np.int64(state.actor)
    state.passes = 0
    state.drew_on[seat] = state.colour
    while draw(state, rules, seat, 1) > 0:
        kind = np.int64(state.log[state.num_log - 1] & 0xFF)
        hand = state.hands[seat]
        playable = allowed_on(state, rules, hand, kind)
        if rules.draw_until_playable == 1:
            if not playable or (kind == WILD_DRAW_FOUR and is_bluff(state, rules, hand)):
                continue  # a bluff does not end the search (ruling 23)
        if playable and rules.drawn_card != NEVER:
            state.drawn = kind
            ask(state, DRAWN_PHASE, seat)
            return
        break
    begin_turn(state, rules, next_seat(state, rules, seat))


@lean
def pass_in_turn(state, rules):
    """The forced pass: nothing to play, nothing to draw. A full circle of them ends the round (ruling 26)."""
    state.drew_on[state.actor] = state.colour
    state.passes += 1
    if state.passes == rules.num_players:
        end_in_stalemate(state, rules)
    else:
        begin_turn(state, rules, next_seat(state, rules, state.actor))


# The transition -------------------------------------------------------------------------------------------------------


@lean
def decline(state, rules):
    """``pass``, which means something else in every phase."""
    actor = np.int64(state.actor)
    phase = state.phase
    if phase == PLAY_PHASE:
        pass_in_turn(state, rules)
    elif phase == DRAWN_PHASE:
        state.drawn = -1
        begin_turn(state, rules, next_seat(state, rules, actor))
    elif phase == JUMP_PHASE:
        if actor == state.turn:
            move_hands(state, rules)
        else:
            ask_jump_in(state, rules, actor)
    elif phase == SWAP_PHASE:
        open_catch(state, rules)
    elif phase == CATCH_PHASE:
        following = next_seat(state, rules, actor)
        if following == state.offender:
            next_offender(state, rules)
        else:
            state.actor = following
    else:  # CHALLENGE: an outsider's
        ask_outsider(state, rules, actor)


@lean
def apply(state, rules, action):
    """Carry out a legal action of the actor. An illegal one is the caller's mistake (see `uno_env.engine.step`)."""
    actor = np.int64(state.actor)
    state.num_log = 0
    if action == UNO and state.phase != CATCH_PHASE:
        state.declared[actor] = 1
        return
    if action < PLAY_WILD:
        place(state, rules, actor, action, -1)
    elif action < DRAW:
        wild = action - PLAY_WILD
        place(state, rules, actor, NUM_COLOURED + (wild >> 2), wild & 3)
    elif action == DRAW:
        draw_in_turn(state, rules)
    elif action == PASS:
        decline(state, rules)
    elif action == ACCEPT:
        if state.phase == CHALLENGE_PHASE:
            ask_outsider(state, rules, actor)
        else:
            take_total(state, rules, actor)
    elif action == CHALLENGE:
        challenge(state, rules, actor)
    elif action == UNO:  # a receiver's call
        state.declared[actor] = 1
        next_offender(state, rules)
    elif action == CATCH:
        draw(state, rules, np.int64(state.offender), rules.uno_penalty)
        next_offender(state, rules)
    elif action < SWAP:
        state.colour = action - NAME_COLOUR
        begin_turn(state, rules, actor)
    else:
        other = actor
        for _ in range(action - SWAP + 1):
            other = next_seat(state, rules, other)
        swap_hands(state, rules, other)
        open_catch(state, rules)

    if rules.uno_call == DECLARE:  # a call lasts only on a hand of one card (ruling 41)
        for seat in range(rules.num_players):
            if state.hand_size[seat] != 1:
                state.declared[seat] = 0
    if state.phase == OVER_PHASE:
        state.actor = actor
        state.turn = actor
