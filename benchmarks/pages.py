"""How soon the pages of a report and of the viewer can be used, and how large they are."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import pandas as pd

from stages.core.stage.files import InputError
from stages.view.view import write_view
from tests.checkpoints import text_of, write_shaped
from tests.view.chromium import CLICK, POINT, Browser, delays

MEGABYTE = 1e6
PAGE_SECONDS, REPORT_MEGABYTES, VIEW_MEGABYTES = 2, 15, 3  # what they may be
COUNTED = 40  # tokens of the viewer's page whose size is bounded
SHAPES = ((6, 12, 384), (12, 12, 768))  # layers, heads, hidden size: of MiniLM and of bert-base
TOKENS = (COUNTED, 128)
# A page can be used when its charts are drawn and its data are there, and a frame follows.
READY = """new Promise((done) => {
  const waiting = "[data-chart]:not(.vega-embed), body[aria-busy=true]";
  const look = () => document.readyState !== "complete" || document.querySelector(waiting)
    ? setTimeout(look, 5)
    : requestAnimationFrame(() => setTimeout(() => done(performance.now())));
  look();
})"""
MOVE = (
    "const box = one.getBoundingClientRect(); one.dispatchEvent(new PointerEvent('pointermove',"
    "{clientX: box.left + box.width / 2, clientY: box.top + box.height / 2}));"
)
DOWN = "one.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown'}));"
HEAD, TOKEN, CANVAS = '[data-head="3-3"]', '.from [data-unit="2"]', ".panel canvas"
# What is done, the address of the page before it, the element, and the event.
INPUTS = (
    ("point at one of all heads", "", HEAD, POINT),
    ("open a head", "", HEAD, CLICK),
    ("point at a token", "#view=head&heads=3", TOKEN, POINT),
    ("point at a token of six heads", "#view=head&heads=0%201%202%203%204%205", TOKEN, POINT),
    ("point at a map", "#view=map", CANVAS, MOVE),
    ("next token of neurons", "#view=neuron", CANVAS, DOWN),
    ("from a map to all heads", "#view=map", "#tab-model", CLICK),
)


def measure(reports: Path, rounds: int) -> pd.DataFrame:
    """The report's pages, the viewer's inputs and both sizes.

    Returns:
        what, value (the median of some rounds where it is a time), largest (of the rounds), unit
        and bar, which the value should not pass; blank where nobody set one.

    Raises:
        InputError: there is no report.
    """
    with _browser() as browser:
        parts = [loads(browser, reports, rounds), sizes(reports)]
        with tempfile.TemporaryDirectory() as folder:
            parts.append(viewer(browser, Path(folder), rounds))
    columns = ["what", "value", "largest", "unit", "bar"]
    return pd.concat([part.reindex(columns=columns) for part in parts], ignore_index=True)


@contextmanager
def _browser() -> Iterator[Browser]:
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(Path(profile))
        try:
            yield browser
        finally:
            browser.close()


def loads(browser: Browser, reports: Path, rounds: int) -> pd.DataFrame:
    """Seconds from the call of every page until it can be used, the slowest first."""
    pages = [reports / "index.html", *sorted((reports / "pages").glob("*.html"))]
    if not pages[0].is_file():
        raise InputError(f"{pages[0]}: no such file; `dvc repro` draws it")
    rows = []
    for page in pages:
        taken = []
        for _ in range(rounds):
            browser.open(page.resolve())
            taken.append(browser.ask(READY) / 1000)
        said = {"what": f"until usable: {page.stem}", "unit": "s", "bar": PAGE_SECONDS}
        rows.append(said | {"value": median(taken), "largest": max(taken)})
    return pd.DataFrame(rows).sort_values("value", ascending=False, kind="stable")


def sizes(reports: Path) -> pd.DataFrame:
    """Megabytes of the report by its parts, the largest first, and of all that the stage draws.

    Pictures, benchmarks and the comparison are no part of it: they are made by other commands.
    """
    apart = {"pictures", "benchmarks", "comparison.html"}
    parts = {
        part.name: sum(file.stat().st_size for file in [part, *part.rglob("*")] if file.is_file())
        for part in reports.iterdir()
    }
    drawn = sum(size for name, size in parts.items() if name not in apart)
    rows = [{"what": "size: the report", "value": drawn / MEGABYTE, "bar": REPORT_MEGABYTES}]
    for name, size in sorted(parts.items(), key=lambda part: (-part[1], part[0])):
        beside = " (beside it)" if name in apart else ""
        rows.append({"what": f"size: {name}{beside}", "value": size / MEGABYTE})
    return pd.DataFrame(rows).assign(unit="MB")


def viewer(browser: Browser, folder: Path, rounds: int) -> pd.DataFrame:
    """Milliseconds from an input of the viewer to its frame, and megabytes of its page."""
    rows = []
    for layers, heads, hidden in SHAPES:
        checkpoint = write_shaped(folder / f"{layers}", layers, heads, hidden, max(TOKENS))
        for tokens in TOKENS:
            page = folder / f"{layers}-{tokens}.html"
            write_view(text_of(tokens), checkpoint=str(checkpoint), output=page)
            of = f"{layers} x {heads} heads, {tokens} tokens"
            for done, address, selector, event in INPUTS:
                taken = []
                for _ in range(rounds):
                    browser.open(page, address)
                    taken.append(delays(browser, [selector], event))
                said = {"what": f"viewer, {of}: {done}", "unit": "ms"}
                rows.append(said | {"value": median(taken), "largest": max(taken)})
            size = {"what": f"viewer, {of}: size", "value": page.stat().st_size / MEGABYTE}
            rows.append(
                size | {"unit": "MB"} | ({"bar": VIEW_MEGABYTES} if tokens == COUNTED else {})
            )
    return pd.DataFrame(rows)
