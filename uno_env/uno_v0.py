"""# Uno.

| Creation           | ``uno_v0.env()`` or ``pettingzoo.make("aec", "uno_env/uno-v0")`` (PettingZoo 1.27)  |
|--------------------|-------------------------------------------------------------------------------------|
| Actions            | Discrete                                                                            |
| Parallel API       | No                                                                                  |
| Manual Control     | No                                                                                  |
| Agents             | ``agents = ["player_0", "player_1", "player_2", "player_3"]``                       |
| Agents             | 4 (2-10)                                                                            |
| Action Shape       | (1,)                                                                                |
| Action Values      | Discrete(91)                                                                        |
| Observation Shape  | (950,)                                                                              |
| Observation Values | [-1, 127]                                                                           |

Two to ten players shed their cards by matching the colour or the symbol of the card on top of the discard pile. Rules and house
rules are fields of `uno_env.Rules`; presets have names.

### Arguments

``env(rules="official", num_players=None, episode="round", reward="win", render_mode=None, viewpoint="all", save_games=None)``

* ``rules``: a preset's name, a `Rules`, a mapping of fields, or a YAML file's path.
* ``num_players``: 2-10, outranks the number in ``rules``, which is 4 unless they say otherwise.
* ``episode``: ``"round"`` ends with the round, ``"match"`` plays rounds until a player reaches ``rules.target`` points.
* ``reward``: ``"win"``, ``"points"`` or ``"match"``, see below.
* ``render_mode``: ``"human"`` for a window that shows every step, ``"rgb_array"`` for pictures (neither display nor dummy driver is
  needed), ``"ansi"`` for a table as text. The first two need pygame-ce, ``pip install "uno-env[render]"``.
* ``viewpoint``: whose cards that table shows: ``"all"``, or an agent's name or seat.
* ``save_games``: a file that gets the transcript of every episode; ``python -m uno_env.replay FILE`` makes a page of one.

### Observation Space

The observation is a dictionary with ``"observation"``, ``int8[950]``, and ``"action_mask"``, ``int8[91]``. The parts of the former
are named slices, `uno_env.LAYOUT`: own cards, what can be placed now, top card, discards, unseen cards, what is known of each other
player in order of play, piles, scores. It never holds what the agent cannot know. ``observe(agent)`` answers at any time.

``state()`` is everything, hidden cards included, for centralised critics: an int8 vector laid out as `uno_env.aec.STATE_LAYOUT`.

#### Legal Actions Mask

``action_mask`` is 1 at each action that is legal now, all zeros for every agent but the one that decides. The same mask is in
``infos[agent]["action_mask"]``. With ``env()`` an illegal action ends the game with a reward of -1 for the agent that took it and 0
for the others (PettingZoo's wrappers); ``raw_env()`` raises `uno_env.IllegalAction` and changes nothing.

### Action Space

| Action | Meaning                                                                                                  |
|--------|----------------------------------------------------------------------------------------------------------|
| 0-51   | play the card ``colour * 13 + symbol``: red, yellow, green, blue; 0-9, Skip, Reverse, Draw Two           |
| 52-71  | play a wild, ``52 + 4 * wild + colour``: Wild, Wild Draw Four, Swap Hands, Shuffle Hands, Customizable   |
| 72     | draw                                                                                                     |
| 73     | pass                                                                                                     |
| 74     | accept the cards that are due                                                                            |
| 75     | challenge the Wild Draw Four                                                                             |
| 76     | call Uno                                                                                                 |
| 77     | catch a player who did not call                                                                          |
| 78-81  | name the colour of a Wild that was turned up                                                             |
| 82-90  | swap hands with the k-th other player in order of play                                                   |

### Rewards

All schemes are zero-sum. A round that nobody wins is worth 0 to all.

| Reward       | Winner                                      | Others                                     |
|--------------|---------------------------------------------|--------------------------------------------|
| ``"win"``    | +1 at the end of a round, shared by a team  | -1, shared by all losers                   |
| ``"points"`` | the sum of what the others pay              | minus the points left in hand, in hundreds |
| ``"match"``  | as ``"win"``, at the end of the match alone | as ``"win"``                               |

An episode that ``rules.max_turns`` cuts off is truncated for all agents.

### Randomness

``reset(seed=s)`` deals the game of ``Game(rules, seed=s)`` and of a `UnoVector` whose game has that seed. ``reset()`` goes on with
the generator, as `UnoVector` does when a game is over, from a fresh seed the first time.

### Version History

* v0: initial version (0.1.0)

"""

from __future__ import annotations

from typing import Any

import pettingzoo
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from uno_env.aec import UnoAEC

ENV_ID = "uno_env/uno-v0"
"""Name in PettingZoo's registry; the version moves when behaviour moves."""

raw_env = UnoAEC
"""The environment without wrappers: an illegal action raises."""


def env(*args: Any, **kwargs: Any) -> AECEnv[str, dict[str, Any], int | None]:
    """The environment (arguments of `UnoAEC`) in the wrappers of PettingZoo's classic games: an illegal action ends it with -1."""
    wrapped: Any = raw_env(*args, **kwargs)
    wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=-1)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


def register() -> None:
    """Put `ENV_ID` into PettingZoo's registry, where there is one (1.27) and it is not in yet."""
    registry = getattr(pettingzoo, "aec_registry", None)
    if registry is not None and ENV_ID not in registry:
        pettingzoo.register("aec", ENV_ID, entry_point="uno_env.uno_v0:env")


register()
