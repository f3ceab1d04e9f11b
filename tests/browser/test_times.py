"""The overview shows the times of stages where their file lies beside it, and complains of none."""

import shutil
from pathlib import Path

import pytest

from stages.report.times import FILE, StageTime, write_times
from tests.browser.checked import assert_sound, checked
from tests.browser.test_report import CHROMIUM, browse

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on PATH")
HOSTILE = '</script><script>globalThis.hostile = true</script><img src=x onerror="hostile = true">'
TIMES = [
    StageTime("drift", "long", 100.04, 2_000_000_000, "2026-01-01T10:00:00+00:00"),
    StageTime("ablate", HOSTILE, 9.0, 300_000_000, "2026-01-02T10:00:00+00:00"),
    StageTime("findings", "", 20.0, 30_000_000, "2026-01-01T09:00:00+00:00"),
]
SHOWN = """
const rows = () => [...document.querySelectorAll("#times + div tbody tr")].map(
  (row) => [...row.cells].map((cell) => cell.textContent));
globalThis.said = [document.querySelector("#times + div p").textContent, rows()];
for (const column of [2, 3]) {
  document.querySelectorAll("#times + div th button")[column].click();
  said.push(rows().map((row) => row[0]));
}
"""


@pytest.fixture
def reports(synthetic_reports, tmp_path) -> Path:
    copied = tmp_path / "reports"
    copied.mkdir()
    shutil.copy(synthetic_reports / "reports/index.html", copied)
    shutil.copytree(synthetic_reports / "reports/assets", copied / "assets")
    return copied


@pytest.mark.parametrize(("width", "dark"), [(400, True), (1200, False)])
def test_times_stand_in_a_table_that_sorts_by_number(width, dark, reports, tmp_path):
    write_times(reports, TIMES)
    found = checked(
        reports / "index.html", tmp_path / "profile", width=width, dark=dark, action=SHOWN
    )
    assert_sound(found)
    assert not found["script_ran"]
    said, rows, by_seconds, by_memory = found["said"]
    assert said.startswith("3 runs of stages, together 2 min 9 s. ")
    assert rows == [
        ["drift", "long", "100.0", "2000", "2026-01-01 10:00:00"],
        ["ablate", HOSTILE, "9.0", "300", "2026-01-02 10:00:00"],
        ["findings", "", "20.0", "30", "2026-01-01 09:00:00"],
    ]
    assert by_seconds == ["ablate", "findings", "drift"]
    assert by_memory == ["findings", "ablate", "drift"]


@pytest.mark.parametrize("there", [True, False])
def test_no_file_is_no_complaint(there, reports, tmp_path):
    if there:
        write_times(reports, TIMES)
    assert (reports / FILE).exists() == there
    dom, log = browse(reports / "index.html", tmp_path / "profile")
    assert [line for line in log.splitlines() if "CONSOLE" in line] == []
    assert ("python -m stages.report times" in dom) != there
