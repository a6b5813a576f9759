"""A table of characters, for all eyes or as one seat lawfully sees it."""

from __future__ import annotations

from collections.abc import Sequence

from uno_env.cards import COLOUR_LETTERS, COLOURS, KIND_NAMES, KIND_OF_TEXT, KIND_TEXTS
from uno_env.game import Event, Game
from uno_env.notation import rules_text
from uno_env.state import Phase

EVENTS = 6
"""How many events a table tells of."""

_ASKED = {
    Phase.COLOUR: "names the colour of the Wild that was turned up",
    Phase.PLAY: "plays a card or draws",
    Phase.DRAWN: "plays the card just drawn, or keeps it",
    Phase.JUMP: "may jump in",
    Phase.SWAP: "chooses whom to swap hands with",
    Phase.CATCH: "may speak up: a player holds one card without having called Uno",
    Phase.CHALLENGE: "may challenge the Wild Draw Four",
    Phase.STACK: "answers with a draw card, or draws",
}
_PASSES = {
    Phase.DRAWN: "keeps the drawn card",
    Phase.JUMP: "does not jump in",
    Phase.SWAP: "swaps with nobody",
    Phase.CATCH: "says nothing",
    Phase.CHALLENGE: "does not challenge",
}
_UNSEEN = {"pass": (Phase.DRAWN, Phase.JUMP, Phase.CATCH), "uno": (Phase.JUMP,)}
"""What tells the others that a player was asked there, which they cannot know."""


def card_name(text: str) -> str:
    """The name of a card for people: ``red 5`` for ``r5``."""
    return KIND_NAMES[KIND_OF_TEXT[text]]


def _did(event: Event, names: Sequence[str]) -> str:
    """What the player did, as a sentence's end."""
    action = event.action
    if action in KIND_OF_TEXT:
        return f"{'jumps in with' if event.phase is Phase.JUMP else 'plays'} {card_name(action)}"
    head, _, tail = action.partition(":")
    if head == "swap":
        return f"swaps hands with {names[int(tail)]}"
    if tail:
        colour = COLOURS[COLOUR_LETTERS.index(tail)]
        return f"names {colour}" if head == "colour" else f"plays {card_name(head)} and names {colour}"
    if action == "pass":
        return _PASSES.get(event.phase, "passes")
    if action == "challenge":
        return f"challenges: {'a bluff' if event.verdict == 'guilty' else 'no bluff'}"
    if action == "uno":
        return "calls Uno"
    if action == "catch":
        return "catches the missing call"
    return "accepts" if action == "accept" else "draws"


def event_line(event: Event, names: Sequence[str], viewpoint: int | None = None) -> str | None:
    """An event as a sentence; None for what ``viewpoint`` cannot notice. Cards that others drew are only counted there."""
    if viewpoint is not None and event.seat != viewpoint and event.phase in _UNSEEN.get(event.action, ()):
        return None
    parts = [f"{names[event.seat]} {_did(event, names)}"]
    for seat, drawn in event.drawn:
        cards = f"{len(drawn)} card{'s' if len(drawn) > 1 else ''}"
        if viewpoint is None or seat == viewpoint:
            cards = f"{cards} ({' '.join(drawn)})"
        if event.action == "draw":
            parts[0] += f" {cards}"
        else:
            parts.append(f"{names[seat]} draws {cards}")
    if event.points is not None:
        points = [f"{names[seat]} {points:+d}" for seat, points in enumerate(event.points) if points]
        parts.append(f"the round is over{': ' + ', '.join(points) if points else ''}")
    return "; ".join(parts)


def table(game: Game, viewpoint: int | None = None, names: Sequence[str] | None = None, num_events: int = EVENTS) -> str:
    """The table as text.

    Args:
        game: the game; its history gives the events.
        viewpoint: the seat through whose eyes the table is seen; None shows all cards.
        names: of the players by seat, ``player_0`` and so on if not given.
        num_events: how many of the last events are told.
    """
    names = names or [f"player_{seat}" for seat in range(game.num_players)]
    lines = [*_header(game, names), "", *_players(game, viewpoint, names)]
    told = [line for event in game.history if (line := event_line(event, names, viewpoint)) is not None]
    if told and num_events > 0:
        lines += ["", "What happened last:", *(f"  {line}" for line in told[-num_events:])]
    return "\n".join([*lines, "", *_footer(game, viewpoint, names)])


def _header(game: Game, names: Sequence[str]) -> list[str]:
    state = game.state
    rules = rules_text(game.rules)
    order = range(game.num_players) if state.direction == 1 else range(game.num_players - 1, -1, -1)
    top = state.discard_pile[-1:]
    return [
        f"Uno, {rules if isinstance(rules, str) else 'own'} rules, {game.num_players} players; "
        f"round {state.round}, turn {state.turns}",
        f"Direction    {'clockwise' if state.direction == 1 else 'counter-clockwise'}: "
        f"{' > '.join(names[seat] for seat in order)} > ...",
        f"Top card     {f'{KIND_NAMES[top[0]]} ({KIND_TEXTS[top[0]]})' if top else 'none'}",
        f"Colour       {COLOURS[state.colour] if state.colour >= 0 else 'none yet'}",
        f"Piles        {state.draw_size} to draw, {state.discard_size} discarded",
        f"Pending draw {state.pending or 'none'}",
    ]


def _players(game: Game, viewpoint: int | None, names: Sequence[str]) -> list[str]:
    state, rules = game.state, game.rules
    sizes, declared = state.row("hand_size"), state.row("declared")
    known = {entry["holder"]: entry["cards"] for entry in game.position()["known"] if entry["seat"] == viewpoint}
    rows = [("", "player", "cards", "score", *(["team"] if rules.teams else []), "Uno", "hand")]
    for seat in range(game.num_players):
        if viewpoint is None or seat == viewpoint:
            hand = " ".join(game.hand(seat))
        else:
            hand = " ".join([*known.get(seat, []), *["?"] * (int(sizes[seat]) - len(known.get(seat, [])))])
        if declared[seat] and (viewpoint in (None, seat) or sizes[seat] == 1):  # as in an observation
            uno = "called"
        else:
            uno = "missed" if seat == state.offender else ""
        rows.append(
            (
                ">" if seat == state.turn and not game.over else "",
                names[seat] + (" (dealer)" if seat == state.dealer else ""),
                str(sizes[seat]),
                str(game.scores[seat]),
                *([str(rules.team_of(seat))] if rules.teams else []),
                uno,
                hand,
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    numbers = ("cards", "score", "team")
    return [
        "  ".join(
            cell.rjust(width) if title in numbers else cell.ljust(width)
            for cell, width, title in zip(row, widths, rows[0], strict=True)
        ).rstrip()
        for row in rows
    ]


def _footer(game: Game, viewpoint: int | None, names: Sequence[str]) -> list[str]:
    outcome = game.outcome
    if outcome is not None:
        winners = " and ".join(names[seat] for seat in outcome.winners) or "nobody"
        lines = [f"The round is over ({outcome.termination}), won by {winners}."]
        if game.rules.target is not None and game.match_winners is not None:
            lines.append(f"The match is over, won by {' and '.join(names[seat] for seat in game.match_winners)}.")
        return lines
    turn = f"It is the turn of {names[game.state.turn]}."
    if viewpoint is not None and viewpoint != game.actor:
        return [turn]  # which decision another seat is asked for is not for this one to know
    return [
        f"{turn} {names[game.actor]} {_ASKED[game.phase]} ({game.phase.name}).",
        f"Legal: {', '.join(game.legal_texts())}",
    ]
