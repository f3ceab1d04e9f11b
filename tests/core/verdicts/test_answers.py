"""Answers of measures, with their control, on rows whose answers are known."""

import numpy as np
import pytest

from stages.core.verdicts.answers import (
    NotMeasured,
    decided_by_task,
    over_tasks,
)
from stages.core.verdicts.estimates import Estimate, largest, mean_of, smallest

ONE, TWO = Estimate(10, 7, 14, 100), Estimate(20, 16, 23, 50)


def test_no_other_task_stands_in_for_the_one_that_decides():
    both = {"one": ONE, "two": TWO}
    answer = decided_by_task("one", both)
    assert (answer.pooled, answer.tasks, answer.decided_on) == (ONE, both, "one")
    with pytest.raises(NotMeasured, match="about the task three"):
        decided_by_task("three", both)


def test_differences_to_the_control_are_of_each_task():
    own = {"one": ONE, "two": TWO}
    control = {"one": Estimate(9, 8, 10, 100), "two": Estimate(1, 0, 2, 50)}
    every = over_tasks(own, smallest, control)
    assert every.pooled.value == 10
    assert every.beyond.value == 1  # of task one, although the smallest of the control is 1
    mean = over_tasks(own, mean_of, {"two": control["two"]})
    assert (mean.pooled.value, mean.beyond.value) == (15, 19)  # only task two has a control
    assert (mean.controlled, every.controlled) == (("two",), ())
    none = over_tasks(own, mean_of, {})
    assert (none.control, none.uncontrolled) == (None, "random weights have learnt no task")


def test_the_task_that_decides_is_the_one_that_must_be_beyond_its_control():
    """Task one has most and its control as much; task two has nothing, its control far less."""
    own = {"one": Estimate(5, 4, 6, 10), "two": Estimate(-1, -2, 0, 10)}
    control = {"one": Estimate(5, 4.5, 5.5, 10), "two": Estimate(-10, -11, -9, 10)}
    some = over_tasks(own, largest, control, of_some=True)
    assert (some.pooled.value, some.control.value, some.beyond.value) == (5, 5, 0)
    assert some.beyond.low < -np.hypot(1, 0.5)  # corrected, as a choice among two tasks
    assert some.beyond.high > 9  # that no task is beyond its control is not shown
    turned = {name: item.scaled(-1) for name, item in own.items()}
    mirrored = {name: item.scaled(-1) for name, item in control.items()}
    assert over_tasks(turned, smallest, mirrored, of_some=True).beyond == some.beyond.scaled(-1)


def test_no_other_tasks_control_stands_beside_the_task_that_decides():
    own = {"one": Estimate(5, 4, 6, 10), "two": Estimate(-1, -2, 0, 10)}
    control = {"two": Estimate(-10, -11, -9, 10)}
    some = over_tasks(own, largest, control, of_some=True)
    assert (some.pooled.value, some.control, some.beyond) == (5, None, None)
    assert some.uncontrolled == "random weights have not learnt one, which decides"
    other = over_tasks(own, largest, {"one": Estimate(1, 0, 2, 10)}, of_some=True)
    assert (other.control.value, other.beyond.value, other.controlled) == (1, 4, ("one",))


def test_what_is_said_of_every_task_must_be_beyond_the_control_on_every_task():
    own = {"one": Estimate(5, 4, 6, 10), "two": Estimate(8, 7, 9, 10)}
    control = {"one": Estimate(1, 0, 2, 10), "two": Estimate(8, 7, 9, 10)}
    every = over_tasks(own, smallest, control)
    assert (every.pooled.value, every.beyond.value) == (5, 0)
    assert every.beyond.low == pytest.approx(-np.sqrt(2))  # of task two
