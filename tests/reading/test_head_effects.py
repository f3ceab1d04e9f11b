"""The head through which an attack goes: planted, and not found where there is none."""

import numpy as np
import pytest

from stages.core.encoder.batches import Encoded
from stages.core.questions.inputs import Inputs
from stages.reading.conditions import Version
from stages.reading.head_effects import changes_of, choices_table, effects_table
from stages.reading.scoring import outcomes_of_gates, right_of
from stages.reading.tables import ACCURACY, ATTACKED, EFFECT, PROBABILITY, UNTOUCHED

LAYERS, HEADS, QUESTIONS = 3, 4, 80
PLANTED = (2, 1)
GROUPS = np.arange(QUESTIONS) // 2  # two questions a passage


def outcomes(noise: float, planted: float = 0.0, seed: int = 0) -> np.ndarray:
    """[outcome, version, state, question]: attacked questions get better without one head."""
    generator = np.random.default_rng(seed)
    found = np.empty((2, 2, 1 + LAYERS * HEADS, QUESTIONS))
    found[:, 0], found[:, 1] = 0.8, 0.3
    found += noise * generator.normal(size=found.shape)
    found[:, 1, 1 + PLANTED[0] * HEADS + PLANTED[1]] += planted
    return found


def test_changes_by_hand():
    own = np.array([[[1.0, 1.0], [0.75, 1.0]], [[0.0, 0.5], [0.5, 0.5]]])  # version, state
    found = changes_of(own)
    assert found[ATTACKED].tolist() == [[0.5], [0.0]]
    assert found[UNTOUCHED].tolist() == [[-0.25], [0.0]]
    # The attack cost 1 and costs 0.25 with the head off; it cost 0.5 and still does.
    assert found[EFFECT].tolist() == [[0.75], [0.0]]


def test_a_planted_head_is_found_and_no_other():
    own = outcomes(0.05, planted=0.4)
    table = effects_table(own, HEADS, GROUPS, 200, 0)
    shown = table[table[f"{EFFECT}_low"] > 0.1]
    assert [tuple(place) for place in shown[["layer", "head"]].to_numpy()] == [PLANTED]
    assert shown[EFFECT].tolist() == pytest.approx([0.4], abs=0.03)
    rows = choices_table(own, HEADS, GROUPS, 200, 0)
    assert set(rows["outcome"]) == {ACCURACY, PROBABILITY}
    assert set(rows["change"]) == {EFFECT, ATTACKED}
    for row in rows.to_dict("records"):
        assert (row["layer"], row["head"]) == PLANTED
        assert row["same"]
        assert row["score_low"] > 0.3 and row["score"] == pytest.approx(0.4, abs=0.03)
        assert (row["rival"], row["cases"], row["groups"]) == (0, QUESTIONS, QUESTIONS // 2)
        assert {len(row[f"{name}_drawn"]) for name in ("score", "rival", "gain")} == {200}


def test_noise_is_no_head_on_passages_that_did_not_choose():
    values, shown = [], 0
    for seed in range(30):
        rows = choices_table(outcomes(0.2, seed=seed), HEADS, GROUPS, 50, seed)
        row = rows[(rows["outcome"] == PROBABILITY) & (rows["change"] == EFFECT)].iloc[0]
        values.append(row["score"])
        shown += row["score_low"] > 0
    # The best of twelve on all questions would be some 0.07; its standard error here is 0.04.
    assert abs(np.mean(values)) < 0.02
    assert shown <= 3


def test_a_head_that_the_reader_needs_is_told_by_intact_questions():
    own = outcomes(0.01)
    own[:, :, 1 + 5] = 0.33  # without it all is chance
    table = effects_table(own, HEADS, GROUPS, 100, 0).set_index(["layer", "head"])
    row = table.loc[(1, 1)]
    assert row[EFFECT] == pytest.approx(0.5, abs=0.02)
    assert row[UNTOUCHED] == pytest.approx(-0.47, abs=0.02)
    assert row[ATTACKED] == pytest.approx(0.03, abs=0.02)


def test_scores_of_options_become_outcomes_of_questions():
    counts, answers = np.array([2, 3]), np.array([1, 0])
    inputs = Inputs(Encoded({}, {}, []), counts, answers, *[np.zeros(2, dtype=int)] * 3)
    scores = np.array([[0.0, 2.0, 1.0, 1.0, 0.0], [3.0, 2.0, 5.0, 1.0, 0.0]], dtype=np.float32)
    # Rows of both versions in one pool, of which the other one has them in another order.
    one, other = Version("intact"), Version("P-Remove")
    order = np.array([1, 0, 4, 3, 2])
    found = outcomes_of_gates(scores, {one: inputs, other: inputs}, [np.arange(5), order])
    accuracy, probability = found[one]
    assert accuracy.tolist() == [[1.0, 0.5], [0.0, 1.0]]
    assert probability[0] == pytest.approx(
        [np.exp(2) / (1 + np.exp(2)), np.e / (2 * np.e + 1)], rel=1e-5
    )
    assert found[other][0].tolist() == [[0.0, 0.0], [1.0, 0.0]]
    assert right_of(scores[0], inputs).tolist() == [1.0, 0.5]
