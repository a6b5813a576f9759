"""How often agents bluff with a Wild Draw Four, challenge one, and are right: counted while they play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from train.arena import Watch
from uno_env.cards import NUM_COLOURS, NUM_SYMBOLS
from uno_env.state import CHALLENGE, PLAY_WILD, UNO, Phase
from uno_env.vector import UnoVector

_W4 = slice(PLAY_WILD + NUM_COLOURS, PLAY_WILD + 2 * NUM_COLOURS)
_COLOUR_OF = np.arange(NUM_COLOURS * NUM_SYMBOLS) // NUM_SYMBOLS


@dataclass
class Counts:
    """What one agent did."""

    could_bluff: int = 0
    """Turns with a playable Wild Draw Four and the colour in force in hand."""
    bluffs: int = 0
    """Of these, Wild Draw Fours played."""
    honest: int = 0
    """Wild Draw Fours played without holding the colour."""
    asked: int = 0
    """Decisions whether to challenge."""
    guilty: int = 0
    """Of these, against a bluff."""
    challenges: int = 0
    """Challenges made."""
    right: int = 0
    """Of these, against a bluff."""

    def rates(self) -> dict[str, float | None]:
        """The counts as shares; None of nothing."""

        def share(part: int, whole: int) -> float | None:
            return part / whole if whole else None

        return {
            "bluff_rate": share(self.bluffs, self.could_bluff),
            "share_of_w4_bluffed": share(self.bluffs, self.bluffs + self.honest),
            "challenge_rate": share(self.challenges, self.asked),
            "challenges_right": share(self.right, self.challenges),
            "guilty_when_asked": share(self.guilty, self.asked),
            "bluffs_challenged": share(self.right, self.guilty),
        }


class WildDrawFours:
    """`Counts` for each of the named agents over all pairings that are watched."""

    def __init__(self, names: Sequence[str]) -> None:
        self.counts = {name: Counts() for name in names}

    def watch(self, pair: Sequence[str]) -> Watch:
        """A `Watch` for games of the named agents."""
        counts = [self.counts[name] for name in pair]

        def see(vector: UnoVector, rows: np.ndarray, who: np.ndarray, chosen: np.ndarray) -> None:
            phases = vector.states["phase"][rows]
            offered = vector.action_masks[rows, _W4.start] != 0
            decides = chosen != UNO  # a call comes before the decision, which is asked again after it
            turns = np.flatnonzero(decides & offered & ((phases == Phase.PLAY) | (phases == Phase.DRAWN)))
            states = vector.states[rows[turns]]
            seats = vector.actors[rows[turns]]
            coloured = states["hands"][np.arange(len(turns)), seats, : len(_COLOUR_OF)]
            holds = ((coloured > 0) & (states["colour"][:, None] == _COLOUR_OF)).any(axis=1)
            played = (chosen[turns] >= _W4.start) & (chosen[turns] < _W4.stop)
            asked = np.flatnonzero(decides & (phases == Phase.CHALLENGE))
            guilty = vector.states["guilty"][rows[asked]] == 1
            challenged = chosen[asked] == CHALLENGE
            for i, count in enumerate(counts):
                mine = who[turns] == i
                count.could_bluff += int((mine & holds).sum())
                count.bluffs += int((mine & holds & played).sum())
                count.honest += int((mine & ~holds & played).sum())
                mine = who[asked] == i
                count.asked += int(mine.sum())
                count.guilty += int((mine & guilty).sum())
                count.challenges += int((mine & challenged).sum())
                count.right += int((mine & challenged & guilty).sum())

        return see

    def to_dict(self) -> dict[str, Any]:
        """Counts and shares by agent, as plain data."""
        return {name: asdict(count) | count.rates() for name, count in self.counts.items()}

    def table(self) -> str:
        """The shares as text."""

        def percent(share: float | None) -> str:
            return "-" if share is None else f"{100 * share:.1f}"

        head = ["Wild Draw Four, %", "bluffs if it could", "bluffs among its W4", "challenges if asked", "of these right"]
        keys = ("bluff_rate", "share_of_w4_bluffed", "challenge_rate", "challenges_right")
        lines = [head]
        for name, count in self.counts.items():
            rates = count.rates()
            lines.append([name, *(percent(rates[key]) for key in keys)])
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        return "\n".join(
            "  ".join([line[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(line[1:], widths[1:], strict=True))])
            for line in lines
        )
