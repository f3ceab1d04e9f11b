"""The times of stages are read, put into words and written beside the overview."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stages.report.times import FILE, StageTime, in_words, read_times, write_times

ROOT = Path(__file__).parents[2]
SCRIPT = "</script><script>globalThis.hostile = true</script>"


def time(stage: str = "drift", item: str = "", seconds: float = 2.0, **others) -> StageTime:
    told = {"peak_bytes": 300_000_000, "ended": "2026-01-01T10:00:00+00:00"} | others
    return StageTime(stage, item, seconds, **told)


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([], "No stage has left its time."),
        (
            [time(seconds=59.4)],
            "1 run of a stage: 59.4 s. The most memory that one process had: 300 MB, of drift.",
        ),
        (
            [time(seconds=59.4), time(item="a", seconds=0.2, peak_bytes=1_234_000_000)],
            "2 runs of stages, together 1 min 0 s. "
            "The most memory that one process had: 1,234 MB, of drift@a.",
        ),
        (
            [time(item="a", seconds=3600.0), time(item="b", seconds=119.0)],
            "2 runs of stages, together 1 h 1 min. "
            "The most memory that one process had: 300 MB, of drift@a and 1 more.",
        ),
    ],
)
def test_words_say_the_sum_and_whose_peak_is_highest(times, expected):
    assert in_words(times) == expected


def test_damaged_files_are_left_out_and_others_stand_as_they_ended(tmp_path):
    good = {"stage": "b", "item": "", "seconds": 1.5, "peak_bytes": 3, "ended": "2026-01-02"}
    contents = {
        "a": good,
        "b": good | {"stage": "a", "ended": "2026-01-01"},
        "half": '{"stage": "b", "it',
        "text": good | {"seconds": "1.5"},
        "minus": good | {"seconds": -1},
        "number": good | {"stage": 3},
        "nan": good | {"seconds": float("nan")},
        "list": [good],
        "less": {"stage": "b"},
    }
    for name, content in contents.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (tmp_path / f"{name}.json").write_text(text)
    assert [one.stage for one in read_times(tmp_path)] == ["a", "b"]
    assert read_times(tmp_path / "missing") == []


def test_the_file_holds_every_row_and_ends_no_script_early(tmp_path):
    assert write_times(tmp_path, [time(SCRIPT, "ewt")])
    text = (tmp_path / FILE).read_text()
    assert text.count("<script>") == 1 and SCRIPT not in text
    told = json.loads(text.split("timesOfStages: ")[1].split(' }, "*")')[0])
    assert told["rows"][0] == {
        "stage": SCRIPT,
        "item": "ewt",
        "seconds": 2.0,
        "peak_bytes": 300_000_000,
        "ended": "2026-01-01T10:00:00+00:00",
    }


def test_without_times_an_old_file_goes(tmp_path):
    write_times(tmp_path, [time()])
    assert not write_times(tmp_path, [])
    assert list(tmp_path.iterdir()) == []


def test_the_report_stage_adds_its_own_time(tmp_path):
    """The command as DVC runs it, with a drawing that does nothing."""
    drawing = (
        "import runpy, sys, types\n"
        "made = types.ModuleType('stages.report.stage')\n"
        "made.run_stage = lambda: None\n"
        "sys.modules['stages.report.stage'] = made\n"
        "sys.argv = ['report']\n"
        "runpy.run_module('stages.report', run_name='__main__')\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT), "DVC_STAGE": "report"}
    subprocess.run([sys.executable, "-c", drawing], cwd=tmp_path, env=environment, check=True)
    (own,) = read_times(tmp_path / "work/times")
    assert own.stage == "report" and own.seconds > 0
    assert '"stage":"report"' in (tmp_path / "reports" / FILE).read_text()
