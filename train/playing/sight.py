"""What a seat may see of a table, in plain data and in words.

Cards come from the seat's own observation (`uno_env.observe`), which holds nothing that it cannot know; the rest is public. Nothing
here tells others that a seat was asked to jump in, or whether it could have played the card it drew.
"""

from __future__ import annotations

from typing import Any

from train.playing.table import Note, Table
from uno_env.cards import COLOUR_LETTERS, KIND_TEXTS, texts_of
from uno_env.game import Game
from uno_env.notation import rules_text
from uno_env.observe import LAYOUT
from uno_env.render import words
from uno_env.render.text import event_line
from uno_env.render.words import in_second_person
from uno_env.state import Phase

EVENTS = 60
"""How many lines of the log a view carries."""
DISCARDS = 4
"""How many discards it shows, the top card last."""


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


def action_label(table: Table, seat: int, action: str) -> str:
    """What an action of ``seat``, which decides now, does, in words."""
    return words.action_label(table.game, seat, names_for(table, seat), action)


def prompt(table: Table, seat: int) -> str:
    """What is asked of ``seat``, or whom it waits for."""
    game = table.game
    state, names = game.state, names_for(table, seat)
    if table.stopped:
        return "The match was stopped."
    if game.over:
        return words.ending(game, seat, names)
    if not table.asks(seat):
        if state.colour_before >= 0 and game.phase is Phase.CHALLENGE:
            return f"{names[game.actor]} decides whether to challenge the Wild Draw Four."
        return "Wait for the others." if state.turn == seat else f"It is the turn of {names[state.turn]}."
    return words.decision(game, seat, names)


def view(table: Table, seat: int) -> dict[str, Any]:
    """Everything that ``seat`` may see of the table, ready for JSON."""
    game = table.game
    state = game.state
    asked = table.asks(seat)
    hand, known = own_cards(game, seat)
    sizes, declared = state.row("hand_size"), state.row("declared")
    names = names_for(table, seat)
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
        {"action": text, "label": action_label(table, seat, text), "means": words.meaning(game, seat, names, text)}
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
