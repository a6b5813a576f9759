"""Games of a batch as transcripts: what `train.arena.play` saves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from agents.base import chances
from uno_env.game import NEXT_ROUND
from uno_env.notation import action_text, rules_text
from uno_env.rules import Rules
from uno_env.vector import UnoVector


def seat_names(names: Sequence[str]) -> list[str]:
    """The players' names by seat; those that occur more than once are told apart by their seat."""
    return [name if names.count(name) == 1 else f"{name} (seat {seat})" for seat, name in enumerate(names)]


def likely(agent: Any, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray | None:
    """How likely an agent takes each action, ``float64[M, 91]``, if it has a method ``logits``; else None."""
    if not hasattr(agent, "logits"):
        return None
    return chances(agent.logits(observations), action_masks)


class Recorder:
    """The actions of games that run side by side, each to be taken out when its game is over."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._told = rules_text(rules)
        self._actions: dict[int, list[str]] = {}
        self._notes: dict[int, list[dict[str, Any] | None]] = {}

    def add(
        self, vector: UnoVector, rows: np.ndarray, games: np.ndarray, chosen: np.ndarray, chances: Sequence[np.ndarray | None]
    ) -> None:
        """Note the actions ``chosen`` (``[K]``) in the games of ``rows``, before the step that carries them out.

        ``games`` (``[K]``) are the games' numbers; ``chances`` holds a row of probabilities for each, or None.
        """
        directions = vector.states["direction"]
        for row, game, action, chance in zip(rows.tolist(), games.tolist(), chosen.tolist(), chances, strict=True):
            where = int(vector.actors[row]), self._rules.num_players, int(directions[row])
            self._actions.setdefault(game, []).append(action_text(action, *where))
            note = None
            if chance is not None:
                texts = {action_text(int(a), *where): round(float(chance[a]), 4) for a in np.flatnonzero(chance >= 0.0001)}
                note = {"probabilities": texts}
            self._notes.setdefault(game, []).append(note)

    def next_round(self, games: np.ndarray) -> None:
        """These games (``[K]``) have dealt their next round."""
        for game in games.tolist():
            self._actions[game].append(NEXT_ROUND)
            self._notes[game].append(None)

    def take(self, game: int, seed: int, names: Sequence[str]) -> str:
        """The transcript of a game that is over; it is forgotten here."""
        told: dict[str, Any] = {
            "rules": self._told,
            "num_players": self._rules.num_players,
            "seed": seed,
            "actions": self._actions.pop(game),
            "names": seat_names(names),
        }
        notes = self._notes.pop(game)
        if any(note is not None for note in notes):
            told["notes"] = notes
        return json.dumps(told)
