"""`champion`: the strongest networks that the checkout ships, one for each number of players there is one for."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from agents.torch_policy import TorchPolicy
from uno_env.rules import Rules
from uno_env.view import View

FOLDER = Path(__file__).parent / "pretrained"
MODELS = {2: "two_player.safetensors", 4: "four_player.safetensors"}
"""The model for each number of players."""


@cache
def model(num_players: int) -> TorchPolicy:
    """The network for a table; ``ValueError`` where there is none."""
    if num_players not in MODELS:
        raise ValueError(f"no champion for {num_players} players: there is one for {' and for '.join(map(str, MODELS))}")
    return TorchPolicy.load(FOLDER / MODELS[num_players])


class Champion:
    """Picks its network by the number of players at the table."""

    def for_rules(self, rules: Rules) -> TorchPolicy:
        """The network that plays under ``rules``."""
        return model(rules.num_players)

    def act(self, view: View) -> int:
        """A legal action of ``view``."""
        return self.for_rules(view.rules).act(view)

    def __repr__(self) -> str:
        return "<agent champion>"
