"""Reading the measures of one configuration: which files, in which order."""

import pandas as pd
import pytest

from stages.core.stage.files import InputError
from stages.core.tables import Table, Value
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures
from tests.claims import write_table

GAINS = Table("b/gains", keys="data arm layer", values={"gain": Value("gain", resampled=True)})
HALVES = Table("b/halves", keys="data", values={"gain": Value("gain")})


def write(measures, data: str, *gains: float, table: Table = GAINS) -> None:
    write_table(measures, table, [{"gain": gain} for gain in gains], data=data)


def test_rows_come_in_the_order_of_run_and_remains_are_left_alone(measures):
    for data in ("two", "old", "one"):
        write(measures, data, 1.0)
    measures = measures.of(["one", "two"], [])
    assert measures.rows(GAINS)["data"].tolist() == ["one", "two"]


def test_a_table_does_not_take_the_files_of_another(measures):
    write(measures, "one", 1.0)
    write(measures, "one", 2.0, table=HALVES)
    assert measures.rows(GAINS)["gain"].tolist() == [1]
    assert measures.rows(HALVES)["gain"].tolist() == [2]


def test_missing_and_broken_measures_are_told_apart(measures):
    with pytest.raises(NotMeasured, match="`b`"):
        measures.rows(GAINS)
    (measures.folder / "b/one").mkdir(parents=True)
    (measures.folder / "b/one/gains.parquet").write_bytes(b"PAR1 cut short")
    with pytest.raises(InputError, match=r"one/gains\.parquet.*dvc repro"):
        measures.rows(GAINS)


@pytest.mark.parametrize("rows", [[], [{"gain": 0.5}]])
def test_a_table_that_lacks_columns_is_refused_with_the_stage_to_run_anew(measures, rows):
    """As an earlier version of a stage left it, with rows or without."""
    (measures.folder / "b/one").mkdir(parents=True)
    pd.DataFrame(rows, columns=["gain"]).to_parquet(measures.folder / "b/one/gains.parquet")
    with pytest.raises(InputError, match=r"one/gains\.parquet: lacks the columns arm.* b$"):
        measures.rows(GAINS)


def test_a_table_without_rows_changes_no_type_of_those_that_have_some(measures, monkeypatch):
    write(measures, "two", 0.5)
    alone = [measures.rows(GAINS, drawn=drawn) for drawn in (False, True)]
    monkeypatch.chdir(measures.folder)
    GAINS.write([], data="one")
    (measures.folder / "b/one").mkdir()
    GAINS.path("one").rename(measures.folder / "b/one/gains.parquet")
    for drawn, rows in zip((False, True), alone, strict=True):
        pd.testing.assert_frame_equal(measures.rows(GAINS, drawn=drawn), rows)
    with pytest.raises(NotMeasured, match="no row"):
        measures.of(["one"], []).rows(GAINS)


def test_layers_are_counted_in_tables_that_have_rows(measures):
    write(measures, "one")
    assert measures.layers is None
    rows = [{"gain": 1.0, "layer": layer} for layer in (0, 5)]
    write_table(measures, GAINS, rows, data="two")
    assert measures.layers == 6


def test_measures_of_studies_that_are_left_out_are_remains(measures):
    write(measures, "one", 1.0)
    tasks = (measures.folder, measures.primary, [], {}, ())
    only = Measures(*tasks, measured=["a"])
    with pytest.raises(NotMeasured, match="`b` is left out of this configuration"):
        only.rows(GAINS)
    assert len(Measures(*tasks, ["b"]).rows(GAINS)) == 1
    with pytest.raises(NotMeasured, match="left out"):
        only.of(["one"], []).rows(GAINS)
