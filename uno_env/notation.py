"""Text for actions and positions, both ways (``docs/notation.md``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from uno_env import cards
from uno_env.cards import COLOUR_LETTERS, KIND_TEXTS, NUM_COLOURS, NUM_KINDS
from uno_env.engine import known_holder, known_kind, known_observers, known_word
from uno_env.rules import PRESETS, Rules
from uno_env.state import (
    ACCEPT,
    CATCH,
    CHALLENGE,
    DRAW,
    MAX_DECK,
    NAME_COLOUR,
    NUM_ACTIONS,
    PASS,
    PLAY_WILD,
    SWAP,
    UNO,
    Phase,
    State,
    Termination,
    new_states,
)


class IllegalAction(ValueError):
    """An action that the rules do not allow now; the message names it, the phase and what is legal."""


class PositionError(ValueError):
    """A position that no game can be in; the message names the key."""


_PLAIN = {DRAW: "draw", PASS: "pass", ACCEPT: "accept", CHALLENGE: "challenge", UNO: "uno", CATCH: "catch"}


def _fixed_texts() -> dict[int, str]:
    texts = {kind: KIND_TEXTS[kind] for kind in range(PLAY_WILD)}
    for wild in range(cards.NUM_WILDS):
        for colour in range(NUM_COLOURS):
            texts[PLAY_WILD + wild * NUM_COLOURS + colour] = f"{cards.WILD_TEXTS[wild]}:{COLOUR_LETTERS[colour]}"
    texts |= _PLAIN
    texts |= {NAME_COLOUR + colour: f"colour:{COLOUR_LETTERS[colour]}" for colour in range(NUM_COLOURS)}
    return texts


#: Text of every action but the swaps, whose text names a seat.
ACTION_TEXTS = _fixed_texts()
_ACTION_OF_TEXT = {text: action for action, text in ACTION_TEXTS.items()}


def action_text(action: int, seat: int, num_players: int, direction: int) -> str:
    """The text of an action of ``seat``; ``ValueError`` for a number that is no action."""
    if action in ACTION_TEXTS:
        return ACTION_TEXTS[action]
    if SWAP <= action < NUM_ACTIONS:
        return f"swap:{(seat + direction * (action - SWAP + 1)) % num_players}"
    raise ValueError(f"unknown action {action!r}: actions are 0 to {NUM_ACTIONS - 1}")


def action_id(text: str, seat: int, num_players: int, direction: int) -> int:
    """The action that a text names when ``seat`` says it; ``ValueError`` for a text that names none."""
    if text in _ACTION_OF_TEXT:
        return _ACTION_OF_TEXT[text]
    if isinstance(text, str) and text.startswith("swap:") and text[5:].isdecimal():
        other = int(text[5:])
        if other < num_players and other != seat:
            return SWAP + (direction * (other - seat)) % num_players - 1
        raise ValueError(f"unknown action {text!r}: swap:SEAT names another seat, 0 to {num_players - 1}")
    raise ValueError(
        f"unknown action {text!r}: actions are cards (r5, yS, gR, bD), wilds with a colour (W:r, W4:b), "
        "draw, pass, accept, challenge, uno, catch, colour:r, swap:SEAT"
    )


# Positions ------------------------------------------------------------------------------------------------------------

KEYS = (
    *("rules", "num_players", "hands", "draw_pile", "discard_pile", "colour", "direction", "dealer", "turn", "actor", "phase"),
    *("drawn", "pending_draw", "declared", "scores", "round", "turns", "passes", "drew_on", "guilty", "colour_before"),
    *("size_before", "owing", "received", "offender", "known", "outcome"),
)
"""The keys of a position, in the order in which they are written."""


_CHANGED_BY_PRESET = {
    name: {key: value for key, value in Rules.preset(name).to_dict().items() if key != "num_players"} for name in PRESETS
}


def rules_text(rules: Rules) -> str | dict[str, Any]:
    """Rules as a position names them: a preset's name if one fits (the player count stands apart), else the changed fields."""
    changed = {name: value for name, value in rules.to_dict().items() if name != "num_players"}
    return next((name for name, fields in _CHANGED_BY_PRESET.items() if fields == changed), changed)


def _letter(colour: int) -> str | None:
    return COLOUR_LETTERS[colour] if colour >= 0 else None


def _bits(mask: int) -> list[int]:
    return [seat for seat in range(mask.bit_length()) if mask >> seat & 1]


def known_of(states: np.ndarray, index: int) -> list[dict[str, Any]]:
    """What seats know of other hands, as the position's key ``known``."""
    found: dict[tuple[int, int], list[int]] = {}
    for word in states["known"][index][: states["num_known"][index]]:
        for seat in _bits(int(known_observers(word))):
            found.setdefault((seat, int(known_holder(word))), []).append(int(known_kind(word)))
    return [
        {"seat": seat, "holder": holder, "cards": [KIND_TEXTS[kind] for kind in sorted(kinds)]}
        for (seat, holder), kinds in sorted(found.items())
    ]


def position_of(states: np.ndarray, index: int, rules: Rules) -> dict[str, Any]:
    """The complete position of a game."""
    state = State(states, index)
    n = rules.num_players
    over = state.phase == Phase.OVER
    outcome = None
    if over:
        outcome = {
            "winners": _bits(state.winners),
            "points": state.row("points")[:n].tolist(),
            "termination": Termination(state.termination).name.lower(),
        }
    return {
        "rules": rules_text(rules),
        "num_players": n,
        "hands": [cards.texts_of(hand[:NUM_KINDS]) for hand in state.row("hands")[:n]],
        "draw_pile": [KIND_TEXTS[kind] for kind in state.draw_pile],
        "discard_pile": [KIND_TEXTS[kind] for kind in state.discard_pile],
        "colour": _letter(state.colour),
        "direction": state.direction,
        "dealer": state.dealer,
        "turn": state.turn,
        "actor": state.actor,
        "phase": Phase(state.phase).name,
        "drawn": KIND_TEXTS[state.drawn] if state.drawn >= 0 else None,
        "pending_draw": state.pending,
        "declared": [bool(flag) for flag in state.row("declared")[:n]],
        "scores": state.row("scores")[:n].tolist(),
        "round": state.round,
        "turns": state.turns,
        "passes": state.passes,
        "drew_on": [_letter(int(colour)) for colour in state.row("drew_on")[:n]],
        "guilty": None if state.guilty < 0 else bool(state.guilty),
        "colour_before": _letter(state.colour_before),
        "size_before": state.size_before,
        "owing": _bits(state.owing),
        "received": _bits(state.received),
        "offender": state.offender if state.offender >= 0 else None,
        "known": known_of(states, index),
        "outcome": outcome,
    }


class _Reader:
    """Reads the keys of a position, each with its plain value, and refuses what no game can hold."""

    def __init__(self, position: Mapping[str, Any]) -> None:
        if not isinstance(position, Mapping):
            raise PositionError(f"a position is a mapping of keys, not {type(position).__name__}")
        for key in position:
            if key not in KEYS:
                raise PositionError(f"unknown key {key!r}: a position has the keys {', '.join(KEYS)}")
        if "hands" not in position:
            raise PositionError("hands: missing; a position needs the cards of every seat")
        self.position = position
        self.rules = self._rules()
        self.n = self.rules.num_players
        self.hands = [self.cards("hands", hand) for hand in self.seats("hands", position["hands"])]
        self.draw_pile = self.cards("draw_pile", position.get("draw_pile", []))
        self.discard_pile = self.cards("discard_pile", position.get("discard_pile", []))
        self.top = self.discard_pile[-1] if self.discard_pile else -1

    def fail(self, key: str, why: str) -> PositionError:
        return PositionError(f"{key}: {why}")

    def _rules(self) -> Rules:
        given, hands = self.position.get("rules", "official"), self.position["hands"]
        if not isinstance(hands, (list, tuple)):
            raise self.fail("hands", f"expected a list of hands, got {hands!r}")
        n = self.position.get("num_players")
        if n is None and not (isinstance(given, Mapping) and "num_players" in given):
            n = len(hands)
        try:
            rules = Rules.of(given, n)
        except ValueError as error:
            raise self.fail("num_players" if str(error).startswith("num_players=") else "rules", str(error)) from None
        if len(hands) != rules.num_players:
            raise self.fail("hands", f"{len(hands)} hands for {rules.num_players} players")
        return rules

    def cards(self, key: str, texts: Any) -> list[int]:
        if not isinstance(texts, (list, tuple)):
            raise self.fail(key, f"expected a list of cards, got {texts!r}")
        try:
            return [cards.kind_of(text) for text in texts]
        except ValueError as error:
            raise self.fail(key, str(error)) from None

    def seats(self, key: str, values: Any) -> list[Any]:
        if not isinstance(values, (list, tuple)) or len(values) != self.n:
            raise self.fail(key, f"expected a list with one entry for each of {self.n} players, got {values!r}")
        return list(values)

    def get(self, key: str, plain: Any) -> Any:
        return self.position.get(key, plain)

    def entries(self, key: str) -> Any:
        values = self.get(key, [])
        if not isinstance(values, (list, tuple)):
            raise self.fail(key, f"expected a list, got {values!r}")
        return values

    def integer(self, key: str, plain: int, low: int, high: int) -> int:
        value = self.get(key, plain)
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
            raise self.fail(key, f"expected an integer from {low} to {high}, got {value!r}")
        return int(value)

    def colour(self, key: str, value: Any) -> int:
        if value is None:
            return -1
        if not isinstance(value, str) or len(value) != 1 or value not in COLOUR_LETTERS:
            raise self.fail(key, f"expected 'r', 'y', 'g', 'b' or null, got {value!r}")
        return COLOUR_LETTERS.index(value)

    def seat_mask(self, key: str) -> int:
        mask = 0
        for seat in self.entries(key):
            if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < self.n:
                raise self.fail(key, f"expected a list of seats from 0 to {self.n - 1}, got {self.get(key, [])!r}")
            if len(self.hands[seat]) != 1:
                raise self.fail(key, f"seat {seat} holds {len(self.hands[seat])} cards, only a hand of one owes a call")
            mask |= 1 << seat
        return mask


#: The phases in which a card has been placed and has not acted yet.
WINDOWS = (Phase.JUMP, Phase.SWAP, Phase.CATCH)


def states_from_position(position: Mapping[str, Any]) -> tuple[np.ndarray, Rules]:
    """One game's record from a position, with its rules; the generator is left at zero.

    Raises:
        PositionError: naming the key that is wrong.
    """
    read = _Reader(position)
    rules, n = read.rules, read.n
    states = new_states(1)
    state = states[0]

    phase_name = read.get("phase", "PLAY")
    if not isinstance(phase_name, str) or phase_name not in Phase.__members__:
        raise read.fail("phase", f"expected one of {', '.join(Phase.__members__)}, got {phase_name!r}")
    phase = Phase[phase_name]
    state.phase = phase
    _place_cards(read, states, phase)

    state.direction = read.integer("direction", 1, -1, 1)
    if state.direction == 0 or (n == 2 and state.direction != 1):
        raise read.fail("direction", f"expected 1{' with two players' if n == 2 else ' or -1'}, got {int(state.direction)}")
    state.dealer = read.integer("dealer", n - 1, 0, n - 1)
    state.offender = -1 if read.get("offender", None) is None else read.integer("offender", 0, 0, n - 1)
    _set_seats(read, state, phase)

    state.scores[:n] = [_score(read, value) for value in read.seats("scores", read.get("scores", [0] * n))]
    state.round = read.integer("round", 1, 1, 2**31 - 1)
    state.turns = read.integer("turns", 0 if phase == Phase.COLOUR else 1, 0, 2**31 - 1)
    state.passes = read.integer("passes", 0, 0, n - 1 if phase != Phase.OVER else n)
    state.drew_on[:] = -1
    state.drew_on[:n] = [read.colour("drew_on", value) for value in read.seats("drew_on", read.get("drew_on", [None] * n))]
    _set_colour(read, state, phase)
    _set_pending(read, state, phase)
    _set_drawn(read, state, phase)
    _set_guilt(read, state, phase)
    _set_calls(read, state, phase)
    _set_known(read, states)
    _set_outcome(read, state, phase)
    _check_window(read, state, phase)
    return states, rules


def _place_cards(read: _Reader, states: np.ndarray, phase: Phase) -> None:
    state, deck = states[0], read.rules.deck_counts
    total = np.zeros(NUM_KINDS, int)
    for kind in [*read.draw_pile, *read.discard_pile, *(kind for hand in read.hands for kind in hand)]:
        total[kind] += 1
    for kind in np.flatnonzero(total > deck):
        raise read.fail("hands", f"{total[kind]} copies of {KIND_TEXTS[kind]} in hands and piles, the deck has {deck[kind]}")
    for seat, hand in enumerate(read.hands):
        if not hand and phase != Phase.OVER:
            raise read.fail("hands", f"seat {seat} has an empty hand, but the round is not over")
        for kind in hand:
            state.hands[seat, kind] += 1
        state.hand_size[seat] = len(hand)
    state.draw_size = len(read.draw_pile)
    state.pile[: len(read.draw_pile)] = read.draw_pile[::-1]
    state.discard_size = len(read.discard_pile)
    for depth, kind in enumerate(read.discard_pile):
        state.pile[MAX_DECK - 1 - depth] = kind
        state.discarded[kind] += 1
    state.symbol = cards.KIND_SYMBOL[read.top] if read.top >= 0 else -1


def _set_seats(read: _Reader, state: Any, phase: Phase) -> None:
    n, direction = read.n, int(state.direction)
    own = phase in (Phase.PLAY, Phase.DRAWN, Phase.STACK, Phase.COLOUR, Phase.SWAP)
    turn_plain = read.integer("actor", 0, 0, n - 1) if own and read.get("actor", None) is not None else 0
    state.turn = read.integer("turn", turn_plain, 0, n - 1)
    actor_plain = int(state.turn)
    if phase == Phase.CHALLENGE:
        actor_plain = (actor_plain + direction) % n
    elif phase == Phase.CATCH and state.offender >= 0:
        actor_plain = (int(state.offender) + direction) % n
    state.actor = read.integer("actor", actor_plain, 0, n - 1)
    if own and state.actor != state.turn:
        raise read.fail("actor", f"in {phase.name} the seat whose turn it is decides: {int(state.turn)}, not {int(state.actor)}")
    if phase == Phase.CHALLENGE:
        if state.actor == state.turn:
            raise read.fail("actor", f"seat {int(state.actor)} played the Wild Draw Four and can not challenge it")
        if read.rules.challenger == "victim" and state.actor != (state.turn + direction) % n:
            raise read.fail("actor", f"only the next seat, {(int(state.turn) + direction) % n}, may challenge")


def _score(read: _Reader, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 <= value < 2**31:
        raise read.fail("scores", f"expected whole numbers of points, got {value!r}")
    return int(value)


def _set_colour(read: _Reader, state: Any, phase: Phase) -> None:
    top = read.top
    if top < 0:
        if read.rules.starter != "first_player" or phase != Phase.PLAY:
            raise read.fail("discard_pile", "empty; it may be so only before a first_player opening")
        plain = None
    else:
        plain = _letter(int(cards.KIND_COLOUR[top]))
    colour = state.colour = read.colour("colour", read.get("colour", plain))
    if top >= 0 and cards.KIND_COLOUR[top] >= 0 and colour != cards.KIND_COLOUR[top]:
        raise read.fail("colour", f"the top card is {KIND_TEXTS[top]}, so it is {plain!r}, not {_letter(colour)!r}")
    if phase == Phase.COLOUR:
        if top < cards.WILD or top == cards.WILD_DRAW_FOUR:
            raise read.fail("phase", "COLOUR names the colour of a starter wild, which must be on top")
        if colour >= 0:
            raise read.fail("colour", f"null until it is named in COLOUR, not {_letter(colour)!r}")
    elif top >= 0 and colour < 0:
        raise read.fail("colour", f"the top card is {KIND_TEXTS[top]}: say which colour was named")
    elif top < 0 <= colour:
        raise read.fail("colour", "null before the opening")


def _set_pending(read: _Reader, state: Any, phase: Phase) -> None:
    stacking = read.rules.stacking != "off"
    plain = 0
    if phase in (Phase.CHALLENGE, Phase.STACK):
        plain = 4 if read.top == cards.WILD_DRAW_FOUR else 2
    state.pending = read.integer("pending_draw", plain, 0, 4 * MAX_DECK)
    if phase in (Phase.CHALLENGE, Phase.STACK):
        if state.pending < plain:
            raise read.fail("pending_draw", f"at least {plain} in {phase.name}, not {int(state.pending)}")
    elif state.pending and not (stacking and phase in WINDOWS):
        raise read.fail("pending_draw", f"0 in {phase.name}{'' if stacking else ' without stacking'}, not {int(state.pending)}")


def _set_drawn(read: _Reader, state: Any, phase: Phase) -> None:
    drawn = read.get("drawn", None)
    state.drawn = -1
    if drawn is not None:
        state.drawn = read.cards("drawn", [drawn])[0]
    if (state.drawn >= 0) != (phase == Phase.DRAWN):
        raise read.fail("drawn", "a card in DRAWN, null in every other phase")
    if state.drawn >= 0 and state.hands[state.actor, state.drawn] == 0:
        raise read.fail("drawn", f"{drawn} is not in the hand of seat {int(state.actor)}")


def _set_guilt(read: _Reader, state: Any, phase: Phase) -> None:
    open_to_challenge = (
        read.top == cards.WILD_DRAW_FOUR and read.rules.wild_draw_four == "challenge" and phase in (*WINDOWS, Phase.CHALLENGE)
    )
    guilty = read.get("guilty", False if open_to_challenge else None)
    if guilty is not None and not isinstance(guilty, bool):
        raise read.fail("guilty", f"expected true, false or null, got {guilty!r}")
    if guilty is not None and not open_to_challenge:
        raise read.fail("guilty", "null unless a Wild Draw Four on top can be challenged")
    if guilty is None and phase == Phase.CHALLENGE:
        raise read.fail("guilty", "true or false in CHALLENGE, with a Wild Draw Four on top under wild_draw_four='challenge'")
    state.guilty = -1 if guilty is None else int(guilty)
    before = read.get("colour_before", _letter(int(state.colour)) if guilty is not None else None)
    state.colour_before = read.colour("colour_before", before)
    if (state.colour_before >= 0) != (guilty is not None):
        raise read.fail("colour_before", "a colour while a Wild Draw Four can be challenged, else null")
    held = int(state.hand_size[state.turn])
    state.size_before = read.integer("size_before", held, 0, MAX_DECK)


def _set_calls(read: _Reader, state: Any, phase: Phase) -> None:
    n, auto = read.n, read.rules.uno_call == "auto"
    for seat, flag in enumerate(read.seats("declared", read.get("declared", [False] * n))):
        if not isinstance(flag, (bool, np.bool_)):
            raise read.fail("declared", f"expected true or false for each seat, got {flag!r}")
        size = len(read.hands[seat])
        if flag and (auto or size not in (1, 2) or (size == 2 and seat != state.actor)):
            why = "calls are automatic" if auto else f"seat {seat} holds {size} cards"
            raise read.fail("declared", f"true, but {why}")
        state.declared[seat] = flag
    state.owing, state.received = read.seat_mask("owing"), read.seat_mask("received")
    if (state.owing or state.received or state.offender >= 0) and auto:
        raise read.fail("owing", "calls are automatic, nobody owes one")
    if state.owing and phase not in WINDOWS:
        raise read.fail("owing", f"empty in {phase.name}")
    if state.received and phase != Phase.CATCH:
        raise read.fail("received", f"empty in {phase.name}")
    if (state.offender >= 0) != (phase == Phase.CATCH):
        raise read.fail("offender", "a seat in CATCH, null in every other phase")
    if state.offender >= 0 and state.hand_size[state.offender] != 1:
        raise read.fail("offender", f"seat {int(state.offender)} does not hold a single card")


def _set_known(read: _Reader, states: np.ndarray) -> None:
    state, words = states[0], {}
    for entry in read.entries("known"):
        if not isinstance(entry, Mapping) or set(entry) != {"seat", "holder", "cards"}:
            raise read.fail("known", f"expected entries with seat, holder and cards, got {entry!r}")
        seat, holder = entry["seat"], entry["holder"]
        if seat not in range(read.n) or holder not in range(read.n) or seat == holder:
            raise read.fail("known", f"seat and holder are two seats from 0 to {read.n - 1}, got {entry!r}")
        copies = np.zeros(NUM_KINDS, int)
        for kind in read.cards("known", entry["cards"]):
            if copies[kind] == state.hands[holder, kind]:
                raise read.fail("known", f"seat {holder} does not hold {copies[kind] + 1} of {KIND_TEXTS[kind]}")
            key = (int(holder), kind, int(copies[kind]))
            words[key] = words.get(key, 0) | 1 << seat
            copies[kind] += 1
    for i, ((holder, kind, _), observers) in enumerate(sorted(words.items())):
        state.known[i] = known_word(observers, holder, kind)
    state.num_known = len(words)


def _set_outcome(read: _Reader, state: Any, phase: Phase) -> None:
    outcome = read.get("outcome", None)
    if (outcome is not None) != (phase == Phase.OVER):
        raise read.fail("outcome", "winners, points and termination in OVER, null in every other phase")
    if outcome is None:
        return
    names = [t.name.lower() for t in Termination if t]
    if not isinstance(outcome, Mapping) or set(outcome) != {"winners", "points", "termination"}:
        raise read.fail("outcome", f"expected winners, points and termination, got {outcome!r}")
    if outcome["termination"] not in names:
        raise read.fail("outcome", f"termination is one of {', '.join(names)}, not {outcome['termination']!r}")
    state.termination = Termination[outcome["termination"].upper()]
    winners = outcome["winners"]
    if not isinstance(winners, (list, tuple)) or any(seat not in range(read.n) for seat in winners):
        raise read.fail("outcome", f"winners are a list of seats from 0 to {read.n - 1}, got {winners!r}")
    for seat in winners:
        state.winners |= 1 << seat
    state.points[: read.n] = [_score(read, value) for value in read.seats("outcome", outcome["points"])]


def _check_window(read: _Reader, state: Any, phase: Phase) -> None:
    """The card on top must be one that leads to the phase."""
    rules, symbol = read.rules, int(state.symbol)
    if phase == Phase.JUMP and (not rules.jump_in or read.top >= cards.NUM_COLOURED):
        raise read.fail("phase", "JUMP needs jump_in=True and a coloured card on top")
    if phase == Phase.SWAP:
        seven = symbol == 7 and rules.seven_zero in ("both", "seven")
        if not (seven or read.top == cards.WILD_SWAP):
            raise read.fail("phase", "SWAP needs a Wild Swap Hands, or a 7 under seven_zero, on top")
    if phase == Phase.STACK and (rules.stacking == "off" or symbol not in (cards.DRAW_TWO, cards.NUM_SYMBOLS + 1)):
        raise read.fail("phase", "STACK needs stacking and a draw card on top")
