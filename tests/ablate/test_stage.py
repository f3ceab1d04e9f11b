"""The stage `ablate`: sizes of modes and tasks, and effects in every metric."""

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError
from sklearn.metrics import f1_score

from stages.ablate import stage as ablate
from stages.ablate.settings import Ablate
from stages.core.heads.gates import random_shares, single_heads, whole_layers
from stages.core.outcomes.outcomes import write_outcomes
from stages.core.outcomes.tables import CURVES, GAPS, GATES, HELD_OUT, MEANS
from stages.core.stage.places import outcomes_folder
from tests import toy

SIZES = {
    "examples": 256,
    "shares": [0.1, 0.5],
    "half_shares": [],
    "draws": 10,
    "share_examples": 80,
}
SECTION = {
    "modes": ["zero", "uniform"],
    "sizes": {"zero": SIZES, "uniform": SIZES | {"draws": 3}},
    "for_tasks": [],
    "precision": "fp32",
    "batch": 4,
    "reference": 8,
    "control": SIZES | {"modes": ["zero", "uniform"], "batch": 8},
    "splits": 20,
    "resamples": 30,
    "seed": 0,
}


def test_a_task_has_its_own_sizes_in_one_mode():
    own = [
        {"task": "one", "mode": "zero", "examples": None, "draws": 20},
        {"task": "two", "mode": "uniform", "shares": []},
    ]
    section = Ablate(**SECTION | {"for_tasks": own})
    sizes = section.sizes_for("one", "zero")
    assert (sizes.examples, sizes.draws) == (None, 20)
    assert (sizes.shares, sizes.share_examples) == ([0.1, 0.5], 80)
    assert section.sizes_for("one", "uniform").draws == 3
    assert section.sizes_for("two", "zero") == section.sizes["zero"]
    assert section.sizes_for("two", "uniform").shares == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"modes": ["zero", "mean"]}, "lacks the modes mean"),
        ({"sizes": {mode: SIZES | {"shares": []} for mode in ("zero", "uniform")}}, "shares"),
        ({"control": SECTION["control"] | {"shares": []}}, "control.shares"),
        ({"control": SECTION["control"] | {"modes": ["mean"]}}, "control.modes"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(changes, words):
    with pytest.raises(ValidationError, match=words):
        Ablate(**SECTION | changes)


def test_gates_of_each_arm():
    """Two layers of three heads: 8 gates a mode. All heads of a half are one set."""
    control = {"examples": None, "shares": [0.5], "draws": 2, "half_shares": [0.25, 0.5]}
    changes = {"modes": ["zero", "mean"], "sizes": {"zero": SIZES, "mean": SIZES | {"shares": []}}}
    section = Ablate(**SECTION | changes | {"control": SECTION["control"] | control})
    tuned = section.gate_sets("one", "tuned", 2, 3)
    assert [(name, len(gates), count) for name, gates, count in tuned] == [
        ("fixed-zero", 8, 256),
        ("shares-zero", 2 * 10, 80),
        ("fixed-mean", 8, 256),
    ]
    of_control = section.gate_sets("one", "tuned_from_random", 2, 3)
    assert [(name, len(gates), count) for name, gates, count in of_control] == [
        ("fixed-zero-uniform", 16, None),
        ("shares-zero", 2 + 2 * (2 + 1), 80),
    ]
    assert {gate.mode for gate in of_control[1].gates} == {"zero"}
    assert (section.batch_of("tuned"), section.batch_of("tuned_from_random")) == (4, 8)


def test_effects_are_in_accuracy_with_the_first_metric_beside_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    task = toy.PARAMETERS["tasks"]["toy"] | {"metrics": ["f1", "accuracy"]}
    toy.write_parameters(tasks={"toy": task}, ablate=SECTION)
    monkeypatch.setattr(ablate, "tuned_arms", lambda task, seed: [("tuned", seed)])
    monkeypatch.setattr(ablate, "outcomes_of", lambda *words: outcomes_folder("toy", 0))
    monkeypatch.setattr(ablate, "publish", lambda *words: None)
    generator = np.random.default_rng(0)
    labels = generator.integers(0, 2, 24)
    right = generator.random(24) < 0.8
    shares = {"zero": [0.5, 1.0], "mean": [1.0]}

    def write(name, gates, count):
        examples = pd.DataFrame(
            {"id": [f"x{row}" for row in range(count)], "label": labels[:count]}
        )
        wrong = generator.random((len(gates) + 1, count)) < 0.2
        guesses = np.where(right[:count] ^ wrong, labels[:count], 1 - labels[:count])
        logits = np.eye(2)[guesses]
        write_outcomes(outcomes_folder("toy", 0) / name, gates, examples, logits[0], logits[1:])
        return guesses

    kept = {}
    for mode, count in (("zero", 24), ("mean", 12)):
        gates = [*single_heads(2, 3, mode), *whole_layers(2, 3, mode)]
        kept[mode] = write(f"fixed-{mode}", gates, count)
        write(f"shares-{mode}", list(random_shares(2, 3, mode, shares[mode], 2, 0)), 10)
    ablate.run_stage("toy", 0)

    gates = pd.read_parquet(GATES.path("toy"))
    assert gates.groupby(["metric", "mode"], sort=False).size().to_dict() == {
        ("accuracy", "mean"): 8,
        ("accuracy", "zero"): 8,
        ("f1", "mean"): 8,
        ("f1", "zero"): 8,
    }
    for mode, count in (("zero", 24), ("mean", 12)):
        rows = gates[gates["mode"] == mode].set_index(["metric", "family", "layer", "head"])
        before, *after = kept[mode]
        row = rows.loc[("accuracy", "head", 1, 2)]
        assert row["examples"] == count
        assert row["effect"] == pytest.approx(
            np.mean(after[5] == labels[:count]) - np.mean(before == labels[:count])
        )
        row = rows.loc[("f1", "layer", 1, -1)]
        assert row["ablated"] == pytest.approx(f1_score(labels[:count], after[7]))
        assert row["baseline"] == pytest.approx(f1_score(labels[:count], before))
    for table, rows in ((MEANS, 2 * 2 * 2), (HELD_OUT, 2 * 2 * 2 * 2)):
        assert len(pd.read_parquet(table.path("toy"))) == rows
    curves = pd.read_parquet(CURVES.path("toy"))
    assert curves.groupby("mode").size().to_dict() == {"zero": 2 * 3 * 3, "mean": 2 * 3 * 2}
    assert set(curves["examples"]) == {10}
    assert len(pd.read_parquet(GAPS.path("toy"))) == 2 * (2 + 1)
