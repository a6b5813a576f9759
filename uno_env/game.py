"""`Game`: one game for people, tests and search. It decides no rule; it asks the engine and speaks text."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from uno_env import engine, notation, observe
from uno_env.cards import COLOURS, KIND_TEXTS
from uno_env.notation import IllegalAction
from uno_env.rules import Rules
from uno_env.state import CHALLENGE, NUM_ACTIONS, Phase, State, Termination

NEXT_ROUND = "next_round"
"""What a transcript says where `Game.next_round` was called."""


def read_transcript(line: str) -> dict[str, Any]:
    """The keys of a transcript; ``ValueError`` for text that is none."""
    try:
        told = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"a transcript is one line of JSON: {error}") from None
    if not isinstance(told, dict) or not {"rules", "num_players", "actions"} <= set(told) or not {"seed", "generator"} & set(told):
        raise ValueError("a transcript has the keys rules, num_players, actions, and seed, or position with generator")
    for key, length in (("names", told["num_players"]), ("notes", len(told["actions"]))):
        given = told.get(key)
        if given is not None and (not isinstance(given, list) or len(given) != length):
            raise ValueError(f"{key} of the transcript: expected a list of {length}, got {given!r:.80}")
    return told


@dataclass(frozen=True)
class Outcome:
    """How a round ended."""

    winners: tuple[int, ...]
    """Seats that won: one, a whole team, or none if the round is void or cut off."""
    points: tuple[int, ...]
    """Change of each seat's score."""
    termination: str
    """``"out"``, ``"stalemate"`` or ``"truncated"``."""


@dataclass(frozen=True)
class Event:
    """What one action did."""

    seat: int
    """Who acted."""
    action: str
    """The action's text."""
    phase: Phase
    """The decision that it answered."""
    drawn: tuple[tuple[int, tuple[str, ...]], ...] = ()
    """Cards drawn: (seat, cards) in the order of drawing."""
    verdict: str | None = None
    """``"guilty"`` or ``"innocent"`` after a challenge."""
    points: tuple[int, ...] | None = None
    """Change of each seat's score, when the action ended the round."""

    def __str__(self) -> str:
        text = f"{self.seat} {self.action}"
        if self.verdict:
            text += f" ({self.verdict})"
        for seat, drawn in self.drawn:
            text += f"; {seat} draws {' '.join(drawn)}"
        if self.points is not None:
            text += f"; points {' '.join(map(str, self.points))}"
        return text


class Game:
    """One game of Uno.

    ``Game(Rules.preset("official", num_players=4), seed=7)`` deals; `from_position` starts anywhere. `push` plays an action, as
    text (``"r5"``) or as an id. Everything random comes from the seed.
    """

    def __init__(
        self,
        rules: Rules | str | Path | Mapping[str, Any] = "official",
        seed: int | None = None,
        *,
        num_players: int | None = None,
    ) -> None:
        """Deal a game.

        Args:
            rules: a `Rules`, a preset's name, a mapping of fields, or a YAML file's path.
            seed: any integer; None for a fresh one (kept in `seed`).
            num_players: outranks the number in ``rules``.
        """
        self.rules = Rules.of(rules, num_players)
        self.seed = secrets.randbits(63) if seed is None else int(seed)
        self._start: dict[str, Any] | np.ndarray = {"seed": self.seed}
        self._states = notation.new_states(1)
        self._state = State(self._states)
        self.history: list[Event] = []
        self._actions: list[str] = []
        engine.reset(self._states, self.rules.params, 0, np.uint64(self.seed % 2**64))

    @classmethod
    def from_position(cls, position: Mapping[str, Any], seed: int = 0) -> Game:
        """A game that stands as ``position`` says (``docs/notation.md``); ``seed`` drives what is drawn after a reshuffle.

        Raises:
            PositionError: (a `ValueError`) naming the key that is wrong.
        """
        states, rules = notation.states_from_position(position)
        states[0].rng = engine.seeded(np.uint64(seed % 2**64))
        return cls._of(states, rules, int(seed), {"position": notation.position_of(states, 0, rules), "seed": int(seed)})

    @classmethod
    def of_record(cls, states: np.ndarray, rules: Rules, seed: int = 0) -> Game:
        """The game that a record holds (``STATE[1]``, kept and changed, not copied), with an empty history."""
        return cls._of(states, rules, seed, states.copy())

    @classmethod
    def _of(cls, states: np.ndarray, rules: Rules, seed: int, start: dict[str, Any] | np.ndarray) -> Game:
        game = cls.__new__(cls)
        game.rules, game.seed = rules, seed
        game._start = start
        game._states = states
        game._state = State(states)
        game.history, game._actions = [], []
        return game

    # What is due ------------------------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """The record, read-only."""
        return self._state

    @property
    def num_players(self) -> int:
        """Seats at the table."""
        return self.rules.num_players

    @property
    def actor(self) -> int:
        """The seat that decides now."""
        return self._state.actor

    @property
    def phase(self) -> Phase:
        """The kind of decision."""
        return Phase(self._state.phase)

    @property
    def over(self) -> bool:
        """Whether the round is over."""
        return self.phase is Phase.OVER

    def action_mask(self) -> np.ndarray:
        """Legal actions of the actor, ``int8[91]``, 1 = legal; all zero when the round is over."""
        mask = np.zeros(NUM_ACTIONS, np.int8)
        engine.legal(self._states, self.rules.params, 0, mask)
        return mask

    def legal_actions(self) -> list[int]:
        """Ids of the actor's legal actions, ascending; empty when the round is over."""
        return [int(action) for action in np.flatnonzero(self.action_mask())]

    def legal_texts(self) -> list[str]:
        """Texts of the actor's legal actions, in the order of their ids."""
        return [self.action_text(action) for action in self.legal_actions()]

    def action_text(self, action: int) -> str:
        """The text of an action of the actor."""
        return notation.action_text(int(action), self.actor, self.num_players, self._state.direction)

    def action_id(self, text: str) -> int:
        """The id of an action of the actor; ``ValueError`` for a text that names none."""
        return notation.action_id(text, self.actor, self.num_players, self._state.direction)

    # Play -------------------------------------------------------------------------------------------------------------

    def push(self, action: str | int) -> Event:
        """Play an action of the actor, given as text or as id, and return what it did.

        Raises:
            IllegalAction: (a `ValueError`) naming the action, the phase and what is legal; nothing has changed.
        """
        seat, phase, guilty = self.actor, self.phase, self._state.guilty
        number, text = self._read_action(action)
        if phase is Phase.OVER or not engine.act(self._states, self.rules.params, 0, number):
            raise self._illegal(f"{text!r} ({number})")
        over = self.over
        event = Event(
            seat=seat,
            action=text,
            phase=phase,
            drawn=self._drawn(),
            verdict=("guilty" if guilty == 1 else "innocent") if number == CHALLENGE else None,
            points=tuple(self._row("points")) if over else None,
        )
        self.history.append(event)
        self._actions.append(text)
        return event

    def _read_action(self, action: str | int) -> tuple[int, str]:
        if isinstance(action, str):
            try:
                return self.action_id(action), action
            except ValueError as error:
                raise self._illegal(f"{action!r} ({error})") from None
        if isinstance(action, (bool, np.bool_)) or not isinstance(action, (int, np.integer)):
            raise self._illegal(f"{action!r} (neither a text nor an id)")
        if not 0 <= action < NUM_ACTIONS:
            raise self._illegal(f"{int(action)} (ids are 0 to {NUM_ACTIONS - 1})")
        return int(action), self.action_text(int(action))

    def _illegal(self, given: str) -> IllegalAction:
        if self.over:
            return IllegalAction(f"{given}: the round is over")
        colour, top = self._state.colour, self._state.discard_pile[-1:]
        where = f"colour {COLOURS[colour][0] if colour >= 0 else 'none'}, top {KIND_TEXTS[top[0]] if top else 'none'}"
        return IllegalAction(
            f"{given} in phase {self.phase.name} of seat {self.actor}: {where}; legal: {', '.join(self.legal_texts())}"
        )

    def _drawn(self) -> tuple[tuple[int, tuple[str, ...]], ...]:
        drawn: dict[int, list[str]] = {}
        for entry in self._state.row("log")[: self._state.num_log]:
            drawn.setdefault(int(entry) >> 8, []).append(KIND_TEXTS[int(entry) & 0xFF])
        return tuple((seat, tuple(texts)) for seat, texts in drawn.items())

    def _row(self, name: str) -> list[int]:
        return self._state.row(name)[: self.num_players].tolist()

    @property
    def outcome(self) -> Outcome | None:
        """How the round ended, or None while it goes on."""
        if not self.over:
            return None
        winners = self._state.winners
        return Outcome(
            winners=tuple(seat for seat in range(self.num_players) if winners >> seat & 1),
            points=tuple(self._row("points")),
            termination=Termination(self._state.termination).name.lower(),
        )

    @property
    def scores(self) -> list[int]:
        """Match score of each seat, the round included once it is over."""
        return self._row("scores")

    @property
    def match_winners(self) -> tuple[int, ...] | None:
        """Seats that have won the match, or None while it goes on. Without a target a match is one round."""
        winners = int(engine.winners_of_match(self._states, self.rules.params, 0))
        return None if winners < 0 else tuple(seat for seat in range(self.num_players) if winners >> seat & 1)

    def next_round(self) -> None:
        """Deal the next round of the match; ``ValueError`` while the round goes on, or once the match is won."""
        if not self.over:
            raise ValueError(f"the round is not over: seat {self.actor} decides in phase {self.phase.name}")
        if self.match_winners is not None:
            raise ValueError(f"the match is over, won by {list(self.match_winners)} with scores {self.scores}")
        engine.deal_next(self._states, self.rules.params, 0)
        self._actions.append(NEXT_ROUND)

    def rewards(self, scheme: str = "win") -> np.ndarray:
        """Rewards of the round that ended, ``float32[n]``, zero-sum; see `uno_env.engine.fill_rewards`."""
        if scheme not in engine.REWARDS:
            raise ValueError(f"reward={scheme!r}: expected one of {', '.join(map(repr, engine.REWARDS))}")
        rewards = np.zeros(self.num_players, np.float32)
        if self.over:
            engine.rewards_of_round(self._states, self.rules.params, 0, engine.REWARDS.index(scheme), rewards)
        return rewards

    # Look and copy ----------------------------------------------------------------------------------------------------

    def observe(self, seat: int) -> np.ndarray:
        """What ``seat`` sees, a fresh ``int8[OBS_SIZE]`` (`uno_env.observe.LAYOUT`)."""
        row = np.zeros(observe.OBS_SIZE, np.int8)
        observe.observation(self._states, self.rules.params, 0, self._check_seat(seat), row)
        return row

    def position(self) -> dict[str, Any]:
        """The complete position (``docs/notation.md``)."""
        return notation.position_of(self._states, 0, self.rules)

    def hand(self, seat: int) -> list[str]:
        """The cards of a seat, by kind."""
        return notation.cards.texts_of(self._states["hands"][0, self._check_seat(seat), : notation.NUM_KINDS])

    def copy(self) -> Game:
        """An independent game that will go on identically, given the same actions."""
        game = Game._of(self._states.copy(), self.rules, self.seed, self._start)
        game.history, game._actions = list(self.history), list(self._actions)
        return game

    def resample(self, seat: int, seed: int) -> Game:
        """A copy in which everything that ``seat`` cannot know is drawn anew, future random draws included.

        The copy is uniform over the games that fit what the seat lawfully knows; its observation is the same. Its history is empty.
        """
        states = self._states.copy()
        engine.resample(states, self.rules.params, 0, self._check_seat(seat), np.uint64(seed % 2**64))
        return Game.of_record(states, self.rules, seed)

    def to_bytes(self) -> bytes:
        """The record's bytes: equal for equal games."""
        return self._states.tobytes()

    def _check_seat(self, seat: int) -> int:
        if not 0 <= seat < self.num_players:
            raise ValueError(f"seat {seat!r}: expected 0 to {self.num_players - 1}")
        return int(seat)

    # Transcripts ------------------------------------------------------------------------------------------------------

    def transcript(self, *, names: Sequence[str] | None = None, notes: Sequence[Mapping[str, Any] | None] | None = None) -> str:
        """The game so far as one line of JSON: rules, how it started, and every action; `replay` plays it again.

        Args:
            names: of the players by seat, for those who look at it later.
            notes: for each action, in order, what the agent that chose it thought, or None: ``{"probabilities": {"r5": 0.8, ...},
                "value": 0.3}``, each key at will.
        """
        if isinstance(self._start, dict):
            start = self._start
        else:
            position = notation.position_of(self._start, 0, self.rules)
            start = {"position": position, "generator": int(self._start["rng"][0])}
        told = {"rules": notation.rules_text(self.rules), "num_players": self.num_players, **start, "actions": self._actions}
        if names is not None:
            told["names"] = list(names)
        if notes is not None:
            told["notes"] = list(notes)
        return json.dumps(told)

    @classmethod
    def replay(cls, transcript: str) -> Game:
        """The game that a `transcript` tells of, played again to the same bytes.

        Raises:
            ValueError: for text that is no transcript, naming the key or the number of the action that does not fit.
        """
        told = read_transcript(transcript)
        if "position" in told:
            game = cls.from_position(told["position"], told.get("seed", 0))
            if "generator" in told:
                game._states["rng"][0] = np.uint64(told["generator"])
                game._start = game._states.copy()
        else:
            game = cls(told["rules"], told["seed"], num_players=told["num_players"])
        for number, action in enumerate(told["actions"]):
            try:
                if action == NEXT_ROUND:
                    game.next_round()
                else:
                    game.push(action)
            except ValueError as error:
                raise ValueError(f"action {number} of the transcript: {error}") from None
        return game

    def __str__(self) -> str:
        state = self._state
        top = state.discard_pile[-1:]
        order = "clockwise" if state.direction == 1 else "counter-clockwise"
        lines = [
            f"round {state.round}, turn {state.turns}, {order}; draw pile {state.draw_size}, discards {state.discard_size}",
            f"top {KIND_TEXTS[top[0]] if top else '-'}, colour {COLOURS[state.colour] if state.colour >= 0 else '-'}"
            + (f", {state.pending} cards due" if state.pending else ""),
        ]
        declared = state.row("declared")
        for seat in range(self.num_players):
            mark = ">" if seat == self.actor and not self.over else " "
            uno = "  (Uno)" if declared[seat] else ""
            lines.append(f"{mark} {seat}  {self.scores[seat]:4d}  {' '.join(self.hand(seat))}{uno}")
        if self.outcome:
            lines.append(
                f"over ({self.outcome.termination}): winners {list(self.outcome.winners)}, points {list(self.outcome.points)}"
            )
        else:
            lines.append(f"{self.phase.name}: {', '.join(self.legal_texts())}")
        return "\n".join(lines)

    html: ClassVar[Callable[[Game], str] | None] = None
    """What a notebook shows of a game; `uno_env` puts the replay here, since the game knows nothing of pictures."""

    def _repr_html_(self) -> str | None:
        return None if Game.html is None else Game.html(self)

    def __repr__(self) -> str:
        return f"<Game {notation.rules_text(self.rules)!r} of {self.num_players}, {self.phase.name}, actor {self.actor}>"
