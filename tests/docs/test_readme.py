"""Every code block of the README and of the pages in `docs/` runs as it stands; those of other libraries in tests/integrations."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import BLOCK, ELSEWHERE, ENVIRONMENTS, PAGES, READ, ROOT, RUN, blocks, environment_of, pages, run_shell

LIGHT = pages("light")


def of(language: str) -> list[pytest.ParameterSet]:
    """The code blocks of the light pages in one language, each with its page and number as id."""
    return [pytest.param(code, id=f"{page}-{number}") for page in LIGHT for number, code in enumerate(blocks(page, language))]


@pytest.mark.compiled_only
@pytest.mark.parametrize("code", of("python"))
def test_python_block_runs(code: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "block", "exec"), {"__name__": "block"})


@pytest.mark.compiled_only
@pytest.mark.parametrize("code", of("sh"))
def test_shell_block_runs(code: str, tmp_path: Path) -> None:
    run_shell(code, tmp_path)


def test_there_are_five_snippets() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.split("## Five snippets")[1].split("\n## ")[0]
    assert len(list(BLOCK.finditer(section))) == 5


@pytest.mark.parametrize("page", PAGES)
def test_no_block_is_left_out(page: str) -> None:
    assert environment_of(page) in ENVIRONMENTS
    text = PAGES[page].read_text(encoding="utf-8")
    found = list(BLOCK.finditer(text))
    assert sum(line.startswith("```") for line in text.splitlines()) == 2 * len(found), "a fence is not closed, or indented"
    for block in found:
        language = block["language"]
        assert language in RUN or language in READ, f"a block in {language or 'no language'!r}: give it one of {RUN + tuple(READ)}"
        if language in READ:
            READ[language](block["code"])


def test_the_environments_cover_every_page_once() -> None:
    assert sorted(page for environment in ENVIRONMENTS for page in pages(environment)) == sorted(PAGES)
    assert set(ELSEWHERE.values()) <= set(ENVIRONMENTS)
