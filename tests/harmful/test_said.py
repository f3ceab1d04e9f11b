"""What the page says of heads that hurt by hand, beside rows that it must leave alone."""

import numpy as np
import pandas as pd
import pytest

from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.harmful.said import (
    of_loss_in_percent,
    said_of_heads,
    said_of_loss,
    said_of_metric,
)

RESAMPLES = np.repeat([-0.02, 0.0, 0.02], 20)


def score(task: str, change: float, beyond: float, figure: str = "loss", **others) -> dict:
    """A loss of 2 with all heads on; limits of changes are 0.02 to either side."""
    row = {"task": task, "arm": TUNED, "seed": 0, "figure": figure, "full": 2.0, "examples": 60}
    row["full_drawn"] = np.full(len(RESAMPLES), 2.0)
    values = {"change": change, "random": change - beyond, "beyond": beyond}
    for name, value in values.items():
        row |= {name: value, f"{name}_low": value - 0.02, f"{name}_high": value + 0.02}
    row["change_drawn"] = change + RESAMPLES
    row["random_drawn"] = np.full(len(RESAMPLES), change - beyond)
    return row | others


def test_one_task_is_told_without_a_count():
    rows = [
        score("one", -0.1, 0.01),
        score("one", 0.9, 0.9, "calibration"),
        score("one", 0.9, 0.9, arm=TUNED_FROM_RANDOM),
    ]
    assert said_of_loss(pd.DataFrame(rows), TUNED) == (
        "Without the heads that the other half finds to hurt, the loss of the tuned encoder is "
        "lower than with all heads on, and not shown to be higher or lower than with as many "
        "random heads off (change: one -5.0 percent [-6.0, -4.0])."
    )
    assert "higher than with all heads on, and higher than" in said_of_loss(
        pd.DataFrame(rows), TUNED_FROM_RANDOM
    )
    assert said_of_loss(pd.DataFrame(rows[:2]), TUNED_FROM_RANDOM) == ""


def test_a_resample_is_in_percent_of_its_own_loss():
    row = score("one", -0.2, -0.2)
    # Where the loss is larger, so is its fall: a tenth of it on every resample.
    full = 2.0 + 10 * RESAMPLES
    row |= {"full_drawn": full, "change_drawn": -full / 10, "change_low": -0.3}
    (found,) = of_loss_in_percent(pd.DataFrame([row])).to_dict("records")
    assert found["change"] == pytest.approx(-10)
    assert (found["change_low"], found["change_high"]) == pytest.approx((-10, -10))


def test_several_tasks_are_counted_and_seeds_widen_the_interval():
    rows = [score("one", -0.1, -0.2), score("two", 0.01, -0.2)]
    # The mean of these seeds is -0.1 as well, but they lie far apart.
    rows += [score("three", value, -0.2, seed=seed) for seed, value in enumerate((-0.4, 0.2))]
    said = said_of_loss(pd.DataFrame(rows), TUNED)
    assert "is lower than with all heads on in 1 of 3 tasks; neither is shown in 2, and" in said
    assert "and lower than with as many random heads off in all 3 tasks (change: one" in said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (0.05, "is higher with them off (one accuracy +5.0 points [+3.0, +7.0])"),
        (-0.05, "is lower with them off"),
        (0.01, "is not shown to be higher or lower with them off"),
    ],
)
def test_the_metric_is_the_first_of_the_tuned_encoder(change, said):
    rows = [
        score("one", 0.9, 0.9),
        score("one", change, 0.9, "accuracy"),
        score("one", -0.9, 0.9, "macro_f1"),
        score("one", 0.9, 0.9, "calibration"),
        score("one", -0.9, 0.9, "accuracy", arm=TUNED_FROM_RANDOM),
    ]
    assert said in said_of_metric(pd.DataFrame(rows))
    assert said_of_metric(pd.DataFrame(rows[:1])) == ""


def test_heads_count_from_half_of_the_halves_on():
    cells = pd.DataFrame({"task": "one", "layer": [0, 0, 1], "head": [0, 1, 0]})
    cells = cells.assign(chosen=[0.5, 0.49, 0.0], loss=[-0.2, -0.3, 0.1])
    assert said_of_heads(cells) == (
        "On one, 1 of 3 heads was chosen by at least half of the halves: head 0 of layer 0; alone, "
        "the loss is lowest without head 1 of layer 0 (-0.300)."
    )
    none = said_of_heads(cells.assign(chosen=0.0, loss=0.1))
    assert none == (
        "On one, none of 3 heads were chosen by at least half of the halves; alone, the loss is "
        "lowest without all 3 heads alike (+0.100)."
    )
