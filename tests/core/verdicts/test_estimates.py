import pandas as pd
import pytest

from stages.core.verdicts.answers import Answer, NotMeasured, row_by_corpus
from stages.core.verdicts.estimates import (
    Estimate,
    largest,
    mean_of,
    mean_on_same_examples,
    preferring,
    smallest,
)

ONE, TWO = Estimate(10, 7, 14, 100), Estimate(20, 16, 23, 50)


def values(estimate: Estimate) -> list[float]:
    return [estimate.value, estimate.low, estimate.high, estimate.n]


def test_mean_of_independent_estimates_adds_half_widths_in_quadrature():
    # Below: (3, 4) -> 5 / 2; above: (4, 3) -> 5 / 2.
    assert values(mean_of([ONE, TWO])) == pytest.approx([15, 12.5, 17.5, 150])


def test_mean_on_same_examples_averages_bounds():
    assert values(mean_on_same_examples([ONE, TWO])) == pytest.approx([15, 11.5, 18.5, 100])


def test_smallest_is_above_a_bound_only_if_every_estimate_is():
    found = smallest([ONE, TWO])
    assert (found.value, found.low, found.n) == (10, 7, 150)
    # Two upper ends at once need 2.241 / 1.960 of the half-width.
    assert found.high == pytest.approx(10 + 4 * 2.2414 / 1.95996, abs=1e-3)


def test_largest_mirrors_smallest():
    mirrored = smallest([ONE.scaled(-1), TWO.scaled(-1)]).scaled(-1)
    assert values(largest([ONE, TWO])) == pytest.approx(values(mirrored))
    assert largest([ONE, TWO]).high == 23


def test_one_estimate_is_its_own_mean_smallest_and_largest():
    for combination in (mean_of, mean_on_same_examples, smallest, largest):
        assert values(combination([ONE])) == pytest.approx(values(ONE))


def test_a_negative_scale_turns_the_interval_over():
    assert values(ONE.scaled(-2)) == [-20, -28, -14, 100]


def test_preferring_falls_back_to_all_tasks():
    both = {"one": ONE, "two": TWO}
    assert preferring("one", both) == Answer(ONE, both, decided_on="one")
    fallback = preferring("three", {"one": ONE, "two": TWO}, "heads", otherwise=smallest)
    assert fallback.pooled.value == 10
    assert (fallback.counted, fallback.decided_on) == ("heads", "")
    with pytest.raises(NotMeasured, match="about the task three"):
        preferring("three", both, otherwise=None)
    with pytest.raises(NotMeasured):
        preferring("one", {})


def test_the_row_of_each_corpus_is_its_estimate():
    rows = pd.DataFrame(
        {"corpus": ["b", "a"], "value": [0.5, 0.1], "low": [0.4, 0.0], "high": [0.6, 0.2], "n": 7}
    )
    answer = row_by_corpus(rows, ("value", "low", "high", "n"), "texts", 100)
    assert answer.pooled == Estimate(50, 40, 60, 7)
    assert list(answer.tasks) == ["b", "a"]
    with pytest.raises(ValueError, match="unpack"):
        row_by_corpus(pd.concat([rows, rows]), ("value", "low", "high", "n"), "texts")
