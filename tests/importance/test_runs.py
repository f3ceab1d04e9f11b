"""The stage on tiny models of two seeds, beside the outcomes that `ablate` has of them."""

import numpy as np
import pandas as pd
import pytest

from stages.ablate import stage as ablate
from stages.importance import stage as importance
from stages.importance.tables import AGREEMENT, COSTS, HEADS
from tests import toy

SIZES = {
    "examples": None,
    "shares": [1.0],
    "half_shares": [],
    "draws": 1,
    "share_examples": 4,
}
ABLATE = {
    "modes": ["zero"],
    "sizes": {"zero": SIZES},
    "for_tasks": [],
    "control": SIZES | {"modes": ["zero"], "batch": 8},
    "precision": "fp32",
    "batch": 8,
    "reference": 4,
    "splits": 2,
    "resamples": 20,
    "seed": 0,
}
RUN = {"seeds": [1, 0], "control_seeds": 1}
IMPORTANCE = {"batch": 8, "resamples": 20, "seed": 0}


@pytest.fixture
def project(tmp_path, monkeypatch, tiny_bert) -> None:
    """A folder with 16 examples, and of two seeds a model and its outcomes."""
    monkeypatch.chdir(tmp_path)
    toy.write_parameters(ablate=ABLATE, importance=IMPORTANCE, run=RUN)
    toy.write_examples_of("toy", 16)
    validation = toy.examples_path("toy")
    validation.with_name("train.parquet").write_bytes(validation.read_bytes())
    for seed in (0, 1):
        toy.write_models(tiny_bert, "tuned", "tuned_from_random", seed=seed)
    ablate.run_stage("toy")


def test_every_seed_of_the_task_has_rows_of_its_own(project):
    alone = {}
    for seed in (1, 0):
        importance.run_stage("toy", seed)
        alone[seed] = [pd.read_parquet(declared.path("toy")) for declared in (HEADS, AGREEMENT)]
    assert (alone[0][0]["importance"] != alone[1][0]["importance"]).any()
    importance.run_stage("toy")
    for place, declared in enumerate((HEADS, AGREEMENT)):
        together = pd.read_parquet(declared.path("toy"))
        expected = pd.concat([alone[1][place], alone[0][place]], ignore_index=True)
        pd.testing.assert_frame_equal(together, expected)
    drawn = np.stack(list(together["spearman_drawn"]))
    assert drawn.shape == (len(together), IMPORTANCE["resamples"])
    limits = np.quantile(drawn, [0.025, 0.975], axis=1)
    ends = together[["spearman_low", "spearman_high"]].to_numpy().T
    np.testing.assert_allclose(limits, ends, atol=1e-6)
    (cost,) = pd.read_parquet(COSTS.path("toy")).to_dict("records")
    assert cost["examples"] == 16
