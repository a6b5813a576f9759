"""What an agent would do in a decision, and how good each action looks: probabilities, and the share of play-outs that are won.

Everything starts from a `View`: the hidden cards of the play-outs are drawn anew from what the seat knows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents import Agent, View
from agents.base import chances
from agents.search import Decision, Trial
from uno_env.state import NUM_ACTIONS

PLAY_OUTS = 200
"""Play-outs of each action."""
SAMPLES = 200
"""Decisions from which the probabilities of an agent that does not tell them are counted."""


@dataclass(frozen=True)
class Option:
    """A legal action."""

    action: int
    text: str
    probability: float | None
    """How likely the agent plays it; None if the agent decides one view at a time and chose another."""
    win: float
    """Share of the play-outs from this action that the seat's side wins, 0 to 1; a searcher's own where it tried the action."""


@dataclass(frozen=True)
class Hint:
    """A hint for one decision, the agent's favourite first."""

    agent: str
    options: tuple[Option, ...]
    win: float
    """The seat's chance to win the round: the agent's own estimate, or the options' shares weighted by its probabilities."""
    play_outs: int


def probabilities(agent: Agent, view: View) -> np.ndarray:
    """How likely ``agent`` chooses each action in ``view``, ``float64[91]``.

    From its logits where it has them, else counted from many decisions, or from one if it decides one view at a time.
    """
    legal = np.flatnonzero(view.action_mask)
    result = np.zeros(NUM_ACTIONS)
    if len(legal) == 1:
        result[legal] = 1.0
        return result
    for_rules = getattr(agent, "for_rules", None)
    player = for_rules(view.rules) if for_rules is not None else agent
    logits = getattr(player, "logits", None)
    if logits is not None:
        return chances(logits(view.observation[None]), view.action_mask[None])[0]
    act_batch = getattr(player, "act_batch", None)
    if act_batch is not None:
        rows = np.repeat(view.observation[None], SAMPLES, axis=0)
        masks = np.repeat(view.action_mask[None], SAMPLES, axis=0)
        chosen = np.asarray(act_batch(rows, masks, view.rng), np.int64)
        result[:] = np.bincount(chosen, minlength=NUM_ACTIONS)[:NUM_ACTIONS] / SAMPLES
    else:
        result[int(player.act(view))] = 1.0
    return result


def win_shares(view: View, play_outs: int = PLAY_OUTS) -> dict[int, float]:
    """For each legal action of ``view``, the share of ``play_outs`` that the seat's side wins, the strategist in all seats.

    All actions are tried on the same redrawn games.
    """
    legal = np.flatnonzero(view.action_mask).tolist()
    trial = Trial(Decision.of(view), legal, policy="strategist", seed=int(view.rng.integers(0, 2**62)))
    trial.roll(play_outs)
    return dict(zip(legal, trial.outcomes.mean(axis=0).tolist(), strict=True))


def advise(agent: Agent, name: str, view: View, *, play_outs: int = PLAY_OUTS) -> Hint:
    """What ``agent`` would do in ``view``, and how each action does in play-outs."""
    wins = win_shares(view, play_outs)
    evaluate = getattr(agent, "evaluate", None)
    if evaluate is None:
        likely = probabilities(agent, view)
    else:  # a searcher: it has tried what it thought worth it in more play-outs
        found = evaluate(view)
        wins |= dict(zip(found.actions[found.worlds > 0].tolist(), found.wins[found.worlds > 0].tolist(), strict=True))
        likely = np.zeros(NUM_ACTIONS)
        likely[found.choice] = 1.0
    texts = dict(zip(wins, view.legal_texts(), strict=True))
    options = [Option(action, texts[action], float(likely[action]), wins[action]) for action in wins]
    options.sort(key=lambda option: (-(option.probability or 0.0), -option.win))
    estimate = getattr(agent, "win_probability", None)
    win = float(sum(likely[action] * share for action, share in wins.items()))
    if estimate is not None:
        win = float(estimate(view))
    return Hint(name, tuple(options), win, play_outs)
