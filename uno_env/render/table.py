"""The table as a list of things to draw, from a position and a viewpoint; `svg` and `raster` draw the same list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, radians, sin
from typing import Any, Literal

from uno_env.cards import COLOUR_LETTERS, COLOURS
from uno_env.render.shapes import BACK, CARD_HEIGHT, CARD_WIDTH, INK, INKS, PAPER, SHAPES, Points
from uno_env.state import Phase

WIDTH, HEIGHT = 960, 640
"""Size of the table; pictures of another size are scaled."""
ALL = "all"

FELT, RIM, PANEL, BUSY = "#1d3238", "#2a454c", "#264048", "#33545e"
LIGHT, SOFT, GOLD, ALERT = "#f4f1e8", "#a9bdc0", "#ffce54", "#ff8a65"

# Things to draw --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Box:
    """A rectangle with round corners."""

    x: float
    y: float
    width: float
    height: float
    radius: float
    fill: str
    edge: str | None = None
    edge_width: float = 0.0


@dataclass(frozen=True)
class Shape:
    """A figure of `shapes.FIGURES` in a box of ``size`` around (x, y)."""

    figure: str
    x: float
    y: float
    size: float
    ink: str


@dataclass(frozen=True)
class Line:
    """A line with round ends through points."""

    points: Points
    width: float
    ink: str


@dataclass(frozen=True)
class Area:
    """A filled polygon."""

    points: Points
    ink: str


@dataclass(frozen=True)
class CardAt:
    """A card, its middle at (x, y), turned by ``angle`` degrees clockwise."""

    card: str
    x: float
    y: float
    width: float
    angle: int = 0
    owner: str = ""
    """``seat 2``, ``draw pile`` or ``discard pile``."""
    index: int = 0
    """Place among the owner's cards."""


@dataclass(frozen=True)
class Label:
    """Text on a line; (x, y) is the middle of its height at the anchor."""

    text: str
    x: float
    y: float
    size: float
    ink: str
    anchor: Literal["start", "middle", "end"] = "middle"
    bold: bool = False


Item = Box | Shape | Line | Area | CardAt | Label

# What is seen ----------------------------------------------------------------------------------------------------------

PHASE_WORDS = {
    Phase.COLOUR: "names the colour",
    Phase.PLAY: "plays or draws",
    Phase.DRAWN: "plays or keeps the drawn card",
    Phase.JUMP: "may jump in",
    Phase.SWAP: "chooses a hand to swap",
    Phase.CATCH: "may catch a missed Uno",
    Phase.CHALLENGE: "may challenge",
    Phase.STACK: "answers or draws",
    Phase.OVER: "",
}


def seat_of(viewpoint: str | int | None, num_players: int, names: Sequence[str] | None = None) -> int | None:
    """The seat that a viewpoint names (a seat, ``player_2``, or one of ``names``); None for ``"all"``; else ``ValueError``."""
    if viewpoint is None or viewpoint == ALL:
        return None
    agents = [f"player_{seat}" for seat in range(num_players)]
    if isinstance(viewpoint, str):
        for known in (list(names or ()), agents):
            if viewpoint in known:
                return known.index(viewpoint)
    elif not isinstance(viewpoint, bool) and 0 <= viewpoint < num_players:
        return int(viewpoint)
    raise ValueError(f"viewpoint={viewpoint!r}: expected 'all', a seat or one of {', '.join(agents)}")


def seen(position: Mapping[str, Any], viewpoint: str | int | None = ALL) -> dict[str, Any]:
    """What a seat lawfully sees of a position, and nothing else: safe to send to the person who plays that seat.

    ``hands`` hold ``"back"`` for cards that are not seen (a card that the seat knows of stays open), ``draw_pile`` and ``discards``
    are numbers, ``top`` holds up to three cards of the discard pile, the top last. ``phase``, ``actor`` and ``drawn`` are null
    where the seat cannot know who is asked for what. With ``"all"`` everything is open but the draw pile.
    """
    n = len(position["hands"])
    viewer = seat_of(viewpoint, n)
    over = position.get("phase") == Phase.OVER.name
    told = viewer is None or over or viewer == position.get("actor", position.get("turn", 0))
    known = {entry["holder"]: entry["cards"] for entry in position.get("known", []) if entry["seat"] == viewer}
    hands = []
    for seat, hand in enumerate(position["hands"]):
        if viewer is None or seat == viewer:
            hands.append(list(hand))
        else:
            open_cards = list(known.get(seat, []))
            hands.append([*open_cards, *[BACK] * (len(hand) - len(open_cards))])
    declared = position.get("declared", [False] * n)
    top = list(position.get("discard_pile", []))
    colour = position.get("colour")
    if colour is None and "colour" not in position and top and top[-1][0] in COLOUR_LETTERS:
        colour = top[-1][0]
    return {
        "num_players": n,
        "rules": position["rules"] if isinstance(position.get("rules", "official"), str) and "rules" in position else "own rules",
        "hands": hands,
        "draw_pile": len(position.get("draw_pile", [])),
        "discards": len(top),
        "top": top[-3:],
        "colour": colour,
        "direction": position.get("direction", 1),
        "dealer": position.get("dealer", n - 1),
        "turn": position.get("turn", 0),
        "actor": position.get("actor", position.get("turn", 0)) if told else None,
        "phase": position.get("phase", Phase.PLAY.name) if told else None,
        "drawn": position.get("drawn") if told else None,
        "pending_draw": position.get("pending_draw", 0),
        "declared": [
            bool(flag) and (viewer is None or seat == viewer or len(hands[seat]) == 1) for seat, flag in enumerate(declared)
        ],
        "offender": position.get("offender"),
        "scores": list(position.get("scores", [0] * n)),
        "round": position.get("round", 1),
        "turns": position.get("turns", 1),
        "outcome": position.get("outcome"),
    }


# Layout ----------------------------------------------------------------------------------------------------------------


def table_items(
    position: Mapping[str, Any],
    viewpoint: str | int | None = ALL,
    *,
    names: Sequence[str] | None = None,
    event: str | None = None,
) -> list[Item]:
    """What to draw of a position, in order, on a table of `WIDTH` by `HEIGHT`.

    Args:
        position: as `Game.position` gives it.
        viewpoint: ``"all"``, or whose eyes the table is seen through: a seat, an agent's name, or one of ``names``.
        names: of the players by seat; ``player_0`` and so on if not given.
        event: what happened last, in words.
    """
    n = len(position["hands"])
    names = list(names) if names else [f"player_{seat}" for seat in range(n)]
    viewer = seat_of(viewpoint, n, names)
    told = seen(position, viewer)
    items: list[Item] = [Box(0, 0, WIDTH, HEIGHT, 0, FELT)]
    items += _ring(told["direction"])
    items += _centre(told, names, event)
    for seat in range(n):
        items += _panel(told, seat, viewer or 0, names[seat])
    return items


CX, CY = WIDTH / 2, 306.0
"""Middle of the table."""
RX, RY = 196.0, 138.0
"""The ring that shows the direction."""


def _on_ring(angle: float) -> tuple[float, float]:
    return round(CX + RX * cos(radians(angle)), 1), round(CY + RY * sin(radians(angle)), 1)


def _ring(direction: int) -> list[Item]:
    items: list[Item] = [Line(tuple(_on_ring(angle) for angle in range(0, 361, 6)), 5, RIM)]
    for angle in (45, 135, 225, 315):
        x, y = _on_ring(angle)
        ahead = _on_ring(angle + direction)
        dx, dy = ahead[0] - x, ahead[1] - y
        length = (dx * dx + dy * dy) ** 0.5
        dx, dy = dx / length, dy / length
        tip = (round(x + 16 * dx, 1), round(y + 16 * dy, 1))
        wings = tuple((round(x - 12 * dx - side * dy, 1), round(y - 12 * dy + side * dx, 1)) for side in (10, -10))
        items.append(Area((tip, *wings), SOFT))
    return items


def _centre(told: Mapping[str, Any], names: Sequence[str], event: str | None) -> list[Item]:
    colour = told["colour"]
    width = 74.0
    height = width * CARD_HEIGHT / CARD_WIDTH
    draw_x, top_x, y = CX - 120, CX + 16, CY - 6
    items: list[Item] = []
    # Draw pile: a stack as high as it is full, and its count.
    if told["draw_pile"]:
        layers = min(4, 1 + told["draw_pile"] // 25)
        items += [CardAt(BACK, draw_x - 2.0 * i, y - 2.0 * i, width, 0, "draw pile", i) for i in range(layers)]
    else:
        items.append(Box(draw_x - width / 2, y - height / 2, width, height, 8, FELT, SOFT, 2))
    items.append(Label(f"{told['draw_pile']} to draw", draw_x, y + height / 2 + 16, 14, SOFT))
    # Discard pile: its last cards, the top one framed in the colour in force.
    below = len(told["top"]) - 1
    for i, card in enumerate(told["top"]):
        if i == below and colour:
            items.append(Box(top_x - width / 2 - 8, y - height / 2 - 8, width + 16, height + 16, 13, PAPER, INKS[colour], 6))
        x = top_x - 24 * (below - i) - (4 if i < below else 0)
        items.append(CardAt(card, x, y, width, 0, "discard pile", told["discards"] - len(told["top"]) + i))
    items.append(Label(f"{told['discards']} discarded", top_x, y + height / 2 + 20, 14, SOFT))
    # Colour in force: shape, and name.
    x = CX + 120
    if colour:
        items.append(Box(x - 38, y - 47, 76, 94, 12, PAPER))
        items.append(Shape(SHAPES[colour], x, y - 10, 46, INKS[colour]))
        items.append(Label(COLOURS[COLOUR_LETTERS.index(colour)], x, y + 32, 16, INK, bold=True))
    else:
        items.append(Label("no colour yet", x, y, 14, SOFT))
    if told["pending_draw"]:
        items.append(Box(draw_x - 37, y - 17, 74, 34, 17, ALERT))
        items.append(Label(f"+{told['pending_draw']} due", draw_x, y, 17, FELT, bold=True))
    # Whose decision, and what happened.
    if told["outcome"]:
        winners = " and ".join(str(names[seat]) for seat in told["outcome"]["winners"])
        decision = f"{winners} won the round" if winners else f"nobody won ({told['outcome']['termination']})"
    elif told["phase"] is None:
        decision = f"{names[told['turn']]}'s turn"
    else:
        decision = f"{names[told['actor']]} {PHASE_WORDS[Phase[told['phase']]]}"
    items.append(Label(_short(decision, 40), CX, CY - RY + 32, 18, GOLD, bold=True))
    heading = f"{told['rules']} · round {told['round']} · turn {told['turns']}"
    items.append(Label(_short(heading, 60), 14, 18, 14, SOFT, "start"))
    if event:
        items += [Label(line, CX, CY + RY - 45 + 17 * i, 13, LIGHT) for i, line in enumerate(_lines(event, 38)[:2])]
    return items


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def _lines(text: str, length: int) -> list[str]:
    """The text in lines of at most about ``length`` characters; the last of two ends in an ellipsis if it does not fit."""
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + len(word) < length:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    if len(lines) > 2:
        lines[1] = _short(f"{lines[1]} {' '.join(lines[2:])}", length)
    return lines


def _panel_size(n: int, bottom: bool) -> tuple[float, float, float]:
    """Width and height of a player's panel, and width of its cards."""
    if bottom:
        return (440 if n <= 5 else 270), 152, 58
    return {2: 440, 3: 270, 4: 220, 5: 210}.get(n, 184 if n <= 8 else 172), (132 if n <= 6 else 120), (46 if n <= 6 else 40)


def _panel(told: Mapping[str, Any], seat: int, bottom_seat: int, name: str) -> list[Item]:
    n = told["num_players"]
    place = (seat - bottom_seat) % n
    width, height, card_width = _panel_size(n, place == 0)
    angle = 90 + 360 * place / n
    x = CX + 400 * cos(radians(angle))
    y = 320 + 252 * sin(radians(angle))
    if n in (3, 4) and place:
        y += {3: 24, 4: -16}[n] if place != n / 2 else 0
    x = min(max(x, width / 2 + 10), WIDTH - width / 2 - 10)
    y = min(max(y, height / 2 + (34 if x - width / 2 < 260 else 10)), HEIGHT - height / 2 - 10)
    left, top = round(x - width / 2, 1), round(y - height / 2, 1)

    acts, has_turn = seat == told["actor"], seat == told["turn"]
    over = told["outcome"] is not None
    won = over and seat in told["outcome"]["winners"]
    edge = GOLD if won or (acts and not over) else (SOFT if has_turn and not over else None)
    items: list[Item] = [Box(left, top, width, height, 12, BUSY if edge else PANEL, edge, 3 if edge else 0)]
    text_y = top + 16
    items.append(Label(_short(name, 16 if width < 200 else 24), left + 12, text_y, 15, LIGHT, "start", bold=True))
    score = told["scores"][seat]
    right = f"{score} points" if width > 200 else f"{score} pt"
    if over and told["outcome"]["points"][seat]:
        right += f" ({told['outcome']['points'][seat]:+d})"
    items.append(Label(right, left + width - 12, text_y, 13, SOFT, "end"))

    hand = told["hands"][seat]
    items += _fan(hand, x, top + 30 + card_width * 0.75, width - 24, card_width, seat, None if not acts else told["drawn"])
    # The badge with the number of cards, and what was called.
    badge_y = top + height - 15
    words = f"{len(hand)} card{'s' if len(hand) != 1 else ''}" if width > 160 else str(len(hand))
    items.append(Label(words, left + 12, badge_y, 13, LIGHT, "start"))
    if seat == told["dealer"]:
        items.append(Label("dealer", left + width - 12, badge_y, 13, SOFT, "end"))
    if told["declared"][seat]:
        items.append(Box(x - 28, badge_y - 11, 56, 22, 11, GOLD))
        items.append(Label("Uno!", x, badge_y, 14, FELT, bold=True))
    elif seat == told["offender"]:
        items.append(Box(x - 44, badge_y - 11, 88, 22, 11, ALERT))
        items.append(Label("not called", x, badge_y, 14, FELT, bold=True))
    return items


def _fan(hand: Sequence[str], x: float, y: float, room: float, width: float, seat: int, drawn: str | None) -> list[Item]:
    """The cards of a hand, side by side or overlapping, a little fanned; the one just drawn stands out."""
    count = len(hand)
    if not count:
        return []
    step = min(width * 0.62, (room - width) / max(count - 1, 1))
    spread = min(3.0, 16 / max(count - 1, 1)) * min(1.0, step / (width * 0.3))
    items: list[Item] = []
    lifted = hand.index(drawn) if drawn in hand else -1
    for i, card in enumerate(hand):
        off = i - (count - 1) / 2
        angle = round(off * spread)
        sink = 0.35 * abs(angle) * abs(off) * step / width
        items.append(
            CardAt(card, round(x + off * step, 1), round(y + sink - (7 if i == lifted else 0), 1), width, angle, f"seat {seat}", i)
        )
    return items
