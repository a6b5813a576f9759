"""The code blocks of the README and of the pages in `docs/`, and how each is run, in the environment that holds its library."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
PAGES = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))}

ENVIRONMENTS = ("light", "latest", "ray")
"""`make test` runs in the first; `make test-integrations` builds the others."""
ELSEWHERE = {
    "docs/integrations/agilerl.md": "ray",
    "docs/integrations/ray.md": "ray",
    "docs/integrations/rllib.md": "ray",
    "docs/rlcard.md": "latest",
}
"""Pages that run somewhere else than `environment_of` would say by their folder."""

RUN = ("python", "sh")
READ = {"json": json.loads, "yaml": yaml.safe_load, "text": str, "markdown": str, "bibtex": str}
"""What is shown and not run has to be readable at least."""

BLOCK = re.compile(r"^(?P<fence>```+)(?P<language>\S*)[^\n]*\n(?P<code>.*?)^(?P=fence)\s*$", re.MULTILINE | re.DOTALL)


def environment_of(page: str) -> str:
    """Where the blocks of a page run: the light environment, that of the integrations for pages in their folder."""
    return ELSEWHERE.get(page, "latest" if page.startswith("docs/integrations/") else "light")


def pages(environment: str) -> list[str]:
    """The pages whose blocks run in ``environment``."""
    return [page for page in PAGES if environment_of(page) == environment]


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of one language on a page."""
    found = BLOCK.finditer(PAGES[page].read_text(encoding="utf-8"))
    return [block["code"] for block in found if block["language"] == language]


def extras() -> set[str]:
    """What ``pip install "uno-env[...]"`` can name."""
    return set(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"])


def run_page(page: str, folder: Path) -> None:
    """Run the Python blocks of a page one after another in one process, as a reader does who pastes them into a file."""
    script = folder / "page.py"
    script.write_text("\n".join(blocks(page, "python")), encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))}
    done = subprocess.run([sys.executable, script], cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{page}\n{done.stdout[-3000:]}\n{done.stderr[-6000:]}"


def run_shell(code: str, folder: Path) -> None:
    """Run the commands that are quick by their looks (a smoke config, a run named ``a``); check the options of the others."""
    for line in code.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words[:2] == ["python", "-m"]:
            command = [sys.executable, *(word.replace("runs/", f"{folder}/") for word in words[1:])]
            if any("smoke" in word or word.endswith("/a") for word in command):
                subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=300)
            else:
                check_options(line, command[:3])
            continue
        assert words[:1] in ([], ["make"], ["pip"], ["git"], ["cd"]), f"no check for {line!r}"
        if words[:1] == ["make"]:
            targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
            assert words[1] in targets, f"{line!r}: there is no such target"
        if words[:1] == ["pip"]:
            for named in re.findall(r"\[([\w,-]+)\]", " ".join(word for word in words if word.startswith((".[", "uno-env[")))):
                assert set(named.split(",")) <= extras(), f"{line!r}: extras are {', '.join(sorted(extras()))}"


def check_options(line: str, command: list[str]) -> None:
    """Whether the options that ``line`` gives are options of that command."""
    asked = subprocess.run([*command, "--help"], cwd=ROOT, check=True, capture_output=True, text=True, timeout=120)
    for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", line.split(" #")[0]):
        assert option in asked.stdout, f"{option} of {line!r} is no option"
