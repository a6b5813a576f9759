"""What an agent would do in a decision, and how good each action looks: probabilities, and the share of play-outs that are won.

Everything starts from a `View`: the hidden cards of the play-outs are drawn anew from what the seat knows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents import Agent, BatchAgent, View, load
from uno_env import engine
from uno_env.observe import OBS_SIZE, observation
from uno_env.rules import Rules
from uno_env.state import NUM_ACTIONS, STATE, Phase

PLAY_OUTS = 200
"""Play-outs of each action."""
MOST_DECISIONS = 2_000
"""Decisions after which a play-out is given up and counts as not won."""
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
    """Share of the play-outs from this action that the seat's side wins, 0 to 1."""


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
        values = np.asarray(logits(view.observation[None]), np.float64)[0][legal]
        values = np.exp(values - values.max())
        result[legal] = values / values.sum()
        return result
    act_batch = getattr(player, "act_batch", None)
    if act_batch is not None:
        rows = np.repeat(view.observation[None], SAMPLES, axis=0)
        masks = np.repeat(view.action_mask[None], SAMPLES, axis=0)
        chosen = np.asarray(act_batch(rows, masks, view.rng), np.int64)
        result[:] = np.bincount(chosen, minlength=NUM_ACTIONS)[:NUM_ACTIONS] / SAMPLES
    else:
        result[int(player.act(view))] = 1.0
    return result


def play_out(states: np.ndarray, rules: Rules, player: BatchAgent, rng: np.random.Generator) -> None:
    """Play all games of ``states`` (``STATE[N]``) to the end of their round, ``player`` deciding for every seat."""
    params = rules.params
    live = np.flatnonzero(states["phase"] != Phase.OVER)
    rows, masks = np.zeros((len(states), OBS_SIZE), np.int8), np.zeros((len(states), NUM_ACTIONS), np.int8)
    for _ in range(MOST_DECISIONS):
        if not len(live):
            return
        for row, i in enumerate(live):
            observation(states, params, i, states["actor"][i], rows[row])
            engine.legal(states, params, i, masks[row])
        actions = player.act_batch(rows[: len(live)], masks[: len(live)], rng)
        for i, action in zip(live, actions, strict=True):
            engine.act(states, params, i, int(action))
        live = live[states["phase"][live] != Phase.OVER]


def win_shares(view: View, play_outs: int = PLAY_OUTS) -> dict[int, float]:
    """For each legal action of ``view``, the share of ``play_outs`` that the seat's side wins, the agent `rule` in all seats.

    All actions are tried on the same redrawn games.
    """
    legal = [int(action) for action in np.flatnonzero(view.action_mask)]
    player = load("rule")
    assert isinstance(player, BatchAgent)
    first = int(view.rng.integers(0, 2**62))
    redrawn = np.concatenate([np.frombuffer(view.resample(first + k).to_bytes(), STATE) for k in range(play_outs)])
    states = np.concatenate([redrawn] * len(legal))
    for k, action in enumerate(legal):
        for i in range(k * play_outs, (k + 1) * play_outs):
            engine.act(states, view.rules.params, i, action)
    play_out(states, view.rules, player, view.rng)
    won = (states["phase"] == Phase.OVER) & (states["winners"] >> view.seat & 1 == 1)
    return dict(zip(legal, won.reshape(len(legal), play_outs).mean(axis=1).tolist(), strict=True))


def advise(agent: Agent, name: str, view: View, *, play_outs: int = PLAY_OUTS) -> Hint:
    """What ``agent`` would do in ``view``, and how each action does in play-outs."""
    chances = probabilities(agent, view)
    wins = win_shares(view, play_outs)
    texts = dict(zip(wins, view.legal_texts(), strict=True))
    options = [Option(action, texts[action], float(chances[action]), wins[action]) for action in wins]
    options.sort(key=lambda option: (-(option.probability or 0.0), -option.win))
    estimate = getattr(agent, "win_probability", None)
    win = float(sum(chances[action] * share for action, share in wins.items()))
    if estimate is not None:
        win = float(estimate(view))
    return Hint(name, tuple(options), win, play_outs)
