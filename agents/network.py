"""The network of the torch policy: which columns of an observation it reads, and how.

The four colours are interchangeable in Uno, so the network treats them alike: a layer maps what belongs to one colour with
weights shared by all four, and adds what their mean (and everything colourless) contributes. Permuting the colours of an
observation permutes the logits in the same way, exactly; nothing has to be learnt 24 times (deep sets, arXiv 1703.06114).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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


class Columns:
    """Which entries of int8 rows a network reads, in its own order: four equal colour blocks, then the colourless rest.

    Attributes:
        index: ``int64[F]``, the column in the row.
        at_most: ``int8[F]``, -1 to copy the entry, else the flag ``entry <= at_most``.
        scale: ``float32[F]``, what the network multiplies the int8 with.
        per_colour: entries in one colour block; the first ``4 * per_colour`` are the blocks.
        rest: colourless entries.
    """

    def __init__(self, blocks: list[list[tuple[int, float]]], rest: list[tuple[int, float, int]]) -> None:
        entries = [(column, scale, -1) for block in blocks for column, scale in block] + rest
        self.index = np.array([entry[0] for entry in entries], np.int64)
        self.scale = np.array([entry[1] for entry in entries], np.float32)
        self.at_most = np.array([entry[2] for entry in entries], np.int8)
        self.per_colour = len(blocks[0])
        self.rest = len(rest)
        self.size = len(entries)


def _by_kind(blocks: list[list[tuple[int, float]]], rest: list[tuple[int, float, int]], start: int, scale: float) -> None:
    """Add 57 counts per kind that begin at column ``start``."""
    for colour, block in enumerate(blocks):
        block.extend((start + colour * NUM_SYMBOLS + symbol, scale) for symbol in range(NUM_SYMBOLS))
    rest.extend((start + NUM_COLOURED + wild, scale, -1) for wild in range(NUM_WILDS))


def observed_columns(num_players: int) -> Columns:
    """The columns of an observation (`uno_env.observe.LAYOUT`) that matter at a table of ``num_players``."""
    blocks: list[list[tuple[int, float]]] = [[] for _ in range(NUM_COLOURS)]
    rest: list[tuple[int, float, int]] = []
    for start, scale in ((observe.HAND, 1.0), (observe.PLAYABLE, 1.0), (observe.DISCARDED, 0.5), (observe.UNSEEN, 0.5)):
        _by_kind(blocks, rest, start, scale)
    for colour, block in enumerate(blocks):
        block += [(observe.COLOUR + colour, 1.0), (observe.COLOUR_BEFORE + colour, 1.0)]
    rest.extend((observe.SYMBOL + i, 1.0, -1) for i in range(observe.LAYOUT["symbol"].size))
    rest.extend((observe.PHASE + i, 1.0, -1) for i in range(observe.NUM_PHASES - 1))
    rest.extend((observe.TURN + i, 1.0, -1) for i in range(num_players))
    rest += [(observe.DECLARED, 1.0, -1), (observe.CATCHABLE, 1.0, -1), (observe.SCORE, 0.01, -1), (observe.TARGET, 0.02, -1)]
    rest += [(observe.PENDING, 0.25, -1), (observe.DRAW_PILE, 0.02, -1)]
    sizes = [observe.HAND_SIZE]
    for other in range(num_players - 1):
        at = observe.OTHERS + other * observe.OTHER_WIDTH
        sizes.append(at + observe.OTHER_CARDS)
        rest += [(at + 1, 1.0, -1), (at + 3, 1.0, -1), (at + 4, 1.0, -1), (at + 5, 0.01, -1)]
        rest.append((observe.KNOWN_SIZE + other, 0.2, -1))
        for colour, block in enumerate(blocks):
            block.append((at + 6 + colour, 1.0))
        _by_kind(blocks, rest, observe.KNOWN + other * NUM_KINDS, 1.0)
    for size in sizes:
        rest.append((size, 0.1, -1))
        rest.extend((size, 1.0, step) for step in SIZE_STEPS)
    return Columns(blocks, rest)


def hidden_columns(num_players: int) -> Columns:
    """The columns of a row of hidden cards (`uno_env.observe.HIDDEN_LAYOUT`) that matter at a table of ``num_players``."""
    blocks: list[list[tuple[int, float]]] = [[] for _ in range(NUM_COLOURS)]
    rest: list[tuple[int, float, int]] = []
    for other in range(num_players - 1):
        _by_kind(blocks, rest, other * NUM_KINDS, 1.0)
    for card in range(observe.NEXT_CARDS):
        _by_kind(blocks, rest, observe.HIDDEN_PILE + card * NUM_KINDS, 1.0)
    return Columns(blocks, rest)


@jit
def pick_columns(rows, which, index, at_most, out):
    """Write the chosen columns of ``rows[which]`` to ``out`` (``int8[len(which), F]``); see `Columns`."""
    for j in range(which.shape[0]):
        row = rows[which[j]]
        for f in range(index.shape[0]):
            value = row[index[f]]
            if at_most[f] >= 0:
                value = np.int8(1) if value <= at_most[f] else np.int8(0)
            out[j, f] = value


@dataclass(frozen=True, kw_only=True)
class NetworkConfig:
    """The shape of a network; stored with its weights."""

    num_players: int = 2
    """Players at the table."""
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
