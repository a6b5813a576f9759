"""An approximate best response: how much an exploiter, trained against one frozen agent alone, wins of it.

    python -m train.best_response champion --config configs/ppo/exploiter.yaml --players 2 --steps 10_000_000 --out runs/exploit

PPO (`train.ppo`) plays one seat and the agent all others, in every game. It starts from fresh weights and, where the agent is one
of our networks, from the agent's own. Of the two the one that training found better, on deals of its own, counts: its *gain*, the
share of games that it wins less the share of an equal, is measured on fresh duplicate deals by `train.tournament`. A best
response gains at least as much, so the gain is a lower bound of the agent's exploitability (with two players; with more, of what
one seat can gain against copies of it); it is not an upper bound of anything.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.torch_policy import TorchPolicy, save_model
from train import checkpoints, ppo, tournament
from train.arena import rotations
from train.config import ConfigError, load
from train.evaluate import DEFAULT_RULES, Pairing, load_agent, provenance
from uno_env.rules import Rules

EXPLOITER = "exploiter"
EVALUATE_EVERY = 10
"""Updates between evaluations, at most: an exploiter may pass its best within a short training."""


@dataclass(frozen=True)
class Exploiter:
    """One trained exploiter: where it started, how well it did in training, and what it wins on fresh deals."""

    start: str
    model: str
    score: float
    """Its win rate when training chose it, 0 to 1: too high by the luck of the choice."""
    pairing: Pairing
    """Against the agent, on fresh deals."""

    def gain(self, sides: int) -> tuple[float, float, float]:
        """Wins above an equal's share, with the ends of the 95% interval: in points of percent."""
        low, high = tournament.ends(self.pairing)
        mean, low, high = (100 * (x - 1 / sides) for x in (self.pairing.win_rate.mean, low, high))
        return mean, low, high


def victims_network(agent: str, rules: Rules, out: Path) -> tuple[str, dict[str, Any]] | None:
    """A model file of the agent and the fields of `train.ppo.Config` that give its shape; None where it is no network of ours."""
    player: Any = load_agent(agent)
    player = player.for_rules(rules) if hasattr(player, "for_rules") else player
    if not isinstance(player, TorchPolicy):
        return None
    path = out / "victim.safetensors"
    save_model(path, player.actor.state_dict(), player.network, player.rules, **player.about)
    shape: dict[str, Any] = {"width": player.network.width, "layers": player.network.layers}
    if player.network.num_players is None:  # a network for any number of players trains at tables of a list of sizes
        shape["player_counts"] = (rules.num_players,)
    return str(path), shape


def exploit(
    agent: str,
    out: str | Path,
    *,
    base: ppo.Config,
    starts: Sequence[str] = ("own", "scratch"),
    half_width: float = 0.5,
    max_chunks: int = 200,
    workers: int = 1,
    show: bool = False,
) -> list[Exploiter]:
    """Train an exploiter from each start and measure it; the one that counts comes first. Goes on where it was interrupted.

    Args:
        agent: whom to exploit, as `agents.load` takes it; in training it needs ``act_batch``.
        out: folder for the runs and their measurements.
        base: rules, players, steps, seed and settings of the training.
        starts: "own", "scratch", or both; "own" is left out for an agent that is no network of ours.
        half_width: of the interval of the gain, in points of percent.
        max_chunks: see `train.tournament.Config`.
        workers: processes that measure.
        show: whether to show progress.

    Raises:
        ValueError: for starts that there are not, or an agent that can not play.
    """
    out, rules = Path(out), Rules.of(base.rules, base.num_players)
    out.mkdir(parents=True, exist_ok=True)
    network = victims_network(agent, rules, out)
    shapes: dict[str, dict[str, Any]] = {"scratch": {} if network is None else network[1]}
    if network is not None:
        shapes["own"] = network[1] | {"initial_model": network[0]}
    if unknown := [start for start in starts if start not in ("own", "scratch")]:
        raise ValueError(f"starts: {', '.join(unknown)}: expected 'own', 'scratch'")
    chosen = [start for start in starts if start in shapes]
    if not chosen:
        raise ValueError(f"starts: {agent!r} is no network of ours, so only 'scratch' is possible")
    alone: dict[str, Any] = {
        "opponents": (agent,),
        "opponent_share": 1.0,
        "snapshot_slots": 0,
        "pool_size": 0,
        "evaluate_against": (agent,),
        "greedy": True,  # against one who does not change, mixing gains nothing
    }
    alone["evaluate_every"] = min(base.evaluate_every, EVALUATE_EVERY)
    trained: list[tuple[str, ppo.Run]] = []
    for start in chosen:
        folder = out / start
        config = dataclasses.replace(base, **alone, **shapes[start])
        resume = bool(checkpoints.list_checkpoints(folder / "checkpoints"))
        if resume and load(ppo.Config, folder / "config.yaml") != config:
            raise ConfigError(f"{folder} holds another training: give another --out, or remove it to begin anew")
        run = ppo.Run(config, folder, resume=resume)
        run.train(show=show)
        if run.stopping:
            raise ConfigError(f"{folder}: training was stopped; the same command goes on")
        trained.append((start, run))
    found = []
    for start, run in trained:
        model = str(run.out / "best.safetensors")
        match = tournament.Config(
            agents=(f"{EXPLOITER}={model}", agent),
            rules=base.rules,
            num_players=base.num_players,
            episode=base.episode,
            half_width=half_width,
            max_chunks=max_chunks,
            seed=base.seed,
        )
        measured = tournament.Tournament(match, out / f"measured_{start}")
        measured.play(workers=workers, show=show)
        found.append(Exploiter(start, model, run.best, measured.result().evaluation.pairing(EXPLOITER, agent)))
    return sorted(found, key=lambda one: -one.score)


def report(agent: str, base: ppo.Config, found: Sequence[Exploiter]) -> dict[str, Any]:
    """The result as plain data for JSON, in points of percent."""
    rules = Rules.of(base.rules, base.num_players)
    sides = len(rotations(rules))

    def told(one: Exploiter) -> dict[str, Any]:
        mean, low, high = one.gain(sides)
        return {"mean": mean, "low": low, "high": high}

    return {
        "agent": agent,
        "rules": rules.to_dict() | {"num_players": rules.num_players},
        "steps": base.total_steps,
        "seed": base.seed,
        "gain": told(found[0]),
        "exploiters": [
            {"start": one.start, "score_in_training": one.score, "gain": told(one), "pairing": dataclasses.asdict(one.pairing)}
            for one in found
        ],
    }


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; see ``--help``."""
    parser = argparse.ArgumentParser(
        prog="python -m train.best_response", description="How much a trained exploiter gains against an agent: a lower bound."
    )
    parser.add_argument("agent", help="whom to exploit, as agents.load takes it")
    parser.add_argument("--config", type=Path, help="YAML file of train.ppo.Config with the settings of the training")
    parser.add_argument("--players", type=int, help="players at the table (default: the config's)")
    parser.add_argument("--rules", help=f"preset or YAML file (default: the config's, else {DEFAULT_RULES})")
    parser.add_argument("--steps", type=int, default=10_000_000, help="steps of each training (%(default)s)")
    parser.add_argument("--seed", type=int, help="decides everything random (default: the config's)")
    parser.add_argument("--starts", nargs="+", default=["own", "scratch"], help="own weights, scratch, or both (the default)")
    parser.add_argument("--half-width", type=float, default=0.5, help="of the gain's interval, in points (%(default)s)")
    parser.add_argument("--max-chunks", type=int, default=200, help="chunks of 500 deals to measure with, at most (%(default)s)")
    parser.add_argument("--workers", type=int, default=1, help="processes that measure (%(default)s)")
    parser.add_argument("--torch-threads", type=int, help="threads of torch in training (default: the config's)")
    parser.add_argument("--out", type=Path, required=True, help="folder; one that holds this exploitation goes on")
    options = parser.parse_args(argv)
    try:
        base = ppo.Config() if options.config is None else load(ppo.Config, options.config)
        changes = {
            "num_players": options.players,
            "rules": options.rules,
            "seed": options.seed,
            "torch_threads": options.torch_threads,
            "total_steps": options.steps,
        }
        base = dataclasses.replace(base, **{name: value for name, value in changes.items() if value is not None}, max_minutes=None)
        about = provenance()
        found = exploit(
            options.agent,
            options.out,
            base=base,
            starts=options.starts,
            half_width=options.half_width,
            max_chunks=options.max_chunks,
            workers=options.workers,
            show=True,
        )
        told = report(options.agent, base, found) | {"made": about}
        (options.out / "best_response.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    except (ValueError, OSError, ImportError) as error:
        parser.error(str(error))
    sides = len(rotations(Rules.of(base.rules, base.num_players)))
    for one in found:
        mean, low, high = one.gain(sides)
        print(f"from {one.start}: gain {mean:+.1f} [{low:+.1f}, {high:+.1f}] points, {one.pairing.games:,} games")
    mean, low, high = found[0].gain(sides)
    print(f"{options.agent} can be exploited by at least {mean:.1f} points [{low:.1f}, {high:.1f}]")
    print(f"written: {options.out / 'best_response.json'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
