"""Turn one game of a file of transcripts into one HTML file: ``python -m uno_env.replay games.jsonl --game 3``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from uno_env.render.replay import replay_html
from uno_env.render.table import ALL
from uno_env.transcripts import read_transcripts


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m uno_env.replay", description=__doc__)
    parser.add_argument("file", type=Path, help="JSON lines, one transcript each (Game.transcript, save_games, --save-games)")
    parser.add_argument("--game", type=int, default=1, help="which game of the file, from 1; -1 is the last one (default 1)")
    parser.add_argument("--out", type=Path, help="the HTML file (default: the name of FILE with .html)")
    parser.add_argument("--viewpoint", default=ALL, help="all, or a seat or player whose eyes to see through; the rest is left out")
    parser.add_argument("--title", help="title of the page")
    return parser


def pick(path: Path, number: int) -> str:
    """Transcript ``number`` of a file, from 1, or from the end if negative; ``ValueError`` if there is none."""
    if number > 0:
        found = next(islice(read_transcripts(path), number - 1, None), None)
    else:
        lines = list(read_transcripts(path)) if number else []
        found = lines[number] if number and -number <= len(lines) else None
    if found is None:
        count = sum(1 for _ in read_transcripts(path))
        raise ValueError(f"--game {number}: {path} holds {count} game{'' if count == 1 else 's'}, counted from 1")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    options = _parser().parse_args(arguments)
    viewpoint = int(options.viewpoint) if options.viewpoint.isdecimal() else options.viewpoint
    out = options.out or options.file.with_suffix(".html")
    try:
        if out.resolve() == options.file.resolve():
            raise ValueError(f"--out {out} is the file of transcripts itself")
        html = replay_html(pick(options.file, options.game), viewpoint, title=options.title)
        out.write_text(html, encoding="utf-8")
    except (ValueError, OSError) as error:
        sys.exit(f"error: {error}")
    print(f"written: {out} ({len(html.encode()) // 1000} KB)")


if __name__ == "__main__":
    main()
