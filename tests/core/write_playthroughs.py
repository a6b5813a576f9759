"""Writes the stored playthroughs anew: ``python -m tests.core.write_playthroughs``. Read every line before you commit them.

A playthrough is one round that a person can follow: how it began, every decision with the hand it was made from, what it did, and
the whole table now and then.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

from tests.strategies import choose
from uno_env import Game, Phase
from uno_env.cards import COLOURS, KIND_TEXTS

FOLDER = Path(__file__).parent / "playthroughs"

HEADER = """\
# Program output, checked line by line against rules.md by a person; test_playthroughs.py compares it exactly.
# Written by: python -m tests.core.write_playthroughs
# A line is: number, phase, the top card and colour that the decision met, the actor's hand, and after the arrow what was done.
"""

#: File name -> rules, players, seed of the cards, seed of the choices.
PLAYTHROUGHS: dict[str, tuple[str, int, int, int]] = {
    "official_3": ("official", 3, 389, 389),
    "party_4": ("party", 4, 124, 124),
    "digital_2": ("digital", 2, 150, 150),
    "crash_course_5": ("crash_course", 5, 37, 37),
}

OFTEN = 12
"""The whole table is shown at the start, after this many decisions, and at the end."""


def lines_of(game: Game, actions: list[str] | None, rng: random.Random) -> Iterator[str]:
    """Play to the end of the round and tell it; ``actions`` None: choose at random."""
    yield ""
    yield str(game)
    yield ""
    number = 0
    while not game.over:
        top = [KIND_TEXTS[kind] for kind in game.state.discard_pile[-1:]] or ["-"]
        colour = COLOURS[game.state.colour] if game.state.colour >= 0 else "-"
        seat, phase = game.actor, game.phase
        hand = " ".join(game.hand(seat))
        event = game.push(choose(game, rng) if actions is None else actions[number])
        number += 1
        yield f"{number:3d} {phase.name:9s} {top[0]:>2s} {colour:6s} [{hand}] -> {event}"
        if game.over or number % OFTEN == 0:
            yield ""
            yield str(game)
            yield ""


def playthrough(rules: str, num_players: int, seed: int, choices: int) -> tuple[Game, str]:
    """The round and its text."""
    game = Game(rules, seed, num_players=num_players)
    told = "\n".join(lines_of(game, None, random.Random(choices)))
    return game, f"{HEADER}transcript: {game.transcript()}\n{told}"


def retold(transcript: str) -> str:
    """The text of a playthrough, from its transcript alone."""
    parts = json.loads(transcript)
    game = Game(parts["rules"], parts["seed"], num_players=parts["num_players"])
    told = "\n".join(lines_of(game, parts["actions"], random.Random(0)))
    return f"{HEADER}transcript: {game.transcript()}\n{told}"


def phases(game: Game) -> set[Phase]:
    """The kinds of decision that a round held."""
    return {event.phase for event in game.history}


def main() -> None:
    """Write all files."""
    FOLDER.mkdir(exist_ok=True)
    for name, (rules, n, seed, choices) in PLAYTHROUGHS.items():
        (FOLDER / f"{name}.txt").write_text(playthrough(rules, n, seed, choices)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
