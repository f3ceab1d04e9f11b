"""Fine-tunings that are joined to one row, with the interval of a claim on the same estimate."""

import numpy as np
import pytest

from stages.core.pages.joined import control_rows, joined, layer_means, panels
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
