"""The stage on tiny models of two seeds."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.gate_batches import GateBatch
from stages.core.heads.seam import Gated
from stages.core.stage.files import InputError
from stages.core.tasks.examples import read_examples
from stages.matching import stage
from tests import toy

MATCHING = {
    "tasks": ["toy"],
    "unit": "words",
    "frequent": None,
    "share": 0.125,
    "reading_share": 0.5,
    "find_examples": None,
    "examples": None,
    "draws": 3,
    "kept_draws": 2,
    "reading_draws": 1,
    "draw_examples": 12,
    "precision": "fp32",
    "map_batch": 4,
    "batch": 4,
    "resamples": 20,
    "seed": 0,
}
ARMS = ("untuned", "tuned_from_random", "tuned", "random_weights")


def prepare(tiny_bert, pairs: bool) -> None:
    run = {"seeds": [1, 0], "control_seeds": 1}
    toy.write_parameters(matching=MATCHING, run=run)
    toy.write_examples_of("toy", 24, pairs)
    validation = toy.examples_path("toy")
    validation.with_name("train.parquet").write_bytes(validation.read_bytes())
    for seed in (1, 0):
        toy.write_models(tiny_bert, *(ARMS if seed == 1 else ("untuned", "tuned")), seed=seed)


def accuracy_without_lower_half(seed: int) -> float:
    folder = Path(f"work/models/toy/tuned-{seed}")
    gated = Gated(load_tuned(folder))
    examples = read_examples(toy.examples_path("toy"))
    encoded = encode(load_tokenizer(folder), examples, 40)
    off = torch.zeros(1, gated.layers, gated.heads)
    off[:, : gated.layers // 2] = 1
    right = []
    with torch.inference_mode():
        for batch in encoded.batches(1):
            logits = gated(batch.inputs, gate=GateBatch("zero", off))
            right.append(int(logits.argmax()) == examples["label"][batch.rows[0]])
    return float(np.mean(right))


def check_groups(groups: pd.DataFrame, heads: pd.DataFrame) -> None:
    """Other heads have the mean of their figures, after and before tuning."""
    before = {"tuned": "untuned", "tuned_from_random": "random_weights"}
    rows = groups[(groups["group"] == "others") & (groups["figure"] == "itself")]
    for row in rows.to_dict("records"):
        of_arm = heads[(heads["arm"] == row["arm"]) & (heads["seed"] == row["seed"])]
        others = of_arm[(of_arm["layer"] < 1) & ~of_arm["matches"]]
        assert row["share"] == pytest.approx(others["itself"].mean())
        if row["arm"] in before:
            of_arm = heads[heads["arm"] == before[row["arm"]]].set_index(["layer", "head"])
            pairs = list(zip(others["layer"], others["head"], strict=True))
            assert row["before"] == pytest.approx(of_arm.loc[pairs, "itself"].mean())


def test_every_encoder_has_rows_and_a_seed_alone_needs_no_control(tmp_path, monkeypatch, tiny_bert):
    monkeypatch.chdir(tmp_path)
    prepare(tiny_bert, pairs=True)
    stage.run_stage("toy")
    heads = pd.read_parquet("work/measures/matching/toy/heads.parquet")
    assert heads.groupby(["arm", "seed"], sort=False).size().to_dict() == {
        ("untuned", 1): 8,
        ("random_weights", 1): 8,
        ("tuned", 1): 8,
        ("tuned", 0): 8,
        ("tuned_from_random", 1): 8,
    }
    effects = pd.read_parquet("work/measures/matching/toy/ablated.parquet")
    lower = effects[(effects["ablated"] == "lower") & (effects["arm"] == "tuned")].set_index("seed")
    for seed, row in lower.iterrows():
        expected = accuracy_without_lower_half(seed)
        assert row["baseline"] + row["effect"] == pytest.approx(expected)
        assert (row["heads_ablated"], row["sample"], row["examples"]) == (4, "all", 24)
    groups = pd.read_parquet("work/measures/matching/toy/groups.parquet")
    runs = groups.assign(tuned=groups["before"].notna())[["arm", "seed", "tuned"]]
    assert set(runs.itertuples(index=False, name=None)) == {
        ("untuned", 1, False),
        ("random_weights", 1, False),
        ("tuned", 1, True),
        ("tuned", 0, True),
        ("tuned_from_random", 1, True),
    }
    check_groups(groups, heads)
    assert not Path("work/scratch/matching/toy").exists()
    stage.run_stage("toy", 0)
    alone = pd.read_parquet("work/measures/matching/toy/ablated.parquet")
    assert set(alone["arm"]) == {"tuned"}
    rows = effects[(effects["arm"] == "tuned") & (effects["seed"] == 0)].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, rows)


def test_single_texts_are_refused(tmp_path, monkeypatch, tiny_bert):
    monkeypatch.chdir(tmp_path)
    prepare(tiny_bert, pairs=False)
    with pytest.raises(InputError, match=r"`matching\.tasks` has toy, whose examples are single"):
        stage.run_stage("toy")
