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
from llvmlite import ir
from numba import config as _config
from numba import types
from numba.core import cgutils, event
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

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
        compiled = numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
    finally:
        config.CACHE_DIR = before
    if COMPILED:
        _share_signatures(compiled)
    return cast(F, compiled)


def _share_signatures(dispatcher: Any) -> None:
    """Compiled callers pass integers as int64, so that a function is compiled once, not for each constant and width it is given."""
    by_types = dispatcher.get_call_template

    def by_wide_types(args: Any, kws: Any) -> Any:
        return by_types([_wide(arg) for arg in args], {name: _wide(arg) for name, arg in kws.items()})

    dispatcher.get_call_template = by_wide_types


def _wide(given: Any) -> Any:
    given = types.unliteral(given)
    return types.int64 if isinstance(given, types.Integer) and given.signed else given


def jit(function: F) -> F:
    """Compile ``function`` on its first call: cached on disk, without the interpreter lock, with C's division."""
    return _compile(function)


def lean(function: F) -> F:
    """As `jit`, for functions that make no arrays (but with `scratch`): nothing counts references to those they are given."""
    return _compile(function, _nrt=False)


def inline(function: F) -> F:
    """As `lean`, for small helpers that are worth copying into their callers."""
    return _compile(function, _nrt=False, forceinline=True)


def wrapping(function: F) -> F:
    """As `inline`, for unsigned arithmetic that wraps around on purpose, of which plain NumPy would warn."""
    return inline(function) if COMPILED else np.errstate(over="ignore")(function)


def _copy(target, at, source, count):
    """``target[at : at + count] = source[:count]`` for bytes (int8) of two arrays; ``count`` is a constant."""
    for i in range(count):
        target[at + i] = source[i]


@intrinsic(prefer_literal=True)
def _copy_at_once(typing_context, target, at, source, count):  # type: ignore[no-untyped-def]
    """As `_copy`, in a few wide moves: as a loop it would be moved byte by byte, since the compiler can't know that the arrays
    lie apart.
    """

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        to = context.make_array(target)(context, builder, args[0])
        origin = context.make_array(source)(context, builder, args[2])
        cgutils.raw_memcpy(builder, builder.gep(to.data, [args[1]]), origin.data, cgutils.intp_t(count.literal_value), 1)
        return context.get_dummy_value()

    return types.void(target, types.int64, source, count), write


copy_bytes = _copy_at_once if COMPILED and not config.BOUNDSCHECK else lean(_copy)


@intrinsic(prefer_literal=True)
def _on_the_stack(typing_context, count, dtype):  # type: ignore[no-untyped-def]
    made = types.Array(dtype.dtype, 1, "C")

    def allocate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        element = context.get_data_type(made.dtype)
        memory = cgutils.alloca_once(builder, ir.ArrayType(element, count.literal_value))
        size = context.get_abi_sizeof(element)
        array = context.make_array(made)(context, builder)
        populate_array(
            array,
            data=builder.bitcast(memory, element.as_pointer()),
            shape=[cgutils.intp_t(count.literal_value)],
            strides=[cgutils.intp_t(size)],
            itemsize=size,
            meminfo=None,
        )
        return array._getvalue()

    return made(count, dtype), allocate


#: ``scratch(count, dtype)``: `numpy.empty` on the stack of the function that calls it, for a constant count; never return it.
scratch = _on_the_stack if COMPILED else np.empty


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
