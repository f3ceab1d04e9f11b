"""The heads that each gate ablates, and the effects of gates by hand."""

import numpy as np
import pytest

from stages.core.heads.gates import Gate
from stages.core.outcomes.outcomes import Outcomes, gate_table
from stages.matching.gates import (
    draws_of,
    effects_of_gates,
    gates_on_all,
    gates_with_draws,
)
from stages.matching.tables import LOWER_HALF, MATCHING, RANDOM, REST, REST_RANDOM, UPPER_HALF

HEADS = [(0, 2), (1, 0)]
LOWER = {(layer, head) for layer in (0, 1) for head in range(5)}
UPPER = {(layer, head) for layer in (2, 3) for head in range(5)}


def ablated(gates: list[Gate]) -> dict[str, set]:
    return {gate.family: set(gate.heads) for gate in gates}


def test_gates_on_all():
    heads = ablated(gates_on_all(4, 5, HEADS))
    assert heads == {
        LOWER_HALF: LOWER,
        UPPER_HALF: UPPER,
        MATCHING: set(HEADS),
        REST: LOWER - set(HEADS),
    }
    assert all(gate.mode == "zero" for gate in gates_on_all(4, 5, HEADS))


def test_if_no_head_matches_only_halves_are_ablated():
    assert set(ablated(gates_on_all(4, 5, []))) == {LOWER_HALF, UPPER_HALF}
    assert gates_with_draws(4, 5, [], range(3), range(3), 0) == []
    assert set(ablated(gates_on_all(1, 5, []))) == {UPPER_HALF}  # one layer has no lower half


def test_gates_that_are_drawn():
    gates = gates_with_draws(4, 5, HEADS, [1, 4, 7], [1, 4], 0)
    assert [gate.family for gate in gates] == [MATCHING, REST, *["random"] * 5]
    drawn = [gate for gate in gates if gate.family == "random"]
    assert [(gate.band, gate.draw) for gate in drawn] == [
        *((RANDOM, draw) for draw in (1, 4, 7)),
        *((REST_RANDOM, draw) for draw in (1, 4)),
    ]
    for gate in drawn[:3]:
        assert [layer for layer, _ in gate.heads] == [0, 1]
        assert not set(gate.heads) & set(HEADS)
    # The same draw of random heads is spared.
    for gate, same in zip(drawn[3:], drawn[:2], strict=True):
        assert set(gate.heads) == LOWER - set(same.heads)


def test_draws_are_shared_out_over_seeds():
    parts = [list(draws_of(7, [5, 3, 9], seed)) for seed in (5, 3, 9)]
    assert parts == [[0, 3, 6], [1, 4], [2, 5]]


def test_effects_by_hand():
    """Ten of a hundred examples are wrong without ablation."""
    gates = gates_with_draws(4, 5, HEADS, range(3), range(1), 0)
    labels = np.zeros(100)
    wrong = {MATCHING: [55], REST: [28], RANDOM: [10, 19, 13], REST_RANDOM: [82]}
    lost = [wrong[MATCHING][0], wrong[REST][0], *wrong[RANDOM], *wrong[REST_RANDOM]]
    gated = (np.arange(100) < np.array(lost)[:, None]) * 1.0
    baseline = (np.arange(100) < 10) * 1.0
    outcomes = Outcomes(gate_table(gates), "accuracy", labels, baseline, gated)
    rows = effects_of_gates(outcomes, "draws", 500, 0, "tuned").set_index("ablated")
    assert list(rows.index) == [MATCHING, REST, REST_RANDOM, RANDOM]
    assert rows["relative"].to_dict() == pytest.approx(
        {MATCHING: -0.5, REST: -0.2, RANDOM: -4 / 90, REST_RANDOM: -0.8}
    )
    assert rows["draws"].to_dict() == {MATCHING: 1, REST: 1, RANDOM: 3, REST_RANDOM: 1}
    assert rows["heads_ablated"].to_dict() == {MATCHING: 2, REST: 8, RANDOM: 2, REST_RANDOM: 8}
    assert (rows["sample"] == "draws").all()
    for column in ("effect", "relative"):
        drawn = np.stack(rows[f"{column}_drawn"])
        assert drawn.shape == (4, 500)
        low, high = np.quantile(drawn, [0.025, 0.975], axis=1)
        np.testing.assert_allclose(low, rows[f"{column}_low"])
        np.testing.assert_allclose(high, rows[f"{column}_high"])
    np.testing.assert_allclose(rows["effect"], 0.9 * rows["relative"])
