"""What the page says of attention by hand, beside rows that it must leave alone."""

import math

import pandas as pd
import pytest

from stages.core.stage.arms import RANDOM_WEIGHTS, RECORDED, UNTUNED
from stages.surface.said import (
    said_of_breadth,
    said_of_layers,
    said_of_most,
    said_of_neighbours,
    said_of_special,
)


def heads(statistic: str, means: list, encoder: str = UNTUNED, corpus: str = "pairs") -> list:
    """Two heads a layer."""
    place = {"statistic": statistic, "encoder": encoder, "corpus": corpus}
    return [
        place | {"layer": row // 2, "head": row % 2, "mean": mean} for row, mean in enumerate(means)
    ]


def strongest(statistic: str, value: float, encoder: str = UNTUNED, **others) -> dict:
    row = {"statistic": statistic, "value": value, "low": value - 0.01, "high": value + 0.02}
    place = {"encoder": encoder, "corpus": "pairs", "layer": 2, "head": 1, "same": True}
    return row | place | others


def table(*parts: list) -> pd.DataFrame:
    """Rows behind a decoy: another corpus stands first, but is a recording made elsewhere."""
    decoys = heads("sep", [0.9] * 4, RECORDED, "other") + heads(
        "entropy", [9] * 4, RECORDED, "other"
    )
    return pd.DataFrame([row for part in (decoys, *parts) for row in part])


def test_neighbours_are_of_the_first_live_corpus_beside_random_weights():
    rows = pd.DataFrame(
        [
            strongest("next", 0.9, RECORDED, corpus="other"),
            strongest("pattern_next", 0.99),
            strongest("next", 0.5, same=False),
            strongest("previous", 0.981),
            strongest("previous", 0.012, RANDOM_WEIGHTS),
        ]
    )
    assert said_of_neighbours(rows) == (
        "On pairs, on texts that did not choose it, head 1 of layer 2 gives 98.1% [97.1%, 100.1%] "
        "of its attention to the token before (with random weights 1.2%), and the head that half "
        "of the texts choose (head 1 of layer 2 on all) gives 50.0% [49.0%, 52.0%] of its "
        "attention to the token behind (random weights were not measured)."
    )
    assert (
        said_of_neighbours(rows.iloc[1:2]) == "On pairs, attention to neighbours was not measured."
    )


def test_special_tokens_are_averaged_over_heads():
    rows = table(
        heads("sep", [0.1, 0.3, 0.5, 0.7]),
        heads("sep", [0.02] * 4, RANDOM_WEIGHTS),
        heads("cls", [math.nan, 0.2, 0.2, 0.2]),
    )
    assert said_of_special(rows) == (
        "Averaged over all heads on pairs, attention goes by 40% to [SEP] (with random weights "
        "2%), 20% to [CLS] (random weights were not measured)."
    )
    assert "was not measured" in said_of_special(table(heads("next", [1.0] * 4)))


@pytest.mark.parametrize(
    ("means", "said"),
    [
        ([2, 2.2, 1, 1.2], "broadest in layer 0 (2.1 nats) and narrowest in layer 1 (1.1 nats)"),
        ([2, 2, 2.01, 2], "2.0 nats in both layers"),
        ([2, 2], "2.0 nats in the only layer"),
        ([math.nan] * 4, "not measured in any layer"),
    ],
)
def test_breadth_is_of_layers(means, said):
    rows = table(heads("entropy", means), heads("entropy", [3, 3, 4, 4], RANDOM_WEIGHTS))
    assert said_of_breadth(rows) == (
        f"Attention on pairs is {said}; with random weights 3.0 to 4.0 nats."
    )


def test_most_and_layers_speak_of_every_corpus_and_leave_out_what_none_has():
    rows = table(
        heads("sep", [0.1, 0.3, 0.304, 0.2]),
        heads("sep", [0.02, 0.05, 0.02, 0.02], RANDOM_WEIGHTS),
        heads("cls", [math.nan] * 4),
    )
    titles = {"sep": "to [SEP]", "cls": "to [CLS]", "next": "to the next"}
    assert said_of_most(rows, titles, ".0%") == (
        "Most on other: to [SEP] all 4 heads alike (90%), random weights were not measured. "
        "Most on pairs: to [SEP] head 1 of layer 0 and head 0 of layer 1 (30% each), with random "
        "weights 5%."
    )
    assert said_of_layers(rows, titles, ".0%") == (
        "On other, to [SEP]: 90% in both layers; random weights were not measured. "
        "On pairs, to [SEP]: highest in layer 1 (25%) and lowest in layer 0 (20%); with random "
        "weights 2% to 4%."
    )
