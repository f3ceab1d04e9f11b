"""Pages acted on and checked in headless Chromium, at the width of a telephone too."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

from tests.browser.test_report import browse

CHECKS = Path(__file__).with_name("checks.js")
# A window is at least 500 pixels wide; a frame may be narrower.
FRAME = """<!doctype html><html><body style="margin:0">
<iframe title="page" src="{name}" width="{width}" height="900" style="border:0"></iframe><script>
addEventListener("message", (event) => {{
  const said = document.createElement("pre");
  said.id = "said";
  said.textContent = event.data;
  document.body.append(said);
}});
</script></body></html>
"""
REPORTING = """<script>{checks}
addEventListener("load", () => setTimeout(() => {{
  {action}
  parent.postMessage(JSON.stringify({{...check(), said: globalThis.said ?? null}}), "*");
}}, 3000));</script></body>"""


def checked(
    page: Path, profile: Path, *, width: int = 1200, dark: bool = False, action: str = ""
) -> dict[str, Any]:
    """What `checks.js` finds after an action, and what the action left in `globalThis.said`.

    Args:
        width: of the page, in pixels.
        action: statements that run when the page has drawn its charts.
    """
    acted = page.with_name(f"acted-{page.name}")
    frame = page.with_name(f"frame-{page.name}")
    script = REPORTING.format(checks=CHECKS.read_text(encoding="utf-8"), action=action)
    text = page.read_text(encoding="utf-8")
    acted.write_text(text.replace("</body>", script), encoding="utf-8")
    frame.write_text(FRAME.format(name=acted.name, width=width), encoding="utf-8")
    more = ["--blink-settings=preferredColorScheme=0"] if dark else []
    try:
        dom, _ = browse(frame, profile, [f"--window-size={max(width, 600)},1000", *more])
    finally:
        acted.unlink()
        frame.unlink()
    (said,) = re.findall(r'<pre id="said">(.*?)</pre>', dom, re.S)
    found = json.loads(unescape(said))
    assert (found["width"], found["dark"]) == (width, dark)
    return found


def assert_sound(found: dict[str, Any]) -> None:
    """Controls have names and a visible focus, texts are dark enough, nothing is too wide."""
    assert found["controls"] > 3
    for what in ("unnamed", "unfocused", "pale", "wide"):
        assert found[what] == [], what
    assert found["sideways"] <= 0
