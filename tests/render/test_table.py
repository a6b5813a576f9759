"""The table: kept pictures, everything on it for 2 to 10 players, and nothing that a seat may not see."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

from tests.env.play import pick
from tests.render.scenes import CHALLENGED, FOUR, GOLDEN, OVER, STARTER, TABLES, difference, load, pictures
from uno_env import Game
from uno_env.render.raster import draw_table, table_pixels
from uno_env.render.svg import card_symbols, table_svg
from uno_env.render.table import HEIGHT, WIDTH, Box, CardAt, Label, seat_of, seen, table_items

PICTURES = pictures()
TOLERANCE = 2.0
"""Mean difference of a colour's strength (of 255) that another version of pygame or of its font may make. A card that is missing
on a table of ten makes about 3."""


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_as_kept(name: str) -> None:
    kept = GOLDEN / f"{name}.png"
    assert kept.stat().st_size < 60_000
    assert PICTURES[name].shape == load(kept).shape
    assert difference(PICTURES[name], load(kept)) < TOLERANCE


def test_no_kept_picture_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(PICTURES)


def test_the_tolerance_sees_a_wrong_card() -> None:
    changed = FOUR | {"hands": [["r5", "r9", "y1", "gS", "bD", "W", "g7"], *FOUR["hands"][1:]], "discard_pile": ["y1", "r9", "b2"]}
    wrong = table_pixels(changed, "all", event="player_3 plays red Skip", width=480)
    assert difference(wrong, load(GOLDEN / "four.png")) > TOLERANCE


def labels(position: dict[str, Any], viewpoint: Any = "all", **options: Any) -> list[str]:
    return [item.text for item in table_items(position, viewpoint, **options) if isinstance(item, Label)]


def cards(position: dict[str, Any], viewpoint: Any = "all") -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for item in table_items(position, viewpoint):
        if isinstance(item, CardAt):
            found.setdefault(item.owner, []).append(item.card)
    return found


def test_everything_is_on_the_table() -> None:
    told = labels(FOUR, names=["Ann", "Bob", "Cem", "Dia"], event="Dia plays red Skip")
    assert {"Ann", "Bob", "Cem", "Dia", "Ann plays or draws", "Dia plays red Skip", "Uno!", "dealer", "red", "42 to draw"} <= set(
        told
    )
    assert {"3 discarded", "7 cards", "1 card", "310 points", "official · round 1 · turn 1"} <= set(told)
    assert cards(FOUR)["seat 2"] == ["g2", "g3", "yR", "r0"]
    assert cards(FOUR)["discard pile"] == ["y1", "r9", "rS"]
    assert {"+4 due", "player_2 may challenge"} <= set(labels(CHALLENGED))
    assert {"player_0 won the round", "51 points (+51)"} <= set(labels(OVER))
    assert {"no colour yet", "player_0 names the colour"} <= set(labels(STARTER))
    caught = {**FOUR, "phase": "CATCH", "offender": 1, "actor": 2, "turn": 1, "declared": [False] * 4}
    assert {"not called", "player_2 may catch a missed Uno"} <= set(labels(caught))


def test_a_seat_sees_its_own_hand() -> None:
    own = cards(FOUR, 3)
    assert own["seat 3"] == ["y9", "b6", "W4"]
    assert own["seat 0"] == ["back"] * 7
    assert own["seat 1"] == ["back"]
    assert "player_0's turn" in labels(FOUR, 3)
    assert "Uno!" in labels(FOUR, 3)
    known = FOUR | {"known": [{"seat": 3, "holder": 0, "cards": ["W4"]}]}
    assert cards(known, 3)["seat 0"] == ["W4", *["back"] * 6]
    assert cards(known, 2)["seat 0"] == ["back"] * 7


def test_viewpoints() -> None:
    assert seat_of("all", 3) is None
    assert [seat_of(v, 3, ["Ann", "Bob", "Cem"]) for v in (1, "player_1", "Bob", np.int64(1))] == [1, 1, 1, 1]
    for wrong in (3, -1, "player_3", "Dia", True, ""):
        with pytest.raises(ValueError, match="viewpoint="):
            seat_of(wrong, 3, ["Ann", "Bob", "Cem"])


@pytest.mark.parametrize("preset", ["official", "party"])
def test_a_seat_is_shown_no_more_than_it_can_know(preset: str) -> None:
    """Whatever is redrawn of what a seat cannot know, it sees the same table, and the open cards are those it knows."""
    rng = random.Random(3)
    for seed in range(4):
        game = Game(preset, seed, num_players=3)
        for turn in range(60):
            if game.over:
                break
            game.push(pick(game.action_mask(), rng))
            if turn % 3:
                continue
            position = game.position()
            for seat in range(3):
                shown = table_svg(position, seat, symbols=False)
                other = game.resample(seat, turn).position()
                assert table_svg(other, seat, symbols=False) == shown
                open_cards = set(re.findall(r"#card-([^\"]+)", shown)) - {"back"}
                lawful = {*position["hands"][seat], *position["discard_pile"][-3:]}
                lawful |= {card for entry in position["known"] if entry["seat"] == seat for card in entry["cards"]}
                assert open_cards <= lawful
                defined = set(re.findall(r"id=\"card-([^\"]+)", table_svg(position, seat))) - {"back"}
                assert defined == open_cards


@pytest.mark.parametrize("n", range(2, 11))
@pytest.mark.parametrize("viewpoint", ["all", 0, "player_1"])
def test_nothing_overlaps_or_leaves_the_table(n: int, viewpoint: str | int) -> None:
    position = {
        "rules": "official",
        "hands": [["r5", "W4", "b2"] * (6 if seat % 3 == 0 else 1) for seat in range(n)],
        "discard_pile": ["r1", "b1", "g1"],
        "draw_pile": ["r1"] * 90,
    }
    items = table_items(position, viewpoint)
    panels = [item for item in items if isinstance(item, Box) and item.radius == 12 and item.height > 100]
    assert len(panels) == n
    for i, a in enumerate(panels):
        assert a.x >= 0
        assert a.y >= 0
        assert a.x + a.width <= WIDTH
        assert a.y + a.height <= HEIGHT
        for b in panels[i + 1 :]:
            apart = a.x + a.width <= b.x or b.x + b.width <= a.x or a.y + a.height <= b.y or b.y + b.height <= a.y
            assert apart, (n, i)
        for item in items:
            if isinstance(item, CardAt) and item.owner.endswith("pile"):
                assert not (
                    a.x < item.x + 45 and item.x - 45 < a.x + a.width and a.y < item.y + 64 and item.y - 64 < a.y + a.height
                )
    for item in items:
        if isinstance(item, CardAt) and item.owner.startswith("seat"):
            panel = panels[int(item.owner.split()[1])]
            assert panel.x < item.x - item.width / 2
            assert item.x + item.width / 2 < panel.x + panel.width
            assert panel.y < item.y - item.width * 0.75
            assert item.y + item.width * 0.75 < panel.y + panel.height


@pytest.mark.parametrize("name", TABLES)
def test_svg_is_well_formed_and_brings_what_it_needs(name: str) -> None:
    position, viewpoint, event = TABLES[name]
    text = table_svg(position, viewpoint, event=event, names=[f'<"{seat}&' for seat in range(len(position["hands"]))])
    root = ET.fromstring(text)
    ids = {element.get("id") for element in root.iter()}
    assert {element.get("href", "")[1:] for element in root.iter() if element.get("href")} <= ids
    assert re.sub(r'xmlns="http://www.w3.org/2000/svg"', "", text).count("://") == 0
    page = ET.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{card_symbols()}{table_svg(position, symbols=False)}</svg>')
    ids = {element.get("id") for element in page.iter()}
    assert {element.get("href", "")[1:] for element in page.iter() if element.get("href")} <= ids


def test_pixels_are_fresh_and_of_the_asked_size() -> None:
    for width in (60, 480, 960, 1280):
        assert table_pixels(FOUR, width=width).shape == (width * 2 // 3, width, 3)
    one, other = table_pixels(FOUR), table_pixels(FOUR)
    assert one.dtype == np.uint8
    assert one.flags.writeable
    assert one.flags.owndata
    assert np.array_equal(one, other)
    assert not np.shares_memory(one, other)
    assert draw_table(FOUR).get_size() == (WIDTH, HEIGHT)


def test_positions_may_leave_out_plain_values() -> None:
    told = seen({"hands": [["r5"], ["b1", "W"]], "discard_pile": ["g3"]}, 1)
    assert (told["colour"], told["hands"], told["dealer"], told["phase"]) == ("g", [["back"], ["b1", "W"]], 1, None)
    assert table_pixels({"hands": [["r5"], ["b1"]]}).any()


def bare(code: str) -> subprocess.CompletedProcess[str]:
    """A fresh process without a screen and without a word about video drivers."""
    environ = {
        key: value for key, value in os.environ.items() if not key.startswith(("SDL_", "DISPLAY", "WAYLAND", "XDG_", "PYGAME"))
    }
    return subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, timeout=120, check=False)


def test_pictures_need_no_display() -> None:
    code = """
from uno_env import uno_v0
env = uno_v0.env(render_mode="rgb_array")
env.reset(seed=1)
picture = env.render()
import pygame
assert not pygame.display.get_init() and not pygame.get_init()
print(picture.shape, picture.dtype, len(set(picture.ravel().tolist())) > 100)
"""
    done = bare(code)
    assert (done.stdout, done.returncode) == ("(640, 960, 3) uint8 True\n", 0), done.stderr


def test_the_core_runs_without_pygame() -> None:
    code = """
import sys
sys.modules["pygame"] = None
from uno_env import Game, uno_v0
from uno_env.render.svg import table_svg
env = uno_v0.env(render_mode="ansi")
env.reset(seed=1)
assert env.render() and table_svg(Game(seed=1).position()) and Game(seed=1)._repr_html_()
for mode in ("rgb_array", "human"):
    try:
        uno_v0.env(render_mode=mode)
    except ImportError as error:
        print(error)
"""
    done = bare(code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("pip install 'uno-env[render]'") == 2
