"""Agents that are kept from bluffing with a Wild Draw Four, or from challenging one: what are these worth?

``agents.load("agents.honest:HonestChampion")`` is the champion without both; `BluffingChampion` and `ChallengingChampion` keep one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from agents.reading import would_bluff
from uno_env.cards import NUM_COLOURS
from uno_env.jit import jit
from uno_env.rules import Rules
from uno_env.state import ACCEPT, CHALLENGE, PLAY_WILD
from uno_env.view import View

WILD_DRAW_FOUR = PLAY_WILD + NUM_COLOURS
"""The first of its four actions."""


@jit
def forbid(observations, masks, bluff, challenge):
    """Take from ``masks`` (``int8[M, 91]``) what must not be done; another action always stays.

    Args:
        observations: ``int8[M, OBS_SIZE]``.
        masks: changed in place.
        bluff: whether a Wild Draw Four may be played by one who holds the colour in force.
        challenge: whether one may be challenged.
    """
    for i in range(masks.shape[0]):
        mask = masks[i]
        if not challenge and mask[CHALLENGE] != 0 and mask[ACCEPT] != 0:
            mask[CHALLENGE] = 0
        if not bluff and mask[WILD_DRAW_FOUR] != 0 and would_bluff(observations[i]):
            others = np.int64(0)
            for action in range(mask.shape[0]):
                if action < WILD_DRAW_FOUR or action >= WILD_DRAW_FOUR + NUM_COLOURS:
                    others += mask[action]
            if others > 0:
                mask[WILD_DRAW_FOUR : WILD_DRAW_FOUR + NUM_COLOURS] = 0


class Honest:
    """An agent with fewer legal actions."""

    def __init__(self, agent: Any, *, bluff: bool = False, challenge: bool = False) -> None:
        """Wrap ``agent``, which plays in batches; see `forbid`."""
        self.agent, self.bluff, self.challenge = agent, bluff, challenge

    def for_rules(self, rules: Rules) -> Honest:
        """The same for the agent as it plays under ``rules``."""
        agent = self.agent.for_rules(rules) if hasattr(self.agent, "for_rules") else self.agent
        return Honest(agent, bluff=self.bluff, challenge=self.challenge)

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Actions ``int64[M]`` for observations ``int8[M, OBS_SIZE]`` and masks ``int8[M, 91]``."""
        masks = np.array(action_masks)
        forbid(observations, masks, self.bluff, self.challenge)
        return self.agent.act_batch(observations, masks, rng)

    def act(self, view: View) -> int:
        """A legal action of ``view``."""
        player = self.for_rules(view.rules)
        return int(player.act_batch(view.observation[None], view.action_mask[None], view.rng)[0])


def _champion() -> Any:
    from agents.champion import Champion  # torch is needed for learnt agents alone

    return Champion()


class HonestChampion(Honest):
    """The champion that never bluffs and never challenges."""

    def __init__(self) -> None:
        super().__init__(_champion())


class BluffingChampion(Honest):
    """The champion that may bluff and never challenges."""

    def __init__(self) -> None:
        super().__init__(_champion(), bluff=True)


class ChallengingChampion(Honest):
    """The champion that may challenge and never bluffs."""

    def __init__(self) -> None:
        super().__init__(_champion(), challenge=True)
