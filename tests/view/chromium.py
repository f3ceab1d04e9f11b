"""A page in headless Chromium: real clicks, keys and touches, by the browser's own pipe.

Chromium speaks its DevTools protocol over two inherited file descriptors, a JSON object and a zero
byte at a time, so that no library and no port is needed.
"""

import base64
import fcntl
import json
import os
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.browser.test_report import CHROMIUM

# Events at an element `one`, for `delays`.
POINT = "one.dispatchEvent(new PointerEvent('pointerenter', {pointerType: 'mouse'}));"
CLICK = "one.click();"
SECONDS = 120  # until a page is ready, on a machine that has other work
FIRST_FREE = 10  # the pipe's ends must be none of the descriptors that bash moves them to
# Keys that do something in the page: code, and the character that the key types.
KEYS = {
    "Tab": (9, ""),
    "Enter": (13, "\r"),
    "Escape": (27, ""),
    "End": (35, ""),
    "Home": (36, ""),
    "ArrowLeft": (37, ""),
    "ArrowUp": (38, ""),
    "ArrowRight": (39, ""),
    "ArrowDown": (40, ""),
}

NAVIGATED = "navigated"  # said of a question to a page that a link leaves just then


class LeftPage(Exception):
    """The page that was asked is no longer shown."""


class Browser:
    """One Chromium with one page, which can resolve no name."""

    def __init__(self, profile: Path):
        ends = [*os.pipe(), *os.pipe()]
        taken, self._writing, self._reading, given = (
            fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE) for end in ends
        )
        for end in ends:
            os.close(end)
        command = [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            f"--user-data-dir={profile}",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--remote-debugging-pipe",
            "about:blank",
        ]
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{taken} 4>&{given}', *command],
            pass_fds=(taken, given),
            stderr=subprocess.DEVNULL,
        )
        os.close(taken)
        os.close(given)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self._loaded: set[str] = set()
        self.complaints: list[str] = []  # what the page logged, or asked of a network
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send("Page.setLifecycleEventsEnabled", enabled=True)

    def close(self) -> None:
        """End the browser."""
        self._session = None
        self.send("Browser.close")
        self._process.wait(timeout=30)
        os.close(self._writing)
        os.close(self._reading)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A command's result; events that come before it are kept."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if NAVIGATED in answer.get("error", {}).get("message", ""):
                    raise LeftPage(method)
                assert "error" not in answer, (method, answer)
                return answer["result"]
            self._note(answer)

    def open(self, page: Path, address: str = "", width: int = 1300, height: int = 900) -> None:
        """Show a page; an address begins with #."""
        self.size(width, height)
        self.send("Page.navigate", url="about:blank")  # or another address is the same document
        self.complaints.clear()
        loader = self.send("Page.navigate", url=page.as_uri() + address)["loaderId"]
        while loader not in self._loaded:
            self._note(self._receive())
        self.frame()

    def size(self, width: int, height: int = 900, touch: bool = False) -> None:
        """Let the window have that many pixels, with a finger or a mouse."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": touch}
        self.send("Emulation.setDeviceMetricsOverride", **metrics)
        self.send("Emulation.setTouchEmulationEnabled", enabled=touch)

    def scheme(self, name: str) -> None:
        """Prefer `light` or `dark`."""
        feature = {"name": "prefers-color-scheme", "value": name}
        self.send("Emulation.setEmulatedMedia", features=[feature])

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression; a promise is waited for."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, (expression, answer["exceptionDetails"])
        return answer["result"].get("value")

    def frame(self) -> None:
        """Wait until what was asked for is drawn."""
        self.ask("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")

    def wait_for(self, condition: str) -> None:
        """Wait until a JavaScript expression is true, of the page that is shown then."""
        end = time.monotonic() + SECONDS
        while True:
            with suppress(LeftPage):
                if self.ask(condition):
                    return
            assert time.monotonic() < end, condition
            time.sleep(0.05)

    def middle(self, selector: str) -> tuple[float, float]:
        """Where the element is, after scrolling to it."""
        place = self.ask(
            f"(() => {{ const one = document.querySelector({json.dumps(selector)});"
            "one.scrollIntoView({block: 'center', inline: 'center'});"
            "const {x, y, width, height} = one.getBoundingClientRect();"
            "return [x + width / 2, y + height / 2]; })()"
        )
        return place[0], place[1]

    def hover(self, selector: str, by: tuple[float, float] = (0, 0)) -> None:
        """Point at the middle of an element, or beside it."""
        x, y = self.middle(selector)
        self._mouse("mouseMoved", x + by[0], y + by[1])
        self.frame()

    def click(self, selector: str, by: tuple[float, float] = (0, 0)) -> None:
        """Click at the middle of an element, or beside it."""
        x, y = (one + moved for one, moved in zip(self.middle(selector), by, strict=True))
        self._mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self._mouse(kind, x, y, button="left", clickCount=1)
        self.frame()

    def tap(self, selector: str) -> None:
        """Touch the middle of an element."""
        x, y = self.middle(selector)
        self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.frame()

    def press(self, *names: str) -> None:
        """Press keys, one after the other."""
        for name in names:
            code, text = KEYS[name]
            key = {"key": name, "code": name, "windowsVirtualKeyCode": code}
            kind = "keyDown" if text else "rawKeyDown"
            self.send("Input.dispatchKeyEvent", type=kind, text=text, **key)
            self.send("Input.dispatchKeyEvent", type="keyUp", **key)
        self.frame()

    def text(self, selector: str) -> str:
        """The text of an element, without the marks around quoted tokens."""
        found = self.ask(f"document.querySelector({json.dumps(selector)}).textContent")
        return found.replace("\u2068", "").replace("\u2069", "")

    def picture(self, file: Path, full: bool = False) -> None:
        """Write what is shown as a PNG; `full`: with what lies below the window."""
        taken = self.send("Page.captureScreenshot", captureBeyondViewport=full)
        file.write_bytes(base64.b64decode(taken["data"]))

    def _mouse(self, kind: str, x: float, y: float, **others: Any) -> None:
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **others)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            part = os.read(self._reading, 1 << 20)
            assert part, "Chromium ended"
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def _note(self, event: dict[str, Any]) -> None:
        if "method" not in event:
            return
        details = event["params"]
        if event["method"] == "Page.lifecycleEvent" and details["name"] == "load":
            self._loaded.add(details["loaderId"])
        if event["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
            self.complaints.append(json.dumps(details))
        if event["method"] == "Log.entryAdded":
            self.complaints.append(details["entry"]["text"])
        if event["method"] == "Network.requestWillBeSent":
            address = details["request"]["url"]
            if not address.startswith(("file:", "about:", "data:")):
                self.complaints.append(f"asked for {address}")


def delays(browser: Browser, selectors: list[str], act: str) -> float:
    """The longest time from an event to the frame that shows it, in milliseconds."""
    return browser.ask(
        "(async () => { const times = [];"
        f"for (const selector of {json.dumps(selectors)}) {{"
        "  const one = document.querySelector(selector); const began = performance.now();"
        f"  {act}"
        "  await new Promise((done) => requestAnimationFrame(() => {"
        "    const channel = new MessageChannel(); channel.port1.onmessage = done;"
        "    channel.port2.postMessage(null); }));"
        "  times.push(performance.now() - began); }"
        "return Math.max(...times); })()"
    )
