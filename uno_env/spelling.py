"""Actions as people and language models write them: `read` makes of "Play red 5", "R 5" or "[r5]" the action ``r5``.

Case, spacing, punctuation and small words do not matter. What is read may be illegal; `uno_env.render.refusal` says why.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from uno_env.cards import COLOUR_LETTERS, COLOURS, WILD_TEXTS
from uno_env.notation import ACTION_TEXTS
from uno_env.state import DRAW


class Unreadable(ValueError):
    """A text that names no action; the message says what is wrong with it."""


class ColourMissing(Unreadable):
    """A wild without the colour that is named with it."""


_FIGURES = "zero one two three four five six seven eight nine"
_NUMBERS: dict[str, str] = {word: str(number) for number, word in enumerate(_FIGURES.split())}
_SMALL_WORDS = """
a action all and answer as call card cards choice choose choosing color colour colours down final for from hand hands i id
ill in is it jump like make me move my name naming number of on onto out pick play playing please put say set the then this
to turn up want whole will with would
"""
_FILLERS = frozenset(_SMALL_WORDS.split())
"""Words without which an answer says the same."""

_WILDS = {
    "W": ("w", "wild"),
    "W4": ("w4", "w+4", "wd4", "+4", "draw4", "wild4", "wild+4", "wilddraw4"),
    "WX": ("wx", "wildswap", "wildswaphands"),
    "WS": ("ws", "wildshuffle", "wildshufflehands"),
    "WC": ("wc", "wildcustomizable", "wildcustom", "customizable"),
}
_SYMBOLS = {"S": ("s", "skip"), "R": ("r", "reverse", "rev"), "D": ("d", "draw2", "+2")}
_PLAIN = {
    "draw": ("draw", "d", "draw1", "take", "take1", "pickup"),
    "pass": ("pass", "p", "keep", "keepit", "keepcard", "no", "donothing", "saynothing", "donotjumpin", "dontjumpin"),
    "accept": (
        *("accept", "a", "draw", "take", "pickup", "no", "nochallenge", "donotchallenge", "dontchallenge"),
        *(f"{verb}{count}" for verb in ("draw", "take", "accept") for count in range(1, 129)),
    ),
    "challenge": ("challenge", "c"),
    "catch": ("catch", "c"),
    "uno": ("uno", "u"),
}


def _words(text: str) -> list[str]:
    """Words and numbers, in small letters and figures."""
    text = re.sub(r"['\u2019]", "", text.lower()).replace("plus ", "+")
    return [_NUMBERS.get(word) or word for word in re.findall(r"\+?\d+|[a-z]+", text)]


def _keys(text: str) -> list[str]:
    """What two spellings of an action have in common: its words run together, as they are and without small words."""
    words = _words(text)
    keys = ["".join(words), "".join(word for word in words if word not in _FILLERS)]
    return [key for key in dict.fromkeys(keys) if key]


def _spellings(action: str) -> Iterable[str]:
    """The keys of an action, swaps apart."""
    head, _, tail = action.partition(":")
    if head in WILD_TEXTS:
        colour = COLOURS[COLOUR_LETTERS.index(tail)]
        for wild in _WILDS[head]:
            yield from (wild + tail, wild + colour, colour + wild)
    elif head == "colour":
        colour = COLOURS[COLOUR_LETTERS.index(tail)]
        yield from (word + name for word in ("", "colour", "color") for name in (tail, colour))
    elif action in _PLAIN:
        yield from _PLAIN[action]
    else:
        letter, symbol = action[0], action[1:]
        colour = COLOURS[COLOUR_LETTERS.index(letter)]
        symbols = _SYMBOLS.get(symbol, (symbol,))
        yield from (name + written for name in (letter, colour) for written in symbols)
        yield from (written + colour for written in symbols if len(written) > 1 or written.isdigit())


@lru_cache(maxsize=64)
def _index(names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The actions under each key at a table of these players."""
    index: dict[str, list[str]] = {}
    for action in ACTION_TEXTS.values():
        for key in _spellings(action):
            index.setdefault(key, []).append(action)
    for seat, name in enumerate(names):
        called = {f"player{seat}", "".join(_words(name))}
        for key in {f"swap{seat}", f"swapwith{seat}", *called, *(f"swap{player}" for player in called)}:
            index.setdefault(key, []).append(f"swap:{seat}")
        for player in called:
            index.setdefault(f"catch{player}", []).append("catch")
            index.setdefault(f"challenge{player}", []).append("challenge")
    return {key: tuple(dict.fromkeys(actions)) for key, actions in index.items()}


def _candidates(text: str) -> list[str]:
    """Where an answer may stand in a text that says more: in the last brackets, after the last ``action:``, in the last line."""
    brackets = re.findall(r"\[([^\[\]]*)\]", text)
    marked = re.findall(r"\b(?:action|move|answer)\b[*`\s]*:\s*(\S.*)", text, re.IGNORECASE)
    lines = [line for line in text.splitlines() if line.strip()]
    return list(dict.fromkeys([*brackets[-1:], *marked[-1:], text, *lines[-1:]]))


def read(text: str, legal: Sequence[str], names: Sequence[str]) -> str:
    """The action that ``text`` names, as its proper text.

    Args:
        text: what was written: the action alone, or a longer text that has it in ``[brackets]``, after ``Action:`` or as its last
            line.
        legal: texts of the legal actions; they decide between the readings of what could be said of several ("draw" may mean to
            accept four cards). An action that is not legal is read as well.
        names: of the players by seat, for ``swap with Ada``.

    Raises:
        Unreadable: for a text that names no action.
    """
    index, allowed = _index(tuple(names)), set(legal)
    for candidate in _candidates(text):
        for key in _keys(candidate):
            if key in index:
                actions = index[key]
                return next((action for action in actions if action in allowed), actions[0])
    keys = [key for candidate in _candidates(text) for key in _keys(candidate)]
    for key in keys:
        for wild, spellings in _WILDS.items():
            if key in spellings:
                raise ColourMissing(f"name a colour with it: {', '.join(f'{wild}:{letter}' for letter in COLOUR_LETTERS)}")
        if any(key in (f"uno{other}", f"{other}uno") for other in _index_of_cards()):
            raise Unreadable("one action at a time: answer `uno` first, then you are asked for the card")
    raise Unreadable("this names no action")


@lru_cache(maxsize=1)
def _index_of_cards() -> frozenset[str]:
    """The keys of all cards to play."""
    return frozenset(key for number, action in ACTION_TEXTS.items() if number < DRAW for key in _spellings(action))
