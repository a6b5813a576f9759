"""What is given away: sdist and wheel are built, and the core tests run on the wheel in a fresh environment and an empty folder."""

from __future__ import annotations

import email
import email.message
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
INSTALLED = {
    # what a plain install asks for, and what that asks for
    *("uno-env", "numpy", "numba", "gymnasium", "pettingzoo", "pyyaml"),
    *("llvmlite", "cloudpickle", "farama-notifications", "typing-extensions"),
    *("pip", "setuptools"),  # what a new environment brings
}


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """The output of a command that has to succeed, away from this checkout."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PYTEST", "COV"))}
    done = subprocess.run(
        command, cwd=cwd, env=clean | environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=1200
    )
    assert done.returncode == 0, done.stdout[-6000:]
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with sdist and wheel; the wheel is built from the sdist."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", out, ROOT, cwd=out)
    return out


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a fresh environment that holds the wheel and what it asks for."""
    folder = tmp_path_factory.mktemp("fresh")
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    found = folder / "venv" / "bin" / "python"
    run(found, "-m", "pip", "install", "-qq", "-c", ROOT / "constraints.txt", wheel, cwd=folder)
    return found


def names_of(python: Path) -> set[str]:
    listed = run(python, "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check", cwd=python.parent)
    return {re.sub(r"[-_.]+", "-", line).lower() for line in re.findall(r"^([\w.-]+)==", listed, re.M)}


def test_wheel_holds_the_package_alone(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.split("/")[0] for name in names}
    assert top == {"uno_env", f"{wheel.name.split('-py3')[0]}.dist-info"}
    tracked = subprocess.run(["git", "ls-files", "uno_env"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert {name for name in names if name.startswith("uno_env/")} == set(tracked)
    assert "uno_env/py.typed" in names
    assert any(name.startswith("uno_env/render/page/") for name in names)  # the replay's page


def test_metadata_is_in_order(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = email.message_from_string(archive.read(name).decode())
    assert metadata["Name"] == "uno-env"
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert str(metadata.get_payload()).lstrip().startswith("# uno-env")
    plain = [requirement for requirement in metadata.get_all("Requires-Dist", []) if "extra ==" not in requirement]
    assert {re.match(r"[\w-]+", requirement)[0].lower() for requirement in plain} == {  # type: ignore[index]
        *("gymnasium", "numba", "numpy", "pettingzoo", "pyyaml")
    }


def test_sdist_holds_what_belongs_to_it(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "CITATION.cff", "CHANGELOG.md", "README.md", "Makefile", "constraints.txt", "pyproject.toml"} <= names
    assert {"uno_env/py.typed", "tests/core/test_game.py", "docs/rules.md", "train/ppo.py", "agents/__init__.py"} <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith((".v", "runs", "site/"))]


def test_a_plain_install_brings_nothing_else(python: Path) -> None:
    assert names_of(python) - {"setuptools"} == INSTALLED - {"setuptools"}


def test_core_tests_pass_on_the_installed_wheel(python: Path, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    shutil.copytree(ROOT / "tests" / "core", folder / "tests" / "core", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "tests" / "reference", folder / "tests" / "reference", ignore=shutil.ignore_patterns("__pycache__"))
    for helper in (ROOT / "tests").glob("*.py"):
        shutil.copy(helper, folder / "tests")
    run(python, "-m", "pip", "install", "-qq", "-c", ROOT / "constraints.txt", "pytest", "hypothesis", "pytest-xdist", cwd=folder)
    where = run(python, "-c", "import uno_env; print(uno_env.__file__)", cwd=folder)
    assert Path(where.strip()).is_relative_to(python.parents[1])
    options = (
        "-q",
        "--import-mode=importlib",
        "-n",
        "2",
        "-m",
        "not slow",
        "-W",
        "error",
        "-c",
        os.devnull,
        "--rootdir",
        str(folder),
    )
    told = run(
        python, "-m", "pytest", *options, "-W", "ignore::pytest.PytestUnknownMarkWarning", "tests/core", cwd=folder, PYTHONPATH="."
    )
    passed = re.search(r"(\d+) passed", told)
    assert passed is not None
    assert int(passed[1]) > 500, told[-3000:]
