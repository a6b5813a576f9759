"""Every code block of the README and of the pages in `docs/` runs as it stands."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(language: str, pages: Sequence[Path] = PAGES) -> list[pytest.ParameterSet]:
    """The code blocks of one language, each with its page and number as id."""
    found = []
    for page in pages:
        matches = [code for name, code in BLOCK.findall(page.read_text(encoding="utf-8")) if name == language]
        found += [pytest.param(code, id=f"{page.name}-{number}") for number, code in enumerate(matches)]
    return found


@pytest.mark.compiled_only
@pytest.mark.parametrize("code", blocks("python"))
def test_python_block_runs(code: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "block", "exec"), {"__name__": "block"})


def test_there_are_five_snippets() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.split("## Five snippets")[1].split("\n## ")[0]
    assert len(BLOCK.findall(section)) == 5


@pytest.mark.compiled_only
@pytest.mark.parametrize("code", blocks("sh"))
def test_shell_block_runs(code: str, tmp_path: Path) -> None:
    """The commands that train and evaluate; `make` is what runs this suite, and long ones are checked for their options."""
    for line in code.splitlines():
        words = shlex.split(line, comments=True)
        if words[:2] != ["python", "-m"]:
            assert words[:1] in ([], ["make"], ["pip"], ["git"], ["cd"]), f"no check for {line!r}"
            if words[:1] == ["make"]:
                targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
                assert words[1] in targets
            continue
        words = [sys.executable, *(word.replace("runs/", f"{tmp_path}/") for word in words[1:])]
        if any("smoke" in word or word.endswith("/a") for word in words):
            subprocess.run(words, cwd=ROOT, check=True, capture_output=True, timeout=300)
        else:
            help_ = subprocess.run([*words[:3], "--help"], cwd=ROOT, check=True, capture_output=True, text=True, timeout=120).stdout
            for option in re.findall(r"--[a-z-]+", line):
                assert option in help_, f"{option} of {line!r} is no option"
