"""What agents think of a position: ``python -m train.analyse POSITION.json AGENT [AGENT ...] [--out FILE.png]``.

For a position in text (``docs/notation.md``; ``-`` reads it from standard input) and each agent: how often it takes each legal
action, and what share of the games is won after it, all that the player cannot know drawn anew in each.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table
from rich.text import Text

from train.arena import Players
from train.drawing import COLOURS, STYLE, render, write_files
from train.estimate import Estimate
from train.plot import short_names
from train.recording import likely
from uno_env import engine
from uno_env.game import Game
from uno_env.notation import PositionError, states_from_position
from uno_env.rules import Rules
from uno_env.state import Phase
from uno_env.vector import UnoVector

FORMATS = ("png", "svg", "pdf")


@dataclass(frozen=True, eq=False)
class Opinion:
    """What one agent thinks of the legal actions, in the order of their ids.

    Attributes:
        agent: its name.
        probabilities: how likely it takes each; without an interval where the agent tells (``exact``), else from its choices.
        wins: share of the play-outs that the player's side won after each; None where none were played.
        behind: how much less each wins than the one that wins most, in the same worlds; None for that one.
    """

    agent: str
    exact: bool
    probabilities: tuple[Estimate, ...]
    wins: tuple[Estimate, ...] | None
    behind: tuple[Estimate | None, ...]

    def close(self) -> list[bool]:
        """Which actions the play-outs can not tell from the best: itself, and those whose 95% interval of ``behind`` has zero."""
        return [gap is None or gap.low is None or gap.high is None or gap.low <= 0 <= gap.high for gap in self.behind]


@dataclass(frozen=True, eq=False)
class Analysis:
    """The result of `analyse`."""

    game: Game
    actions: tuple[str, ...]
    """Texts of the legal actions."""
    opinions: tuple[Opinion, ...]
    rollouts: int
    playout: str | None
    """Who plays all seats in the play-outs; None for each agent itself."""
    asks: int


def analyse(
    position: Mapping[str, Any],
    agents: Mapping[str, Any],
    *,
    rollouts: int = 400,
    asks: int = 1000,
    seed: int = 0,
    playout: tuple[str, Any] | None = None,
) -> Analysis:
    """Ask ``agents`` (by name) about a position, and play it out after each legal action.

    The same arguments give the same result, whichever other agents are asked. Every action is played out in the same ``rollouts``
    worlds with the same random numbers, which makes differences between actions more certain than each rate.

    Args:
        position: a position in text (``docs/notation.md``).
        agents: players by name.
        rollouts: games played out after each action; 0 for none.
        asks: how often an agent that does not tell its probabilities is asked.
        seed: decides everything random.
        playout: name and agent that play all seats in the play-outs; None for each agent itself.

    Raises:
        PositionError: for a position that no game can be in, or in which nobody decides.
        ValueError: for other values that can not be used, or an agent that plays at another table.
        IllegalAction: naming the agent that chose it.
    """
    for key, value, least in (("rollouts", rollouts, 0), ("asks", asks, 1), ("seed", seed, 0)):
        if value < least:
            raise ValueError(f"{key}={value}: expected at least {least}")
    if not agents:
        raise ValueError("agents: none given")
    states, rules = states_from_position(position)
    game = Game.of_record(states, rules)
    if game.over:
        raise PositionError("phase: the round is over, so there is nothing to decide")
    for name, agent in [*agents.items(), *([] if playout is None else [playout])]:
        wants = getattr(agent, "num_players", None)
        if wants is not None and wants != rules.num_players:
            raise ValueError(f"agent {name!r} plays with {wants} players; this position has {rules.num_players}")
    legal = game.legal_actions()
    seeds = np.random.SeedSequence(seed, spawn_key=(0,)).generate_state(max(rollouts, 1), np.uint64)
    worlds = _worlds(states, rules, game.actor, seeds)
    # Agents that are one object play alike.
    played: dict[int, np.ndarray] = {}
    opinions = []
    for name, agent in agents.items():
        exact, probabilities = _probabilities(name, agent, states, rules, legal, asks, seed)
        wins, behind = None, tuple(None for _ in legal)
        if rollouts:
            who, plays = (name, agent) if playout is None else playout
            if id(plays) not in played:
                played[id(plays)] = np.array(
                    [_play_out(who, plays, worlds, rules, seeds, game.actor, action, seed) for action in legal]
                )
            won = played[id(plays)]
            wins = tuple(Estimate.of(row, bounds=(0, 1)) for row in won)
            best = int(won.mean(axis=1).argmax())
            behind = tuple(None if i == best else Estimate.of(row - won[best]) for i, row in enumerate(won))
        opinions.append(Opinion(name, exact, probabilities, wins, behind))
    return Analysis(game, tuple(game.legal_texts()), tuple(opinions), rollouts, None if playout is None else playout[0], asks)


def _copies(states: np.ndarray, rules: Rules, count: int) -> UnoVector:
    """A batch of ``count`` games that stand as ``states[0]``, or, given so many, as ``states``."""
    vector = UnoVector(count, rules, 0)
    vector.states[:] = states
    vector.refresh()
    return vector


def _probabilities(
    name: str, agent: Any, states: np.ndarray, rules: Rules, legal: Sequence[int], asks: int, seed: int
) -> tuple[bool, tuple[Estimate, ...]]:
    """How likely the agent takes each of the ``legal`` actions, and whether it told."""
    one = _copies(states, rules, 1)
    told = None if getattr(agent, "greedy", False) else likely(agent, one.observations, one.action_masks)
    if told is not None:
        return True, tuple(Estimate(float(told[0, action]), None, None, None, 1) for action in legal)
    vector = _copies(states, rules, asks)
    rows = np.arange(asks)
    chosen = Players([agent], [name], rules, seed).choose(vector, rows, np.zeros(asks, np.int64))
    return False, tuple(Estimate.of((chosen == action).astype(np.float64), bounds=(0, 1)) for action in legal)


def _worlds(states: np.ndarray, rules: Rules, seat: int, seeds: np.ndarray) -> np.ndarray:
    """The game once per seed, with all that ``seat`` cannot know drawn anew: ``STATE[N]``."""
    worlds = np.repeat(states, len(seeds))
    for i, seed in enumerate(seeds):
        engine.resample(worlds, rules.params, i, seat, seed)
    return worlds


def _play_out(
    name: str, agent: Any, worlds: np.ndarray, rules: Rules, seeds: np.ndarray, seat: int, action: int, seed: int
) -> np.ndarray:
    """Whether ``seat`` wins each of the ``worlds`` after ``action``, the agent playing all seats: ``float64[N]`` of 0 and 1."""
    players = Players([agent], [name], rules, seed)  # a fresh generator: the same numbers after every action
    vector = _copies(worlds, rules, len(worlds))
    won = np.zeros(len(worlds))
    world_of = np.arange(len(worlds))  # of each place of the batch, -1 once its round is over
    chosen = np.full(len(worlds), action, np.int64)
    while True:
        vector.step(chosen)
        over = np.flatnonzero(vector.dones & (world_of >= 0))
        won[world_of[over]] = (vector.winners[over] >> seat) & 1
        world_of[over] = -1
        rows = np.flatnonzero(world_of >= 0)
        if not rows.size:
            return won
        if 2 * rows.size <= len(world_of):  # the last ones do not pay for idle places
            vector, world_of = _copies(vector.states[rows], rules, len(rows)), world_of[rows]
            rows = np.arange(len(rows))
        chosen = vector.action_masks.argmax(axis=1).astype(np.int64)  # idle places play anything
        chosen[rows] = players.choose(vector, rows, np.zeros(len(rows), np.int64))


# What is shown --------------------------------------------------------------------------------------------------------------


def _describe(analysis: Analysis) -> str:
    """The decision in words."""
    game, position = analysis.game, analysis.game.position()
    top = position["discard_pile"][-1] if position["discard_pile"] else "none"
    where = f"top {top}, colour {position['colour'] or 'none'}"
    due = f", {position['pending_draw']} cards due" if position["pending_draw"] else ""
    return f"seat {game.actor} of {game.num_players} decides in {game.phase.name}: {where}{due}"


def _how(analysis: Analysis) -> str:
    if not analysis.rollouts:
        return "no play-outs"
    who = "the agent itself" if analysis.playout is None else analysis.playout
    # A redrawn hand does not know how readily its player bluffs.
    blind = "; guilt as the cards fall, not as players bluff" if analysis.game.phase is Phase.CHALLENGE else ""
    return f"{analysis.rollouts:,} play-outs of each action, {who} in all seats{blind}"


def _percent(estimate: Estimate) -> str:
    return f"{100 * estimate.mean:.1f}" if estimate.low is None else estimate.text(100)


def text_table(analysis: Analysis) -> Table:
    """The analysis as a table for `rich`."""
    table = Table(title=f"{_describe(analysis)}\n{_how(analysis)}", title_justify="left")
    table.add_column("action", no_wrap=True)
    for opinion in analysis.opinions:
        table.add_column(Text(f"{opinion.agent}\nplays it, %"), justify="right", no_wrap=True)
        if opinion.wins is not None:
            table.add_column(Text(f"{opinion.agent}\nwins, % [95%]"), justify="right", no_wrap=True)
    likeliest = [max(range(len(analysis.actions)), key=lambda i: o.probabilities[i].mean) for o in analysis.opinions]
    for i, action in enumerate(analysis.actions):
        cells: list[Text] = [Text(action)]
        for opinion, favourite in zip(analysis.opinions, likeliest, strict=True):
            cells.append(Text(_percent(opinion.probabilities[i]), style="bold" if i == favourite else ""))
            if opinion.wins is not None:
                mark = "*" if opinion.behind[i] is None else "=" if opinion.close()[i] else " "
                cells.append(Text(f"{_percent(opinion.wins[i])} {mark}", style="bold" if mark == "*" else ""))
        table.add_row(*cells)
    notes = [] if not analysis.rollouts else ["* wins most; = not to be told from it by these play-outs (95%, same worlds)"]
    asked = [opinion.agent for opinion in analysis.opinions if not opinion.exact]
    if asked:
        notes.append(f"{', '.join(asked)}: asked {analysis.asks:,} times")
    table.caption = "\n".join(notes)
    table.caption_justify = "left"
    return table


def picture(analysis: Analysis, table: np.ndarray | None = None) -> Figure:
    """The analysis side by side for all agents; ``table`` (``uint8[H, W, 3]``) is drawn at the left."""
    count, actions = len(analysis.opinions), len(analysis.actions)
    panels = 2 if analysis.rollouts else 1
    height = max(4.2, 0.24 * actions + 1.9)
    beside = [] if table is None else [min(1.5 * (height - 1.2), 6.0)]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(sum(beside) + 1.0 + 2.0 * panels * count, height), layout="constrained")
        grid = figure.add_gridspec(1, len(beside) + panels * count, width_ratios=[*beside, *([2.0] * panels * count)])
        if table is not None:
            axes = figure.add_subplot(grid[0, 0])
            axes.imshow(table)
            axes.set_axis_off()
            axes.set_title(f"as seat {analysis.game.actor} sees it")
        places = np.arange(actions)
        for number, opinion in enumerate(analysis.opinions):
            colour = COLOURS[number % len(COLOURS)]
            column = len(beside) + panels * number
            axes = figure.add_subplot(grid[0, column])
            _rows(axes, analysis.actions, named=number == 0)
            means = [100 * p.mean for p in opinion.probabilities]
            axes.barh(
                places,
                means,
                color=colour,
                height=0.7 * min(1.0, actions / 6),
                xerr=_whiskers(opinion.probabilities),
                error_kw={"linewidth": 0.9},
            )
            axes.set_xlim(0, 105)
            axes.set_xticks([0, 50, 100])
            axes.set_title(opinion.agent)
            axes.set_xlabel("plays it (%)" if opinion.exact else f"plays it, asked {analysis.asks:,} times (%)")
            if opinion.wins is None:
                continue
            axes = figure.add_subplot(grid[0, column + 1])
            _rows(axes, analysis.actions, named=False)
            means, whiskers = np.array([100 * w.mean for w in opinion.wins]), _whiskers(opinion.wins)
            axes.errorbar(means, places, xerr=whiskers, fmt="none", ecolor=colour, elinewidth=1.2, capsize=2)
            close = np.array(opinion.close())
            for these, fill in ((close, colour), (~close, "white")):
                axes.plot(means[these], places[these], "o", color=colour, markerfacecolor=fill, markersize=5.5)
            axes.set_xlim(-3, 103)
            axes.set_xticks([0, 50, 100])
            axes.set_title("its play-outs" if analysis.playout is None else f"play-outs by {analysis.playout}")
            axes.set_xlabel("wins after it (%)")
        lines = [_describe(analysis)]
        if analysis.rollouts:
            lines.append(f"{_how(analysis)}; bars: 95% intervals; filled: best, or not to be told from it")
        figure.suptitle("\n".join(lines), fontsize=10)
    return figure


def _rows(axes: Any, actions: Sequence[str], *, named: bool) -> None:
    axes.set_yticks(range(len(actions)), actions if named else [""] * len(actions))
    axes.set_ylim(len(actions) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def _whiskers(estimates: Sequence[Estimate]) -> np.ndarray | None:
    """Distances from the means to the ends of the intervals in percent, ``float64[2, A]``; None without intervals."""
    if any(e.low is None or e.high is None for e in estimates):
        return None
    ends = np.array([(e.mean - (e.low or 0.0), (e.high or 0.0) - e.mean) for e in estimates]).T
    return 100 * np.maximum(ends, 0)


def draw_table(game: Game) -> np.ndarray | None:
    """The table as the deciding seat sees it, ``uint8[H, W, 3]``; None where the renderer is not installed."""
    try:
        from uno_env.render.raster import table_pixels

        return table_pixels(game.position(), game.actor, width=1200)
    except ImportError as error:
        print(f"no picture of the table: {error}", file=sys.stderr)
        return None


# The command ----------------------------------------------------------------------------------------------------------------


def read_position(path: str) -> dict[str, Any]:
    """A position from a JSON file, or from standard input for ``-``; ``ValueError`` for a file that holds none."""
    where = "standard input" if path == "-" else path
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{where}: {error.strerror or error}") from None
    try:
        position = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{where}: not JSON: {error}") from None
    if not isinstance(position, dict):
        raise PositionError(f"a position is a mapping of keys, not {type(position).__name__}")
    return position


def _load(specs: Sequence[str]) -> dict[str, Any]:
    import agents

    for i, spec in enumerate(specs):
        if spec in specs[:i]:
            raise ValueError(f"agent {spec!r} is given twice")
    return {name: agents.load(spec) for name, spec in zip(short_names(specs), specs, strict=True)}


def _warn_of_rules(agents: Mapping[str, Any], rules: Rules) -> None:
    for name, agent in agents.items():
        trained = getattr(agent, "rules", None)
        if isinstance(trained, Rules) and trained != rules:
            mine, theirs = trained.to_dict(), rules.to_dict()
            changed = sorted(key for key in mine.keys() | theirs.keys() if mine.get(key) != theirs.get(key))
            print(f"note: {name} was trained with other rules than this position's ({', '.join(changed)} differ)", file=sys.stderr)


def _run(options: argparse.Namespace) -> Analysis:
    kind = "png"
    if options.out is not None:
        kind = options.out.suffix.lower().removeprefix(".")
        if kind not in FORMATS:
            raise ValueError(f"--out {options.out}: expected a name that ends in {', '.join('.' + end for end in FORMATS)}")
    if options.threads < 1:
        raise ValueError(f"--threads {options.threads}: expected at least 1")
    position = read_position(options.position)
    players = _load(options.agents)
    playout = None if options.playout is None else next(iter(_load([options.playout]).items()))
    torch = sys.modules.get("torch")
    before = None if torch is None else torch.get_num_threads()
    if torch is not None:
        torch.set_num_threads(options.threads)
    try:
        analysis = analyse(position, players, rollouts=options.rollouts, asks=options.asks, seed=options.seed, playout=playout)
    finally:
        if torch is not None:
            torch.set_num_threads(before)
    _warn_of_rules(players, analysis.game.rules)
    console = Console()
    if not console.is_terminal:
        console.width = 1000  # a file has no edge to wrap at
    console.print(text_table(analysis))
    if options.out is not None:
        data = render(picture(analysis, draw_table(analysis.game)), [kind])[kind]
        write_files(options.out.parent, {options.out.name: data})
        print(f"written: {options.out}")
    return analysis


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; see ``--help``."""
    parser = argparse.ArgumentParser(prog="python -m train.analyse", description="What agents think of a position.")
    parser.add_argument("position", help="JSON file of a position (docs/notation.md); - for standard input")
    parser.add_argument(
        "agents", nargs="+", help="names, run folders, model files or package.module:Class, as agents.load takes them"
    )
    parser.add_argument("--rollouts", type=int, default=400, help="games played out after each action; 0 for none (%(default)s)")
    parser.add_argument("--playout", metavar="AGENT", help="who plays all seats in them (default: each agent itself)")
    parser.add_argument("--asks", type=int, default=1000, help="times that agents without probabilities are asked (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="decides everything random (%(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="threads of torch (%(default)s)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="draw it, too: .png, .svg or .pdf")
    options = parser.parse_args(argv)
    try:
        _run(options)
    except (ValueError, OSError, ImportError) as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
