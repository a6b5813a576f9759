"""The engine compiled, as plain Python, and with checked indices does the same, byte for byte."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.digest_games import digest
from uno_env.jit import COMPILED

GAMES = 60
REPOSITORY = Path(__file__).parents[2]


@pytest.mark.skipif(not COMPILED, reason="the other side of the comparison is this one")
def test_compiled_and_plain_python_agree() -> None:
    """Every preset and random rules: records, masks, observations and redrawn games."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "tests.core.digest_games", "0", str(GAMES)]
    plain = subprocess.run(command, cwd=REPOSITORY, env=environment, check=True, capture_output=True, text=True)
    assert plain.stderr == ""  # no warning of an overflow, among others
    assert plain.stdout.split() == [digest(number) for number in range(GAMES)]


def test_digests_differ() -> None:
    assert len({digest(number) for number in range(20)}) == 20
