"""What a card looks like, as vector figures of our own: one drawing from which SVG and pixels are made.

A *figure* is a set of strokes and filled polygons in one ink, in a box from -50 to 50. A *face* is a plate with figures placed on
it, in a box of 100 by 150. Every colour has a shape as well (red disc, yellow triangle, green square, blue diamond), so that
nothing depends on telling colours apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import cos, radians, sin

from uno_env.cards import COLOUR_LETTERS, COLOURS, KIND_NAMES, KIND_OF_TEXT, KIND_TEXTS, WILD_TEXTS

Points = tuple[tuple[float, float], ...]

CARD_WIDTH, CARD_HEIGHT = 100, 150
BACK = "back"
"""The text of a card that lies face down."""

INKS = {"r": "#c62f2f", "y": "#f5c430", "g": "#2f9155", "b": "#2767c0"}
"""The colour of each colour."""
DARK_INKS = {"r": "#8f1d1d", "y": "#7a5600", "g": "#17603a", "b": "#153f80"}
"""The same, dark enough to be read on paper."""
SHAPES = {"r": "disc", "y": "triangle", "g": "square", "b": "diamond"}
"""The shape of each colour."""
PAPER, INK, NIGHT = "#fffdf6", "#2b2417", "#262a33"
MARGIN = 6.0
"""Paper around the plate."""


@dataclass(frozen=True)
class Figure:
    """Strokes (round ends and corners) and filled polygons, in a box from -50 to 50."""

    strokes: tuple[Points, ...] = ()
    fills: tuple[Points, ...] = ()
    weight: float = 15.0
    """Width of the strokes."""


@dataclass(frozen=True)
class Mark:
    """A figure put on a card."""

    figure: str
    x: float
    y: float
    size: float
    """Height of its box, in units of the card."""
    ink: str
    turned: bool = False
    """Upside down, for the far corner."""


@dataclass(frozen=True)
class Face:
    """One side of a card: a frame, a plate on it, and marks on the plate."""

    frame: str
    plate: str
    marks: tuple[Mark, ...]


def _arc(x: float, y: float, rx: float, ry: float, start: float, end: float) -> list[tuple[float, float]]:
    """Points of an arc, angles in degrees, clockwise from the right."""
    count = max(2, round(abs(end - start) / 15))
    steps = (start + (end - start) * i / count for i in range(count + 1))
    return [(round(x + rx * cos(radians(a)), 1), round(y + ry * sin(radians(a)), 1)) for a in steps]


def _turned(points: Sequence[tuple[float, float]]) -> Points:
    return tuple((-x, -y) for x, y in points)


def _head(x: float, y: float, angle: float, size: float = 22) -> Points:
    """An arrow's head whose tip is at (x, y), pointing in the direction of the angle."""
    a, b = radians(angle + 145), radians(angle - 145)
    return tuple(
        (round(px, 1), round(py, 1))
        for px, py in ((x, y), (x + size * cos(a), y + size * sin(a)), (x + size * cos(b), y + size * sin(b)))
    )


def _shift(points: Sequence[tuple[float, float]], dx: float, dy: float = 0, scale: float = 1) -> Points:
    return tuple((round(x * scale + dx, 1), round(y * scale + dy, 1)) for x, y in points)


_ZERO = _arc(0, 0, 24, 40, -90, 270)
_ONE = [(-15, -24), (3, -40), (3, 40)]
_TWO = [*_arc(0, -17, 23, 23, 190, 385), (-24, 40), (25, 40)]
_THREE = [*_arc(-1, -20, 21, 20, 200, 430), (-4, -1), *_arc(-1, 19, 24, 21, 285, 520)]
_FOUR = [(11, 40), (11, -40), (-27, 17), (27, 17)]
_FIVE = [(21, -40), (-17, -40), (-20, -5), *_arc(-1, 14, 25, 26, 235, 515)]
_SIX = [(12, -41), (-13, -14), *_arc(0, 13, 24, 24, 200, -160)]
_SEVEN = [(-25, -40), (25, -40), (-9, 40)]
_EIGHT = [*_arc(0, -20, 18, 19, 90, 450), *_arc(0, 20, 23, 21, -90, 270)]
_PLUS = ([(-12, 0), (12, 0)], [(0, -12), (0, 12)])


def _plus(digit: Sequence[tuple[float, float]]) -> Figure:
    return Figure((*(_shift(line, -31, 4) for line in _PLUS), _shift(digit, 20, 0, 0.85)), weight=13)


_STAR = tuple(
    (
        round((46 if i % 2 == 0 else 19) * cos(radians(36 * i - 90)), 1),
        round((46 if i % 2 == 0 else 19) * sin(radians(36 * i - 90)) + 3, 1),
    )
    for i in range(10)
)

FIGURES: dict[str, Figure] = {
    "0": Figure((tuple(_ZERO),)),
    "1": Figure((tuple(_ONE), ((-14, 40), (20, 40)))),
    "2": Figure((tuple(_TWO),)),
    "3": Figure((tuple(_THREE),)),
    "4": Figure((tuple(_FOUR),)),
    "5": Figure((tuple(_FIVE),)),
    # A bar under 6 and 9 tells them apart on a card that lies the other way round.
    "6": Figure((_shift(_SIX, 0, -7, 0.86), ((-19, 45), (19, 45))), weight=13),
    "7": Figure((tuple(_SEVEN),)),
    "8": Figure((tuple(_EIGHT),)),
    "9": Figure((_shift(_turned(_SIX), 0, -5, 0.86), ((-19, 45), (19, 45))), weight=13),
    # Skip: a hop over a player. Reverse: an arrow that turns back.
    "skip": Figure(
        (tuple(_arc(-4, 14, 34, 40, 180, 335)),), (_head(33, 27, 80, 32), tuple(_arc(-4, 27, 12, 12, 0, 360))), weight=13
    ),
    "reverse": Figure(((((30, 40)), *_arc(4, -12, 26, 24, 0, -180), (-22, 16)),), (_head(-22, 44, 90, 34),), weight=13),
    "draw2": _plus(_TWO),
    "draw4": _plus(_FOUR),
    "swap": Figure((((-38, -17), (16, -17)), ((38, 19), (-16, 19))), (_head(46, -17, 0, 32), _head(-46, 19, 180, 32)), weight=13),
    "shuffle": Figure(
        (((-40, -24), (-22, -24), (6, 24), (18, 24)), ((-40, 24), (-22, 24), (6, -24), (18, -24))),
        (_head(46, 24, 0, 32), _head(46, -24, 0, 32)),
        weight=12,
    ),
    "star": Figure((), (_STAR,)),
    "disc": Figure((), (tuple(_arc(0, 0, 46, 46, 0, 360)),)),
    "triangle": Figure((), (((0, -48), (54, 44), (-54, 44)),)),
    "square": Figure((), (((-41, -41), (41, -41), (41, 41), (-41, 41)),)),
    "diamond": Figure((), (((0, -56), (56, 0), (0, 56), (-56, 0)),)),
}
"""Every figure that cards and tables are drawn with."""

_SYMBOL_FIGURES = {"S": "skip", "R": "reverse", "D": "draw2"}
_WILD_FIGURES = {"W": None, "W4": "draw4", "WX": "swap", "WS": "shuffle", "WC": "star"}
_FOUR_PLACES = {"r": (-1, -1), "y": (1, -1), "g": (-1, 1), "b": (1, 1)}


def card_label(text: str) -> str:
    """A card's name for people, ``Wild, blue`` for ``W:b``; ``face-down card`` for the back."""
    if text == BACK:
        return "face-down card"
    head, _, colour = text.partition(":")
    name = KIND_NAMES[KIND_OF_TEXT[head]]
    return f"{name}, {COLOURS[COLOUR_LETTERS.index(colour)]}" if colour else name


def card_texts() -> tuple[str, ...]:
    """Everything that can lie on a table: the 57 kinds, each wild with a named colour, and the back."""
    return (*KIND_TEXTS, *(f"{wild}:{colour}" for wild in WILD_TEXTS for colour in COLOUR_LETTERS), BACK)


def _corners(figure: str, ink: str, size: float, inset: float = 19, top: float = 22) -> list[Mark]:
    return [
        Mark(figure, inset, top, size, ink),
        Mark(figure, CARD_WIDTH - inset, CARD_HEIGHT - top, size, ink, turned=True),
    ]


def _four(x: float, y: float, apart: float, size: float) -> list[Mark]:
    return [Mark(SHAPES[c], x + apart * dx, y + apart * dy, size, INKS[c]) for c, (dx, dy) in _FOUR_PLACES.items()]


@cache
def face(text: str) -> Face:
    """The face of a card (``r5``, ``W``), of a wild with its named colour (``W:b``), or the back; else ``ValueError``."""
    if text == BACK:
        marks = [
            Mark(SHAPES[c], 50 + 23 * x, 75 + 40 * y, 21, "#8b94a6")
            for i, (x, y) in enumerate((x, y) for y in (-1, 0, 1) for x in (-1, 0, 1))
            for c in ("rygbrygbr"[i],)
        ]
        return Face(PAPER, "#4a5365", tuple(marks))
    head, _, named = text.partition(":")
    if head not in KIND_OF_TEXT or (named and (named not in SHAPES or head not in WILD_TEXTS)) or text.endswith(":"):
        raise ValueError(f"unknown card {text!r}: expected a card (r5, W4), a wild with a colour (W:b), or {BACK!r}")
    return _wild_face(head, named) if head in WILD_TEXTS else _coloured_face(head)


def _coloured_face(text: str) -> Face:
    colour, symbol = text
    figure = _SYMBOL_FIGURES.get(symbol, symbol)
    ink = INK if colour == "y" else PAPER
    # A triangle is wide below its middle, a diamond narrow: each leaves another room for the symbol.
    middle, large, low, small = {"r": (75, 70, 0, 44), "y": (71, 72, 10, 34), "g": (75, 66, 0, 46), "b": (75, 76, 0, 40)}[colour]
    if symbol == "D":
        small -= 4
    marks = [
        Mark(SHAPES[colour], 50, middle, large, PAPER),
        Mark(figure, 50, middle + low, small, DARK_INKS[colour]),
        *_corners(figure, ink, 28),
        *_corners(SHAPES[colour], ink, 12, top=44),
    ]
    return Face(PAPER, INKS[colour], tuple(marks))


def _wild_face(wild: str, named: str) -> Face:
    figure = _WILD_FIGURES[wild]
    if figure is None:
        marks = [*_four(19, 23, 7.5, 12), *_four(81, 127, 7.5, 12), *_four(50, 75, 19, 34)]
        far = slice(4, 8)
    else:
        marks = [
            *_corners(figure, PAPER, 28),
            *_four(50, 75, 27, 26),
            Mark("disc", 50, 75, 52, PAPER),
            Mark(figure, 50, 75, 36, INK),
        ]
        far = slice(1, 2)
    if named:  # in the far corner, where a hand does not cover it, the colour that was named
        marks[far] = [Mark("disc", 76, 124, 40, PAPER), Mark(SHAPES[named], 76, 124, 25, INKS[named])]
    return Face(INKS[named] if named else PAPER, NIGHT, tuple(marks))
