"""The one place that imports numba and sets its options.

``NUMBA_DISABLE_JIT=1`` runs every compiled function as plain Python; ``NUMBA_BOUNDSCHECK=1`` checks every index.

Compiled code is cached on disk in a folder named after a digest of this package's sources, since numba itself notices changes only
in the file of a function, not in the files of what it calls. ``NUMBA_CACHE_DIR`` overrides the folder; where the package can not be
written to, a folder in the user's cache is taken.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import config as _config

config: Any = _config  # numba sets its options dynamically
F = TypeVar("F", bound=Callable[..., Any])

#: Whether functions marked with `jit` are compiled at all.
COMPILED = not config.DISABLE_JIT


def _cache_folder() -> str:
    package = Path(__file__).parent
    digest = hashlib.sha256(f"{numba.__version__} {bool(config.BOUNDSCHECK)}".encode())
    for path in sorted(package.rglob("*.py")):
        digest.update(path.read_bytes())
    name = f"numba-{digest.hexdigest()[:16]}"
    beside = package / "__pycache__"
    if os.access(beside if beside.is_dir() else package, os.W_OK):
        return str(beside / name)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return str(Path(cache) / "uno_env" / name)


CACHE_FOLDER = config.CACHE_DIR or _cache_folder()
"""Where compiled code is kept."""


def _compile(function: F, **options: Any) -> F:
    before, config.CACHE_DIR = config.CACHE_DIR, CACHE_FOLDER
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
