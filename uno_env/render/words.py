"""What a player is asked, and what each choice does, as sentences to that player, who is called You.

Nothing is said here that the seat cannot know; `names` are the players' names by seat, the reader's own being ``You``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from uno_env.cards import COLOUR_LETTERS, COLOURS, KIND_NAMES, KIND_OF_TEXT
from uno_env.game import Game
from uno_env.render.text import card_name
from uno_env.state import Phase

_VERBS = {"does": "do", "catches": "catch", "passes": "pass", "says": "say"}


def in_second_person(line: str) -> str:
    """A sentence about a player called You, with its verbs put right: "You plays red 5" -> "You play red 5"."""

    def verb(match: re.Match[str]) -> str:
        word = match[2]
        return f"{match[1]} {_VERBS.get(word, word.removesuffix('s'))}"

    line = re.sub(r"\b(You) ([a-z]+)", verb, line)
    if line.startswith("You "):
        line = line.replace(" and names ", " and name ")
    return line.replace(" with You", " with you").replace("; You ", "; you ")


def cards(count: int) -> str:
    """``1 card``, ``2 cards``."""
    return f"{count} card{'' if count == 1 else 's'}"


def action_label(game: Game, seat: int, names: Sequence[str], action: str) -> str:
    """What an action of ``seat``, which decides now, does, in words."""
    phase = game.phase
    if action in KIND_OF_TEXT:
        return f"{'Jump in with' if phase is Phase.JUMP else 'Play'} {card_name(action)}"
    head, _, tail = action.partition(":")
    if head == "swap":
        return f"Swap with {names[int(tail)]} ({cards(int(game.state.row('hand_size')[int(tail)]))})"
    if tail:
        colour = COLOURS[COLOUR_LETTERS.index(tail)]
        return f"Name {colour}" if head == "colour" else f"Play {card_name(head)} and name {colour}"
    if action == "pass":
        return {
            Phase.DRAWN: "Keep the card",
            Phase.JUMP: "Do not jump in",
            Phase.SWAP: "Swap with nobody",
            Phase.CATCH: "Say nothing",
            Phase.CHALLENGE: "Do not challenge",
        }.get(phase, "Pass")
    if action == "draw":
        return "Draw until a card fits" if game.rules.draw_until_playable else "Draw a card"
    if action == "catch":
        return f"Catch {names[game.state.offender]}"
    return {"accept": f"Draw {cards(game.state.pending)}", "challenge": "Challenge", "uno": "Call Uno"}[action]


def meaning(game: Game, seat: int, names: Sequence[str], action: str) -> str | None:
    """What a choice would mean, where its label does not say it: for a Wild Draw Four, a stack, a call."""
    rules, state, phase = game.rules, game.state, game.phase
    victim = (state.turn + state.direction) % game.num_players
    total = state.pending
    player = names[state.turn]
    if action == "accept":
        if phase is Phase.CHALLENGE and rules.challenger == "any" and game.num_players > 2:
            return "If nobody else challenges, you draw them and lose your turn."
        return "You lose your turn."
    if action == "challenge":
        colour = COLOURS[state.colour_before]
        shown = {"challenger": f"Either way you see {player}'s hand.", "all": f"Either way all see {player}'s hand.", "none": ""}
        right = f"If {player} held {colour} when playing it, {player} draws {cards(total)} and "
        if seat == victim:
            wrong = f"if not, you draw {cards(total + rules.failed_challenge_draw - 4)} and lose your turn."
            return f"{right}you play on; {wrong} {shown[rules.hand_shown_to]}".rstrip()
        wrong = f"if not, you draw 2 cards, and {names[victim]} draws {cards(total)}."
        return f"{right}{names[victim]} plays on; {wrong} {shown[rules.hand_shown_to]}".rstrip()
    if action == "pass" and phase is Phase.CATCH:
        offender = names[state.offender]
        return f"If nobody catches {offender}, nothing happens." if state.offender != seat else "The others may catch you."
    if action == "catch":
        return f"{names[state.offender]} draws {cards(rules.uno_penalty)}."
    return None


def decision(game: Game, seat: int, names: Sequence[str]) -> str:
    """What is asked of ``seat``, which decides now."""
    state, phase, legal = game.state, game.phase, game.legal_texts()
    if phase is Phase.COLOUR:
        return "The starter is a Wild: name the colour."
    if phase is Phase.PLAY:
        if legal == ["pass"]:
            return "You can neither play nor draw: pass."
        if legal == ["draw"]:
            return "Your turn: nothing fits, draw a card."
        if state.colour < 0:
            return "You open the round: play any card but a Wild Draw Four."
        return "Your turn: play a card or draw." if "draw" in legal else "Your turn: play a card."
    if phase is Phase.DRAWN:
        may = "play it or keep it" if "pass" in legal else "play it"
        return f"You drew {KIND_NAMES[state.drawn]}: {may}."
    if phase is Phase.JUMP:
        return f"You hold {KIND_NAMES[state.discard_pile[-1]]} too: jump in?"
    if phase is Phase.SWAP:
        return "Choose whom to swap hands with."
    if phase is Phase.CATCH:
        if state.offender == seat:
            return "You were given a single card: call Uno?"
        return f"{names[state.offender]} holds one card and has not called Uno."
    if phase is Phase.CHALLENGE:
        colour = COLOURS[state.colour_before]
        return f"{names[state.turn]} played Wild Draw Four while {colour} was in force. Is it a bluff?"
    return f"{cards(state.pending)} are due: answer with a draw card, or draw."


def ending(game: Game, seat: int, names: Sequence[str]) -> str:
    """How the round, which is over, and perhaps the match ended for ``seat``."""
    outcome = game.outcome
    assert outcome is not None
    who = outcome.winners
    if who:
        text = f"{' and '.join(names[k] for k in who)} {'win' if len(who) > 1 or seat in who else 'wins'} the round."
    else:
        told = {"stalemate": "Nobody can move: the round is void.", "truncated": "The round was cut off."}
        text = told.get(outcome.termination, "The round is void.")
    winners = game.match_winners
    if winners is not None and game.rules.target is not None:
        verb = "win" if len(winners) > 1 or seat in winners else "wins"
        text += f" {' and '.join(names[k] for k in winners)} {verb} the match."
    return text
