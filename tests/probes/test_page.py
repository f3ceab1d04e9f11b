"""What the page says of scores by hand, in percent, beside rows that it must leave alone."""

import numpy as np
import pandas as pd
import pytest

from stages.core.verdicts.measures import Measures
from stages.probes.page import PAGE
from stages.probes.tables import SCORES
from tests.claims import write_drawn
from tests.probes.test_claims import row

OWN = {"right-branching": 0.26, "attention": 0.61}
WORDS = {"distances and words": 0.58, "attention and words": 0.77}


@pytest.fixture
def corpora(tmp_path) -> Measures:
    return Measures(tmp_path, {}, [], [], ["treebank", "templates"])


def write(measures: Measures, scores: dict, control: dict, corpus: str = "treebank") -> None:
    """Scores that all go up and down together, beside variants and scores with punctuation."""
    encoders = {"untuned": scores, "random_weights": control}
    rows = [
        one
        for encoder, own in encoders.items()
        for probe, uas in own.items()
        for one in (
            row(encoder, probe, 0.99, "other vectors"),
            row(encoder, probe, 0.01, punctuation=True),
            row(encoder, probe, uas),
        )
    ]
    rows = [one | {"sentences": 9, "groups": 9, "steps": 1, "converged": True} for one in rows]
    write_drawn(measures, SCORES, rows, 0.02, corpus=corpus)


def shaken_apart(measures: Measures, probe: str, by: float) -> None:
    """Let one probe of the encoder vary by itself too, so that differences have a width."""
    table = pd.read_parquet(measures.folder / "probes/treebank.parquet")
    path = measures.folder / "probes/treebank-resampled.npy"
    drawn = np.load(path)
    rows = ((table["probe"] == probe) & (table["encoder"] == "untuned")).to_numpy()
    drawn[:, rows] += np.random.default_rng(1).normal(scale=by, size=drawn.shape[-1])
    np.save(path, drawn)


def test_in_short_compares_by_the_interval_of_the_difference(corpora):
    write(corpora, OWN | WORDS, {"attention": 0.2, "attention and words": 0.3})
    write(corpora, {"attention": 0.9}, {}, "templates")
    shaken_apart(corpora, "attention", 0.01)
    alone, with_words, published = PAGE.in_short(corpora)
    assert alone == (
        "On treebank, a probe of the attention of all heads finds the syntactic head of 61.0 "
        "percent [60.0, 64.0] of the words: more than taking the next word for it (26.0%) and more "
        "than the same with random weights (20.0%)."
    )
    assert "more than words and distances without attention (58.0%)" in with_words
    assert published == (
        "Clark et al. print 61% for attention and 77% with words, of BERT-base on English news."
    )


def test_a_probe_that_finds_less_is_said_to(corpora):
    write(corpora, {"right-branching": 0.7, "attention": 0.6}, {"attention": 0.65})
    shaken_apart(corpora, "attention", 0.01)
    said = PAGE.in_short(corpora)
    assert len(said) == 2  # nothing of a probe that was not fitted
    assert ": less than taking the next word for it (70.0%) and" in said[0]
    shaken_apart(corpora, "attention", 0.3)
    assert ": not shown to differ from taking the next word" in PAGE.in_short(corpora)[0]


def test_without_a_control_that_is_said(corpora):
    write(corpora, OWN, {})
    assert PAGE.in_short(corpora)[0].endswith("(26.0%); random weights were not measured.")


def test_published_scores_stand_beside_those_that_they_are_of_in_one_unit(corpora):
    write(corpora, OWN | WORDS, {"attention": 0.2, "attention and words": 0.3})
    write(corpora, {"attention": 0.9}, {}, "templates")
    figure, table = PAGE.sections(corpora)[0].items
    shown = table.frame[table.frame["variant"] == ""].set_index(["corpus", "encoder", "probe"])
    plain = shown[~shown["punctuation"]]
    assert plain.loc[("treebank", "untuned", "attention"), "score, %"] == pytest.approx(61)
    published = plain["published, %"]
    assert published["treebank", "untuned", "attention"] == 61
    assert published["treebank", "random_weights", "attention and words"] == 30
    assert published["treebank"].isna().sum() == 1  # random weights, attention alone
    assert table.frame.loc[table.frame["variant"] != "", "published, %"].isna().all()
    assert shown.loc[shown["punctuation"], "published, %"].isna().all()
    assert figure.finding.count("On treebank") == 2
    assert "On templates, a probe of the attention of all heads" in figure.finding
    marks = figure.chart.layer[-1].data
    marks = marks[marks["encoder"] == "Clark et al., untuned"].set_index("label")["value"]
    assert marks["treebank: attention"] == 61
    assert "templates: attention" in marks.index
