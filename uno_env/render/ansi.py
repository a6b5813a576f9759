"""Colour for tables of text, where a terminal shows it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TextIO

from uno_env.cards import COLOUR_LETTERS, COLOURS

_CODES = {"r": "1;31", "y": "1;33", "g": "1;32", "b": "1;34"}
_CARD = re.compile(r"(?<![\w:])(?:([rygb])(?:[0-9]|[SRD])|W[4XSC]?:([rygb])|colour:([rygb]))(?![\w:])")
_NAME = re.compile(rf"\b({'|'.join(COLOURS)})\b")


def terminal_has_colour(stream: TextIO, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether ``stream`` is a terminal that shows colour; ``NO_COLOR`` and ``FORCE_COLOR`` outrank what it seems to be."""
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and environ.get("TERM") != "dumb"


def coloured(table: str) -> str:
    """A table of `uno_env.render.text` with its cards and names of colours in colour."""

    def paint(code: str, words: str) -> str:
        return f"\x1b[{code}m{words}\x1b[0m"

    table = _CARD.sub(lambda found: paint(_CODES[found[1] or found[2] or found[3]], found[0]), table)
    return _NAME.sub(lambda found: paint(_CODES[COLOUR_LETTERS[COLOURS.index(found[1])]], found[1]), table)
