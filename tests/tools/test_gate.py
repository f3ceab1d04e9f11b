"""The gate tells a changed number from a number that stayed."""

import numpy as np
import pandas as pd

from tools import gate

FINDING = {
    "value": 3.25,
    "low": 1.0,
    "high": None,
    "verdict": "holds",
    "control": {"value": 0.5, "beyond": {"value": 2.75, "low": 1.0}},
}


def test_a_figure_a_verdict_and_a_lost_claim_are_told():
    before = {"A1": FINDING, "A2": FINDING}
    assert list(gate.claim_differences(before, before)) == []
    close = FINDING | {"value": 3.25004}  # the same at four places
    assert list(gate.claim_differences({"A1": FINDING}, {"A1": close})) == []
    control = FINDING["control"] | {"beyond": {"value": 2.7502, "low": 1.0}}
    after = {"A1": FINDING | {"verdict": "fails", "control": control}, "A3": FINDING}
    assert list(gate.claim_differences(before, after)) == [
        "A1: control.beyond.value was 2.75 and is 2.7502",
        "A1: verdict was holds and is fails",
        "A2: no finding now",
        "A3: no finding before",
    ]


def test_tables_are_compared_by_value(tmp_path, monkeypatch):
    before, after = tmp_path / "before", tmp_path / "after"
    rows = pd.DataFrame({"layer": [0, 1], "effect": [0.5, np.nan], "words": [["a"], []]})
    for folder in (before, after):
        (folder / "drift").mkdir(parents=True)
        rows.to_parquet(folder / "drift/one.parquet")
        np.save(folder / "drift/one-resampled.npy", np.ones(3))
    assert list(gate.table_differences(before, after)) == []
    rows.assign(effect=[0.5, 0.1]).to_parquet(after / "drift/one.parquet")
    np.save(after / "drift/one-resampled.npy", np.zeros(3))
    assert list(gate.table_differences(before, after)) == [
        "drift/one.parquet: the column effect has other values",
        "drift/one-resampled.npy: it has other values",
    ]
    rows.rename(columns={"effect": "change"}).to_parquet(after / "drift/one.parquet")
    (after / "drift/one-resampled.npy").unlink()
    monkeypatch.setattr(gate, "MOVED", {"drift/one.parquet:effect": "change"})
    assert list(gate.table_differences(before, after)) == ["drift/one-resampled.npy: it is gone"]
