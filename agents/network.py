"""The network of the torch policy: which columns of an observation it reads, and how.

The four colours are interchangeable in Uno, so the network treats them alike: a layer maps what belongs to one colour with
weights shared by all four, and adds what their mean (and everything colourless) contributes. Permuting the colours of an
observation permutes the logits in the same way, exactly; nothing has to be learnt 24 times (deep sets, arXiv 1703.06114).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from uno_env import observe
from uno_env.cards import NUM_COLOURED, NUM_COLOURS, NUM_KINDS, NUM_SYMBOLS, NUM_WILDS
from uno_env.jit import jit
from uno_env.state import CATCH, DRAW, NAME_COLOUR, NUM_ACTIONS, PASS, PLAY_WILD, SWAP, UNO

#: What stands for minus infinity in masked logits: large enough to vanish in a softmax, small enough never to give NaN.
MASKED = -1e9

SIZE_STEPS = (1, 2, 3, 5)
"""Hand sizes are also given as flags "at most so many cards"."""


class Entry(NamedTuple):
    """One input of a network, read from an int8 row: a column, or a sum over the same column of several players.

    Attributes:
        column: the (first) column.
        scale: what the network multiplies the int8 with.
        at_most: -1 to read the column, else the flag ``column <= at_most``.
        terms: how many columns are added up.
        stride: from one of them to the next.
        last_stride: added to ``column`` once per other player but one, so that it moves to the last other player.
    """

    column: int
    scale: float = 1.0
    at_most: int = -1
    terms: int = 1
    stride: int = 0
    last_stride: int = 0

    def moved(self, columns: int) -> Entry:
        """The same, some columns further on."""
        return self._replace(column=self.column + columns)


class Columns:
    """What a network reads of int8 rows, in its own order: four equal colour blocks, then the colourless rest.

    Attributes:
        table: ``int64[F, 5]``, an `Entry` but its scale in each row.
        scale: ``float32[F]``, what the network multiplies the int8 with.
        per_colour: entries in one colour block; the first ``4 * per_colour`` are the blocks.
        rest: colourless entries.
        size: F, all entries.
    """

    def __init__(self, blocks: list[list[Entry]], rest: list[Entry]) -> None:
        entries = [entry for block in blocks for entry in block] + rest
        self.table = np.array([entry[:1] + entry[2:] for entry in entries], np.int64)
        self.scale = np.array([entry.scale for entry in entries], np.float32)
        self.per_colour = len(blocks[0])
        self.rest = len(rest)
        self.size = len(entries)

    def read(self, rows: np.ndarray, which: np.ndarray, num_players: int, out: np.ndarray) -> None:
        """Write the inputs for ``rows[which]`` to ``out`` (``int8[len(which), F]``); ``rows`` are of ``num_players``."""
        read_columns(rows, which, self.table, num_players - 2, out)


class _Builder:
    """Collects entries, coloured ones for each of the four colours."""

    def __init__(self) -> None:
        self.blocks: list[list[Entry]] = [[] for _ in range(NUM_COLOURS)]
        self.rest: list[Entry] = []

    def by_kind(self, entry: Entry) -> None:
        """57 counts per kind, of which ``entry`` is the first."""
        for colour, block in enumerate(self.blocks):
            block.extend(entry.moved(colour * NUM_SYMBOLS + symbol) for symbol in range(NUM_SYMBOLS))
        self.rest.extend(entry.moved(NUM_COLOURED + wild) for wild in range(NUM_WILDS))

    def by_colour(self, entry: Entry) -> None:
        """Four entries, one per colour, of which ``entry`` is the first."""
        for colour, block in enumerate(self.blocks):
            block.append(entry.moved(colour))

    def run(self, entry: Entry, length: int) -> None:
        """Colourless entries, one after another."""
        self.rest.extend(entry.moved(i) for i in range(length))

    def hand_size(self, entry: Entry) -> None:
        """A number of cards, and whether it is small."""
        self.rest.append(entry._replace(scale=0.1))
        self.rest.extend(entry._replace(at_most=step) for step in SIZE_STEPS)

    def columns(self) -> Columns:
        return Columns(self.blocks, self.rest)


def observed_columns(num_players: int | None) -> Columns:
    """What a network reads of an observation (`uno_env.observe.LAYOUT`).

    At a table of ``num_players`` it reads of every other player all there is. A network for any number of players (None) reads
    so of the next two and of the last one, who is next after a Reverse, and of the others together what can be added up.
    """
    build = _Builder()
    for start, scale in ((observe.HAND, 1.0), (observe.PLAYABLE, 1.0), (observe.DISCARDED, 0.5), (observe.UNSEEN, 0.5)):
        build.by_kind(Entry(start, scale))
    build.by_colour(Entry(observe.COLOUR))
    build.by_colour(Entry(observe.COLOUR_BEFORE))
    build.run(Entry(observe.SYMBOL), observe.LAYOUT["symbol"].size)
    build.run(Entry(observe.PHASE), observe.NUM_PHASES - 1)
    build.run(Entry(observe.TURN), num_players or 3)
    build.rest += [Entry(observe.DECLARED), Entry(observe.CATCHABLE), Entry(observe.SCORE, 0.01), Entry(observe.TARGET, 0.02)]
    build.rest += [Entry(observe.PENDING, 0.25), Entry(observe.DRAW_PILE, 0.02)]
    if num_players is not None:
        for other in range(num_players - 1):
            _one_other(build, other)
        build.hand_size(Entry(observe.HAND_SIZE))
        for other in range(num_players - 1):
            build.hand_size(Entry(observe.OTHERS + other * observe.OTHER_WIDTH + observe.OTHER_CARDS))
        return build.columns()
    build.rest.append(Entry(observe.TURN + 1, last_stride=1))
    build.rest.extend(Entry(observe.OTHERS + other * observe.OTHER_WIDTH) for other in range(1, observe.MAX_OTHERS))
    build.hand_size(Entry(observe.HAND_SIZE))
    for other, last in ((0, 0), (1, 0), (0, 1)):
        _one_other(build, other, last)
        at = observe.OTHERS + other * observe.OTHER_WIDTH + observe.OTHER_CARDS
        build.hand_size(Entry(at, last_stride=last * observe.OTHER_WIDTH))
    everybody = {"terms": observe.MAX_OTHERS, "stride": observe.OTHER_WIDTH}
    build.rest.append(Entry(observe.OTHERS + observe.OTHER_CARDS, 0.03, **everybody))
    for step in SIZE_STEPS:
        build.rest.append(Entry(observe.OTHERS + observe.OTHER_CARDS, 0.3, step, **everybody))
    build.rest += [Entry(observe.OTHERS + 1, **everybody), Entry(observe.OTHERS + 4, **everybody)]
    build.by_colour(Entry(observe.OTHERS + 6, 0.3, **everybody))
    build.by_kind(Entry(observe.KNOWN, 0.5, terms=observe.MAX_OTHERS, stride=NUM_KINDS))
    return build.columns()


def _one_other(build: _Builder, other: int, last: int = 0) -> None:
    """What is seen of one other player: the given one or, with ``last=1``, the last one."""
    start = Entry(observe.OTHERS + other * observe.OTHER_WIDTH, last_stride=last * observe.OTHER_WIDTH)
    build.rest += [start.moved(1), start.moved(3), start.moved(4), start.moved(5)._replace(scale=0.01)]
    build.rest.append(Entry(observe.KNOWN_SIZE + other, 0.2, last_stride=last))
    build.by_colour(start.moved(6))
    build.by_kind(Entry(observe.KNOWN + other * NUM_KINDS, last_stride=last * NUM_KINDS))


def hidden_columns(num_players: int | None) -> Columns:
    """What a network reads of a row of hidden cards (`uno_env.observe.HIDDEN_LAYOUT`); see `observed_columns`."""
    build = _Builder()
    if num_players is not None:
        for other in range(num_players - 1):
            build.by_kind(Entry(other * NUM_KINDS))
    else:
        build.by_kind(Entry(0))
        build.by_kind(Entry(NUM_KINDS))
        build.by_kind(Entry(0, last_stride=NUM_KINDS))
        build.by_kind(Entry(0, 0.3, terms=observe.MAX_OTHERS, stride=NUM_KINDS))
    for card in range(observe.NEXT_CARDS):
        build.by_kind(Entry(observe.HIDDEN_PILE + card * NUM_KINDS))
    return build.columns()


@jit
def read_columns(rows, which, table, to_last, out):
    """Write the inputs of ``rows[which]`` to ``out`` (``int8[len(which), F]``); see `Columns` and `Entry`.

    ``to_last`` is how many players sit between the first and the last other player.
    """
    for j in range(which.shape[0]):
        row = rows[which[j]]
        for f in range(table.shape[0]):
            at = table[f, 0] + table[f, 4] * to_last
            at_most = table[f, 1]
            if table[f, 2] == 1:
                value = np.int64(row[at])
                if at_most >= 0:
                    value = np.int64(value <= at_most)
            else:
                value = np.int64(0)
                for k in range(table[f, 2]):
                    entry = np.int64(row[at + k * table[f, 3]])
                    value += np.int64(entry <= at_most) if at_most >= 0 else entry
            out[j, f] = min(value, np.int64(127))


@dataclass(frozen=True, kw_only=True)
class NetworkConfig:
    """The shape of a network; stored with its weights."""

    num_players: int | None = 2
    """Players at the table; None for a network that plays with any number."""
    width: int = 128
    """Units per colour in each hidden layer."""
    layers: int = 2
    """Hidden layers."""

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> NetworkConfig:
        """From plain data; ``ValueError`` for an unknown field."""
        known = {field.name for field in dataclasses.fields(cls)}
        unknown = sorted(set(fields) - known)
        if unknown:
            raise ValueError(f"unknown network fields {unknown}: fields are {sorted(known)}")
        return cls(**fields)


class ColourLayer(nn.Module):
    """Per colour: ``W x_colour + V [mean of x, rest]``."""

    def __init__(self, per_colour: int, rest: int, width: int) -> None:
        super().__init__()
        self.each = nn.Linear(per_colour, width, bias=False)
        self.all = nn.Linear(per_colour + rest, width)

    def forward(self, colours: Tensor, rest: Tensor | None) -> Tensor:
        """``colours [B, 4, per_colour]``, ``rest [B, rest]`` -> ``[B, 4, width]``."""
        shared = colours.mean(1)
        if rest is not None:
            shared = torch.cat((shared, rest), 1)
        return self.each(colours) + self.all(shared).unsqueeze(1)


class Trunk(nn.Module):
    """Hidden layers over int8 rows in the order of some `Columns`."""

    def __init__(self, parts: list[Columns], width: int, layers: int) -> None:
        super().__init__()
        self.cuts = [(NUM_COLOURS * part.per_colour, part.per_colour) for part in parts]
        for i, part in enumerate(parts):
            self.register_buffer(f"scale{i}", torch.from_numpy(part.scale), persistent=False)
        per_colour, rest = sum(part.per_colour for part in parts), sum(part.rest for part in parts)
        sizes = [(per_colour, rest)] + [(width, 0)] * (layers - 1)
        self.layers = nn.ModuleList(ColourLayer(inside, extra, width) for inside, extra in sizes)

    def forward(self, *inputs: Tensor) -> Tensor:
        """``inputs[i]``: ``int8[B, F]`` in the order of ``parts[i]`` -> ``[B, 4, width]``."""
        blocks, rests = [], []
        for i, (rows, (cut, per_colour)) in enumerate(zip(inputs, self.cuts, strict=True)):
            scaled = rows.to(torch.float32) * getattr(self, f"scale{i}")
            blocks.append(scaled[:, :cut].view(-1, NUM_COLOURS, per_colour))
            rests.append(scaled[:, cut:])
        colours = blocks[0] if len(blocks) == 1 else torch.cat(blocks, 2)
        rest: Tensor | None = rests[0] if len(rests) == 1 else torch.cat(rests, 1)
        for layer in self.layers:
            colours = torch.relu(layer(colours, rest))
            rest = None
        return colours


COLOUR_OUTPUTS = NUM_SYMBOLS + NUM_WILDS + 1
"""Logits that belong to one colour: its cards, the wilds with this colour named, and naming it for a starter."""
REST_ACTIONS = tuple(range(DRAW, NAME_COLOUR)) + tuple(range(SWAP, NUM_ACTIONS))
"""Actions that belong to no colour."""


def _action_order() -> Tensor:
    """For each action, its place among the outputs: four colours' outputs, then those of `REST_ACTIONS`."""
    place = np.zeros(NUM_ACTIONS, np.int64)
    for colour in range(NUM_COLOURS):
        at = colour * COLOUR_OUTPUTS
        for symbol in range(NUM_SYMBOLS):
            place[colour * NUM_SYMBOLS + symbol] = at + symbol
        for wild in range(NUM_WILDS):
            place[PLAY_WILD + wild * NUM_COLOURS + colour] = at + NUM_SYMBOLS + wild
        place[NAME_COLOUR + colour] = at + NUM_SYMBOLS + NUM_WILDS
    for i, action in enumerate(REST_ACTIONS):
        place[action] = NUM_COLOURS * COLOUR_OUTPUTS + i
    return torch.from_numpy(place)


PRIOR = {DRAW: -5.0, PASS: -3.0, UNO: 3.0, CATCH: 3.0}
"""Logits of an untrained policy. Without them it would draw in half of its turns and play rounds of 900 decisions."""
WILD_PRIOR = -1.4
"""Prior logit of a wild with a colour: as likely as another card when all four colours are taken together."""


class Actor(nn.Module):
    """Logits of all 91 actions from an observation."""

    place: Tensor

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.trunk = Trunk([observed_columns(config.num_players)], config.width, config.layers)
        self.colour_head = ColourLayer(config.width, 0, COLOUR_OUTPUTS)
        self.rest_head = nn.Linear(config.width, len(REST_ACTIONS))
        self.register_buffer("place", _action_order(), persistent=False)
        with torch.no_grad():
            for head in (self.colour_head.each, self.colour_head.all, self.rest_head):
                head.weight.mul_(0.01)
            self.colour_head.all.bias.zero_()
            self.colour_head.all.bias[NUM_SYMBOLS : NUM_SYMBOLS + NUM_WILDS] = WILD_PRIOR
            self.rest_head.bias.zero_()
            for action, logit in PRIOR.items():
                self.rest_head.bias[REST_ACTIONS.index(action)] = logit

    def forward(self, observed: Tensor) -> Tensor:
        """``int8[B, F]`` in the order of `observed_columns` -> logits ``float32[B, 91]``, legal or not."""
        colours = self.trunk(observed).float()
        with torch.autocast(colours.device.type, enabled=False):
            by_colour = self.colour_head(colours, None).flatten(1)
            rest = self.rest_head(colours.mean(1))
            return torch.cat((by_colour, rest), 1).index_select(1, self.place)


class Critic(nn.Module):
    """The value of the actor's seat, from its observation and, when ``privileged``, from the hidden cards as well."""

    def __init__(self, config: NetworkConfig, *, privileged: bool) -> None:
        super().__init__()
        parts = [observed_columns(config.num_players)]
        if privileged:
            parts.append(hidden_columns(config.num_players))
        self.trunk = Trunk(parts, config.width, config.layers)
        self.head = nn.Linear(config.width, 1)
        with torch.no_grad():
            self.head.weight.mul_(0.1)
            self.head.bias.zero_()

    def forward(self, *inputs: Tensor) -> Tensor:
        """Rows in the order of `observed_columns` (and `hidden_columns`) -> ``float32[B]``."""
        pooled = self.trunk(*inputs).float().mean(1)
        with torch.autocast(pooled.device.type, enabled=False):
            return self.head(pooled).squeeze(1)


def masked_log_softmax(logits: Tensor, masks: Tensor) -> Tensor:
    """Log-probabilities ``[B, 91]``; illegal actions (``masks == 0``) get about `MASKED`."""
    return torch.log_softmax(logits.masked_fill(masks == 0, MASKED), 1)


@jit
def sample_masked(logits, masks, uniforms, actions, log_probs):
    """Draw a legal action per row.

    Args:
        logits: ``float32[M, 91]``.
        masks: ``int8[M, 91]``, none all zero.
        uniforms: ``float64[M]`` in [0, 1), or negative for the most likely action.
        actions: ``int64[M]``, filled.
        log_probs: ``float32[M]``, filled with those of the actions drawn.
    """
    for i in range(logits.shape[0]):
        best = -1
        for a in range(NUM_ACTIONS):
            if masks[i, a] != 0 and (best < 0 or logits[i, a] > logits[i, best]):
                best = a
        top = logits[i, best]
        total = 0.0
        for a in range(NUM_ACTIONS):
            if masks[i, a] != 0:
                total += np.exp(np.float64(logits[i, a] - top))
        chosen = best
        if uniforms[i] >= 0.0:
            left = uniforms[i] * total
            for a in range(NUM_ACTIONS):
                if masks[i, a] != 0:
                    chosen = a
                    left -= np.exp(np.float64(logits[i, a] - top))
                    if left < 0.0:
                        break
        actions[i] = chosen
        log_probs[i] = np.float64(logits[i, chosen] - top) - np.log(total)
