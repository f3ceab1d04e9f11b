"""What the claim about heads of a layer reads."""

import pytest

from stages.clusters.tables import PURITY
from stages.core.stage.arms import RANDOM_WEIGHTS, UNTUNED
from stages.core.verdicts.claims import SUMMARIES
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.region import Region, verdict
from tests.claims import found, write_table


def row(arm: str, above: float) -> dict:
    limits = {"above": above, "above_low": above - 0.05, "above_high": above + 0.02}
    decoys = {"purity": above + 0.2, "chance": 0.2, "chance_low": 0.1, "chance_high": 0.4}
    return {"arm": arm, "texts": 30, "p": 0.5} | limits | decoys


@pytest.fixture
def texts(tmp_path) -> Measures:
    return Measures(tmp_path, {}, [], [], ["pairs", "others"])


def test_purity_is_what_it_is_above_chance_and_random_weights(texts):
    write_table(texts, PURITY, [row(RANDOM_WEIGHTS, 0.1), row(UNTUNED, 0.3)], 0.01, "pairs")
    write_table(texts, PURITY, [row(UNTUNED, 0.9)], 0.01, "others")
    answer = found(texts, "purity_over_chance")
    pooled = answer.pooled
    assert (pooled.value, pooled.low, pooled.high) == pytest.approx((0.3, 0.25, 0.32))
    assert (pooled.n, answer.counted, answer.decided_on) == (30, "texts", "pairs")
    assert answer.control.value == pytest.approx(0.1)
    assert answer.beyond.value == pytest.approx(0.2)


def test_layers_that_lie_together_in_any_network_do_not_hold(texts):
    write_table(texts, PURITY, [row(RANDOM_WEIGHTS, 0.4), row(UNTUNED, 0.3)], 0.01, "pairs")
    answer = found(texts, "purity_over_chance")
    assert verdict(answer.pooled, Region(above=0)) == "holds"
    assert verdict(answer.pooled, Region(above=0), answer.beyond) != "holds"


def test_figures_of_every_corpus_and_encoder(texts):
    write_table(texts, PURITY, [row(RANDOM_WEIGHTS, 0.1), row(UNTUNED, 0.3)], data="pairs")
    write_table(texts, PURITY, [row(UNTUNED, 0.9)], data="others")
    shared = {"chance": 0.2, "p": 0.5}
    found = SUMMARIES["clusters"](texts)
    assert found["pairs"][UNTUNED] == pytest.approx({"purity": 0.5, "above": 0.3, **shared})
    assert found["pairs"][RANDOM_WEIGHTS] == pytest.approx({"purity": 0.3, "above": 0.1, **shared})
    assert found["others"] == {UNTUNED: pytest.approx({"purity": 1.1, "above": 0.9, **shared})}
