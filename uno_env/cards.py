"""The 57 card kinds: colour, symbol, name, and the decks that are made of them.

A *kind* is a small integer. Coloured kinds are ``colour * 13 + symbol`` (0-51); wild kinds follow (52-56). Two physical cards of
the same kind are the same thing to every rule, so hands and decks are counts per kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

COLOURS = ("red", "yellow", "green", "blue")
COLOUR_LETTERS = "rygb"
NUM_COLOURS = 4

SKIP, REVERSE, DRAW_TWO = 10, 11, 12
NUM_SYMBOLS = 13
SYMBOL_TEXTS = ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "S", "R", "D")
SYMBOL_NAMES = (*SYMBOL_TEXTS[:10], "Skip", "Reverse", "Draw Two")

NUM_COLOURED = NUM_COLOURS * NUM_SYMBOLS  # 52
WILD, WILD_DRAW_FOUR, WILD_SWAP, WILD_SHUFFLE, WILD_CUSTOM = 52, 53, 54, 55, 56
WILD_TEXTS = ("W", "W4", "WX", "WS", "WC")
WILD_NAMES = ("Wild", "Wild Draw Four", "Wild Swap Hands", "Wild Shuffle Hands", "Wild Customizable")
NUM_WILDS = 5
NUM_KINDS = NUM_COLOURED + NUM_WILDS  # 57

#: Text of each kind, as in ``r5``, ``yS``, ``W4``.
KIND_TEXTS = tuple(c + s for c in COLOUR_LETTERS for s in SYMBOL_TEXTS) + WILD_TEXTS
#: Name of each kind for people, as in ``red 5``, ``yellow Skip``.
KIND_NAMES = tuple(f"{c} {s}" for c in COLOURS for s in SYMBOL_NAMES) + WILD_NAMES
#: Kind of each text.
KIND_OF_TEXT = {text: kind for kind, text in enumerate(KIND_TEXTS)}

#: Colour of each kind, -1 for wilds; symbol of each kind, 13-17 for wilds (their own, so that they match nothing coloured).
KIND_COLOUR = np.array([k // NUM_SYMBOLS if k < NUM_COLOURED else -1 for k in range(NUM_KINDS)], np.int64)
KIND_SYMBOL = np.array(
    [k % NUM_SYMBOLS if k < NUM_COLOURED else k - NUM_COLOURED + NUM_SYMBOLS for k in range(NUM_KINDS)], np.int64
)
NUM_TOP_SYMBOLS = NUM_SYMBOLS + NUM_WILDS  # 18

#: The largest deck a game record has room for.
MAX_DECK = 128
#: The most cards of one kind, which are counted in int8.
MAX_COPIES = 127


def coloured(colour: int, symbol: int) -> int:
    """The kind of a coloured card."""
    return colour * NUM_SYMBOLS + symbol


def kind_of(text: str) -> int:
    """The kind that ``text`` names; raises ``ValueError`` for anything else."""
    kind = KIND_OF_TEXT.get(text) if isinstance(text, str) else None
    if kind is None:
        raise ValueError(f"unknown card {text!r}: cards are r0..r9, rS, rR, rD (colours r, y, g, b), W, W4, WX, WS, WC")
    return kind


def counts_of(texts: Iterable[str]) -> np.ndarray:
    """Counts per kind, ``int64[57]``, of the cards that ``texts`` name."""
    counts = np.zeros(NUM_KINDS, np.int64)
    for text in texts:
        counts[kind_of(text)] += 1
    return counts


def texts_of(counts: np.ndarray) -> list[str]:
    """The cards of ``counts`` (integers, per kind) as texts, ascending by kind."""
    return [text for text, count in zip(KIND_TEXTS, counts.tolist(), strict=True) for _ in range(count)]


def _deck(extra: Mapping[str, int]) -> dict[str, int]:
    deck = {c + s: 1 if s == "0" else 2 for c in COLOUR_LETTERS for s in SYMBOL_TEXTS}
    return deck | {"W": 4, "W4": 4} | dict(extra)


#: The named decks: card -> count (``rules.md`` 2.1).
DECKS: dict[str, dict[str, int]] = {
    "classic": _deck({}),
    "swap": _deck({"WX": 1, "WC": 3}),
    "shuffle": _deck({"WS": 1, "WC": 3}),
}
