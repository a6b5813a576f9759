"""What `train.bluffs` counts where Uno is called before the decision."""

from __future__ import annotations

import numpy as np

from train.bluffs import WildDrawFours
from uno_env import UnoVector
from uno_env.notation import states_from_position
from uno_env.state import PLAY_WILD, UNO


def test_a_call_is_not_a_second_chance_to_bluff() -> None:
    """Seat 0 holds a red card and a Wild Draw Four on red: it calls, then bluffs. One chance, one bluff."""
    games = UnoVector(1, "official", num_players=2, seed=0)
    position = {"hands": [["r5", "W4"], ["b1", "b2"]], "draw_pile": ["g1", "g2", "g3", "g4"], "discard_pile": ["r9"]}
    states, _ = states_from_position(position)
    games.states[:] = states
    games.refresh()
    counter = WildDrawFours(["a"])
    see = counter.watch(["a"])
    for action in (UNO, PLAY_WILD + 4):
        chosen = np.array([action])
        see(games, np.array([0]), np.array([0]), chosen)
        games.step(chosen)
    assert (counter.counts["a"].could_bluff, counter.counts["a"].bluffs) == (1, 1)
