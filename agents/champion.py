"""`champion`: the strongest networks that the checkout ships: for 2 players, for 4, and one for any other number."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from agents.torch_policy import TorchPolicy
from uno_env.rules import Rules
from uno_env.view import View

FOLDER = Path(__file__).parent / "pretrained"
MODELS = {2: "two_player.safetensors", 4: "four_player.safetensors"}
"""The specialists, by number of players."""
ANY_NUMBER = "any_number.safetensors"
"""The network for all other tables."""


@cache
def model(num_players: int) -> TorchPolicy:
    """The network for a table."""
    return TorchPolicy.load(FOLDER / MODELS.get(num_players, ANY_NUMBER))


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
