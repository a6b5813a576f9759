"""Where compiled code is kept on disk: a folder for each state of the sources it was made from.

numba keeps compiled functions in files of its own, but notices changes only in the file of a function, not in those of what it
calls, nor in the libraries it was compiled by. So the folder is named after a digest of all of these.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent
KEPT, DAYS = 16, 1
"""Of the folders of one place, as many stay as were used last, and all that were used within so many days."""


@cache
def digest(folders: frozenset[Path], versions: str) -> str:
    """A name for the Python files in ``folders`` and the ``versions`` of what compiles them."""
    told = hashlib.sha256(versions.encode())
    for folder in sorted(folders):
        files = folder.rglob("*.py") if folder == PACKAGE else folder.glob("*.py")
        for path in sorted(files):
            told.update(path.name.encode() + b"\0" + path.read_bytes())
    return told.hexdigest()[:16]


def places(chosen: str) -> list[Path]:
    """Where to keep code, best first: in the folder that the user has ``chosen``; else in the package, else in the user's cache."""
    if chosen:
        return [Path(chosen)]
    user_cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return [PACKAGE / "__pycache__", Path(user_cache) / "uno_env"]


@cache
def folder_for(name: str, chosen: str) -> Path | None:
    """The folder ``numba-NAME`` in the first of the `places` that can be written to, or None, which is told on stderr.

    Code that is found in a place that cannot be written to is copied (numba wants to write where it reads).
    """
    found: Path | None = None
    for place in places(chosen):
        folder = place / f"numba-{name}"
        if _writable(folder):
            if found is not None:
                _fill(folder, found)
            os.utime(folder)
            _forget_old(place)
            return folder
        if folder.is_dir():
            found = folder
    tried = ", ".join(map(str, places(chosen)))
    print(f"uno_env: no folder to keep compiled code in ({tried}): set NUMBA_CACHE_DIR to one that can be written", file=sys.stderr)
    return None


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _fill(folder: Path, found: Path) -> None:
    """Copy what was ``found`` into a new folder."""
    if not any(folder.iterdir()):
        shutil.copytree(found, folder, dirs_exist_ok=True)


def _forget_old(place: Path) -> None:
    """Delete the folders of former states of the sources that nobody has used for long."""
    used: list[tuple[float, Path]] = []
    for folder in place.glob("numba-*"):
        try:
            used.append((folder.stat().st_mtime, folder))
        except OSError:  # another process was quicker
            continue
    for when, folder in sorted(used, reverse=True)[KEPT:]:
        if when < time.time() - DAYS * 86400:
            shutil.rmtree(folder, ignore_errors=True)
