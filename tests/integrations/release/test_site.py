"""`make docs` builds the website without a warning and without the network, and every link inside it leads somewhere."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[3]
MKDOCS = ROOT / ".venvs" / "docs" / "bin" / "mkdocs"


class Page(HTMLParser):
    """The links and anchors of a page, and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors = {"__top"}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {value for key in ("id", "name") if (value := given.get(key))}
        if (src := given.get("src")) is not None:
            self.loads.append(src)
        if (href := given.get("href")) is not None:
            (self.links if tag == "a" else self.loads).append(href)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The website. The proxy leads nowhere, so that whatever asks the network fails."""
    out = tmp_path_factory.mktemp("site")
    nowhere = "http://127.0.0.1:9"
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "http_proxy": nowhere, "https_proxy": nowhere, "no_proxy": ""}
    command = [MKDOCS, "build", "--strict", "--site-dir", out]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return out


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html")}


def test_make_docs_builds_into_site() -> None:
    # Whoever runs this has the environments; make must not look at them again.
    command = ["make", "-o", ".venvs/docs/installed", "docs"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert (ROOT / "site" / "index.html").exists()


def test_no_link_is_dead(site: Path, pages: dict[Path, Page]) -> None:
    dead = []
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:", link) or path.name == "404.html":  # that page's links are from the root
                continue
            name, _, anchor = unquote(link).partition("#")
            goal = (path.parent / name).resolve() if name else path
            if goal.is_dir():  # as a web server does
                goal /= "index.html"
            if not goal.is_file() or (anchor and goal.suffix == ".html" and anchor not in pages[goal].anchors):
                dead.append(f"{path.relative_to(site)}: {link}")
    assert dead == []


def test_pages_load_nothing_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        for target in page.loads:
            assert not re.match(r"([a-z]+:)?//", target), f"{path}: {target}"
            if path.name != "404.html" and not target.startswith("data:"):
                assert (path.parent / unquote(target.partition("#")[0].partition("?")[0])).resolve().exists(), f"{path}: {target}"


def test_every_page_of_the_docs_is_on_the_site(site: Path) -> None:
    for path in [*(ROOT / "docs").rglob("*.md"), ROOT / "docs" / "tutorial.md"]:
        assert (site / path.relative_to(ROOT / "docs").with_suffix(".html")).exists(), path


@pytest.mark.parametrize("package", ["uno_env", "agents"])
def test_reference_has_every_public_name(site: Path, pages: dict[Path, Page], package: str) -> None:
    anchors = set().union(*(page.anchors for path, page in pages.items() if path.parent == site / "reference"))
    public = vars(importlib.import_module(package))
    names = importlib.import_module(package).__all__
    modules = {name for name in names if isinstance(public[name], ModuleType)}  # they have pages of their own
    assert {f"{package}.{name}" for name in names if name not in modules} - anchors == set()
    assert all((site / "reference" / f"{name}.html").exists() for name in modules)


def test_the_notebook_is_a_page_with_what_it_shows(site: Path) -> None:
    page = (site / "tutorial.html").read_text(encoding="utf-8")
    assert "decisions; observation (950,) int8" in page
    assert (site / "tutorial-1.png").read_bytes().startswith(b"\x89PNG")
    assert sys.executable not in page
