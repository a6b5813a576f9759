"""The table on the network: whole games over websockets, privacy, tokens, bad messages, reloads, lost connections, two tabs."""

from __future__ import annotations

import faulthandler
import json
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from agents import load
from tests.play.seating import a_table, at_position
from tests.play.test_sight import cards_in
from tests.positions import position_at
from train.playing import server
from train.playing.server import MAX_MESSAGE, MESSAGES, Room, host_allowed, make_app, read_message
from train.playing.table import Table
from uno_env import Game
from uno_env.notation import known_of

HOST = "http://127.0.0.1:8000"


@pytest.fixture(autouse=True)
def _no_waiting_for_ever() -> Iterator[None]:
    """The test client waits without limit for a message that never comes: better an end with a traceback."""
    faulthandler.dump_traceback_later(900, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


class Browser:
    """One websocket: what it was sent, and the last view."""

    def __init__(self, socket: WebSocketTestSession) -> None:
        self.socket = socket
        self.received: list[dict[str, Any]] = []
        self.hello: dict[str, Any] = {}
        self.view: dict[str, Any] = {}

    def next(self) -> dict[str, Any]:
        message = json.loads(self.socket.receive_text())
        self.received.append(message)
        if message["type"] == "view":
            self.view = message
        if message["type"] == "hello":
            self.hello = message
        return message

    def until(self, kind: str) -> dict[str, Any]:
        while (message := self.next())["type"] != kind:
            assert message["type"] != "refused", message
        return message

    def send(self, **message: Any) -> None:
        self.socket.send_text(json.dumps(message))

    def ask(self, **message: Any) -> str:
        """Send something that must be refused; returns why."""
        self.send(**message)
        return self.until("refused")["why"]

    def act(self, action: str) -> None:
        self.send(type="act", action=action, ask=self.view["ask"])


class House:
    """A served table."""

    def __init__(self, room: Room, client: TestClient) -> None:
        self.room, self.client = room, client

    def settle(self) -> None:
        """Wait until a person is asked or the round is over: the table stands still then.

        Asked on the server's own thread: compiled code lets other threads run, which could see half an action.
        """
        table, portal = self.room.table, self.client.portal
        assert portal is not None
        deadline = time.monotonic() + 60
        while not portal.call(lambda: table.game.over or table.game.actor in table.people):
            assert time.monotonic() < deadline
            time.sleep(0.001)

    def connect(self, *, host: str = HOST.removeprefix("http://"), origin: str | None = HOST) -> WebSocketTestSession:
        return self.client.websocket_connect("/ws", headers={"host": host} | ({"origin": origin} if origin else {}))

    @contextmanager
    def sit(self, seat: int, token: str | None = None) -> Iterator[Browser]:
        with self.connect() as socket:
            socket.send_text(json.dumps({"type": "join", "token": token or self.room.tokens[seat]}))
            browser = Browser(socket)
            browser.until("view")
            yield browser


@contextmanager
def serving(table: Table, **options: Any) -> Iterator[House]:
    room = Room(table, **{"delay": 0.0, **options})
    with TestClient(make_app(room), base_url=HOST) as client:
        yield House(room, client)


def choose(view: dict[str, Any], rng: random.Random) -> str:
    actions = [option["action"] for option in view["actions"]]
    if len(actions) > 1 and "draw" in actions and rng.random() < 0.9:
        actions.remove("draw")
    return rng.choice(actions)


def lawful_cards(table: Table, seat: int) -> set[str]:
    """Cards whose names may be in the fields of a view of ``seat``, the log aside."""
    position = table.game.position()
    seen = {text for entry in known_of(table.game._states, 0) if entry["seat"] == seat for text in entry["cards"]}
    return {*position["hands"][seat], *position["discard_pile"], *seen, "W4"}


# Playing --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["official", "party"])
def test_two_people_play_whole_rounds_and_no_message_holds_a_hidden_card(rules: str) -> None:
    table = a_table(rules, people=2, num_players=4, seed=21, vs="rule")
    rng = random.Random(rules)
    with serving(table) as house, house.sit(0) as first, house.sit(2) as second:
        seats = {0: first, 2: second}
        rounds = 0
        while rounds < 3:
            house.settle()
            for seat, browser in seats.items():
                wanted = json.loads(house.room.view_text(seat))
                while browser.view != wanted:
                    browser.next()
                head = {key: value for key, value in browser.view.items() if key not in ("log", "actions")}
                assert cards_in(head) <= lawful_cards(table, seat)
                assert browser.view["hand"] == table.game.hand(seat)
            if table.game.over:
                rounds += 1
                if table.match_over or rounds == 3:
                    break
                first.send(type="next_round")
                seats[0].until("view")
                continue
            actor = table.game.actor
            waiting = seats[2 - actor].view
            assert waiting["ask"] is None
            assert waiting["phase"] is None
            assert not waiting["actions"]
            seats[actor].act(choose(seats[actor].view, rng))
        # Over all that each seat was ever sent: hands are its own, known cards are few, draws of others are counted only.
        for seat, browser in seats.items():
            for message in browser.received:
                text = json.dumps(message)
                assert 'draw_pile": [' not in text
                assert '"hands"' not in text
                assert '"seed"' not in text
                if message["type"] != "view":
                    continue
                assert message["seat"] == seat
                for line in message["log"]:
                    for part in line.split("; "):
                        if "draws" in part:
                            assert not cards_in(part)


def test_a_whole_match_alone_stop_save_and_a_new_one() -> None:
    table = a_table("official", seed=3, vs="rule")
    rng = random.Random(2)
    with serving(table) as house, house.sit(0) as me:
        while not me.view["round_over"]:
            if me.view["ask"] is None:
                me.until("view")
                continue
            if rng.random() < 0.1:
                assert "hidden cards" in me.ask(type="save", form="transcript")
                assert "between its rounds" in me.ask(type="stop")
                assert "not over" in me.ask(type="next_round")
            asked = me.view["ask"]
            me.act(choose(me.view, rng))
            while me.view["ask"] == asked:
                me.until("view")
        assert me.view["outcome"]["winners"]
        me.send(type="stop")
        me.until("view")
        assert me.view["stopped"]
        me.send(type="save", form="transcript")
        saved = me.until("saved")
        assert Game.replay(saved["text"]).to_bytes() == table.game.to_bytes()
        me.send(type="save", form="replay")
        assert "<html" in me.until("saved")["text"][:200]
        assert "saved as" in me.ask(type="save", form="exe")
        me.send(type="new_match")
        me.until("view")
        assert me.view["round"] == 1
        assert not me.view["match_over"]


def test_hints_and_undo_in_practice() -> None:
    table = a_table("research", num_players=2, seed=3, practice=True)
    with serving(table, adviser=("strategist", load("strategist"))) as house, house.sit(0) as me:
        while me.view["ask"] is None:
            me.until("view")
        before = me.view
        me.send(type="hint", ask=me.view["ask"])
        hint = me.until("hint")
        assert {option["action"] for option in hint["options"]} == {option["action"] for option in before["actions"]}
        assert sum(option["probability"] for option in hint["options"]) == pytest.approx(1)
        assert 0 < hint["win"] < 1
        assert "your own" in me.ask(type="hint", ask=me.view["ask"] + 1)
        assert "nothing to take back" in me.ask(type="undo")
        me.act(before["actions"][-1]["action"])
        me.until("view")
        me.send(type="undo")
        while me.view["hand"] != before["hand"] or me.view["ask"] is None:
            me.until("view")
        same = ("hand", "discards", "players", "prompt", "log", "actions")
        assert {key: me.view[key] for key in same} == {key: before[key] for key in same}


# Nobody sees or acts for another seat ---------------------------------------------------------------------------------


def test_peeking_and_acting_for_another_seat_is_refused() -> None:
    table = a_table(people=4, num_players=4, seed=1)
    with serving(table) as house:
        actor = table.game.actor
        thief = (actor + 1) % 4
        with house.sit(thief) as browser:
            before = table.game.to_bytes()
            victim_action = table.game.legal_texts()[0]
            for message in (
                {"type": "view", "seat": actor},
                {"type": "act", "action": victim_action, "ask": 1, "seat": actor},
                {"type": "hint", "ask": 1, "seat": actor},
                {"type": "undo", "seat": actor},
                {"type": "view", "seat": "0"},
                {"type": "view", "seat": None},
                {"type": "view", "seat": [actor]},
            ):
                assert browser.ask(**message) == "this connection speaks for its own seat only"
            assert "moved on" in browser.ask(type="act", action=victim_action, ask=1)
            assert "your own" in browser.ask(type="hint", ask=1) or "no hints" in browser.ask(type="hint", ask=1)
            # A second join changes nothing, whatever its token.
            assert "unknown type" in browser.ask(type="join", token=house.room.tokens[actor])
            for peek in ("position", "hand", "state", "transcript", "seed", "eval"):
                assert "unknown type" in browser.ask(type=peek)
            assert "hidden cards" in browser.ask(type="save", form="transcript")
            browser.send(type="view")
            assert browser.until("view")["hand"] == table.game.hand(thief)
            assert table.game.to_bytes() == before
            for message in browser.received:
                assert message.get("seat", thief) == thief


def test_a_seat_needs_its_token() -> None:
    table = a_table(people=2)
    with serving(table) as house:
        tokens = house.room.tokens
        assert len(set(tokens.values())) == 2
        assert all(len(token) >= 24 for token in tokens.values())
        for wrong in ("", "x", tokens[0][:-1], tokens[0] + "x", "é", "\ud800", "0"):
            with house.connect() as socket:
                socket.send_text(json.dumps({"type": "join", "token": wrong}))
                with pytest.raises(WebSocketDisconnect) as closed:
                    socket.receive_text()
                assert closed.value.code == server.NOT_ALLOWED
        with house.connect() as socket:
            socket.send_text(json.dumps({"type": "join", "token": tokens[0], "seat": 2}))
            with pytest.raises(WebSocketDisconnect):
                socket.receive_text()
        # Agents' seats have none.
        assert set(tokens) == {0, 2}


def test_before_joining_nothing_is_told() -> None:
    with serving(a_table()) as house:
        for first in ('{"type": "view"}', "nonsense", "[]", '{"type": "join"}', '{"type": "join", "token": 5}', "x" * 5000):
            with house.connect() as socket:
                socket.send_text(first)
                with pytest.raises(WebSocketDisconnect) as closed:
                    socket.receive_text()
                assert closed.value.code == server.BAD_MESSAGE


def test_a_connection_that_never_joins_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "JOIN_SECONDS", 0.05)
    with serving(a_table()) as house, house.connect() as socket:
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_text()
        assert closed.value.code == server.BAD_MESSAGE


# Bad messages ---------------------------------------------------------------------------------------------------------

BAD = (
    "",
    "null",
    "[]",
    "nonsense",
    '"act"',
    "1e999",
    "{}",
    '{"type": 5}',
    '{"type": []}',
    '{"type": "act"}',
    '{"type": "act", "action": "draw"}',
    '{"type": "act", "action": 72, "ask": 1}',
    '{"type": "act", "action": "draw", "ask": true}',
    '{"type": "act", "action": "draw", "ask": 1.0}',
    '{"type": "act", "action": ["draw"], "ask": 1}',
    '{"type": "view", "extra": 1}',
    '{"type": "hint", "ask": "1"}',
    '{"type": "__class__"}',
    "[" * 1900,
    '{"a":' * 300,
    "x" * (MAX_MESSAGE + 1),
    '{"type": "view", "pad": "' + "y" * 100_000 + '"}',
)


def test_bad_messages_do_no_harm() -> None:
    table = a_table(vs="rule", num_players=2, seed=4)
    with serving(table) as house, house.sit(0) as me:
        while me.view["ask"] is None:
            me.until("view")
        before = table.game.to_bytes()
        for text in BAD:
            me.socket.send_text(text)
            refused = me.until("refused")
            assert refused["bad"]
            assert len(refused["why"]) < 200
        me.socket.send_bytes(b"\x00\xff")
        assert me.until("refused")["why"] == "messages are text"
        for action in ("r55", "", "swap:0", "uno!", "draw\n", "\0", "W", "W:x", "colour:r", "pass"):
            assert "not possible now" in me.ask(type="act", action=action, ask=me.view["ask"])
        assert table.game.to_bytes() == before
        # And the game goes on.
        asked = me.view["ask"]
        me.act(me.view["actions"][0]["action"])
        while me.view["ask"] in (asked, None) and not me.view["round_over"]:
            me.until("view")
        assert table.game.to_bytes() != before


def test_a_flood_is_slowed_down_and_harms_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MESSAGES_PER_SECOND", 2000.0)
    table = a_table(people=2)
    with serving(table) as house, house.sit(0) as flooder, house.sit(2) as other:
        for _ in range(300):
            flooder.socket.send_text("{}")
        other.send(type="view")
        assert other.until("view")["seat"] == 2
        for _ in range(300):
            flooder.until("refused")


def test_what_a_message_may_hold() -> None:
    assert read_message('{"type": "act", "action": "r5", "ask": 3}', MESSAGES) == {"type": "act", "action": "r5", "ask": 3}
    assert read_message('{"type": "view", "seat": 0}', MESSAGES) == {"type": "view", "seat": 0}
    with pytest.raises(server.BadMessage, match="at most"):
        read_message("x" * (MAX_MESSAGE + 1), MESSAGES)


# Reloads, lost connections, two tabs ----------------------------------------------------------------------------------


def test_a_reload_shows_the_same_and_the_game_waits() -> None:
    table = a_table(vs="rule", num_players=3, seed=6)
    with serving(table) as house:
        with house.sit(0) as me:
            while me.view["ask"] is None:
                me.until("view")
            shown = me.view
        standing = table.game.to_bytes()
        assert not house.room.connections
        with house.sit(0) as again:
            assert again.view == shown
            again.act(again.view["actions"][0]["action"])
            asked = shown["ask"]
            while again.view["ask"] in (asked, None) and not again.view["round_over"]:
                again.until("view")
        assert table.game.to_bytes() != standing


def test_the_other_learns_who_is_there() -> None:
    with serving(a_table(people=2)) as house, house.sit(0) as me:
        assert me.view["connected"] == [True, True, False, True]
        with house.sit(2):
            while not me.view["connected"][2]:
                me.until("view")
        while me.view["connected"][2]:
            me.until("view")


def test_two_tabs_on_one_seat_show_the_same_and_play_once() -> None:
    table = a_table(people=4, num_players=4, seed=1)
    actor = table.game.actor
    with serving(table) as house, house.sit(actor) as left, house.sit(actor) as right:
        assert left.view == right.view
        action = left.view["actions"][-1]["action"]
        left.act(action)
        right.act(action)  # a click on what is no longer so
        assert "moved on" in right.until("refused")["why"]
        wanted = json.loads(house.room.view_text(actor))
        for tab in (left, right):
            while tab.view != wanted:
                tab.until("view")
        assert len(table.game.history) == 1


def test_too_many_connections_are_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_TABS", 2)
    with serving(a_table()) as house, house.sit(0), house.sit(0):
        with house.connect() as socket:
            socket.send_text(json.dumps({"type": "join", "token": house.room.tokens[0]}))
            with pytest.raises(WebSocketDisconnect) as closed:
                socket.receive_text()
            assert closed.value.code == server.TOO_MANY
        monkeypatch.setattr(server, "MAX_CONNECTIONS", 2)
        with house.connect() as socket:
            with pytest.raises(WebSocketDisconnect) as closed:
                socket.receive_text()
            assert closed.value.code == server.TOO_MANY


def test_a_hidden_question_to_another_seat_sends_nothing() -> None:
    """Seat 1 is asked to jump in and declines: seats 2 and 3 get no message for it."""
    position = position_at([["r5", "y1", "y2"], ["g1", "g2", "r5"], ["b1", "b2"], ["b3", "b4"]], top="r1", rules="house_jump_in")
    table = at_position(a_table("house_jump_in", people=4), position)
    with serving(table) as house, house.sit(0) as player, house.sit(1) as holder, house.sit(2) as other:
        player.act("r5")
        while holder.view["phase"] != "JUMP":
            holder.until("view")
        while other.view["discards"][-1] != "r5":
            other.until("view")
        seen = house.room.view_text(2)
        holder.act("pass")
        while holder.view["phase"] != "PLAY":
            holder.until("view")
        other.send(type="view")
        after = other.until("view")
        assert after["turn"] == 1
        assert json.loads(seen)["log"] == after["log"]


# Who may connect ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("127.0.0.1:8000", True),
        ("localhost", True),
        ("LOCALHOST:1", True),
        ("192.168.1.20:8000", True),
        ("[::1]:8000", True),
        ("box", True),
        ("evil.example", False),
        ("evil.example:8000", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example", False),
        ("", False),
        (None, False),
        ("[", False),
        ("box@evil.example", False),
    ],
)
def test_which_hosts_are_ours(host: str | None, allowed: bool) -> None:
    assert host_allowed(host, frozenset({"box"})) is allowed


def test_foreign_hosts_and_origins_are_refused() -> None:
    with serving(a_table()) as house:
        assert house.client.get("/").status_code == 200
        assert house.client.get("/", headers={"host": "evil.example"}).status_code == 400
        foreign: tuple[dict[str, str], ...] = (
            {"origin": "http://evil.example"},
            {"origin": "null"},
            {"origin": "http://127.0.0.1:9999"},
            {"origin": "http://127.0.0.1:8000.evil.example"},
            {"origin": "file://"},
            {"origin": HOST, "host": "evil.example:8000"},
            {"origin": "http://evil.example", "host": "evil.example"},
        )
        for headers in foreign:
            with pytest.raises(WebSocketDisconnect), house.connect(**headers):
                pass
        # Without an origin it is no browser; it needs its token like all others.
        with house.connect(origin=None) as socket:
            socket.send_text(json.dumps({"type": "join", "token": house.room.tokens[0]}))
            assert json.loads(socket.receive_text())["type"] == "hello"


def test_the_page_asks_nobody_else_for_anything() -> None:
    with serving(a_table()) as house:
        response = house.client.get("/")
        assert "default-src 'none'" in response.headers["content-security-policy"]
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        for path in ("/", "/static/play.js", "/static/play.css"):
            text = house.client.get(path).text.replace("http://www.w3.org/", "")
            assert "http://" not in text
            assert "https://" not in text
        assert 'id="card-r5"' in response.text
        for secret in house.room.tokens.values():
            assert secret not in response.text
        for path in ("/static/../server.py", "/static/%2e%2e/server.py", "/save", "/state"):
            assert house.client.get(path).status_code in (400, 404)
        assert house.client.post("/").status_code == 405


def test_every_person_gets_an_address() -> None:
    room = Room(a_table(people=2), tokens={0: "a", 2: "b"})
    assert server.addresses(room, "127.0.0.1", 8000) == [
        "Player 1 (seat 0): http://127.0.0.1:8000/#a",
        "Player 2 (seat 2): http://127.0.0.1:8000/#b",
    ]
    assert server.addresses(room, "::1", 1)[0].endswith("http://[::1]:1/#a")


def test_an_agent_takes_its_time_but_not_where_that_would_tell_something() -> None:
    # Seat 1 plays r2 at its leisure; seat 2 then draws r9 and may keep it: nobody learns that it fits.
    hands = [["r1", "y1", "y2"], ["r2", "b8", "b9"], ["g1", "g3"], ["b3", "b4"]]
    table = at_position(a_table(vs="rule"), position_at(hands, top="r5", rules="official"))
    with serving(table, delay=0.2) as house, house.sit(0) as me:
        start = time.monotonic()
        me.act("r1")
        while me.view["discards"][-1] != "r2":
            me.until("view")
        assert time.monotonic() - start >= 0.2
    keeping = position_at(hands, top="r5", rules="official", actor=2, turn=2, phase="PLAY", next_cards=["r9"])
    table = at_position(a_table(people=[0, 1, 3]), keeping)
    room = Room(table, delay=30.0)
    table.game.push("draw")
    decision = table.decision()
    assert decision is not None
    assert room._unseen(decision.view, table.game.action_id("pass"))
    assert not room._unseen(decision.view, table.game.action_id("r9"))
    assert not room._unseen(decision.view, 90)  # illegal
