"""The control on its page, on synthetic measures."""

import pandas as pd
import pytest


def test_the_control_stands_beside_the_tuned_encoder(synthetic_reports):
    table = pd.read_csv(synthetic_reports / "reports/site/tables/control-heads.csv")
    assert table["task"].drop_duplicates().tolist() == ["relevance", "sentiment"]
    assert table["weights"].tolist() == ["tuned", "tuned_from_random"] * 4
    assert sorted(set(table["mode"])) == ["uniform", "zero"]  # not `mean`: the control has none
    assert ((table["mean_low"] <= table["mean"]) & (table["mean"] <= table["mean_high"])).all()
    gates = pd.read_parquet(synthetic_reports / "work/measures/control/sentiment.parquet")
    heads_zero = (gates["mode"] == "zero") & (gates["family"] == "head")
    own = 100 * gates.loc[heads_zero, "effect"].mean()
    row = table[(table["task"] == "sentiment") & (table["mode"] == "zero")].iloc[1]
    assert row["mean"] == pytest.approx(own, abs=1e-3)
    heads = pd.read_csv(synthetic_reports / "reports/heads.csv")
    assert "tuned_from_random, cosine before/after tuning" in heads
