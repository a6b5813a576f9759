"""What the website (mkdocs.yml) makes out of files that are read elsewhere too: the README as home page, the notebook as a page,
a reference page for each public module, and the navigation's ``*``.
"""

from __future__ import annotations

import base64
import json
import os
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

#: Pages that are written elsewhere.
MOVED = {ROOT / "README.md": DOCS / "index.md", ROOT / "CHANGELOG.md": DOCS / "changelog.md"}

#: Modules of `uno_env` whose public names `uno_env` itself shows, or that are for its own use.
INNER = {"cards", "game", "jit", "notation", "observe", "replay", "rules", "single_agent", "state", "vector"}
#: Their reference pages show what they name in ``__all__``; those of modules, what they define.
PACKAGES = ("uno_env", "agents")

LINK = re.compile(r"(?<!!)\[((?:[^\]\[]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def linked(text: str, folder: Path, page: Path) -> str:
    """``text`` from a file in ``folder``, with its links as the page at ``page`` needs them. What is no page loses its link."""

    def mend(link: re.Match[str]) -> str:
        words, target = link.groups()
        name, hash_, anchor = target.partition("#")
        if not name or re.match(r"[a-z]+:", target):
            return link[0]
        goal = (folder / name).resolve()
        goal = MOVED.get(goal, goal.with_suffix(".md") if goal.suffix == ".ipynb" else goal)
        if not goal.is_relative_to(DOCS) and goal.exists():
            return words
        return f"[{words}]({os.path.relpath(goal, page.parent)}{hash_}{anchor})"  # the build refuses what leads nowhere

    return LINK.sub(mend, text)


def notebook_page(path: Path) -> tuple[str, dict[str, bytes]]:
    """A notebook as Markdown, and its pictures by name. Outputs that are only HTML are left out: they are programs of their own."""
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "image/png" in data:
                name = f"{path.stem}-{len(pictures) + 1}.png"
                pictures[name] = base64.b64decode("".join(data["image/png"]))
                parts.append(f"![What the cell above draws]({name})")
            elif shown := "".join(output.get("text", data.get("text/plain", []))):
                parts.append(f'<div class="output" markdown>\n\n```text\n{shown.rstrip()}\n```\n\n</div>')
    return "\n\n".join(parts) + "\n", pictures


def reference_pages() -> dict[str, str]:
    """A page for each package and each public module, by name."""
    modules = [*PACKAGES, *(f"uno_env.{path.stem}" for path in sorted((ROOT / "uno_env").glob("[a-z]*.py")) if path.stem not in INNER)]
    return {f"reference/{module.replace('uno_env.', '')}.md": f"# `{module}`\n\n::: {module}\n" for module in modules}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not written in ``docs/``, then fill the navigation."""
    made: dict[str, str | bytes] = {
        **{page.name: source.read_text(encoding="utf-8") for source, page in MOVED.items()},
        **reference_pages(),
    }
    for path in DOCS.glob("*.ipynb"):
        made[f"{path.stem}.md"], pictures = notebook_page(path)
        made |= pictures
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    pages = [file.src_uri for file in files.documentation_pages()]
    named = set(_leaves(config.nav))
    config.nav = _filled(config.nav, [page for page in pages if page not in named])
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Pages may link to the README, to sources and to folders, as they do where they are read as files."""
    if page.file.src_uri.startswith("reference/"):
        return markdown
    path = DOCS / page.file.src_uri
    return linked(markdown, {moved: source.parent for source, moved in MOVED.items()}.get(path, path.parent), path)


def _leaves(nav: Any) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    return [leaf for part in (nav.values() if isinstance(nav, dict) else nav) for leaf in _leaves(part)]


def _filled(nav: Any, pages: list[str]) -> Any:
    """``nav`` with ``folder/*`` replaced by the pages in that folder that it does not name, and ``*`` by those in none."""
    if isinstance(nav, dict):
        return {title: _filled(part, pages) for title, part in nav.items()}
    filled: Any = []
    for part in nav if isinstance(nav, list) else [nav]:
        if isinstance(part, str) and part.endswith("*"):
            folder = part[:-1]
            filled += [page for page in pages if page.startswith(folder) and "/" not in page[len(folder) :]]
        else:
            filled.append(_filled(part, pages) if isinstance(part, dict) else part)
    return filled if isinstance(nav, list) else filled[0] if filled == [nav] else filled
