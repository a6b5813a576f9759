"""Tables whose pictures are kept, and how pictures are compared."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from uno_env.render.raster import card_pixels, load_pygame, table_pixels
from uno_env.render.shapes import card_texts

GOLDEN = Path(__file__).parent / "golden"
CARD = 40
"""Width of the cards on the kept sheet."""

FOUR: dict[str, Any] = {
    "rules": "official",
    "hands": [["r5", "r9", "y1", "gS", "bD", "W", "W4"], ["b1"], ["g2", "g3", "yR", "r0"], ["y9", "b6", "W4"]],
    "draw_pile": ["b7"] * 2 + ["g3", "g4"] * 20,
    "discard_pile": ["y1", "r9", "rS"],
    "declared": [False, True, False, False],
    "scores": [120, 0, 45, 310],
    "dealer": 2,
}
CHALLENGED: dict[str, Any] = {
    "rules": "official",
    "hands": [["r5", "b1"], ["y1", "y2"], ["g1", "g2", "g2", "b9", "b8"]],
    "draw_pile": ["b7", "b8", "b9", "g9", "g7", "g8"],
    "discard_pile": ["r9", "W4"],
    "colour": "g",
    "colour_before": "r",
    "direction": -1,
    "turn": 0,
    "actor": 2,
    "phase": "CHALLENGE",
    "guilty": True,
    "pending_draw": 4,
}
TEN: dict[str, Any] = {
    "rules": "party",
    "hands": [["r5", "r5", "yS", "W"] * 4, ["b1"], *[["g2", "g3", "b3", "y7"][: k % 4 + 1] * 2 for k in range(8)]],
    "draw_pile": ["b7", "rS"],
    "discard_pile": ["y1", "y9"],
    "direction": -1,
    "turn": 3,
}
OVER: dict[str, Any] = {
    "rules": "official",
    "hands": [[], ["b1", "W"]],
    "discard_pile": ["W", "b3"],
    "phase": "OVER",
    "scores": [51, 0],
    "outcome": {"winners": [0], "points": [51, 0], "termination": "out"},
}
STARTER: dict[str, Any] = {
    "rules": "official",
    "hands": [["r1", "r2"], ["b1", "b2"], ["g1", "g2"], ["y1", "y2"], ["r3", "W"]],
    "draw_pile": ["b7"],
    "discard_pile": ["W"],
    "colour": None,
    "phase": "COLOUR",
}

TABLES: dict[str, tuple[dict[str, Any], str | int, str | None]] = {
    "four": (FOUR, "all", "player_3 plays red Skip"),
    "four_seat_0": (FOUR, 0, "player_3 plays red Skip"),
    "challenged": (CHALLENGED, "player_2", "player_0 plays Wild Draw Four and names green"),
    "ten": (TEN, "all", None),
    "over": (OVER, "all", "player_0 plays blue 3; the round is over: player_0 +51"),
    "starter": (STARTER, 0, None),
}
"""Position, viewpoint and last event of each kept table."""


def sheet() -> np.ndarray:
    """All cards in rows of 13."""
    cards = [card_pixels(text, CARD) for text in card_texts()]
    blank = np.full_like(cards[0], 136)
    rows = [cards[i : i + 13] + [blank] * (13 - len(cards[i : i + 13])) for i in range(0, len(cards), 13)]
    return np.concatenate([np.concatenate(row, axis=1) for row in rows])


def pictures() -> dict[str, np.ndarray]:
    """Every kept picture by name, drawn anew."""
    drawn = {"cards": sheet()}
    for name, (position, viewpoint, event) in TABLES.items():
        drawn[name] = table_pixels(position, viewpoint, event=event, width=480)
    return drawn


def difference(one: np.ndarray, other: np.ndarray) -> float:
    """How far two pictures are apart: mean difference of a colour's strength, 0 to 255."""
    return float(np.abs(one.astype(int) - other.astype(int)).mean())


def load(path: Path) -> np.ndarray:
    """A PNG as ``uint8[H, W, 3]``."""
    pygame = load_pygame()
    picture = pygame.image.load(os.fspath(path))
    raw = pygame.image.tobytes(picture, "RGB")
    return np.frombuffer(raw, np.uint8).reshape(picture.get_height(), picture.get_width(), 3)


def save(path: Path, picture: np.ndarray) -> None:
    """Write a PNG."""
    pygame = load_pygame()
    height, width = picture.shape[:2]
    pygame.image.save(pygame.image.frombuffer(picture.tobytes(), (width, height), "RGB"), os.fspath(path))
