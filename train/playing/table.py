"""The game table as a state machine: who sits where, whose decision is due, what a seat may do. No network, no clock, no threads.

People act through `Table.act`; for agents, whoever drives the table takes `Table.decision`, lets the agent think wherever it likes,
and hands the answer to `Table.answer`, which drops it if the table has moved on since (an undo, a new match).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agents import Agent
from uno_env.cards import KIND_NAMES
from uno_env.game import Event, Game
from uno_env.rules import Rules
from uno_env.view import View

FIRST_NAMES = ("Ada", "Ben", "Cleo", "Dan", "Edda", "Finn", "Gus", "Hana", "Ivo", "Juno")
MAX_UNDO = 500
"""How many decisions practice mode can take back."""


class Refused(ValueError):
    """What a seat may not do now; the message says why, and nothing has changed."""


@dataclass(frozen=True)
class Player:
    """Who plays a seat."""

    name: str
    agent: Agent | None = None
    """None for a person."""
    spec: str = ""
    """The agent's name for `agents.load`."""

    @property
    def human(self) -> bool:
        """Whether a person plays the seat."""
        return self.agent is None


@dataclass(frozen=True)
class Note:
    """Something all saw that is no action: ``text.format(*names)`` tells it."""

    text: str


@dataclass(frozen=True)
class Decision:
    """A decision that an agent has to make; `Table.answer` takes it back with the action."""

    epoch: int
    agent: Agent
    view: View


@dataclass(frozen=True)
class _Before:
    """The table before a person's decision, for undo."""

    game: Game
    log: int


def human_seats(count: int, num_players: int) -> list[int]:
    """Seats for ``count`` people, spread evenly over the table."""
    if not 1 <= count <= num_players:
        raise ValueError(f"seats={count}: expected 1 to {num_players}, the players at the table")
    return [k * num_players // count for k in range(count)]


def seat_players(rules: Rules, people: Sequence[int], agents: Sequence[tuple[str, Agent]]) -> list[Player]:
    """Players for a table: people in the seats ``people``, agents in the others.

    Args:
        rules: of the table.
        people: seats of people.
        agents: (spec, agent), one for all other seats or one for each of them in order.

    Raises:
        ValueError: for another number of agents, or an agent that does not play at such a table.
    """
    num_players = rules.num_players
    others = [seat for seat in range(num_players) if seat not in people]
    if others and len(agents) not in (1, len(others)):
        raise ValueError(f"{len(agents)} opponents: expected 1, or {len(others)}, one for each seat without a person")
    players: list[Player] = []
    for seat in range(num_players):
        if seat in people:
            players.append(Player(f"Player {len([k for k in people if k <= seat])}"))
            continue
        spec, agent = agents[others.index(seat) if len(agents) > 1 else 0]
        players.append(Player(FIRST_NAMES[len([p for p in players if not p.human])], at_rules(spec, agent, rules), spec))
    return players


def at_rules(spec: str, agent: Agent, rules: Rules) -> Agent:
    """The agent as it plays under ``rules``; ``ValueError`` for one that does not play at such a table."""
    for_rules = getattr(agent, "for_rules", None)
    try:
        player = agent if for_rules is None else for_rules(rules)
    except (ValueError, FileNotFoundError) as error:
        raise ValueError(f"agent {spec!r}: {error}") from None
    wants = getattr(player, "num_players", None)
    if wants is not None and wants != rules.num_players:
        raise ValueError(f"agent {spec!r} plays with {wants} players; this table has {rules.num_players}")
    return player


class Table:
    """A table at which people and agents play matches.

    Attributes:
        epoch: moves with every change, visible or not. It must not reach a player: it would tell that somebody was asked.
        log: what happened since the match began: events and notes.
        stopped: whether the match was given up before its end; nothing can be played then.
    """

    def __init__(self, rules: Rules, players: Sequence[Player], *, seed: int | None = None, practice: bool = False) -> None:
        """A table at which the first round is dealt.

        Args:
            rules: the rules, with as many players as ``players``.
            players: one for each seat, at least one person.
            seed: of the first match; the next ones count on from it. None for fresh ones.
            practice: whether decisions can be taken back; only with a single person, who might see others' cards so.
        """
        people = [seat for seat, player in enumerate(players) if player.human]
        if len(players) != rules.num_players:
            raise ValueError(f"{len(players)} players for {rules.num_players} seats")
        if practice and len(people) != 1:
            raise ValueError(f"practice mode is for one person at the table, not {len(people)}: taking back shows hidden cards")
        self.rules = rules
        self.players = tuple(players)
        self.people = people
        self.practice = practice
        self.epoch = 0
        self._seed = seed
        self._matches = 0
        self._deal_match()

    def _deal_match(self) -> None:
        self.game = Game(self.rules, None if self._seed is None else self._seed + self._matches)
        self._matches += 1
        self._generators = [np.random.default_rng([self.game.seed % 2**64, seat]) for seat in range(self.rules.num_players)]
        self._undo: list[_Before] = []
        self.log: list[Event | Note] = []
        self.stopped = False
        self._note_deal()
        self._moved()

    def _moved(self) -> None:
        self.epoch += 1

    def _note_deal(self) -> None:
        state = self.game.state
        top = state.discard_pile[-1:]
        starter = f" The starter is {KIND_NAMES[top[0]]}." if top else " The first player opens with any card."
        self.log.append(Note(f"Round {state.round}: {{{state.dealer}}} deals.{starter}"))
        sizes = state.row("hand_size")
        for seat in range(self.rules.num_players):
            if sizes[seat] > self.rules.hand_size:
                self.log.append(Note(f"{{{seat}}} draws {sizes[seat] - self.rules.hand_size} cards and is skipped."))

    # What is due ------------------------------------------------------------------------------------------------------

    @property
    def num_players(self) -> int:
        """Seats at the table."""
        return self.rules.num_players

    @property
    def match_over(self) -> bool:
        """Whether the match is won or was stopped."""
        return self.stopped or self.game.match_winners is not None

    def asks(self, seat: int) -> bool:
        """Whether the decision that is due is this seat's."""
        return not self.stopped and not self.game.over and self.game.actor == seat

    def decision(self) -> Decision | None:
        """The decision that an agent has to make now, or None."""
        if self.stopped or self.game.over:
            return None
        seat = self.game.actor
        agent = self.players[seat].agent
        if agent is None:
            return None
        return Decision(self.epoch, agent, View(self.game, self._generators[seat]))

    # What seats do ----------------------------------------------------------------------------------------------------

    def answer(self, decision: Decision, action: int) -> Event | None:
        """Carry out what an agent decided; None, and nothing happens, if the table has moved on since.

        An agent that chooses an illegal action must not end the game: a legal one is played for it, and stderr says so.
        """
        if decision.epoch != self.epoch:
            return None
        try:
            return self._push(action)
        except ValueError as error:
            print(f"play: agent {self.players[decision.view.seat].spec!r}: {error}", file=sys.stderr)
            return self._push(fallback(decision))

    def _push(self, action: str | int) -> Event:
        event = self.game.push(action)
        self.log.append(event)
        self._moved()
        return event

    def _person(self, seat: int) -> None:
        if seat not in self.people:
            raise Refused(f"seat {seat!r} is not a person's")

    def act(self, seat: int, action: str) -> Event:
        """A person's action, as text.

        Raises:
            Refused: where it is not this seat's decision, or the action is not legal.
        """
        self._person(seat)
        if not self.asks(seat):
            raise Refused("it is not for you to decide now")
        if action not in self.game.legal_texts():
            raise Refused(f"{action[:40]!r} is not possible now; possible: {', '.join(self.game.legal_texts())}")
        if self.practice:
            self._undo = [*self._undo[1 - MAX_UNDO :], _Before(self.game.copy(), len(self.log))]
        return self._push(action)

    @property
    def can_undo(self) -> bool:
        """Whether a decision can be taken back."""
        return self.practice and bool(self._undo) and not self.stopped

    def undo(self, seat: int) -> None:
        """Take back the person's last decision and all that followed; `Refused` outside practice mode."""
        self._person(seat)
        if not self.can_undo:
            raise Refused("there is nothing to take back" if self.practice else "decisions are taken back in practice mode only")
        before = self._undo.pop()
        self.game = before.game
        del self.log[before.log :]
        self._moved()

    def next_round(self, seat: int) -> None:
        """Deal the next round of the match; `Refused` while the round goes on or when the match is over."""
        self._person(seat)
        if not self.game.over or self.match_over:
            raise Refused("the match is over" if self.match_over else "the round is not over")
        self.game.next_round()
        self._note_deal()
        self._moved()

    @property
    def can_stop(self) -> bool:
        """Whether the match can be given up: between rounds, in practice mode always."""
        return not self.match_over and (self.game.over or self.practice)

    def stop(self, seat: int) -> None:
        """Give the match up. It can be saved then, and not be played on: a transcript tells all cards, those to come included."""
        self._person(seat)
        if not self.can_stop:
            raise Refused("the match is over" if self.match_over else "a match is given up between its rounds")
        self.stopped = True
        self.log.append(Note(f"{{{seat}}} stops the match."))
        self._moved()

    def new_match(self, seat: int) -> None:
        """Deal a new match; `Refused` while one goes on."""
        self._person(seat)
        if not self.match_over:
            raise Refused("the match is not over")
        self._deal_match()

    def transcript(self, seat: int) -> str:
        """The match as one line of JSON; `Refused` before its end, since seed and actions tell every hidden card."""
        self._person(seat)
        if not self.match_over:
            raise Refused("the match can be saved once it is over or stopped: until then it would tell hidden cards")
        names = [player.name if player.human else f"{player.name} ({player.spec})" for player in self.players]
        return self.game.transcript(names=names)


def fallback(decision: Decision) -> int:
    """A legal action for an agent that fails: a uniform one."""
    return int(decision.view.rng.choice(np.flatnonzero(decision.view.action_mask)))


def think(decision: Decision) -> int:
    """Let the agent decide; one that raises an error must not end the game, so a legal action is found for it."""
    try:
        return int(decision.agent.act(decision.view))
    except Exception as error:  # a third party's agent may raise anything
        print(f"play: agent {decision.agent!r} failed: {type(error).__name__}: {error}", file=sys.stderr)
        return fallback(decision)


def warm_up(table: Table) -> None:
    """Let every agent decide once in a game of its own, so that none of them has to be compiled during the first turn."""
    game = Game(table.rules, 0)
    for agent in {id(player.agent): player.agent for player in table.players if player.agent is not None}.values():
        think(Decision(-1, agent, View(game, np.random.default_rng(0))))
