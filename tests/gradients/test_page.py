"""What the page draws of gradients by hand: ratios, and shares that stand on one scale."""

import pytest

from stages.core.maps.gradient_tables import MASKED
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED, UNTUNED
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures
from stages.gradients.page import beside_words, in_largest
from stages.gradients.tables import TASKS
from tests.claims import write_table
from tests.gradients.test_claims import rows


@pytest.fixture
def texts(tmp_path) -> Measures:
    """A task with its control, and masked words whose gradients have another unit."""
    measures = Measures(tmp_path, {"one": "accuracy"}, [], [], ["pairs"])
    tuned = rows([1, 1, 1, 2], [1, 1, 2, 8], arm=TUNED)
    control = rows([3] * 4, [4] * 4, arm=RANDOM_WEIGHTS)
    write_table(measures, TASKS, tuned + control, 0.01, "one")
    masked = [row for row in rows([100] * 4, [400] * 4, arm=UNTUNED) if row["kind"] != "cls"]
    write_table(measures, MASKED, masked, 0.01, "pairs")
    return measures


def test_each_layer_has_its_ratio(texts):
    ratios = beside_words("per_weight")(texts).set_index(["data", "arm"])["ratio"]
    assert ratios["one", TUNED].tolist() == pytest.approx([1, 1, 0.5, 0.25])
    assert ratios["one", RANDOM_WEIGHTS].tolist() == pytest.approx([0.75] * 4)
    assert ratios["pairs, masked words", UNTUNED].tolist() == pytest.approx([0.25] * 4)
    summed = beside_words("summed")(texts).set_index(["data", "arm"])["ratio"]
    assert summed["one", TUNED].tolist() == pytest.approx([0.1, 0.1, 0.05, 0.025])


def test_each_loss_has_its_own_largest_value(texts):
    shares = in_largest("per_weight")(texts).set_index(["data", "arm", "layer", "to"])
    assert shares.loc[("one", TUNED, 3, "words"), "per_weight"] == pytest.approx(8 / 9)
    assert shares.loc[("one", TUNED, 3, "[CLS]"), "per_weight"] == 1
    assert shares.loc[("one", RANDOM_WEIGHTS, 0, "[SEP]"), "per_weight"] == pytest.approx(3 / 9)
    largest = shares.loc[("pairs, masked words", UNTUNED, 0, "words")]
    assert largest["per_weight"] == 1
    assert largest["per_weight_low"] == pytest.approx(1 - 0.02 / 400)


def test_a_configuration_without_gradients_has_no_figure(tmp_path):
    with pytest.raises(NotMeasured, match="gradients"):
        beside_words("summed")(Measures(tmp_path, {}, [], [], ["pairs"]))
