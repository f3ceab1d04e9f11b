"""The control in the stage `ablate`, on tiny models: effects are those of full forward passes."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from stages.ablate import stage as ablate
from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.gate_batches import GateBatch, off_matrix
from stages.core.heads.gates import Gate
from stages.core.heads.seam import Gated
from stages.core.outcomes.tables import CURVES, GAPS, GATES, HELD_OUT, MEANS
from stages.core.tables import Table
from stages.core.tasks.examples import draw_examples, read_examples
from tests import toy

CONTROL = {
    "modes": ["zero"],
    "batch": 8,
    "examples": None,
    "shares": [0.25, 0.5],
    "half_shares": [0.25, 0.5],
    "draws": 2,
    "share_examples": 12,
}
TUNED = {"examples": 2, "shares": [0.5], "half_shares": [], "draws": 1, "share_examples": 2}
ABLATE = {
    "modes": ["zero"],
    "sizes": {"zero": TUNED},
    "for_tasks": [],
    "control": CONTROL,
    "precision": "fp32",
    "batch": 8,
    "reference": 4,
    "splits": 20,
    "resamples": 50,
    "seed": 0,
}


@pytest.fixture
def project(tmp_path, monkeypatch, tiny_bert) -> Path:
    """A folder with 24 examples, a tuned model and another one in the place of the control."""
    monkeypatch.chdir(tmp_path)
    toy.write_parameters(ablate=ABLATE)
    toy.write_examples_of("toy", 24, pairs=False)
    validation = toy.examples_path("toy")
    validation.with_name("train.parquet").write_bytes(validation.read_bytes())
    toy.write_models(tiny_bert, "tuned", "tuned_from_random")
    return tmp_path


def of_control(declared: Table) -> pd.DataFrame:
    """The rows of the control in a table of effects, which has others of the tuned encoder."""
    table = pd.read_parquet(declared.path("toy"))
    assert set(table["arm"]) == {"tuned", "tuned_from_random"} or declared is GAPS
    return table[table["arm"] == "tuned_from_random"]


def accuracy_without(heads: list[tuple[int, int]], count: int = 24) -> float:
    """Of the tuned model without some heads, by one full pass an example."""
    folder = Path("work/models/toy/tuned_from_random-0")
    model = Gated(load_tuned(folder))
    examples = draw_examples(read_examples(toy.examples_path("toy")), count, 0)
    off = off_matrix([Gate("zero", tuple(heads), "random")], model.layers, model.heads)
    right = 0
    with torch.inference_mode():
        for batch in encode(load_tokenizer(folder), examples, 40).batches(1):
            logits = model(batch.inputs, gate=GateBatch("zero", off))
            right += int(logits.argmax()) == examples["label"].iloc[batch.rows[0]]
    return right / len(examples)


def test_effects_of_every_head_and_layer(project):
    ablate.run_stage("toy", 0)
    gates = of_control(GATES).set_index("family")
    heads, layers = gates.loc["head"], gates.loc["layer"]
    assert heads[["layer", "head"]].drop_duplicates().shape == (8, 2)
    for row in heads.iloc[[0, 5]].itertuples():
        assert row.ablated == pytest.approx(accuracy_without([(row.layer, row.head)]))
    assert layers["layer"].tolist() == [0, 1]
    off = [(1, head) for head in range(4)]
    assert layers["ablated"].iloc[1] == pytest.approx(accuracy_without(off))


def test_shares_of_heads_in_the_mode_zero(project):
    ablate.run_stage("toy", 0)
    curves = of_control(CURVES)
    assert set(curves["mode"]) == {"zero"}
    assert set(curves["examples"]) == {12}
    places = set(zip(curves["band"], curves["share"], strict=True))
    assert places == {
        *(("all", share) for share in (0.0, 0.25, 0.5)),
        *((band, share) for band in ("lower", "upper") for share in (0.0, 0.5, 1.0)),
    }
    upper = curves[(curves["band"] == "upper") & (curves["share"] == 1)].iloc[0]
    off = accuracy_without([(1, head) for head in range(4)], 12)
    assert upper["effect"] == pytest.approx(off - accuracy_without([], 12))
    gaps = of_control(GAPS)
    assert gaps["share"].tolist() == [0.5, 1.0]
    for declared, rows in ((CURVES, len(curves)), (GAPS, 2), (MEANS, 2), (HELD_OUT, 4)):
        table = of_control(declared)
        assert len(table) == rows
        low = np.quantile(np.stack(list(table["effect_drawn"])), 0.025, axis=1)
        np.testing.assert_allclose(table["effect_low"], low, atol=1e-6)
