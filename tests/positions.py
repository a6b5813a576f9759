"""Helpers of the core tests: positions built around a few cards that matter, and play through texts with checks at every action."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from uno_env import Game, Rules
from uno_env.cards import DECKS, KIND_OF_TEXT

#: As `rules.md` section 4 says: calls are automatic unless a scenario says otherwise.
AUTO = {"uno_call": "auto"}


def deck_of(rules: Mapping[str, Any] | str) -> Counter[str]:
    """The whole deck of the rules, card -> count."""
    deck = rules.get("deck", "classic") if isinstance(rules, Mapping) else Rules.preset(rules).deck
    return Counter(DECKS[deck] if isinstance(deck, str) else dict(deck))


def by_kind(cards: Sequence[str]) -> list[str]:
    """Cards in the order in which positions write a hand."""
    return sorted(cards, key=KIND_OF_TEXT.__getitem__)


def position_at(
    hands: Sequence[Sequence[str]],
    top: str = "r5",
    rules: Mapping[str, Any] | str | None = None,
    *,
    n: int = 4,
    next_cards: Sequence[str] = (),
    below: Sequence[str] = (),
    **keys: Any,
) -> dict[str, Any]:
    """A position with the given hands and top card that holds a whole deck.

    Hands left out are two dull cards each: no red, no 0, 5 or 7, nothing of what is in use. ``next_cards`` come first in the draw
    pile, ``below`` are the discards under the top, the rest of the deck follows in the draw pile. ``draw_pile=`` and
    ``discard_pile=`` in ``keys`` give a pile exactly, and nothing is added then.
    """
    rules = AUTO if rules is None else rules if isinstance(rules, str) else {**AUTO, **rules}
    discards = list(keys.pop("discard_pile", [*below, top]))
    exact_pile = keys.pop("draw_pile", None)
    draw_pile = list(next_cards if exact_pile is None else exact_pile)
    left = deck_of(rules)
    left.subtract([card for hand in hands for card in hand])
    left.subtract([*discards, *draw_pile])
    short = {card: -count for card, count in left.items() if count < 0}
    assert not short, f"more copies than the deck has: {short}"
    rest = list(left.elements())
    dull = [card for card in rest if card[0] in "ygb" and card[1] in "1234689"]
    hands = [list(hand) for hand in hands]
    while len(hands) < n:
        hands.append(by_kind([dull.pop(0), dull.pop()]))
        for card in hands[-1]:
            rest.remove(card)
    if exact_pile is None:
        draw_pile += sorted(rest, key=lambda card: (card[1:], card))
    return {"rules": rules, "num_players": n, "hands": hands, "draw_pile": draw_pile, "discard_pile": discards, **keys}


def at(hands: Sequence[Sequence[str]], top: str = "r5", rules: Mapping[str, Any] | str | None = None, **keys: Any) -> Game:
    """The game at `position_at` of the same arguments."""
    seed = keys.pop("seed", 0)
    return Game.from_position(position_at(hands, top, rules, **keys), seed)


def all_cards(game: Game) -> Counter[str]:
    """Every card of the game, wherever it is."""
    position = game.position()
    return Counter([*position["draw_pile"], *position["discard_pile"], *(card for hand in position["hands"] for card in hand)])


def play(game: Game, *actions: str) -> Game:
    """Play the actions in turn; at each, no card is lost and what was drawn is told by the event."""
    for action in actions:
        before, sizes_before = all_cards(game), sizes(game)
        placed = action.partition(":")[0] in KIND_OF_TEXT
        moved = any(word in action for word in ("0", "7", "WX", "WS", "swap"))
        event = game.push(action)
        assert all_cards(game) == before
        if not moved:
            drawn = {seat: len(cards) for seat, cards in event.drawn}
            for seat, size in enumerate(sizes(game)):
                played = 1 if placed and seat == event.seat else 0
                assert size == sizes_before[seat] + drawn.get(seat, 0) - played
    return game


def sizes(game: Game) -> list[int]:
    """Cards in each hand."""
    return [len(game.hand(seat)) for seat in range(game.num_players)]


def drawn_by(game: Game) -> dict[int, int]:
    """How many cards each seat drew by the last action."""
    return {seat: len(cards) for seat, cards in game.history[-1].drawn}


def expect(game: Game, **keys: Any) -> None:
    """Compare keys of the position; also ``sizes`` and ``legal`` (texts)."""
    position = game.position()
    position["sizes"] = sizes(game)
    position["legal"] = game.legal_texts()
    found = {key: position[key] for key in keys}
    assert found == keys, f"\n{game}"


def dealt(starter: str | Sequence[str], rules: Mapping[str, Any] | str | None = None, *, n: int = 4, tries: int = 3000) -> Game:
    """A fresh game, calls automatic unless the rules say otherwise, whose discard pile is ``starter`` after the deal."""
    rules = rules if isinstance(rules, str) else {**AUTO, **(rules or {})}
    pile = [starter] if isinstance(starter, str) else list(starter)
    made = Rules.of(rules, n)
    for seed in range(tries):
        game = Game(made, seed)
        if game.state.discard_size == len(pile) and game.position()["discard_pile"] == pile:
            return game
    raise AssertionError(f"no deal of {tries} turned up {pile}")
