"""The one place that imports numba and sets its options.

``NUMBA_DISABLE_JIT=1`` runs every compiled function as plain Python; ``NUMBA_BOUNDSCHECK=1`` checks every index.

Compiled code is kept on disk, in the package, where that can not be written in ``~/.cache/uno_env``, or in ``NUMBA_CACHE_DIR``
(`uno_env.code_cache`).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np
from llvmlite import ir
from numba import config as _config
from numba import types as _types
from numba.core import cgutils, event
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from uno_env.code_cache import PACKAGE, digest, folder_for

config: Any = _config  # numba sets its options dynamically
types: Any = _types
F = TypeVar("F", bound=Callable[..., Any])

CACHE_LINE = 64

#: Whether functions marked with `jit` are compiled at all.
COMPILED = not config.DISABLE_JIT


#: What compiled code depends on beside the sources: numba itself keys it to the processor.
_VERSIONS = " ".join(
    [sys.version, numba.__version__, llvmlite.__version__, np.__version__]
    + [
        f"{name}={getattr(config, name, None)}"
        for name in ("BOUNDSCHECK", "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DEBUGINFO_DEFAULT")
    ]
)
_CHOSEN = config.CACHE_DIR
_folders_of: dict[str, frozenset[Path]] = {}  # by module: the folders whose sources its compiled functions are made from


def cache_folder(function: Callable[..., Any]) -> Path | None:
    """Where the compiled ``function`` is kept, by the state of its sources and the name of its module; None: nowhere."""
    module, path = function.__module__, Path(function.__code__.co_filename)
    parts = 1 + module.count(".")
    names = [".".join(source.parts[-parts:]) for source in (path.with_suffix(""), path.parent)]
    if not path.is_file() or module not in ("__main__", *names):
        return None  # typed in, or loaded under another name than its own: no other process would find the module by it
    folders = {PACKAGE, path.parent} | _folders_of.get(module, frozenset())
    for value in function.__globals__.values():  # what it calls was imported before
        imported = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
        folders |= _folders_of.get(str(imported), frozenset())
    _folders_of[module] = frozenset(folders)
    folder = folder_for(digest(_folders_of[module], _VERSIONS), _CHOSEN)
    return None if folder is None else folder / module


def _compile(function: F, **options: Any) -> F:
    if not COMPILED:
        return function
    folder = cache_folder(function)
    config.CACHE_DIR = str(folder or "")
    try:
        compiled = numba.njit(cache=folder is not None, nogil=True, error_model="numpy", **options)(function)
    finally:
        config.CACHE_DIR = _CHOSEN
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
    return _compile(function, _nrt=True)  # said explicitly, or it would be as in the first caller


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
def _copy_at_once(typing_context, target, at, source, count):
    """As `_copy`, in a few wide moves: as a loop it would be moved byte by byte, since the compiler can't know that the arrays
    lie apart.
    """

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        to = context.make_array(target)(context, builder, args[0])
        origin = context.make_array(source)(context, builder, args[2])
        cgutils.raw_memcpy(builder, builder.gep(to.data, [args[1]]), origin.data, cgutils.intp_t(count.literal_value), 1)
        return context.get_dummy_value()

    return types.void(target, types.int64, source, count), write


copy_bytes: Any = _copy_at_once if COMPILED and not config.BOUNDSCHECK else lean(_copy)


@intrinsic(prefer_literal=True)
def _on_the_stack(typing_context, count, dtype):
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


@intrinsic(prefer_literal=True)
def _ask_for(typing_context, array, index, count):
    def request(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        held = context.make_array(array)(context, builder, args[0])
        stride = builder.extract_value(held.strides, 0)
        place = builder.gep(builder.bitcast(held.data, cgutils.voidptr_t), [builder.mul(args[1], stride)])
        kinds = [ir.IntType(32)] * 3
        fetch = builder.module.declare_intrinsic(
            "llvm.prefetch", [cgutils.voidptr_t], ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, *kinds])
        )
        how = [ir.Constant(kind, value) for kind, value in zip(kinds, (1, 3, 1), strict=True)]  # to write, to keep, data
        for line in range(0, count.literal_value, CACHE_LINE):
            builder.call(fetch, [builder.gep(place, [cgutils.intp_t(line)]), *how])
        return context.get_dummy_value()

    return types.void(array, types.int64, count), request


def _nothing(array: Any, index: int, count: int) -> None:
    pass


#: ``fetch_early(array, index, count)``: the first ``count`` bytes (a constant) of ``array[index]`` will be needed soon.
fetch_early: Any = _ask_for if COMPILED else _nothing
#: ``scratch(count, dtype)``: `numpy.empty` on the stack of the function that calls it, for a constant count; never return it.
scratch: Any = _on_the_stack if COMPILED else np.empty


class _Notice(event.Listener):
    """Says once, on stderr, that functions are being compiled, when that takes more than a second."""

    def __init__(self) -> None:
        self.compiled = 0
        self.depth = 0
        self.timer: threading.Timer | None = None

    def on_start(self, event: Any) -> None:
        self.compiled += 1
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


_notice = _Notice()
if COMPILED:
    event.register("numba:compile", _notice)


def compilations() -> int:
    """How many functions this process has compiled so far, numba's own included; those found on disk do not count."""
    return _notice.compiled


def cache_place() -> Path | None:
    """Where the compiled functions of this package are kept; None: nowhere."""
    return folder_for(digest(frozenset({PACKAGE}), _VERSIONS), _CHOSEN)
