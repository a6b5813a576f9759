"""Replays: one file with everything in it, for all eyes or for a seat's, that can be stepped through in a browser."""

from __future__ import annotations

import base64
import gzip
import html
import json
import os
import random
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.browser import MISSING, browser
from tests.env.play import pick
from uno_env import Game
from uno_env.render import replay
from uno_env.render.replay import replay_data, replay_html, steps
from uno_env.render.text import event_line
from uno_env.replay import main
from uno_env.transcripts import append_transcript, read_transcripts

LIMIT = 300_000
"""Bytes of a page, by the issue that asked for it."""


def played(preset: str, n: int, seed: int, *, match: bool = False, wild: bool = False) -> Game:
    game, rng = Game(preset, seed, num_players=n), random.Random(seed)
    while not game.over or (match and game.match_winners is None):
        if game.over:
            game.next_round()
        elif wild:
            game.push(rng.choice(game.legal_actions()))
        else:
            game.push(pick(game.action_mask(), rng))
    return game


def noted(game: Game, **more: Any) -> str:
    """The transcript of a game of one round, with notes for every second decision of seat 0."""
    notes: list[dict[str, Any] | None] = []
    for number, step in enumerate(steps(game.transcript())):
        if step.action is not None:
            chances = {text: 1 / len(step.legal) for text in step.legal}
            thought = {"probabilities": chances, "value": 0.25}
            notes.append(thought if step.position["actor"] == 0 and number % 2 == 0 else None)
    return game.transcript(notes=notes, **more)


class Page(HTMLParser):
    """The parts of a page that matter here."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.data, self.kind, self.tags, self.inside = "", "", [], False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append((tag, given))
        self.inside = given.get("id") == "data"
        if self.inside:
            self.kind = given["type"] or ""

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.data += data

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    @property
    def told(self) -> dict[str, Any]:
        text = gzip.decompress(base64.b64decode(self.data)).decode() if self.kind == "application/gzip" else self.data
        return json.loads(text)


def test_steps_are_the_decisions_of_the_game() -> None:
    game = played("party", 4, 3)
    told = list(steps(noted(game)))
    assert len(told) == len(game.history) + 1
    assert [step.event for step in told[1:]] == game.history
    assert [step.action for step in told[:-1]] == [event.action for event in game.history]
    assert told[-1].position == game.position()
    assert told[0].legal == tuple(Game("party", 3).legal_texts())
    assert (told[0].event, told[-1].action, told[-1].legal) == (None, None, ())
    assert {step.position["actor"] for step in told if step.note} == {0}


def test_a_match_goes_through_its_rounds() -> None:
    game = played("digital", 2, 1) if Game("digital", 1).rules.target else played("official", 2, 1, match=True)
    told = list(steps(game.transcript()))
    rounds = [step.position["round"] for step in told]
    assert rounds[-1] == game.state.round
    assert sum(step.new_round for step in told) == rounds[-1] - 1
    assert all(step.event is None for step in told if step.new_round)


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(lambda: played("official", 4, 1), id="official"),
        pytest.param(lambda: played("party", 10, 3), id="party-10"),
        pytest.param(lambda: played("party", 10, 5, wild=True), id="party-10-wild"),
        pytest.param(lambda: played("party", 10, 2, match=True), id="party-10-match"),
        pytest.param(lambda: Game(seed=1), id="not-begun"),
    ],
)
def test_pages_are_small_and_need_nothing_else(game: Any) -> None:
    page = replay_html(game().transcript())
    assert len(page.encode()) < LIMIT
    assert not re.findall(r"https?://", page.replace("http://www.w3.org/2000/svg", ""))
    parsed = Page(page)
    assert not [given for _, given in parsed.tags if "src" in given or "action" in given]
    for tag, given in parsed.tags:
        target = given.get("href")
        assert target is None or target.startswith("#") or (tag, target) == ("link", "data:,"), (tag, given)
    assert "@import" not in page
    assert "url(" not in page


def test_long_games_are_packed_and_short_ones_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    line = played("party", 4, 2).transcript()
    plain = Page(replay_html(line))
    monkeypatch.setattr(replay, "PLAIN_LIMIT", len(plain.data) - 1)
    packed = Page(replay_html(line))
    assert (plain.kind, packed.kind) == ("application/json", "application/gzip")
    assert plain.told == packed.told == replay_data(line)
    assert len(packed.data) < len(plain.data) / 3
    assert replay_html(line) == replay_html(line)


def whole(told: dict[str, Any]) -> list[dict[str, Any]]:
    """The steps of a page with all they show, put together as its script does."""
    states: list[dict[str, Any]] = []
    for step in told["steps"]:
        before = states[-1] if states else {"hands": [[] for _ in told["names"]]}
        hands = list(before["hands"])
        for seat, cards in step.get("hands", []):
            hands[seat] = cards.split()
        kept = {key: value for key, value in before.items() if key not in ("event", "why", "legal", "played", "note")}
        states.append({**kept, **step, "hands": hands})
    return states


def test_a_page_tells_the_game() -> None:
    game = played("official", 3, 2)
    told = replay_data(noted(game, names=["Ann", "Bob", "Cem"]))
    states, known = whole(told), list(steps(noted(game)))
    assert len(states) == len(known)
    for state, step in zip(states, known, strict=True):
        position = step.position
        assert state["hands"] == position["hands"]
        for key in (
            "colour",
            "direction",
            "turn",
            "actor",
            "phase",
            "pending_draw",
            "scores",
            "round",
            "dealer",
            "outcome",
            "drawn",
        ):
            assert state[key] == position[key]
        assert state["draw_pile"] == len(position["draw_pile"])
        assert state["top"] == position["discard_pile"][-3:]
        assert state.get("legal", "").split() == list(step.legal)
        assert state.get("played") == step.action
        assert ("note" in state) == (step.note is not None)
        if step.event:
            assert told["words"][state["event"]] == event_line(step.event, ["Ann", "Bob", "Cem"])
            assert state["why"]
    note = next(state for state in states if "note" in state)
    assert set(note["note"]["p"]) == set(note["legal"].split())
    assert note["note"]["v"] == 0.25


@pytest.mark.parametrize("preset", ["official", "party"])
@pytest.mark.parametrize("viewer", [0, 2])
def test_a_seats_page_holds_nothing_that_the_seat_cannot_know(preset: str, viewer: int) -> None:
    for seed in range(4):
        game = played(preset, 4, seed)
        parsed = Page(replay_html(noted(game), viewer))
        told = parsed.told
        raw = list(steps(noted(game)))
        everything = [json.dumps(step) for step in told["steps"]]
        states = whole(told)
        assert told["viewer"] == viewer
        assert len(states) <= len(raw)
        place = 0
        for state, text in zip(states, everything, strict=True):
            # The page's step is the last of the game's steps up to the next event that the seat notices.
            while [len(hand) for hand in raw[place].position["hands"]] != [len(hand) for hand in state["hands"]] or (
                raw[place].position["turns"],
                raw[place].position["discard_pile"][-3:],
            ) != (state["turns"], state["top"]):
                place += 1
            position = raw[place].position
            lawful = {card for entry in position["known"] if entry["seat"] == viewer for card in entry["cards"]} | {"back"}
            for seat, hand in enumerate(state["hands"]):
                assert hand == position["hands"][seat] if seat == viewer else set(hand) <= lawful
            if state["actor"] not in (None, viewer):
                assert state["phase"] == "OVER"
            if state["actor"] != viewer:
                assert not {"legal", "played", "note"} & set(json.loads(text))
                assert state["drawn"] is None
        for seat in range(4):
            if seat != viewer:
                assert not [line for line in told["words"] if re.match(rf"player_{seat} draws \d+ cards? \(", line)]
                for secret in ("keeps the drawn card", "does not jump in", "says nothing"):
                    assert f"player_{seat} {secret}" not in told["words"]


def test_nobody_can_tell_from_a_page_that_somebody_was_asked() -> None:
    """Two games that differ in a jump-in that seat 1 could have made, and did not, read the same for seat 2."""
    base = {"rules": "house_jump_in", "discard_pile": ["r9"], "draw_pile": ["g1", "g2", "g3", "g4"]}
    quiet = Game.from_position(base | {"hands": [["r5", "b1", "b2"], ["b3", "b4", "r1"], ["y1", "y2", "y3"]]})
    asked = Game.from_position(base | {"hands": [["r5", "b1", "b2"], ["r5", "b4", "r1"], ["y1", "y2", "y3"]]})
    quiet.push("r5")
    asked.push("r5")
    assert asked.phase.name == "JUMP"
    asked.push("pass")
    for game in (quiet, asked):
        game.push("r1")
    assert replay_html(asked.transcript(), 2) == replay_html(quiet.transcript(), 2)
    assert replay_html(asked.transcript(), 1) != replay_html(quiet.transcript(), 1)


def test_names_and_titles_do_no_harm() -> None:
    names = ['</script><script>alert("1")</script>', "<b>&", "'\"`", "{{data}}"]
    page = replay_html(played("digital", 4, 1).transcript(names=names), title="<!-- <script>")
    parsed = Page(page)
    assert parsed.told["names"] == names
    assert parsed.told["title"] == "<!-- <script>"
    assert len([tag for tag, _ in parsed.tags if tag == "script"]) == 2
    assert "alert(&quot;" not in parsed.data


def test_transcripts_with_names_and_notes_play_again() -> None:
    game = played("official", 3, 1)
    line = noted(game, names=["Ann", "Bob", "Cem"])
    assert Game.replay(line).to_bytes() == game.to_bytes()
    assert replay_data(line)["names"] == ["Ann", "Bob", "Cem"]
    assert replay_data(line, names=["A", "B", "C"])["names"] == ["A", "B", "C"]
    told = json.loads(line)
    for key, wrong in (("names", ["Ann"]), ("names", "Ann"), ("notes", [None]), ("notes", {})):
        with pytest.raises(ValueError, match=f"{key} of the transcript"):
            Game.replay(json.dumps(told | {key: wrong}))
    with pytest.raises(ValueError, match="names: 2 for 3 players"):
        replay_html(line, names=["A", "B"])
    with pytest.raises(ValueError, match="viewpoint='Dia'"):
        replay_html(line, "Dia")
    with pytest.raises(ValueError, match="action 0 of the transcript"):
        replay_html(json.dumps(told | {"actions": ["swap:9"], "notes": None}))
    with pytest.raises(ValueError, match="a transcript is"):
        replay_html("not json")


def test_a_notebook_shows_the_game() -> None:
    game = played("digital", 2, 1)
    frame = game._repr_html_()
    assert frame is not None
    found = re.fullmatch(r'<iframe srcdoc="([^"]*)" title="Replay" style="[^"]*"></iframe>', frame)
    assert found
    assert html.unescape(found[1]) == replay_html(game.transcript())
    assert game.resample(0, 1)._repr_html_()


# Files ------------------------------------------------------------------------------------------------------------------


def test_files_of_transcripts(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    lines = [played("digital", 2, seed).transcript() for seed in range(3)]
    for line in lines:
        append_transcript(path, line)
    with path.open("a") as file:
        file.write("\n")
    assert list(read_transcripts(path)) == lines
    with pytest.raises(ValueError, match="one line"):
        append_transcript(path, "a\nb")
    assert list(read_transcripts(path)) == lines


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    lines = [played("digital", 2, seed).transcript() for seed in range(3)]
    path.write_text("\n".join(lines))
    main([str(path)])
    assert (tmp_path / "games.html").read_text(encoding="utf-8") == replay_html(lines[0])
    assert capsys.readouterr().out.startswith("written: ")
    out = tmp_path / "other.html"
    for number, viewpoint in ((2, "0"), (-1, "player_1"), (3, "all")):
        main([str(path), "--game", str(number), "--out", str(out), "--viewpoint", viewpoint, "--title", "A game"])
        seat = int(viewpoint) if viewpoint.isdecimal() else viewpoint
        line = lines[number - 1] if number > 0 else lines[number]
        assert out.read_text(encoding="utf-8") == replay_html(line, seat, title="A game")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game", "4"], "--game 4: .*holds 3 games"),
        (["--game", "0"], "--game 0"),
        (["--game", "-4"], "--game -4"),
        (["--viewpoint", "5"], "viewpoint=5"),
        (["--out", "/nowhere/at/all.html"], "nowhere"),
    ],
)
def test_the_command_says_what_is_wrong(arguments: list[str], message: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join(played("digital", 2, seed).transcript() for seed in range(3)))
    with pytest.raises(SystemExit, match=message):
        main([str(path), *arguments])
    with pytest.raises(SystemExit, match="no_such"):
        main([str(tmp_path / "no_such.jsonl")])
    with pytest.raises(SystemExit, match="itself"):
        main([str(path), "--out", str(path)])


HANDS = """() => [...document.querySelectorAll(".seat .cards")].map(hand =>
    [...hand.querySelectorAll("use")].map(use => use.getAttribute("href").slice(6)))"""
"""Script: the cards that each seat shows."""


# In a browser -----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(MISSING is not None, reason=MISSING or "")
def test_a_replay_is_stepped_through_in_a_browser(tmp_path: Path) -> None:
    game = played("party", 4, 3)
    names = ["Ann", "Bob", "Cem", "Dia"]
    line = noted(game, names=names)
    short, packed = tmp_path / "game.html", tmp_path / "packed.html"
    short.write_text(replay_html(line), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "PLAIN_LIMIT", 0)
        packed.write_text(replay_html(line), encoding="utf-8")
    known = list(steps(line))
    last = len(known) - 1
    pictures = Path(os.environ["UNO_SCREENSHOTS"]) if "UNO_SCREENSHOTS" in os.environ else tmp_path
    pictures.mkdir(parents=True, exist_ok=True)

    with browser() as tab:
        tab.offline()
        for page, width, height in ((short, 1280, 860), (packed, 400, 1100)):
            tab.size(width, height)
            tab.open(page.as_uri())
            tab.wait("document.body.dataset.ready")
            assert tab.run("return document.documentElement.scrollWidth") <= width

            def at() -> int:
                return int(tab.run("return document.body.dataset.step"))

            def shown() -> list[list[str]]:
                return tab.run(f"return ({HANDS})()")

            told = tab.run(f"""
                const told = [], next = document.getElementById("next");
                const count = (what) => document.querySelectorAll(what).length;
                for (let step = 0; step <= {last}; step++) {{
                    const decision = !document.getElementById("decision").hidden;
                    told.push({{ step: +document.body.dataset.step, hands: ({HANDS})(), why: count("#why li"),
                        event: document.getElementById("event").textContent, legal: decision ? count("#legal li") : 0,
                        played: decision ? count("#legal li.played") : 0, bars: decision ? count("#legal .bar") : 0 }});
                    next.click();
                }}
                return told;""")
            for number, (found, step) in enumerate(zip(told, known, strict=True)):
                legal = len(step.legal)
                assert (found["step"], found["hands"]) == (number, step.position["hands"])
                assert (found["legal"], found["played"], found["bars"]) == (legal, legal > 0, legal if step.note else 0)
                if step.event is not None:
                    assert (found["event"], found["why"] > 0) == (event_line(step.event, names), True)
            assert at() == last
            tab.press("\ue012")  # left arrow
            assert at() == last - 1
            tab.click("#first")
            assert at() == 0
            tab.click("#next")
            tab.click("#next")
            tab.click("#back")
            assert at() == 1
            tab.run("const n = document.getElementById('number'); n.value = 7; n.dispatchEvent(new Event('change'))")
            assert at() == 7
            tab.run("document.querySelectorAll('#log button')[5].click()")
            assert at() == 5
            tab.screenshot(pictures / f"replay-{width}.png")

            actor = known[5].position["actor"]
            tab.click("#hide")
            assert shown() == [["back"] * len(hand) for hand in known[5].position["hands"]]
            tab.run("document.querySelectorAll('.eye')[2].click()")
            assert [set(hand) == {"back"} for hand in shown()] == [True, True, False, True]
            tab.click("#own")
            assert [set(hand) == {"back"} for hand in shown()] == [seat != actor for seat in range(4)]
            tab.click("#open")
            assert shown() == known[5].position["hands"]

            tab.run("document.getElementById('speed').value = 60")
            tab.click("#play")
            tab.wait("+document.body.dataset.step > 8")
            tab.click("#play")
            stopped = at()
            assert tab.run("return document.getElementById('play').textContent") == "▶ Play"
            tab.run("return new Promise(done => setTimeout(done, 200))")
            assert at() == stopped
            assert tab.complaints() == []
