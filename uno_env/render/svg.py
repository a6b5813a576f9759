"""Cards and tables as SVG text.

`card_symbols` goes into a page once; `card_svg` and `table_svg` refer to its symbols by id: ``card-r5``, ``card-W4``, ``card-W:b``,
``card-back``, and ``figure-triangle`` and so on for the figures of `shapes.FIGURES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from typing import Any

from uno_env.render.shapes import (
    BACK,
    CARD_HEIGHT,
    CARD_WIDTH,
    FIGURES,
    MARGIN,
    Figure,
    Points,
    card_label,
    card_texts,
    face,
)
from uno_env.render.table import ALL, HEIGHT, WIDTH, Area, Box, CardAt, Item, Line, Shape, table_items

NAMESPACE = "http://www.w3.org/2000/svg"
FONT = "system-ui, 'DejaVu Sans', 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"


def _number(value: float) -> str:
    text = f"{value:.1f}"
    return text.removesuffix(".0") if text != "-0.0" else "0"


def _path(points: Points, closed: bool) -> str:
    steps = "L".join(f"{_number(x)} {_number(y)}" for x, y in points)
    return f"M{steps}{'Z' if closed else ''}"


def _figure(name: str, figure: Figure) -> str:
    parts = []
    if figure.strokes:
        path = "".join(_path(points, False) for points in figure.strokes)
        parts.append(
            f'<path d="{path}" fill="none" stroke="currentColor" stroke-width="{_number(figure.weight)}" '
            'stroke-linecap="round" stroke-linejoin="round"/>'
        )
    if figure.fills:
        path = "".join(_path(points, True) for points in figure.fills)
        # The thin stroke rounds the corners.
        parts.append(f'<path d="{path}" fill="currentColor" stroke="currentColor" stroke-width="4" stroke-linejoin="round"/>')
    return f'<g id="figure-{name}">{"".join(parts)}</g>'


def card_id(text: str) -> str:
    """The id of a card's symbol: ``card-r5``, ``card-W4``, ``card-W:b``, ``card-back``."""
    return f"card-{text}"


def _symbol(text: str) -> str:
    drawn = face(text)
    inner_width, inner_height = CARD_WIDTH - 2 * MARGIN, CARD_HEIGHT - 2 * MARGIN
    parts = [
        f'<rect x=".75" y=".75" width="98.5" height="148.5" rx="11" fill="{drawn.frame}" stroke="#0006" stroke-width="1.5"/>',
        f'<rect x="{_number(MARGIN)}" y="{_number(MARGIN)}" width="{_number(inner_width)}" height="{_number(inner_height)}" '
        f'rx="7" fill="{drawn.plate}"/>',
    ]
    for mark in drawn.marks:
        scale = mark.size / 100 * (-1 if mark.turned else 1)
        place = f"translate({_number(mark.x)} {_number(mark.y)})scale({scale:.2f})"
        parts.append(f'<use href="#figure-{mark.figure}" transform="{place}" color="{mark.ink}"/>')
    return f'<symbol id="{card_id(text)}" viewBox="0 0 {CARD_WIDTH} {CARD_HEIGHT}">{"".join(parts)}</symbol>'


@cache
def _symbols(texts: tuple[str, ...]) -> str:
    figures = "".join(_figure(name, figure) for name, figure in FIGURES.items())
    return f"<defs>{figures}{''.join(_symbol(text) for text in texts)}</defs>"


def card_symbols(texts: Iterable[str] | None = None) -> str:
    """``<defs>`` with a symbol for each figure and for each of ``texts`` (all 57 kinds, wilds with a colour, and the back).

    Put it into one ``<svg width="0" height="0">`` of the page.
    """
    return _symbols(tuple(card_texts()) if texts is None else tuple(dict.fromkeys(texts)))


def card_svg(text: str, *, width: float = 100, label: str | None = None, standalone: bool = False) -> str:
    """One card as an ``<svg>`` element, 2 wide by 3 high, with its name for screen readers.

    Args:
        text: ``r5``, ``W``, ``W:b`` for a wild with its named colour, or ``back``.
        width: in pixels.
        label: what a screen reader says instead of the card's name; ``""`` hides the card from it.
        standalone: bring the symbols along; otherwise the page must hold `card_symbols`.

    Raises:
        ValueError: for a text that is no card.
    """
    face(text)
    said = card_label(text) if label is None else label
    role = f'role="img" aria-label="{escape(said)}"' if said else 'aria-hidden="true"'
    symbols = card_symbols([text]) if standalone else ""
    return (
        f'<svg xmlns="{NAMESPACE}" class="card" viewBox="0 0 {CARD_WIDTH} {CARD_HEIGHT}" width="{_number(width)}" '
        f'height="{_number(width * CARD_HEIGHT / CARD_WIDTH)}" {role}>{symbols}<use href="#{card_id(text)}"/></svg>'
    )


def _item(item: Item) -> str:
    n = _number
    if isinstance(item, Box):
        edge = f' stroke="{item.edge}" stroke-width="{n(item.edge_width)}"' if item.edge else ""
        return (
            f'<rect x="{n(item.x)}" y="{n(item.y)}" width="{n(item.width)}" height="{n(item.height)}" rx="{n(item.radius)}" '
            f'fill="{item.fill}"{edge}/>'
        )
    if isinstance(item, Shape):
        place = f"translate({n(item.x)} {n(item.y)})scale({item.size / 100:.2f})"
        return f'<use href="#figure-{item.figure}" transform="{place}" color="{item.ink}"/>'
    if isinstance(item, Line):
        return (
            f'<path d="{_path(item.points, False)}" fill="none" stroke="{item.ink}" stroke-width="{n(item.width)}" '
            'stroke-linecap="round" stroke-linejoin="round"/>'
        )
    if isinstance(item, Area):
        return f'<path d="{_path(item.points, True)}" fill="{item.ink}"/>'
    if isinstance(item, CardAt):
        height = item.width * CARD_HEIGHT / CARD_WIDTH
        turn = f' transform="rotate({item.angle} {n(item.x)} {n(item.y)})"' if item.angle else ""
        owner = f' data-owner="{item.owner}" data-index="{item.index}"' if item.owner else ""
        return (
            f'<use href="#{card_id(item.card)}" x="{n(item.x - item.width / 2)}" y="{n(item.y - height / 2)}" '
            f'width="{n(item.width)}" height="{n(height)}"{turn}{owner}/>'
        )
    weight = ' font-weight="700"' if item.bold else ""
    return (
        f'<text x="{n(item.x)}" y="{n(item.y)}" dy=".35em" font-size="{n(item.size)}" fill="{item.ink}" '
        f'text-anchor="{item.anchor}"{weight}>{escape(item.text)}</text>'
    )


def table_svg(
    position: Mapping[str, Any],
    viewpoint: str | int | None = ALL,
    *,
    names: Sequence[str] | None = None,
    event: str | None = None,
    symbols: bool = True,
    width: float = WIDTH,
) -> str:
    """The table as an ``<svg>`` element, 3 wide by 2 high.

    Args:
        position: as `Game.position` gives it.
        viewpoint: ``"all"``, or whose eyes the table is seen through: a seat, an agent's name, or one of ``names``. Nothing that
            the seat cannot know is in the text.
        names: of the players by seat; ``player_0`` and so on if not given.
        event: what happened last, in words.
        symbols: bring the cards' symbols along, those that occur; otherwise the page must hold `card_symbols`.
        width: in pixels.
    """
    items = table_items(position, viewpoint, names=names, event=event)
    used = [item.card for item in items if isinstance(item, CardAt)]
    defs = card_symbols(sorted({*used, BACK})) if symbols else ""
    body = "".join(_item(item) for item in items)
    return (
        f'<svg xmlns="{NAMESPACE}" class="table" viewBox="0 0 {WIDTH} {HEIGHT}" width="{_number(width)}" '
        f'height="{_number(width * HEIGHT / WIDTH)}" font-family="{FONT}" role="img" aria-label="The table">{defs}{body}</svg>'
    )
