"""Why an action is not legal now, in words for the seat that wanted it; nothing is said that this seat cannot know."""

from __future__ import annotations

from collections.abc import Sequence

from uno_env.cards import COLOUR_LETTERS, COLOURS, KIND_NAMES, KIND_OF_TEXT
from uno_env.game import Game
from uno_env.render.text import card_name
from uno_env.render.words import cards, decision
from uno_env.state import Phase


def why_not(game: Game, names: Sequence[str], action: str) -> str:
    """The reason, without a full stop, why ``action`` (a text) of the seat that decides is not legal; `ValueError` if it is."""
    if game.over:
        return "the round is over"
    if action in game.legal_texts():
        raise ValueError(f"{action!r} is legal")
    head, _, _ = action.partition(":")
    if head in KIND_OF_TEXT:
        return _card(game, names, head)
    reasons = {"draw": _draw, "pass": _pass, "uno": _uno, "challenge": _challenge}
    if head in reasons:
        return reasons[head](game)
    return {
        "accept": "you need not draw cards now",
        "catch": "there is nobody whom you can catch now",
        "colour": "a colour is named by itself only for a Wild that was turned up; name it with a wild, as in W:r",
        "swap": "hands are swapped with that player neither now nor by request",
    }[head]


def _card(game: Game, names: Sequence[str], card: str) -> str:
    state, phase, name = game.state, game.phase, card_name(card)
    top = KIND_NAMES[state.discard_pile[-1]] if state.discard_size else None
    if card not in game.hand(game.actor):
        return f"you do not hold {name}"
    if phase is Phase.DRAWN:
        return f"after a draw only the drawn card, {KIND_NAMES[state.drawn]}, may be played"
    if phase is Phase.JUMP:
        return f"out of turn only the card identical to the one on top, {top}, may be played"
    if phase in (Phase.CHALLENGE, Phase.STACK):
        return f"{cards(state.pending)} are due: only a draw card that answers {top} may be played"
    if phase is not Phase.PLAY:
        return f"no card is played now. {decision(game, game.actor, names)}".removesuffix(".")
    if top is None:
        return "the first player opens with any card but a Wild Draw Four"
    colour = COLOURS[state.colour]
    if card == "W4":
        return f"a Wild Draw Four may be played only by who holds no card of the colour in force, and you hold {colour}"
    return f"{name} does not fit: {colour} is in force, and the top card is {top}"


def _draw(game: Game) -> str:
    if game.phase is Phase.DRAWN:
        return "you have drawn already"
    if game.phase is not Phase.PLAY:
        return "no card is drawn now"
    if not game.state.discard_size:
        return "the first player opens with a card"
    if "pass" in game.legal_texts() or not game.state.draw_size:
        return "no card is left to draw"
    return "who can play must play, by the rules in force"


def _pass(game: Game) -> str:
    if game.phase is Phase.PLAY:
        return "nobody may pass without drawing" if "draw" in game.legal_texts() else "you can play and must"
    if game.phase is Phase.DRAWN:
        return "a drawn card that can be played must be played, by the rules in force"
    return "you must decide"


def _uno(game: Game) -> str:
    seat = game.actor
    held = int(game.state.row("hand_size")[seat])
    if game.rules.uno_call == "auto":
        return "Uno is called by itself, by the rules in force"
    if game.state.row("declared")[seat]:
        return "you have called Uno already"
    if held != 2:
        return f"Uno is called while holding two cards, before the play that leaves one; you hold {held}"
    return "Uno is called before the play that leaves one card, and you can play none now"


def _challenge(game: Game) -> str:
    if game.rules.wild_draw_four != "challenge":
        return "no Wild Draw Four can be challenged, by the rules in force"
    return "there is no Wild Draw Four that you can challenge now"


def card_or_action(action: str) -> str:
    """An action for people: ``red 5 (r5)``, ``Wild and red (W:r)``, ``draw``."""
    head, _, tail = action.partition(":")
    if head not in KIND_OF_TEXT:
        return action
    named = f" and {COLOURS[COLOUR_LETTERS.index(tail)]}" if tail else ""
    return f"{card_name(head)}{named} ({action})"
