"""The report in a browser that can resolve no name: everything it shows comes from the disk."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.synthetic_measures import HEADS, LAYERS, TASKS

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on PATH")


def browse(page: Path, profile: Path, options: Sequence[str] = ()) -> tuple[str, str]:
    """The page as it stands when its scripts have run, and what the browser logged."""
    command = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={profile}",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--virtual-time-budget=10000",
        "--enable-logging=stderr",
        *options,
        "--dump-dom",
        page.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, done.stderr


def marks(dom: str, figure: str, kind: str) -> int:
    """Marks of a kind in one figure."""
    part = re.search(rf'<figure id="{figure}">(.*?)</figure>', dom, re.S)[1]
    return len(re.findall(f'aria-roledescription="{kind}"', part))


CELLS = LAYERS * HEADS
MODELS = 3  # untuned, tuned, random weights
BANDS = 3
READERS = 2  # tuned, from the checkpoint and from random weights
SHARES = 6  # 0 among them
EXPECTED = {
    "index": {},
    "heads": {},
    "finetune": {"finetune-scores": {"circle": 6 * len(TASKS)}},
    "attend": {"attend-cls": {"rect mark": MODELS * CELLS}},
    "classifier": {"classifier-confusion": {"rect mark": 25, "text mark": 25}},
    "patterns": {  # the tuned encoder and random weights
        "patterns-shares-special": {"bar": MODELS * 5 * len(TASKS)},
        "patterns-shares-any": {"bar": MODELS * 5 * len(TASKS)},
        "patterns-heads": {"rect mark": 2 * 5 * CELLS},
    },
    # The tuned encoder, and the one tuned from random weights.
    "drift": {"drift-cropped": {"rect mark": 2 * len(TASKS) * CELLS}},
    "ablate": {
        "ablate-heads-uniform": {"rect mark": 2 * len(TASKS) * CELLS},
        "ablate-layers-zero": {"circle": 2 * len(TASKS) * LAYERS},
    },
    "reading": {
        "reading-heads": {"rect mark": READERS * CELLS},
        "reading-cls": {"bar": READERS * 2 * 5},  # intact and attacked, parts of a row
        "reading-cls-heads": {"rect mark": READERS * CELLS},
    },
    "shares": {"shares-zero": {"circle": 2 * len(TASKS) * BANDS * SHARES}},
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_page_draws_its_charts_without_a_network(name, synthetic_reports, tmp_path):
    reports = synthetic_reports / "reports/site"
    page = reports / "index.html" if name == "index" else reports / "pages" / f"{name}.html"
    dom, log = browse(page, tmp_path / "profile")
    complaints = [line for line in log.splitlines() if "CONSOLE" in line]
    assert complaints == []
    assert not re.findall(r'<(?:script|img|link|iframe)[^>]*(?:src|href)="(?:https?:)?//', dom)
    assert "data-chart" not in dom or "vega-embed" in dom
    for figure, kinds in EXPECTED[name].items():
        for kind, count in kinds.items():
            assert marks(dom, figure, kind) == count, (figure, kind)


def test_tables_can_be_sorted_and_heads_filtered(synthetic_reports, tmp_path):
    page = (synthetic_reports / "reports/site/pages/heads.html").read_text(encoding="utf-8")
    action = (
        "<script>addEventListener('load', () => {"
        "document.querySelectorAll('#heads th button')[1].click();"
        "document.querySelectorAll('#heads th button')[1].click();"
        "const box = document.querySelector('[data-filter]'); box.value = 'vertical';"
        "box.dispatchEvent(new Event('input'));})</script></body>"
    )
    changed = synthetic_reports / "reports/site/pages/acted.html"
    changed.write_text(page.replace("</body>", action), encoding="utf-8")
    try:
        dom, _ = browse(changed, tmp_path / "profile")
    finally:
        changed.unlink()
    rows = re.findall(r"<tr( hidden[^>]*)?>((?:<td.*?</td>)+)</tr>", dom)
    assert len(rows) == CELLS
    # The layer and the head lead to the head's page.
    heads = [int(re.findall(r"<td[^>]*>(?:<a [^>]*>)?(.*?)<", row)[1]) for _, row in rows]
    assert heads == sorted(heads, reverse=True)
    assert all(bool(hidden) != ("vertical" in row) for hidden, row in rows)
    assert 0 < sum(bool(hidden) for hidden, _ in rows) < CELLS
