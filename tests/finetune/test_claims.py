"""What tuning gains, on predictions whose metrics are known."""

import pytest

from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures
from tests.claims import found, write_run


def test_gain_of_tuning_is_the_mean_over_tasks_and_seeds(measures):
    for task, before, after in (("one", 10, (2, 4)), ("two", 8, (4, 4))):
        for seed in (0, 1):
            write_run(measures, f"finetune/{task}", before, arm="untuned", seed=seed)
            write_run(measures, f"finetune/{task}", after[seed], arm="tuned", seed=seed)
    gain = found(measures, "gain_of_tuning", arm="untuned")
    # One: 50% to 85%, two: 60% to 80%.
    assert gain.tasks["one"].value == pytest.approx(35)
    assert gain.tasks["two"].value == pytest.approx(20)
    assert gain.pooled.value == pytest.approx(27.5)
    assert gain.pooled.n == 40
    assert gain.pooled.low < 27.5 < gain.pooled.high


def test_gains_of_table_1_are_of_accuracy_where_labels_are_classes(tmp_path):
    measures = Measures(tmp_path, {"one": "f1"}, ["untuned", "tuned"], {"one": [0]})
    for arm, wrong in (("untuned", 10), ("tuned", 3)):  # F1 would gain 0.36
        write_run(measures, "finetune/one", wrong, arm=arm, seed=0)
    assert found(measures, "gain_of_tuning", arm="untuned").pooled.value == pytest.approx(35)


def test_gain_of_pretraining_is_that_of_the_weakest_task(measures):
    for task, after in (("one", 2), ("two", 6)):
        write_run(measures, f"finetune/{task}", 8, arm="tuned_from_random", seed=0)
        write_run(measures, f"finetune/{task}", after, arm="tuned", seed=0)
    assert found(measures, "gain_of_pretraining").pooled.value == pytest.approx(10)


def test_gain_over_baseline_is_of_the_named_task(measures):
    write_run(measures, "finetune/one", 2, arm="tuned", seed=0)
    write_run(measures, "baseline/one", 12, model="bag_of_words")
    gain = found(measures, "gain_over_baseline", model="bag_of_words", task="one")
    assert gain.pooled.value == pytest.approx(50)
    with pytest.raises(NotMeasured):
        found(measures, "gain_over_baseline", model="unknown", task="one")


def test_a_gain_needs_both_arms(measures):
    write_run(measures, "finetune/one", 2, arm="tuned", seed=0)
    with pytest.raises(NotMeasured, match="tuned_from_random"):
        found(measures, "gain_of_pretraining")
