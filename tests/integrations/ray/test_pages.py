"""The code blocks of the pages whose libraries this environment holds (`tests.docs.pages.ELSEWHERE` says which)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import blocks, pages, run_page, run_shell

PAGES = pages("ray")


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")])
def test_page_runs(page: str, tmp_path: Path) -> None:
    run_page(page, tmp_path)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "sh")])
def test_commands_are_right(page: str, tmp_path: Path) -> None:
    for code in blocks(page, "sh"):
        run_shell(code, tmp_path)
