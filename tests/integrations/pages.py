"""Running a page of `docs/integrations/` for a test that looks at what it defines."""

from __future__ import annotations

from typing import Any

from tests.docs.pages import blocks


def run_blocks(name: str) -> dict[str, Any]:
    """Run the Python blocks of ``NAME.md``, one after another as one program; what it has defined."""
    names: dict[str, Any] = {"__name__": "block"}
    for code in blocks(f"docs/integrations/{name}.md", "python"):
        exec(compile(code, f"{name}.md", "exec"), names)
    return names
