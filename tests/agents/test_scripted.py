"""The scripted agents: what they choose in positions that people can follow, and that they are legal under every rule."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import agents
from agents.base import CompiledAgent
from tests.positions import at
from uno_env.game import Game
from uno_env.rules import PRESETS, Rules
from uno_env.vector import UnoVector
from uno_env.view import View

BASELINES = ("rule", "actions_first", "highest_points")
LONG = ["b1", "y3", "g4", "b6"]


def choices(name: str, game: Game, times: int = 200) -> Counter[str]:
    """What an agent chooses in a position, and how often."""
    agent, rng = agents.load(name), np.random.default_rng(5)
    return Counter(game.action_text(agent.act(View(game, rng))) for _ in range(times))


def only_choice(name: str, game: Game) -> str:
    (choice,) = choices(name, game, 20)
    return choice


def near(found: Counter[str], shares: dict[str, float], times: int) -> bool:
    """Whether counts are within 4.5 standard deviations of their shares, and nothing else was chosen."""
    return set(found) <= set(shares) and all(
        abs(found[text] - times * share) <= 4.5 * (times * share * (1 - share)) ** 0.5 for text, share in shares.items()
    )


# random and uniform ---------------------------------------------------------------------------------------------------


def test_random_is_uniform_over_the_playable_cards_and_over_colours():
    game = at([["r1", "r1", "b5", "W", "g2"]], top="r5")
    shares = {"r1": 2 / 4, "b5": 1 / 4} | {f"W:{colour}": 1 / 16 for colour in "rygb"}
    assert near(choices("random", game, 4000), shares, 4000)


def test_random_draws_only_when_it_must_and_plays_what_it_drew():
    game = at([["b1", "g2"]], top="r5", next_cards=["r9"])
    assert only_choice("random", game) == "draw"
    game.push("draw")
    assert game.legal_texts() == ["r9", "pass"]
    assert only_choice("random", game) == "r9"


def test_random_accepts_or_challenges_by_a_coin():
    game = at([["W4", *LONG], LONG], top="r5")
    game.push("W4:g")
    assert near(choices("random", game, 1000), {"accept": 1 / 2, "challenge": 1 / 2}, 1000)


def test_random_bluffs_without_looking():
    assert near(
        choices("random", at([["r1", "W4", "b1"]], top="r5"), 2000),
        {"r1": 1 / 2} | dict.fromkeys(("W4:r", "W4:y", "W4:g", "W4:b"), 1 / 8),
        2000,
    )


def test_random_answers_a_stack_swaps_and_names_a_colour():
    game = at([["rD", *LONG], ["bD", "gD", "y3"]], top="r5", rules="house_stacking")
    game.push("rD")
    assert near(choices("random", game, 1000), {"bD": 1 / 2, "gD": 1 / 2}, 1000)
    game = at([["r7", *LONG]], top="r5", rules={"seven_zero": "both", "seven_optional": True})
    game.push("r7")
    assert near(choices("random", game, 1500), {f"swap:{seat}": 1 / 3 for seat in (1, 2, 3)}, 1500)
    game = at([LONG], top="W", colour=None, phase="COLOUR")
    assert near(choices("random", game, 2000), {f"colour:{letter}": 1 / 4 for letter in "rygb"}, 2000)


def test_uniform_is_uniform_over_the_legal_actions():
    game = at([["r1", "r1", "b5", "g2"]], top="r5")
    assert game.legal_texts() == ["r1", "b5", "draw"]
    assert near(choices("uniform", game, 3000), dict.fromkeys(("r1", "b5", "draw"), 1 / 3), 3000)


@pytest.mark.parametrize("name", [name for name in agents.NAMES if name != "uniform"])
def test_calls_catches_and_jumps_in(name):
    game = at([["r1", "b2"], LONG], top="r5", rules="official")
    assert only_choice(name, game) == "uno"
    game.push("r1")  # without a call
    assert game.legal_texts() == ["pass", "catch"]
    assert only_choice(name, game) == "catch"
    game = at([["r1", *LONG], LONG, ["r1", "b8", "y9"]], top="r5", rules={"jump_in": True})
    game.push("r1")
    assert game.legal_texts() == ["r1", "pass"]
    assert only_choice(name, game) == "r1"


# Orders of preference -------------------------------------------------------------------------------------------------


def test_rule_plays_the_colour_it_holds_most_of():
    game = at([["r9", "rS", "g5", "g1", "g2", "W"]], top="r5")
    assert only_choice("rule", game) == "g5"


def test_actions_first_plays_actions_first():
    game = at([["r9", "r1", "rS", "b5", "W"]], top="r5")
    assert only_choice("actions_first", game) == "rS"


def test_highest_points_sheds_the_most_points():
    game = at([["r9", "r1", "b5", "b6", "b7", "W"]], top="r5")
    assert only_choice("highest_points", game) == "r9"


@pytest.mark.parametrize("name", BASELINES)
def test_wilds_come_last_and_name_the_colour_most_held(name):
    assert only_choice(name, at([["r1", "W", "W4"]], top="r5")) == "r1"
    assert only_choice(name, at([["g1", "g2", "b3", "W", "W4"]], top="r5")) == "W:g"
    assert only_choice(name, at([["g1", "g2", "b3", "W4"]], top="r5")) == "W4:g"
    assert only_choice(name, at([["b1", "b2"]], top="W", colour=None, phase="COLOUR")) == "colour:b"


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_do_not_bluff(name):
    game = at([["r1", "r2", "y3"]], top="g5", next_cards=["W4"])
    game.push("draw")
    assert only_choice(name, game) == "W4:r"  # honest: no green in hand
    game = at([["g1", "b2"], LONG], top="g5", rules={"drawn_card": "may"}, next_cards=["W4"])
    game.push("draw")  # by choice; green is in hand
    assert only_choice(name, game) == "pass"


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_accept_unless_they_have_seen_a_card_of_the_colour(name):
    game = at([["W4", *LONG], LONG], top="r5")
    game.push("W4:g")
    assert only_choice(name, game) == "accept"
    game = at([["W4", "r2", *LONG], LONG], top="r5", known=[{"seat": 1, "holder": 0, "cards": ["r2"]}])
    game.push("W4:g")
    assert only_choice(name, game) == "challenge"


@pytest.mark.parametrize("name", [*BASELINES, "strategist"])
def test_swaps_with_the_smallest_hand(name):
    game = at([["r7", *LONG], ["g1", "g2", "g3"], ["y1"], ["b8", "b9"]], top="r5", rules={"seven_zero": "both"})
    game.push("r7")
    assert only_choice(name, game) == "swap:2"


# Every rule -----------------------------------------------------------------------------------------------------------


def tables() -> list[Rules]:
    """Every preset at some sizes of table, and some rules that no preset has."""
    made = []
    for name in PRESETS:
        counts = {"mini": (2,), "mini_bluff": (2,), "team": (4, 6, 10)}.get(name, (2, 3, 10))
        made += [Rules.preset(name, num_players=count) for count in counts]
    made += [
        Rules(
            num_players=3,
            deck="swap",
            challenger="any",
            hand_shown_to="all",
            stacking="any",
            seven_zero="both",
            seven_optional=True,
        ),
        Rules(num_players=5, deck="shuffle", wild_draw_four="free", drawn_card="must", draw_until_playable=True, jump_in=True),
        Rules(num_players=6, teams=3, challenger="any", uno_required_to_win=True, uno_on_received=True, seven_zero="seven"),
        Rules(num_players=2, two_player_reverse="plain", stacking="up", drawn_card="never", reshuffle=False, starter="flip_number"),
    ]
    return made


@pytest.mark.parametrize("name", agents.NAMES)
@pytest.mark.compiled_only
def test_legal_under_every_rule(name):
    # UnoVector refuses illegal actions. Rounds of `uniform` are long: the steps are counted, not the rounds.
    for number, rules in enumerate(tables()):
        agent = agents.load(name)
        agent = agent.for_rules(rules) if hasattr(agent, "for_rules") else agent
        rng = np.random.default_rng(number)
        vector = UnoVector(64, rules, seed=number)
        ended = 0
        for _ in range(300):
            vector.step(agent.act_batch(vector.observations, vector.action_masks, rng))
            ended += int(vector.dones.sum())
        assert ended > 0 or name == "uniform"


@pytest.mark.parametrize("name", agents.NAMES)
def test_a_batch_decides_as_its_rows_do(name):
    agent = agents.load(name)
    assert isinstance(agent, CompiledAgent)
    rng = np.random.default_rng(2)
    vector = UnoVector(40, "party", seed=1, num_players=3)
    bound = agent.for_rules(vector.rules)
    for _ in range(8):
        words = rng.integers(0, 2**64, 40, dtype=np.uint64, endpoint=False)
        together = bound.decide(vector.observations, vector.action_masks, words)
        single = [
            bound.decide(vector.observations[i : i + 1], vector.action_masks[i : i + 1], words[i : i + 1])[0] for i in range(40)
        ]
        assert together.tolist() == single
        assert together.dtype == np.int64
        vector.step(together)


def test_act_is_a_batch_of_one():
    game = Game("research", 3, num_players=2)
    for name in agents.NAMES:
        agent = agents.load(name)
        view = View(game, np.random.default_rng(4))
        batch = agent.act_batch(view.observation[None], view.action_mask[None], np.random.default_rng(4))
        assert agent.act(view) == batch[0]
