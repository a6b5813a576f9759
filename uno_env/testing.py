"""Checks that other people can run on what they built: `check_agent` for an agent of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from uno_env.game import Game
from uno_env.rules import Rules
from uno_env.state import DRAW, NUM_ACTIONS, PASS
from uno_env.view import Agent, View


def check_agent(
    agent: Agent,
    *,
    rules: Rules | str | Path | Iterable[Rules | str | Path] = ("official", "research"),
    num_players: int | Iterable[int] | None = (2, 4),
    episodes: int = 5,
    seed: int = 0,
) -> None:
    """Play rounds with ``agent``, and raise unless it does what agents do.

    In turn it plays every seat, and seat 0 against players that place a random card. Checked at each of its decisions: ``act``
    returns a legal action as an int, leaves observation and mask as they were, and decides alike when asked again with an equal
    generator. If there is ``act_batch``, checked for the decisions of each round together: it returns an integer array ``[M]`` of
    legal actions, leaves its arrays as they were, and decides alike for an equal generator.

    Args:
        agent: the agent.
        rules: rules, a preset's name or a YAML file's path, or several of these.
        num_players: players, one number or several; None for the number in the rules. Every combination is played.
        episodes: rounds of each kind.
        seed: seed of the deals and of the agent's generators.

    Raises:
        AssertionError: saying what the agent did, in which rules, round and decision.
        ValueError: for arguments that can not be played with.
    """
    if episodes < 1:
        raise ValueError(f"episodes={episodes}: expected at least 1")
    all_rules = [rules] if isinstance(rules, (Rules, str, Path)) else list(rules)
    counts = [num_players] if num_players is None or isinstance(num_players, int) else list(num_players)
    tables = [Rules.of(one, count) for one in all_rules for count in counts]
    if not tables:
        raise ValueError("rules and num_players: expected at least one of each")
    if not callable(getattr(agent, "act", None)):
        raise AssertionError(f"{type(agent).__name__} has no method act(view)")
    for table in tables:
        for episode in range(episodes):
            for alone in (False, True):
                _check_round(agent, table, seed + episode, alone)


def _check_round(agent: Agent, rules: Rules, seed: int, alone: bool) -> None:
    game = Game(rules, seed=seed)
    others = np.random.default_rng([seed, 1])
    observations: list[np.ndarray] = []
    masks: list[np.ndarray] = []
    while not game.over:
        if alone and game.actor != 0:
            game.push(_random_card(game.action_mask(), others))
            continue
        where = f"in round {game!r}, seed {seed}, decision {len(observations)}; legal: {', '.join(game.legal_texts())}"
        word = [seed, len(observations)]
        action = _check_act(agent, View(game, np.random.default_rng(word)), where)
        again = _check_act(agent, View(game, np.random.default_rng(word)), where)
        if again != action:
            raise AssertionError(f"act returned {action}, then {again} for the same view and an equal rng, {where}")
        observations.append(game.observe(game.actor))
        masks.append(game.action_mask())
        game.push(action)
    bound: Any = agent
    if hasattr(bound, "for_rules"):
        bound = bound.for_rules(rules)
    if hasattr(bound, "act_batch") and observations:
        _check_batch(bound.act_batch, np.stack(observations), np.stack(masks), seed, f"in round {game!r}, seed {seed}")


def _random_card(mask: np.ndarray, rng: np.random.Generator) -> int:
    """A legal action, neither draw nor pass unless there is nothing else: rounds stay short."""
    legal = np.flatnonzero(mask)
    better = legal[(legal != DRAW) & (legal != PASS)]
    return int(rng.choice(better if len(better) else legal))


def _check_act(agent: Agent, view: View, where: str) -> int:
    observation, mask = view.observation.copy(), view.action_mask.copy()
    try:
        action = agent.act(view)
    except Exception as error:
        raise AssertionError(f"act raised {error!r}, {where}") from error
    if isinstance(action, (bool, np.bool_)) or not isinstance(action, (int, np.integer)):
        raise AssertionError(f"act returned {action!r}, not an int, {where}")
    if not 0 <= action < NUM_ACTIONS or mask[action] == 0:
        raise AssertionError(f"act returned {int(action)}, which is not legal, {where}")
    if not np.array_equal(view.observation, observation):
        raise AssertionError(f"act changed view.observation, {where}")
    if not np.array_equal(view.action_mask, mask):
        raise AssertionError(f"act changed view.action_mask, {where}")
    return int(action)


def _check_batch(batch: Callable[..., Any], observations: np.ndarray, masks: np.ndarray, seed: int, where: str) -> None:
    given = observations.copy(), masks.copy()
    answers = []
    for _ in range(2):
        try:
            actions = batch(*given, np.random.default_rng(seed))
        except Exception as error:
            raise AssertionError(f"act_batch raised {error!r}, {where}") from error
        if not isinstance(actions, np.ndarray) or actions.shape != (len(masks),) or actions.dtype.kind not in "iu":
            told = f"{actions.dtype} {list(actions.shape)}" if isinstance(actions, np.ndarray) else type(actions).__name__
            raise AssertionError(f"act_batch returned {told}, not an integer array [{len(masks)}], {where}")
        for row, action in enumerate(actions):
            if not 0 <= action < NUM_ACTIONS or masks[row, action] == 0:
                legal = np.flatnonzero(masks[row]).tolist()
                raise AssertionError(f"act_batch returned {int(action)} in row {row}, where {legal} are legal, {where}")
        if not (np.array_equal(given[0], observations) and np.array_equal(given[1], masks)):
            raise AssertionError(f"act_batch changed its observations or action_masks, {where}")
        answers.append(actions.copy())
    if not np.array_equal(*answers):
        raise AssertionError(f"act_batch returned other actions for the same rows and an equal rng, {where}")
