"""The join of claims: seeds, tasks that were learnt, controls, and the data that decide."""

import numpy as np
import pytest

from stages.core.tables import Table, Value, count
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.estimates import Estimate, largest, smallest
from stages.core.verdicts.of_data import of_arm, of_data
from tests.claims import write_run, write_table

TABLE = Table(
    "stage/list",
    keys="data seed arm layer head",
    values={"share": Value("share", interval=True, resampled=True), "cases": count("cases")},
)
OF_TEXTS = Table("texts/list", keys="data arm", values=dict(TABLE.values))
CONTROL = {"arm": "tuned_from_random"}


def share(run) -> Estimate:
    (row,) = run.to_dict("records")
    if np.isnan(row["share"]):
        raise NotMeasured("this run has no share")
    return Estimate.of_value(row, "share", row["cases"])


def write(measures, data, value, seed=0, arm="tuned", table=TABLE, spread=0.01):
    keys = {"arm": arm} | ({"seed": seed} if table is TABLE else {})
    write_table(measures, table, [{"share": value, "cases": 9}], spread, data, **keys)


def test_seeds_are_joined_and_the_data_set_with_the_smallest_value_decides(measures):
    for data, seed, value in (("one", 0, 0.5), ("one", 1, 0.7), ("two", 0, 0.4), ("two", 1, 0.4)):
        write(measures, data, value, seed)
    answer = of_data(measures, TABLE, share, decide=smallest)
    assert {data: round(one.value, 6) for data, one in answer.tasks.items()} == {
        "one": 0.6,
        "two": 0.4,
    }
    assert (answer.pooled.value, answer.arm, answer.seeds) == (pytest.approx(0.4), "tuned", 2)
    # Seeds 0.2 apart have a t interval of 12.7 times 0.1 to either side.
    assert answer.tasks["one"].high - 0.6 == pytest.approx(12.706 * 0.1, rel=0.01)


def test_the_control_is_the_same_estimate_of_random_weights_drawn_alike(measures):
    for data, value, control in (("one", 0.5, 0.3), ("two", 0.6, 0.1)):
        write(measures, data, value)
        write(measures, data, control, arm="tuned_from_random")
    answer = of_data(measures, TABLE, share, decide=smallest, control_has_learnt=False)
    assert (answer.control.value, answer.beyond.value) == pytest.approx((0.1, 0.2))
    assert answer.beyond.high - answer.beyond.low < 1e-6
    some = of_data(measures, TABLE, share, decide=largest, of_some=True)
    assert (some.pooled.value, some.control.value) == pytest.approx((0.6, 0.1))


def test_a_named_control_that_was_not_measured_is_the_reason(measures):
    write(measures, "one", 0.5)
    write(measures, "one", 0.3, **CONTROL)
    answer = of_data(measures, TABLE, share, decide=smallest, control="random_weights")
    assert answer.control is None and "no random weights were measured" in answer.uncontrolled


def learnt(measures, data, arm, wrong):
    write_run(measures, f"finetune/{data}", wrong, arm=arm, seed=0)


def test_tasks_that_an_arm_has_not_learnt_are_left_out(measures):
    for data, wrong, control_wrong in (("one", 2, 10), ("two", 10, 10)):
        write_run(measures, f"baseline/{data}", 10, model="majority")
        learnt(measures, data, "tuned", wrong)
        learnt(measures, data, "tuned_from_random", control_wrong)
        write(measures, data, 0.5 if data == "one" else 0.1)
        write(measures, data, 0.2, arm="tuned_from_random")
    answer = of_data(measures, TABLE, share, decide=smallest)
    assert list(answer.tasks) == ["one"]
    assert answer.control is None and "majority" in answer.uncontrolled
    unlearnt = of_data(measures, TABLE, share, decide=smallest, control_has_learnt=False)
    assert unlearnt.control.value == pytest.approx(0.2)
    with pytest.raises(NotMeasured, match="two"):
        of_data(measures, TABLE, share, decide="two")


def test_one_data_set_by_name_decides_and_others_stand_beside(measures):
    write(measures, "one", 0.1)
    write(measures, "two", 0.6)
    write(measures, "one", 0.0, arm="tuned_from_random")
    answer = of_data(measures, TABLE, share, decide="two")
    assert (answer.pooled.value, answer.decided_on) == (pytest.approx(0.6), "two")
    assert list(answer.tasks) == ["one", "two"]
    assert answer.control is None  # there is one of the other task alone


def test_the_first_corpus_decides_beside_random_weights(measures):
    write(measures, "two", 0.9, table=OF_TEXTS, arm="untuned")
    write(measures, "one", 0.5, table=OF_TEXTS, arm="untuned")
    write(measures, "one", 0.2, table=OF_TEXTS, arm="random_weights")
    answer = of_data(measures, OF_TEXTS, share, counted="texts")
    assert (answer.decided_on, answer.counted, answer.seeds) == ("one", "texts", None)
    assert answer.beyond.value == pytest.approx(0.3)


def test_recorded_attention_has_no_control_and_stands_in_the_order_of_the_data(measures):
    write(measures, "one", 0.5, table=OF_TEXTS, arm="recorded")
    write(measures, "two", 0.6, table=OF_TEXTS, arm="untuned")
    write(measures, "two", 0.1, table=OF_TEXTS, arm="random_weights")
    answer = of_data(measures, OF_TEXTS, share)
    assert list(answer.tasks) == ["one", "two"]
    assert (answer.decided_on, answer.arm, answer.control) == ("one", "recorded", None)
    assert "recorded elsewhere" in answer.uncontrolled


def test_a_run_that_lacks_the_measure_is_left_out_and_named_if_all_do(measures):
    write(measures, "one", np.nan, seed=0)
    write(measures, "one", 0.4, seed=1)
    answer = of_data(measures, TABLE, share)
    assert (answer.pooled.value, answer.seeds) == (pytest.approx(0.4), 1)
    write(measures, "two", np.nan)
    with pytest.raises(NotMeasured, match="this run has no share"):
        of_arm(measures, TABLE.where(data="two"), share, "tuned")
    write(measures, "one", 0.1, table=OF_TEXTS, arm="random_weights")
    with pytest.raises(NotMeasured, match="only random weights"):
        of_data(measures, OF_TEXTS, share)
