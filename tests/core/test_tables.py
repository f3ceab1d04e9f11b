"""Declared tables: their columns, their files, and which rows a selection takes."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stages.core.stage.files import InputError
from stages.core.tables import Table, Value, count, estimate_columns, name
from stages.core.verdicts.answers import NotMeasured

TABLE = Table(
    "stage/list",
    keys="data seed arm layer head",
    values={
        "share": Value("share", "share", bounds=(0, 1), interval=True, resampled=True),
        "relation": name("relation"),
        "cases": count("cases"),
        "segment": Value("segment", optional=True, interval=True),
        "weight": Value("weight", numbered=True, interval=True),
    },
)


def rows(*layers: int, **columns) -> pd.DataFrame:
    shares = 0.1 * np.array(layers, dtype=float)
    drawn = shares[:, None] + np.zeros((len(layers), 3))
    made = estimate_columns("share", shares, shares - 0.1, shares + 0.1, drawn)
    keys = {"seed": 0, "arm": "tuned", "layer": layers, "head": 1}
    return pd.DataFrame(keys | {"relation": "obj", "cases": 7} | made).assign(**columns)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_tables_are_written_one_below_the_other_in_the_declared_order():
    TABLE.write([rows(2, weight_2=0.5, weight_2_low=0.4), rows(3)], data="one")
    written = pd.read_parquet("work/measures/stage/one/list.parquet")
    assert list(written) == [
        *("data", "seed", "arm", "layer", "head", "share", "share_low", "share_high"),
        *("relation", "cases", "weight_2", "weight_2_low", "share_drawn"),
    ]
    assert written["data"].tolist() == ["one", "one"]
    assert written["layer"].tolist() == [2, 3]
    assert written["share_drawn"].iloc[1] == pytest.approx([0.3, 0.3, 0.3])
    assert written["share_drawn"].iloc[1].dtype == np.float32


def test_a_key_may_have_one_value_for_all_rows():
    TABLE.write(rows(2).drop(columns=["seed", "arm"]), data="one", seed=3, arm="untuned")
    written = pd.read_parquet(TABLE.path("one"))
    assert written[["seed", "arm"]].to_numpy().tolist() == [[3, "untuned"]]


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        (rows(1).drop(columns=["share_low", "head"]), "lacks the columns head, share_low"),
        (rows(1, note=1, weight=2), "has undeclared columns note, weight"),
        (rows(1, note=1).drop(columns="cases"), "lacks the columns cases; has undeclared .* note"),
    ],
)
def test_other_columns_are_refused(table, complaint):
    with pytest.raises(ValueError, match=rf"stage/one/list\.parquet: {complaint}$"):
        TABLE.write(table, data="one")
    assert not TABLE.path("one").exists()


@pytest.mark.parametrize("tables", [[], pd.DataFrame(), [rows(1).iloc[:0]]])
def test_a_table_without_rows_has_all_columns_with_their_types(tables):
    TABLE.write(tables, data="one")
    written = pd.read_parquet(TABLE.path("one"))
    assert len(written) == 0
    types = {column: str(kind) for column, kind in written.dtypes.items()}
    assert types["layer"] == types["seed"] == types["cases"] == "int64"
    assert types["share_low"] == "float64" and "segment_low" in types


def test_an_empty_part_does_not_change_the_types_of_others():
    TABLE.write([pd.DataFrame(columns=list(rows(1))), rows(4)], data="one")
    assert pd.read_parquet(TABLE.path("one"))["layer"].tolist() == [4]


def test_a_selection_takes_rows_by_value_list_and_decimal():
    table = rows(1, 2, 3).assign(data="one", level=[0.1, 0.2, 0.1 + 0.2])
    assert TABLE.where(layer=2).of(table)["layer"].tolist() == [2]
    assert TABLE.where(layer=[1, 3]).of(table)["layer"].tolist() == [1, 3]
    assert TABLE.where(level=0.3).of(table)["layer"].tolist() == [3]
    assert TABLE.without(layer=[2]).where(layer=[2, 3]).of(table)["layer"].tolist() == [3]


def test_measures_read_data_sets_in_the_order_of_the_settings(measures):
    for data in ("two", "other", "one"):
        folder = measures.folder / "stage" / data
        folder.mkdir(parents=True)
        rows(1).assign(data=data).to_parquet(folder / "list.parquet")
    assert measures.of(["two", "one"], []).rows(TABLE)["data"].tolist() == ["two", "one"]
    assert "share_drawn" not in measures.rows(TABLE)
    assert "share_drawn" in measures.rows(TABLE, drawn=True)
    with pytest.raises(NotMeasured, match="no row with layer 9"):
        measures.rows(TABLE.where(layer=9))
    rows(1).drop(columns="cases").to_parquet(measures.folder / "stage/one/list.parquet")
    with pytest.raises(InputError, match=r"list\.parquet: lacks the columns cases, data; .*stage"):
        measures.rows(TABLE)
    (measures.folder / "stage/one/list.parquet").write_bytes(b"no table")
    with pytest.raises(InputError, match=r"stage/one/list\.parquet: not readable"):
        measures.rows(TABLE)


def test_a_table_about_no_data_set_stands_in_the_folder_of_its_stage(measures, monkeypatch):
    table = Table("stage/folds", keys="layer", values={"label": name("label")})
    with pytest.raises(NotMeasured):
        measures.rows(table)
    table.write(pd.DataFrame({"layer": [2], "label": ["block"]}))
    written = Path("work/measures/stage/folds.parquet")
    (measures.folder / "stage").mkdir()
    written.rename(measures.folder / "stage/folds.parquet")
    assert measures.rows(table).to_dict("records") == [{"layer": 2, "label": "block"}]
