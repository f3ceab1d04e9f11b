"""Fine-tunings that are joined to one row, with the interval of a claim on the same estimate."""

import numpy as np
import pytest

from stages.core.pages.joined import control_rows, joined, layer_means, panels
from stages.core.tables import Table, Value
from stages.core.verdicts.estimates import Estimate, over_seeds
from stages.core.verdicts.of_data import studied_rows
from stages.drift.tables import DRIFT
from tests.claims import write_table

KEYS = {"arm": "tuned", "variant": "cropped"}
CROPPED = DRIFT.where(variant="cropped")


def test_seeds_are_joined_as_claims_join_them_and_end_at_the_bounds(measures):
    for seed, cosine in ((0, 0.999), (1, 0.9)):
        rows = [
            {"layer": 0, "head": 0, "cosine": 0.5},
            {"layer": 1, "head": 1, "cosine": cosine},  # the last head, not the first
        ]
        write_table(measures, DRIFT, rows, 0.001, seed=seed, **KEYS)
    first, last = joined(measures, CROPPED, "cosine").to_dict("records")
    assert (first["layer"], first["head"], last["layer"], last["head"]) == (0, 0, 1, 1)
    assert "seed" not in last and "cosine_drawn" not in last
    assert last["cosine"] == pytest.approx(0.9495)
    # Two values 0.099 apart have a t interval of more than 0.6 to either side.
    assert last["cosine_high"] == 1 and 0 < last["cosine_low"] < 0.4
    drawn = measures.rows(CROPPED.where(layer=0), drawn=True).to_dict("records")
    claim = over_seeds([Estimate.of_value(row, "cosine", 1) for row in drawn])
    assert (first["cosine_low"], first["cosine_high"]) == pytest.approx((claim.low, claim.high))
    in_percent = joined(measures, CROPPED, "cosine", scale=100).to_dict("records")
    scaled = [in_percent[1][column] for column in ("layer", "cosine", "cosine_high")]
    assert scaled == pytest.approx([1, 94.95, 100])


def test_the_mean_of_a_layer_is_drawn_with_its_heads(measures):
    """Two heads whose noise is opposite have a mean without noise."""
    noise = 0.1 * np.random.default_rng(0).normal(size=200)
    rows = [
        {"layer": 1, "head": head, "cosine": 0.4 + 0.2 * head, "cosine_drawn": drawn}
        for head, drawn in enumerate((0.4 + noise, 0.6 - noise))
    ]
    write_table(measures, DRIFT, rows, seed=0, **KEYS)
    (row,) = layer_means(measures, CROPPED, "cosine").to_dict("records")
    assert (row["layer"], row["arm"]) == (1, "tuned")
    ends = row["cosine"], row["cosine_low"], row["cosine_high"]
    assert ends == pytest.approx((0.5, 0.5, 0.5), abs=1e-6)


def test_random_weights_have_panels_of_their_own(measures):
    for arm in ("tuned", "tuned_from_random"):
        rows = [{"layer": 0, "head": 0, "cosine": 0.5}]
        write_table(measures, DRIFT, rows, seed=0, variant="cropped", arm=arm)
    rows = panels(joined(measures, DRIFT, "cosine"))
    assert rows["panel"].tolist() == ["one, tuned", "one, tuned_from_random"]
    assert studied_rows(rows)["arm"].tolist() == ["tuned"]
    assert control_rows(rows)["arm"].tolist() == ["tuned_from_random"]
    assert panels(studied_rows(rows))["panel"].tolist() == ["one"]


def test_seeds_without_resamples_are_joined_in_their_first_order(measures):
    """Two values 2 apart: a standard error of 1, times Student's t of one degree of freedom."""
    table = Table("a/list", keys="data seed head", values={"effect": Value("e", interval=True)})
    runs = [(3, 0, 2.0), (3, 1, 4.0), (1, 0, 7.0), (1, 1, 7.0)]
    rows = [
        {"head": head, "seed": seed, "effect": effect}
        | {"effect_low": effect - 1, "effect_high": effect + 2}
        for head, seed, effect in runs
    ]
    write_table(measures, table, rows)
    third, first = joined(measures, table, "effect").to_dict("records")
    assert (third["head"], third["effect"]) == (3, 3)
    assert third["effect_low"] == pytest.approx(3 - np.hypot(1, 12.7062))
    assert third["effect_high"] == pytest.approx(3 + np.hypot(2, 12.7062))
    ends = first["effect"], first["effect_low"], first["effect_high"]
    assert ends == pytest.approx((7, 6, 9))  # seeds that agree add nothing
