"""A view holds what its seat may know, and nothing leads from it to a hidden card."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import agents
from tests.positions import at, play
from uno_env.game import Game
from uno_env.rules import PRESETS, Rules
from uno_env.view import View, play_round

SCALARS = (type(None), bool, int, float, str, bytes, np.generic, type, np.dtype)


def reachable(root: Any) -> list[Any]:
    """Every object that attributes, items and closures lead to from ``root``."""
    found: dict[int, Any] = {}
    waiting = [root]
    while waiting:
        item = waiting.pop()
        if id(item) in found or isinstance(item, SCALARS):
            continue
        found[id(item)] = item
        names = [*getattr(item, "__dict__", {}), *(name for kind in type(item).__mro__ for name in getattr(kind, "__slots__", ()))]
        waiting += [getattr(item, name) for name in names if hasattr(item, name)]
        if isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, (list, tuple, set, frozenset)):
            waiting += item
        elif isinstance(item, np.ndarray) and item.base is not None:
            waiting.append(item.base)
        waiting += [cell.cell_contents for cell in getattr(item, "__closure__", None) or ()]
        if hasattr(item, "__self__"):
            waiting.append(item.__self__)
    return list(found.values())


def some_games(rules: Rules, seed: int, steps: int) -> list[Game]:
    """A game at a number of its decisions, played by `random`."""
    game, player, rng = Game(rules, seed), agents.load("random"), np.random.default_rng(seed)
    games = []
    while not game.over and len(games) < steps:
        games.append(game.copy())
        game.push(player.act(View(game, rng)))
    return games


def test_shows_what_the_actor_sees():
    game = Game("official", 3)
    rng = np.random.default_rng(0)
    view = View(game, rng)
    assert view.seat == game.actor
    assert view.rules == game.rules
    assert view.rng is rng
    assert view.observation.tolist() == game.observe(game.actor).tolist()
    assert view.action_mask.tolist() == game.action_mask().tolist()
    assert view.legal_texts() == game.legal_texts()
    view.observation[:] = 0
    view.action_mask[:] = 0
    assert game.legal_actions()
    assert game.observe(game.actor).any()


def test_a_finished_round_has_no_view():
    game = play(at([["r5"], ["b1"]], top="r9", n=2), "r5")
    with pytest.raises(ValueError, match="round is over"):
        View(game, np.random.default_rng(0))


@pytest.mark.parametrize("preset", ["official", "party"])
def test_no_attribute_leads_to_the_game(preset):
    for game in some_games(Rules.preset(preset, num_players=3), 5, 40):
        view = View(game, np.random.default_rng(0))
        for item in reachable(view):
            assert item is not game
            assert item is not game._states
            if isinstance(item, np.ndarray):
                assert not np.shares_memory(item, game._states)
            if isinstance(item, Game):
                assert item.history == []
                assert item.seed != game.seed, "the seed would deal the same hands again"


@pytest.mark.parametrize("preset", [name for name in PRESETS if not name.startswith("mini")])
def test_two_games_that_look_alike_give_equal_views(preset):
    # Whatever a view is made of, and whatever it redraws, must come from what the seat knows: so it is the same for a game in which
    # all the rest is different.
    # With four players two others can know different cards of a third hand.
    for game in some_games(Rules.preset(preset, num_players=4), 11, 60):
        view = View(game, np.random.default_rng(0))
        for other_seed in (1, 2):
            other = View(game.resample(game.actor, other_seed), np.random.default_rng(0))
            assert other.observation.tolist() == view.observation.tolist()
            assert other.action_mask.tolist() == view.action_mask.tolist()
            assert other.resample(7).to_bytes() == view.resample(7).to_bytes()
            assert other._redrawn.to_bytes() == view._redrawn.to_bytes()


def test_resample_draws_other_games_that_look_the_same():
    game = Game("official", 8)
    view = View(game, np.random.default_rng(0))
    drawn = [view.resample(seed) for seed in range(5)]
    assert len({other.to_bytes() for other in drawn}) == 5
    for other in drawn:
        assert other.observe(view.seat).tolist() == view.observation.tolist()
    drawn[0].push(drawn[0].legal_actions()[0])  # free to be played on
    assert view.resample(0).to_bytes() != drawn[0].to_bytes()


def test_play_round():
    team = [agents.load(name) for name in ("rule", "random", "strategist")]
    first, second = Game("research", 4, num_players=3), Game("research", 4, num_players=3)
    outcome = play_round(first, team, seed=9)
    assert outcome == first.outcome
    assert outcome.termination == "out"
    assert play_round(second, team, seed=9) == outcome
    assert first.to_bytes() == second.to_bytes()
    with pytest.raises(ValueError, match="2 agents for 3 seats"):
        play_round(Game("research", 4, num_players=3), team[:2])


def test_play_round_refuses_an_illegal_action():
    class Stubborn:
        def act(self, view: View) -> int:
            return 90

    with pytest.raises(ValueError, match="90"):
        play_round(Game("research", 4, num_players=2), [Stubborn(), Stubborn()])
