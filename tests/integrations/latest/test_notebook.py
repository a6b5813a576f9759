"""The tutorial runs top to bottom and still shows what is stored in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_notebook_runs_and_shows_what_it_did() -> None:
    done = subprocess.run([sys.executable, "docs/notebook.py", "--check"], cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-6000:]
