"""The one place that imports numba and sets its options.

``NUMBA_DISABLE_JIT=1`` runs every compiled function as plain Python; ``NUMBA_BOUNDSCHECK=1`` checks every index.

Compiled code is cached on disk in a folder named after a digest of the sources, since numba itself notices changes only in the file
of a function, not in the files of what it calls. ``NUMBA_CACHE_DIR`` overrides the folder; where the package can not be written to,
a folder in the user's cache is taken.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import config as _config
from numba.core import event

config: Any = _config  # numba sets its options dynamically
F = TypeVar("F", bound=Callable[..., Any])
PACKAGE = Path(__file__).parent

#: Whether functions marked with `jit` are compiled at all.
COMPILED = not config.DISABLE_JIT


@cache
def cache_folder(folder: Path = PACKAGE) -> str:
    """Where compiled functions of the sources in ``folder`` are kept: another place for each state of them and of this package."""
    if config.CACHE_DIR:
        return config.CACHE_DIR
    digest = hashlib.sha256(f"{numba.__version__} {bool(config.BOUNDSCHECK)}".encode())
    for path in sorted({*PACKAGE.rglob("*.py"), *folder.glob("*.py")}):
        digest.update(path.read_bytes())
    name = f"numba-{digest.hexdigest()[:16]}"
    beside = PACKAGE / "__pycache__"
    if os.access(beside if beside.is_dir() else PACKAGE, os.W_OK):
        return str(beside / name)
    user_cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return str(Path(user_cache) / "uno_env" / name)


def _compile(function: F, **options: Any) -> F:
    folder = cache_folder(Path(function.__code__.co_filename).parent)
    before, config.CACHE_DIR = config.CACHE_DIR, folder
    try:
        return cast(F, numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function))
    finally:
        config.CACHE_DIR = before


def jit(function: F) -> F:
    """Compile ``function`` on its first call: cached on disk, without the interpreter lock, with C's division."""
    return _compile(function)


def inline(function: F) -> F:
    """As `jit`, for small helpers that are worth copying into their callers."""
    return _compile(function, forceinline=True)


def wrapping(function: F) -> F:
    """As `inline`, for unsigned arithmetic that wraps around on purpose, of which plain NumPy would warn."""
    return inline(function) if COMPILED else np.errstate(over="ignore")(function)


class _Notice(event.Listener):
    """Says once, on stderr, that functions are being compiled, when that takes more than a second."""

    def __init__(self) -> None:
        self.depth = 0
        self.timer: threading.Timer | None = None

    def on_start(self, event: Any) -> None:
        self.depth += 1
        if self.depth == 1 and self.timer is None:
            self.timer = threading.Timer(1.0, self.say)
            self.timer.daemon = True
            self.timer.start()

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0 and self.timer is not None and self.timer.is_alive():
            self.timer.cancel()
            self.timer = None

    def say(self) -> None:
        print("uno_env: compiling the engine for this machine (once; later processes load it from disk)", file=sys.stderr)


if COMPILED:
    event.register("numba:compile", _Notice())
