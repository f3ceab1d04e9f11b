"""What claims read of tables of coreference: natural text decides."""

import pytest
import yaml

from stages.core.verdicts.claims import SUMMARIES
from stages.core.verdicts.measures import NotMeasured
from stages.coreference.tables import BEST
from tests.claims import found, write_table

CORPORA = {
    "templates": {"source": "written", "texts": 10},
    "novels": {"source": "litbank", "path": "novels"},
}


def row(arm: str = "untuned", rule: str = "nearest", kind: str = "all", gain: float = 0.3):
    """The head finds 60% of 50 antecedents; the limits of its gain are not as far from it."""
    facts = {"arm": arm, "kind": kind, "rule": rule, "cases": 50, "groups": 9}
    scores = {"score": 0.6, "score_low": 0.5, "score_high": 0.65}
    scores |= {"rival": 0.6 - gain, "rival_low": 0.2, "rival_high": 0.3}
    return {**facts, **scores, "gain": gain, "gain_low": gain - 0.2, "gain_high": gain + 0.1}


@pytest.fixture
def tables(measures, tmp_path, monkeypatch):
    (tmp_path / "params.yaml").write_text(yaml.safe_dump({"corpora": CORPORA}))
    monkeypatch.chdir(tmp_path)
    measures._wanted["corpus"] = list(CORPORA)
    decoys = [row(rule="rules", gain=-0.9), row(kind="pronoun", gain=0.05)]
    control = row("random_weights", gain=0.25)
    write_table(measures, BEST, [row(gain=0.9), row("random_weights")], data="templates")
    return measures, [*decoys, row(), control]


def test_natural_text_decides_and_templates_stand_beside(tables):
    measures, rows = tables
    write_table(measures, BEST, rows, 0.01, data="novels")
    answer = found(measures, "antecedents_over", rival="nearest", kind="all")
    assert answer.decided_on == "novels"
    interval = answer.pooled.value, answer.pooled.low, answer.pooled.high
    assert interval == pytest.approx((30, 10, 40))
    assert (answer.pooled.n, answer.counted, answer.arm) == (50, "mentions", "untuned")
    assert answer.tasks["templates"].value == pytest.approx(90)
    assert answer.control.value == pytest.approx(25)
    assert answer.beyond.value == pytest.approx(5)
    pronouns = found(measures, "antecedents_over", rival="nearest", kind="pronoun")
    assert pronouns.pooled.value == pytest.approx(5)
    assert pronouns.control is None


def test_templates_alone_decide_nothing(tables):
    measures, _ = tables
    with pytest.raises(NotMeasured, match="natural text"):
        found(measures, "antecedents_over", rival="nearest", kind="all")


def test_kinds_without_mentions_are_not_measured(tables):
    measures, rows = tables
    write_table(measures, BEST, rows, data="novels")
    with pytest.raises(NotMeasured, match="proper"):
        found(measures, "antecedents_over", rival="nearest", kind="proper")


def test_figures_of_the_best_head_and_of_each_rule(tables):
    measures, rows = tables
    write_table(measures, BEST, rows, data="novels")
    found = SUMMARIES["coreference"](measures)
    assert found["novels"]["all"] == pytest.approx({"best head": 0.6, "nearest": 0.3, "rules": 1.5})
    assert found["novels"]["pronoun"] == pytest.approx({"best head": 0.6, "nearest": 0.55})
    assert found["templates"] == {"all": pytest.approx({"best head": 0.6, "nearest": -0.3})}
