"""What the pages say of patterns by hand; ties and gaps are decoys."""

import pandas as pd

from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED
from stages.patterns.said import (
    said_of_beyond,
    said_of_beyond_heads,
    said_of_confusion,
    said_of_frequent,
    said_of_heads,
    said_of_heterogeneous,
)


def shares(task: str, arm: str, vertical: float, heterogeneous: float) -> list[dict]:
    return [
        {"task": task, "arm": arm, "pattern": pattern, "share": share}
        | {"low": share - 0.02, "high": share + 0.02}
        for pattern, share in (("vertical", vertical), ("heterogeneous", heterogeneous))
    ]


def test_the_most_frequent_pattern_of_every_encoder():
    rows = [
        *shares("one", TUNED, 0.6, 0.4),
        *shares("two", TUNED, 0.3, 0.7),
        *shares("three", TUNED, 0.502, 0.498),
        *shares("one", RANDOM_WEIGHTS, 0, 1),
        *shares("two", RANDOM_WEIGHTS, 0, 1),
        *shares("three", RANDOM_WEIGHTS, 0, 1),
    ]
    assert said_of_frequent(pd.DataFrame(rows), "task", "arm") == (
        "The most frequent pattern: that of the tuned encoder is vertical on one, heterogeneous on "
        "two, heterogeneous and vertical on three; that of random weights is heterogeneous on all "
        "3 tasks."
    )
    one = said_of_frequent(pd.DataFrame(rows[:2]), "task", "arm")
    assert one == "The most frequent pattern: that of the tuned encoder is vertical on one."
    assert said_of_frequent(pd.DataFrame(rows).iloc[:0], "task", "arm") == ""


def test_heterogeneous_maps_stand_beside_random_weights():
    rows = [
        *shares("one", TUNED, 0.6, 0.4),
        *shares("two", TUNED, 0.7, 0.3),
        *shares("one", RANDOM_WEIGHTS, 0.05, 0.95),
        *shares("two", RANDOM_WEIGHTS, 0, 1),
    ]
    assert said_of_heterogeneous(pd.DataFrame(rows), "task", "arm", TUNED) == (
        "Of the maps of the tuned encoder, between 30% [28%, 32%] (two) and 40% [38%, 42%] (one) "
        "are heterogeneous; with random weights 95% to 100%."
    )
    alone = said_of_heterogeneous(pd.DataFrame(rows[:2]), "task", "arm", TUNED)
    assert alone == (
        "Of the maps of the tuned encoder, 40% [38%, 42%] are heterogeneous on one; random weights "
        "were not measured."
    )
    assert said_of_heterogeneous(pd.DataFrame(rows[4:]), "task", "arm", TUNED) == ""


def test_attention_beyond_is_told_of_every_arm_and_of_heads():
    means = pd.Series({TUNED: 0.4, RANDOM_WEIGHTS: 0.8})
    assert said_of_beyond(means).endswith("40% of the tuned encoder and 80% of random weights.")
    assert said_of_beyond(means.iloc[:0]) == ""
    cells = pd.DataFrame({"layer": 0, "head": range(3), "beyond": [0.1, 0.5, 0.104]})
    assert said_of_beyond_heads(cells) == (
        "Most goes beyond them in head 1 of layer 0 (50%), least in head 0 of layer 0 and head 2 "
        "of layer 0 (10% each)."
    )


def test_a_head_has_a_pattern_where_more_than_half_of_its_maps_do():
    rows = [
        {"layer": 0, "head": head, "pattern": pattern, "share": share}
        for head, block in enumerate((0.9, 0.5, 0.2))
        for pattern, share in (("block", block), ("diagonal", 1 - block))
    ]
    assert said_of_heads(pd.DataFrame(rows)) == (
        "More than half of a head's maps have one pattern in 2 of 3 heads: block in 1, diagonal in "
        "1."
    )


def test_confusions_name_the_most_frequent_and_their_ties():
    counts = pd.DataFrame(
        [("p", "p", 6), ("p", "q", 2), ("q", "p", 1), ("q", "q", 1)],
        columns=["label", "predicted", "maps"],
    )
    assert said_of_confusion(counts, "label", "predicted", "the network") == (
        "The network gives 70% of the 10 maps the class of their row; most often p is called q (2 "
        "maps)."
    )
    tied = said_of_confusion(counts.assign(maps=1), "label", "predicted", "the network")
    assert tied.endswith("most often p is called q and q is called p (1 map each).")
    right = counts[counts["label"] == counts["predicted"]]
    assert said_of_confusion(right, "label", "predicted", "the network") == (
        "The network gives 100% of the 7 maps the class of their row."
    )
    none = said_of_confusion(counts.assign(maps=0), "label", "predicted", "the network")
    assert none == "No map was labelled."
