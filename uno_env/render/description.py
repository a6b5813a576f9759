"""A decision in plain English, for agents that read: everything that a seat may know, and nothing else.

Cards come from the seat's own observation (`uno_env.observe`), the rest is public.
"""

from __future__ import annotations

from collections.abc import Sequence

from uno_env.cards import COLOURS, KIND_NAMES, KIND_TEXTS, texts_of
from uno_env.game import Event, Game
from uno_env.notation import rules_text
from uno_env.observe import LAYOUT
from uno_env.render import words
from uno_env.render.text import event_line

NEWS_LENGTH = 8000
"""Most characters that are spent on what happened; what is older is counted."""


def names_for(game: Game, seat: int) -> list[str]:
    """The players' names as ``seat`` reads them: You, player_0 and so on."""
    return ["You" if k == seat else f"player_{k}" for k in range(game.num_players)]


def describe(game: Game, seat: int, news: Sequence[Event] = (), *, first: bool = False) -> str:
    """What ``seat`` sees, as lines of text; where it decides, with the decision and its legal actions by their text.

    Args:
        game: the game as it stands.
        seat: who reads.
        news: what happened since the seat last decided, the events by its own action included.
        first: whether it has not decided before: ``news`` are then all that happened.
    """
    names = names_for(game, seat)
    rules = rules_text(game.rules)
    title = f"Uno, {rules if isinstance(rules, str) else 'own'} rules, {game.num_players} players, round {game.state.round}."
    lines = [f"{title} You are player_{seat}.", *_news(news, seat, names, first)]
    if game.over:
        return "\n".join([*lines, *_scores(game, seat, names), words.ending(game, seat, names)])
    return "\n".join([*lines, *_table(game, seat), *_scores(game, seat, names), *_decision(game, seat, names)])


def cards_of(game: Game, seat: int, part: str) -> str:
    """The cards that a part of the observation of ``seat`` counts by kind: ``hand``, ``discarded``, ``unseen``."""
    counts = game.observe(seat)[LAYOUT[part].slice]
    return ", ".join(f"{count} {text}" for text, count in zip(KIND_TEXTS, counts.tolist(), strict=True) if count) or "none"


def _news(news: Sequence[Event], seat: int, names: list[str], first: bool) -> list[str]:
    lines: list[str] = []
    length = 0
    told = [line for event in news if (line := event_line(event, names, seat)) is not None]
    for line in reversed(told):
        length += len(line)
        if length > NEWS_LENGTH:
            lines.append(f"({len(told) - len(lines)} earlier events are left out)")
            break
        lines.append(f"- {words.in_second_person(line)}.")
    return ["Since the start:" if first else "Since your last decision:", *reversed(lines)] if lines else []


def _table(game: Game, seat: int) -> list[str]:
    state, row = game.state, game.observe(seat)
    top = state.discard_pile[-1:]
    colour = COLOURS[state.colour] if state.colour >= 0 else "none yet"
    lines = [
        f"Top card: {f'{KIND_TEXTS[top[0]]} ({KIND_NAMES[top[0]]})' if top else 'none'}. Colour in force: {colour}.",
        f"Draw pile: {words.cards(state.draw_size)}. Discard pile: {words.cards(state.discard_size)}.",
    ]
    if state.pending:
        lines.append(f"Due to be drawn: {words.cards(state.pending)}.")
    order = "clockwise" if state.direction == 1 else "counter-clockwise"
    lines.append(f"Other players in order of play ({order}):")
    others = row[LAYOUT["others"].slice].reshape(LAYOUT["others"].shape)
    known = row[LAYOUT["known"].slice].reshape(LAYOUT["known"].shape)
    for k in range(1, game.num_players):
        lines.append(
            f"- player_{(seat + state.direction * k) % game.num_players}: {_other(others[k - 1].tolist(), texts_of(known[k - 1]))}"
        )
    hand = texts_of(row[LAYOUT["hand"].slice])
    called = " You have called Uno." if row[LAYOUT["declared"].start] else ""
    return [*lines, f"Your hand ({words.cards(len(hand))}): {' '.join(hand)}.{called}"]


def _other(entry: list[int], known: list[str]) -> str:
    """Another player's entry of the observation in words."""
    _, partner, size, called, catchable, _, *drew_on = entry
    told = [words.cards(size)]
    if partner:
        told.append("your partner")
    if called:
        told.append("has called Uno")
    if catchable:
        told.append("has not called Uno and can be caught")
    if any(drew_on):
        told.append(f"last drew or passed when {COLOURS[drew_on.index(1)]} was in force")
    if known:
        told.append(f"you know it holds {' '.join(known)}")
    return "; ".join(told)


def _scores(game: Game, seat: int, names: list[str]) -> list[str]:
    if game.rules.target is None:
        return []
    scores = ", ".join(f"{name} {score}" for name, score in zip(names, game.scores, strict=True))
    return [f"Points: {scores}; {game.rules.target} end the match."]


def _decision(game: Game, seat: int, names: list[str]) -> list[str]:
    state = game.state
    if game.actor != seat:  # which decision another seat is asked for is not for this one to know
        return ["It is your turn." if state.turn == seat else f"It is the turn of player_{state.turn}."]
    legal = game.legal_texts()
    lines = [words.decision(game, seat, names), f"Legal actions: {', '.join(legal)}"]
    for action in legal:
        if (means := words.meaning(game, seat, names, action)) is not None:
            lines.append(f"- {action}: {words.action_label(game, seat, names, action)}. {means}")
    return lines
