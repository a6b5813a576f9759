"""The page for real: whole rounds by clicks in headless Chromium, every kind of decision, keyboard, two players, phones.

Pictures are kept in ``artifacts/play``, to be looked at.
"""

from __future__ import annotations

import random
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from agents import load
from tests.play.seating import a_table, at_position
from tests.positions import position_at
from train.playing.server import Room, make_app
from train.playing.table import Table
from uno_env import Game

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None or DRIVER is None, reason="Chromium is not installed: apt-get install chromium chromium-driver"
)

PICTURES = Path(__file__).parents[2] / "artifacts" / "play"
DESKTOP, PHONE = (1280, 800), (400, 800)
PATIENCE = 60.0
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-prefers-reduced-motion",
)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(DRIVER)))
    yield driver
    driver.quit()


@contextmanager
def served(table: Table, **options: Any) -> Iterator[Room]:
    """The table on a free port of the loopback; ``room.port`` says which."""
    room = Room(table, **{"delay": 0.0, **options})
    config = uvicorn.Config(
        make_app(room), host="127.0.0.1", port=0, log_level="warning", access_log=False, timeout_graceful_shutdown=1
    )
    socket = config.bind_socket()
    room.port = socket.getsockname()[1]  # type: ignore[attr-defined]
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()
    try:
        yield room
    finally:
        server.should_exit = True
        thread.join(10)
        socket.close()


def until(true: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + PATIENCE
    while not (result := true()):
        assert time.monotonic() < deadline, f"waited {PATIENCE:.0f} s for {what}"
        time.sleep(0.01)
    return result


def stands_still(table: Table) -> bool:
    """Whether a person is asked or the round is over, and not just in the middle of an action that another thread carries out."""
    epoch = table.epoch
    still = table.game.over or table.game.actor in table.people
    time.sleep(0.1)
    return still and table.epoch == epoch


class Page:
    """The page of one seat."""

    def __init__(self, driver: webdriver.Chrome, room: Room, seat: int = 0, size: tuple[int, int] = DESKTOP) -> None:
        self.driver, self.room, self.seat = driver, room, seat
        self.resize(size)
        driver.get("about:blank")
        driver.get_log("browser")  # what earlier pages complained of
        driver.get(f"http://127.0.0.1:{room.port}/#{room.tokens[seat]}")  # type: ignore[attr-defined]
        until(lambda: self.data("state"), "the first view")

    def resize(self, size: tuple[int, int]) -> None:
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size[0] < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def data(self, name: str) -> str:
        return self.driver.execute_script("return document.body.dataset[arguments[0]] || ''", name)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return until(lambda: self.all(selector), selector)[0]

    def text(self, selector: str) -> str:
        script = "const found = document.querySelector(arguments[0]); return found ? found.textContent : null"
        return until(lambda: [text] if (text := self.driver.execute_script(script, selector)) is not None else None, selector)[0]

    def hand(self) -> list[str]:
        return self.driver.execute_script("return [...document.querySelectorAll('#hand .card')].map((card) => card.dataset.card)")

    def wait_for_decision(self) -> bool:
        """Whether a decision of this seat is due; False once the round is over."""
        until(lambda: self.data("ask") or self.data("state") != "playing", "a decision or the end of the round")
        return bool(self.data("ask"))

    def wait_for_next(self, ask: str) -> None:
        until(lambda: self.data("ask") != ask or self.data("state") != "playing", "the click to show")

    def picture(self, name: str) -> None:
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(PICTURES / f"{name}.png"))

    def no_errors(self) -> None:
        assert [entry["message"] for entry in self.driver.get_log("browser")] == []

    def fits(self) -> None:
        """Nothing stands out to the right."""
        wide, width = self.driver.execute_script("return [document.documentElement.scrollWidth, window.innerWidth]")
        assert wide <= width

    def click_something(self, rng: random.Random) -> None:
        """Click what a player would, any of it; a colour is picked where one is asked for."""
        ask = self.data("ask")
        uno = self.all("#uno[aria-disabled=false]")
        if uno and rng.random() < 0.6:
            uno[0].click()
            self.wait_for_next(ask)
            return
        offers = self.all("#hand .card.fits") + self.all("#choices button")
        if not offers or (rng.random() < 0.05 and self.all("#draw[aria-disabled=false]")):
            offers = [rng.choice([self.one("#draw"), self.one("#draw-pile")])]
        rng.choice(offers).click()
        if colours := self.all("#picker[open] #picker-colours button"):
            rng.choice(colours).click()
        self.wait_for_next(ask)


def play_round(page: Page, rng: random.Random, name: str) -> int:
    clicks = 0
    while page.wait_for_decision():
        page.click_something(rng)
        clicks += 1
        if clicks == 6:
            page.picture(f"{name}-middle")
    page.picture(f"{name}-over")
    return clicks


@pytest.mark.parametrize(("rules", "size"), [("official", DESKTOP), ("party", DESKTOP), ("official", PHONE), ("party", PHONE)])
def test_whole_rounds_by_clicks(chromium: webdriver.Chrome, rules: str, size: tuple[int, int]) -> None:
    rng = random.Random(f"{rules}{size}")
    table = a_table(rules, num_players=4, seed=12, vs="rule")
    name = f"{rules}-{'desktop' if size == DESKTOP else 'phone'}"
    with served(table) as room:
        page = Page(chromium, room, size=size)
        page.picture(f"{name}-start")
        clicks = play_round(page, rng, name)
        assert clicks >= 4
        assert table.game.over
        assert table.log
        assert page.text("#prompt").endswith("the round.")
        page.fits()
        page.one("[data-key=next]").click()
        until(lambda: "round 2" in page.text("#facts"), "the second round")
        play_round(page, rng, f"{name}-second")
        assert table.game.state.round == 2
        page.no_errors()


def test_stop_save_and_play_again(chromium: webdriver.Chrome, tmp_path: Path) -> None:
    table = a_table("research", num_players=2, seed=3, vs="rule")
    chromium.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    with served(table) as room:
        page = Page(chromium, room)
        play_round(page, random.Random(4), "single")
        assert page.data("state") == "match over"
        page.one("[data-key=save]").click()
        file = tmp_path / "uno-match.jsonl"
        until(lambda: file.exists() and file.stat().st_size, "the saved match")
        assert Game.replay(file.read_text()).to_bytes() == table.game.to_bytes()
        page.one("[data-key=replay]").click()
        replay = tmp_path / "uno-replay.html"
        until(lambda: replay.exists() and "</html>" in replay.read_text(), "the saved replay")
        page.one("[data-key=new]").click()
        until(lambda: page.data("state") == "playing", "a new match")
        page.no_errors()


# Every kind of decision -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_a_challenge_says_what_it_means(chromium: webdriver.Chrome, size: tuple[int, int]) -> None:
    position = position_at(
        [["g1", "b2", "y3", "r7", "W"], ["b1", "y2"], ["b3", "b4"], ["W4", "r2", "g2"]], top="r1", actor=3, turn=3, rules="official"
    )
    table = at_position(a_table(vs="rule"), position)
    table.game.push("W4:b")
    with served(table, adviser=("strategist", load("strategist"))) as room:
        page = Page(chromium, room, size=size)
        page.wait_for_decision()
        assert "Cleo played Wild Draw Four while red was in force" in page.text("#prompt")
        assert "Draw 4 cards" in page.text("[data-key=accept]")
        assert "if not, you draw 6 cards" in page.text("[data-key=challenge]")
        page.one("#hint").click()
        until(lambda: page.one("#hints").is_displayed(), "the hint")
        page.picture(f"challenge-{size[0]}")
        page.fits()
        page.one("[data-key=challenge]").click()
        until(lambda: "Your turn" in page.text("#prompt"), "the verdict")
        assert table.game.hand(3)[:1]
        assert len(table.game.hand(3)) == 6
        # The hand was shown to the challenger: its cards lie open.
        assert "you know red 2, green 2" in page.text("#others [data-seat='3']")
        page.picture(f"challenged-{size[0]}")
        page.no_errors()


def test_swapping_hands(chromium: webdriver.Chrome) -> None:
    position = position_at([["r7", "b2", "y3"], ["b1", "y2"], ["b3", "b4", "g9"], ["g2", "g3"]], top="r1", rules="house_seven_zero")
    table = at_position(a_table("house_seven_zero", people=4), position)
    with served(table) as room:
        page = Page(chromium, room)
        page.one("#hand [data-card=r7]").click()
        until(lambda: "whom to swap" in page.text("#prompt"), "the swap")
        page.picture("swap")
        page.one("[data-key='swap:2']").click()
        until(lambda: page.hand() == ["g9", "b3", "b4"], "the new hand")
        assert "you know yellow 3, blue 2" in page.text("#others [data-seat='2']")
        page.no_errors()


def test_catching_and_being_caught(chromium: webdriver.Chrome) -> None:
    position = position_at(
        [["b1", "y2", "g5"], ["r3", "y2"], ["b3", "b4"], ["g2", "g3"]], top="r1", actor=1, turn=1, rules="official"
    )
    table = at_position(a_table(people=2, num_players=4, vs="rule"), position)  # people at 0 and 2
    table.game.push("r3")
    for _ in range(2):  # the agents that are asked first say nothing here
        if table.game.phase.name == "CATCH" and table.game.actor != 0:
            table.game.push("pass")
    with served(table) as room:
        page = Page(chromium, room)
        page.wait_for_decision()
        assert "Ada holds one card and has not called Uno." in page.text("#prompt")
        page.picture("catch")
        page.one("[data-key=catch]").click()
        until(lambda: "3 cards" in page.text("#others [data-seat='1'] .count"), "the penalty")
        page.no_errors()


@pytest.mark.parametrize(("calls", "cards"), [(False, 3), (True, 1)])
def test_the_uno_button_can_be_forgotten(chromium: webdriver.Chrome, calls: bool, cards: int) -> None:
    position = position_at([["r3", "y2"], ["b1", "y5"], ["b3", "b4"], ["g2", "g3"]], top="r1", rules="official")
    table = at_position(a_table(vs="rule"), position)
    with served(table) as room:
        page = Page(chromium, room)
        page.wait_for_decision()
        assert page.all("#uno[aria-disabled=false]")
        assert "uno" not in page.text("#prompt").lower()  # nobody reminds the player
        if calls:
            page.one("#uno").click()
            until(lambda: "Uno called" in page.text("#uno"), "the call")
            page.picture("called")
        page.one("#hand [data-card=r3]").click()
        until(lambda: len(page.hand()) == cards, "the play, and the catch where nothing was called")
        page.picture(f"uno-{'called' if calls else 'forgotten'}")
        page.no_errors()


def test_jumping_in(chromium: webdriver.Chrome) -> None:
    position = position_at(
        [["r5", "y3", "g1"], ["b1", "y2"], ["r5", "b4", "g9"], ["g2", "g3"]], top="r1", actor=2, turn=2, rules="house_jump_in"
    )
    table = at_position(a_table("house_jump_in", vs="rule"), position)
    table.game.push("r5")
    with served(table) as room:
        page = Page(chromium, room)
        page.wait_for_decision()
        assert "jump in?" in page.text("#prompt")
        page.picture("jump-in")
        page.one("[data-key=card-r5]").click()
        until(lambda: "r5" not in page.hand(), "the jump")
        assert "You jump in with red 5" in page.text("#log")
        page.no_errors()


def test_a_starter_wild_and_a_stack(chromium: webdriver.Chrome) -> None:
    table = at_position(a_table(vs="rule"), position_at([["r7", "b1"]], top="W", rules="official", phase="COLOUR"))
    with served(table) as room:
        page = Page(chromium, room)
        page.wait_for_decision()
        page.picture("starter-wild")
        page.one("[data-key='colour:b']").click()
        until(lambda: "blue" in page.text("#colour"), "the colour")
        page.no_errors()
    position = position_at(
        [["rD", "b1"], ["b2", "b3"], ["b4", "b6"], ["gD", "g2"]], top="g1", actor=3, turn=3, rules="house_stacking"
    )
    table = at_position(a_table("house_stacking", vs="rule"), position)
    table.game.push("gD") if table.game.legal_texts() == ["gD"] else table.game.push("uno")
    if "gD" in table.game.legal_texts():
        table.game.push("gD")
    with served(table) as room:
        page = Page(chromium, room)
        page.wait_for_decision()
        assert "2 cards are due" in page.text("#prompt")
        page.picture("stack")
        page.one("[data-key=accept]").click()
        until(lambda: len(page.hand()) == 4, "the two cards")
        page.no_errors()


# Keyboard, people, phones ---------------------------------------------------------------------------------------------


def test_the_keyboard_is_enough(chromium: webdriver.Chrome) -> None:
    position = position_at([["r3", "W", "b8", "y2"], ["b1", "y5"], ["b3", "b4"], ["g2", "g3"]], top="r1", rules="official")
    table = at_position(a_table(vs="rule", practice=True), position)
    with served(table) as room:
        page = Page(chromium, room)
        page.wait_for_decision()

        def press(*keys: str) -> None:
            page.driver.switch_to.active_element.send_keys(*keys)

        press(Keys.ARROW_RIGHT)
        assert page.driver.switch_to.active_element.get_attribute("aria-label") == "red 3, can be played"
        press(Keys.ARROW_RIGHT)
        assert page.driver.switch_to.active_element.get_attribute("aria-label") == "yellow 2, does not fit"
        press(Keys.ENTER)
        assert "can not be played now" in page.text("#me")
        assert len(page.hand()) == 4
        press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
        assert page.driver.switch_to.active_element.get_attribute("aria-label") == "Wild, can be played"
        press(Keys.ENTER)
        assert page.all("#picker[open]")
        page.picture("picker")
        press(Keys.ESCAPE)
        until(lambda: not page.all("#picker[open]"), "the picker to close")
        page.one("#hand [data-card=W]").send_keys(Keys.ENTER)
        press("g")
        until(lambda: len(page.hand()) == 3, "the Wild")
        assert "You play Wild and name green" in page.text("#say")
        page.wait_for_decision()
        # Focus stays in the hand, and a decision can be taken back.
        assert page.driver.switch_to.active_element.get_attribute("data-card")
        press("z")
        until(lambda: len(page.hand()) == 4 and page.data("ask"), "the decision taken back")
        press("d")
        until(lambda: len(page.hand()) == 5, "the drawn card")
        press("?")
        until(lambda: page.all("#help[open]"), "help")
        page.picture("help")
        page.one("#keys").click()
        page.one("#help-close").click()
        size = len(page.hand())
        page.driver.find_element(By.TAG_NAME, "body").send_keys("d")
        time.sleep(0.2)
        assert len(page.hand()) == size  # letters are switched off
        page.no_errors()


def test_two_people_in_two_browsers_see_their_own_cards(chromium: webdriver.Chrome) -> None:
    table = a_table(people=2, num_players=4, seed=9, vs="rule")
    rng = random.Random(3)
    with served(table) as room:
        first = Page(chromium, room, 0)
        windows = [chromium.current_window_handle]
        chromium.switch_to.new_window("tab")
        windows.append(chromium.current_window_handle)
        second = Page(chromium, room, 2)
        pages: dict[int, Page] = {0: first, 2: second}
        try:
            for _ in range(30):
                until(lambda: stands_still(table), "a person's decision")
                if table.game.over:
                    break
                for window, (seat, page) in zip(windows, pages.items(), strict=True):
                    chromium.switch_to.window(window)
                    until(lambda page=page, seat=seat: page.hand() == table.game.hand(seat), "the hand")
                    others = page.driver.execute_script(
                        "return [...document.querySelectorAll('#others use')].map((use) => use.getAttribute('href'))"
                    )
                    known = sum(len(entry["cards"]) for entry in table.game.position()["known"] if entry["seat"] == seat)
                    assert sum(href != "#card-back" for href in others) == known
                actor = table.game.actor
                chromium.switch_to.window(windows[list(pages).index(actor)])
                pages[actor].wait_for_decision()
                pages[actor].click_something(rng)
            chromium.switch_to.window(windows[1])
            second.picture("two-people")
            # A reload shows the same hand; nothing is lost, the game waits.
            chromium.refresh()
            until(lambda: second.data("state") and second.hand() == table.game.hand(2), "the hand after a reload")
            second.no_errors()
        finally:
            chromium.switch_to.window(windows[1])
            chromium.close()
            chromium.switch_to.window(windows[0])


def test_the_page_comes_back_after_the_server_was_away(chromium: webdriver.Chrome) -> None:
    table = a_table(seed=9, vs="rule")
    tokens = {0: "a-token-of-the-test"}
    with served(table, tokens=tokens) as room:
        page = Page(chromium, room)
        page.wait_for_decision()
        hand = page.hand()
        port = room.port  # type: ignore[attr-defined]
    until(lambda: page.data("link") == "lost", "the lost connection to show")
    page.picture("lost")
    assert page.hand() == hand
    page.driver.get_log("browser")  # refused connections are told there
    again = Room(table, delay=0.0, tokens=tokens)
    config = uvicorn.Config(
        make_app(again), host="127.0.0.1", port=port, log_level="warning", access_log=False, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        until(lambda: page.data("link") == "open", "the connection")
        page.wait_for_decision()
        page.click_something(random.Random(0))
    finally:
        server.should_exit = True
        thread.join(10)


def test_a_wrong_address_says_so(chromium: webdriver.Chrome) -> None:
    with served(a_table()) as room:
        Page(chromium, room)
        for fragment, why in (("", "Open the address"), ("wrong", "opens no seat")):
            chromium.get("about:blank")
            chromium.get(f"http://127.0.0.1:{room.port}/#{fragment}")  # type: ignore[attr-defined]
            until(lambda why=why: why in chromium.find_element(By.ID, "link").text, why)


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
@pytest.mark.parametrize(("players", "rules"), [(2, "official"), (10, "party"), (6, "team")])
def test_all_sizes_of_table_fit(chromium: webdriver.Chrome, players: int, rules: str, size: tuple[int, int]) -> None:
    table = a_table(rules, num_players=players, seed=2, vs="rule")
    rng = random.Random(players)
    with served(table) as room:
        page = Page(chromium, room, size=size)
        for _ in range(3):
            if page.wait_for_decision():
                page.click_something(rng)
        page.wait_for_decision()
        page.picture(f"table-of-{players}-{size[0]}")
        page.fits()
        page.no_errors()
