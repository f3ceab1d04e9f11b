"""Scores and gains as the page of tasks shows them."""

import pytest

from stages.core.pages.declared import first_sentences
from stages.core.verdicts.measures import Measures
from stages.finetune.page import PAGE, gains, models
from tests.claims import write_run


def test_the_interval_of_several_seeds_is_over_them_too(measures):
    """Of twenty the untuned encoder gets 18 or 2 right, as its head is drawn; the tuned one 18."""
    for seed, wrong in ((0, 2), (1, 18)):
        write_run(measures, "finetune/one", wrong, arm="untuned", seed=seed)
        write_run(measures, "finetune/one", 2, arm="tuned", seed=seed)
    rows = models(measures).set_index("arm")
    assert rows.loc["untuned", "score"] == pytest.approx(50)
    assert rows.loc["untuned", "seeds"] == 2
    # A t interval of two values of 10 and 90: 40 times 12.7, cut where accuracy ends.
    assert tuple(rows.loc["untuned", ["score_low", "score_high"]]) == (0, 100)
    assert rows.loc["tuned", "score"] == pytest.approx(90)
    assert 70 < rows.loc["tuned", "score_low"] < rows.loc["tuned", "score_high"] <= 100
    (row,) = gains(measures).to_dict("records")
    assert row["gain_high"] - row["gain"] > 500  # a gain is not cut


def test_a_correlation_may_lie_below_0(tmp_path):
    measures = Measures(tmp_path, {"one": "pearson"}, ["tuned"], {"one": [0]})
    write_run(measures, "finetune/one", 16, arm="tuned", seed=0)
    (row,) = models(measures).to_dict("records")
    assert -100 <= row["score_low"] < row["score"] < 0


def test_a_gain_is_paired_by_example_though_the_intervals_of_the_scores_meet(measures):
    """Of twenty: the best baseline gets 10 right, the tuned encoder these and 5 more."""
    write_run(measures, "prepare/one-baselines", 10, model="majority")
    write_run(measures, "prepare/one-baselines", 12, model="bag_of_words")
    write_run(measures, "finetune/one", 5, arm="tuned", seed=0)
    rows = models(measures).set_index("arm")
    assert rows.loc["tuned", "score_low"] < rows.loc["majority class", "score_high"]
    (row,) = gains(measures).to_dict("records")
    assert (row["data"], row["metric"], row["gain"]) == ("one", "accuracy", 25)
    assert row["over"] == "best simple baseline"
    assert 0 < row["gain_low"] < 25 < row["gain_high"] < 60


def test_gains_are_over_each_other_model_and_stand_first(measures):
    """Of twenty examples of two tasks, each row is right so often; random weights are no rival."""
    for task, right in (("one", (18, 10, 14, 9)), ("two", (16, 8, 15, 9))):
        arms = ("tuned", "untuned", "tuned_from_random", "random_weights")
        for arm, number in zip(arms, right, strict=True):
            write_run(measures, f"finetune/{task}", 20 - number, arm=arm, seed=0)
    table = gains(measures).set_index(["data", "over"])["gain"].to_dict()
    assert table == pytest.approx(
        {
            ("one", "untuned"): 40,
            ("one", "tuned_from_random"): 20,
            ("two", "untuned"): 40,
            ("two", "tuned_from_random"): 5,
        }
    )
    first, second = first_sentences(PAGE.sections(measures))
    assert first.endswith("lowest: over tuned from random weights, two (+5.0 points).")
    assert second.startswith("Highest: one, tuned (90.0 points); lowest: two, untuned (40.0")
