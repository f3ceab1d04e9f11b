"""What the page of tasks shows and says of seeds."""

import pandas as pd
import pytest

from stages.finetune.page import averaged, gains, in_short, scores, within_bounds
from tests.claims import write_run


@pytest.mark.parametrize(
    ("seeds", "said"),
    [
        ([1, 1], "Each is of one seed."),
        ([1, 3], "Where a model has several seeds, it is their mean."),
        ([2, 3], "Each is the mean over several seeds."),
    ],
)
def test_means_over_seeds_are_spoken_of_where_there_are_some(seeds, said):
    assert averaged(pd.Series(seeds)) == said


def test_the_interval_of_several_seeds_is_over_them_too(measures):
    """Of twenty the untuned encoder gets 18 or 2 right, as its head is drawn; the tuned one 18."""
    for seed, wrong in ((0, 2), (1, 18)):
        write_run(measures, "finetune/one", wrong, arm="untuned", seed=seed)
        write_run(measures, "finetune/one", 2, arm="tuned", seed=seed)
    rows = scores(measures).set_index("model")
    assert rows.loc["untuned", "value"] == pytest.approx(50)
    assert rows.loc["untuned", "seeds"] == 2
    # A t interval of two values of 10 and 90: 40 times 12.7.
    assert rows.loc["untuned", "high"] - 50 > 500
    assert rows.loc["tuned", "value"] == pytest.approx(90)
    assert 70 < rows.loc["tuned", "low"] < rows.loc["tuned", "high"] <= 100
    shown = within_bounds(rows.reset_index()).set_index("model")
    assert tuple(shown.loc["untuned", ["low", "high"]]) == (0, 100)
    assert tuple(shown.loc["tuned", ["low", "high"]]) == tuple(rows.loc["tuned", ["low", "high"]])
    (said,) = in_short(measures)
    assert said == (
        "The tuned encoder beside the untuned encoder: neither is shown to be above on one."
    )


def test_a_gain_is_paired_by_example_though_the_intervals_of_the_scores_meet(measures):
    """Of twenty: the best baseline gets 10 right, the tuned encoder these and 5 more."""
    write_run(measures, "prepare/one-baselines", 10, model="majority")
    write_run(measures, "prepare/one-baselines", 12, model="bag_of_words")
    write_run(measures, "finetune/one", 5, arm="tuned", seed=0)
    rows = scores(measures).set_index("model")
    assert rows.loc["tuned", "low"] < rows.loc["majority class", "high"]
    (row,) = gains(measures, scores(measures)).to_dict("records")
    assert (row["task"], row["metric"], row["value"]) == ("one", "accuracy", 25)
    assert 0 < row["low"] < 25 < row["high"] < 60
    assert in_short(measures) == [
        "The tuned encoder beside the best simple baseline: above it on one."
    ]
