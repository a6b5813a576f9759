"""Uno as games of OpenSpiel: ``import uno_env.open_spiel`` registers them, ``pyspiel.load_game("python_uno_mini")`` makes one.

* ``python_uno_mini``, ``python_uno_mini_bluff``: the reduced presets, for exact solving.
* ``python_uno``: any rules under which a round is finite, by the parameters ``rules`` (a preset's name or a YAML file), ``deck``
  (cards, as in ``r0 r1 yS W``), ``num_players``, ``hand_size`` and ``reward``: ``python_uno(rules=mini,deck=r0 r1 y0 y1 W)``.

Actions are those of the engine; an outcome of a chance node is the kind of one card. Hands are dealt as sets, each in ascending
order of kind, so that a hand is reached in one way. Every other card is settled when the engine needs it: an action is tried with
the cards settled so far on top of the draw pile, and when it took more than those, the next one is a chance node. So no rule is
written here.

An information state is all that a seat has lawfully seen, in order: what it sees after the deal and after each action.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property, lru_cache
from math import comb
from typing import Any

import numpy as np

from uno_env import engine, notation
from uno_env.cards import COLOUR_LETTERS, KIND_TEXTS, NUM_KINDS, WILD_SHUFFLE
from uno_env.game import Game
from uno_env.observe import LAYOUT, OBS_SIZE
from uno_env.rules import MAX_PLAYERS, MIN_PLAYERS, Rules
from uno_env.state import NUM_ACTIONS, State, new_states

try:
    import pyspiel  # pyright: ignore[reportMissingImports]
except ImportError as error:
    raise ImportError("uno_env.open_spiel needs OpenSpiel: pip install 'uno-env[openspiel]'") from error

ANY_NUMBER = 0
"""The value of a number among the parameters that stands for what the rules say."""
POSITIONS_KEPT = 2**16
"""Positions that a game remembers, at about 5 KB each: all of ``mini``, so that solvers pay for the engine once."""
REWARDS = ("win", "points")
PARAMETERS = {"rules": "mini", "deck": "", "num_players": ANY_NUMBER, "hand_size": ANY_NUMBER, "reward": "win"}
"""The parameters of ``python_uno`` and their defaults; an empty deck is that of the rules."""


def game_type(name: str, title: str, parameters: dict[str, Any]) -> Any:
    """What OpenSpiel wants to know of a game before one is made."""
    return pyspiel.GameType(
        short_name=name,
        long_name=title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=MAX_PLAYERS if parameters else 2,
        min_num_players=MIN_PLAYERS,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters,
    )


def rules_of(parameters: dict[str, Any]) -> Rules:
    """The rules that the parameters of ``python_uno`` mean; ``ValueError`` for rules that no finite tree can be made of."""
    changes: dict[str, Any] = {key: parameters[key] for key in ("num_players", "hand_size") if parameters[key] != ANY_NUMBER}
    if parameters["deck"]:
        changes["deck"] = dict(Counter(parameters["deck"].split()))
    rules = Rules.from_dict(Rules.of(parameters["rules"]).to_dict() | changes)
    for reason, wrong in {
        "reshuffle=True: rounds without end": rules.reshuffle,
        "first_dealer='random': the dealer is not dealt": rules.first_dealer == "random",
        "jump_in=True: who is asked to jump in is a secret": rules.jump_in,
        "Wild Shuffle Hands in the deck: hands shuffled within an action": rules.deck_counts[WILD_SHUFFLE] > 0,
    }.items():
        if wrong:
            raise ValueError(f"python_uno can not play {reason} (it wants rules such as the presets mini and mini_bluff)")
    if parameters["reward"] not in REWARDS:
        raise ValueError(f"reward={parameters['reward']!r}: expected one of {', '.join(map(repr, REWARDS))}")
    return rules


def longest_game(rules: Rules) -> int:
    """No round has more decisions, chance nodes apart; not a tight bound.

    A card is drawn once and played once at most. A play is one decision, before it a call, after it at most a swap, an answer to a
    stack, a challenge by each player, and a catch of each by each. A draw is one decision, before and after it a call, and the
    decision to play the card. Between two plays at most all players but one pass for want of a card.
    """
    n = rules.num_players
    by_play = 4 + n + n * n
    by_draw = 4
    return 1 + rules.deck_size * (by_play + by_draw) + (rules.deck_size + 1) * 2 * n


class Position:
    """A game record, an action (or the deal) that may wait for cards, and what each seat has seen. It never changes.

    Attributes:
        waits: whether a card has to be settled, by chance.
        coming: the kinds settled for the action or the deal that waits, in the order in which they are drawn.
    """

    def __init__(self, rules: Rules, seen: tuple[str, ...], record: np.ndarray | None = None) -> None:
        """What stands after an action; without a record, before the deal."""
        self.rules = rules
        self.waits = record is None
        self.coming: tuple[int, ...] = ()
        self._seen = seen
        self._record = record
        self._action = -1

    def __deepcopy__(self, memo: Any) -> Position:
        return self

    @property
    def dealt(self) -> bool:
        """Whether there is a game to look at."""
        return self._record is not None

    @cached_property
    def game(self) -> Game:
        """The game as it stands, an action that waits not yet carried out. Do not play on in it."""
        if self._record is None:
            raise ValueError("the cards are still being dealt")
        return Game.of_record(self._record, self.rules)

    @cached_property
    def player(self) -> int:
        """Who decides, as OpenSpiel numbers them: a seat, chance, or nobody once the round is over."""
        if self.waits:
            return pyspiel.PlayerId.CHANCE
        return pyspiel.PlayerId.TERMINAL if self.game.over else self.game.actor

    @cached_property
    def legal_actions(self) -> list[int]:
        """Ids of the legal actions of the seat that decides."""
        return self.game.legal_actions()

    @cached_property
    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The kinds that the next card can be, with their probabilities."""
        rules, settled = self.rules, len(self.coming)
        in_hands = 0 if self.dealt else rules.num_players * rules.hand_size
        if settled < in_hands:
            hand = self.coming[settled - settled % rules.hand_size :]
            weights = hand_weights(without(self._pile, self.coming[: settled - len(hand)]).tolist(), hand, rules.hand_size)
        else:
            weights = without(self._pile, self.coming).tolist()
            if not self.dealt and settled == in_hands:
                weights = [0 if engine.goes_back(rules.params, kind) else count for kind, count in enumerate(weights)]
        total = sum(weights)
        return [(kind, weight / total) for kind, weight in enumerate(weights) if weight]

    @cached_property
    def _pile(self) -> np.ndarray:
        """The draw pile, before the cards that are coming left it: counts per kind."""
        if self._record is None:
            return self.rules.deck_counts
        return np.bincount(self._record["pile"][0, : self._record["draw_size"][0]], minlength=NUM_KINDS)

    def after(self, action: int) -> Position:
        """The position after an action, or after a card that was waited for."""
        trial = Position(self.rules, self._seen, self._record)
        trial._action = self._action if self.waits else action
        trial.coming = (*self.coming, action) if self.waits else ()
        tried, trial.waits = trial._try()
        if trial.waits:
            return trial
        done = "" if self._record is None else f" / {self.game.actor} {self.game.action_text(trial._action)}: "
        seen = tuple(seen + done + look(tried, seat, self.rules) for seat, seen in enumerate(self._seen))
        return Position(self.rules, seen, tried)

    def _try(self) -> tuple[np.ndarray, bool]:
        """Carry the action out with the cards that are coming on top of the pile: the result, and whether it took more of them."""
        settled, before = len(self.coming), int(self._pile.sum())
        if self._record is not None:
            tried = self._record.copy()
            tried["pile"][0, :before] = order_pile(self._pile, self.coming)
            engine.act(tried, self.rules.params, 0, self._action)
        else:
            tried = new_states(1)
            n, size = self.rules.num_players, self.rules.hand_size
            if settled < n * size:
                return tried, True
            in_turn = [self.coming[seat * size + card] for card in range(size) for seat in range(n)]
            engine.stack(tried, self.rules.params, 0, order_pile(self._pile, (*in_turn, *self.coming[n * size :])))
        return tried, before - int(tried["draw_size"][0]) > settled

    def information(self, seat: int) -> str:
        """All that ``seat`` has seen, as text; during the deal, the cards it has got so far."""
        if self.dealt:
            return f"seat {seat}: {self._seen[seat]}"
        size = self.rules.hand_size
        return f"seat {seat}: dealt {texts(self.coming[seat * size : (seat + 1) * size])}"

    def observation(self, seat: int) -> str:
        """What ``seat`` sees now, as text; during the deal, the cards it has got so far."""
        return self.information(seat) if self._record is None else f"seat {seat}: {look(self._record, seat, self.rules)}"

    def __str__(self) -> str:
        if not self.dealt:
            return f"deal: {texts(self.coming)}"
        waiting = f"\n{self.game.action_text(self._action)}, drawing {texts(self.coming)}" if self.waits else ""
        return f"{self.game}{waiting}"


class UnoGame(pyspiel.Game):
    """The rules of a game, as OpenSpiel asks for them."""

    KIND = game_type("python_uno", "Uno", PARAMETERS)
    RULES = "mini"

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """A game by its parameters; see `PARAMETERS`."""
        asked = PARAMETERS | {"rules": self.RULES} | (params or {})
        self.rules, self.reward = rules_of(asked), asked["reward"]
        most = 1.0 if self.reward == "win" else int(self.rules.points @ self.rules.deck_counts) / 100.0
        info = pyspiel.GameInfo(
            num_distinct_actions=NUM_ACTIONS,
            max_chance_outcomes=NUM_KINDS,
            num_players=self.rules.num_players,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=longest_game(self.rules),
        )
        super().__init__(self.KIND, info, params or {})
        self.start = Position(self.rules, ("",) * self.rules.num_players)
        #: Solvers walk the same tree again and again.
        self.after = lru_cache(POSITIONS_KEPT)(Position.after)

    def max_chance_nodes_in_history(self) -> int:
        """Every card is settled once at most."""
        return self.rules.deck_size

    def new_initial_state(self) -> UnoState:
        """Before the deal."""
        return UnoState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> UnoObserver:
        """An observer of what one seat sees; the strings of one with perfect recall are the information states."""
        return UnoObserver(iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


class MiniGame(UnoGame):
    """The preset ``mini``: seven cards, Skips and a Wild among them."""

    KIND = game_type("python_uno_mini", "Uno with seven cards", {})


class MiniBluffGame(UnoGame):
    """The preset ``mini_bluff``: eight cards, a Wild Draw Four among them, which can be a bluff and be challenged."""

    KIND = game_type("python_uno_mini_bluff", "Uno with eight cards and a bluff", {})
    RULES = "mini_bluff"


class UnoState(pyspiel.State):
    """A `Position` as OpenSpiel asks for it."""

    def __init__(self, game: UnoGame) -> None:
        super().__init__(game)
        self.at = game.start

    def current_player(self) -> int:
        """Who decides: a seat, chance, or nobody."""
        return self.at.player

    def is_terminal(self) -> bool:
        """Whether the round is over."""
        return self.at.player == pyspiel.PlayerId.TERMINAL

    def returns(self) -> list[float]:
        """The reward of each seat: zeros while the round goes on."""
        if not self.is_terminal():
            return [0.0] * self.at.rules.num_players
        return self.at.game.rewards(self.get_game().reward).astype(float).tolist()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The kinds that the next card can be, with their probabilities."""
        return self.at.chance_outcomes

    def _legal_actions(self, player: int) -> list[int]:
        return self.at.legal_actions

    def _apply_action(self, action: int) -> None:
        self.at = self.get_game().after(self.at, action)

    def _action_to_string(self, player: int, action: int) -> str:
        return KIND_TEXTS[action] if player == pyspiel.PlayerId.CHANCE else self.at.game.action_text(action)

    def __str__(self) -> str:
        return str(self.at)


class UnoObserver:
    """What one seat sees: as text, and, without perfect recall, as the parts of `uno_env.observe.LAYOUT`."""

    def __init__(self, iig_obs_type: Any, params: dict[str, Any] | None) -> None:
        if params:
            raise ValueError(f"observation parameters {params}: there are none")
        if not iig_obs_type.public_info or iig_obs_type.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError("an observation is what one seat sees: public_info=True and PrivateInfoType.SINGLE_PLAYER")
        self._recalls = iig_obs_type.perfect_recall
        self.tensor: np.ndarray | None = None
        self.dict: dict[str, np.ndarray] = {}
        if not self._recalls:
            self.tensor = np.zeros(OBS_SIZE, np.float32)
            self.dict = {name: self.tensor[part.slice].reshape(part.shape) for name, part in LAYOUT.items()}

    def set_from(self, state: UnoState, player: int) -> None:
        """Fill `tensor`, and so `dict`, with what ``player`` sees; zeros during the deal."""
        if self.tensor is not None:
            self.tensor[:] = state.at.game.observe(player) if state.at.dealt else 0

    def string_from(self, state: UnoState, player: int) -> str:
        """The same as text."""
        return state.at.information(player) if self._recalls else state.at.observation(player)


def look(record: np.ndarray, seat: int, rules: Rules) -> str:
    """What ``seat`` sees of a game, as text."""
    state = State(record)
    top, colour = state.discard_pile[-1:], state.colour
    known = "".join(
        f"; seat {entry['holder']} has {' '.join(entry['cards'])}"
        for entry in (notation.known_of(record, 0) if state.num_known else ())
        if entry["seat"] == seat
    )
    hand = np.repeat(np.arange(NUM_KINDS), record["hands"][0, seat, :NUM_KINDS])
    sizes = " ".join(map(str, state.row("hand_size")[: rules.num_players]))
    table = f"on {texts(top) or '-'} {COLOUR_LETTERS[colour] if colour >= 0 else '-'}"
    return f"{texts(hand)} {table}; cards {sizes}; {state.current_phase.name} {state.actor}{known}"


def texts(kinds: Any) -> str:
    """Cards as text."""
    return " ".join(KIND_TEXTS[kind] for kind in kinds)


def order_pile(counts: np.ndarray, coming: Any) -> np.ndarray:
    """A draw pile of the cards of ``counts``, ``int8[D]``: ``coming`` are drawn first, the others lie below by kind."""
    below = np.repeat(np.arange(NUM_KINDS), without(counts, coming))
    return np.concatenate((below, np.array(coming, np.int64)[::-1])).astype(np.int8)


def without(counts: np.ndarray, kinds: Any) -> np.ndarray:
    """Counts per kind after some cards, given by their kinds, are taken away."""
    return counts - np.bincount(np.array(kinds, np.int64), minlength=NUM_KINDS)


def hand_weights(left: list[int], hand: tuple[int, ...], size: int) -> list[int]:
    """In how many of the hands of ``size`` cards, taken from ``left`` (counts per kind), each kind comes next after ``hand``.

    A hand is read in ascending order of kind, and ``hand`` is what has been read of it.
    """
    missing = size - len(hand)
    last = hand[-1] if hand else -1
    held = hand.count(last)

    def ways(kind: int, copies: int) -> int:
        """Hands that go on with at least one more of ``kind``, after ``copies`` of it, and then with higher kinds."""
        higher = sum(left[kind + 1 :])
        return sum(comb(left[kind], copies + more) * comb(higher, missing - more) for more in range(1, missing + 1))

    weights = [0] * NUM_KINDS
    for kind in range(max(last, 0), NUM_KINDS):
        weights[kind] = ways(kind, held) if kind == last else (comb(left[last], held) if hand else 1) * ways(kind, 0)
    return weights


for _game in (UnoGame, MiniGame, MiniBluffGame):
    if _game.KIND.short_name not in pyspiel.registered_names():  # this module may be loaded again
        pyspiel.register_game(_game.KIND, _game)
