"""What all pictures share: colours, style, panels, legends, and files that are the same each time."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's palette, told apart by all kinds of colour vision; without its yellow, which white paper swallows."""
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))
MARKERS = "osD^vPX"
FORMATS = ("png", "svg")

STYLE: dict[Any, Any] = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.fontsize": 9,
    "text.parse_math": False,  # names are text, whatever they hold
    "svg.hashsalt": "uno-env",  # the same picture is the same file
}


def look(number: int) -> dict[str, Any]:
    """Colour and dashes of the ``number``-th line."""
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": DASHES[(number // len(COLOURS) + number) % len(DASHES)]}


def render(figure: Figure, formats: Sequence[str] = FORMATS) -> dict[str, bytes]:
    """A picture as the bytes of a file in each of the ``formats``, the same each time."""
    files = {}
    with matplotlib.rc_context(STYLE):
        for kind in formats:
            buffer = io.BytesIO()
            figure.savefig(buffer, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else None)
            files[kind] = buffer.getvalue()
    return files


def write_files(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write files into a folder (made where it is missing), each whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        partial = folder / f"{name}.tmp"
        partial.write_bytes(data)
        partial.replace(folder / name)
    return [folder / name for name in files]


def panels(count: int, *, across: int = 3, width: float = 3.6, height: float = 2.9) -> tuple[Figure, list[Any]]:
    """A figure with ``count`` axes in rows of ``across``, each so many inches wide and high."""
    columns = min(across, count)
    rows = -(-count // columns)
    figure = Figure(figsize=(max(width * columns, 5.2), height * rows + 0.9), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for unused in axes[count:]:
        unused.remove()
    return figure, axes[:count]


def legend(figure: Figure, names: Sequence[str]) -> None:
    """One legend for all panels, in the order of ``names``."""
    drawn: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            drawn.setdefault(label, handle)
    found = {name: drawn[name] for name in names if name in drawn}
    if found:
        longest = max(map(len, found))
        columns = max(1, min(len(found), int(figure.get_figwidth() * 11 / (longest + 8))))
        figure.legend(list(found.values()), list(found), loc="outside lower center", ncols=columns, frameon=False, handlelength=3)
