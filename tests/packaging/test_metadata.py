"""What the project says about itself: what a plain install asks for, which extras there are, which files it names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import uno_env

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def name(requirement: str) -> str:
    """The name that a requirement begins with, in pip's spelling."""
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()  # type: ignore[index]


def pinned(file: str) -> list[str]:
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return [name(line) for line in lines if line and not line.startswith("#")]


def needed(extra: str) -> set[str]:
    """The distributions that an extra names, those of extras in it included."""
    found: set[str] = set()
    for requirement in EXTRAS[extra]:
        if inner := re.match(r"uno-env\[([\w,-]+)\]$", requirement):
            found |= {name for part in inner[1].split(",") for name in needed(part)}
        else:
            found.add(name(requirement))
    return found


def test_a_plain_install_asks_for_five_libraries() -> None:
    assert {name(requirement) for requirement in PROJECT["dependencies"]} == {"gymnasium", "numba", "numpy", "pettingzoo", "pyyaml"}


def test_everything_that_goes_together_is_in_all() -> None:
    for_work = {"bench", "dev", "docs", "notebook", "test"}
    assert set(EXTRAS) == for_work | {"all", "rllib", "agilerl", *EXTRAS["all"][0].removeprefix("uno-env[").rstrip("]").split(",")}


def test_what_conflicts_is_not_in_all() -> None:
    assert not needed("all") & {"agilerl", "ray"}
    assert "agilerl" in needed("agilerl")


@pytest.mark.parametrize(
    ("file", "parts"),
    [("constraints.txt", ["all", "dev", "docs", "notebook"]), ("constraints-ray.txt", ["rllib", "agilerl", "test"])],
)
def test_everything_is_pinned(file: str, parts: list[str]) -> None:
    names = pinned(file)
    assert len(names) == len(set(names))
    assert {name(requirement) for requirement in PROJECT["dependencies"]} | set().union(*map(needed, parts)) <= set(names)


def test_one_version_everywhere() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert PROJECT["version"] == uno_env.__version__ == citation["version"]
    assert citation["license"] == PROJECT["license"] == "MIT"
