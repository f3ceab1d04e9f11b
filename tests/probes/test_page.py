"""What the page makes of scores by hand, beside rows that it must leave alone."""

import numpy as np
import pandas as pd
import pytest

from stages.core.pages.page import Figure
from stages.core.verdicts.measures import Measures
from stages.probes.page import PAGE, beside_baselines, beside_first_choices, beside_published
from stages.probes.tables import SCORES
from tests.claims import write_table
from tests.probes.test_claims import row

ENCODER = {"right-branching": 0.26, "attention": 0.61}
WORDS = {"distances and words": 0.58, "attention and words": 0.77}
CONTROL = {"right-branching": 0.26, "attention": 0.2, "attention and words": 0.3}


@pytest.fixture
def corpora(tmp_path) -> Measures:
    return Measures(tmp_path, {}, [], [], ["treebank", "templates"])


def write(measures: Measures, scores: dict, control: dict, corpus: str = "treebank") -> None:
    """Scores that all go up and down together, beside variants and scores with punctuation."""
    rows = [
        each
        for arm, of_arm in {"untuned": scores, "random_weights": control}.items()
        for probe, uas in of_arm.items()
        for each in (
            row(arm, probe, 0.9, "other vectors"),
            row(arm, probe, 0.01, punctuation=True),
            row(arm, probe, uas),
        )
    ]
    write_table(measures, SCORES, rows, 0.02, corpus)


def shake_apart(measures: Measures, probe: str, by: float) -> None:
    """Let one probe of the encoder vary by itself too, so that differences have a width."""
    path = measures.folder / "probes/treebank/scores.parquet"
    table = pd.read_parquet(path)
    noise = np.random.default_rng(1).normal(scale=by, size=200)
    shaken = (table["probe"] == probe) & (table["arm"] == "untuned")
    table["uas_drawn"] = [
        line + noise if move else line
        for line, move in zip(table["uas_drawn"], shaken, strict=True)
    ]
    table.to_parquet(path)


def test_each_probe_of_attention_is_compared_with_its_baseline(corpora):
    write(corpora, ENCODER | WORDS, CONTROL)
    rows = beside_baselines(corpora).set_index(["arm", "probe"])
    gains = rows["gain"].dropna().to_dict()
    assert gains == {  # random weights have no row of distances and words here
        ("untuned", "attention"): pytest.approx(0.35),
        ("untuned", "attention and words"): pytest.approx(0.19),
        ("random_weights", "attention"): pytest.approx(-0.06),
    }
    others = beside_first_choices(corpora).set_index(["arm", "probe"])
    assert set(others["variant"]) == {"other vectors"}
    assert others.loc[("untuned", "attention"), ["rival", "gain"]].tolist() == pytest.approx(
        [0.61, 0.29]
    )


def finding(measures: Measures) -> str:
    return PAGE.sections(measures)[0].items[0].finding


def test_the_interval_of_the_difference_is_counted(corpora):
    """Scores whose own intervals do not overlap may still not be shown to differ."""
    write(corpora, {"right-branching": 0.7, "attention": 0.6}, {})
    shake_apart(corpora, "attention", 0.01)
    assert finding(corpora).startswith("Above the baseline: 0 of 1, below 1, not shown 0")
    shake_apart(corpora, "attention", 0.3)
    assert finding(corpora).startswith("Above the baseline: 0 of 1, below 0, not shown 1")


def test_published_scores_stand_beside_the_rows_that_they_are_of(corpora):
    write(corpora, ENCODER | WORDS, CONTROL)
    write(corpora, {"attention": 0.9}, {}, "templates")
    rows = beside_published(corpora)
    alike = rows[(rows["variant"] == "") & ~rows["punctuation"]]
    published = alike.set_index(["data", "arm", "probe"])["published"]
    assert published["treebank", "untuned", "attention"] == 0.61
    assert published["treebank", "random_weights", "attention and words"] == 0.30
    assert published["treebank"].isna().sum() == 1  # random weights, attention alone
    assert rows.drop(index=alike.index)["published"].isna().all()
    figure = PAGE.sections(corpora)[0].items[0]
    assert isinstance(figure, Figure)
    marks = figure.chart.layer[-1].data
    marks = marks[marks["mark"] == "Clark et al., untuned"].set_index("label")["value"]
    assert marks["attention, treebank"] == 0.61
    assert "attention, templates" in marks.index
