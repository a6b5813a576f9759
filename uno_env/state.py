"""One game as one fixed-size NumPy record, and a typed view of it.

The record holds everything, the random generator included, and is the same size for any rules and player count: copying its bytes
copies the game with its future random draws. `uno_env.engine` gives the fields their behaviour.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from uno_env.cards import MAX_DECK, NUM_COLOURED, NUM_COLOURS, NUM_WILDS
from uno_env.rules import MAX_PLAYERS


class Phase(IntEnum):
    """Whose decision is due, and of what kind."""

    COLOUR = 0
    """Name the colour of a starter Wild."""
    PLAY = 1
    """A turn: play or draw."""
    DRAWN = 2
    """The drawn card can be played: play it or pass."""
    JUMP = 3
    """Jump in with an identical card, or pass."""
    SWAP = 4
    """Choose whom to swap hands with."""
    CATCH = 5
    """Catch a player who did not call Uno, or pass."""
    CHALLENGE = 6
    """Wild Draw Four: accept, challenge, or answer it where the rules allow."""
    STACK = 7
    """A total is due: accept or answer."""
    OVER = 8
    """The round is over."""


class Termination(IntEnum):
    """Why a round ended."""

    RUNNING = 0
    OUT = 1
    """A player went out."""
    STALEMATE = 2
    """All players in turn could neither play nor draw."""
    TRUNCATED = 3
    """`Rules.max_turns` turns were played."""


# The action table (``docs/architecture.md``): one fixed set of ids for all rules and player counts.
PLAY_WILD = NUM_COLOURED  # 52 + 4*wild + colour
DRAW = PLAY_WILD + NUM_WILDS * NUM_COLOURS  # 72
PASS = 73
ACCEPT = 74
CHALLENGE = 75
UNO = 76
CATCH = 77
NAME_COLOUR = 78  # + colour
SWAP = 82  # + k - 1, for the k-th other player in order of play
NUM_ACTIONS = SWAP + MAX_PLAYERS - 1  # 91

#: Width of a row of kinds in the record: 57 kinds padded to 64 bytes.
ROW = 64

_FIELDS = np.dtype(
    [
        ("rng", np.uint64),  # SplitMix64
        ("hands", np.int8, (MAX_PLAYERS, ROW)),  # counts per kind
        (
            "pile",
            np.int8,
            (MAX_DECK,),
        ),  # kinds: draw pile from the front, its end drawn next; discards from the back, inwards
        ("discarded", np.int8, (ROW,)),  # counts per kind of the discard pile
        ("hand_size", np.int32, (MAX_PLAYERS,)),
        ("draw_size", np.int32),
        ("discard_size", np.int32),
        ("phase", np.int32),  # Phase
        ("turn", np.int32),  # whose turn it is
        ("actor", np.int32),  # who decides now
        ("direction", np.int32),  # 1 clockwise, -1
        ("dealer", np.int32),
        ("colour", np.int32),  # in force, -1 none
        ("symbol", np.int32),  # of the top card: 0-12, 13-17 the wilds, -1 none
        ("drawn", np.int32),  # kind just drawn in DRAWN, else -1
        ("pending", np.int32),  # cards due
        ("guilty", np.int32),  # the Wild Draw Four on top: 1 a bluff, 0 honest, -1 not open to a challenge
        (
            "colour_before",
            np.int32,
        ),  # colour in force when that Wild Draw Four was played, -1 when not open to a challenge
        ("size_before", np.int32),  # cards its player held after playing it
        ("owing", np.int32),  # seats, as bits, that left one card without a call
        ("received", np.int32),  # seats, as bits, to whom a single card moved and who may still call
        ("offender", np.int32),  # who can be caught now, -1 none
        ("passes", np.int32),  # forced passes in a row
        ("turns", np.int32),  # turns begun in this round
        ("round", np.int32),  # from 1
        ("termination", np.int32),  # Termination
        ("winners", np.int32),  # seats, as bits, that won the round
        ("declared", np.int8, (MAX_PLAYERS,)),  # called Uno
        ("drew_on", np.int8, (MAX_PLAYERS,)),  # colour in force at the last draw or forced pass, -1 never
        ("scores", np.int32, (MAX_PLAYERS,)),  # of the match
        ("points", np.int32, (MAX_PLAYERS,)),  # of the round that just ended
        ("num_known", np.int32),
        ("num_log", np.int32),
        (
            "known",
            np.uint32,
            (MAX_DECK,),
        ),  # cards seen in others' hands: observers (10 bits) | holder << 10 | kind << 16
        ("log", np.int16, (MAX_DECK,)),  # cards drawn by the last action: seat << 8 | kind
        ("spare", np.int32),  # always 0: without it the record would end in padding, which NumPy leaves out when it copies
    ],
    align=True,
)


#: One game. Fields of ``states[i]`` can be read as attributes (`np.record`), in plain Python as in compiled code. Arrays of it are
#: plain arrays: numba takes three microseconds a call to recognise a recarray.
STATE = np.dtype((np.record, _FIELDS))


def new_states(count: int) -> np.ndarray:
    """``count`` empty records, ``STATE[count]``."""
    return np.zeros(count, STATE)


class State:
    """A typed, read-only view of one record for people: plain integers and lists instead of NumPy scalars.

    ``State(states, i)`` looks at ``states[i]``; it copies nothing and sees later changes.
    """

    __slots__ = ("_index", "_states")

    def __init__(self, states: np.ndarray, index: int = 0) -> None:
        self._states = states
        self._index = index

    def __getattr__(self, name: str) -> int:
        if name not in (STATE.names or ()):
            raise AttributeError(f"a game record has no field {name!r}")
        value = self._states[name][self._index]
        if isinstance(value, np.ndarray):
            raise AttributeError(f"{name!r} is an array: use row({name!r})")
        return int(value)

    def row(self, name: str) -> np.ndarray:
        """A copy of an array field."""
        return np.array(self._states[name][self._index])

    @property
    def current_phase(self) -> Phase:
        """The phase as an enum."""
        return Phase(self.phase)

    @property
    def draw_pile(self) -> list[int]:
        """Kinds of the draw pile, the next card first."""
        return [int(k) for k in self.row("pile")[: self.draw_size][::-1]]

    @property
    def discard_pile(self) -> list[int]:
        """Kinds of the discard pile, the top card last."""
        return [int(k) for k in self.row("pile")[MAX_DECK - self.discard_size :][::-1]]
