"""What a policy does with its choices: ``python -m train.habits runs/a --games 5000 [--against strategist] [--rules ...]``.

Counts over games against copies of itself, or against another agent: bluffs and challenges and how often they are right, draws
without need, drawn cards kept, Uno calls made and forgotten, catches. Prints a table and writes JSON beside the model.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

import agents
from train.arena import play, rotations
from train.bluffs import WildDrawFours
from uno_env.rules import Rules
from uno_env.state import CATCH, DRAW, PASS, UNO, Phase
from uno_env.vector import UnoVector


@dataclass
class Habits:
    """Chances an agent had, and how often it took them."""

    turns: int = 0
    """Decisions in PLAY."""
    draw_chances: int = 0
    """Of these, with a playable card and a draw allowed."""
    voluntary_draws: int = 0
    """Of these, drawn all the same."""
    playable_drawn: int = 0
    """Drawn cards that could be played or kept."""
    kept: int = 0
    """Of these, kept."""
    call_chances: int = 0
    """Decisions with two cards and a play that leaves one, before any call."""
    calls: int = 0
    """Of these, called Uno."""
    calls_forgotten: int = 0
    """Of these, played without a call."""
    catch_chances: int = 0
    """Times it was asked whether to catch a player."""
    catches: int = 0
    """Of these, caught."""

    def watch(self, vector: UnoVector, rows: np.ndarray, who: np.ndarray, chosen: np.ndarray) -> None:
        """Count the choices of agent 0, of the games ``rows``."""
        mine = who == 0
        rows, chosen = rows[mine], chosen[mine]
        masks, phases = vector.action_masks[rows] != 0, vector.states["phase"][rows]
        play = phases == Phase.PLAY
        # A call decides nothing yet: the same player goes on to play, draw or pass.
        decided = (chosen != UNO) & masks[:, :DRAW].any(axis=1)
        chance = play & decided & masks[:, DRAW]
        drawn = (phases == Phase.DRAWN) & decided & masks[:, PASS]
        call = (phases != Phase.CATCH) & masks[:, UNO]
        catch = (phases == Phase.CATCH) & masks[:, CATCH]
        for name, count in {
            "turns": play,
            "draw_chances": chance,
            "voluntary_draws": chance & (chosen == DRAW),
            "playable_drawn": drawn,
            "kept": drawn & (chosen == PASS),
            "call_chances": call,
            "calls": call & (chosen == UNO),
            "calls_forgotten": call & (chosen < DRAW),
            "catch_chances": catch,
            "catches": catch & (chosen == CATCH),
        }.items():
            setattr(self, name, getattr(self, name) + int(count.sum()))


def measure(agent: Any, opponent: Any, rules: Rules, *, deals: int, seed: int = 0, progress: Any = None) -> dict[str, Any]:
    """Habits of ``agent`` against ``opponent`` (the same object for self-play) as plain data: counts, shares, the win rate."""
    habits, fours = Habits(), WildDrawFours(("agent", "opponent"))
    watch_fours = fours.watch(("agent", "opponent"))

    def watch(vector: UnoVector, rows: np.ndarray, who: np.ndarray, chosen: np.ndarray) -> None:
        habits.watch(vector, rows, who, chosen)
        watch_fours(vector, rows, who, chosen)

    games = play([agent, opponent], rotations(rules), rules, deals=deals, seed=seed, watch=watch, progress=progress)
    return {
        "games": int(games.lengths.size),
        "win_rate": float(games.of(0, games.wins).mean()),
        "decisions_per_game": float(games.lengths.mean()),
        "wild_draw_four": fours.to_dict()["agent"],
        "habits": asdict(habits),
    }


def table(found: dict[str, Any]) -> str:
    """What `measure` found, as text: chance, how often it came, how often it was taken."""
    fours, habits = found["wild_draw_four"], found["habits"]
    accepted = fours["asked"] - fours["challenges"]
    lines = [
        ("Wild Draw Four played", fours["bluffs"] + fours["honest"], fours["bluffs"], "were bluffs"),
        ("a bluff was possible", fours["could_bluff"], fours["bluffs"], "bluffed"),
        ("asked whether to challenge", fours["asked"], fours["challenges"], "challenged"),
        ("challenged", fours["challenges"], fours["right"], "rightly"),
        ("accepted", accepted, fours["guilty"] - fours["right"], "were bluffs"),
        ("could play, could draw", habits["draw_chances"], habits["voluntary_draws"], "drew"),
        ("drew a playable card", habits["playable_drawn"], habits["kept"], "kept it"),
        ("could call Uno", habits["call_chances"], habits["calls"], "called"),
        ("could call Uno", habits["call_chances"], habits["calls_forgotten"], "played without a call"),
        ("could catch a player", habits["catch_chances"], habits["catches"], "caught"),
    ]
    text = [f"{'when':28} {'times':>10} {'of these':>10} {'%':>6}"]
    for when, times, taken, what in lines:
        share = f"{100 * taken / times:6.1f}" if times else "     -"
        text.append(f"{when:28} {times:10,} {taken:10,} {share} {what}")
    return "\n".join(text)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m train.habits", description=__doc__)
    parser.add_argument("agent", help="a run folder, a model or any agent that agents.load knows")
    parser.add_argument("--against", help="the opponent (default: copies of the agent)")
    parser.add_argument("--games", type=int, default=5000, help="games, rounded up to whole deals (%(default)s)")
    parser.add_argument("--rules", help="preset or YAML file (default: those of the trained agent, else research)")
    parser.add_argument("--players", type=int, help="players at the table (default: as the rules say)")
    parser.add_argument("--seed", type=int, default=0, help="decides deals and choices (%(default)s)")
    parser.add_argument("--out", type=Path, help="JSON file (default: habits.json in the run folder, if the agent is one)")
    options = parser.parse_args(argv)
    try:
        agent = agents.load(options.agent)
        opponent = agent if options.against is None else agents.load(options.against)
        rules = Rules.of(options.rules or getattr(agent, "rules", "research"), options.players)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    deals = -(-options.games // len(rotations(rules)))
    with tqdm(total=deals * len(rotations(rules)), unit="game", disable=None) as bar:
        found = measure(agent, opponent, rules, deals=deals, seed=options.seed, progress=bar.update)
    found = {"agent": options.agent, "against": options.against or "itself", "rules": rules.to_dict(), **found}
    print(f"{options.agent} against {found['against']}: {found['games']:,} games, {100 * found['win_rate']:.1f}% won")
    print(table(found))
    out = options.out or (Path(options.agent) / "habits.json" if Path(options.agent).is_dir() else None)
    if out is not None:
        out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
