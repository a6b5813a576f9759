"""Cross-play: how often each agent wins against each other one, with 95% intervals.

    python -m train.evaluate runs/a strategist rule random --players 2 --games 20000

Every deal is played once per seating: with two players twice, sides exchanged; with n players n times, one of A against n-1 of B in
each seat; with teams once per side. Luck of the cards and of the seat then falls on both sides alike, and what the interval
counts is the deal, not the game (games of one deal are not independent). All pairings of an evaluation play the same deals.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import datetime
import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from train.arena import Episode, Games, Watch, play, rotations
from train.bluffs import WildDrawFours
from train.estimate import Estimate
from uno_env.rules import Rules
from uno_env.transcripts import append_transcript

DEFAULT_RULES = "research"


@dataclass(frozen=True)
class Pairing:
    """One side of ``agent`` against ``opponent`` on all other sides.

    ``win_rate`` is the share of games won, 0 to 1. ``points`` are won or lost per seat of the agent and game (zero-sum),
    ``score`` is what the agent writes down per game. Truncated and void games count as won by nobody.
    """

    agent: str
    opponent: str
    win_rate: Estimate
    points: Estimate
    score: Estimate
    games: int
    deals: int
    truncated: float
    """Share of games cut off."""
    void: float
    """Share of games that ended without a winner."""
    mean_length: float
    """Decisions per game, of all seats."""


@dataclass(frozen=True)
class Evaluation:
    """The result of `evaluate`."""

    agents: tuple[str, ...]
    pairings: tuple[Pairing, ...]
    rules: Rules
    episode: Episode
    seed: int
    batch: int
    games: int
    """Games that were played, over all pairings."""
    seconds: float

    @property
    def games_per_second(self) -> float:
        """Games played per second of wall-clock time."""
        return self.games / self.seconds

    @property
    def sides(self) -> int:
        """Sides at the table: an agent as good as its opponents wins one part in so many."""
        return self.rules.teams or self.rules.num_players

    def pairing(self, agent: str, opponent: str) -> Pairing:
        """The pairing of two agents by name; KeyError for one that was not played."""
        for pairing in self.pairings:
            if (pairing.agent, pairing.opponent) == (agent, opponent):
                return pairing
        raise KeyError(f"{agent!r} against {opponent!r} was not played")

    def win_rates(self) -> np.ndarray:
        """``float64[A, A]``, row against column; NaN where not played."""
        matrix = np.full((len(self.agents), len(self.agents)), np.nan)
        for pairing in self.pairings:
            matrix[self.agents.index(pairing.agent), self.agents.index(pairing.opponent)] = pairing.win_rate.mean
        return matrix

    def table(self) -> str:
        """Win rates and points of row against column as text, with 95% intervals."""
        units = {"round": "rounds", "match": "matches"}[self.episode]
        against = "" if self.sides == 2 else f", one side of row's against {self.sides - 1} of column's"
        parts = [
            f"Wins in % of {units}, row against column{against} [95% interval]; between equals {100 / self.sides:.1f}",
            self._matrix(lambda pairing: pairing.win_rate.text(100)),
            "",
            f"Points won or lost per seat and {self.episode}",
            self._matrix(lambda pairing: pairing.points.text()),
        ]
        worst = max(self.pairings, key=lambda p: p.truncated + p.void)
        if worst.truncated + worst.void > 0:
            parts += [
                "",
                f"Won by nobody, which counts as not won: at most {worst.truncated:.2%} cut off and {worst.void:.2%} void "
                f"({worst.agent} against {worst.opponent})",
            ]
        return "\n".join(parts)

    def _matrix(self, cell: Callable[[Pairing], str]) -> str:
        played = {(p.agent, p.opponent): cell(p) for p in self.pairings}
        columns = [b for b in self.agents if any((a, b) in played for a in self.agents)]
        rows = [a for a in self.agents if any((a, b) in played for b in self.agents)]
        lines = [["", *columns], *([a, *(played.get((a, b), "-") for b in columns)] for a in rows)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(columns) + 1)]
        return "\n".join(
            "  ".join(
                text.ljust(width) if i == 0 else text.rjust(width) for i, (text, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data for JSON."""
        return {
            "agents": list(self.agents),
            "rules": self.rules.to_dict() | {"num_players": self.rules.num_players},
            "episode": self.episode,
            "seed": self.seed,
            "batch": self.batch,
            "expected_between_equals": 1 / self.sides,
            "games": self.games,
            "seconds": self.seconds,
            "games_per_second": self.games_per_second,
            "win_rates": [[None if np.isnan(x) else float(x) for x in row] for row in self.win_rates()],
            "pairings": [dataclasses.asdict(pairing) for pairing in self.pairings],
        }


def deal_sets(games: int, rules: Rules) -> int:
    """How many deals make at least ``games`` games, each deal being played once per side."""
    if games < 1:
        raise ValueError(f"games={games}: expected at least 1")
    return -(-games // (rules.teams or rules.num_players))


def evaluate(
    agents: Sequence[Any] | Mapping[str, Any],
    *,
    opponents: Sequence[Any] | Mapping[str, Any] | None = None,
    rules: Rules | str | Path = DEFAULT_RULES,
    num_players: int | None = None,
    games: int = 20_000,
    episode: Episode = "round",
    seed: int = 0,
    batch: int = 2048,
    threads: int = 1,
    watch: Callable[[Sequence[str]], Watch] | None = None,
    progress: Callable[[int], Any] | None = None,
    save: Callable[[str], Any] | None = None,
) -> Evaluation:
    """Let agents play against each other.

    Args:
        agents: names that `agents.load` knows, agents, or a mapping of name to either.
        opponents: likewise; if given, each of ``agents`` plays only against each of these.
        rules: a `Rules`, a preset's name or a YAML file's path.
        num_players: outranks the number in ``rules``.
        games: games of each pairing, rounded up to whole deals (`deal_sets`).
        episode: a round, or a match to `Rules.target`.
        seed: decides the deals and what agents draw.
        batch: games that advance together; see `train.arena.play` for when it matters.
        threads: threads of the environment.
        watch: makes a `Watch` for the pairing of the named agents.
        progress: called with the number of games that just ended.
        save: called with the transcript of each game (`train.arena.play`).

    Raises:
        ValueError: for values that can not be played with, unknown agents among them.
    """
    table = Rules.of(rules, num_players)
    deals = deal_sets(games, table)
    if episode == "match" and table.target is None:
        raise ValueError("episode='match' needs rules with a target; these end after one round")
    ours = _named(agents)
    theirs = ours if opponents is None else _named(opponents)
    players = ours | theirs
    if opponents is not None and (both := [name for name in ours if name in theirs]):
        raise ValueError(f"{', '.join(both)}: among the agents and the opponents; give one of them another name in a mapping")
    if len(players) < 2:
        raise ValueError(f"agents: {', '.join(players) or 'none'}; it takes two to play")
    check_tables(players, table)
    seatings = rotations(table)
    symmetric = len(seatings) == 2
    found: dict[tuple[str, str], Pairing] = {}
    played, seconds = 0, 0.0
    for name in ours:
        for opponent in theirs:
            if name == opponent or (name, opponent) in found:
                continue
            pair = (name, opponent)
            result = play(
                [players[name], players[opponent]],
                seatings,
                table,
                deals=deals,
                seed=seed,
                episode=episode,
                batch=batch,
                threads=threads,
                names=pair,
                watch=watch(pair) if watch is not None else None,
                progress=progress,
                save=save,
            )
            played += result.truncated.size
            seconds += result.seconds
            found[pair] = summarise(name, opponent, 0, result).pairing
            if symmetric and opponents is None:  # the same games, from the other side
                found[opponent, name] = summarise(opponent, name, 1, result).pairing
    order = list(players)
    pairings = sorted(found.values(), key=lambda p: (order.index(p.agent), order.index(p.opponent)))
    return Evaluation(tuple(players), tuple(pairings), table, episode, seed, batch, played, seconds)


def pairings_to_play(agents: int, rules: Rules) -> int:
    """How many pairings a cross-play of so many agents has to play."""
    pairs = agents * (agents - 1)
    return pairs // 2 if (rules.teams or rules.num_players) == 2 else pairs


@dataclass(frozen=True, eq=False)
class Summary:
    """A pairing and the win rate of its agent in each deal, ``float64[D]``, of which it tells the mean."""

    pairing: Pairing
    values: np.ndarray


def summarise(agent: str, opponent: str, index: int, games: Games, *, luck: np.ndarray | None = None) -> Summary:
    """What the ``games`` say of their agent ``index``, 0 or 1, called ``agent``.

    ``luck`` (``[D, R]``), what luck added to the wins of agent 0 (`train.control`), is taken out of them.
    """
    seats = int((games.seatings[0] == index).sum())
    values = games.of(index, games.wins)
    if luck is not None:
        values = values - luck.mean(axis=1) if index == 0 else values + luck.mean(axis=1)
    pairing = Pairing(
        agent=agent,
        opponent=opponent,
        win_rate=Estimate.of(values, bounds=(0, 1) if luck is None else None),
        points=Estimate.of(games.of(index, games.points) / seats),
        score=Estimate.of(games.of(index, games.scores) / seats),
        games=games.truncated.size,
        deals=len(games.truncated),
        truncated=float(games.truncated.mean()),
        void=float(games.void.mean()),
        mean_length=float(games.lengths.mean()),
    )
    return Summary(pairing, values)


def check_tables(players: Mapping[str, Any], rules: Rules) -> None:
    """ValueError naming an agent that plays with another number of players."""
    for name, agent in players.items():
        wants = getattr(agent, "num_players", None)
        if wants is not None and wants != rules.num_players:
            raise ValueError(f"agent {name!r} plays with {wants} players; this table has {rules.num_players}")


def _named(agents: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
    """Agents by name, those given as text loaded."""
    if isinstance(agents, Mapping):
        return {str(name): load_agent(agent) for name, agent in agents.items()}
    if isinstance(agents, str):
        raise ValueError(f"agents={agents!r}: expected a list")
    named: dict[str, Any] = {}
    for agent in agents:
        name = agent if isinstance(agent, str) else str(getattr(agent, "name", type(agent).__name__))
        if name in named:
            raise ValueError(f"agent {name!r} is given twice: give two copies different names in a mapping")
        named[name] = load_agent(agent)
    return named


def load_agent(agent: Any) -> Any:
    """What `agents.load` makes of a name or path, or an upper reference (`train.oracle`); an agent as it is."""
    if not isinstance(agent, (str, Path)):
        return agent
    import agents
    from train import oracle

    return oracle.load(str(agent)) or agents.load(str(agent))


# The command ----------------------------------------------------------------------------------------------------------


def save_heat_map(evaluation: Evaluation, path: str | Path) -> None:
    """Draw the matrix of win rates as a PNG."""
    from matplotlib.figure import Figure

    rates, names, even = 100 * evaluation.win_rates(), evaluation.agents, 100 / evaluation.sides
    side = 2.2 + 0.9 * len(names)
    figure = Figure(figsize=(side + 1.2, side), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    span = max(float(np.nanmax(np.abs(rates - even))), 1.0)
    image = axes.imshow(rates, cmap="RdBu", vmin=even - span, vmax=even + span)
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right", parse_math=False)
    axes.set_yticks(range(len(names)), names, parse_math=False)
    for pairing in evaluation.pairings:
        row, column = names.index(pairing.agent), names.index(pairing.opponent)
        strong = abs(rates[row, column] - even) > 0.6 * span
        text = f"{rates[row, column]:.1f}"
        if pairing.win_rate.low is not None and pairing.win_rate.high is not None:
            text += f"\n±{50 * (pairing.win_rate.high - pairing.win_rate.low):.1f}"
        axes.text(column, row, text, ha="center", va="center", fontsize=9, color="white" if strong else "black")
    against = "" if evaluation.sides == 2 else f", one against {evaluation.sides - 1}"
    axes.set_title(f"Wins of row against column{against}, %\n{evaluation.rules.num_players} players", fontsize=10)
    figure.colorbar(image, ax=axes, shrink=0.8)
    figure.savefig(path)


def provenance() -> dict[str, Any]:
    """What a result was made with: command, time, versions and git commit."""
    from train.checkpoints import versions

    spec = sys.modules["__main__"].__spec__
    command = sys.argv if spec is None else ["python", "-m", spec.name, *sys.argv[1:]]
    return {
        "command": shlex.join(command),
        "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "versions": versions(),
    }


def default_rules(players: Mapping[str, Any]) -> Rules | str:
    """The rules that the trained agents among ``players`` were trained with, else ``"research"``."""
    trained = {name: agent.rules for name, agent in players.items() if isinstance(getattr(agent, "rules", None), Rules)}
    if not trained:
        return DEFAULT_RULES
    name, rules = next(iter(trained.items()))
    for other, theirs in trained.items():
        if theirs != rules:
            raise ValueError(
                f"{name!r} was trained with rules {rules.to_dict()}, {other!r} with {theirs.to_dict()}: say which by --rules"
            )
    return rules


def main(arguments: Sequence[str] | None = None) -> Evaluation:
    """The command line; see ``--help``."""
    parser = argparse.ArgumentParser(prog="python -m train.evaluate", description="Cross-play of agents, with 95% intervals.")
    parser.add_argument(
        "agents", nargs="+", help="names, run folders, model files or package.module:Class, as agents.load takes them"
    )
    parser.add_argument("--players", type=int, help="players at the table (default: as the rules say)")
    parser.add_argument("--rules", help=f"preset or YAML file (default: those of a trained agent, else {DEFAULT_RULES})")
    parser.add_argument("--games", type=int, default=20_000, help="games of each pairing, rounded up to whole deals (%(default)s)")
    parser.add_argument("--episode", choices=("round", "match"), default="round", help="what is won (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="decides deals and choices (%(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="threads of the environment and of torch (%(default)s)")
    parser.add_argument("--batch", type=int, default=2048, help="games that advance together (%(default)s)")
    parser.add_argument(
        "--save-games", type=Path, metavar="FILE", help="add the transcript of every game to FILE (python -m uno_env.replay FILE)"
    )
    parser.add_argument("--out", type=Path, help="folder for evaluation.json and matrix.png (default: runs/evaluation-TIME)")
    options = parser.parse_args(arguments)
    try:
        return _run(options)
    except (ValueError, FileNotFoundError, ImportError) as error:
        parser.error(str(error))


@contextlib.contextmanager
def torch_threads(threads: int) -> Iterator[None]:
    """Let torch, where an agent has loaded it, compute with so many threads.

    Its default, one a core, waits for the slowest: with another busy process on two cores, the same network was 30 times slower.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _run(options: argparse.Namespace) -> Evaluation:
    if options.threads < 1:
        raise ValueError(f"--threads {options.threads}: expected at least 1")
    about = provenance()
    players = _named(options.agents)
    rules = Rules.of(options.rules or default_rules(players), options.players)
    deals = deal_sets(options.games, rules)
    sides = len(rotations(rules))
    total = deals * sides
    if total != options.games:
        print(f"--games {options.games} rounded up to {total}: {deals} deals, each played {sides} times", file=sys.stderr)
    counter = WildDrawFours(list(players)) if rules.wild_draw_four == "challenge" else None
    all_games = total * pairings_to_play(len(players), rules)
    with torch_threads(options.threads), tqdm(total=all_games, unit="game", smoothing=0.05, disable=None) as bar:
        evaluation = evaluate(
            players,
            rules=rules,
            games=options.games,
            episode=options.episode,
            seed=options.seed,
            batch=options.batch,
            threads=options.threads,
            watch=None if counter is None else counter.watch,
            progress=bar.update,
            save=None if options.save_games is None else partial(append_transcript, options.save_games),
        )
    out = options.out or Path("runs") / f"evaluation-{datetime.datetime.now():%Y%m%d-%H%M%S}"
    out.mkdir(parents=True, exist_ok=True)
    report = about | evaluation.to_dict()
    print(evaluation.table())
    if counter is not None:
        report["wild_draw_four"] = counter.to_dict()
        print(f"\n{counter.table()}")
    print(f"\n{evaluation.games:,} games in {evaluation.seconds:.1f} s: {evaluation.games_per_second:,.0f} games per second")
    (out / "evaluation.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    save_heat_map(evaluation, out / "matrix.png")
    print(f"written: {out / 'evaluation.json'}, {out / 'matrix.png'}")
    return evaluation


if __name__ == "__main__":
    main()
