"""Pictures of the drawn report, for README: `python -m tests.browser.pictures`."""

import sys
import tempfile
import time
from pathlib import Path

from tests.view.chromium import Browser

SITE, PICTURES = Path("reports/site"), Path("reports/pictures")
WIDTH, HEIGHT = 1280, 800
COMPLETE = "document.readyState === 'complete'"
# Page, address, what must be true before it is taken, and what stands on top ("": the page's).
SHOWN = {
    "overview": ("index.html", "", COMPLETE, ""),
    # The head of which README speaks, on the text that the page opens with.
    "head": (
        "pages/head.html",
        "#of=0&layer=1&head=1",
        "document.body.getAttribute('aria-busy') === 'false'",
        "#viewer",
    ),
    "gallery": ("pages/gallery.html", "", COMPLETE, ""),
    "comparison": ("comparison.html", "", COMPLETE, ""),
}


def take(site: Path, pictures: Path) -> list[Path]:
    """Write a PNG of a window of each page; the files.

    Raises:
        AssertionError: a page was not ready in time.
        RuntimeError: a page complained, or asked for something of a network.
    """
    pictures.mkdir(parents=True, exist_ok=True)
    written = []
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(Path(profile))
        try:
            for name, (page, address, ready, top) in SHOWN.items():
                browser.open((site / page).resolve(), address, WIDTH, HEIGHT)
                browser.wait_for(ready)
                if top:
                    browser.ask(f"document.querySelector('{top}').scrollIntoView(); 0")
                time.sleep(1)  # pictures are drawn when they come into sight
                if browser.complaints:
                    raise RuntimeError(f"{page}: {browser.complaints[0]}")
                written.append(pictures / f"{name}.png")
                browser.picture(written[-1])
        finally:
            browser.close()
    return written


if __name__ == "__main__":
    for file in take(SITE, PICTURES):
        print(f"{file}: {file.stat().st_size / 1000:.0f} kB", file=sys.stderr)
