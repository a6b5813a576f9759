"""Helpers: tables of people and quick agents, and people who play at random."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from agents import load
from train.playing.table import Table, human_seats, seat_players, think
from uno_env import Game, Rules


def a_table(
    rules: str | Rules = "official",
    num_players: int | None = None,
    people: int | Sequence[int] = 1,
    seed: int = 1,
    vs: str = "random",
    **options: Any,
) -> Table:
    table_rules = Rules.of(rules, num_players)
    seats = human_seats(people, table_rules.num_players) if isinstance(people, int) else list(people)
    return Table(table_rules, seat_players(table_rules, seats, [(vs, load(vs))]), seed=seed, **options)


def at_position(table: Table, position: dict[str, Any], seed: int = 0) -> Table:
    """The table, its game put into a position."""
    table.game = Game.from_position(position, seed)
    table.log.clear()
    table.epoch += 1
    return table


def let_agents_play(table: Table) -> None:
    while (decision := table.decision()) is not None:
        assert table.answer(decision, think(decision)) is not None


def act_at_random(table: Table, rng: random.Random) -> None:
    """One action of the person who decides, mostly something else than a voluntary draw, so that rounds end."""
    legal = table.game.legal_texts()
    if len(legal) > 1 and "draw" in legal and rng.random() < 0.9:
        legal.remove("draw")
    table.act(table.game.actor, rng.choice(legal))
