"""Cards and tables as pixels, drawn by pygame on surfaces in memory: no display, no video driver, no window."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from uno_env.render.shapes import CARD_HEIGHT, CARD_WIDTH, FIGURES, MARGIN, Points, face
from uno_env.render.table import ALL, HEIGHT, WIDTH, Area, Box, CardAt, Item, Label, Line, Shape, table_items

if TYPE_CHECKING:
    import pygame

FINE = 4
"""Figures are drawn this many times larger and scaled down, which smooths their edges."""
_NEED = "pygame-ce is needed to draw pictures (render_mode='rgb_array' or 'human'): pip install 'uno-env[render]'"


def load_pygame() -> Any:
    """The module pygame; ``ImportError`` naming the extra if it is not installed."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # a library does not greet
    try:
        import pygame
    except ImportError as error:
        raise ImportError(_NEED) from error
    return pygame


def _surface(width: float, height: float) -> pygame.Surface:
    pygame = load_pygame()
    # An explicit format: the default one asks the display, which there is none of.
    return pygame.Surface((max(1, round(width)), max(1, round(height))), pygame.SRCALPHA, 32)


def _stroke(surface: pygame.Surface, ink: str, points: Points, width: float) -> None:
    """A line with round ends and corners."""
    pygame = load_pygame()
    for (x1, y1), (x2, y2) in pairwise(points):
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        if length:
            ox, oy = (y1 - y2) / length * width / 2, (x2 - x1) / length * width / 2
            pygame.draw.polygon(surface, ink, [(x1 + ox, y1 + oy), (x2 + ox, y2 + oy), (x2 - ox, y2 - oy), (x1 - ox, y1 - oy)])
    for point in points:
        pygame.draw.circle(surface, ink, point, width / 2)


def _figure(surface: pygame.Surface, name: str, x: float, y: float, scale: float, ink: str) -> None:
    """A figure of `shapes.FIGURES`, one unit of its box ``scale`` pixels, upside down if that is negative."""
    pygame = load_pygame()
    figure = FIGURES[name]

    def put(points: Points) -> Points:
        return tuple((x + px * scale, y + py * scale) for px, py in points)

    for points in figure.strokes:
        _stroke(surface, ink, put(points), figure.weight * abs(scale))
    for points in figure.fills:
        corners = put(points)
        pygame.draw.polygon(surface, ink, corners)
        _stroke(surface, ink, (*corners, corners[0]), 4 * abs(scale))  # rounds the corners, as in SVG


def _plate(surface: pygame.Surface, x: float, y: float, width: float, height: float, radius: float, fill: str) -> None:
    pygame = load_pygame()
    pygame.draw.rect(surface, fill, pygame.Rect(round(x), round(y), round(width), round(height)), border_radius=round(radius))


@lru_cache(maxsize=256)
def card_surface(text: str, width: int) -> pygame.Surface:
    """A card, ``width`` pixels wide, on a transparent ground; shared, not to be changed."""
    pygame = load_pygame()
    drawn = face(text)
    unit = FINE * width / CARD_WIDTH
    large = _surface(CARD_WIDTH * unit, CARD_HEIGHT * unit)
    large.fill((43, 36, 23, 0))  # what shines through at the edge
    _plate(large, 0, 0, large.get_width(), large.get_height(), 11 * unit, "#6b675f")
    edge = 1.5 * unit
    _plate(large, edge, edge, large.get_width() - 2 * edge, large.get_height() - 2 * edge, 10 * unit, drawn.frame)
    inner = MARGIN * unit
    _plate(large, inner, inner, large.get_width() - 2 * inner, large.get_height() - 2 * inner, 7 * unit, drawn.plate)
    for mark in drawn.marks:
        scale = mark.size / 100 * unit * (-1 if mark.turned else 1)
        _figure(large, mark.figure, mark.x * unit, mark.y * unit, scale, mark.ink)
    return pygame.transform.smoothscale(large, (width, round(width * CARD_HEIGHT / CARD_WIDTH)))


@lru_cache(maxsize=4096)
def _turned_card(text: str, width: int, angle: int) -> pygame.Surface:
    card = card_surface(text, width)
    return load_pygame().transform.rotozoom(card, -angle, 1.0) if angle else card


@lru_cache(maxsize=16)
def _font(size: int, bold: bool) -> pygame.font.Font:
    pygame = load_pygame()
    if not pygame.font.get_init():
        pygame.font.init()
    font = pygame.font.Font(None, size)  # the free font that comes with pygame
    font.set_bold(bold)
    return font


@lru_cache(maxsize=1024)
def _text(text: str, size: int, bold: bool, ink: str) -> pygame.Surface:
    return _font(size, bold).render(text, True, ink)


@lru_cache(maxsize=256)
def _smooth(item: Box | Shape | Line | Area, unit: float) -> tuple[pygame.Surface, int, int]:
    """The item with smooth edges, and where it goes."""
    pygame = load_pygame()
    if isinstance(item, Box):
        pad = item.edge_width
        left, top, right, bottom = item.x - pad, item.y - pad, item.x + item.width + pad, item.y + item.height + pad
    elif isinstance(item, Shape):
        half = item.size * 0.6
        left, top, right, bottom = item.x - half, item.y - half, item.x + half, item.y + half
    else:
        pad = item.width if isinstance(item, Line) else 1
        xs, ys = zip(*item.points, strict=True)
        left, top, right, bottom = min(xs) - pad, min(ys) - pad, max(xs) + pad, max(ys) + pad
    x0, y0 = int(left * unit // 1), int(top * unit // 1)
    x1, y1 = int(-(-right * unit // 1)), int(-(-bottom * unit // 1))
    fine = unit * FINE
    large = _surface((x1 - x0) * FINE, (y1 - y0) * FINE)

    def put(x: float, y: float) -> tuple[float, float]:
        return x * fine - x0 * FINE, y * fine - y0 * FINE

    if isinstance(item, Box):
        large.fill((*pygame.Color(item.edge or item.fill)[:3], 0))
        x, y = put(item.x, item.y)
        half = item.edge_width / 2 * fine
        width, height = item.width * fine, item.height * fine
        if item.edge:
            _plate(large, x - half, y - half, width + 2 * half, height + 2 * half, item.radius * fine + half, item.edge)
            _plate(large, x + half, y + half, width - 2 * half, height - 2 * half, max(item.radius * fine - half, 0), item.fill)
        else:
            _plate(large, x, y, width, height, item.radius * fine, item.fill)
    else:
        large.fill((*pygame.Color(item.ink)[:3], 0))
        if isinstance(item, Shape):
            _figure(large, item.figure, *put(item.x, item.y), item.size / 100 * fine, item.ink)
        elif isinstance(item, Line):
            _stroke(large, item.ink, tuple(put(*point) for point in item.points), item.width * fine)
        else:
            pygame.draw.polygon(large, item.ink, [put(*point) for point in item.points])
    return pygame.transform.smoothscale(large, (x1 - x0, y1 - y0)), x0, y0


def _draw(surface: pygame.Surface, item: Item, unit: float) -> None:
    if isinstance(item, CardAt):
        card = _turned_card(item.card, round(item.width * unit), item.angle)
        surface.blit(card, (round(item.x * unit - card.get_width() / 2), round(item.y * unit - card.get_height() / 2)))
    elif isinstance(item, Label):
        # pygame's sizes are those of the whole line, SVG's those of the letters.
        text = _text(item.text, round(item.size * unit * 1.42), item.bold, item.ink)
        back = {"start": 0.0, "middle": 0.5, "end": 1.0}[item.anchor] * text.get_width()
        surface.blit(text, (round(item.x * unit - back), round(item.y * unit - text.get_height() / 2)))
    elif isinstance(item, Box) and not item.radius and not item.edge:
        surface.fill(item.fill, (round(item.x * unit), round(item.y * unit), round(item.width * unit), round(item.height * unit)))
    else:
        smooth, x, y = _smooth(item, unit)
        surface.blit(smooth, (x, y))


def draw_table(
    position: Mapping[str, Any],
    viewpoint: str | int | None = ALL,
    *,
    names: Sequence[str] | None = None,
    event: str | None = None,
    width: int = WIDTH,
) -> pygame.Surface:
    """The table on a fresh surface, 3 wide by 2 high; arguments as for `uno_env.render.svg.table_svg`."""
    pygame = load_pygame()
    surface = pygame.Surface((width, round(width * HEIGHT / WIDTH)), 0, 32)
    unit = width / WIDTH
    for item in table_items(position, viewpoint, names=names, event=event):
        _draw(surface, item, unit)
    return surface


def pixels(surface: pygame.Surface) -> np.ndarray:
    """A fresh ``uint8[H, W, 3]`` of a surface."""
    width, height = surface.get_size()
    raw = load_pygame().image.tobytes(surface, "RGB")
    return np.frombuffer(raw, np.uint8).reshape(height, width, 3).copy()


def table_pixels(
    position: Mapping[str, Any],
    viewpoint: str | int | None = ALL,
    *,
    names: Sequence[str] | None = None,
    event: str | None = None,
    width: int = WIDTH,
) -> np.ndarray:
    """The table as a fresh ``uint8[H, W, 3]``; arguments as for `draw_table`."""
    return pixels(draw_table(position, viewpoint, names=names, event=event, width=width))


def card_pixels(text: str, width: int = 100) -> np.ndarray:
    """A card on a grey ground as a fresh ``uint8[H, W, 3]``."""
    pygame = load_pygame()
    card = card_surface(text, width)
    ground = pygame.Surface(card.get_size(), 0, 32)
    ground.fill("#888888")
    ground.blit(card, (0, 0))
    return pixels(ground)
