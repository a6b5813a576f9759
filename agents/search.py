"""`search`: Monte Carlo search over redrawn games, which leaves its default choice only for one that is measurably better.

The default is what the rollouts' policy would play or, with a prior, what that agent would: a network's likeliest action. Every
candidate is tried in the same redrawn worlds (`agents.rollouts`), so differences are compared, in which most of the luck cancels.
``docs/search.md`` tells what was measured.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from agents import rollouts
from agents.base import chances
from agents.rollouts import POLICIES
from agents.strategist import settings_for
from uno_env.game import Game
from uno_env.rules import Rules
from uno_env.state import STATE, UNO
from uno_env.view import ANY_SEED, View

MARGIN = 0.7
"""Standard errors by which an action must beat the default to be chosen instead of it."""
DROP = 3.0
"""Standard errors behind the leading action at which an action is tried no further."""
FIRST_WORLDS = 8
"""Worlds before the first look at who is behind; later looks come whenever there are a quarter more."""
MOST_WORLDS = 1024
"""Worlds between two looks at the clock or at who is behind, at most."""
LIKELY = 0.003
"""With a prior, actions less probable than this are not tried."""
BELIEFS = {"bluffers": 0.2, "lacking": 0.05, "lacked": 0.25, "wilds": 0.6}
"""What is believed of the other players, see `agents.rollouts.BELIEFS`."""


class Decision(NamedTuple):
    """What is decided: a game that looks like the true one to the seat that decides, and what that seat sees."""

    root: np.ndarray
    """``STATE[1]``."""
    rules: Rules
    seat: int
    observation: np.ndarray
    action_mask: np.ndarray

    @classmethod
    def of(cls, view: View) -> Decision:
        """The decision of a view; its game is one of those that the view can not tell from the true one."""
        return cls(record(view.resample(ANY_SEED)), view.rules, view.seat, view.observation, view.action_mask)


def record(game: Game) -> np.ndarray:
    """The record of a game, ``STATE[1]``, read-only."""
    return np.frombuffer(game.to_bytes(), STATE)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a search found out about a decision.

    Attributes:
        actions: ``int64[A]``, the candidates, the default first.
        wins: ``float64[A]``, the share of rollouts that the seat's side won, over the worlds in which the action was tried.
        worlds: ``int64[A]``, in how many worlds that was.
        gains: ``float64[A]``, by how much the action did better than the default in the same worlds.
        errors: ``float64[A]``, standard errors of the gains.
        choice: the action to take.
        rollouts: how many were played.
    """

    actions: np.ndarray
    wins: np.ndarray
    worlds: np.ndarray
    gains: np.ndarray
    errors: np.ndarray
    choice: int
    rollouts: int


class Trial:
    """Candidate actions of one decision, tried in one world after another."""

    def __init__(
        self, decision: Decision, actions: Sequence[int], *, policy: str, seed: int, unknown: int = rollouts.UNSEEN
    ) -> None:
        """Nothing tried yet. ``actions``: legal ones, the default first; ``policy`` plays on, ``unknown`` as in `rollouts.roll`."""
        self.actions = np.array(actions, np.int64)
        self.outcomes = np.zeros((0, len(actions)))
        """``float64[W, A]``: 1 for a win, 0, or NaN where the action was no longer tried."""
        self.alive = np.arange(len(actions))
        """Places of the actions that are still tried."""
        self.rollouts = 0
        rules = decision.rules
        self._roll = partial(rollouts.roll, decision.root, rules.params, decision.seat)
        self._how = (unknown, POLICIES.index(policy), settings_for(rules), np.array([BELIEFS[name] for name in rollouts.BELIEFS]))
        self._seed = seed

    def roll(self, worlds: int) -> None:
        """Try what is alive in ``worlds`` more worlds."""
        tried = np.empty((worlds, len(self.alive)))
        seed = np.uint64(self._seed + len(self.outcomes) * rollouts.MOST_TRIES)
        self._roll(seed, worlds, self.actions[self.alive], *self._how, tried)
        outcomes = np.full((worlds, len(self.actions)), np.nan)
        outcomes[:, self.alive] = tried
        self.outcomes = np.concatenate((self.outcomes, outcomes))
        self.rollouts += tried.size

    def next_worlds(self) -> int:
        """Worlds to try before the next look."""
        return min(max(FIRST_WORLDS, len(self.outcomes) // 4), MOST_WORLDS)

    def drop(self) -> None:
        """Give up what is far behind the leading action; the default stays as long as anything else does."""
        outcomes = self.outcomes[:, self.alive]
        lead = int(outcomes.mean(axis=0).argmax())
        behind, errors = _differences(outcomes[:, [lead]] - outcomes)
        keep = behind <= DROP * errors
        if lead != 0 and not keep[0] and keep[1:].sum() == 1:
            keep[:] = False  # the default is beaten, and by one action alone: that is the choice
        else:
            keep[0] = True
        keep[lead] = True
        self.alive = self.alive[keep]

    def result(self) -> Evaluation:
        """The choice: the action with the greatest gain over the default, if that exceeds `MARGIN` standard errors."""
        worlds = (~np.isnan(self.outcomes)).sum(axis=0)
        wins = np.nansum(self.outcomes, axis=0) / np.maximum(worlds, 1)
        gains, errors = _differences(self.outcomes - self.outcomes[:, [0]])
        better = np.isin(np.arange(len(self.actions)), self.alive) & (gains > MARGIN * errors)
        choice = int(self.actions[np.where(better, gains, 0.0).argmax()])
        return Evaluation(self.actions, wins, worlds, gains, errors, choice, self.rollouts)


def _differences(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means and standard errors of the columns, NaN left out; one more world that differs is assumed, so that no error is 0."""
    count = np.maximum((~np.isnan(values)).sum(axis=0), 1)
    means = np.nansum(values, axis=0) / count
    variances = np.nansum(values**2, axis=0) / count - means**2
    return means, np.sqrt((variances + 1 / count) / count)


class Search:
    """Searches every decision that is not forced.

    A time budget is wall-clock time for each decision, and what is found in it depends on the machine; with a number of rollouts
    the same generator gives the same choice.
    """

    unknown = rollouts.UNSEEN
    """What worlds draw anew, see `agents.rollouts`."""

    def __init__(
        self,
        *,
        rollouts: int | None = None,
        seconds: float | None = None,
        policy: str = POLICIES[0],
        prior: Any = None,
        name: str = "search",
    ) -> None:
        """A searcher.

        Args:
            rollouts: rollouts of a decision, at most, over all its actions.
            seconds: time for a decision; exactly one of the two is given.
            policy: who plays on in the rollouts (`POLICIES`) and, without a prior, makes the default choice.
            prior: an agent that makes the default choice instead. Of one with a method ``logits`` that is the likeliest action,
                and improbable ones (`LIKELY`) are not tried; another is asked by ``act_batch``.
            name: what the agent is called.

        Raises:
            ValueError: for a budget, a policy or a prior that can not be searched with.
        """
        if (rollouts is None) == (seconds is None):
            raise ValueError(f"rollouts={rollouts}, seconds={seconds}: expected exactly one of the two")
        if rollouts is not None and rollouts < 1:
            raise ValueError(f"rollouts={rollouts}: expected at least 1")
        if seconds is not None and not 0 < seconds < float("inf"):
            raise ValueError(f"seconds={seconds}: expected a time above 0")
        if policy not in POLICIES:
            raise ValueError(f"policy={policy!r}: expected one of {', '.join(POLICIES)}")
        if not any(hasattr(prior, name) for name in ("logits", "act_batch", "for_rules")) and prior is not None:
            raise ValueError(f"prior={prior!r}: expected an agent with a method logits or act_batch")
        self.rollouts, self.seconds, self.policy, self.prior, self.name = rollouts, seconds, policy, prior, name

    @property
    def num_players(self) -> int | None:
        """Players at the only table the prior plays at; None for any."""
        return getattr(self.prior, "num_players", None)

    def for_rules(self, rules: Rules) -> Search:
        """The agent as it plays under ``rules``; ``ValueError`` where its prior does not."""
        for_rules = getattr(self.prior, "for_rules", None)
        if for_rules is None:
            return self
        found = copy(self)
        found.prior = for_rules(rules)
        return found

    def act(self, view: View) -> int:
        """A legal action of ``view``."""
        return int(self.act_views([view])[0])

    def act_views(self, views: Sequence[View], threads: int = 1) -> np.ndarray:
        """Legal actions, ``int64[M]``, for views that share rules and generator; ``threads`` search side by side."""
        return self.decide([Decision.of(view) for view in views], views[0].rng, threads)

    def evaluate(self, view: View) -> Evaluation:
        """What the search finds out about the decision of ``view``; its choice is what `act` chooses with an equal generator."""
        decision = Decision.of(view)
        return self._search(decision, *self._prepare([decision], view.rng)[0])

    def decide(self, decisions: Sequence[Decision], rng: np.random.Generator, threads: int = 1) -> np.ndarray:
        """As `act_views`, for decisions; all that is random comes from ``rng``."""
        jobs = zip(decisions, *zip(*self._prepare(decisions, rng), strict=True), strict=True)
        if threads == 1:
            return np.array([self._search(*job).choice for job in jobs], np.int64)
        with ThreadPoolExecutor(threads, "search") as pool:
            return np.array([found.choice for found in pool.map(lambda job: self._search(*job), jobs)], np.int64)

    def _prepare(self, decisions: Sequence[Decision], rng: np.random.Generator) -> list[tuple[list[int], int]]:
        """For each decision, the candidates, the default first, and the seed of its worlds."""
        rules = decisions[0].rules
        rows = np.stack([decision.observation for decision in decisions])
        masks = np.stack([decision.action_mask for decision in decisions])
        seeds = rng.integers(0, 2**62, len(decisions))
        prior: Any = self.for_rules(rules).prior
        likely = masks != 0
        if hasattr(prior, "logits"):
            probabilities = chances(prior.logits(rows), masks)
            defaults = probabilities.argmax(axis=1)
            likely = probabilities >= LIKELY
        elif prior is not None:
            defaults = np.array(prior.act_batch(rows, masks, rng), np.int64)
        else:
            words = rng.integers(0, 2**64, len(decisions), dtype=np.uint64)
            defaults = np.empty(len(decisions), np.int64)
            rollouts.decide_all(POLICIES.index(self.policy), rows, masks, words, settings_for(rules), defaults)
        likely[masks[:, UNO] != 0] = False  # a call costs nothing, and the decision comes back
        defaults[masks[:, UNO] != 0] = UNO
        candidates = []
        for default, row in zip(defaults.tolist(), likely, strict=True):
            candidates.append([default, *(action for action in np.flatnonzero(row).tolist() if action != default)])
        return list(zip(candidates, seeds.tolist(), strict=True))

    def _search(self, decision: Decision, actions: list[int], seed: int) -> Evaluation:
        start = perf_counter()
        trial = Trial(decision, actions, policy=self.policy, unknown=self.unknown, seed=seed)
        while len(trial.alive) > 1:
            worlds = trial.next_worlds()
            if self.rollouts is not None:
                worlds = min(worlds, (self.rollouts - trial.rollouts) // len(trial.alive))
            if self.seconds is not None and trial.rollouts > 0:
                passed = perf_counter() - start
                worlds = min(worlds, int((self.seconds - passed) / passed * trial.rollouts / len(trial.alive)))
            if worlds < 1:
                break
            trial.roll(worlds)
            trial.drop()
        return trial.result()

    def __repr__(self) -> str:
        return f"<agent {self.name}>"


# Names ----------------------------------------------------------------------------------------------------------------

DEFAULT_ROLLOUTS = 2_000
"""Of ``search`` without a budget."""
FORMS = "search, search:ROLLOUTS, search:SECONDSs, either with :POLICY behind (search:400:rule, search:0.2s)"
"""How a searcher is named, for errors."""


def searcher(spec: str, prior: Any = None) -> Search:
    """The searcher that ``spec`` names, see `FORMS`; ``ValueError`` for another text."""
    head, *options = spec.rpartition("+")[2].split(":")
    budget = options[0] if options else str(DEFAULT_ROLLOUTS)
    policy = options[1] if len(options) > 1 else POLICIES[0]
    count = re.fullmatch(r"[0-9]+", budget)
    time = re.fullmatch(r"([0-9]+|[0-9]*\.[0-9]+)s", budget)
    if head != "search" or len(options) > 2 or not (count or time):
        raise ValueError(f"agent {spec!r}: expected {FORMS}")
    try:
        return Search(
            rollouts=int(budget) if count else None,
            seconds=float(time[1]) if time else None,
            policy=policy,
            prior=prior,
            name=spec,
        )
    except ValueError as error:
        raise ValueError(f"agent {spec!r}: {error}") from None
