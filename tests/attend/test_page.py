"""What the page says of where heads look follows from the means over tasks."""

import pandas as pd

from stages.attend.page import PAGE, finding, said_of_most
from stages.attend.tables import HEADS
from tests.claims import write_rows

NAN = float("nan")


def cells(values: dict[str, dict[str, list[float]]]) -> pd.DataFrame:
    """Heads of two layers in turn, by arm and statistic."""
    return pd.DataFrame(
        {"arm": arm, "model": arm, "statistic": statistic, "layer": i // 2, "head": i % 2}
        | {"value": v}
        for arm, statistics in values.items()
        for statistic, row in statistics.items()
        for i, v in enumerate(row)
    )


def test_heads_that_look_mostly_at_a_kind_stand_beside_random_weights():
    rows = cells(
        {
            "untuned": {"cls": [0.9] * 4},  # not the arm that is spoken of
            "tuned": {"cls": [0.6, 0.5, NAN, 0.51], "sep": [0.1] * 4},
            "random_weights": {"cls": [0.2, 0.7, 0.2, 0.2], "sep": [0.1] * 4},
        }
    )
    assert said_of_most(rows, {"cls": "[CLS]", "sep": "[SEP]", "next": "the next token"}) == (
        "Of 4 heads of the tuned encoder 2 give more than half of their attention to [CLS] (random "
        "weights: 1) and none gives more than half of its attention to [SEP] (random weights: 0)."
    )
    assert said_of_most(rows, {"next": "the next token"}) == ""
    alone = said_of_most(rows[rows["arm"] == "untuned"], {"cls": "[CLS]"})
    assert alone == (
        "Of 4 heads of the untuned encoder 4 give more than half of their attention to [CLS]."
    )


def test_the_highest_head_and_the_means_of_all_arms():
    rows = cells({"random_weights": {"cls": [0.1] * 4}, "tuned": {"cls": [0.2, 0.4, 0.404, 0.0]}})
    assert finding(rows, "share of attention") == (
        "Highest of the tuned encoder: head 1 of layer 0 and head 0 of layer 1 (0.40 each). "
        "Mean over heads: 0.25 in the tuned encoder and 0.10 in random weights."
    )
    assert finding(rows[rows["arm"] == "random_weights"], "nats") == (
        "Highest of random weights: all 4 heads alike (0.10 nats). Mean over "
        "heads: 0.10 nats in random weights."
    )
    assert finding(rows.assign(value=NAN), "nats") == ""


def test_the_page_says_it_of_means_over_tasks(measures):
    for task, cls in (("one", 0.4), ("two", 0.8)):
        places = [{"layer": 0, "head": head} for head in (0, 1)]
        shares = [place | {"statistic": "cls", "mean": cls} for place in places]
        entropy = [place | {"statistic": "entropy", "mean": 2 * cls} for place in places]
        write_rows(measures, HEADS, shares + entropy, task=task, arm="tuned")
    assert PAGE.in_short(measures) == [
        "Of 2 heads of the tuned encoder 2 give more than half of their attention to [CLS].",
        "The entropy of a head's attention is on average 1.20 nats in the tuned encoder.",
    ]
    first = PAGE.sections(measures)[0].items[0]
    assert first.finding.startswith("Highest of the tuned encoder: both heads alike (0.60). Mean")
