"""What better decisions are worth: an agent's choices in many positions, against the choices of the strategist.

    python -m benchmarks.decisions search:2000 champion champion+search:2000 --players 2

The strategist plays itself; in positions of these games every action is tried in thousands of redrawn worlds, in which the
strategist (or ``--policy``) plays on. An agent's gain is the mean, over the positions, of how much more often its choice won there
than the strategist's. Times the decisions of a seat in a round, that is by how many points it would win more rounds if these were
its positions, too (performance difference lemma, Kakade and Langford 2002). Much cheaper than games, but blind to what an agent
makes of its later turns, and to what players' cards truly are: games have the last word.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from agents import View, load
from agents.rollouts import POLICIES
from agents.search import Decision, Trial
from train.estimate import Estimate
from uno_env.game import Game
from uno_env.rules import Rules
from uno_env.state import UNO
from uno_env.vector import UnoVector

TURNS = 25
"""Decisions of each seat from among which a position is chosen."""


def positions(rules: Rules, count: int, seed: int) -> tuple[list[Game], float]:
    """One position with a choice from each of ``count`` games, and how many such decisions a seat has in a round."""
    rng = np.random.default_rng(seed)
    player = load("strategist").for_rules(rules)  # type: ignore[attr-defined]
    vector = UnoVector(count, rules, seed)
    due = rng.integers(0, TURNS * rules.num_players, count)
    found: dict[int, Game] = {}
    decisions = rounds = 0
    for step in range(2 * TURNS * rules.num_players):
        real = (vector.action_masks.sum(axis=1) > 1) & (vector.action_masks[:, UNO] == 0)
        for game in np.flatnonzero(real & (due <= step)).tolist():
            found.setdefault(game, vector.game(game))
        decisions += int(real.sum())
        vector.step(player.act_batch(vector.observations, vector.action_masks, rng))
        rounds += int(vector.dones.sum())
    return [found[game] for game in sorted(found)], decisions / rounds / rules.num_players


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line; see ``--help``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="+", help="as agents.load takes them")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--rules", default="digital")
    parser.add_argument("--positions", type=int, default=300)
    parser.add_argument("--worlds", type=int, default=2000, help="worlds of each position (%(default)s)")
    parser.add_argument("--policy", choices=POLICIES, default=POLICIES[0], help="who plays on in them (%(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    rules = Rules.of(options.rules, options.players)
    games, per_round = positions(rules, options.positions, options.seed)
    players = {name: load(name) for name in ("strategist", *options.agents)}
    values = {name: np.zeros(len(games)) for name in players}
    same = dict.fromkeys(players, 0)
    for i, game in enumerate(games):
        view = View(game, np.random.default_rng([options.seed, i]))
        legal = game.legal_actions()
        trial = Trial(Decision.of(view), legal, policy=options.policy, seed=10**15 + 10**9 * i)
        trial.roll(options.worlds)
        wins = trial.outcomes.mean(axis=0)
        first = None
        for name, player in players.items():
            chosen = player.act(View(game, np.random.default_rng([options.seed, i])))
            first = chosen if first is None else first
            values[name][i] = wins[legal.index(chosen)]
            same[name] += chosen == first
    print(f"{len(games)} positions, {options.players} players, {options.rules}, {options.worlds} worlds, then {options.policy};")
    print(f"{per_round:.1f} decisions of a seat in a round; points of winning chance above the strategist's choice")
    for name in options.agents:
        gain = Estimate.of(100 * (values[name] - values["strategist"]))
        other = 1 - same[name] / len(games)
        print(f"{name:36} a decision {gain.text(1, 3):24} a round {gain.text(per_round, 1):18} other choice {other:.0%}")


if __name__ == "__main__":
    main()
