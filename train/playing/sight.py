"""What a seat may see of a table, in plain data and in words.

Cards come from the seat's own observation (`uno_env.observe`), which holds nothing that it cannot know; the rest is public. Nothing
here tells others that a seat was asked to jump in, or whether it could have played the card it drew.
"""

from __future__ import annotations

import re
from typing import Any

from train.playing.table import Note, Table
from uno_env.cards import COLOUR_LETTERS, COLOURS, KIND_NAMES, KIND_OF_TEXT, KIND_TEXTS, texts_of
from uno_env.game import Game
from uno_env.notation import rules_text
from uno_env.observe import LAYOUT
from uno_env.render.text import event_line
from uno_env.state import Phase

EVENTS = 60
"""How many lines of the log a view carries."""
DISCARDS = 4
"""How many discards it shows, the top card last."""

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


def card_name(text: str) -> str:
    """The name of a card for people."""
    return KIND_NAMES[KIND_OF_TEXT[text]]


def names_for(table: Table, seat: int) -> list[str]:
    """The players' names as ``seat`` calls them."""
    return ["You" if k == seat else player.name for k, player in enumerate(table.players)]


def lines(table: Table, seat: int) -> list[str]:
    """All that ``seat`` noticed since the match began, as sentences."""
    names = names_for(table, seat)
    told = []
    for entry in table.log:
        line = entry.text.format(*names) if isinstance(entry, Note) else event_line(entry, names, seat)
        if line is not None:
            told.append(in_second_person(line))
    return told


def own_cards(game: Game, seat: int) -> tuple[list[str], dict[int, list[str]]]:
    """The hand of ``seat``, and the cards it knows in other hands, by seat."""
    row = game.observe(seat)
    hand = texts_of(row[LAYOUT["hand"].slice])
    known = row[LAYOUT["known"].slice].reshape(LAYOUT["known"].shape)
    n, direction = game.num_players, game.state.direction
    return hand, {(seat + direction * k) % n: texts_of(known[k - 1]) for k in range(1, n)}


def _cards(count: int) -> str:
    return f"{count} card{'' if count == 1 else 's'}"


def action_label(table: Table, seat: int, action: str) -> str:
    """What an action of ``seat``, which decides now, does, in words."""
    game = table.game
    names, phase, pending = names_for(table, seat), game.phase, game.state.pending
    if action in KIND_OF_TEXT:
        return f"{'Jump in with' if phase is Phase.JUMP else 'Play'} {card_name(action)}"
    head, _, tail = action.partition(":")
    if head == "swap":
        return f"Swap with {names[int(tail)]} ({_cards(int(game.state.row('hand_size')[int(tail)]))})"
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
    return {"accept": f"Draw {_cards(pending)}", "challenge": "Challenge", "uno": "Call Uno"}[action]


def meaning(table: Table, seat: int, action: str) -> str | None:
    """What a choice would mean, where its label does not say it: for a Wild Draw Four, a stack, a call."""
    game, rules = table.game, table.rules
    state, phase = game.state, game.phase
    names = names_for(table, seat)
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
        right = f"If {player} held {colour} when playing it, {player} draws {_cards(total)} and "
        if seat == victim:
            wrong = f"if not, you draw {_cards(total + rules.failed_challenge_draw - 4)} and lose your turn."
            return f"{right}you play on; {wrong} {shown[rules.hand_shown_to]}".rstrip()
        wrong = f"if not, you draw 2 cards, and {names[victim]} draws {_cards(total)}."
        return f"{right}{names[victim]} plays on; {wrong} {shown[rules.hand_shown_to]}".rstrip()
    if action == "pass" and phase is Phase.CATCH:
        offender = names[state.offender]
        return f"If nobody catches {offender}, nothing happens." if state.offender != seat else "The others may catch you."
    if action == "catch":
        return f"{names[state.offender]} draws {_cards(rules.uno_penalty)}."
    return None


def prompt(table: Table, seat: int) -> str:
    """What is asked of ``seat``, or whom it waits for."""
    game = table.game
    state, names = game.state, names_for(table, seat)
    if game.over or table.stopped:
        return _ending(table, seat)
    if not table.asks(seat):
        if state.colour_before >= 0 and game.phase is Phase.CHALLENGE:
            return f"{names[game.actor]} decides whether to challenge the Wild Draw Four."
        return "Wait for the others." if state.turn == seat else f"It is the turn of {names[state.turn]}."
    legal = game.legal_texts()
    phase = game.phase
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
    return f"{_cards(state.pending)} are due: answer with a draw card, or draw."


def _ending(table: Table, seat: int) -> str:
    game, names = table.game, names_for(table, seat)
    if table.stopped:
        return "The match was stopped."
    winners, target = game.match_winners, table.rules.target
    outcome = game.outcome
    assert outcome is not None
    who = outcome.winners
    if not who:
        text = {"stalemate": "Nobody can move: the round is void.", "truncated": "The round was cut off."}.get(
            outcome.termination, "The round is void."
        )
    else:
        text = f"{' and '.join(names[k] for k in who)} {'win' if len(who) > 1 or seat in who else 'wins'} the round."
    if winners is not None and target is not None:
        verb = "win" if len(winners) > 1 or seat in winners else "wins"
        text += f" {' and '.join(names[k] for k in winners)} {verb} the match."
    return text


def view(table: Table, seat: int) -> dict[str, Any]:
    """Everything that ``seat`` may see of the table, ready for JSON."""
    game = table.game
    state = game.state
    asked = table.asks(seat)
    hand, known = own_cards(game, seat)
    sizes, declared = state.row("hand_size"), state.row("declared")
    told = lines(table, seat)
    outcome = game.outcome
    players = [
        {
            "seat": k,
            "size": int(sizes[k]),
            "known": known.get(k, []),
            # A call with two cards in hand could betray who is asked to jump in (as in the observation).
            "declared": bool(declared[k]) and (k == seat or int(sizes[k]) == 1),
            "catchable": state.offender == k,
            "score": game.scores[k],
        }
        for k in range(game.num_players)
    ]
    actions = [
        {"action": text, "label": action_label(table, seat, text), "means": meaning(table, seat, text)}
        for text in (game.legal_texts() if asked else ())
    ]
    return {
        "seat": seat,
        "hand": hand,
        "players": players,
        "discards": [KIND_TEXTS[kind] for kind in state.discard_pile[-DISCARDS:]],
        "num_discards": state.discard_size,
        "draw_pile": state.draw_size,
        "colour": COLOUR_LETTERS[state.colour] if state.colour >= 0 else None,
        "direction": state.direction,
        "turn": None if game.over else state.turn,
        "dealer": state.dealer,
        "round": state.round,
        "pending": state.pending,
        "phase": game.phase.name if asked else None,
        "drawn": KIND_TEXTS[state.drawn] if asked and state.drawn >= 0 else None,
        "actions": actions,
        "prompt": prompt(table, seat),
        "log": told[-EVENTS:],
        "num_log": len(told),
        "outcome": None if outcome is None else {"winners": list(outcome.winners), "points": list(outcome.points)},
        "match_winners": None if table.game.match_winners is None else list(table.game.match_winners),
        "round_over": game.over,
        "match_over": table.match_over,
        "stopped": table.stopped,
        "can_undo": table.can_undo,
        "can_stop": table.can_stop,
    }


def _plain(value: object) -> str:
    return {"True": "yes", "False": "no", "None": "none"}.get(str(value), str(value).replace("_", " "))


def describe(table: Table, seat: int) -> dict[str, Any]:
    """What stays the same for a seat: who sits where, under what rules."""
    rules = rules_text(table.rules)
    changes = table.rules.to_dict()
    changes.pop("num_players", None)
    if isinstance(changes.get("deck"), dict):
        changes["deck"] = "own"
    return {
        "seat": seat,
        "names": names_for(table, seat),
        "specs": [player.spec if not player.human else "person" for player in table.players],
        "teams": [table.rules.team_of(k) for k in range(table.num_players)] if table.rules.teams else None,
        "rules": rules if isinstance(rules, str) else "own rules",
        "changes": [f"{name.replace('_', ' ')}: {_plain(value)}" for name, value in changes.items()],
        "target": table.rules.target,
        "calls": table.rules.uno_call == "declare",
        "practice": table.practice,
        "people": len(table.people),
    }
