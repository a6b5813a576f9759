"""The terminal session, driven by scripted lines."""

from __future__ import annotations

import io
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from agents import load
from tests.play.seating import a_table, at_position
from tests.positions import position_at
from train import play
from train.playing.table import Refused, Table
from train.playing.terminal import Session, read_move
from uno_env import Game


def typed(table: Table, *lines: str, hints: bool = False) -> str:
    """What the session prints when these lines are typed."""
    out = io.StringIO()
    adviser = ("strategist", load("strategist")) if hints else None
    Session(table, Console(file=out, width=120, highlight=False), lines, adviser=adviser).run()
    return out.getvalue()


@pytest.mark.parametrize("rules", ["official", "party", "mini_bluff", "team"])
def test_a_whole_round_by_numbers(rules: str) -> None:
    table = a_table(rules, seed=5, vs="rule")
    rng = random.Random(1)

    def numbers() -> Iterator[str]:
        while not table.game.over:
            legal = table.game.legal_texts()
            wanted = [k for k, text in enumerate(legal, 1) if text != "draw"] or [1]
            yield f" {rng.choice(wanted)} "

    console = io.StringIO()
    Session(table, Console(file=console, width=120), numbers()).run()
    out = console.getvalue()
    assert table.game.over
    assert "the round" in out
    assert "Your turn" in out
    assert "Bye." in out


def test_rounds_matches_saving_and_leaving(tmp_path: Path) -> None:
    table = a_table("official", seed=5, vs="rule", practice=True)
    file = tmp_path / "match.jsonl"
    out = typed(
        table,
        "1",
        "undo",
        "undo",
        f"save {file}",
        "save",
        f"save {tmp_path / 'no' / 'such'}",
        "score",
        "log",
        "t",
        "stop",
        "r5",
        "new",
        "Q",
    )
    assert "there is nothing to take back" in out
    assert f"Saved to {file}" in out.replace("\n", "")
    assert "name the file" in out
    assert "No such file" in out
    assert "You 0, Ada 0" in out
    assert "The match was stopped." in out
    assert "the round is over" in out
    assert Game.replay(file.read_text()).state.round == 1
    assert table.game.state.round == 1
    assert not table.stopped


def test_help_hint_and_nonsense() -> None:
    table = a_table("research", num_players=2, seed=3, vs="rule")
    before = table.game.to_bytes()
    out = typed(table, "?", "hint", "h", "", "   ", "99", "0", "-1", "quack", "r", "[bold]x[/bold]", "\x00", hints=True)
    assert "Commands" in out
    assert "strategist: about" in out
    assert "there is no choice 99" in out
    assert "'quack' is not possible now" in out
    assert "'[bold]x[/bold]' is not possible now" in out
    assert table.game.to_bytes() == before
    assert "no hints" in typed(table, "hint")


@pytest.mark.parametrize(
    ("text", "action"),
    [
        *[(text, "r5") for text in ("r5", "R5", " r 5 ", "red 5", "Red5", "RED-5")],
        *[(text, "rS") for text in ("rs", "red skip", "R S")],
        *[(text, "rR") for text in ("rr", "red reverse")],
        *[(text, "rD") for text in ("rd", "red draw two", "red draw 2", "red +2")],
        *[(text, "W:b") for text in ("w:b", "W b", "wild blue", "Wild: Blue", "wb")],
        *[(text, "W4:y") for text in ("w4:y", "W4 yellow", "wild draw four yellow", "wild draw 4 y", "wild +4 yellow")],
        *[(text, "draw") for text in ("draw", "D", "Draw ")],
    ],
)
def test_spellings(text: str, action: str) -> None:
    table = at_position(a_table(), position_at([["r5", "rS", "rR", "rD", "W", "W4"]], top="r1", rules="official"))
    assert read_move(table, 0, text) == action


def test_wilds_need_a_colour_and_swaps_a_name() -> None:
    table = at_position(a_table("house_seven_zero"), position_at([["r7", "W", "W4"]], top="r1", rules="house_seven_zero"))
    for text, wild in (("w", "W:r, W:y"), ("Wild", "W:r, W:y"), ("w4", "W4:r"), ("wild draw four", "W4:r")):
        with pytest.raises(Refused, match=f"name a colour with it: {wild}"):
            read_move(table, 0, text)
    table.act(0, "r7")
    for text in ("swap:2", "swap 2", "Swap with Ben", "ben"):
        assert read_move(table, 0, text) == "swap:2"
    with pytest.raises(Refused, match="not possible"):
        read_move(table, 0, "swap 0")
    starter = at_position(a_table(), position_at([["r7", "b1"]], top="W", rules="official", phase="COLOUR"))
    for text in ("colour:b", "color blue", "b", "BLUE"):
        assert read_move(starter, 0, text) == "colour:b"
    drawn = at_position(a_table(), position_at([["r7", "b1"]], top="r1", rules="official", phase="DRAWN", drawn="r7"))
    assert [read_move(drawn, 0, text) for text in ("pass", "P", "keep", "no", "r7", "u")] == ["pass"] * 4 + ["r7", "uno"]


def test_standard_input_that_is_no_terminal() -> None:
    """As a program: lines through a pipe, and the end of input leaves the game."""
    command = [
        sys.executable,
        "-m",
        "train.play",
        "--terminal",
        "--vs",
        "rule",
        "--rules",
        "research",
        "--players",
        "2",
        "--seed",
        "4",
        "--hint",
        "rule",
    ]
    done = subprocess.run(
        command, input="1\nhint\n?\n1\n", capture_output=True, text=True, timeout=300, cwd=Path(__file__).parents[2], check=False
    )
    assert done.returncode == 0, done.stderr
    assert "rule: about" in done.stdout
    assert done.stdout.rstrip().endswith("Bye.")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--vs", "nobody"], "unknown agent 'nobody'"),
        (["--rules", "nothing"], "neither a preset"),
        (["--players", "11"], "num_players"),
        (["--seats", "5"], "seats=5"),
        (["--vs", "rule", "random"], "2 opponents: expected 1, or 3"),
        (["--seats", "2", "--practice"], "one person"),
        (["--seats", "2", "--terminal"], "--terminal is for one person"),
        (["--hint", "nobody"], "unknown agent 'nobody'"),
        (["--delay", "-1"], "delay=-1.0"),
    ],
)
def test_the_command_line_says_what_is_wrong(arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert play.main(arguments) == 2
    assert why in capsys.readouterr().err
