"""Hints: an agent's probabilities, and play-outs that favour what wins."""

from __future__ import annotations

import numpy as np
import pytest

from agents import CompiledAgent, View, load, scripted
from tests.positions import position_at
from train.playing import hints
from uno_env import Game
from uno_env.state import NUM_ACTIONS


def a_view(*hands: list[str], **options: object) -> View:
    game = Game.from_position(position_at(list(hands), **options))  # type: ignore[arg-type]
    return View(game, np.random.default_rng(1))


def test_a_winning_card_wins_every_play_out() -> None:
    view = a_view(["r1"], ["g1", "g2"], ["b1", "b2"], ["b3", "b4"], rules="research")
    wins = hints.win_shares(view, 50)
    assert wins[1] == 1.0  # r1, the last card
    assert wins[72] < 1.0  # drawing instead
    hint = hints.advise(load("rule"), "rule", view, play_outs=50)
    assert hint.options[0].text == "r1"
    assert hint.win == 1.0


def test_a_partner_who_goes_out_counts_as_a_win() -> None:
    """The partner's hand of one red 1 is known to nobody, but half of its chances to win are the side's."""
    view = a_view(["y1", "y2"], ["g1"] * 2, ["r1"], ["b3"] * 2, top="r5", rules="team")
    wins = hints.win_shares(view, 100)
    alone = hints.win_shares(a_view(["y1", "y2"], ["g1"] * 2, ["r1"], ["b3"] * 2, top="r5", rules="research"), 100)
    assert max(wins.values()) > max(alone.values())


class WithLogits:
    """An agent that tells its logits, and its own estimate of winning."""

    def logits(self, observations: np.ndarray) -> np.ndarray:
        values = np.zeros((len(observations), NUM_ACTIONS), np.float32)
        values[:, 1] = np.log(3)
        return values

    def win_probability(self, view: View) -> float:
        return 0.25

    def act(self, view: View) -> int:
        raise AssertionError("never asked")


def test_probabilities_from_logits_from_counts_and_from_one_decision() -> None:
    view = a_view(["r1", "r2"], rules="research", top="r5")
    assert view.legal_texts() == ["r1", "r2", "draw"]
    chances = hints.probabilities(WithLogits(), view)
    assert chances[[1, 2, 72]] == pytest.approx([0.6, 0.2, 0.2])
    assert chances.sum() == pytest.approx(1)
    counted = hints.probabilities(CompiledAgent("uniform", scripted.uniform_loop), view)
    assert counted[[1, 2, 72]].sum() == pytest.approx(1)
    assert (counted[[1, 2, 72]] > 0.15).all()

    class One:
        def act(self, view: View) -> int:
            return 2

    assert hints.probabilities(One(), view)[2] == 1.0
    assert hints.advise(WithLogits(), "net", view, play_outs=10).win == 0.25


def test_a_hint_holds_for_what_the_seat_knows_alone() -> None:
    """Two games that the seat cannot tell apart give the same hint."""
    game = Game("party", seed=5)
    while len(game.legal_texts()) < 3:
        game.push(game.legal_actions()[0])
    other = game.resample(game.actor, 9)
    assert other.position()["hands"] != game.position()["hands"]
    told = [hints.advise(load("strategist"), "s", View(g, np.random.default_rng(3)), play_outs=40) for g in (game, other)]
    assert told[0] == told[1]
