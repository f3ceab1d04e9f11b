"""Claims about heads that hurt, on hand-made rows with decoys."""

from typing import Any

import numpy as np
import pytest

from stages.core.tables import Table
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures
from stages.core.verdicts.region import Region, verdict
from stages.harmful.tables import HALVES, HEADS, SCORES, SPREAD
from tests.claims import found, write_run, write_table

HURTING = [(0, 1), (1, 2)]


def scored(figure: str, change: float, full: float = 0.5, **others: Any) -> dict[str, Any]:
    row = {"figure": figure, "full": full, "change": change, "random": 0.02, "examples": 60}
    row |= {"change_low": change - 0.01, "change_high": change + 0.01, "heads_ablated": 2.0}
    return {"seed": 0, "arm": "tuned"} | row | others


def write_scores(measures: Measures, task: str, *rows: dict[str, Any], spread: float = 0.0) -> None:
    decoys = [scored(name, 9.0) for name in ("f1",)]
    write_anew(measures, SCORES, [*decoys, *rows], spread, data=task)


def write_anew(
    measures: Measures, table: Table, rows: list[dict], *spread: float, data: str
) -> None:
    """Write a table of one task in the place of an earlier one."""
    stage, _, name = table.file.partition("/")
    (measures.folder / stage / data / f"{name}.parquet").unlink(missing_ok=True)
    write_table(measures, table, rows, *spread, data=data)


def test_the_loss_is_in_percent_and_the_task_where_it_falls_least_decides(measures):
    write_scores(measures, "one", scored("loss", -0.1), scored("accuracy", 9.0))
    write_scores(measures, "two", scored("loss", -0.1, full=2.0))
    answer = found(measures, "loss_without_harmful")
    assert {task: one.value for task, one in answer.tasks.items()} == pytest.approx(
        {"one": -20, "two": -5}
    )
    assert answer.pooled.value == pytest.approx(-5)
    assert (answer.pooled.n, answer.arm, answer.seeds) == (120, "tuned", 1)
    assert "from random weights has learnt no task" in answer.uncontrolled


def test_the_control_goes_through_the_same_procedure(measures):
    control = scored("loss", -0.05, arm="tuned_from_random")
    write_scores(measures, "one", scored("loss", -0.1), control, spread=0.001)
    answer = found(measures, "loss_without_harmful")
    assert (answer.pooled.value, answer.control.value) == pytest.approx((-20, -10))
    assert answer.beyond.value == pytest.approx(-10)
    assert verdict(answer.pooled, Region(below=0), answer.beyond) == "holds"
    write_scores(measures, "one", scored("loss", -0.1), control | {"change": -0.2}, spread=0.001)
    answer = found(measures, "loss_without_harmful")
    assert verdict(answer.pooled, Region(below=0), answer.beyond) == "fails"


def test_a_control_that_has_not_learnt_is_none(measures):
    for arm, wrong in (("tuned", 2), ("tuned_from_random", 10)):
        write_run(measures, "finetune/one", wrong, arm=arm, seed=0)
    write_run(measures, "prepare/one-baselines", 10, model="majority")
    write_scores(
        measures, "one", scored("loss", -0.1), scored("loss", -0.4, arm="tuned_from_random")
    )
    assert found(measures, "loss_without_harmful").control is None


def test_random_heads_stand_against_the_chosen(measures):
    """-0.1 less 0.02, of 0.5; noise that both share falls out."""
    write_scores(measures, "one", scored("loss", -0.1), spread=0.001)
    answer = found(measures, "loss_beyond_random")
    assert answer.pooled.value == pytest.approx(-24)
    assert answer.pooled.high < -20


def test_no_ablated_heads_are_not_better_than_random_ones(measures):
    """Nothing off is better than a random head off that costs something: that says nothing."""
    none = scored("loss", 0.0, heads_ablated=0.0)
    write_scores(measures, "one", none, spread=0.001)
    with pytest.raises(NotMeasured, match="no head hurts"):
        found(measures, "loss_beyond_random")
    runs = [none, scored("loss", -0.1, seed=1)]
    write_scores(measures, "one", *runs, spread=0.001)
    answer = found(measures, "loss_beyond_random")
    assert (answer.pooled.value, answer.seeds) == (pytest.approx(-24), 1)
    assert found(measures, "loss_without_harmful").seeds == 2


def test_accuracy_is_of_some_task_and_in_points(measures):
    for task, change in (("one", 0.03), ("two", -0.01)):
        write_scores(measures, task, scored("accuracy", change), scored("loss", -9.0))
    answer = found(measures, "metric_without_harmful")
    assert answer.pooled.value == pytest.approx(3)
    assert answer.pooled.low < 2  # allows for the choice of the task


def test_seeds_are_joined(measures):
    rows = [scored("accuracy", change, seed=seed) for seed, change in enumerate((0.02, 0.04))]
    write_scores(measures, "one", *rows)
    answer = found(measures, "metric_without_harmful")
    assert (answer.pooled.value, answer.seeds) == (pytest.approx(3), 2)


def test_calibration_is_of_classes_alone(measures):
    measures.primary["two"] = "pearson"
    write_scores(measures, "one", scored("calibration", -0.02))
    write_scores(measures, "two", scored("calibration", -0.5))
    answer = found(measures, "calibration_without_harmful")
    assert list(answer.tasks) == ["one"]
    assert answer.pooled.value == pytest.approx(-2)


def test_examples_that_gain_are_those_of_the_chosen_heads(measures):
    own = {"seed": 0, "arm": "tuned", "heads": "chosen", "examples": 60}
    rest = {"falls_low": 0.5, "falls_high": 0.7, "top_share": 0.5, "trimmed": 0.1}
    rows = [own | rest | {"falls": 0.6}, own | rest | {"falls": 0.9, "heads": "random"}]
    write_anew(measures, SPREAD, rows, data="one")
    answer = found(measures, "examples_that_gain")
    assert (answer.pooled.value, answer.pooled.low, answer.pooled.n) == (0.6, 0.5, 60)


def heads(confidence: dict[tuple[int, int], float], seed: int = 0) -> list[dict[str, Any]]:
    """Two layers of three heads, of which the two of `HURTING` lower the loss."""
    return [
        {
            "seed": seed,
            "arm": "tuned",
            "layer": layer,
            "head": head,
            "examples": 60,
            "loss": -0.1 if (layer, head) in HURTING else 0.1,
            "confidence": confidence.get((layer, head), 0.5),
            "entropy": 9.0,
        }
        for layer in (1, 0)
        for head in (2, 0, 1)
    ]


def test_heads_that_hurt_are_held_against_the_others(measures):
    rows = heads({(0, 1): 0.2, (1, 2): 0.4, (0, 0): 0.9})
    decoys = [row | {"arm": "tuned_from_random", "confidence": 0.5} for row in rows]
    write_anew(measures, HEADS, [*decoys, *rows], 0.001, data="one")
    answer = found(measures, "confidence_of_harmful", heads=2)
    # 0.3 against 0.9 and three times 0.5.
    assert answer.pooled.value == pytest.approx(0.3 - 0.6)
    assert answer.pooled.n == 60
    assert answer.control.value == pytest.approx(0)


def test_heads_that_hurt_nobody_are_not_among_those_that_hurt(measures):
    rows = heads({(0, 1): 0.2, (1, 2): 0.4})
    write_anew(measures, HEADS, rows, 0.001, data="one")
    answer = found(measures, "confidence_of_harmful", heads=3)
    assert answer.pooled.value == pytest.approx(0.3 - 0.5)
    write_anew(measures, HEADS, [row | {"loss": 0.1} for row in rows], 0.001, data="one")
    with pytest.raises(NotMeasured, match="no head hurts"):
        found(measures, "confidence_of_harmful", heads=3)


def halves(losses: dict[tuple[int, int], float], seed: int = 0, full: float = 2.0) -> list[dict]:
    """Both halves of a division, with heads that both chose where they lower the loss."""
    return [
        {
            "seed": seed,
            "arm": "tuned",
            "division": 0,
            "half": half,
            "layer": layer,
            "head": head,
            "examples": 30,
            "full": full,
            "loss": losses.get((layer, head), 0.4),
            "chosen": losses.get((layer, head), 0.4) < 0,
        }
        for half in (0, 1)
        for layer in (0, 1)
        for head in (0, 1, 2)
    ]


def test_heads_that_hurt_other_seeds_are_found(measures):
    measures.seeds["one"] = [0, 1, 2]
    hurt = dict.fromkeys(HURTING, -0.1)
    rows = [row for seed in (0, 1, 2) for row in halves(hurt, seed)]
    decoys = [row | {"arm": "tuned_from_random", "loss": 9.0} for row in rows]
    write_anew(measures, HALVES, [*decoys, *rows], 0.001, data="one")
    answer = found(measures, "harm_on_other_seeds")
    assert answer.pooled.value == pytest.approx(-5)
    assert answer.pooled.high < -4.5
    assert (answer.seeds, answer.pooled.n) == (3, 60)
    # One seed on which other heads hurt: of three pairs one agrees.
    other = halves({(0, 2): -0.1, (1, 1): -0.1}, 2)
    write_anew(measures, HALVES, [*rows[:24], *other], 0.001, data="one")
    found_now = found(measures, "harm_on_other_seeds").pooled
    assert found_now.value == pytest.approx((-5 + 20 + 20) / 3)
    assert found_now.low < 0 < found_now.high
    write_anew(measures, HALVES, rows[:24], 0.001, data="one")
    with pytest.raises(NotMeasured, match="three seeds"):
        found(measures, "harm_on_other_seeds")


def test_heads_that_hurt_other_tasks_are_found(measures):
    write_anew(measures, HALVES, halves(dict.fromkeys(HURTING, -0.1)), 0.001, data="one")
    with pytest.raises(NotMeasured, match="no second task"):
        found(measures, "harm_on_other_tasks")
    twice = halves({HURTING[0]: -0.2, (0, 0): -0.2}, full=1.0)
    write_anew(measures, HALVES, twice, 0.001, data="two")
    answer = found(measures, "harm_on_other_tasks")
    # Without the heads of `two`, `one` gains 5% by one and loses 20% by the other; and back.
    assert answer.tasks["one"].value == pytest.approx((-5 + 20) / 2)
    assert answer.tasks["two"].value == pytest.approx((-20 + 40) / 2)
    assert answer.pooled.value == pytest.approx(10)
    assert np.isfinite([answer.pooled.low, answer.pooled.high]).all()
