"""What oracle heads show on the surface."""

import numpy as np
import pytest

from stages.core.maps.vig_patterns import VIG_PATTERNS
from stages.surface.stage import (
    Surface,
    sep_table,
    statistics_table,
    strongest_table,
    surface_values,
)
from tests.oracle import (
    HEADS,
    LAYERS,
    NEXT,
    PREVIOUS,
    SEP,
    UNIFORM,
    OracleRecording,
    oracle_corpus,
    oracle_texts,
)

PARAMETERS = Surface(
    corpora=[],
    punctuation=["."],
    sep_share=0.5,
    gradient_texts=None,
    masked=0.15,
    batch=4,
    resamples=50,
    seed=0,
)
TEXTS = 16


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    return oracle_texts(oracle_corpus(TEXTS), tmp_path_factory.mktemp("o"))


def measured(texts, name: str = "untuned"):
    recording = OracleRecording(texts.corpus, name)
    return recording, surface_values(recording, texts, PARAMETERS.punctuation)


@pytest.fixture(scope="module")
def own(texts):
    return measured(texts)


@pytest.fixture(scope="module")
def table(own, texts):
    heads = statistics_table(*own, texts.groups, PARAMETERS)
    assert {len(line) for line in heads["amount_drawn"]} == {PARAMETERS.resamples}
    return heads.set_index(["statistic", "layer", "head"])


def test_oracle_heads_have_strength_one_and_equal_weights_none(table):
    means = table["amount"]
    assert means["pattern_next"][NEXT] == pytest.approx(1)
    assert means["pattern_previous"][PREVIOUS] == pytest.approx(1)
    assert means["pattern_delimiter"][SEP] == pytest.approx(1)
    for pattern in VIG_PATTERNS:
        if f"pattern_{pattern}" in means:
            assert means[f"pattern_{pattern}"][UNIFORM] == pytest.approx(0, abs=1e-6), pattern
    assert means["sep"][SEP] == pytest.approx(1)
    assert means["entropy"][SEP] == pytest.approx(0, abs=1e-6)


def test_single_texts_have_no_pattern_across_texts(table):
    names = set(table.index.get_level_values(0))
    assert "pattern_next" in names
    assert not {"pattern_related_other", "pattern_sentence"} & names


def test_resamples_are_of_their_row(table, own, texts):
    """Of equal weights [CLS] has 1 / length; two texts of a group are drawn together."""
    row = table.loc[("cls", *UNIFORM)]
    shares = 1 / own[0].lengths
    assert row["amount"] == pytest.approx(shares.mean())
    assert row["texts"] == TEXTS
    pairs = shares.reshape(-1, 2).mean(1)
    assert row["amount_drawn"].std() == pytest.approx(pairs.std() / np.sqrt(len(pairs)), rel=0.35)
    assert row["amount_low"] < row["amount"] < row["amount_high"]


def test_the_strongest_heads_are_found_at_their_places(own, texts):
    rows = strongest_table(*own, texts.groups, PARAMETERS).set_index("statistic")
    assert tuple(rows.loc["pattern_next", ["layer", "head"]]) == NEXT
    assert tuple(rows.loc["previous", ["layer", "head"]]) == PREVIOUS
    assert tuple(rows.loc["pattern_delimiter", ["layer", "head"]]) == SEP
    assert rows.loc["next", "score"] == pytest.approx(1)
    assert rows["same"].loc[["next", "previous", "pattern_delimiter"]].all()
    assert (rows["texts"] <= TEXTS).all()
    assert "sep" not in rows.index
    assert {len(line) for line in rows["score_drawn"]} == {PARAMETERS.resamples}
    assert np.median(rows.loc["next", "score_drawn"]) == pytest.approx(1)


def test_the_strongest_of_noisy_heads_is_scored_on_other_texts(texts):
    """Every head's numbers are noise around 0.3; the best on all texts lies well above."""
    values, best = [], []
    recording = OracleRecording(texts.corpus)
    for seed in range(40):
        noise = np.random.default_rng(seed).normal(0.3, 0.5, (LAYERS * HEADS, TEXTS))
        rows = strongest_table(recording, {"next": noise}, np.arange(TEXTS), PARAMETERS)
        values.append(rows["score"][0])
        best.append(noise.mean(1).max())
    assert np.mean(best) > 0.45
    assert np.mean(values) == pytest.approx(0.3, abs=0.05)


def test_texts_without_a_pattern_are_no_cases(texts):
    values = np.full((LAYERS * HEADS, TEXTS), 0.2)
    values[7] = 0.6
    values[:, :4] = np.nan
    recording = OracleRecording(texts.corpus)
    rows = strongest_table(recording, {"pattern_pieces": values}, texts.groups, PARAMETERS)
    (row,) = rows.to_dict("records")
    assert (row["layer"], row["head"], row["texts"]) == (2, 1, TEXTS - 4)
    assert row["score"] == pytest.approx(0.6)


def test_sep_to_sep_is_of_heads_that_attend_to_sep(own, texts):
    """One oracle gives all of its attention to [SEP]; no other head gives half."""
    rows = sep_table(*own[:1], own[1], own[1], texts.groups, PARAMETERS).set_index("layer")
    assert rows["heads"].tolist() == [0, 0, 1, 0]
    assert rows["cases"].tolist() == [0, 0, TEXTS, 0]
    assert rows["sep_to_sep_sum"].tolist() == [0, 0, pytest.approx(TEXTS), 0]


def test_random_weights_are_measured_at_the_places_of_the_encoders_heads(own, texts):
    recording, beside = measured(texts, "random_weights")
    rows = sep_table(recording, own[1], beside, texts.groups, PARAMETERS).set_index("layer")
    place = SEP[0] * HEADS + SEP[1]
    assert rows["cases"].tolist() == [0, 0, TEXTS, 0]
    assert rows.loc[SEP[0], "sep_to_sep_sum"] == pytest.approx(beside["sep_to_sep"][place].sum())
    assert set(rows["arm"]) == {"random_weights"}
    drawn = np.stack(rows["cases_drawn"])
    assert drawn.shape == (LAYERS, PARAMETERS.resamples)
    # Of eight groups a resample may have none in a half, hence the median.
    assert np.median(drawn, axis=1).tolist() == [0, 0, TEXTS, 0]


def test_heads_that_attend_to_sep_on_some_texts_only_are_scored_on_the_others(own, texts):
    """Heads that give [SEP] half on average: where they give it more, [SEP] does so too."""
    chosen, scored = [], []
    for seed in range(40):
        noise = np.random.default_rng(seed).uniform(0, 1, (LAYERS * HEADS, TEXTS))
        values = {"sep": noise, "sep_to_sep": noise}
        rows = sep_table(own[0], values, values, np.arange(TEXTS), PARAMETERS)
        chosen.append(noise[noise.mean(1) > 0.5].mean())
        scored.append(rows["sep_to_sep_sum"].sum() / rows["cases"].sum())
    assert np.mean(chosen) > 0.54
    assert np.mean(scored) == pytest.approx(0.5, abs=0.015)
