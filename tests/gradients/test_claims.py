"""The ratio of gradients, on tables by hand with decoys."""

from fractions import Fraction

import pandas as pd
import pytest

from stages.core.maps.gradient_tables import MASKED
from stages.core.stage.arms import RANDOM_WEIGHTS, TUNED, UNTUNED
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.depth import Band
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.region import Region, verdict
from stages.gradients.tables import TASKS
from tests.claims import found, write_run, write_table

UPPER = Band(Fraction(3, 4), Fraction(1))


@pytest.fixture
def texts(tmp_path) -> Measures:
    return Measures(tmp_path, {"one": "accuracy", "two": "accuracy"}, [], [], ["pairs"])


def rows(sep: list[float], words: list[float], texts: int = 30, **facts) -> list[dict]:
    """Four layers; `summed` is ten times as much for words and the same for [SEP]."""
    found = []
    for kind, values in {"sep": sep, "words": words, "cls": [9.0] * 4}.items():
        for layer, value in enumerate(values):
            summed = 10 * value if kind == "words" else value
            columns = {"per_weight": value, "summed": summed, "texts": texts}
            found.append({"layer": layer, "kind": kind, **columns, **facts})
    return found


def ratio(measures: Measures, by: str = "per_weight"):
    return found(measures, "gradient_beside_words", kind="sep", by=by, layers=UPPER)


def test_the_ratio_is_of_means_over_the_layers(texts):
    """(1 + 2) over (2 + 6), not the mean of 1 / 2 and 1 / 3; tasks alike, control beside."""
    for task, factor in (("one", 1.0), ("two", 2.0)):
        own = rows([5, 5, factor, 2 * factor], [1, 1, 2, 6], arm=TUNED, texts=40)
        control = rows([7, 7, 6, 6], [7, 7, 8, 8], arm=RANDOM_WEIGHTS)
        write_table(texts, TASKS, own + control, 0.01, task)
    answer = ratio(texts)
    assert answer.tasks["one"].value == pytest.approx(3 / 8)
    assert answer.pooled.value == pytest.approx((3 / 8 + 6 / 8) / 2)
    assert answer.control.value == pytest.approx(6 / 8)
    assert answer.beyond.value == pytest.approx(3 * 3 / 16 - 6 / 8)
    assert (answer.pooled.n, answer.arm, answer.seeds) == (80, TUNED, 1)
    summed = ratio(texts, "summed").tasks["one"]
    assert summed.value == pytest.approx(3 / 80)
    assert summed.low < 3 / 80 < summed.high < 2 * 3 / 80


def test_numerator_and_denominator_are_drawn_together(texts):
    """Where both go up and down together the ratio stays; apart it would not."""
    write_table(texts, TASKS, rows([1] * 4, [1] * 4, arm=TUNED), 0.2, "one")
    one = ratio(texts).tasks["one"]
    assert one.high - one.low < 1e-6


def test_masked_words_come_before_tasks(texts):
    write_table(texts, TASKS, rows([1] * 4, [1] * 4, arm=TUNED), data="one")
    own = rows([0, 0, 0.02, 0.02], [1] * 4, arm=UNTUNED)
    control = rows([0.5] * 4, [1] * 4, arm=RANDOM_WEIGHTS)
    write_table(texts, MASKED, own + control, 0.001, "pairs")
    answer = ratio(texts)
    assert (answer.pooled.value, answer.control.value) == pytest.approx((0.02, 0.5))
    assert (answer.decided_on, answer.counted, answer.pooled.n) == ("pairs", "texts", 30)
    assert verdict(answer.pooled, Region(below=0.1), answer.beyond) == "holds"


def test_a_no_op_for_random_weights_as_well_does_not_hold(texts):
    own, control = (rows([0.02] * 4, [1] * 4, arm=name) for name in (UNTUNED, RANDOM_WEIGHTS))
    write_table(texts, MASKED, own + control, 0.001, "pairs")
    answer = ratio(texts)
    assert verdict(answer.pooled, Region(below=0.1)) == "holds"
    assert verdict(answer.pooled, Region(below=0.1), answer.beyond) == "undecided"


def test_a_task_that_was_not_learnt_says_nothing_of_gradients(texts):
    for task, wrong, own in (("one", 10, 1.0), ("two", 2, 3.0)):
        write_run(texts, f"finetune/{task}", wrong, arm=TUNED, seed=0)
        write_run(texts, f"baseline/{task}", 10, model="majority")
        write_table(texts, TASKS, rows([own] * 4, [4] * 4, arm=TUNED), data=task)
    answer = ratio(texts)
    assert list(answer.tasks) == ["two"]
    assert answer.pooled.value == pytest.approx(0.75)


def test_an_empty_table_of_masked_words_leaves_the_tasks(texts):
    path = texts.folder / "surface/pairs/masked.parquet"
    path.parent.mkdir(parents=True)
    pd.DataFrame(columns=MASKED.columns).to_parquet(path)
    write_table(texts, TASKS, rows([1] * 4, [2] * 4, arm=TUNED), data="one")
    assert ratio(texts).pooled.value == 0.5


def test_without_the_kind_nothing_is_measured(texts):
    write_table(texts, TASKS, rows([1] * 4, [2] * 4, arm=TUNED), data="one")
    with pytest.raises(NotMeasured, match="punctuation"):
        found(texts, "gradient_beside_words", kind="punctuation", by="summed", layers=UPPER)
