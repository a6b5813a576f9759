"""Uno as a reinforcement-learning environment: right in every rule, fast, and made to be read.

`Game` for one game, `UnoVector` for many at once, `uno_env.uno_v0` for PettingZoo,
``gymnasium.make("uno_env:Uno-v0")`` (`UnoEnv`) and ``gymnasium.make_vec`` (`UnoVectorEnv`) for Gymnasium; `uno_env.uno_text_v0`
and ``Uno-text-v0`` (`UnoTextEnv`) for agents that read and write.
"""

from uno_env import uno_text_v0, uno_v0
from uno_env.game import Event, Game, Outcome
from uno_env.notation import IllegalAction, PositionError
from uno_env.observe import LAYOUT, OBS_SIZE
from uno_env.rules import PRESETS, Rules, RulesError
from uno_env.single_agent import UnoEnv
from uno_env.state import NUM_ACTIONS, Phase
from uno_env.text_env import UnoTextEnv
from uno_env.vector import UnoVector
from uno_env.vector_env import UnoVectorEnv

__version__ = "0.1.0"


def _html(game: Game) -> str:
    from uno_env.render.replay import notebook_html

    return notebook_html(game)


Game.html = _html

__all__ = [
    "LAYOUT",
    "NUM_ACTIONS",
    "OBS_SIZE",
    "PRESETS",
    "Event",
    "Game",
    "IllegalAction",
    "Outcome",
    "Phase",
    "PositionError",
    "Rules",
    "RulesError",
    "UnoEnv",
    "UnoTextEnv",
    "UnoVector",
    "UnoVectorEnv",
    "uno_text_v0",
    "uno_v0",
]
