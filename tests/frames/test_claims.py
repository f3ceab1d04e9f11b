"""What claims read of tables of frames, beside rows that they must leave alone."""

import pytest

from stages.core.outcomes.tables import GATES
from stages.core.tables import estimate_columns
from stages.core.verdicts.measures import Measures, NotMeasured
from stages.frames.tables import BEST, HEADS
from tests.claims import found, write_table


def best_row(arm: str, score: float) -> dict:
    row = {"arm": arm, "layer": 2, "head": 1, "weight": 0.9, "moved": 0.1}
    row |= {"cases": 40, "groups": 20, "same": True, "rival": 5.0, "gain": 5.0}
    return row | {"score": score, "score_low": score - 0.2, "score_high": score + 0.1}


def head_row(layer: int, head: int, weight: float, arm: str = "untuned") -> dict:
    """A weight that is known to a hundredth; the gain is another number."""
    row = {"arm": arm, "layer": layer, "head": head, "texts": 30, "percentile": 0.5}
    row |= {"weight": weight, "weight_low": weight - 0.01, "weight_high": weight + 0.01}
    return row | {"moved": 9.0, "gain": 9.0}


HEAD_ROWS = [
    head_row(0, 0, 0.1),
    head_row(1, 2, 0.3),
    head_row(2, 0, 0.4),
    head_row(2, 2, 0.25),
    head_row(3, 1, 0.2001),
    head_row(0, 0, 0.9, "random_weights"),
    head_row(1, 0, 0.05, "random_weights"),
]


def test_what_the_best_head_gives_beyond_moved_links(measures):
    rows = [best_row("random_weights", 0.05), best_row("untuned", 0.3)]
    write_table(measures, BEST, rows, 0.02)
    measures._wanted["corpus"] = ["one"]
    answer = found(measures, "frame_link")
    interval = answer.pooled.value, answer.pooled.low, answer.pooled.high
    assert interval == pytest.approx((0.3, 0.1, 0.4))
    assert (answer.pooled.n, answer.counted) == (40, "texts")
    assert answer.control.value == pytest.approx(0.05)
    assert answer.beyond.value == pytest.approx(0.25)


def test_heads_above_a_weight_are_counted_of_so_many_texts(measures):
    write_table(measures, HEADS, HEAD_ROWS)
    measures._wanted["corpus"] = ["one"]
    answer = found(measures, "frame_heads", weight=0.2)
    # Four lie above; of one of them that is not shown, as its interval has the bound.
    assert (answer.pooled.value, answer.pooled.low, answer.pooled.high) == (4, 3, 4)
    assert (answer.pooled.n, answer.counted, answer.bounds) == (30, "texts", "range")
    assert (answer.control.value, answer.control.low, answer.control.high) == (1, 1, 1)
    assert answer.beyond.value == 3


def gate(layer: int, head: int, effect: float, seed: int = 0, **changes) -> dict:
    row = {"family": "head", "mode": "uniform", "layer": layer, "head": head, "examples": 50}
    row |= estimate_columns("effect", effect, effect - 0.02, effect + 0.01) | {"seed": seed}
    return row | {"baseline": 0.8, "metric": "accuracy", "arm": "tuned"} | changes


@pytest.fixture
def turned_off(measures):
    """Of both tasks the two heads with most weight, and others that no claim is about."""
    write_table(measures, HEADS, HEAD_ROWS)
    measures._wanted["corpus"] = ["one"]
    decoys = [
        gate(2, 2, 0.05),
        gate(0, 0, -0.5),
        gate(3, 1, -0.6),
        gate(2, 0, -0.7, mode="zero"),
        gate(2, 0, -0.8, family="layer"),
        gate(2, 0, -0.9, metric="macro_f1"),
        gate(2, 0, -0.95, arm="tuned_from_random"),
    ]
    one = [gate(1, 2, -0.01), gate(2, 0, 0.03), *decoys]
    two = [gate(1, 2, 0.0), gate(2, 0, -0.02), *decoys]
    write_table(measures, GATES, one, data="one")
    write_table(measures, GATES, two, data="two")
    return measures


def test_the_worse_of_the_heads_on_the_worst_task(turned_off):
    answer = found(turned_off, "frame_heads_off", heads=2)
    assert answer.pooled.value == pytest.approx(-2)
    assert answer.pooled.low == pytest.approx(-4)
    assert {task: one.value for task, one in answer.tasks.items()} == pytest.approx(
        {"one": -1, "two": -2}
    )
    # Both heads were turned off on the same examples.
    assert {one.n for one in answer.tasks.values()} == {50}
    assert answer.pooled.n == 100
    assert (answer.seeds, answer.arm) == (1, "tuned")
    assert answer.control is None
    assert "random weights" in answer.uncontrolled
    # The third head is in the layer of the second, and helps where it is off.
    assert found(turned_off, "frame_heads_off", heads=3).pooled.value == pytest.approx(-2)


def test_several_seeds_are_one_effect_a_head(turned_off):
    runs = [gate(1, 2, -0.3, 0), gate(1, 2, 0.3, 1), gate(2, 0, 0.1, 0), gate(2, 0, 0.1, 1)]
    for task in ("one", "two"):
        (turned_off.folder / f"ablate/{task}/gates.parquet").unlink()
    write_table(turned_off, GATES, runs)
    answer = found(turned_off, "frame_heads_off", heads=2)
    # The first head's mean is 0, and one of its seeds alone would say -30.
    assert answer.pooled.value == pytest.approx(0)
    assert answer.pooled.low < -100
    assert (answer.seeds, answer.pooled.n) == (2, 50)


def test_heads_of_other_encoders_are_not_turned_off(turned_off, tmp_path):
    elsewhere = Measures(tmp_path / "other", {}, [], [], ["maps"])
    write_table(elsewhere, HEADS, [row | {"arm": "recorded"} for row in HEAD_ROWS[:4]], data="maps")
    with pytest.raises(NotMeasured):
        found(elsewhere, "frame_heads_off", heads=2)
