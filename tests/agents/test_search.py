"""Search: it sees what its seat may see, repeats, finds what is plainly best, and beats the policy of its rollouts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import agents
from agents import CompiledAgent, View, play_round, rollouts, search
from agents.search import Decision, Search, Trial, record, searcher
from tests.positions import at, play
from train import oracle
from train.arena import play as play_games
from train.arena import rotations
from train.estimate import Estimate
from train.evaluate import evaluate
from uno_env.cards import NUM_KINDS
from uno_env.game import Game
from uno_env.rules import PRESETS, Rules
from uno_env.state import STATE, Phase
from uno_env.testing import check_agent

TABLES = [(name, 4 if name == "team" else 2 if name.startswith("mini") else 3) for name in PRESETS]


def view_of(game: Game, seed: int = 0) -> View:
    return View(game, np.random.default_rng(seed))


def real_decisions(preset: str, num_players: int, seed: int, every: int) -> list[Game]:
    """Games at decisions with a choice: every so-manieth of two rounds of random play."""
    games, rng = [], np.random.default_rng(seed)
    for start in range(2):
        game = Game(Rules.preset(preset, num_players=num_players), seed=seed + start)
        while not game.over:
            games.append(game.copy())
            game.push(int(rng.choice(game.legal_actions())))
    return [game for game in games if len(game.legal_actions()) > 1][::every]


# What it sees, and that it repeats ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("preset", "num_players"), [("digital", 2), ("research", 3), ("party", 4)])
def test_other_hidden_cards_change_nothing(preset, num_players):
    """Two games that the seat can not tell apart: the same evaluation from the same generator, whatever the others hold."""
    agent = Search(rollouts=120)
    for game in real_decisions(preset, num_players, 3, 40):
        other = game.resample(game.actor, 77)
        found, again = agent.evaluate(view_of(game)), agent.evaluate(view_of(other))
        assert found.wins.tolist() == again.wins.tolist()
        assert found.choice == again.choice == agent.act(view_of(other))


def test_the_same_generator_gives_the_same_choice_and_searches_leave_the_game_alone():
    game = real_decisions("research", 4, 5, 1)[20]
    before = game.to_bytes()
    agent = agents.load("search:200")
    one, two, three = (agent.evaluate(view_of(game, seed)) for seed in (1, 1, 2))
    assert one.wins.tolist() == two.wins.tolist()
    assert one.wins.tolist() != three.wins.tolist()
    assert one.rollouts <= 200
    assert game.to_bytes() == before


def test_threads_change_nothing():
    rules = Rules.preset("digital", num_players=2)
    results = [
        play_games([searcher("search:40:rule"), agents.load("rule")], rotations(rules), rules, deals=4, seed=3, threads=threads)
        for threads in (1, 2)
    ]
    assert results[0].lengths.tolist() == results[1].lengths.tolist()
    assert results[0].wins.tolist() == results[1].wins.tolist()


@pytest.mark.parametrize(("preset", "num_players"), TABLES)
def test_legal_under_all_rules(preset, num_players):
    check_agent(searcher("search:12:rule"), rules=preset, num_players=num_players, episodes=1)


@pytest.mark.parametrize("num_players", [2, 6, 10])
def test_any_number_of_players(num_players):
    game = Game(Rules.preset("official", num_players=num_players), seed=1)
    outcome = play_round(game, [agents.load("search:20")] + [agents.load("rule")] * (num_players - 1))
    assert outcome.termination == "out"


def test_time_is_kept():
    evaluation = Search(seconds=0.05).evaluate(view_of(at([["r1", "r2", "g5"], ["b1", "b2", "b3", "b4"]], n=2)))
    assert evaluation.rollouts > 0


# Worlds ---------------------------------------------------------------------------------------------------------------

NEUTRAL = np.array([1.0, 1.0, 1.0, 1.0])


def worlds(game: Game, count: int, beliefs: np.ndarray) -> list[np.ndarray]:
    """Records of worlds drawn for the actor of a game."""
    found = []
    for seed in range(count):
        states = np.frombuffer(bytearray(game.to_bytes()), STATE)
        rollouts.draw_world(states[0], game.rules.params[0], game.actor, np.uint64(1000 * seed), rollouts.UNSEEN, beliefs)
        found.append(states)
    return found


def cards(states: np.ndarray) -> list[int]:
    """All cards in play by kind."""
    hands = states["hands"][0, :, :NUM_KINDS].astype(int).sum(axis=0)
    pile = np.bincount(states["pile"][0, : int(states["draw_size"][0])], minlength=NUM_KINDS)
    return (hands + pile + states["discarded"][0, :NUM_KINDS]).tolist()


@pytest.mark.compiled_only
def test_who_drew_holds_little_of_the_colour():
    """Seat 1 drew on red, now in force: no red in its redrawn hand if that is believed impossible; nothing else changes."""
    hand = ["r3", "y3", "g3", "b3", "r4", "W"]
    game = at([["r1", "y2"], hand], top="r5", n=2, drew_on=[None, "r"], draw_pile=["r7", "r8", "r9", "y7", "y8", "y9", "b8"])
    believed = worlds(game, 50, np.array([1.0, 0.0, 0.0, 1.0]))
    neutral = worlds(game, 50, NEUTRAL)
    assert sum(int(states["hands"][0, 1, :13].sum()) for states in believed) == 0
    assert sum(int(states["hands"][0, 1, :13].sum()) for states in neutral) > 50  # 5 of 13 unseen cards are red
    for states in believed:
        assert cards(states) == cards(record(game))
        assert states["hands"][0, 1].sum() == len(hand)
        assert states["hands"][0, 0].tolist() == record(game)["hands"][0, 0].tolist()


@pytest.mark.compiled_only
def test_cards_that_were_seen_stay():
    """Seat 0 has seen a red card of a hand that drew on red: it is there in every world, and no other red."""
    known = [{"seat": 0, "holder": 1, "cards": ["r3"]}]
    game = at([["r1", "y2"], ["r3", "g4"]], n=2, drew_on=[None, "r"], known=known, draw_pile=["b7", "b8", "b9", "r7", "r8"])
    for states in worlds(game, 30, np.array([1.0, 0.0, 0.0, 1.0])):
        assert states["hands"][0, 1, 3] == 1
        assert states["hands"][0, 1, :13].sum() == 1
        assert states["hands"][0, 1].sum() == 2


@pytest.mark.compiled_only
def test_a_bluff_is_believed_as_often_as_told():
    """Ruling 30: guilt is redrawn with the hand; a world of guilt survives at the rate at which players are believed to bluff."""
    game = play(at([["W4", "r1", "b2", "b3"], ["g1", "g2", "g3"]], top="r5", rules="research", n=2), "W4:b")
    assert game.phase is Phase.CHALLENGE
    guilt = {
        rate: np.mean([states["guilty"][0] for states in worlds(game, 200, np.array([rate, 1, 1, 1]))]) for rate in (0.0, 0.2, 1.0)
    }
    assert guilt[0.0] == 0.0
    prior = guilt[1.0]
    expected = 0.2 * prior / (0.2 * prior + 1 - prior)
    assert guilt[0.2] == pytest.approx(expected, abs=0.12)  # 3.4 standard errors of 200 worlds


# Choices --------------------------------------------------------------------------------------------------------------


def trap(**keys: object) -> Game:
    """The opponent's last card must be blue, for all unseen cards are; `rule` names blue, the colour it holds most of.

    After ``W:b`` the opponent goes out at once. After any other colour it can not: a blue card fits neither the colour nor a wild.
    """
    return at([["W", "b5", "b6", "r7"], ["b9"]], top="g2", n=2, rules="digital", draw_pile=["b1", "b2", "b3"], **keys)


def test_the_trap_is_seen():
    game = trap()
    assert agents.load("rule").act(view_of(game)) == game.action_id("W:b")
    evaluation = Search(rollouts=400, policy="rule").evaluate(view_of(game))
    assert evaluation.actions[0] == game.action_id("W:b")
    assert evaluation.wins[0] == 0.0
    assert evaluation.choice != game.action_id("W:b")


def test_a_prior_makes_the_default_choice_and_bounds_the_candidates():
    game = trap()
    blue, red, green = (game.action_id(text) for text in ("W:b", "W:r", "W:g"))

    class Prior:
        """Says W:b 70%, W:r 30%, nothing else."""

        def logits(self, observations: np.ndarray) -> np.ndarray:
            values = np.full((len(observations), 91), -50.0)
            values[:, blue], values[:, red] = np.log(0.7), np.log(0.3)
            return values

    evaluation = Search(rollouts=400, prior=Prior()).evaluate(view_of(game))
    assert evaluation.actions.tolist() == [blue, red]
    assert evaluation.choice == red
    scripted_prior = Search(rollouts=400, policy="random", prior=agents.load("rule")).evaluate(view_of(game))
    assert scripted_prior.actions[0] == blue
    assert green in scripted_prior.actions


def test_what_is_equal_stays_with_the_default():
    """Two actions with one outcome: no gain, no change; and noise within the margin is no reason either."""
    trial = Trial(Decision.of(view_of(trap())), [3, 4], policy="rule", seed=1)
    rng = np.random.default_rng(0)
    same = rng.integers(0, 2, 200).astype(float)
    trial.outcomes = np.stack([same, same], axis=1)
    assert trial.result().choice == 3
    better = same.copy()
    better[np.flatnonzero(same == 0)[:30]] = 1.0  # 30 of 200 worlds more, none less: 0.15, six standard errors of 0.025
    trial.outcomes = np.stack([same, better], axis=1)
    found = trial.result()
    assert found.choice == 4
    assert found.gains[1] == pytest.approx(0.15)
    assert found.errors[1] == pytest.approx(np.sqrt((0.15 * 0.85 + 1 / 200) / 200))


def test_uno_is_called_without_a_search():
    game = at([["r1", "r2"], ["b1", "b2", "b3"]], top="r5", n=2, rules="official")
    assert game.action_text(Search(rollouts=1).act(view_of(game))) == "uno"


SHORT = Rules.preset("digital", num_players=2, hand_size=3)
"""A game with small hands is soon over, so that many can be played."""


def above_even(agent: object, deals: int) -> float:
    """By how many standard errors an agent's share of wins against `random` is above one half."""
    found = play_games([agent, agents.load("random")], rotations(SHORT), SHORT, deals=deals, seed=8)
    rate = Estimate.of(found.of(0, found.wins))
    assert rate.standard_error is not None
    return (rate.mean - 0.5) / rate.standard_error


@pytest.mark.compiled_only
def test_it_beats_the_policy_of_its_rollouts():
    """Rollouts by `random`, against `random`: 3.1 standard errors above even is chance once in 1,000 times."""
    assert above_even(searcher("search:200:random"), 200) > 3.1


# Names ----------------------------------------------------------------------------------------------------------------


def test_names():
    for text, rollouts_, seconds, policy in (
        ("search", search.DEFAULT_ROLLOUTS, None, "strategist"),
        ("search:400", 400, None, "strategist"),
        ("search:0.2s", None, 0.2, "strategist"),
        ("search:1s:rule", None, 1.0, "rule"),
    ):
        agent = agents.load(text)
        assert isinstance(agent, Search)
        assert (agent.rollouts, agent.seconds, agent.policy, agent.name) == (rollouts_, seconds, policy, text)
        assert agent.prior is None
    agent = agents.load("rule+search:50")
    assert isinstance(agent, Search)
    assert repr(agent.prior) == "<agent rule>"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("search:fast", "agent 'search:fast': expected search, search:ROLLOUTS, search:SECONDSs"),
        ("search:", "expected search"),
        ("search:4:rule:2", "expected search"),
        ("search:-5", "expected search"),
        ("search:0", "rollouts=0: expected at least 1"),
        ("search:0s", "seconds=0.0: expected a time above 0"),
        ("search:400:clever", "policy='clever': expected one of strategist, rule, actions_first, random"),
        ("clever+search:400", "unknown agent 'clever'"),
        ("cheating_search:400", "unknown agent 'cheating_search:400'"),
    ],
)
def test_wrong_names(spec, message):
    with pytest.raises(ValueError, match=message):
        agents.load(spec)


def test_a_network_that_does_not_play_at_the_table():
    two_players = Path(agents.__file__).parent / "pretrained" / "two_player.safetensors"
    with pytest.raises(ValueError, match="plays with 2 players; this table has 3"):
        evaluate([f"{two_players}+search:20", "rule"], rules="digital", num_players=3, games=3)


def test_one_of_the_two_budgets():
    for options in ({}, {"rollouts": 3, "seconds": 0.1}):
        with pytest.raises(ValueError, match="exactly one of the two"):
            Search(**options)
    with pytest.raises(ValueError, match="expected an agent with a method logits or act_batch"):
        Search(rollouts=3, prior=object())


# Upper references -----------------------------------------------------------------------------------------------------


def test_upper_references_see_hidden_cards_and_play_in_the_arena_alone():
    assert oracle.load("search:400") is None
    cheat = oracle.load("cheating_search:300:rule")
    assert cheat is not None
    assert not hasattr(cheat, "act")
    # Blue or green, half each, as far as the seat can tell: who sees the hand never names the colour it holds.
    for held, other in (("b9", "g9"), ("g9", "b9")):
        game = at([["W", "r6", "r7"], [held]], top="y2", n=2, rules="digital", draw_pile=[other, "r1", "r3"])
        before = game.to_bytes()
        [chosen] = cheat.act_games([game], np.random.default_rng(0))
        assert game.action_text(int(chosen)) != f"W:{held[0]}"
        assert game.to_bytes() == before
    with pytest.raises(ValueError, match="expected search"):
        oracle.load("cheating_search:much")


@pytest.mark.compiled_only
def test_seeing_hands_helps():
    assert above_even(oracle.load("cheating_search:60:random"), 100) > 3.1


def test_decide_all_is_the_policies():
    """The default choice of a search is, word for word, that of the scripted agent."""
    game = real_decisions("research", 2, 9, 1)[0]
    view, words = view_of(game), np.arange(50, dtype=np.uint64) * np.uint64(2**58)
    rows, masks = np.repeat(view.observation[None], 50, axis=0), np.repeat(view.action_mask[None], 50, axis=0)
    for name in rollouts.POLICIES:
        agent = agents.load(name)
        assert isinstance(agent, CompiledAgent)
        agent = agent.for_rules(game.rules)
        assert isinstance(agent, CompiledAgent)
        chosen = np.empty(50, np.int64)
        settings = search.settings_for(game.rules)
        rollouts.decide_all(rollouts.POLICIES.index(name), rows, masks, words, settings, chosen)
        assert chosen.tolist() == agent.decide(rows, masks, words).tolist()
