"""This environment holds RLlib and AgileRL with the releases that they ask for, and nothing in it contradicts anything else."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import subprocess
import sys

import pytest

VERSIONS = {"gymnasium": "1.2.2", "pettingzoo": "1.26.1"}
LIBRARIES = ["agilerl", "gymnasium", "pettingzoo", "ray.rllib"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_library_is_installed(library: str) -> None:
    assert importlib.util.find_spec(library) is not None


@pytest.mark.parametrize("name", VERSIONS)
def test_versions_are_those_meant(name: str) -> None:
    assert importlib.metadata.version(name) == VERSIONS[name]


def test_requirements_agree() -> None:
    done = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
