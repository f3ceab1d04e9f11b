"""Whether two tasks rest on the same heads, on grids of three layers of four heads."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from stages.ablate.shared_heads import scored_by
from stages.core.outcomes.tables import GATES
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.estimates import Estimate
from stages.core.verdicts.measures import Measures
from tests.claims import found, write_run, write_table

LAYERS, HEADS, RESAMPLES = 3, 4, 300
TASKS = ("stsb", "rte", "mrpc")
PAIR = ((1, 2), (2, 0))  # layer and head


def losses(*places: tuple[int, int], size: float = -0.2) -> np.ndarray:
    effects = np.zeros((LAYERS, HEADS))
    for place in places:
        effects[place] = size
    return effects


def grid(
    effects: np.ndarray, noise: float = 0.01, stream: int = 0, examples: int = 100
) -> tuple[list[dict], np.ndarray]:
    """Rows of heads in no order of places, and their resamples with noise of their own."""
    generator = np.random.default_rng(stream)
    places = generator.permutation(list(np.ndindex(effects.shape)))
    rows = [
        {
            "layer": layer,
            "head": head,
            "effect": effects[layer, head],
            "relative": effects[layer, head],
            "examples": examples,
        }
        for layer, head in places
    ]
    values = np.array([row["effect"] for row in rows])[:, None]
    return rows, values + noise * generator.normal(size=(len(rows), RESAMPLES))


def run(effects: np.ndarray, noise: float = 0.01, **arguments: Any) -> pd.DataFrame:
    rows, drawn = grid(effects, noise, **arguments)
    return pd.DataFrame(rows).assign(effect_drawn=list(drawn))


def scored(choosing: np.ndarray, scoring: np.ndarray, **arguments: Any) -> Estimate:
    one = run(choosing, stream=1, examples=50, **arguments)
    return scored_by(one, run(scoring, stream=2, **arguments), 2)


@pytest.mark.parametrize(
    ("places", "points"),
    [
        (PAIR, -20),
        # One of two is common, the other common loss is among ten others.
        (((1, 2), (0, 0)), -10 + 2),
        (((2, 1), (0, 2)), 4),  # layer and head changed about
        (((0, 2), (1, 0)), 4),  # the same numbers of heads in other layers
    ],
)
def test_heads_of_one_task_are_scored_on_the_other_by_place(places, points):
    loss = scored(losses(*places), losses(*PAIR))
    assert loss.value == pytest.approx(points)
    assert loss.low < points < loss.high
    assert (loss.high - loss.low, loss.n) == (pytest.approx(3, abs=0.5), 100)


def test_heads_that_help_when_off_are_not_chosen():
    choosing = losses(*PAIR, size=0.3) + losses((0, 0), (0, 1))
    assert scored(choosing, losses(*PAIR)).value == pytest.approx(4)


def test_the_other_task_chooses_and_not_the_one_that_scores():
    """The second task has two heads that it loses more without than those of the first."""
    scoring = losses(*PAIR) + losses((0, 0), (0, 1), size=-0.5)
    assert scored(losses(*PAIR), scoring).value == pytest.approx(-20 + 10)


def test_the_interval_allows_for_another_choice():
    """Three heads that are alike to the task that chooses, of which the other needs but one."""
    choosing = losses((0, 0), (0, 1), (0, 2)) + losses((0, 0), (0, 1), size=-0.001)
    needed = losses((0, 0), (0, 1), size=-0.1)
    loss = scored(choosing, needed)
    assert loss.value == pytest.approx(-10)
    assert loss.high > -8  # the choice of (0, 2) gives -5 + 1
    sure = scored(losses((0, 0), (0, 1)), needed)
    assert sure.high < -8


def test_noise_that_chooses_and_noise_that_scores_show_nothing():
    """Half of the intervals' misses lie on each side, and there are one in twenty at most."""
    generator = np.random.default_rng(0)
    misses = 0
    for _ in range(200):
        effects = 0.02 * generator.normal(size=(2, LAYERS, HEADS))
        loss = scored(*effects, noise=0.02)
        misses += not loss.low < 0 < loss.high
    assert misses <= 14


def write_grids(
    measures: Measures,
    effects: dict[str, np.ndarray],
    seed: int = 0,
    control: dict[str, np.ndarray] | None = None,
) -> None:
    """The mode uniform of each task, beside decoys of another mode, metric, family and arm.

    Args:
        control: effects in the encoder that was tuned from random weights.
    """
    place = {"family": "head", "mode": "uniform", "metric": "accuracy", "seed": seed}
    decoys = [
        {"mode": "zero", "effect": -9},
        {"metric": "f1", "effect": -9},
        {"family": "layer", "effect": -9, "head": -1},
        {"arm": "untuned", "effect": -9},
    ]
    for task in effects if seed == 0 else ():
        (measures.folder / f"ablate/{task}/gates.parquet").unlink(missing_ok=True)
    for arm, of_arm in (("tuned", effects), ("tuned_from_random", control or {})):
        for stream, (task, of_task) in enumerate(of_arm.items()):
            rows, drawn = grid(of_task, stream=stream)
            rows = [row | place | {"arm": arm} for row in rows]
            of_decoys = [row | decoy for decoy in decoys for row in rows[:2]]
            for row, line in zip(rows, drawn, strict=True):
                row["effect_drawn"] = line
            for decoy in of_decoys:
                decoy["effect_drawn"] = np.full(RESAMPLES, -9.0)
            write_table(measures, GATES, rows + of_decoys, data=task)


@pytest.fixture
def of_glue(measures) -> Measures:
    seeds = {task: [0] for task in TASKS}
    return Measures(measures.folder, dict.fromkeys(TASKS, "accuracy"), ["tuned"], seeds)


def of_both(measures: Measures) -> Any:
    return found(measures, "loss_by_heads_of_each_other", tasks=["stsb", "rte"], heads=2)


def test_both_tasks_must_need_each_others_heads(of_glue):
    """STS-B needs those of RTE and one more, so RTE's score without STS-B's is the smaller."""
    stsb = losses(*PAIR) + losses((0, 3), size=-0.3)
    tuned = {"stsb": stsb, "rte": losses(*PAIR), "mrpc": losses((0, 0))}
    control = {"stsb": losses((1, 1), (0, 1)), "rte": losses(*PAIR)}
    write_grids(of_glue, tuned, control=control)
    answer = of_both(of_glue)
    # STS-B without its third head: -20 + 3; RTE by (0, 3) and a tie of two: (0 - 20) / 2 + 2.
    assert answer.tasks["stsb"].value == pytest.approx(-17)
    assert answer.tasks["rte"].value == pytest.approx(-8)
    assert list(answer.tasks) == ["stsb", "rte"]
    assert answer.pooled.value == pytest.approx(-8)
    assert answer.control.value == pytest.approx(4)
    assert answer.beyond.value == pytest.approx(-12)
    assert (answer.decided_on, answer.arm, answer.seeds) == ("stsb, rte", "tuned", 1)


def test_both_tasks_are_needed(of_glue):
    write_grids(of_glue, {"stsb": losses(*PAIR), "mrpc": losses(*PAIR)})
    with pytest.raises(NotMeasured, match="stsb and rte"):
        of_both(of_glue)
    both = {"stsb": losses(*PAIR), "rte": losses(*PAIR)}
    write_grids(of_glue, both, control={"stsb": losses(*PAIR)})
    answer = of_both(of_glue)
    assert (answer.control, answer.pooled.value) == (None, pytest.approx(-20))
    assert "has not learnt" in answer.uncontrolled
    for task, wrong in (("stsb", 2), ("rte", 10), ("mrpc", 2)):
        write_run(of_glue, f"finetune/{task}", wrong, arm="tuned", seed=0)
        write_run(of_glue, f"prepare/{task}-baselines", 10, model="majority")
    with pytest.raises(NotMeasured, match="stsb and rte"):
        of_both(of_glue)


def test_fine_tunings_of_both_tasks_stand_side_by_side(of_glue):
    """The first ones need each other's heads, the second ones have heads of their own."""
    for seed, rte in ((0, PAIR), (1, ((0, 0), (0, 1)))):
        write_grids(of_glue, {"stsb": losses(*PAIR), "rte": losses(*rte)}, seed)
    answer = of_both(of_glue)
    # -20, then the two heads that are needed are among ten others: 0 + 4.
    assert answer.tasks["rte"].value == pytest.approx((-20 + 4) / 2)
    assert answer.tasks["stsb"].value == pytest.approx((-20 + 4) / 2)
    assert answer.seeds == 2
    assert answer.pooled.high - answer.pooled.low > 200  # Student's t of two fine-tunings


def test_a_control_that_has_not_learnt_both_tasks_is_none(of_glue):
    both = {"stsb": losses(*PAIR), "rte": losses(*PAIR)}
    write_grids(of_glue, both, control=both)
    for task, wrong in (("stsb", 2), ("rte", 10)):
        write_run(of_glue, f"finetune/{task}", 2, arm="tuned", seed=0)
        write_run(of_glue, f"finetune/{task}", wrong, arm="tuned_from_random", seed=0)
        write_run(of_glue, f"prepare/{task}-baselines", 10, model="majority")
    assert of_both(of_glue).control is None
