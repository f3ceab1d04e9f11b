"""The page: scores with intervals over texts, and a sentence that the numbers make."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stages.core.verdicts.measures import Measures
from stages.pretrain.page import PAGE, course_said, curve_said, followed, lines, said, scores
from stages.pretrain.tables import KINDS
from tests.synthetic_measures import write_pretraining


def of_texts(loss: float, right: int) -> pd.DataFrame:
    """Thirty texts of 20 masked tokens; frequencies have 6 nats and one right answer each."""
    around = np.random.default_rng(0).normal(0, 2, 30)
    return pd.DataFrame(
        {
            "encoder": "tiny",
            "text": range(30),
            "masked": 20,
            "loss": 20 * loss + around,
            "right": right,
            "unigram_loss": 120 + around,
            "unigram_right": 1,
        }
    )


def test_scores_are_shares_of_all_masked_tokens() -> None:
    table = scores(of_texts(4, 5)).set_index(["reader", "measure"])
    assert table.loc[("encoder", "accuracy"), "value"] == pytest.approx(25)
    assert table.loc[("frequencies", "accuracy"), "value"] == pytest.approx(5)
    assert table.loc[("encoder", "loss"), "value"] == pytest.approx(4, abs=0.05)
    assert (table["masked"] == 600).all()
    assert (table["texts"] == 30).all()


@pytest.mark.parametrize(
    ("loss", "sentence"),
    [
        (4, "tiny has left the plateau of frequent tokens: 25.0% of the masked tokens are right"),
        (6, "is not shown to have left the plateau"),
        (8, "knows less than how frequent tokens are"),
    ],
)
def test_the_sentence_says_whether_the_encoder_is_beyond_frequencies(
    loss: float, sentence: str
) -> None:
    assert sentence in said("tiny", scores(of_texts(loss, 5)))


def test_the_level_line_is_the_loss_of_frequencies() -> None:
    curve = pd.DataFrame(
        {"encoder": "tiny", "step": [0, 5], "tokens": [0, 10**6], "loss": [8.0, 4.0]}
    )
    drawn = lines(curve, scores(of_texts(4, 5)))
    level = drawn[drawn["reader"] == "tiny, frequencies alone"]
    assert level["value"].nunique() == 1
    assert level["value"].iloc[0] == pytest.approx(6, abs=0.05)
    assert drawn["tokens"].tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("losses", "said"),
    [
        (
            [8, 5, 7, 5.5, 4],
            "4.00 nats; it is below the 6.00 of frequencies alone from 3.0 million",
        ),
        ([8, 5, 7], "8.00 to 7.00 nats; it does not end below the 6.00"),
        ([5, 4], "5.00 to 4.00 nats; it is below the 6.00 of frequencies alone from the first"),
        ([6, 6], "6.00 to 6.00 nats; it does not end below the 6.00"),
    ],
)
def test_the_curve_is_below_frequencies_since_it_stays_below(losses, said) -> None:
    own = pd.DataFrame({"reader": "tiny", "tokens": range(len(losses)), "value": losses})
    level = own.assign(reader="tiny, frequencies alone", value=6.0)
    assert said in curve_said("tiny", pd.concat([level, own]))


def test_the_head_that_ends_highest_is_followed_from_its_beginning() -> None:
    kinds = {kind: 0.1 for kind in KINDS}
    rows = [
        {"encoder": "tiny", "step": step, "tokens": 10**6 * step, "layer": 1, "head": head, **kinds}
        for step in (0, 1, 2)
        for head in (1, 2)
    ]
    heads = pd.DataFrame(rows)
    # Head 1 is ahead at first; head 2 ends highest, at which it is by one million tokens.
    heads["previous"] = [0.4, 0.1, 0.5, 0.6, 0.5, 0.7]
    heads["equal"] = np.nan
    course = followed(heads)
    own = course[course["to"] == "the token before"]
    assert own["head"].unique() == [2]
    assert own["value"].tolist() == pytest.approx([10, 60, 70])
    assert not course["to"].str.startswith("equal").any()
    sentence = course_said(course)
    assert (
        "tiny: the token before (layer 1, head 2): 10.0% to 70.0%, half of it by 1.0 million"
        in sentence
    )
    # What does not grow has no half.
    assert "[SEP] (layer 1, head 1): 10.0% to 10.0%." in sentence.replace("; ", ". ")


def test_the_page_shows_the_curve_the_scores_and_what_it_was_made_of(tmp_path: Path) -> None:
    write_pretraining(tmp_path, np.random.default_rng(0))
    measures = Measures(tmp_path / "work/measures", {}, [], {})
    (section,) = PAGE.sections(measures)
    assert "tiny has left the plateau" in PAGE.in_short(measures)[0]
    assert [item.name for item in section.items] == [
        "pretrain-curve",
        "pretrain-scores",
        "pretrain-curve",
        "pretrain-heads",
        "pretrain-heads",
        "pretrain-facts",
    ]
