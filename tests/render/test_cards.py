"""One drawing of each card, told apart by shape as well as by colour."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from uno_env.cards import COLOUR_LETTERS, KIND_TEXTS, SYMBOL_TEXTS
from uno_env.render.raster import card_pixels
from uno_env.render.shapes import BACK, FIGURES, card_label, card_texts, face
from uno_env.render.svg import card_svg, card_symbols

SVG = "{http://www.w3.org/2000/svg}"
WIDTH = 60

# Machado, Oliveira, Fernandes 2009: linear RGB as people without one kind of cone see it.
BLINDNESS = {
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    "no colour": [[0.2126, 0.7152, 0.0722]] * 3,
}


def as_seen(picture: np.ndarray, blindness: str) -> np.ndarray:
    linear = (picture / 255.0) ** 2.2
    return np.clip(linear @ np.array(BLINDNESS[blindness]).T, 0, 1) ** (1 / 2.2) * 255


def nearest(pictures: list[np.ndarray]) -> float:
    """The mean difference of the two pictures that are most alike."""
    flat = np.stack(pictures).reshape(len(pictures), -1).astype(np.float32)
    return min(float(np.abs(flat[i + 1 :] - flat[i]).mean(axis=1).min()) for i in range(len(flat) - 1))


def test_every_kind_and_every_named_wild_and_the_back_have_a_face() -> None:
    assert set(card_texts()) == {*KIND_TEXTS, *(f"{w}:{c}" for w in ("W", "W4", "WX", "WS", "WC") for c in "rygb"), BACK}
    for text in card_texts():
        assert {mark.figure for mark in face(text).marks} <= set(FIGURES)
        assert card_label(text)
    assert (card_label("r5"), card_label("W4:b"), card_label(BACK)) == ("red 5", "Wild Draw Four, blue", "face-down card")


@pytest.mark.parametrize("text", ["", "x5", "r", "r55", "W:", "W:x", "r5:b", "back:r", "W4b"])
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="unknown card"):
        card_svg(text)


def test_all_cards_differ() -> None:
    assert nearest([card_pixels(text, WIDTH) for text in card_texts()]) > 1


@pytest.mark.parametrize("blindness", BLINDNESS)
def test_colours_are_told_apart_without_colour(blindness: str) -> None:
    def shape(picture: np.ndarray) -> np.ndarray:
        """Where the light figure in the middle is, whatever the plate's colour."""
        grey = as_seen(picture, blindness).mean(axis=2)[20:70, 8:52]
        return grey > (grey.max() + np.median(grey[:4])) / 2

    for symbol in SYMBOL_TEXTS:
        shapes = [shape(card_pixels(colour + symbol, WIDTH)) for colour in COLOUR_LETTERS]
        for one, other in itertools.combinations(shapes, 2):
            assert (one != other).mean() > 0.04


@pytest.mark.parametrize("blindness", BLINDNESS)
def test_all_cards_differ_in_every_eye(blindness: str) -> None:
    assert nearest([as_seen(card_pixels(text, WIDTH), blindness) for text in card_texts()]) > 0.8


def test_symbols_are_well_formed_and_complete() -> None:
    root = ET.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{card_symbols()}</svg>')
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    assert {f"card-{text}" for text in card_texts()} <= set(ids)
    used = {use.get("href", "")[1:] for use in root.iter(f"{SVG}use")}
    assert used <= set(ids)
    assert len(card_symbols()) < 80_000


@pytest.mark.parametrize("text", card_texts())
def test_a_card_alone_is_a_picture_with_a_name(text: str) -> None:
    root = ET.fromstring(card_svg(text, standalone=True))
    assert root.get("aria-label") == card_label(text)
    assert [use.get("href") for use in root.findall(f"{SVG}use")] == [f"#card-{text}"]
    assert ET.fromstring(card_svg(text, label="")).get("aria-hidden") == "true"
    assert ET.fromstring(card_svg(text, label='<"&>')).get("aria-label") == '<"&>'
