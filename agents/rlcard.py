"""RLCard's players at our table: `RLCardAgent` translates what they are shown and what they answer. See ``docs/rlcard.md``.

RLCard knows two kinds of decision: which card to place, and, without a card to place, to draw. A player of RLCard is asked for the
first; every decision that RLCard's Uno does not have is answered here, as `RLCardAgent` says.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from agents.base import BatchAgent
from agents.scripted import fewest_cards
from uno_env.cards import COLOUR_LETTERS, NUM_COLOURED, NUM_COLOURS, NUM_SYMBOLS, WILD, WILD_DRAW_FOUR
from uno_env.observe import LAYOUT, OTHER_CARDS
from uno_env.state import ACCEPT, CATCH, DRAW, NAME_COLOUR, PASS, PLAY_WILD, SWAP, UNO

COLOURS = "rgby"
"""RLCard's colours, in its order."""
TRAITS = (*"0123456789", "skip", "reverse", "draw_2", "wild", "wild_draw_4")
"""RLCard's word for what a card is beside its colour."""
DRAW_CARD = "draw"
ACTIONS = (*(f"{colour}-{trait}" for colour in COLOURS for trait in TRAITS), DRAW_CARD)
"""RLCard's actions, by its ids."""

_ID_OF_ACTION = {action: number for number, action in enumerate(ACTIONS)}
_WILD_TRAIT, _DRAW_FOUR_TRAIT = TRAITS.index("wild"), TRAITS.index("wild_draw_4")
_COLOUR_AT = [COLOUR_LETTERS.index(colour) for colour in COLOURS]


def card_text(kind: int, colour: int = 0) -> str:
    """RLCard's text of a card kind; a wild in ``colour`` (0-3, as in `uno_env.cards`). Wilds that it lacks are its Wild."""
    if kind < NUM_COLOURED:
        return f"{COLOUR_LETTERS[kind // NUM_SYMBOLS]}-{TRAITS[kind % NUM_SYMBOLS]}"
    return f"{COLOUR_LETTERS[colour]}-{TRAITS[_DRAW_FOUR_TRAIT if kind == WILD_DRAW_FOUR else _WILD_TRAIT]}"


def card_texts(counts: np.ndarray) -> list[str]:
    """RLCard's texts of the cards ``counts`` (integers per kind); equal wilds get a colour each, as in RLCard's deck."""
    held = ((kind, copy) for kind, count in enumerate(counts.tolist()) for copy in range(count))
    return [card_text(kind, _COLOUR_AT[copy % NUM_COLOURS]) for kind, copy in held]


def placeable(mask: np.ndarray) -> dict[str, int]:
    """What can be placed now, RLCard's text to our action id, as RLCard would allow it: a Wild Draw Four only without another."""
    found: dict[str, int] = {}
    last: dict[str, int] = {}
    for action in np.flatnonzero(mask[:DRAW]).tolist():
        kind, colour = action, 0
        if action >= PLAY_WILD:
            wild, colour = divmod(action - PLAY_WILD, NUM_COLOURS)
            kind = NUM_COLOURED + wild
        (last if kind == WILD_DRAW_FOUR else found).setdefault(card_text(kind, colour), action)
    return found or last


def top_card(observation: np.ndarray) -> tuple[int, int] | None:
    """Kind of the top card and colour in force; None before there is a top card."""
    symbol = np.flatnonzero(observation[LAYOUT["symbol"].slice])
    if not symbol.size:
        return None
    colour = int(observation[LAYOUT["colour"].slice].argmax())
    return (colour * NUM_SYMBOLS + int(symbol[0]) if symbol[0] < NUM_SYMBOLS else WILD + int(symbol[0]) - NUM_SYMBOLS), colour


def encode(hand: np.ndarray, target: str) -> np.ndarray:
    """RLCard's observation, ``int64[4, 4, 15]``: planes for none, one and two of each card of ``hand``, and for the target."""
    planes = np.zeros((4, NUM_COLOURS, len(TRAITS)), np.int64)
    counts = np.minimum(hand[:NUM_COLOURED].reshape(NUM_COLOURS, NUM_SYMBOLS), 2)[_COLOUR_AT]
    for count in range(3):
        planes[count, :, :NUM_SYMBOLS] = counts == count
    draw_fours = int(hand[WILD_DRAW_FOUR])
    for trait, held in ((_WILD_TRAIT, int(hand[NUM_COLOURED:].sum()) - draw_fours), (_DRAW_FOUR_TRAIT, draw_fours)):
        planes[1 if held else 0, :, trait] = 1
    colour, trait = divmod(_ID_OF_ACTION[target], len(TRAITS))
    planes[3, colour, trait] = 1
    return planes


def state_of(observation: np.ndarray, mask: np.ndarray) -> dict[str, Any]:
    """The state that RLCard would show a player who is to place a card, with all that our observation tells of it.

    Players are counted from the one who looks, in order of play; of the discards only the top has its place and its colour; there
    is no record of actions (``action_record`` is empty).
    """
    hand = observation[LAYOUT["hand"].slice]
    cards = placeable(mask)
    below, top = observation[LAYOUT["discarded"].slice].copy(), top_card(observation)
    if top is None:
        target = next(iter(cards))  # RLCard knows no game without a top card: the card to be placed stands for it
    else:
        below[top[0]] -= 1
        target = card_text(*top)
    copies = {card_text(kind): int(hand[kind]) for kind in range(NUM_COLOURED)}
    legal = [text for text in cards for _ in range(copies.get(text, 1))]
    others = observation[LAYOUT["others"].slice].reshape(LAYOUT["others"].shape)
    sizes = others[others[:, 0] > 0, OTHER_CARDS].tolist()
    raw = {
        "hand": card_texts(hand),
        "target": target,
        "played_cards": [*card_texts(below), target],
        "legal_actions": legal,
        "num_cards": [int(hand.sum()), *sizes],
        "num_players": 1 + len(sizes),
        "current_player": 0,
    }
    return {
        "obs": encode(hand, target),
        "legal_actions": OrderedDict((_ID_OF_ACTION[text], None) for text in legal),
        "raw_obs": raw,
        "raw_legal_actions": list(legal),
        "action_record": [],
    }


@contextmanager
def seeded(rng: np.random.Generator) -> Iterator[None]:
    """NumPy's global generator, from which RLCard's players draw, follows ``rng`` inside and is as before afterwards."""
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(rng.integers(2**32))  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002


class RLCardAgent(BatchAgent):
    """A player made for RLCard's Uno, trained or not, as an agent of ours.

    It is asked which card to place whenever one may be placed, the card just drawn, a card that answers a stack and a jump-in
    included; it then must place one, as in RLCard. The rest has no counterpart there and is answered so: Uno is called and whoever
    forgot it is caught; without a card to place it draws, accepts the draw that is due (it never challenges) or passes; the
    colour of a starter Wild is drawn at random, as RLCard does; hands are swapped with the player who holds the fewest cards.
    RLCard allows a Wild Draw Four only to those who can place nothing else, so that it is never a bluff, unless it answers a stack.
    """

    def __init__(self, player: Any, *, name: str = "rlcard") -> None:
        """An agent that plays as ``player`` does.

        Args:
            player: with ``eval_step(state) -> (action, info)`` or ``step(state) -> action``, and ``use_raw``: True where its
                actions are texts (``"r-5"``), False where they are ids.
            name: what to call it.

        Raises:
            TypeError: for a player without these.
        """
        if not (hasattr(player, "eval_step") or hasattr(player, "step")) or not hasattr(player, "use_raw"):
            raise TypeError(f"{type(player).__name__}: a player of RLCard has eval_step(state) or step(state), and use_raw")
        self.player = player
        self.name = name

    @classmethod
    def load(cls, model: str) -> RLCardAgent:
        """A model that RLCard ships, by its name there: ``uno-rule-v1``.

        Raises:
            ImportError: where RLCard is not installed.
            ValueError: for a name that is no model of its Uno.
        """
        try:
            from rlcard import models  # type: ignore[import-not-found]
        except ModuleNotFoundError as error:
            if error.name is None or error.name.partition(".")[0] != "rlcard":
                raise
            raise ImportError(f"agent 'rlcard:{model}' needs RLCard: pip install 'uno-env[bench]'") from None
        known = [name for name in models.registration.model_registry.model_specs if name.startswith("uno-")]
        if model not in known:
            raise ValueError(f"agent 'rlcard:{model}': RLCard has no such model of Uno; it has {', '.join(known)}")
        return cls(models.load(model).agents[0], name=f"rlcard:{model}")

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Legal actions, ``int64[M]``, for ``int8[M, OBS_SIZE]`` and ``int8[M, 91]``."""
        with seeded(rng):
            pairs = zip(observations, action_masks, strict=True)
            return np.array([self._choose(observation, mask, rng) for observation, mask in pairs], np.int64)

    def _choose(self, observation: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> int:
        for action in (UNO, CATCH):
            if mask[action]:
                return action
        cards = placeable(mask)
        if cards:
            return self._place(cards, state_of(observation, mask))
        if mask[NAME_COLOUR]:
            return NAME_COLOUR + int(rng.integers(NUM_COLOURS))
        if mask[SWAP]:
            return SWAP + int(fewest_cards(observation)) - 1
        return next(action for action in (DRAW, ACCEPT, PASS) if mask[action])

    def _place(self, cards: dict[str, int], state: dict[str, Any]) -> int:
        answer = self.player.eval_step(state)[0] if hasattr(self.player, "eval_step") else self.player.step(state)
        text = str(answer) if self.player.use_raw else ACTIONS[int(answer)]
        if text not in cards:
            raise ValueError(f"agent {self.name}: answered {answer!r}; RLCard would allow {', '.join(cards)}")
        return cards[text]

    def __repr__(self) -> str:
        return f"<agent {self.name}>"
