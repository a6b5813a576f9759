"""The code blocks of the pages in `docs/integrations/`, for the tests that run them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGES = Path(__file__).parents[2] / "docs" / "integrations"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def run_blocks(name: str) -> dict[str, Any]:
    """Run the Python blocks of ``NAME.md``, one after another as one program; what it has defined."""
    names: dict[str, Any] = {"__name__": "block"}
    blocks = BLOCK.findall((PAGES / f"{name}.md").read_text(encoding="utf-8"))
    assert blocks, f"no code in {name}.md"
    for code in blocks:
        exec(compile(code, f"{name}.md", "exec"), names)
    return names
