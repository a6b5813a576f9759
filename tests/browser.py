"""Headless Chromium for tests, driven over WebDriver's plain HTTP interface.

It needs Debian's ``chromium`` and ``chromium-driver``, and no Python package.
"""

from __future__ import annotations

import base64
import contextlib
import json
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
MISSING = None if CHROMIUM and DRIVER else "needs Chromium: apt-get install -y chromium chromium-driver"
"""Why there is no browser; None if there is one."""

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
_FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
]


class Browser:
    """One browser with one tab."""

    def __init__(self, address: str, profile: str) -> None:
        options = {"binary": CHROMIUM, "args": [*_FLAGS, f"--user-data-dir={profile}"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self._address = address
        self._session = "/session"
        answer = self._ask("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"/session/{answer['sessionId']}"

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self._address + self._session + path, data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def size(self, width: int, height: int) -> None:
        """The size of the page, exactly; narrow ones as on a phone."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self._ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics})

    def offline(self) -> None:
        """Cut the browser off from every network."""
        self._ask("POST", "/goog/cdp/execute", {"cmd": "Network.enable", "params": {}})
        conditions = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        self._ask("POST", "/goog/cdp/execute", {"cmd": "Network.emulateNetworkConditions", "params": conditions})

    def open(self, address: str) -> None:
        """Load a page."""
        self._ask("POST", "/url", {"url": address})

    def run(self, script: str, *arguments: Any) -> Any:
        """The value that a script returns; arguments are ``arguments[0]`` and so on."""
        return self._ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, condition: str, seconds: float = 10) -> Any:
        """The value of a script's expression, as soon as it is true; ``TimeoutError`` if it does not become so."""
        end = time.monotonic() + seconds
        while not (value := self.run(f"return {condition}")):
            if time.monotonic() > end:
                raise TimeoutError(f"{condition} is {value!r} after {seconds} s")
            time.sleep(0.02)
        return value

    def click(self, selector: str) -> None:
        """Click with the mouse on what a CSS selector finds first."""
        found = self._ask("POST", "/element", {"using": "css selector", "value": selector})
        self._ask("POST", f"/element/{found[_ELEMENT]}/click", {})

    def press(self, key: str) -> None:
        """Press a key: a letter, or a code point of WebDriver's."""
        actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self._ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def complaints(self) -> list[str]:
        """What the browser's console has said since the last call."""
        return [entry["message"] for entry in self._ask("POST", "/se/log", {"type": "browser"})]

    def screenshot(self, path: Path) -> None:
        """Save what is seen as PNG."""
        path.write_bytes(base64.b64decode(self._ask("GET", "/screenshot")))

    def quit(self) -> None:
        """End the browser."""
        self._ask("DELETE", "")


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """A fresh browser with an empty profile, gone afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        driver = subprocess.Popen([DRIVER or "chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        try:
            assert driver.stdout is not None
            port = None
            for line in driver.stdout:
                if found := re.search(r"started successfully on port (\d+)", line):
                    port = found[1]
                    break
            assert port, "chromedriver did not start"
            tab = Browser(f"http://127.0.0.1:{port}", profile)
            try:
                yield tab
            finally:
                tab.quit()
        finally:
            driver.terminate()
            driver.wait(10)
            if driver.stdout is not None:
                driver.stdout.close()
