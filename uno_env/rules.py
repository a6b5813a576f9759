"""`Rules`: every choice that makes one Uno differ from another, in one frozen dataclass.

The first value of each field is the official game's. What each value means is decided in `uno_env.engine` alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import yaml

from uno_env import cards

MIN_PLAYERS, MAX_PLAYERS = 2, 10


class RulesError(ValueError):
    """A field, a value or a combination that no game can be played with."""


@dataclass(frozen=True)
class Rules:
    """The rules of a game. All fields are keyword-friendly and checked on creation (`RulesError`).

    ``Rules.preset("research", num_players=2)`` starts from a preset; ``dataclasses.replace`` changes a field.
    """

    num_players: int = 4
    """Players at the table, 2-10."""
    deck: str | Mapping[str, int] = "classic"
    """``"classic"`` (108 cards), ``"swap"`` (112: a Wild Swap Hands, three Wild Customizable), ``"shuffle"`` (112: a Wild Shuffle
    Hands, three Wild Customizable), or a mapping of card to count, as in ``{"r0": 1, "W": 1}`` (at most 128 cards)."""
    hand_size: int = 7
    """Cards dealt to each player."""
    first_dealer: Literal["last_seat", "random"] = "last_seat"
    """Who deals the first round: the last seat, so that seat 0 is on the dealer's left, or a random seat. The deal then moves one
    seat to the left every round."""
    starter: Literal["flip", "flip_number", "first_player"] = "flip"
    """How the discard pile starts: the next card is turned up and acts (a Wild Draw Four is shuffled back); cards are turned up
    until a number shows; or the first player opens with any card but a Wild Draw Four."""
    starter_reverse: Literal["dealer", "right_of_dealer", "left_of_dealer"] = "dealer"
    """Who plays first after a starter Reverse."""
    voluntary_draw: bool = True
    """Whether a player who could play may draw instead."""
    drawn_card: Literal["may", "must", "never"] = "may"
    """Whether a playable card just drawn may, must, or can not be played at once."""
    draw_until_playable: bool = False
    """Whether a player who draws goes on until a playable card comes."""
    wild_draw_four: Literal["challenge", "enforced", "free"] = "challenge"
    """Wild Draw Four while holding the colour in force: a bluff that can be challenged; not allowed at all; always allowed."""
    challenger: Literal["victim", "any"] = "victim"
    """Who may challenge a Wild Draw Four."""
    failed_challenge_draw: int = 6
    """Cards that a wrong challenger draws for a single Wild Draw Four: 6 or 4."""
    hand_shown_to: Literal["challenger", "all", "none"] = "challenger"
    """Who sees the challenged player's hand."""
    final_draw: bool = True
    """Whether a last-card Draw Two or Wild Draw Four is drawn before the round is scored."""
    two_player_reverse: Literal["skip", "plain"] = "skip"
    """With two players a Reverse skips the opponent, or does nothing."""
    uno_call: Literal["declare", "auto"] = "declare"
    """Whether players call Uno themselves, and may be caught, or are always taken to have called."""
    uno_penalty: int = 2
    """Cards drawn by a player caught without a call, 0-4."""
    uno_on_received: bool = False
    """Whether a single card received in a swap or rotation must be called as well."""
    uno_required_to_win: bool = False
    """Whether an uncalled last card does not end the round but costs two cards."""
    stacking: Literal["off", "same", "up", "any"] = "off"
    """Draw cards that answer draw cards: none; the same kind; also Wild Draw Four on Draw Two; any on any."""
    seven_zero: Literal["off", "both", "seven", "zero"] = "off"
    """A 7 swaps hands with a player of choice, a 0 passes all hands on in the direction of play."""
    seven_optional: bool = False
    """Whether the player of a 7 may decline to swap."""
    jump_in: bool = False
    """Whether a coloured card identical to the top card may be played out of turn."""
    teams: int | None = None
    """The number of teams, or None; the team of a seat is ``seat % teams``."""
    scoring: Literal["winner_takes_all", "keep_own"] = "winner_takes_all"
    """The winner scores what opponents hold; or all collect what they are caught with and the lowest total wins the match."""
    target: int | None = 500
    """Points that end a match, or None for a match of one round."""
    wild_points: int = 50
    """Points of a Wild."""
    custom_points: int = 40
    """Points of Wild Customizable, Wild Swap Hands and Wild Shuffle Hands."""
    stalemate: Literal["void", "fewest_cards"] = "void"
    """What a round is worth in which all players in turn can neither play nor draw."""
    reshuffle: bool = True
    """Whether the discards become the draw pile when it is empty."""
    max_turns: int | None = 10_000
    """Turns after which a round is cut off without a winner, or None."""

    def __post_init__(self) -> None:
        if not isinstance(self.deck, str):
            object.__setattr__(self, "deck", _plain_deck(self.deck))
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            _check_field(field.name, value)
            if isinstance(value, np.integer):
                object.__setattr__(self, field.name, int(value))
        _check_combination(self)

    def __hash__(self) -> int:
        return hash(self.params.tobytes() + self.deck_counts.tobytes())

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone: a copy derives the rest anew, read-only as compiled code was compiled for (NumPy's copies are not)."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    # The engine's view ------------------------------------------------------------------------------------------------

    @cached_property
    def deck_counts(self) -> np.ndarray:
        """Cards of each kind in the deck, ``int64[57]``, read-only."""
        deck = cards.DECKS[self.deck] if isinstance(self.deck, str) else self.deck
        counts = np.zeros(cards.NUM_KINDS, np.int64)
        for text, count in deck.items():
            counts[cards.kind_of(text)] = count
        counts.setflags(write=False)
        return counts

    @cached_property
    def deck_size(self) -> int:
        """Number of cards in the deck."""
        return int(self.deck_counts.sum())

    @cached_property
    def params(self) -> np.ndarray:
        """What compiled code reads: an array with one `PARAMS` record, read-only."""
        record = np.zeros(1, PARAMS)
        for name in PARAMS.names or ():
            if name == "deck":
                record[name][0, : cards.NUM_KINDS] = self.deck_counts
            elif name == "points":
                record[name][0, : cards.NUM_KINDS] = self.points
            else:
                record[name][0] = _encode(name, getattr(self, name))
        record.setflags(write=False)
        return record

    @cached_property
    def points(self) -> np.ndarray:
        """Points of each kind left in a hand, ``int64[57]``, read-only (``rules.md`` 2.14)."""
        symbol = cards.KIND_SYMBOL
        points = np.where(symbol < cards.SKIP, symbol, 20)
        points[cards.WILD] = self.wild_points
        points[cards.WILD_DRAW_FOUR] = 50
        points[[cards.WILD_SWAP, cards.WILD_SHUFFLE, cards.WILD_CUSTOM]] = self.custom_points
        points.setflags(write=False)
        return points

    # Presets, text, files ---------------------------------------------------------------------------------------------

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Rules:
        """The preset ``name`` with some fields changed; `RulesError` for an unknown preset or field."""
        if name not in PRESETS:
            raise RulesError(f"unknown preset {name!r}: presets are {', '.join(PRESETS)}")
        return cls.from_dict(PRESETS[name] | changes)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Rules:
        """Rules that differ from ``official`` in ``fields``; `RulesError` for an unknown field."""
        known = [field.name for field in dataclasses.fields(cls)]
        for name in fields:
            if name not in known:
                raise RulesError(f"unknown rules field {name!r}: fields are {', '.join(known)}")
        return cls(**fields)

    @classmethod
    def of(cls, rules: Rules | str | Path | Mapping[str, Any], num_players: int | None = None) -> Rules:
        """Rules from whatever a user names them by: a `Rules`, a preset's name, a mapping of fields, or a YAML file's path.

        ``num_players`` outranks the number inside ``rules``.
        """
        changes = {} if num_players is None else {"num_players": num_players}
        if isinstance(rules, Rules):
            return dataclasses.replace(rules, **changes)
        if isinstance(rules, Mapping):
            return cls.from_dict({**rules, **changes})
        if isinstance(rules, str) and rules in PRESETS:
            return cls.preset(rules, **changes)
        if isinstance(rules, (str, Path)):
            if Path(rules).is_file():
                return dataclasses.replace(cls.load(rules), **changes)
            raise RulesError(f"rules {str(rules)!r} are neither a preset ({', '.join(PRESETS)}) nor a YAML file")
        raise RulesError(f"rules must be a Rules, a preset's name, a mapping or a path, not {type(rules).__name__}")

    def to_dict(self) -> dict[str, Any]:
        """The fields that differ from ``official``, as plain data."""
        plain = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                plain[field.name] = dict(value) if isinstance(value, Mapping) else value
        return plain

    def save(self, path: str | Path) -> None:
        """Write the fields that differ from ``official`` as YAML."""
        Path(path).write_text(yaml.safe_dump(self.to_dict(), sort_keys=False), encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Rules:
        """Read rules from YAML: a mapping of fields; the key ``preset`` names where to start from."""
        data = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        if data is None:
            data = {}
        if not isinstance(data, dict):
            raise RulesError(f"{path}: expected a mapping of rules fields, got {type(data).__name__}")
        preset = data.pop("preset", "official")
        return cls.preset(preset, **data)

    def team_of(self, seat: int) -> int:
        """The side a seat plays for: its team, or itself."""
        return seat % self.teams if self.teams else seat


class _Deck(dict[str, int]):
    """A custom deck that can not be changed by accident."""

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("a deck can not be changed; make new Rules instead")

    __setitem__ = __delitem__ = update = pop = popitem = clear = setdefault = _refuse  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return (_Deck, (dict(self),))


def _plain_deck(deck: Any) -> _Deck:
    if not isinstance(deck, Mapping):
        raise RulesError(f"deck={deck!r}: expected 'classic', 'swap', 'shuffle' or a mapping of card to count")
    plain: dict[str, int] = {}
    for text, count in deck.items():
        try:
            cards.kind_of(text)
        except ValueError as error:
            raise RulesError(f"deck: {error}") from None
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or not 0 <= count <= cards.MAX_COPIES:
            raise RulesError(f"deck: {count!r} copies of {text!r}: a count is an integer from 0 to {cards.MAX_COPIES}")
        if count:
            plain[text] = int(count)
    return _Deck(sorted(plain.items(), key=lambda item: cards.kind_of(item[0])))


# What values a field may take -----------------------------------------------------------------------------------------

CHOICES: dict[str, tuple[str, ...]] = {
    "first_dealer": ("last_seat", "random"),
    "starter": ("flip", "flip_number", "first_player"),
    "starter_reverse": ("dealer", "right_of_dealer", "left_of_dealer"),
    "drawn_card": ("may", "must", "never"),
    "wild_draw_four": ("challenge", "enforced", "free"),
    "challenger": ("victim", "any"),
    "hand_shown_to": ("challenger", "all", "none"),
    "two_player_reverse": ("skip", "plain"),
    "uno_call": ("declare", "auto"),
    "stacking": ("off", "same", "up", "any"),
    "seven_zero": ("off", "both", "seven", "zero"),
    "scoring": ("winner_takes_all", "keep_own"),
    "stalemate": ("void", "fewest_cards"),
}
"""The values of the fields that are words, in the order of their codes in `PARAMS`."""

FLAGS = (
    "voluntary_draw",
    "draw_until_playable",
    "final_draw",
    "uno_on_received",
    "uno_required_to_win",
    "seven_optional",
    "jump_in",
    "reshuffle",
)
"""The fields that are True or False."""

RANGES: dict[str, tuple[int, int]] = {
    "num_players": (MIN_PLAYERS, MAX_PLAYERS),
    "hand_size": (1, cards.MAX_DECK),
    "uno_penalty": (0, 4),
    "target": (1, 1_000_000),
    "wild_points": (0, 1000),
    "custom_points": (0, 1000),
    "max_turns": (1, 2**31 - 1),
    "teams": (2, MAX_PLAYERS // 2),
}
"""The fields that are numbers, with their least and greatest value."""

OPTIONAL = ("teams", "target", "max_turns")
"""The numbers that may be None; `PARAMS` then holds 0."""

#: The rules as compiled code reads them: words by their place in `CHOICES`, None as 0, deck and points by kind (64 wide).
_FIELDS = [(name, np.int64) for name in (*CHOICES, *FLAGS, *RANGES, "failed_challenge_draw")]
# `np.record`: plain Python reads fields of ``params[0]`` as attributes, as compiled code does.
PARAMS = np.dtype((np.record, np.dtype([*_FIELDS, ("deck", np.int8, (64,)), ("points", np.int64, (64,))], align=True)))


def _encode(name: str, value: Any) -> int:
    if name in CHOICES:
        return CHOICES[name].index(value)
    return 0 if value is None else int(value)


def _check_field(name: str, value: Any) -> None:
    if name == "deck":
        if isinstance(value, str) and value not in cards.DECKS:
            raise RulesError(f"deck={value!r}: expected {', '.join(map(repr, cards.DECKS))} or a mapping of card to count")
    elif name in CHOICES:
        if value not in CHOICES[name]:
            raise RulesError(f"{name}={value!r}: expected one of {', '.join(map(repr, CHOICES[name]))}")
    elif name in FLAGS:
        if not isinstance(value, bool):
            raise RulesError(f"{name}={value!r}: expected True or False")
    elif name == "failed_challenge_draw":
        if isinstance(value, bool) or value not in (6, 4):
            raise RulesError(f"failed_challenge_draw={value!r}: expected 6 or 4")
    elif value is None:
        if name not in OPTIONAL:
            raise RulesError(f"{name}=None: expected an integer")
    else:
        low, high = RANGES[name]
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
            none = " or None" if name in OPTIONAL else ""
            raise RulesError(f"{name}={value!r}: expected an integer from {low} to {high}{none}")


def _check_combination(rules: Rules) -> None:
    n, deck = rules.num_players, rules.deck_size
    if deck > cards.MAX_DECK:
        raise RulesError(f"deck: {deck} cards, at most {cards.MAX_DECK} are possible")
    needed = n * rules.hand_size + 1
    if needed > deck:
        raise RulesError(
            f"num_players={n} with hand_size={rules.hand_size} needs {needed} cards, the starter included; the deck has {deck}"
        )
    left = deck - n * rules.hand_size
    if rules.starter == "flip" and left <= (never := int(rules.deck_counts[cards.WILD_DRAW_FOUR])):
        raise RulesError(
            f"starter='flip': after the deal {left} cards are left, which may all be Wild Draw Fours ({never} in the deck); "
            "use fewer of them, smaller hands or starter='first_player'"
        )
    if rules.starter == "flip_number":
        never = int(rules.deck_counts[cards.KIND_SYMBOL >= cards.SKIP].sum())
        if left <= never:
            raise RulesError(
                f"starter='flip_number': after the deal {left} cards are left, which may all be other than numbers "
                f"({never} in the deck); use more numbers, smaller hands or another starter"
            )
    if rules.drawn_card == "never" and rules.draw_until_playable:
        raise RulesError("drawn_card='never' contradicts draw_until_playable=True: use 'may' or 'must'")
    if rules.teams is not None and (n % rules.teams or n // rules.teams < 2):
        raise RulesError(f"teams={rules.teams} with num_players={n}: teams must divide the players into sides of two or more")


_SINGLE: dict[str, Any] = {"uno_call": "auto", "target": None}
_DIGITAL: dict[str, Any] = _SINGLE | {"wild_draw_four": "enforced"}
_MINI: dict[str, Any] = _DIGITAL | {"num_players": 2, "hand_size": 2, "voluntary_draw": False, "reshuffle": False}

PRESETS: dict[str, dict[str, Any]] = {
    "official": {},
    "crash_course": {"starter": "first_player", "voluntary_draw": False, "drawn_card": "never", "final_draw": False},
    "how_to_play": {"final_draw": False, "wild_points": 40},
    "house_stacking": {"stacking": "same"},
    "house_seven_zero": {"seven_zero": "both", "uno_on_received": True},
    "house_jump_in": {"jump_in": True},
    "party": {"stacking": "same", "seven_zero": "both", "jump_in": True, "uno_on_received": True},
    "no_bluffing_penalty": {"failed_challenge_draw": 4},
    "team": {"teams": 2},
    "research": _SINGLE,
    "digital": _DIGITAL,
    "mini": _MINI | {"deck": {card: 1 for card in ("r0", "r1", "rS", "y0", "y1", "yS", "W")}},
    "mini_bluff": _MINI
    | {
        "wild_draw_four": "challenge",
        "deck": {card: 1 for card in ("r0", "r1", "r2", "y0", "y1", "y2", "W", "W4")},
    },
}
"""Named rules: the fields in which each differs from ``official`` (``rulings.md`` 22)."""
