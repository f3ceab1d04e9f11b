"""Declared tables: what may be written under a declaration, and the names of interval columns."""

import numpy as np
import pandas as pd
import pytest

from stages.core.stage.tables import MeasuredTable, interval_columns, interval_names

TABLE = MeasuredTable(
    "stage/{corpus}-list",
    ("layer", *interval_names(value="mean")),
    numbered=("share",),
    optional=("segment",),
)


def rows(**columns: float) -> pd.DataFrame:
    return pd.DataFrame([{"layer": 0, **interval_columns("", 2.0, 1.0, 3.0, "mean"), **columns}])


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_several_tables_are_written_as_one():
    part = rows()
    part.index = [9]
    TABLE.write([part, part], corpus="pairs")
    read = pd.read_parquet("work/measures/stage/pairs-list.parquet")
    assert read["layer"].tolist() == [0, 0]
    assert tuple(read) == TABLE.columns


def test_numbered_and_optional_columns_may_come_beside():
    TABLE.write(rows(share_1=0.5, share_1_low=0.4, share_12=0.6, segment=1), corpus="pairs")
    assert TABLE.path(corpus="pairs").is_file()


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        (rows().drop(columns=["high", "low"]), "lacks the columns high, low"),
        (rows(share=0.5, note=1), "has undeclared columns note, share"),
        (rows(note=1).drop(columns="mean"), "lacks the columns mean; has undeclared columns note"),
    ],
)
def test_other_columns_are_refused(table, complaint):
    with pytest.raises(ValueError, match=rf"stage/pairs-list\.parquet: {complaint}$"):
        TABLE.write(table, corpus="pairs")
    assert not TABLE.path(corpus="pairs").exists()


@pytest.mark.parametrize("parts", [[], pd.DataFrame(), pd.DataFrame(columns=["high", "layer"])])
def test_a_table_without_rows_is_written_with_the_columns_that_it_must_have(parts):
    TABLE.write(parts, corpus="pairs")
    read = pd.read_parquet("work/measures/stage/pairs-list.parquet")
    assert {name: str(kind) for name, kind in read.dtypes.items()} == {
        "layer": "int64",
        "mean": "float64",
        "low": "float64",
        "high": "float64",
    }
    assert len(read) == 0


def test_a_table_without_rows_keeps_the_numbered_and_optional_columns_that_it_has():
    TABLE.write(pd.DataFrame(columns=["share_1", "segment"]), corpus="pairs")
    read = pd.read_parquet("work/measures/stage/pairs-list.parquet")
    assert list(read) == [*TABLE.columns, "share_1", "segment"]


def test_columns_that_nobody_declared_are_refused_without_rows_too():
    with pytest.raises(ValueError, match="has undeclared columns note$"):
        TABLE.write(pd.DataFrame(columns=["note"]), corpus="pairs")


def test_a_table_without_rows_needs_no_resamples():
    drawn = MeasuredTable("stage/{corpus}", ("arm", "gain"), resampled=("gain",))
    drawn.write([], corpus="pairs")
    assert np.load(drawn.resampled_path(corpus="pairs")).shape == (1, 0, 0)
    drawn.write([pd.DataFrame()], [np.empty((1, 0, 5))], corpus="pairs")
    assert np.load(drawn.resampled_path(corpus="pairs")).shape == (1, 0, 5)
    assert list(pd.read_parquet(drawn.path(corpus="pairs"))) == ["arm", "gain"]


def test_interval_columns_are_called_by_name_value_or_both():
    assert interval_names("gain") == ("gain", "gain_low", "gain_high")
    assert interval_names(value="mean") == ("mean", "low", "high")
    assert interval_names("gain", "value") == ("gain_value", "gain_low", "gain_high")
    assert interval_columns("gain", 2, 1, 3) == {"gain": 2, "gain_low": 1, "gain_high": 3}
