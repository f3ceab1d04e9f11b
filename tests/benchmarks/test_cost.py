"""What a configuration costs, computed: by hand once more, and as the configuration says it."""

import numpy as np
import pandas as pd
import pytest
from ruamel.yaml import YAML

from benchmarks.cost import BERT_BASE, CONTROL, GLUE, HEADS, SHARES, TUNING, cost, sentence
from benchmarks.encoders import mrpc_lengths
from stages.core.outcomes.modes import fixed_gates
from stages.core.stage.files import InputError
from stages.importance.cost import least_for_grid
from tools.pipeline import ROOT

FOLDER = ROOT / "configurations/bert-base"
HIDDEN, LAYERS = 768, 12


@pytest.fixture
def changed(tmp_path):
    """The cost of the configuration with changes of its settings."""

    def make(change):
        yaml = YAML()
        settings = yaml.load(FOLDER / "params.yaml")
        change(settings)
        yaml.dump(settings, tmp_path / "params.yaml")
        return cost(tmp_path).set_index("part")

    return make


def test_the_configuration_says_what_the_command_prints():
    lines = (FOLDER / "settings.yaml").read_text().split("\nfindings:")[0].splitlines()
    said = " ".join(line.removeprefix("# ") for line in lines)
    assert sentence(cost(FOLDER)) in said, "renew with: python -m benchmarks cost"


def test_fine_tuning_by_hand():
    """Two arms, three epochs, a forward pass and twice as much backward."""
    table = cost(FOLDER).set_index("part")
    forward = {
        task: LAYERS * (2 * tokens * 12 * HIDDEN**2 + 4 * tokens**2 * HIDDEN)
        for task, ((_, tokens), _) in GLUE.items()
    }
    operations = sum(own.train.examples * forward[task] for task, own in GLUE.items())
    assert table.loc[TUNING, "operations"] == 2 * 3 * 3 * operations
    steps = 2 * 3 * sum(own.train.examples for own in GLUE.values()) / 32
    assert table.loc[TUNING, "steps"] == pytest.approx(steps)
    # So short are examples that on both cards a step lasts as long as starting its kernels.
    assert table.loc[TUNING, "A100"] == pytest.approx(steps * 0.02 / 3600)


def test_grids_by_hand(changed):
    table = cost(FOLDER).set_index("part")
    gates = fixed_gates(LAYERS, 12, "zero")
    assert len(gates) == 156
    operations = sum(
        own.validation.examples * least_for_grid(BERT_BASE, gates, [own.validation.tokens])
        for own in GLUE.values()
    )
    assert table.loc[HEADS, "operations"] == pytest.approx(3 * operations)
    assert table.loc[HEADS, "A100"] == pytest.approx(3 * operations / (0.3 * 19.5e12) / 3600)
    # Of the encoder tuned from random weights two modes together, and shares on few examples.
    gates += fixed_gates(LAYERS, 12, "uniform")
    operations = sum(
        own.validation.examples * least_for_grid(BERT_BASE, gates, [own.validation.tokens])
        for own in GLUE.values()
    )
    beyond = table.loc[CONTROL, "operations"] - operations
    assert 0 < beyond < 0.1 * table.loc[SHARES, "operations"]
    few = changed(lambda own: own["control"].update(examples=100))
    examples = sum(min(100, own.validation.examples) for own in GLUE.values())
    assert examples == 700
    assert few.loc[CONTROL, "operations"] < 0.1 * table.loc[CONTROL, "operations"]


def test_seeds_and_precision(changed):
    once = cost(FOLDER).set_index("part")
    thrice = changed(lambda own: own["run"].update(seeds=[0, 1, 2], control_seeds=None))
    for column in ("operations", "steps", "A100", "H100"):
        assert thrice[column].tolist() == pytest.approx((3 * once[column]).tolist())
    one_control = changed(lambda own: own["run"].update(seeds=[0, 1, 2], control_seeds=1))
    times = pd.Series({TUNING: 2, HEADS: 3, SHARES: 3, CONTROL: 1})[once.index]
    assert one_control["operations"].tolist() == pytest.approx(
        (times * once["operations"]).tolist()
    )
    tuned = changed(lambda own: own["finetune"].update(precision="fp32"))
    expected = once.loc[TUNING, "operations"] / (0.3 * 19.5e12) / 3600
    assert tuned.loc[TUNING, "A100"] == pytest.approx(expected)  # products take longer than starts


def test_lengths_that_are_known():
    assert GLUE["mrpc"].validation == (408, round(np.mean(mrpc_lengths())))


def test_tasks_of_unknown_size_are_refused():
    with pytest.raises(InputError, match=r"has 'relevance', whose sizes are not known"):
        cost(ROOT)
