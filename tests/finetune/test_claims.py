"""What tuning gains, on predictions whose metrics are known."""

import pytest

from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures
from tests.claims import found, write_run


def test_gain_of_tuning_is_the_mean_over_tasks_and_seeds(measures):
    for task, before, after in (("one", 10, (2, 4)), ("two", 8, (4, 4))):
        for seed in (0, 1):
            write_run(measures, f"finetune/{task}-untuned-{seed}", before)
            write_run(measures, f"finetune/{task}-tuned-{seed}", after[seed])
    gain = found(measures, "gain_of_tuning", arm="untuned")
    # One: 50% to 85%, two: 60% to 80%.
    assert gain.tasks["one"].value == pytest.approx(35)
    assert gain.tasks["two"].value == pytest.approx(20)
    assert gain.pooled.value == pytest.approx(27.5)
    assert gain.pooled.n == 40
    assert gain.pooled.low < 27.5 < gain.pooled.high


def test_gains_of_table_1_are_of_accuracy_where_labels_are_classes(tmp_path):
    measures = Measures(tmp_path, {"one": "f1"}, ["untuned", "tuned_from_random", "tuned"], [0])
    for arm, wrong in (("untuned", 10), ("tuned", 3)):  # F1 would gain 0.36
        write_run(measures, f"finetune/one-{arm}-0", wrong)
    assert found(measures, "gain_of_tuning", arm="untuned").pooled.value == pytest.approx(35)


def test_gain_of_pretraining_is_that_of_the_weakest_task(measures):
    for task, after in (("one", 2), ("two", 6)):
        write_run(measures, f"finetune/{task}-tuned_from_random-0", 8)
        write_run(measures, f"finetune/{task}-tuned-0", after)
    assert found(measures, "gain_of_pretraining").pooled.value == pytest.approx(10)


def test_gain_over_baseline_is_of_the_named_task(measures):
    write_run(measures, "finetune/one-tuned-0", 2)
    write_run(measures, "baseline/one", 12, model="bag_of_words")
    gain = found(measures, "gain_over_baseline", model="bag_of_words", task="one")
    assert gain.pooled.value == pytest.approx(50)
    with pytest.raises(NotMeasured):
        found(measures, "gain_over_baseline", model="unknown", task="one")


def test_a_gain_needs_both_arms(measures):
    write_run(measures, "finetune/one-tuned-0", 2)
    with pytest.raises(NotMeasured, match="tuned_from_random"):
        found(measures, "gain_of_pretraining")
