"""Positions in other colours or with other seats, for the symmetry tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.positions import by_kind
from uno_env import LAYOUT, OBS_SIZE, PRESETS
from uno_env.cards import COLOUR_LETTERS, KIND_OF_TEXT, KIND_TEXTS

Colours = Mapping[str, str]
"""Colour letter -> colour letter."""


def recolour_card(text: str, colours: Colours) -> str:
    return colours[text[0]] + text[1:] if text[0] in COLOUR_LETTERS else text


def recolour_action(text: str, colours: Colours) -> str:
    name, colon, rest = text.partition(":")
    if colon and name != "swap":
        return f"{name}:{colours[rest]}"
    return recolour_card(name, colours) + colon + rest if name in KIND_OF_TEXT else text


def recolour_rules(rules: Any, colours: Colours) -> Any:
    if isinstance(rules, str) and "deck" in PRESETS[rules]:
        rules = PRESETS[rules]
    if isinstance(rules, Mapping) and isinstance(rules.get("deck"), Mapping):
        return {**rules, "deck": {recolour_card(card, colours): count for card, count in rules["deck"].items()}}
    return rules


def recolour(position: Mapping[str, Any], colours: Colours) -> dict[str, Any]:
    """The position with its colours exchanged."""

    def card_list(texts: list[str]) -> list[str]:
        return [recolour_card(text, colours) for text in texts]

    def letter(colour: str | None) -> str | None:
        return None if colour is None else colours[colour]

    return {
        **position,
        "rules": recolour_rules(position["rules"], colours),
        "hands": [by_kind(card_list(hand)) for hand in position["hands"]],
        "draw_pile": card_list(position["draw_pile"]),
        "discard_pile": card_list(position["discard_pile"]),
        "colour": letter(position["colour"]),
        "drawn": None if position["drawn"] is None else recolour_card(position["drawn"], colours),
        "drew_on": [letter(colour) for colour in position["drew_on"]],
        "colour_before": letter(position["colour_before"]),
        "known": [{**entry, "cards": by_kind(card_list(entry["cards"]))} for entry in position["known"]],
    }


def recolour_observation(row: np.ndarray, colours: Colours) -> np.ndarray:
    """What is seen of the position with its colours exchanged."""
    kinds = [KIND_OF_TEXT[recolour_card(text, colours)] for text in KIND_TEXTS]
    letters = [COLOUR_LETTERS.index(colours[letter]) for letter in COLOUR_LETTERS]
    new = np.zeros(OBS_SIZE, np.int8)
    for part in LAYOUT.values():
        old, out = row[part.slice].reshape(part.shape), new[part.slice].reshape(part.shape)
        if part.shape[-1] == len(kinds):
            out[..., kinds] = old
        elif part.name in ("colour", "colour_before"):
            out[letters] = old
        else:
            out[...] = old
            if part.name == "others":
                out[:, [6 + k for k in letters]] = old[:, 6:10]
    return new


def rotate(position: Mapping[str, Any], k: int) -> dict[str, Any]:
    """The position with everybody moved ``k`` seats to the left."""
    n = position["num_players"]

    def seat(s: int | None) -> int | None:
        return None if s is None else (s + k) % n

    def row(values: list[Any]) -> list[Any]:
        return [values[(s - k) % n] for s in range(n)]

    known = [{**entry, "seat": seat(entry["seat"]), "holder": seat(entry["holder"])} for entry in position["known"]]
    outcome = position["outcome"]
    if outcome is not None:
        winners = sorted((s + k) % n for s in outcome["winners"])
        outcome = {**outcome, "winners": winners, "points": row(outcome["points"])}
    return {
        **position,
        **{key: row(position[key]) for key in ("hands", "declared", "scores", "drew_on")},
        **{key: seat(position[key]) for key in ("dealer", "turn", "actor", "offender")},
        **{key: sorted((s + k) % n for s in position[key]) for key in ("owing", "received")},
        "known": sorted(known, key=lambda entry: (entry["seat"], entry["holder"])),
        "outcome": outcome,
    }
