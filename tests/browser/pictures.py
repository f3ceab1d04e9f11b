"""Pictures of the committed report, for README: `python -m tests.browser.pictures`."""

import sys
import tempfile
import time
from pathlib import Path

from tests.view.chromium import Browser

REPORTS = Path("reports")
PICTURES = REPORTS / "pictures"
WIDTH, HEIGHT = 1280, 800
# Page, address, and what must be true before it is taken.
SHOWN = {
    "overview": ("index.html", "", "document.readyState === 'complete'"),
    # The head of which README speaks, on the text that the page opens with.
    "head": (
        "pages/head.html",
        "#of=0&layer=1&head=1",
        "document.body.getAttribute('aria-busy') === 'false'",
    ),
    "gallery": ("pages/gallery.html", "", "document.readyState === 'complete'"),
    "comparison": ("comparison.html", "", "document.readyState === 'complete'"),
}


def take(reports: Path, pictures: Path) -> list[Path]:
    """Write a PNG of each page's first window; the files.

    Raises:
        AssertionError: a page was not ready in time.
        RuntimeError: a page complained, or asked for something of a network.
    """
    pictures.mkdir(parents=True, exist_ok=True)
    written = []
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(Path(profile))
        try:
            for name, (page, address, ready) in SHOWN.items():
                browser.open((reports / page).resolve(), address, WIDTH, HEIGHT)
                browser.wait_for(ready)
                time.sleep(1)  # pictures are drawn when they come into sight
                if browser.complaints:
                    raise RuntimeError(f"{page}: {browser.complaints[0]}")
                written.append(pictures / f"{name}.png")
                browser.picture(written[-1])
        finally:
            browser.close()
    return written


if __name__ == "__main__":
    for file in take(REPORTS, PICTURES):
        print(f"{file}: {file.stat().st_size / 1000:.0f} kB", file=sys.stderr)
