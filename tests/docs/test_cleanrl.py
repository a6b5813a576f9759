"""The CleanRL-style file keeps its promise: one page that needs nothing but torch, NumPy and uno_env."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

FILE = Path(__file__).resolve().parents[2] / "docs" / "integrations" / "cleanrl_ppo.py"


def test_it_is_one_page() -> None:
    assert len(FILE.read_text(encoding="utf-8").splitlines()) < 200


def test_it_imports_torch_numpy_and_uno_env_alone() -> None:
    imported = set()
    for node in ast.walk(ast.parse(FILE.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add((node.module or "").split(".")[0])
    assert imported - sys.stdlib_module_names == {"torch", "numpy", "uno_env"}
