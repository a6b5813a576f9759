"""Training in a second, and a game so small that the best play is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from uno_env.rules import Rules

TINY: dict[str, Any] = {
    "num_envs": 16,
    "rollout_steps": 24,
    "total_steps": 16 * 24 * 6,
    "width": 8,
    "minibatch": 64,
    "torch_threads": 1,
    "opponents": ("rule",),
    "opponent_share": 0.5,
    "snapshot_every": 2,
    "pool_size": 2,
    "evaluate_every": 3,
    "evaluate_deals": 4,
    "evaluate_against": ("random",),
    "checkpoint_every": 3,
}
"""Fields of a `train.run.RunConfig` and of what learns."""


def skips(folder: Path) -> dict[str, Any]:
    """Changes to `TINY` that teach a game of two players with hands of two, all cards red: r0 and rS.

    With {r0, rS} the Skip must go first: the other player is skipped and r0 wins at once (probability 1), while after r0 the other
    player moves, and wins whenever it holds a Skip. It is the only choice in the game.
    """
    rules = folder / "skips.yaml"
    deck = {"r0": 6, "rS": 6}
    Rules.preset("digital", num_players=2, hand_size=2, deck=deck, voluntary_draw=False).save(rules)
    return {
        "rules": str(rules),
        "num_envs": 128,
        "rollout_steps": 16,
        "minibatch": 256,
        "width": 16,
        "total_steps": 128 * 16 * 60,
        "learning_rate": 3e-3,
        "opponent_share": 0.0,
        "evaluate_every": 1000,
        "evaluate_deals": 1,
        "checkpoint_every": 1000,
    }
