"""Reading the measures of one configuration: which files, in which order."""

import pytest

from stages.core.stage.files import InputError
from stages.core.stage.tables import MeasuredTable
from stages.core.verdicts.answers import NotMeasured
from tests.claims import write

RUNS = MeasuredTable("runs/{task}-{arm}-{seed}", ("x",))
GATES = MeasuredTable("gates/{task}-{seed}", ("x",))
HALVES = MeasuredTable("gates/{task}-{seed}-halves", ("x",))
CHANGES = MeasuredTable("changes/{task}", ("x",))


def test_frames_come_in_the_order_of_run_and_leave_remains_alone(measures):
    for name in (
        "two-untuned-0",
        "one-untuned-10",
        "one-untuned-1",
        "one-untuned-0",
        "old-untuned-0",
    ):
        write(measures, f"runs/{name}", [{"x": 1}])
    frame = measures.frame(RUNS)
    assert frame[["task", "seed"]].to_numpy().tolist() == [["one", 0], ["one", 1], ["two", 0]]


def test_a_pattern_does_not_take_files_of_another(measures):
    write(measures, "gates/one-0", [{"x": 1}])
    write(measures, "gates/one-0-halves", [{"x": 2}])
    assert measures.frame(GATES)["x"].tolist() == [1]
    assert measures.frame(HALVES)["x"].tolist() == [2]


def test_missing_and_broken_measures_are_told_apart(measures):
    with pytest.raises(NotMeasured, match="changes"):
        measures.frame(CHANGES)
    (measures.folder / "changes").mkdir()
    (measures.folder / "changes" / "one.parquet").write_bytes(b"PAR1 cut short")
    with pytest.raises(InputError, match=r"one\.parquet.*dvc repro"):
        measures.frame(CHANGES)
