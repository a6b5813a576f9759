"""`Rules`: fields, bad values, combinations, presets, files, and being a value."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from tests.reference import complete_rules, random_rules
from uno_env import PRESETS, Game, Rules, RulesError
from uno_env.cards import DECKS, KIND_TEXTS, NUM_KINDS
from uno_env.rules import CHOICES, FLAGS, OPTIONAL, RANGES

# The table of design.md section 5: field -> its values, the official one first.
DESIGN: dict[str, tuple[Any, ...]] = {
    "num_players": (4, 2, 10),
    "deck": ("classic", "swap", "shuffle"),
    "hand_size": (7, 1),
    "first_dealer": ("last_seat", "random"),
    "starter": ("flip", "flip_number", "first_player"),
    "starter_reverse": ("dealer", "right_of_dealer", "left_of_dealer"),
    "voluntary_draw": (True, False),
    "drawn_card": ("may", "must", "never"),
    "draw_until_playable": (False, True),
    "wild_draw_four": ("challenge", "enforced", "free"),
    "challenger": ("victim", "any"),
    "failed_challenge_draw": (6, 4),
    "hand_shown_to": ("challenger", "all", "none"),
    "final_draw": (True, False),
    "two_player_reverse": ("skip", "plain"),
    "uno_call": ("declare", "auto"),
    "uno_penalty": (2, 0, 1, 3, 4),
    "uno_on_received": (False, True),
    "uno_required_to_win": (False, True),
    "stacking": ("off", "same", "up", "any"),
    "seven_zero": ("off", "both", "seven", "zero"),
    "seven_optional": (False, True),
    "jump_in": (False, True),
    "teams": (None, 2),
    "scoring": ("winner_takes_all", "keep_own"),
    "target": (500, None, 1, 200),
    "wild_points": (50, 40, 0),
    "custom_points": (40, 0),
    "stalemate": ("void", "fewest_cards"),
    "reshuffle": (True, False),
    "max_turns": (10_000, None, 1),
}

BAD: dict[str, tuple[Any, ...]] = {
    "num_players": (0, 1, 11, 15, -2, 2.0, "4", True, None),
    "deck": ("Classic", "", 7, None, ["r5"], {"x9": 1}, {"r5": -1}, {"r5": 1.5}, {"r5": True}, {"r5": 128}, {5: 1}),
    "hand_size": (0, -1, 7.0, "7", None, True, 129),
    "failed_challenge_draw": (5, 0, "6", None, True),
    "uno_penalty": (-1, 5, None, "2", True, 2.0),
    "teams": (1, 0, 6, "2", 2.0, True),
    "target": (0, -500, "500", 499.5, True),
    "wild_points": (-1, None, "50", True, 1001),
    "custom_points": (-1, None, "40", True),
    "max_turns": (0, -1, 1.5, "many", True),
}


def test_fields_are_those_of_the_design() -> None:
    assert [field.name for field in dataclasses.fields(Rules)] == list(DESIGN)
    assert {name: getattr(Rules(), name) for name in DESIGN} == {name: values[0] for name, values in DESIGN.items()}
    assert {*CHOICES, *FLAGS, *RANGES, "deck", "failed_challenge_draw"} == set(DESIGN)
    assert CHOICES == {name: DESIGN[name] for name in CHOICES}
    assert {name for name, values in DESIGN.items() if None in values} == set(OPTIONAL)


def test_every_field_has_a_docstring_line() -> None:
    source = inspect.getsource(Rules).splitlines()
    for name in DESIGN:
        line = next(i for i, text in enumerate(source) if text.startswith(f"    {name}: "))
        assert source[line + 1].strip().startswith('"""'), name


@pytest.mark.parametrize("name", DESIGN)
def test_good_values(name: str) -> None:
    for value in DESIGN[name]:
        assert getattr(Rules.preset("official", **{name: value}), name) == value
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(Rules(), name, DESIGN[name][-1])


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, values in BAD.items() for value in values]
    + [(name, value) for name in CHOICES for value in ("nonsense", "", None, 1, CHOICES[name][0].upper())]
    + [(name, value) for name in FLAGS for value in (None, 1, 0, "yes", "True")],
)
def test_bad_values(name: str, value: Any) -> None:
    with pytest.raises(RulesError, match=name) as caught:
        Rules(**{name: value})
    if name in CHOICES:
        assert all(repr(choice) in str(caught.value) for choice in CHOICES[name])  # it says what would be right
    if name not in ("deck", "teams"):
        assert repr(value) in str(caught.value)


def test_numpy_numbers_are_numbers() -> None:
    rules = Rules(num_players=np.int64(3), hand_size=np.int32(5))  # type: ignore[arg-type]
    assert rules == Rules(num_players=3, hand_size=5)
    assert type(rules.num_players) is int
    assert Game.replay(Game(rules, np.int64(4)).transcript()).rules == rules  # type: ignore[arg-type]


def test_combinations() -> None:
    small = {"r1": 5, "r2": 5}
    with pytest.raises(RulesError, match="num_players=4 with hand_size=3 needs 13 cards, the starter included; the deck has 10"):
        Rules(deck=small, hand_size=3)
    Rules(deck=small, hand_size=2)
    with pytest.raises(RulesError, match="drawn_card='never' contradicts draw_until_playable=True"):
        Rules(drawn_card="never", draw_until_playable=True)
    with pytest.raises(RulesError, match="deck: 129 cards, at most 128 are possible"):
        Rules(deck={"r1": 100, "r2": 29})
    Rules(deck={"r1": 100, "r2": 28})
    with pytest.raises(RulesError, match="teams=3 with num_players=4"):
        Rules(teams=3)
    with pytest.raises(RulesError, match="teams=2 with num_players=2"):
        Rules(num_players=2, teams=2)
    with pytest.raises(RulesError, match="starter='flip'"):
        Rules(num_players=2, hand_size=1, deck={"r1": 1, "W4": 3})
    with pytest.raises(RulesError, match="starter='flip_number'"):
        Rules(num_players=2, hand_size=1, deck={"r1": 1, "rS": 3}, starter="flip_number")
    with pytest.raises(RulesError, match="num_players=10 with hand_size=11"):
        Rules(num_players=10, hand_size=11)


def test_unknown_names() -> None:
    with pytest.raises(RulesError, match="unknown preset 'offical': presets are official, crash_course") as caught:
        Rules.preset("offical")
    assert all(name in str(caught.value) for name in PRESETS)
    with pytest.raises(RulesError, match="unknown rules field 'stack': fields are num_players, deck") as caught:
        Rules.preset("official", stack="same")
    assert all(name in str(caught.value) for name in DESIGN)
    with pytest.raises(RulesError, match=r"neither a preset .* nor a YAML file"):
        Rules.of("no/such/file.yaml")
    with pytest.raises(RulesError, match="must be a Rules, a preset's name, a mapping or a path, not int"):
        Rules.of(7)  # type: ignore[arg-type]


def test_of_takes_what_users_have(tmp_path: Path) -> None:
    rules = Rules.preset("party", num_players=5)
    rules.save(tmp_path / "party.yaml")
    for given in (rules, rules.to_dict(), tmp_path / "party.yaml", str(tmp_path / "party.yaml")):
        assert Rules.of(given) == rules
        assert Rules.of(given, 7) == dataclasses.replace(rules, num_players=7)
    assert Rules.of("party", 5) == rules


@pytest.mark.parametrize("name", PRESETS)
def test_presets(name: str) -> None:
    rules = Rules.preset(name)
    expected = complete_rules(name)  # the reference's own table
    assert {field: getattr(rules, field) for field in DESIGN} == expected
    assert rules.to_dict() == {k: v for k, v in PRESETS[name].items() if v != DESIGN[k][0]}
    n = 3 if name.startswith("mini") else 6
    assert Rules.preset(name, num_players=n).num_players == n
    assert Game(name, 0, num_players=n).num_players == n


def test_decks() -> None:
    for name, size, points in (("classic", 108, 1240), ("swap", 112, 1400), ("shuffle", 112, 1400)):  # rules.md 2.1, 2.14
        rules = Rules(deck=name)
        assert rules.deck_size == size
        assert int(rules.deck_counts @ rules.points) == points
        assert {KIND_TEXTS[k]: int(n) for k, n in enumerate(rules.deck_counts) if n} == DECKS[name]
    how_to_play = Rules.preset("how_to_play")
    assert int(how_to_play.deck_counts @ how_to_play.points) == 1200
    for colour in "rygb":
        assert [DECKS["classic"][colour + s] for s in "0123456789SRD"] == [1, *[2] * 12]


def test_points() -> None:
    points = Rules(wild_points=45, custom_points=30).points
    assert len(points) == NUM_KINDS
    for kind, text in enumerate(KIND_TEXTS):
        expected = {"W": 45, "W4": 50, "WX": 30, "WS": 30, "WC": 30}.get(text)
        if expected is None:
            expected = int(text[1]) if text[1].isdigit() else 20
        assert points[kind] == expected


def test_a_custom_deck_is_a_value() -> None:
    given = {"W": 2, "r5": 3, "b1": 0}
    rules = Rules(num_players=2, hand_size=1, deck=given)
    given["r5"] = 99
    assert dict(rules.deck) == {"r5": 3, "W": 2}  # a copy, by kind, without zeros
    with pytest.raises(TypeError, match="can not be changed"):
        rules.deck["r5"] = 4  # type: ignore[index]
    assert rules == Rules(num_players=2, hand_size=1, deck={"r5": 3, "W": 2})
    with pytest.raises(ValueError, match="read-only"):
        rules.deck_counts[0] = 1


def sample(count: int) -> list[Rules]:
    return [Rules.preset(name) for name in PRESETS] + [Rules.from_dict(random_rules(random.Random(i))) for i in range(count)]


def test_yaml_round_trip(tmp_path: Path) -> None:
    for i, rules in enumerate(sample(60)):
        path = tmp_path / f"{i}.yaml"
        rules.save(path)
        assert Rules.load(path) == rules
        assert yaml.safe_load(path.read_text(encoding="utf-8")) == rules.to_dict()


def test_yaml_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("preset: party\nnum_players: 6\nteams: 3\n", encoding="utf-8")
    assert Rules.load(path) == Rules.preset("party", num_players=6, teams=3)
    path.write_text("", encoding="utf-8")
    assert Rules.load(path) == Rules()
    path.write_text("- official\n", encoding="utf-8")
    with pytest.raises(RulesError, match="expected a mapping of rules fields, got list"):
        Rules.load(path)
    path.write_text("stacks: same\n", encoding="utf-8")
    with pytest.raises(RulesError, match="unknown rules field 'stacks'"):
        Rules.load(path)
    path.write_text("preset: familiar\n", encoding="utf-8")
    with pytest.raises(RulesError, match="unknown preset 'familiar'"):
        Rules.load(path)


def test_equality_hash_pickle_replace() -> None:
    rules = sample(40)
    for one in rules:
        again = Rules.from_dict(one.to_dict())
        assert again == one
        assert hash(again) == hash(one)
        copy = pickle.loads(pickle.dumps(one))
        assert copy == one
        assert hash(copy) == hash(one)
        assert copy.params.tobytes() == one.params.tobytes()
        assert dataclasses.replace(one) == one
    different = {one.params.tobytes() for one in rules}
    assert len(set(rules)) == len(different)
    assert dataclasses.replace(Rules(), stacking="any") == Rules(stacking="any") != Rules()
    with pytest.raises(RulesError, match="stacking"):
        dataclasses.replace(Rules(), stacking="all")


def test_every_field_reaches_the_engine() -> None:
    plain = Rules()
    for name, values in DESIGN.items():
        for value in values[1:]:
            assert dataclasses.replace(plain, **{name: value}).params.tobytes() != plain.params.tobytes(), (name, value)
