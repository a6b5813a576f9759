"""Run docs/tutorial.ipynb top to bottom and store what it shows: ``python docs/notebook.py``; ``--check`` only says what differs.

The notebook is stored with its outputs, so that a reader of the page sees them without running anything. So that they stay true,
``--check`` runs it afresh and compares every text that it prints; cells tagged ``varies`` (times, training) only have to run.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).with_name("tutorial.ipynb")


def run(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """A copy of ``notebook`` with fresh outputs; an error in a cell is raised. It runs in an empty folder."""
    fresh = nbformat.from_dict(notebook)
    # Which kernel ran it, when, and on which machine are nobody's business.
    fresh.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(fresh, timeout=600, record_timing=False, resources={"metadata": {"path": folder}}).execute()
    for number, cell in enumerate(fresh.cells):
        cell.id = f"cell-{number}"
        if "outputs" in cell:  # progress and notices are for whoever runs it
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
        cell.metadata = {key: value for key, value in cell.metadata.items() if key == "tags"}
    fresh.metadata.pop("language_info", None)
    return fresh


def text(cell: nbformat.NotebookNode) -> str:
    """What a cell prints and returns, as text."""
    return "".join(
        output["text"] if output.output_type == "stream" else output["data"].get("text/plain", "")
        for output in cell.get("outputs", [])
    )


def main(arguments: list[str]) -> int:
    """Return 1 if ``--check`` finds a difference, 2 for unknown arguments."""
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    stored = nbformat.read(NOTEBOOK, as_version=4)
    fresh = run(stored)
    if not arguments:
        nbformat.write(fresh, NOTEBOOK)
        return 0
    differ = [
        f"In:\n{old.source}\nstored:\n{text(old)}\nnow:\n{text(new)}\n"
        for old, new in zip(stored.cells, fresh.cells, strict=True)
        if "varies" not in old.metadata.get("tags", []) and text(old) != text(new)
    ]
    if differ:
        print(*differ, "The notebook shows something else now: `make tutorial`", sep="\n", file=sys.stderr)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
