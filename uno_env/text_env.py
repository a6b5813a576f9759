"""# Uno in text, for agents that read and write.

| Creation          | ``gymnasium.make("uno_env:Uno-text-v0")``, no other import is needed          |
|-------------------|-------------------------------------------------------------------------------|
| Action Space      | Text: a legal action's text, in any plausible spelling                        |
| Observation Space | Text: what the seat may know, in English                                      |
| Legal actions     | in the observation; ``info["legal_actions"]``, ``info["action_mask"]`` (int8) |
| Players           | the learner and 1-9 opponents                                                 |

The game of `uno_env.single_agent` (``Uno-v0``), same seeds, same cards, same masks, same rewards, told in English. An observation
says what happened since the agent's last decision, top card and colour in force, piles, the other players in order of play with
what is known of them, the own hand, points in a match, what is asked, and the legal actions. ``observation`` of
`uno_env.uno_text_v0` (PettingZoo) is the same text.

### Arguments

``UnoTextEnv(*, illegal_action="ask", max_retries=3, tell_rules="never", **options)``, where ``options`` are those of
`uno_env.single_agent.UnoEnv`: ``rules``, ``num_players``, ``opponents``, ``seat``, ``episode``, ``reward``, ``render_mode``, ...

* ``illegal_action``: what follows on an answer that is unreadable or not legal. ``"ask"``: the agent is asked again, the
  observation says what was wrong, nothing else changes, the reward is 0; ``"end"``: the episode ends with reward -1, terminated;
  ``"raise"``: it raises `uno_env.IllegalAction`.
* ``max_retries``: so many answers in a row may be no legal action, with questions counted; one more ends the episode with reward
  -1. None for no limit.
* ``tell_rules``: ``"first"``: the first observation of an episode begins with the rules in force; ``"always"``: every observation
  does.

### Answers

The text of a legal action: ``r5``, ``W4:b``, ``draw``, ``challenge``, ``swap:2``. Case, spacing and small words do not matter:
"Play red 5", "R 5", "wild draw four, blue", "draw a card" are read as well (`uno_env.spelling`). In a longer text the action
stands in [brackets], after "Action:", or in the last line. An integer, or ``#72``, is read as the action's number. Three
questions may be asked instead, which costs nothing but a retry: ``rules``, ``discards`` (cards in the discard pile), ``unseen``
(cards that may be anywhere else).

### Version History

* v0: initial version
"""

from __future__ import annotations

import operator
import re
import string
from collections.abc import Sequence
from typing import Any, Literal

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded

from uno_env.game import Event, Game
from uno_env.notation import IllegalAction
from uno_env.render.description import cards_of, describe, names_for
from uno_env.render.refusal import card_or_action, why_not
from uno_env.render.rulebook import rules_in_words
from uno_env.single_agent import UnoEnv
from uno_env.spelling import Unreadable, read

ENV_ID = "Uno-text-v0"
"""Name in Gymnasium's registry; the version moves when behaviour moves."""

CHARACTERS = frozenset(string.ascii_letters + string.digits + string.punctuation + " \n")
MAX_ANSWER, MAX_OBSERVATION = 1000, 24_000
"""Longest texts of the spaces; a longer answer is read as well."""

QUESTIONS = ("rules", "discards", "unseen")
NUMBER = re.compile(r"#(\d{1,3})")
QUOTED = 80
"""So much of an answer is quoted where it is refused."""


class AnswerSpace(gymnasium.spaces.Text):
    """The space of answers. `sample` takes an action mask as well, as ``Discrete`` does, and then gives a legal action."""

    def __init__(self) -> None:
        super().__init__(MAX_ANSWER, min_length=1, charset=CHARACTERS)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Any text; with an action mask (``int8[91]``) the number of a legal action, as in ``#72``."""
        if isinstance(mask, np.ndarray):
            return f"#{self.np_random.choice(np.flatnonzero(mask))}"
        return super().sample(mask, probability)


def text_space() -> gymnasium.spaces.Text:
    """The space of observations as text."""
    return gymnasium.spaces.Text(MAX_OBSERVATION, min_length=1, charset=CHARACTERS)


class Conversation:
    """What is told to the seats of one game, and what their answers mean; both text environments speak through it.

    Attributes:
        refusal: why the last answer was refused, or None.
    """

    def __init__(self, illegal_action: str, max_retries: int | None, tell_rules: str) -> None:
        if illegal_action not in ("ask", "end", "raise"):
            raise ValueError(f"illegal_action={illegal_action!r}: expected 'ask', 'end' or 'raise'")
        if max_retries is not None and (isinstance(max_retries, bool) or not isinstance(max_retries, int) or max_retries < 0):
            raise ValueError(f"max_retries={max_retries!r}: expected an integer from 0, or None")
        if tell_rules not in ("never", "first", "always"):
            raise ValueError(f"tell_rules={tell_rules!r}: expected 'never', 'first' or 'always'")
        self.illegal_action, self.max_retries, self.tell_rules = illegal_action, max_retries, tell_rules
        self.begin()

    def begin(self) -> None:
        """A new episode."""
        self.refusal: str | None = None
        self._reply: tuple[int, str] | None = None  # to the last answer, where it was no action: to which seat, and what
        self._retries = 0
        self._decided_at: dict[int, int] = {}  # for each seat: events before its last decision

    def tell(self, game: Game, seat: int, history: Sequence[Event], *, stopped: bool = False) -> str:
        """The observation of ``seat``.

        Args:
            game: the game as it stands.
            seat: who reads.
            history: all events of the episode.
            stopped: whether the episode ended by an illegal action.
        """
        first = seat not in self._decided_at
        lines = [rules_in_words(game.rules), ""] if self.tell_rules == "always" or (self.tell_rules == "first" and first) else []
        if self._reply is not None and self._reply[0] == seat:
            lines += [self._reply[1], ""]
        if stopped:
            return "\n".join([*lines, "The episode has ended: an answer was no legal action."])
        lines.append(describe(game, seat, history[self._decided_at.get(seat, 0) :], first=first))
        if not game.over and game.actor == seat:
            lines.append(f"Answer with one legal action, or ask: {', '.join(QUESTIONS)}.")
        return "\n".join(lines)

    def hear(self, game: Game, history: Sequence[Event], answer: str | int) -> int | None:
        """What the seat that decides answered: the number of its action, or None if it is to be asked again.

        Where the episode is to end for want of a legal action, the number is one that is not legal.

        Raises:
            IllegalAction: for what is neither text nor an integer; with ``illegal_action="raise"`` for what is no legal action.
        """
        seat = game.actor
        self.refusal = None
        reply = self._answered(game, answer)
        give_up = False
        if reply is None:
            try:
                action = self._action(game, answer)
            except IllegalAction as error:
                if self.illegal_action == "raise":
                    raise
                self.refusal = str(error)
                reply = f"Refused: {self.refusal}"
                give_up = self.illegal_action == "end"
            else:
                self._reply, self._retries = None, 0
                self._decided_at[seat] = len(history)
                return action
        self._retries += 1
        self._reply = seat, reply
        if give_up or (self.max_retries is not None and self._retries > self.max_retries):
            self._decided_at[seat] = len(history)
            return int(np.argmin(game.action_mask()))
        return None

    def _answered(self, game: Game, answer: str | int) -> str | None:
        """The reply to a question, or None if it is none."""
        question = answer.strip().strip("?.`\"'[]").lower() if isinstance(answer, str) else ""
        if question == "rules":
            return rules_in_words(game.rules)
        if question == "discards":
            return f"In the discard pile: {cards_of(game, game.actor, 'discarded')}."
        if question == "unseen":
            return f"In the draw pile or other hands, not seen by you: {cards_of(game, game.actor, 'unseen')}."
        return None

    def _action(self, game: Game, answer: str | int) -> int:
        """The legal action that an answer names; `IllegalAction` with what was given, why it is refused, and what is legal."""
        legal, names = game.legal_texts(), names_for(game, game.actor)
        if isinstance(answer, str) and (number := NUMBER.fullmatch(answer.strip())):
            answer = int(number[1])
        if isinstance(answer, str):
            given = ascii(answer if len(answer) <= QUOTED else answer[:QUOTED] + "...")
            try:
                action = read(answer, legal, names)
            except Unreadable as error:
                raise IllegalAction(f"{given}: {error}. Legal: {', '.join(legal)}.") from None
        else:
            if isinstance(answer, (bool, np.bool_)) or not hasattr(answer, "__index__"):
                raise TypeError(f"an answer is a text or an action's number, not {answer!r:.80}")
            given = str(operator.index(answer))
            try:
                action = game.action_text(operator.index(answer))
            except ValueError as error:
                raise IllegalAction(f"{error}. Legal: {', '.join(legal)}.") from None
        if action not in legal:
            meant = card_or_action(action)
            said = given if given == ascii(meant) else f"{given}, read as {meant}"
            raise IllegalAction(f"{said}: {why_not(game, names, action)}. Legal: {', '.join(legal)}.")
        return game.action_id(action)


class UnoTextEnv(gymnasium.Env[str, str]):
    """Uno in English for one agent against opponents; see the module `uno_env.text_env` for arguments, answers and version history.

    ``info`` holds ``action_mask`` (``int8[91]``), ``legal_actions`` (their texts) and ``refusal`` (why the last answer was refused,
    or None).
    """

    metadata: dict[str, Any] = UnoEnv.metadata

    def __init__(
        self,
        *,
        illegal_action: Literal["ask", "end", "raise"] = "ask",
        max_retries: int | None = 3,
        tell_rules: Literal["never", "first", "always"] = "never",
        **options: Any,
    ) -> None:
        """Make the environment; `reset` deals. ``options`` go to `UnoEnv`.

        Raises:
            ValueError: for a value that can not be played with.
        """
        self._talk = Conversation(illegal_action, max_retries, tell_rules)
        self._env = UnoEnv(**options, illegal_action="end")
        self._env._game.keep_history = True
        self.render_mode = self._env.render_mode
        self.observation_space = text_space()
        self.action_space = AnswerSpace()
        self._ended = self._stopped = False

    @property
    def uno(self) -> UnoEnv:
        """The environment that is told of: rules, seat, opponents, seed."""
        return self._env

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Deal a new game and play on to the agent's first decision; seeds as in `UnoEnv.reset`."""
        super().reset(seed=seed)
        _, info = self._env.reset(seed=seed, options=options)
        self._talk.begin()
        self._ended = self._stopped = False
        return self._told(info["action_mask"])

    def step(self, action: str | int) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Carry out the action that a text names and play on to the next decision or the end; or ask again.

        Raises:
            IllegalAction: (a `ValueError`) with ``illegal_action="raise"``, for what is no legal action; nothing has changed.
            TypeError: for what is neither text nor an integer.
            ResetNeeded: before the first `reset`, and when the episode is over.
        """
        game = self._env.game()
        if self._ended:
            raise ResetNeeded("no decision is due: call reset() first")
        number = self._talk.hear(game, self._env._game.history, action)
        if number is None:
            text, info = self._told(game.action_mask())
            return text, 0.0, False, False, info
        _, reward, terminated, truncated, info = self._env.step(number)
        self._ended = terminated or truncated
        self._stopped = self._ended and not self._env.game().over
        text, info = self._told(info["action_mask"])
        return text, reward, terminated, truncated, info

    def action_masks(self) -> np.ndarray:
        """The actions that are legal now, a fresh ``bool[91]``; all False when the episode is over."""
        return self._env.action_masks()

    def rules_text(self) -> str:
        """The rules in force in words, as for a system prompt."""
        return rules_in_words(self._env.rules)

    def game(self) -> Game:
        """The game as it stands, hidden cards and all, as a `Game` of its own: for search and tests."""
        return self._env.game()

    def render(self) -> Any:
        """As `UnoEnv.render`."""
        return self._env.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._env.close()

    def _told(self, mask: np.ndarray) -> tuple[str, dict[str, Any]]:
        game, seat = self._env.game(), self._env.seat
        text = self._talk.tell(game, seat, self._env._game.history, stopped=self._stopped)
        legal = [] if self._ended else game.legal_texts()
        return text, {"action_mask": mask, "legal_actions": legal, "refusal": self._talk.refusal}


def register() -> None:
    """Put `ENV_ID` into Gymnasium's registry, where it is not in yet."""
    if ENV_ID not in gymnasium.registry:
        gymnasium.register(id=ENV_ID, entry_point="uno_env.text_env:UnoTextEnv")


register()
