"""Sentences about alike heads, on rows whose sentences are known."""

import pandas as pd

from stages.clusters.said import said_of_kinds, said_of_purity


def purity(encoder: str, above: tuple[float, float, float], corpus: str = "pairs") -> dict:
    names = ("above", "above_low", "above_high")
    known = {"corpus": corpus, "encoder": encoder, "purity": 0.4028, "neighbours": 5}
    return known | dict(zip(names, above, strict=True))


def test_heads_of_a_layer_lie_together_only_where_the_interval_is_above_chance():
    rows = pd.DataFrame(
        [
            purity("random_weights", (-0.011, -0.05, 0.033)),
            purity("untuned", (0.247, 0.203, 0.294)),
            purity("untuned", (0.02, 0.0, 0.04), "news"),
            purity("untuned", (-0.1, -0.2, -0.05), "tweets"),
            purity("untuned", (0.1, 0.1, 0.1), "one"),
        ]
    )
    first, second, third, fourth = said_of_purity(rows)
    assert first == (
        "On pairs heads of a layer lie together: 40% of a head's 5 nearest heads are of its own "
        "layer, +25 points [+20, +29] against chance. Random weights: -1 points [-5, +3] against "
        "chance."
    )
    assert second.startswith(
        "On news it is not shown that heads of a layer lie together or apart: 40%"
    )
    assert third.startswith("On tweets heads of a layer lie apart: 40%")
    assert fourth.endswith("+10 points [no interval] against chance.")
    assert "not shown" in fourth


def test_colours_are_counted_the_most_frequent_first():
    rows = pd.DataFrame({"role": ["b", "a", "c", "b", "a"]})
    assert said_of_kinds(rows, "role") == "5 heads: 2 a, 2 b and 1 c."
