"""Other card games, from PyPI: RLCard, OpenSpiel, PettingZoo's classic games, Pgx. One that is not installed is said to be so."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from typing import Any

from benchmarks.measuring import Measure, Subject, repeated
from benchmarks.ours import aec_loop


def rlcard_uno() -> Measure:
    """RLCard's Uno: two players, whatever it is asked for; each step makes the state of the next player."""
    import rlcard  # type: ignore[import-not-found]

    rng = random.Random(1)
    env = rlcard.make("uno", config={"seed": 1})

    def episode() -> int:
        decisions = 0
        state, _ = env.reset()
        try:
            while not env.is_over():
                state, _ = env.step(rng.choice(list(state["legal_actions"])))
                decisions += 1
        except IndexError:  # both of its piles are empty
            pass
        return decisions

    return repeated(episode)


def crazy_eights(num_players: int, observe: bool) -> Measure:
    """OpenSpiel's crazy_eights: legal_actions() and apply_action(), with the tensor and the mask of the player if ``observe``."""
    import pyspiel  # type: ignore[import-not-found]

    rng = random.Random(1)
    game = pyspiel.load_game("crazy_eights", {"players": num_players})

    def episode() -> int:
        decisions = 0
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, odds = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(outcomes, odds)[0])
                continue
            if observe:
                player = state.current_player()
                state.observation_tensor(player)
                state.legal_actions_mask(player)
            state.apply_action(rng.choice(state.legal_actions()))
            decisions += 1
        return decisions

    return repeated(episode)


def leduc(raw: bool) -> Measure:
    """PettingZoo's Leduc hold'em."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo.classic import leduc_holdem_v4

        return aec_loop(leduc_holdem_v4.raw_env() if raw else leduc_holdem_v4.env())


def pgx_game(name: str, batch: int = 1024, steps: int = 64) -> Measure:
    """A game of Pgx on the CPU: ``steps`` uniformly random legal actions in ``batch`` games within one compiled call."""
    import jax  # type: ignore[import-not-found]
    import jax.numpy as jnp  # type: ignore[import-not-found]
    import pgx  # type: ignore[import-not-found]
    from pgx.experimental import auto_reset  # type: ignore[import-not-found]

    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def one(carry: Any, _: Any) -> Any:
        state, key = carry
        key, choosing, dealing = jax.random.split(key, 3)
        actions = jax.random.categorical(choosing, jnp.where(state.legal_action_mask, 0.0, -1e9), axis=-1)
        return (step(state, actions, jax.random.split(dealing, batch)), key), None

    many = jax.jit(lambda carry: jax.lax.scan(one, carry, None, length=steps)[0])
    held = [(jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), batch)), jax.random.PRNGKey(1))]

    def play() -> None:
        held[0] = jax.block_until_ready(many(held[0]))

    play()
    return repeated(play, batch * steps)


def subjects() -> Iterator[Subject]:
    """All of them."""
    unit = "decisions"
    yield Subject("RLCard Uno, 2 players", unit, rlcard_uno)
    for n in (2, 4):
        name = f"OpenSpiel crazy_eights, {n} players"
        yield Subject(f"{name}, tensor and mask", unit, lambda n=n: crazy_eights(n, True))
        yield Subject(f"{name}, legal_actions alone", unit, lambda n=n: crazy_eights(n, False))
    yield Subject("PettingZoo Leduc raw_env(), 2 players", unit, lambda: leduc(True))
    yield Subject("PettingZoo Leduc env(), 2 players", unit, lambda: leduc(False))
    for game in ("leduc_holdem", "sparrow_mahjong"):
        yield Subject(f"Pgx {game} on the CPU, batch 1024", unit, lambda game=game: pgx_game(game))
