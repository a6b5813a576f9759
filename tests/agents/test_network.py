"""The network: which columns it reads, that colours are alike to it, and how it samples."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from agents.network import (
    Actor,
    Critic,
    Entry,
    NetworkConfig,
    hidden_columns,
    masked_log_softmax,
    observed_columns,
    sample_masked,
)
from agents.torch_policy import players_at
from uno_env import observe
from uno_env.cards import KIND_TEXTS, NUM_COLOURED, NUM_KINDS, NUM_SYMBOLS
from uno_env.state import CHALLENGE, DRAW, NAME_COLOUR, NUM_ACTIONS, PLAY_WILD, State
from uno_env.vector import UnoVector


def positions(players: int, steps: int = 60, games: int = 64) -> UnoVector:
    """Games some way in, played by picking legal actions at random."""
    vector = UnoVector(games, "research", seed=4, num_players=players)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        scores = np.where(vector.action_masks != 0, rng.random(vector.action_masks.shape), -1)
        scores[:, DRAW] -= 0.9 * (vector.action_masks.sum(axis=1) > 1)
        vector.step(scores.argmax(axis=1))
    return vector


def read(columns, rows: np.ndarray, players: int) -> torch.Tensor:
    out = np.empty((len(rows), columns.size), np.int8)
    columns.read(rows, np.arange(len(rows)), players, out)
    return torch.from_numpy(out)


def permuted_actions(order: tuple[int, ...]) -> np.ndarray:
    """For each action, the action it becomes when colour c becomes ``order[c]``."""
    to = np.arange(NUM_ACTIONS)
    for colour, new in enumerate(order):
        to[colour * NUM_SYMBOLS : (colour + 1) * NUM_SYMBOLS] = np.arange(NUM_SYMBOLS) + new * NUM_SYMBOLS
        for wild in range(5):
            to[PLAY_WILD + 4 * wild + colour] = PLAY_WILD + 4 * wild + new
        to[NAME_COLOUR + colour] = NAME_COLOUR + new
    return to


@pytest.mark.parametrize(("players", "knows"), [(2, 2), (4, 4), (2, None), (5, None)])
def test_permuted_colours_permute_the_logits(players: int, knows: int | None) -> None:
    torch.manual_seed(0)
    actor = Actor(NetworkConfig(num_players=knows, width=16))
    critic = Critic(NetworkConfig(num_players=knows, width=16), privileged=True)
    for parameter in [*actor.parameters(), *critic.parameters()]:  # heads start near zero; let them speak
        torch.nn.init.normal_(parameter, std=0.3)
    vector = positions(players)
    hidden = np.zeros((vector.num_envs, observe.HIDDEN_SIZE), np.int8)
    observe.hidden(vector.states, vector.rules.params, 0, vector.num_envs, hidden)
    columns = observed_columns(knows), hidden_columns(knows)
    inputs = [read(part, rows, players) for part, rows in zip(columns, (vector.observations, hidden), strict=True)]
    with torch.no_grad():
        logits, values = actor(inputs[0]), critic(*inputs)
        for order in itertools.islice(itertools.permutations(range(4)), 1, 24, 5):
            moved = []
            for part, rows in zip(columns, inputs, strict=True):
                blocks = rows[:, : 4 * part.per_colour].view(-1, 4, part.per_colour)
                turned = torch.empty_like(blocks)
                turned[:, list(order)] = blocks
                moved.append(torch.cat((turned.flatten(1), rows[:, 4 * part.per_colour :]), 1))
            expected = torch.empty_like(logits)
            expected[:, permuted_actions(order)] = logits
            torch.testing.assert_close(actor(moved[0]), expected, atol=1e-3, rtol=1e-3)
            torch.testing.assert_close(critic(*moved), values, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("players", [2, 4, 10, None])
def test_colour_blocks_hold_the_same_things(players: int | None) -> None:
    """Column f of one colour's block is that of another's, a colour further on."""
    for columns in (observed_columns(players), hidden_columns(players)):
        blocks = columns.table[: 4 * columns.per_colour].reshape(4, columns.per_colour, -1)
        steps = np.diff(blocks[:, :, 0], axis=0)
        assert (steps == steps[0]).all()
        assert set(steps[0]) <= {1, NUM_SYMBOLS}
        assert (blocks[:, :, 1:] == blocks[:1, :, 1:]).all()
        entries = columns.table[: 4 * columns.per_colour]
        assert len(np.unique(entries, axis=0)) == len(entries)


@pytest.mark.parametrize("players", [2, 3, 4, 7, 10])
def test_any_number_of_players_is_read_alike(players: int) -> None:
    """What a network for any number reads is the same by hand: the next two, the last one, and sums over all."""
    vector = positions(players)
    columns = observed_columns(None)
    out = read(columns, vector.observations, players).numpy()
    width, last = observe.OTHER_WIDTH, players - 2

    def inputs(entry: Entry) -> np.ndarray:
        found = [tuple(row) for row in columns.table.tolist()].index(entry[:1] + entry[2:])
        return out[:, found]

    others = vector.observations[:, observe.OTHERS : observe.KNOWN_SIZE].reshape(-1, observe.MAX_OTHERS, width)
    sizes = others[:, :, observe.OTHER_CARDS]
    at = observe.OTHERS + observe.OTHER_CARDS
    assert (inputs(Entry(at)) == sizes[:, 0]).all()
    assert (inputs(Entry(at + width)) == sizes[:, 1]).all()
    assert (inputs(Entry(at, last_stride=width)) == sizes[:, last]).all()
    assert (inputs(Entry(at, terms=9, stride=width)) == sizes.sum(axis=1)).all()
    assert (inputs(Entry(at, at_most=2, terms=9, stride=width)) == (sizes <= 2).sum(axis=1)).all()
    known = vector.observations[:, observe.KNOWN :].reshape(-1, observe.MAX_OTHERS, NUM_KINDS)
    wild = NUM_KINDS - 5
    assert (inputs(Entry(observe.KNOWN + wild, last_stride=NUM_KINDS)) == known[:, last, wild]).all()
    assert (inputs(Entry(observe.KNOWN + wild, terms=9, stride=NUM_KINDS)) == known[:, :, wild].sum(axis=1)).all()
    assert (inputs(Entry(observe.TURN + 1, last_stride=1)) == vector.observations[:, observe.TURN + 1 + last]).all()


def test_players_at_the_table_are_counted() -> None:
    for players in (2, 3, 10):
        assert players_at(positions(players, steps=3).observations) == players
    mixed = np.concatenate([positions(n, steps=0, games=1).observations for n in (2, 4)])
    with pytest.raises(ValueError, match="tables with 2 to 4 players"):
        players_at(mixed)


def test_logits_stand_at_their_actions() -> None:
    """The prior is visible in an untrained network: drawing is unlikely, a wild less likely than a card, for every colour alike."""
    torch.manual_seed(0)
    vector = positions(2, steps=0)
    with torch.no_grad():
        logits = Actor(NetworkConfig(width=16))(read(observed_columns(2), vector.observations, 2)).numpy()
    assert np.abs(logits[:, :NUM_COLOURED]).max() < 0.2
    assert np.abs(logits[:, PLAY_WILD:DRAW] + 1.4).max() < 0.2
    assert np.abs(logits[:, DRAW] + 5).max() < 0.2
    assert np.abs(logits[:, CHALLENGE]).max() < 0.2
    assert np.abs(logits[:, NAME_COLOUR : NAME_COLOUR + 4]).max() < 0.2


def test_sampling_follows_the_masked_softmax() -> None:
    rng = np.random.default_rng(1)
    logits = np.tile(rng.normal(size=(1, NUM_ACTIONS)).astype(np.float32), (20_000, 1))
    masks = np.zeros((20_000, NUM_ACTIONS), np.int8)
    masks[:, [3, 17, 72, 90]] = 1
    actions, log_probs = np.empty(20_000, np.int64), np.empty(20_000, np.float32)
    sample_masked(logits, masks, rng.random(20_000), actions, log_probs)
    expected = masked_log_softmax(torch.from_numpy(logits), torch.from_numpy(masks)).numpy()
    assert log_probs == pytest.approx(expected[np.arange(20_000), actions], abs=1e-5)
    shares = np.bincount(actions, minlength=NUM_ACTIONS) / 20_000
    assert shares == pytest.approx(np.exp(expected[0]), abs=0.015)
    sample_masked(logits, masks, np.full(20_000, -1.0), actions, log_probs)
    assert (actions == expected[0].argmax()).all()


@pytest.mark.parametrize("players", [2, 4])
def test_hidden_rows_show_hands_and_pile(players: int) -> None:
    vector = positions(players)
    rows = np.zeros((vector.num_envs, observe.HIDDEN_SIZE), np.int8)
    observe.hidden(vector.states, vector.rules.params, 0, vector.num_envs, rows)
    for game in range(vector.num_envs):
        state = State(vector.states, game)
        hands, direction = state.row("hands"), state.direction
        for k in range(1, players):
            seat = (state.actor + k * direction) % players
            shown = rows[game, (k - 1) * NUM_KINDS : k * NUM_KINDS]
            assert (shown == hands[seat, :NUM_KINDS]).all()
        assert not rows[game, (players - 1) * NUM_KINDS : observe.HIDDEN_PILE].any()
        pile = rows[game, observe.HIDDEN_PILE :].reshape(observe.NEXT_CARDS, NUM_KINDS)
        seen = [KIND_TEXTS[int(row.argmax())] for row in pile if row.any()]
        assert seen == [KIND_TEXTS[kind] for kind in state.draw_pile[: observe.NEXT_CARDS]]
