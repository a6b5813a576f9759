"""Files of transcripts: one game a line (`uno_env.Game.transcript`)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def append_transcript(path: str | Path, line: str) -> None:
    """Put a transcript at the end of a file, in one write: several processes may share the file and no line is torn.

    Raises:
        ValueError: if ``line`` is more than one line.
        OSError: if the file cannot be written.
    """
    if "\n" in line:
        raise ValueError("a transcript is one line")
    data = (line + "\n").encode()
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        written = os.write(descriptor, data)
        if written != len(data):
            raise OSError(f"{path}: only {written} of {len(data)} bytes could be written")
    finally:
        os.close(descriptor)


def read_transcripts(path: str | Path) -> Iterator[str]:
    """The transcripts in a file, in order; empty lines are left out."""
    with Path(path).open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield line.rstrip("\n")
