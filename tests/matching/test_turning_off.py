"""Which heads each gate turns off, and what is made of the outcomes."""

import numpy as np
import pytest

from stages.core.heads.gates import Gate
from stages.core.outcomes.outcomes import Outcomes, gate_table
from stages.matching.tables import KEPT, KEPT_RANDOM, LOWER_OFF, MATCHING, RANDOM, UPPER_OFF
from stages.matching.turning_off import draws_of, gates_on_all, gates_with_draws, off_table

HEADS = [(0, 2), (1, 0)]
LOWER = {(layer, head) for layer in (0, 1) for head in range(5)}
UPPER = {(layer, head) for layer in (2, 3) for head in range(5)}


def off(gates: list[Gate]) -> dict[str, set]:
    return {gate.family: set(gate.heads) for gate in gates}


def test_gates_on_all_examples():
    found = off(gates_on_all(4, 5, HEADS))
    assert found == {
        LOWER_OFF: LOWER,
        UPPER_OFF: UPPER,
        MATCHING: set(HEADS),
        KEPT: LOWER - set(HEADS),
    }
    assert all(gate.mode == "zero" for gate in gates_on_all(4, 5, HEADS))


def test_without_heads_that_match_there_are_but_halves():
    assert set(off(gates_on_all(4, 5, []))) == {LOWER_OFF, UPPER_OFF}
    assert gates_with_draws(4, 5, [], range(3), range(3), 0) == []
    assert set(off(gates_on_all(1, 5, []))) == {UPPER_OFF}  # one layer has no lower half


def test_gates_that_are_drawn():
    gates = gates_with_draws(4, 5, HEADS, [1, 4, 7], [1, 4], 0)
    assert [gate.family for gate in gates] == [MATCHING, KEPT, *["random"] * 5]
    drawn = [gate for gate in gates if gate.family == "random"]
    assert [(gate.band, gate.draw) for gate in drawn] == [
        *((RANDOM, draw) for draw in (1, 4, 7)),
        *((KEPT_RANDOM, draw) for draw in (1, 4)),
    ]
    for gate in drawn[:3]:
        assert [layer for layer, _ in gate.heads] == [0, 1]
        assert not set(gate.heads) & set(HEADS)
    # What stays on is what the same draw turns off.
    for gate, same in zip(drawn[3:], drawn[:2], strict=True):
        assert set(gate.heads) == LOWER - set(same.heads)


def test_draws_are_shared_out_over_seeds():
    parts = [list(draws_of(7, [5, 3, 9], seed)) for seed in (5, 3, 9)]
    assert parts == [[0, 3, 6], [1, 4], [2, 5]]


def test_what_is_lost_by_hand():
    """Ten of a hundred examples are wrong with every head on."""
    gates = gates_with_draws(4, 5, HEADS, range(3), range(1), 0)
    labels = np.zeros(100)
    wrong = {MATCHING: [55], KEPT: [28], RANDOM: [10, 19, 13], KEPT_RANDOM: [82]}
    lost = [wrong[MATCHING][0], wrong[KEPT][0], *wrong[RANDOM], *wrong[KEPT_RANDOM]]
    gated = (np.arange(100) < np.array(lost)[:, None]) * 1.0
    baseline = (np.arange(100) < 10) * 1.0
    outcomes = Outcomes(gate_table(gates), "accuracy", labels, baseline, gated)
    table = off_table(outcomes, "draws", 500, 0, "tuned")
    rows = table.rows.set_index("family")
    assert list(rows.index) == [MATCHING, KEPT, KEPT_RANDOM, RANDOM]
    assert rows["relative"].to_dict() == pytest.approx(
        {MATCHING: -0.5, KEPT: -0.2, RANDOM: -4 / 90, KEPT_RANDOM: -0.8}
    )
    assert rows["draws"].to_dict() == {MATCHING: 1, KEPT: 1, RANDOM: 3, KEPT_RANDOM: 1}
    assert rows["heads_off"].to_dict() == {MATCHING: 2, KEPT: 8, RANDOM: 2, KEPT_RANDOM: 8}
    assert (rows["sample"] == "draws").all()
    assert table.drawn.shape == (2, 4, 500)
    low, high = np.quantile(table.drawn[1], [0.025, 0.975], axis=1)
    np.testing.assert_allclose(low, rows["relative_low"])
    np.testing.assert_allclose(high, rows["relative_high"])
