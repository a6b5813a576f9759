"""Documentation does not drift: generated parts, links, and what code cites of rules.md and rulings.md."""

from __future__ import annotations

import dataclasses
import importlib.util
import re
import sys
from pathlib import Path

import pytest

from uno_env import NUM_ACTIONS, PRESETS, Rules

ROOT = Path(__file__).resolve().parents[2]


def _load():
    # By its path: `docs` is no package, and other distributions may install one of that name.
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


generate = _load()
DOCUMENTS = generate.documents()
RULES = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
RULINGS = (ROOT / "docs" / "rulings.md").read_text(encoding="utf-8")


# Generated parts ------------------------------------------------------------------------------------------------------


def test_check_finds_nothing_to_renew(capsys: pytest.CaptureFixture[str]) -> None:
    status = generate.main(["--check"])
    assert (status, capsys.readouterr().err) == (0, "")


def test_every_marker_opens_a_part_that_is_closed() -> None:
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        parts = len(generate.PART.findall(text))
        assert len(re.findall(r"^<!-- generated:", text, re.M)) == parts, path.name
        assert len(re.findall(r"^<!-- end -->", text, re.M)) == parts, path.name


def test_check_names_the_part_that_drifted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "page.md"
    page.write_text("before\n<!-- generated: presets -->\nold\n<!-- end -->\n<!-- generated: actions -->\n<!-- end -->\nafter\n")
    (tmp_path / "README.md").write_text("nothing generated\n")
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    assert generate.main(["--check"]) == 1
    told = capsys.readouterr().err
    assert "docs/page.md: 'presets' has drifted" in told
    assert "'actions' has drifted" in told
    assert "old" in page.read_text()

    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0
    text = page.read_text()
    assert text.startswith("before\n<!-- generated: presets -->\n| preset |")
    assert text.endswith("<!-- end -->\nafter\n")
    assert "old" not in text


def test_every_generator_writes_a_table_with_rows_of_one_width() -> None:
    for name in generate.GENERATORS:
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in generate.generated(name).splitlines()}
        assert len(widths) == 1, name


@pytest.mark.parametrize("name", ["nonsense", "preset nonsense", "nonsense official"])
def test_unknown_parts_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="expected one of"):
        generate.generated(name)


def test_unknown_arguments_are_refused() -> None:
    assert generate.main(["--chekc"]) == 2


def test_every_field_is_explained_and_has_a_section_and_sources() -> None:
    names = {field.name for field in dataclasses.fields(Rules)}
    assert set(generate.meanings()) == set(generate.SOURCES) == names
    for name, (section, _) in generate.SOURCES.items():
        body = re.search(rf"^### {re.escape(section)} .*?(?=^##)", RULES, re.M | re.S)
        assert body is not None, section
        assert f"`{name}" in body[0], f"{name} is not treated in section {section}"


def test_every_preset_has_a_use_and_a_paragraph() -> None:
    assert set(generate.USES) == set(PRESETS)
    assert re.findall(r"^\*\*`(\w+)`\*\*:", RULES, re.M) == list(PRESETS)
    assert re.findall(r"^<!-- generated: preset (\w+) -->", RULES, re.M) == list(PRESETS)


def test_action_rows_cover_the_action_table_once() -> None:
    ids = [action for low, high, _, _ in generate.action_rows() for action in range(low, high + 1)]
    assert ids == list(range(NUM_ACTIONS))


def test_values_found_by_trying() -> None:
    assert generate.values_of("failed_challenge_draw", 6) == "`6`, `4`"
    assert generate.values_of("teams", None) == "`2` to `5`, or `None`"


# What is cited --------------------------------------------------------------------------------------------------------


def _sources() -> list[tuple[Path, str]]:
    paths = [path for folder in ("uno_env", "agents", "train", "tests", "docs") for path in (ROOT / folder).rglob("*")]
    return [(path, path.read_text(encoding="utf-8")) for path in paths if path.suffix in (".py", ".md")]


def test_cited_sections_exist() -> None:
    headings = set(re.findall(r"^#{2,3} (\d+(?:\.\d+)?) ", RULES, re.M))
    assert {f"2.{i}" for i in range(1, 16)} | {f"3.{i}" for i in range(1, 9)} | {"4", "7.1", "7.2", "7.3"} <= headings
    for path, text in _sources():
        for first, last in re.findall(r"rules\.md`*,? (?:section |§)?(\d+(?:\.\d+)?)(?:-(\d+\.\d+))?", text):
            assert {first, last or first} <= headings, f"{path}: rules.md {first} {last}"
    for cited in re.findall(r"\((\d\.\d+)\)", RULES):
        assert cited in headings, cited


def test_cited_rulings_exist() -> None:
    numbers = [int(number) for number in re.findall(r"^(\d+)\. \*\*", RULINGS, re.M)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= 51
    for path, text in _sources():
        for cited in re.findall(r"\brulings? (\d+(?:(?:, | and | to |-)\d+)*)", text):
            assert {int(number) for number in re.findall(r"\d+", cited)} <= set(numbers), f"{path}: ruling {cited}"


def test_cited_scenarios_exist() -> None:
    text = (ROOT / "tests" / "core" / "test_scenarios.py").read_text(encoding="utf-8")
    known = set(re.findall(r"\b\d{3}\b", text[: text.index("def ")]))
    cited = {number for page in (RULES, RULINGS) for number in re.findall(r"\bT(\d{3})\b", page)}
    assert cited <= known


# Links ----------------------------------------------------------------------------------------------------------------

LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)\)")


def _prose(text: str) -> str:
    """Without fenced blocks and code spans, in which nothing is a link or a heading."""
    return re.sub(
        r"`[^`\n]*`",
        lambda span: span[0].strip("`").replace("[", "").replace("]", ""),
        re.sub(r"^```.*?^```", "", text, flags=re.M | re.S),
    )


def _anchors(text: str) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    anchors: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.+?)\s*$", _prose(text), re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = base = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        count = 0
        while slug in anchors:
            count += 1
            slug = f"{base}-{count}"
        anchors.add(slug)
    return anchors


def broken_links(path: Path) -> list[str]:
    """Relative links of a page that lead nowhere."""
    broken = []
    for target in LINK.findall(_prose(path.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        goal = (path.parent / name).resolve() if name else path
        if not goal.exists() or (anchor and (goal.suffix != ".md" or anchor not in _anchors(goal.read_text(encoding="utf-8")))):
            broken.append(target)
    return broken


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    assert broken_links(path) == []


def test_broken_links_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One `code` (2)\n# One code 2\n[a](#one-code-2) [b](#one-code-2-1) [c](page.md) [web](https://example.org)\n"
        "[d](#three) [e](missing.md) [f](page.md#four) `[g](code.md)`\n```\n[h](fenced.md)\n```\n"
    )
    assert broken_links(page) == ["#three", "missing.md", "page.md#four"]


# Results --------------------------------------------------------------------------------------------------------------


def test_a_goal_is_reached_where_the_whole_interval_lies_on_its_side() -> None:
    pairing = {"agent": "a", "opponent": "b", "win_rate": {"mean": 0.6, "low": 0.59, "high": 0.61}}
    told = {"pairings": [pairing]}
    for bound, verdict in (
        ("at_least: 59", "**yes**"),
        ("at_least: 60", "open"),
        ("at_least: 62", "no"),
        ("at_most: 61", "**yes**"),
    ):
        key, number = bound.split(": ")
        goal = {"agent": "a", "opponent": "b", key: int(number)}
        text, found = generate.reached(goal, generate.measured(goal, told))
        assert text == "60.0 [59.0, 61.0]"
        assert found.startswith(verdict), bound
    goal = {"agent": "a", "opponent": "nobody", "at_least": 1}
    assert generate.reached(goal, generate.measured(goal, told)) == ("not yet", "")
    exploited = {"agent": "a", "gain": {"mean": 2.0, "low": 1.5, "high": 2.5}}
    goal = {"agent": "a", "at_most": 3}
    assert generate.reached(goal, generate.measured(goal, exploited)) == ("2.0 [1.5, 2.5]", "**yes**")
    assert generate.measured({"agent": "b", "at_most": 3}, exploited) is None, "another agent's"
    assert generate.reached(goal, generate.measured(goal, None)) == ("not yet", "")


def test_tables_of_results_have_every_agent() -> None:
    for path in sorted((ROOT / "docs" / "results").glob("*.json")):
        told = generate.results(path.stem)
        assert told["made"]["command"].startswith("python -m train."), path.name
        if "pairings" not in told:
            continue
        lines = generate.crossplay(path.stem).splitlines()
        assert len(lines) == 2 + len({pairing["agent"] for pairing in told["pairings"]})
        heads = [head.strip(" `") for head in lines[0].strip("|").split("|")]
        rows = {row.split("|")[1].strip(" *`"): [cell.strip() for cell in row.strip("|").split("|")] for row in lines[2:]}
        for pairing in told["pairings"]:
            assert rows[pairing["agent"]][heads.index(pairing["opponent"])] == generate.percent(pairing["win_rate"])
        if told["standings"]:
            assert len(generate.standing_rows(path.stem).splitlines()) == len(lines)
            assert set(heads[1:]) == set(told["agents"])
    with pytest.raises(ValueError, match="no tournament there"):
        generate.crossplay("nothing")
