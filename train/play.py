"""Play against agents, in the browser or in the terminal.

    python -m train.play --vs strategist --players 4               a page on http://127.0.0.1:8000
    python -m train.play --rules party --seats 2 --host 0.0.0.0     two people, a browser each, on the local network
    python -m train.play --terminal --practice

Everyone at the table gets an address with a token of its own: who has it plays the seat. Over the network the traffic is not
encrypted, so let only people in whom you would let see your cards.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from agents import Agent, load
from train.playing.table import Table, at_rules, human_seats, seat_players, warm_up
from uno_env.rules import PRESETS, Rules

DEFAULT_OPPONENT = "strategist"
ADVISERS = ("champion", DEFAULT_OPPONENT)
"""Who gives hints, the first that can."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    result = argparse.ArgumentParser(
        prog="python -m train.play", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    result.add_argument(
        "--vs",
        nargs="+",
        default=[DEFAULT_OPPONENT],
        metavar="AGENT",
        help="one agent for all other seats, or one for each: a name, a checkpoint, a run folder, module:Class (strategist)",
    )
    result.add_argument("--rules", default="official", help=f"a preset ({', '.join(PRESETS)}) or a YAML file (%(default)s)")
    result.add_argument("--players", type=int, help="seats at the table (as the rules say)")
    result.add_argument("--seats", type=int, default=1, help="people at the table (%(default)s)")
    result.add_argument("--seed", type=int, help="of the first deal; whoever knows it could work out all cards")
    result.add_argument("--practice", action="store_true", help="decisions can be taken back (one person only)")
    result.add_argument("--hint", metavar="AGENT", help="who gives hints (the champion, else the strategist); none for no hints")
    result.add_argument("--terminal", action="store_true", help="play here instead of in a browser")
    result.add_argument("--host", default="127.0.0.1", help="where to listen; 0.0.0.0 for the local network (%(default)s)")
    result.add_argument("--port", type=int, default=8000, help="0 for any free one (%(default)s)")
    result.add_argument("--delay", type=float, default=0.9, help="seconds an agent's move takes in the browser (%(default)s)")
    return result


def find_adviser(wanted: str | None, rules: Rules) -> tuple[str, Agent] | None:
    """The agent that gives hints, with its name: the one that is wanted, or the first of `ADVISERS` that plays at this table.

    Raises:
        ValueError: for a wanted one that does not exist, or plays at another size of table.
    """
    if wanted == "none":
        return None
    for name in (wanted,) if wanted else ADVISERS:
        try:
            agent = at_rules(name, load(name), rules)
        except (ValueError, ImportError):
            if wanted:
                raise
            continue
        return name, agent
    return None


def main(argv: Sequence[str] | None = None) -> int:
    """Set the table up and play."""
    arguments = parser().parse_args(argv)
    try:
        rules = Rules.of(arguments.rules, arguments.players)
        people = human_seats(arguments.seats, rules.num_players)
        others = [(spec, load(spec)) for spec in arguments.vs] if len(people) < rules.num_players else []
        table = Table(rules, seat_players(rules, people, others), seed=arguments.seed, practice=arguments.practice)
        adviser = find_adviser(arguments.hint, rules)
        if arguments.delay < 0:
            raise ValueError(f"delay={arguments.delay}: expected 0 or more seconds")
        if arguments.terminal and len(people) != 1:
            raise ValueError("--terminal is for one person")
    except (ValueError, ImportError) as error:
        print(f"play: {error}", file=sys.stderr)
        return 2
    warm_up(table)
    if arguments.terminal:
        from rich.console import Console

        from train.playing.terminal import Session, ask_lines

        Session(table, Console(highlight=False), ask_lines(), adviser=adviser).run()
        return 0
    try:
        from train.playing.server import Room, serve
    except ImportError as error:
        print(f"play: {error}; the page needs the extra 'play': pip install -e '.[play]'", file=sys.stderr)
        return 2
    serve(Room(table, adviser=adviser, delay=arguments.delay), arguments.host, arguments.port)
    return 0


if __name__ == "__main__":
    sys.exit(main())
