"""A tournament: every agent against every other until the intervals are as narrow as asked.

    python -m train.tournament configs/tournament/two_player.yaml --out runs/two_player --workers 2

Pairings are those of `train.evaluate`: one side of A against B on all other sides, each deal once from every side; all pairings
play the same deals. The work is cut into *chunks* of deals, each with its own seeds, and a finished chunk is a file in the run's
folder: the same command goes on after an interruption of any kind, and the result is the same, bit for bit, with any number of
workers.

**When a pairing stops.** It plays in stages. After each, the spread between its deals says how many deals would give the asked
half-width (Stein 1945); if there are as many, it stops, else it plays up to that number. Only the spread decides, never the mean,
and there are two or three decisions, not one a game, so the intervals keep their coverage (a test simulates it). Its unit is the
deal.

Options: `train.streams` (draws from a stream per seat) and `train.control` (the luck of draws taken out of the wins). Neither
moves a mean; both narrow the intervals of the win rates at equal games.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import datetime
import functools
import hashlib
import importlib
import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from tqdm import tqdm

from agents.torch_policy import write_atomically
from train import control, oracle, plot, standings
from train.arena import Chance, Episode, Games, play, rotations
from train.config import ConfigError, load, to_yaml
from train.curves import group_runs, read_runs
from train.drawing import render, write_files
from train.estimate import student
from train.evaluate import DEFAULT_RULES, Evaluation, Pairing, check_tables, load_agent, provenance, summarise, torch_threads
from train.streams import Streams
from uno_env.rules import Rules

Backend = Literal["joblib", "ray"]
_ARRAYS = ("wins", "points", "scores", "truncated", "void", "lengths")


@dataclass(frozen=True, kw_only=True)
class Config:
    """Everything that decides a tournament's result."""

    agents: tuple[str, ...] = ()
    """Who plays: names as `agents.load` takes them, or ``name=spec`` to call one otherwise."""
    opponents: tuple[str, ...] = ()
    """Likewise; if given, each of ``agents`` plays only against each of these, and nobody is ranked. For slow agents."""
    rules: str = DEFAULT_RULES
    """A rules preset or the path of a rules YAML file."""
    num_players: int = 2
    """Players at the table."""
    episode: Episode = "round"
    """What is won: a round, or a match to the rules' target."""
    half_width: float = 0.5
    """Half-width of the 95% intervals of all win rates at which a pairing stops, in points of percent."""
    seed: int = 0
    """Decides deals and choices."""
    chunk: int = 500
    """Deals that are played together."""
    first_chunks: int = 4
    """Chunks of the first stage."""
    max_chunks: int = 200
    """Chunks of a pairing, at most."""
    batch: int = 2048
    """Games that advance together; see `train.arena.play` for when it matters."""
    streams: bool = False
    """Whether each seat draws from a stream of its own (`train.streams`)."""
    control: bool = False
    """Whether the luck of draws is taken out of the wins (`train.control`)."""
    fit_deals: int = 1000
    """Deals of a pairing that its control variate is fitted to, played beside those that count; twice as many in all."""

    def __post_init__(self) -> None:
        for name in ("chunk", "batch", "fit_deals"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name}={getattr(self, name)}: expected at least 1")
        if not 1 <= self.first_chunks <= self.max_chunks:
            raise ConfigError(f"first_chunks={self.first_chunks}: expected 1 to max_chunks={self.max_chunks}")
        if self.first_chunks * self.chunk < 2:
            raise ConfigError("first_chunks * chunk: expected at least 2 deals, to see a spread")
        if not self.half_width > 0:
            raise ConfigError(f"half_width={self.half_width}: expected more than 0")
        if self.seed < 0:
            raise ConfigError(f"seed={self.seed}: expected 0 or more")
        if self.episode not in ("round", "match"):
            raise ConfigError(f"episode={self.episode!r}: expected 'round' or 'match'")
        if len(self.players) != len(self.agents) + len(self.opponents):
            raise ConfigError("agents, opponents: a name is given twice; 'name=spec' calls a copy otherwise")
        if len(self.players) < 2 or not self.agents:
            raise ConfigError(f"agents: {', '.join(self.agents) or 'none'}; it takes two to play")
        if len(self.players) > standings.MAX_AGENTS:
            raise ConfigError(f"agents: {len(self.players)} of them; at most {standings.MAX_AGENTS} can be ranked")
        if self.episode == "match" and self.table.target is None:
            raise ConfigError(f"episode='match' needs rules with a target; those of {self.rules!r} end after one round")
        if self.streams and (knowing := [name for name, spec in self.players.items() if oracle.sees_pile(spec)]):
            raise ConfigError(f"streams: {', '.join(knowing)} sees the order of the draw pile, which streams change")
        if self.control:
            control.refuse_rules(self.table)

    @property
    def players(self) -> dict[str, str]:
        """The spec of each agent by its name."""
        return {text.rpartition("=")[0] or text: text.rpartition("=")[2] for text in (*self.agents, *self.opponents)}

    @property
    def table(self) -> Rules:
        """The rules with the number of players."""
        return Rules.of(self.rules, self.num_players)

    def pairs(self) -> list[tuple[str, str]]:
        """The pairings that are played: with two sides each once, since it tells of both."""
        names = list(self.players)
        if self.opponents:
            return [(a, b) for a in names[: len(self.agents)] for b in names[len(self.agents) :]]
        symmetric = len(rotations(self.table)) == 2
        return [(a, b) for i, a in enumerate(names) for j, b in enumerate(names) if (i < j if symmetric else i != j)]


# Chunks ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """What a worker is asked for: a chunk of a pairing, or (``chunk=-1``) the fit of its control variate.

    ``names`` and ``specs`` are of both agents; ``value`` is the control variate's, where there is one.
    """

    config: Config
    names: tuple[str, str]
    specs: tuple[str, str]
    chunk: int
    value: tuple[float, ...] = ()


def chunk_seed(seed: int, chunk: int) -> int:
    """The seed of a chunk's deals and choices, the same in all pairings."""
    return int(np.random.SeedSequence(seed, spawn_key=(2, chunk)).generate_state(1, np.uint32)[0])


@functools.lru_cache(maxsize=64)
def _agent(spec: str) -> Any:
    return load_agent(spec)


def answer(task: Task) -> dict[str, np.ndarray]:
    """Play a chunk, or fit: everything that is kept of it, by name. The same task gives the same answer in any process."""
    config, rules = task.config, task.config.table
    agents = [_agent(spec) for spec in task.specs]
    with torch_threads(1):
        if task.chunk < 0:
            found = control.fit(agents, rules, deals=config.fit_deals, seed=config.seed, streams=config.streams)
            return {"value": found}
        seatings = rotations(rules)
        parts: list[Chance] = [Streams(rules, config.chunk * len(seatings))] if config.streams else []
        luck = control.Control(rules, seatings, config.chunk, np.array(task.value)) if config.control else None
        if luck is not None:
            parts.append(luck)
        games = play(
            agents,
            seatings,
            rules,
            deals=config.chunk,
            seed=chunk_seed(config.seed, task.chunk),
            episode=config.episode,
            batch=config.batch,
            names=task.names,
            chance=control.all_of(*parts) if parts else None,
        )
    told = {name: getattr(games, name) for name in _ARRAYS} | {"seconds": np.array(games.seconds)}
    return told if luck is None else told | {"luck": luck.luck}


def run_joblib(tasks: Sequence[Task], workers: int) -> Iterator[tuple[Task, dict[str, np.ndarray]]]:
    """Answers by processes of this machine, as they come."""
    from joblib import Parallel, delayed

    if workers == 1:
        yield from ((task, answer(task)) for task in tasks)
        return
    jobs = Parallel(n_jobs=workers, return_as="generator_unordered")
    yield from cast(Iterator[Any], jobs(delayed(_with_task)(task) for task in tasks))


def run_ray(tasks: Sequence[Task], workers: int) -> Iterator[tuple[Task, dict[str, np.ndarray]]]:
    """Answers by a Ray cluster (the one of ``RAY_ADDRESS`` or ``ray.init``, else a local one), at most ``workers`` at a time."""
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError as error:
        raise ImportError("--backend ray needs Ray, which is not installed: pip install 'ray>=2.40'") from error

    if not ray.is_initialized():
        ray.init(num_cpus=None if "RAY_ADDRESS" in os.environ else workers, include_dashboard=False)
    remote = ray.remote(_with_task)
    waiting, running = list(tasks), []
    while waiting or running:
        while waiting and len(running) < workers:
            running.append(remote.remote(waiting.pop(0)))
        done, running = ray.wait(running)
        yield from ray.get(done)


def _with_task(task: Task) -> tuple[Task, dict[str, np.ndarray]]:
    return task, answer(task)


# The tournament -------------------------------------------------------------------------------------------------------


def deals_needed(values: np.ndarray, half_width: float) -> int:
    """How many deals give an interval of this half-width, judged by the spread of the ``values`` of those played."""
    n = len(values)
    return int(np.ceil((student(n - 1) * values.std(ddof=1) / half_width) ** 2))


def next_stage(values: np.ndarray, config: Config) -> int:
    """How many chunks a pairing has to have, given the win rates of all deals of the stage that just ended."""
    played = len(values) // config.chunk
    wanted = -(-deals_needed(values, config.half_width / 100) // config.chunk)
    return max(played, min(wanted, config.max_chunks))


class Tournament:
    """A tournament and its folder, in which each answered `Task` has its file."""

    def __init__(self, config: Config, out: str | Path) -> None:
        """Begin a tournament in the folder ``out``, or go on with the one that is there.

        Raises:
            ConfigError: where the folder holds another tournament, or agents that have changed since.
            ValueError: for agents that can not be loaded or do not play at this table.
        """
        self.config, self.out = config, Path(out)
        check_tables({name: _agent(spec) for name, spec in config.players.items()}, config.table)
        self.out.mkdir(parents=True, exist_ok=True)
        for name, data in {"tournament.yaml": to_yaml(config), "agents.json": json.dumps(fingerprints(config), indent=1)}.items():
            path = self.out / name
            if not path.exists():
                write_atomically(path, data.encode())
            elif path.read_text(encoding="utf-8") != data:
                raise ConfigError(f"{path} is of another tournament: give another --out, or remove {self.out} to begin anew")
        self._number = {pair: i for i, pair in enumerate(config.pairs())}

    def play(self, *, workers: int = 1, backend: Backend = "joblib", show: bool = False) -> None:
        """Play all chunks that are missing."""
        run = {"joblib": run_joblib, "ray": run_ray}[backend]
        with tqdm(unit="chunk", disable=None if show else True, smoothing=0.05) as bar:
            while tasks := self.missing():
                bar.total = bar.n + len(tasks)
                bar.refresh()
                for task, told in run(tasks, workers):
                    self._keep(task, told)
                    bar.update()

    def missing(self) -> list[Task]:
        """What has to be answered before the next decision can be made: of all pairings, in the order of their chunks."""
        tasks = []
        for pair in self._number:
            value = self._value(pair)
            if value is None:
                tasks.append(self._task(pair, -1, ()))
            else:
                tasks += [
                    self._task(pair, chunk, value) for chunk in range(self.stage(pair)) if not self._path(pair, chunk).exists()
                ]
        return sorted(tasks, key=lambda task: task.chunk)

    def stage(self, pair: tuple[str, str]) -> int:
        """How many chunks a pairing has to have by now: a function of the chunks it has, not of when they were played."""
        wanted, decided = self.config.first_chunks, 0
        while wanted > decided and all(self._path(pair, chunk).exists() for chunk in range(wanted)):
            decided = wanted
            games, luck = self.games(pair, decided)
            wanted = next_stage(summarise(*pair, 0, games, luck=luck).values, self.config)
        return wanted

    def games(self, pair: tuple[str, str], chunks: int | None = None) -> tuple[Games, np.ndarray | None]:
        """All games of a pairing (of its first chunks), and what luck added to the wins of its first agent in each."""
        parts, luck = [], []
        seatings = rotations(self.config.table)
        for chunk in range(self.stage(pair) if chunks is None else chunks):
            with np.load(self._path(pair, chunk)) as file:
                parts.append(Games(seatings, *(file[name] for name in _ARRAYS), seconds=float(file["seconds"])))
                if self.config.control:
                    luck.append(file["luck"])
        return Games.joined(parts), np.concatenate(luck) if luck else None

    def result(self) -> Result:
        """What the tournament found; ValueError while chunks are missing."""
        if missing := self.missing():
            raise ValueError(f"{self.out}: {len(missing)} chunks are still to be played")
        pairings: list[Pairing] = []
        played: dict[tuple[str, str], Games] = {}
        for a, b in self._number:
            games, luck = self.games((a, b))
            played[a, b] = games
            pairings.append(summarise(a, b, 0, games, luck=luck).pairing)
            if len(games.seatings) == 2 and not self.config.opponents:
                pairings.append(summarise(b, a, 1, games, luck=luck).pairing)
        names = tuple(self.config.players)
        pairings.sort(key=lambda p: (names.index(p.agent), names.index(p.opponent)))
        config = self.config
        count = sum(games.truncated.size for games in played.values())
        seconds = sum(games.seconds for games in played.values())
        evaluation = Evaluation(names, tuple(pairings), config.table, config.episode, config.seed, config.batch, count, seconds)
        if config.opponents:
            return Result(config, evaluation, (), [])
        return Result(config, evaluation, standings.rank(evaluation, played, seed=config.seed), standings.cycles(evaluation))

    def _keep(self, task: Task, told: dict[str, np.ndarray]) -> None:
        path = self._path(task.names, task.chunk)
        path.parent.mkdir(parents=True, exist_ok=True)
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **told)  # type: ignore[arg-type]
        write_atomically(path, buffer.getvalue())

    def _task(self, pair: tuple[str, str], chunk: int, value: tuple[float, ...]) -> Task:
        players = self.config.players
        return Task(self.config, pair, (players[pair[0]], players[pair[1]]), chunk, value)

    def _path(self, pair: tuple[str, str], chunk: int) -> Path:
        return self.out / "chunks" / f"{self._number[pair]:03d}" / ("value.npz" if chunk < 0 else f"{chunk:06d}.npz")

    def _value(self, pair: tuple[str, str]) -> tuple[float, ...] | None:
        """The control variate of a pairing: empty where none is asked for, None before it is fitted."""
        if not self.config.control:
            return ()
        path = self._path(pair, -1)
        if not path.exists():
            return None
        with np.load(path) as file:
            return tuple(file["value"].tolist())


def fingerprints(config: Config) -> dict[str, str]:
    """For each agent that is a file or run folder the SHA-256 of its model, else its spec."""
    from agents.torch_policy import find_model

    told = {}
    for name, spec in config.players.items():
        path = Path(spec)
        told[name] = hashlib.sha256(find_model(path).read_bytes()).hexdigest() if path.exists() else spec
    return told


# The result -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """What a tournament found."""

    config: Config
    evaluation: Evaluation
    standings: tuple[standings.Standing, ...]
    cycles: list[tuple[str, str, str]]

    def table(self) -> str:
        """Matrix, standings and what they were made of as text."""
        games = f"{self.evaluation.games:,} games; the unit of the intervals is the deal"
        wide = [p for p in self.evaluation.pairings if half_width(p) > self.config.half_width]
        ranking = [standings.table(self.standings, self.cycles), ""] if self.standings else []
        lines = [self.evaluation.table(), "", *ranking, games]
        if wide:
            worst = max(wide, key=half_width)
            lines.append(
                f"{len(wide)} of {len(self.evaluation.pairings)} intervals are wider than the asked {self.config.half_width} "
                f"(at most {half_width(worst):.2f}, {worst.agent} against {worst.opponent}): raise max_chunks"
            )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data for JSON; nothing in it depends on when and with how many workers it was made."""
        told = self.evaluation.to_dict()
        for clock in ("seconds", "games_per_second"):
            del told[clock]
        return {
            "config": {name: list(v) if isinstance(v, tuple) else v for name, v in dataclasses.asdict(self.config).items()},
            **told,
            "standings": [dataclasses.asdict(standing) for standing in self.standings],
            "cycles": [list(cycle) for cycle in self.cycles],
        }

    def crossplay_csv(self) -> str:
        """The pairings, a line each."""
        rows = [
            [
                p.agent,
                p.opponent,
                *(f"{x:.6f}" for x in (p.win_rate.mean, *ends(p), p.win_rate.standard_error or 0)),
                p.games,
                p.deals,
            ]
            for p in self.evaluation.pairings
        ]
        return _csv(["agent", "opponent", "win_rate", "low", "high", "standard_error", "games", "deals"], rows)

    def standings_csv(self) -> str:
        """The standings, a line each."""
        fields = [field.name for field in dataclasses.fields(standings.Standing)]
        return _csv(fields, [[getattr(s, name) for name in fields] for s in self.standings])

    def write(self, out: Path, about: dict[str, Any], runs: Sequence[Path] = ()) -> list[Path]:
        """Write JSON, CSV and pictures into ``out``; learning curves where run folders are given."""
        pictures = {"heat_map": plot.heat_map(self.evaluation)}
        if self.standings:
            pictures["ratings"] = render(plot.rating_bars(self.standings))
        if runs and (figure := plot.learning(group_runs(read_runs(runs)))) is not None:
            pictures["learning"] = render(figure)
        report = json.dumps(self.to_dict() | {"made": about | {"seconds": round(self.evaluation.seconds, 1)}}, indent=1)
        files = {f"{name}.{kind}": data for name, kinds in pictures.items() for kind, data in kinds.items()}
        files |= {
            "tournament.json": f"{report}\n".encode(),
            "crossplay.csv": self.crossplay_csv().encode(),
        }
        if self.standings:
            files["standings.csv"] = self.standings_csv().encode()
        return write_files(out, files)


def ends(pairing: Pairing) -> tuple[float, float]:
    """The interval of a pairing's win rate."""
    low, high = pairing.win_rate.low, pairing.win_rate.high
    return 0.0 if low is None else low, 1.0 if high is None else high


def half_width(pairing: Pairing) -> float:
    """Half the width of it, in points of percent."""
    low, high = ends(pairing)
    return 50 * (high - low)


def _csv(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return text.getvalue()


# The command ----------------------------------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; see ``--help``."""
    parser = argparse.ArgumentParser(prog="python -m train.tournament", description="Every agent against every other one.")
    parser.add_argument("config", type=Path, help="YAML file with the fields of train.tournament.Config")
    parser.add_argument("--out", type=Path, help="folder; one that holds this tournament goes on (default: runs/tournament-TIME)")
    parser.add_argument("--workers", type=int, default=1, help="processes, or with Ray tasks at a time (%(default)s)")
    parser.add_argument("--backend", choices=("joblib", "ray"), default="joblib", help="who plays the chunks (%(default)s)")
    parser.add_argument("--half-width", type=float, help="outranks the config's")
    parser.add_argument("--agents", nargs="+", help="outrank the config's")
    parser.add_argument("--opponents", nargs="*", help="outrank the config's")
    parser.add_argument("--runs", nargs="+", type=Path, default=[], help="run folders of train.ppo to draw learning curves of")
    options = parser.parse_args(argv)
    try:
        if options.workers < 1:
            raise ValueError(f"--workers {options.workers}: expected at least 1")
        config = load(Config, options.config)
        changes: dict[str, Any] = {"half_width": options.half_width}
        changes |= {
            name: None if given is None else tuple(given)
            for name, given in (("agents", options.agents), ("opponents", options.opponents))
        }
        config = dataclasses.replace(config, **{name: value for name, value in changes.items() if value is not None})
        out = options.out or Path("runs") / f"tournament-{datetime.datetime.now():%Y%m%d-%H%M%S}"
        about = provenance()
        tournament = Tournament(config, out)
        tournament.play(workers=options.workers, backend=options.backend, show=True)
        result = tournament.result()
        print(result.table())
        for path in result.write(out, about, options.runs):
            print(path)
    except (ValueError, OSError, ImportError) as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    # Workers look functions up in their module, which must not be called __main__.
    from train.tournament import main as importable_main

    sys.exit(importable_main())
