"""An independent reference implementation of Uno, in plain Python, for differential tests.

It shares no code with `uno_env`: it was written from `rules.md`, `rulings.md`, `design.md` and `docs/notation.md`
alone, for clarity and not for speed. A difference between the two is a mistake in one of them or a gap in those texts.
"""

from .rulebook import PRESETS, complete_rules
from .sample import random_rules
from .uno import ReferenceGame

__all__ = ["PRESETS", "ReferenceGame", "complete_rules", "random_rules"]
