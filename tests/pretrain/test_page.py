"""The page's derived frames: scores with intervals over texts, level lines, heads over steps."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stages.core.verdicts.measures import Measures
from stages.pretrain.page import PAGE, UNIGRAM, curve_and_level, head_courses, unigram_comparison
from stages.pretrain.tables import CURVE, HEADS, KINDS, TEXTS
from tests.claims import write_table
from tests.synthetic_measures import write_pretraining


@pytest.fixture
def made(tmp_path: Path) -> Measures:
    """A configuration of encoders that were made here, which has measured nothing yet."""
    return Measures(tmp_path, {}, [], {})


def write_texts(measures: Measures, loss: float, right: int) -> None:
    """Thirty texts of 20 masked tokens; the unigram baseline has 6 nats and a right answer each."""
    generator = np.random.default_rng(0)
    noise, difference = generator.normal(0, 2, 30), generator.normal(0, 0.1, 30)
    sums = 20 * loss + noise + difference - difference.mean()
    rows = [
        {"text": text, "masked": 20, "loss": sums[text], "right": right}
        | {"unigram_loss": 120 + noise[text], "unigram_right": 1}
        for text in range(30)
    ]
    write_table(measures, TEXTS, rows, data="tiny")


def test_scores_are_shares_of_all_masked_tokens(made) -> None:
    write_texts(made, 4, 5)
    (row,) = unigram_comparison(made).to_dict("records")
    assert row["accuracy"] == pytest.approx(0.25)
    assert row["unigram_accuracy"] == pytest.approx(0.05)
    assert row["loss"] == pytest.approx(4, abs=0.05)
    assert row["loss_low"] < row["loss"] < row["loss_high"]
    assert (row["data"], row["masked"], row["texts"]) == ("tiny", 600, 30)


@pytest.mark.parametrize(
    ("loss", "sentence"),
    [
        (4, "unigram baseline: 0 of 1, below 1, not shown 0"),
        (6, "unigram baseline: 0 of 1, below 0, not shown 1"),
        (8, "unigram baseline: 1 of 1, below 0, not shown 0"),
    ],
)
def test_the_loss_is_compared_with_that_of_the_baseline_on_the_same_texts(
    made, loss, sentence
) -> None:
    """Most noise is that of the texts, which both share; the difference has little of it."""
    write_texts(made, loss, 5)
    (row,) = unigram_comparison(made).to_dict("records")
    assert row["difference"] == pytest.approx(loss - 6)
    assert (
        10 * (row["difference_high"] - row["difference_low"]) < row["loss_high"] - row["loss_low"]
    )
    dots = next(kind for kind in PAGE.content[0].content if kind.name == "pretrain-scores")
    assert sentence in dots.draw(made).finding


def test_the_level_line_is_the_loss_of_the_baseline(made) -> None:
    write_texts(made, 4, 5)
    curve = [{"step": 0, "tokens": 0, "loss": 8.0}, {"step": 5, "tokens": 10**6, "loss": 4.0}]
    write_table(made, CURVE, curve, data="tiny")
    points = curve_and_level(made)
    level = points[points["reader"] == UNIGRAM]
    assert level["loss"].tolist() == pytest.approx([6, 6], abs=0.05)
    assert points["step"].tolist() == [0, 5, 0, 5]
    assert points.loc[points["reader"] == "encoder", "loss"].tolist() == [8, 4]


def test_the_head_that_ends_highest_is_followed_from_its_beginning(made) -> None:
    kinds = dict.fromkeys(KINDS, 0.1)
    heads = pd.DataFrame(
        [
            {"step": step, "tokens": 10**6 * step, "layer": 1, "head": head, **kinds}
            for step in (0, 1, 2)
            for head in (1, 2)
        ]
    )
    # Head 1 leads at first; head 2 ends highest.
    heads["previous"] = [0.4, 0.1, 0.5, 0.6, 0.5, 0.7]
    heads["equal"] = np.nan
    write_table(made, HEADS, heads.to_dict("records"), data="tiny")
    courses = head_courses(made)
    previous = courses[courses["kind"] == "to the previous token"]
    assert previous["head"].unique() == [2]
    assert previous["share"].tolist() == pytest.approx([0.1, 0.6, 0.7])
    assert courses["kind"].nunique() == len(KINDS) - 1  # no token had an equal


def test_the_page_shows_the_curve_the_scores_and_the_facts(tmp_path: Path) -> None:
    write_pretraining(tmp_path, np.random.default_rng(0))
    measures = Measures(tmp_path / "work/measures", {}, [], {})
    (section,) = PAGE.sections(measures)
    assert [item.name for item in section.items] == [
        "pretrain-curve",
        "pretrain-scores",
        "pretrain-scores",
        "pretrain-curve",
        "pretrain-heads",
        "pretrain-heads",
        "pretrain-facts",
    ]
