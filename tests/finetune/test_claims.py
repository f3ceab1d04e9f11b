"""What tuning gains, on predictions whose metrics are known."""

import numpy as np
import pytest

from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.claims import SUMMARIES
from stages.core.verdicts.measures import Measures
from tests.claims import found, write_run


def test_gain_of_tuning_is_the_mean_over_tasks_and_seeds(measures):
    for task, before, after in (("one", 10, (2, 4)), ("two", 8, (4, 4))):
        for seed in (0, 1):
            write_run(measures, f"finetune/{task}", before, arm="untuned", seed=seed)
            write_run(measures, f"finetune/{task}", after[seed], arm="tuned", seed=seed)
            write_run(measures, f"finetune/{task}", 6, arm="tuned_from_random", seed=seed)
    gain = found(measures, "gain_of_tuning", arm="untuned")
    # One: 50% to 85%, two: 60% to 80%.
    assert gain.tasks["one"].value == pytest.approx(35)
    assert gain.tasks["two"].value == pytest.approx(20)
    assert gain.pooled.value == pytest.approx(27.5)
    assert gain.pooled.n == 40
    assert gain.pooled.low < 27.5 < gain.pooled.high
    assert (gain.arm, gain.seeds, gain.control) == ("tuned", 2, None)
    from_random = found(measures, "gain_of_tuning", arm="tuned_from_random")
    # From 70%, by 15 and by 10.
    assert from_random.pooled.value == pytest.approx(12.5)


def test_gains_of_table_1_are_of_accuracy_where_labels_are_classes(tmp_path):
    measures = Measures(tmp_path, {"one": "f1"}, ["untuned", "tuned"], {"one": [0]})
    for arm, wrong in (("untuned", 10), ("tuned", 3)):  # F1 would gain 0.36
        write_run(measures, "finetune/one", wrong, arm=arm, seed=0)
    write_run(measures, "prepare/one-baselines", 9, model="bag_of_words")
    assert found(measures, "gain_of_tuning", arm="untuned").pooled.value == pytest.approx(35)
    over = found(measures, "gain_over_baseline", model="bag_of_words", task="one")
    assert over.pooled.value == pytest.approx(30)


def test_gain_of_pretraining_is_that_of_the_weakest_task(measures):
    for task, after in (("one", 2), ("two", 6)):
        write_run(measures, f"finetune/{task}", 8, arm="tuned_from_random", seed=0)
        write_run(measures, f"finetune/{task}", after, arm="tuned", seed=0)
    assert found(measures, "gain_of_pretraining").pooled.value == pytest.approx(10)


def test_a_task_that_was_not_learnt_from_random_weights_is_left_out(measures):
    """Task one is: there the encoder that began at random says what the majority is."""
    for task, from_random, tuned in (("one", 10, 9), ("two", 8, 2)):
        write_run(measures, f"prepare/{task}-baselines", 10, model="majority")
        write_run(measures, f"finetune/{task}", from_random, arm="tuned_from_random", seed=0)
        write_run(measures, f"finetune/{task}", tuned, arm="tuned", seed=0)
        write_run(measures, f"finetune/{task}", 10, arm="untuned", seed=0)
    answer = found(measures, "gain_of_pretraining")
    assert list(answer.tasks) == ["two"]
    assert answer.pooled.value == pytest.approx(30)
    write_run(measures, "finetune/two", 10, arm="tuned_from_random", seed=0)
    with pytest.raises(NotMeasured, match="began at random"):
        found(measures, "gain_of_pretraining")


def test_random_weights_that_were_tuned_are_held_against_the_untuned_encoder(measures):
    """On the task of those named where they have most; it need not be learnt otherwise."""
    for task, from_random, tuned in (("one", 6, 0), ("two", 3, 1)):
        write_run(measures, f"finetune/{task}", 8, arm="untuned", seed=0)
        write_run(measures, f"finetune/{task}", from_random, arm="tuned_from_random", seed=0)
        write_run(measures, f"finetune/{task}", tuned, arm="tuned", seed=0)
    answer = found(measures, "random_over_untuned", tasks=["one", "two"])
    assert {task: one.value for task, one in answer.tasks.items()} == pytest.approx(
        {"one": 10, "two": 25}
    )
    assert answer.pooled.value == pytest.approx(25)
    assert found(measures, "random_over_untuned", tasks=["one"]).pooled.value == pytest.approx(10)
    with pytest.raises(NotMeasured, match="three did not run"):
        found(measures, "random_over_untuned", tasks=["one", "three"])


def test_fine_tunings_are_paired_by_their_seed_and_by_their_examples(measures):
    """Both seeds gain 10 points, although one begins 10 points lower."""
    for seed, before, after in ((0, 12, 10), (1, 10, 8)):
        write_run(measures, "finetune/one", before, arm="untuned", seed=seed)
        write_run(measures, "finetune/one", after, arm="tuned", seed=seed)
    gain = found(measures, "gain_of_tuning", arm="untuned").pooled
    # No variance between seeds. Four of twenty examples change in one of the two: the mean gain of
    # an example has a variance of 4 / 4 / 20 - 0.1 ** 2. Of accuracies alone it is six times that.
    assert gain.value == pytest.approx(10)
    assert gain.high - gain.low == pytest.approx(2 * 196 * np.sqrt(0.04 / 20), rel=0.2)


@pytest.mark.parametrize(("before", "after", "gained"), [((10,), (2, 6), 30), ((10, 6), (2,), 30)])
def test_a_side_of_one_run_stands_against_every_run_of_the_other(measures, before, after, gained):
    for arm, runs in (("untuned", before), ("tuned", after)):
        for seed, wrong in enumerate(runs):
            write_run(measures, "finetune/one", wrong, arm=arm, seed=seed)
    gain = found(measures, "gain_of_tuning", arm="untuned").pooled
    assert gain.value == pytest.approx(gained)
    assert gain.high - gain.low > 200  # two runs that are 20 points apart


def test_gain_over_baseline_is_of_the_named_task(measures):
    for task, tuned, baseline in (("two", 5, 7), ("one", 2, 12)):
        write_run(measures, f"finetune/{task}", tuned, arm="tuned", seed=0)
        write_run(measures, f"finetune/{task}", 0, arm="untuned", seed=0)
        write_run(measures, f"prepare/{task}-baselines", baseline, model="bag_of_words")
        write_run(measures, f"prepare/{task}-baselines", 4, model="majority")
    gain = found(measures, "gain_over_baseline", model="bag_of_words", task="one")
    assert gain.pooled.value == pytest.approx(50)
    assert gain.tasks["two"].value == pytest.approx(10)
    assert gain.decided_on == "one"
    gain = found(measures, "gain_over_baseline", model="bag_of_words", task="two")
    assert gain.pooled.value == pytest.approx(10)
    with pytest.raises(NotMeasured):
        found(measures, "gain_over_baseline", model="unknown", task="one")


def test_a_gain_needs_both_arms(measures):
    write_run(measures, "finetune/one", 2, arm="tuned", seed=0)
    with pytest.raises(NotMeasured, match="tuned_from_random"):
        found(measures, "gain_of_pretraining")


def test_figures_of_every_task_and_arm_are_means_over_seeds(tmp_path):
    """The first metric is F1. Of 3 wrong examples 1 is of the class, of 7 are 3, of 9 are 4."""
    measures = Measures(tmp_path, {"one": "f1"}, ["untuned", "tuned"], {"one": [0, 1]})
    for arm, runs in (("tuned", (3, 7)), ("untuned", (9,))):
        for seed, wrong in enumerate(runs):
            write_run(measures, "finetune/one", wrong, arm=arm, seed=seed)
    figures = SUMMARIES["finetune"](measures)["one"]
    f1 = 9 / (9 + 3 / 2), 7 / (7 + 7 / 2), 6 / (6 + 9 / 2)
    assert figures["tuned"] == pytest.approx({"f1": (f1[0] + f1[1]) / 2, "accuracy": 0.75})
    assert figures["untuned"] == pytest.approx({"f1": f1[2], "accuracy": 0.55})
