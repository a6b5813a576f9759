"""Stored rounds in words, compared exactly. They are program output that a person has checked (see `write_playthroughs.py`)."""

from __future__ import annotations

import json

import pytest

from tests.core.write_playthroughs import FOLDER, PLAYTHROUGHS, phases, playthrough, retold
from uno_env import Game, Phase


def transcript_of(text: str) -> str:
    return next(line for line in text.splitlines() if line.startswith("transcript: ")).removeprefix("transcript: ")


def test_every_playthrough_is_stored() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == sorted(PLAYTHROUGHS)


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_playthrough(name: str) -> None:
    """The transcript of the file, played again, tells the very same story."""
    stored = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert retold(transcript_of(stored)).splitlines() == stored.splitlines()
    game = Game.replay(transcript_of(stored))
    assert game.over
    assert game.transcript() == transcript_of(stored)


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_playthrough_is_what_the_writer_writes(name: str) -> None:
    stored = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    game, text = playthrough(*PLAYTHROUGHS[name])
    assert text == stored
    assert json.loads(game.transcript())["rules"] == PLAYTHROUGHS[name][0]


def test_playthroughs_show_every_phase() -> None:
    shown = set()
    for path in FOLDER.glob("*.txt"):
        shown |= phases(Game.replay(transcript_of(path.read_text(encoding="utf-8"))))
    assert shown == set(Phase) - {Phase.OVER}
