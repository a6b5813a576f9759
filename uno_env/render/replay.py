"""One game as one HTML file that needs nothing else: cards, table, script and every decision are in it."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

from uno_env.game import NEXT_ROUND, Event, Game, read_transcript
from uno_env.notation import rules_text
from uno_env.render.explain import rules_for
from uno_env.render.svg import card_symbols
from uno_env.render.table import ALL, PHASE_WORDS, seat_of, seen
from uno_env.render.text import event_line
from uno_env.rules import Rules
from uno_env.state import Phase

PLAIN_LIMIT = 120_000
"""Longer data are compressed in the page (browsers since 2023 read that); shorter ones can be read by anyone."""
LIKELY = 0.001
"""Probabilities below this are left out of the page."""


@dataclass(frozen=True)
class Step:
    """A decision, or the end of the game, and what led to it."""

    position: dict[str, Any]
    """As `Game.position` gives it."""
    legal: tuple[str, ...]
    """Texts of the legal actions; empty at an end."""
    event: Event | None
    """What led here; None at the start and after a new deal."""
    new_round: bool
    """Whether a new round was dealt since the step before."""
    action: str | None
    """What was done next; None at the last step."""
    note: Mapping[str, Any] | None
    """What the agent that decides here recorded: ``probabilities`` (of action texts), ``value``."""


def steps(transcript: str) -> Iterator[Step]:
    """The decisions of a game, in order, from its transcript; ``ValueError`` for text that is none."""
    told = read_transcript(transcript)
    actions, notes = told["actions"], told.get("notes") or []
    game = Game.replay(json.dumps({**told, "actions": [], "notes": None}))
    event, new_round = None, False
    for number in range(len(actions) + 1):
        action = actions[number] if number < len(actions) else None
        if action == NEXT_ROUND and not game.over:
            raise ValueError(f"action {number} of the transcript: a new round, but the round goes on")
        yield Step(
            game.position(),
            tuple(game.legal_texts()),
            event,
            new_round,
            None if action == NEXT_ROUND else action,
            notes[number] if number < len(notes) else None,
        )
        if action is None:
            return
        try:
            new_round = action == NEXT_ROUND
            if new_round:
                game.next_round()
                event = None
            else:
                event = game.push(action)
        except ValueError as error:
            raise ValueError(f"action {number} of the transcript: {error}") from None


class _Words:
    """Sentences by number: most of them occur often."""

    def __init__(self) -> None:
        self.all: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self.all.setdefault(text, len(self.all))


def replay_data(
    transcript: str, viewpoint: str | int | None = ALL, *, names: Sequence[str] | None = None, title: str | None = None
) -> dict[str, Any]:
    """What the page shows, as plain values: ``steps`` hold what changed since the step before.

    Each step has the keys of `uno_env.render.table.seen` that changed (``hands`` as pairs of a seat and its cards), and
    ``event``, ``why`` (numbers of sentences in ``words``), ``legal``, ``played``, ``note``.
    """
    told = read_transcript(transcript)
    n = int(told["num_players"])
    names = list(names or told.get("names") or [f"player_{seat}" for seat in range(n)])
    if len(names) != n:
        raise ValueError(f"names: {len(names)} for {n} players")
    viewer = seat_of(viewpoint, n, names)
    words = _Words()
    rules = Game.replay(json.dumps({**told, "actions": [], "notes": None})).rules
    entries: list[tuple[dict[str, Any], dict[str, Any]]] = []
    before: dict[str, Any] | None = None
    for step in steps(transcript):
        happened = _happened(step, before, rules, names, viewer, words)
        before = step.position
        now = seen(step.position, viewer), _due(step, viewer)
        if happened is None:
            # Nobody may notice that somebody was asked: what is seen here takes the place of what was seen before it.
            entries[-1] = (now[0], {key: entries[-1][1][key] for key in ("event", "why") if key in entries[-1][1]} | now[1])
        else:
            entries.append((now[0], happened | now[1]))
    listed: list[dict[str, Any]] = []
    last: dict[str, Any] = {}
    for now, more in entries:
        changed = {key: value for key, value in now.items() if key != "hands" and last.get(key, ...) != value}
        hands = [[seat, " ".join(hand)] for seat, hand in enumerate(now["hands"]) if not last or last["hands"][seat] != hand]
        listed.append({**changed, **({"hands": hands} if hands else {}), **more})
        last = now
    named = rules_text(rules)
    return {
        "title": title or f"Uno, {named if isinstance(named, str) else 'own'} rules, {n} players",
        "names": names,
        "viewer": viewer,
        "target": rules.target,
        "phases": {phase.name: PHASE_WORDS[phase] for phase in Phase},
        "words": list(words.all),
        "steps": listed,
    }


def _happened(
    step: Step, before: dict[str, Any] | None, rules: Rules, names: Sequence[str], viewer: int | None, words: _Words
) -> dict[str, Any] | None:
    """What led to a step, in words; None for what the viewer cannot notice."""
    if step.new_round:
        told = f"Round {step.position['round']} is dealt by {names[step.position['dealer']]}"
        return {"event": words.number(told), "why": [words.number("The deal moves one seat to the left (rules.md 2.2).")]}
    if step.event is None or before is None:
        return {}
    line = event_line(step.event, names, viewer)
    if line is None:
        return None
    why = rules_for(step.event, before, step.position, rules, names, viewer)
    return {"event": words.number(line), "why": [words.number(sentence) for sentence in why]}


def _due(step: Step, viewer: int | None) -> dict[str, Any]:
    """The decision that is due, if the viewer may know of it."""
    if not step.legal or (viewer is not None and viewer != step.position["actor"]):
        return {}
    due: dict[str, Any] = {"legal": " ".join(step.legal)}
    if step.action is not None:
        due["played"] = step.action
    if step.note:
        due["note"] = _note(step.note)
    return due


def _note(note: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    if isinstance(chances := note.get("probabilities"), Mapping):
        kept["p"] = {str(action): round(float(chance), 3) for action, chance in chances.items() if float(chance) >= LIKELY}
    if note.get("value") is not None:
        kept["v"] = round(float(note["value"]), 3)
    return kept


def _page_file(name: str) -> str:
    return (files("uno_env.render") / "page" / name).read_text(encoding="utf-8")


def _for_script(text: str) -> str:
    """JSON that can stand inside a script element."""
    return text.replace("<", "\\u003c")


def replay_html(
    transcript: str, viewpoint: str | int | None = ALL, *, names: Sequence[str] | None = None, title: str | None = None
) -> str:
    """A game as one HTML file: play, pause, step, jump; hands open or hidden; legal actions; the rules that applied.

    Args:
        transcript: a line of `Game.transcript`.
        viewpoint: ``"all"``, or whose eyes the game is seen through: a seat, an agent's name or one of ``names``. Nothing that the
            seat could not know is in the file.
        names: of the players by seat; those in the transcript, or ``player_0`` and so on.
        title: of the page.

    Raises:
        ValueError: for text that is no transcript, or another viewpoint.
    """
    data = replay_data(transcript, viewpoint, names=names, title=title)
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    kind = "application/json"
    if len(text) > PLAIN_LIMIT:
        packed = zlib.compressobj(9, zlib.DEFLATED, 31)  # 31: as gzip, but without a time stamp
        text = base64.b64encode(packed.compress(text.encode()) + packed.flush()).decode()
        kind = "application/gzip"
    return (
        _page_file("replay.html")
        .replace("{{title}}", escape(data["title"]))
        .replace("{{style}}", _page_file("replay.css"))
        .replace("{{symbols}}", card_symbols())
        .replace("{{kind}}", kind)
        .replace("{{script}}", _page_file("replay.js"))
        .replace("{{data}}", _for_script(text))
    )


def notebook_html(game: Game) -> str:
    """The game so far as a frame for a notebook."""
    page = escape(replay_html(game.transcript()), quote=True)
    return f'<iframe srcdoc="{page}" title="Replay" style="width:100%;height:720px;border:0;border-radius:8px"></iframe>'
