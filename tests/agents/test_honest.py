"""Agents that are kept from bluffing and challenging."""

from __future__ import annotations

import numpy as np
import pytest

import agents
from agents.honest import Honest
from train.arena import play, rotations
from train.bluffs import WildDrawFours
from uno_env import Game, Rules
from uno_env.view import View


class Reckless:
    """Bluffs and challenges whenever it may, else plays the first legal action."""

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        wanted = masks.astype(np.int64)
        wanted[:, 56:60] *= 3
        wanted[:, 75] *= 3
        return wanted.argmax(axis=1)


@pytest.mark.parametrize(("bluff", "challenge"), [(False, False), (True, False), (False, True), (True, True)])
def test_what_is_forbidden_is_not_done_and_the_rest_is(bluff: bool, challenge: bool) -> None:
    rules = Rules.preset("research", num_players=2)
    seen = WildDrawFours(("honest", "reckless"))
    players = [Honest(Reckless(), bluff=bluff, challenge=challenge), Reckless()]
    play(players, rotations(rules), rules, deals=150, seed=1, watch=seen.watch(("honest", "reckless")))
    counts = seen.counts["honest"]
    assert counts.could_bluff > 20
    assert counts.asked > 20
    assert (counts.bluffs > 0) == bluff
    assert (counts.challenges > 0) == challenge
    assert seen.counts["reckless"].bluffs > 0


def test_a_bluff_that_is_the_only_card_gives_way_to_drawing() -> None:
    position = {
        "rules": "research",
        "num_players": 2,
        "hands": [["r5", "W4"], ["b1", "b2"]],
        "draw_pile": ["g1", "g2", "g3", "g4", "g5", "g6", "g7"],
        "discard_pile": ["b9", "r9"],
        "colour": "r",
        "turn": 0,
        "actor": 0,
        "phase": "PLAY",
    }
    view = View(Game.from_position(position), np.random.default_rng(0))
    assert Reckless().act_batch(view.observation[None], view.action_mask[None], view.rng)[0] in range(56, 60)
    assert Honest(Reckless()).act(view) == 5  # r5, the first legal action
    honest = Game.from_position({**position, "hands": [["g5", "W4"], ["b1", "b2"]]})
    assert Honest(Reckless()).act(View(honest, np.random.default_rng(0))) in range(56, 60), "without red it is no bluff"


@pytest.mark.compiled_only
def test_champions_load_and_play() -> None:
    for name in ("HonestChampion", "BluffingChampion", "ChallengingChampion"):
        outcome = agents.play_round(Game("research", seed=2), [agents.load(f"agents.honest:{name}")] * 4, seed=2)
        assert outcome.termination == "out"
