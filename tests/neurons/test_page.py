"""What the page puts side by side, on tables by hand with decoys."""

import pytest

from stages.core.pages.page import Figure
from stages.core.stage.arms import RANDOM_WEIGHTS, UNTUNED
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures
from stages.neurons.page import (
    PAGE,
    beside_random_weights,
    heads_with,
    removed_in_words,
    without,
)
from stages.neurons.tables import NEURONS, REMOVED
from tests.claims import write_table
from tests.neurons.test_claims import rows, table


@pytest.fixture
def texts(tmp_path) -> Measures:
    return Measures(tmp_path, {}, [], [], ["pairs"])


def test_shares_stand_beside_random_weights_and_strengths_beside_those_before(texts):
    table(
        texts,
        rows(UNTUNED, "next", strength=0.8, without_position=0.2, share_1=0.1, share_4=0.5),
        rows(UNTUNED, "delimiter", strength=0.4, without_position=0.45, share_4=0.3),
        rows(RANDOM_WEIGHTS, "next", strength=0.01, without_position=0.01, share_4=0.2),
    )
    shares = beside_random_weights(texts).set_index(["arm", "pattern"])
    assert shares.loc[(UNTUNED, "next"), ["score", "rival", "gain"]].tolist() == pytest.approx(
        [0.5, 0.2, 0.3]
    )
    assert len(shares) == 2
    assert shares["gain"].isna().tolist() == [False, True]
    left = without("position")(texts).set_index(["arm", "pattern"])["gain"]
    assert left.to_dict() == {
        (UNTUNED, "next"): pytest.approx(-0.6),
        (UNTUNED, "delimiter"): pytest.approx(0.05),
        (RANDOM_WEIGHTS, "next"): pytest.approx(0),
    }
    with pytest.raises(NotMeasured):
        without("segment")(texts)


def test_without_random_weights_shares_stand_alone(texts):
    table(texts, rows(UNTUNED, "next", strength=0.8, share_4=0.5))
    (figure,) = (
        item
        for section in PAGE.sections(texts)
        for item in section.items
        if isinstance(item, Figure)
    )
    assert figure.name == "neurons-few"


def test_a_share_that_was_not_measured_is_left_out(texts):
    heads = [
        {"layer": 0, "head": head, "share_1": share, "share_1_low": 0, "share_1_high": 1}
        for head, share in enumerate((0.2, 0.7))
    ]
    write_table(texts, NEURONS, heads, data="pairs", sign_consistency=0.4)
    assert heads_with("share_1")(texts)["share_1"].tolist() == [0.2, 0.7]
    with pytest.raises(NotMeasured, match="most_neurons"):
        heads_with("share_4")(texts)
    columns = PAGE.heads(texts)
    assert columns.loc[(0, 1)].tolist() == [0.7, 0.4]


def test_a_pattern_without_either_embedding_stands_side_by_side(texts):
    changes = [
        {"arm": arm, "removed": removed, "pattern": pattern, "change": -0.1}
        for arm in (UNTUNED, RANDOM_WEIGHTS)
        for removed in ("position", "segment")
        for pattern in ("next", "delimiter")
    ]
    write_table(texts, REMOVED, changes, data="pairs")
    assert removed_in_words(texts)["pattern"].tolist() == [
        "next token without position",
        "next token without segment",
        "[CLS] and [SEP] without position",
        "[CLS] and [SEP] without segment",
    ]
