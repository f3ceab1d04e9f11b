"""Quantities of grades by hand, on planted heads, and on noise."""

from itertools import chain

import numpy as np
import pytest

from stages.core.encoder.batches import Encoded
from stages.word_order import tables
from stages.word_order.ablation import (
    Asked,
    Graded,
    HeadsToAblate,
    blocks_of,
    count_of,
    gates_of_random_heads,
    outcomes_under,
    shared_out,
)
from stages.word_order.grades import (
    ConditionGrades,
    LineWeights,
    changes_table,
    grade_changes,
    grades_of,
    grades_table,
    means_table,
    returns_table,
    shares_back,
)
from stages.word_order.shuffles import ShuffledPairs

NONE = np.nan


@pytest.fixture
def outcomes() -> ConditionGrades:
    """Pairs: falls by 2 and comes back by 1; falls and stays; rises; falls and overshoots."""
    random = [
        [2.0, NONE, 3.0, NONE],
        [3.0, 1.0, NONE, 4.0],
    ]
    return ConditionGrades(
        intact=np.array([4.0, 2.0, 1.0, 3.0]),
        intact_ablated=np.array([4.0, 2.0, 2.0, 3.0]),
        shuffled=np.array([2.0, 1.0, 3.0, 2.0]),
        shuffled_ablated=np.array([3.0, 1.0, 1.0, 4.0]),
        random=np.array(random),
    )


def of_data(outcomes: ConditionGrades) -> dict[str, float]:
    weights = LineWeights.drawn(len(outcomes.intact), len(outcomes.random), 10, 0, 0)
    lines = grade_changes(outcomes, weights) | shares_back(outcomes, weights)
    return {name: line[0] for name, line in lines.items()}


def test_quantities_by_hand(outcomes):
    found = of_data(outcomes)
    assert found[tables.FALL] == pytest.approx((-2 - 1 + 2 - 1) / 4)
    assert found[tables.ORDER_RISE] == pytest.approx((1 + 0 - 2 + 2) / 4)
    assert found[tables.INTACT_RISE] == pytest.approx(1 / 4)
    assert found[tables.SPARED] == pytest.approx((1 + 0 - 2 + 2) / 4 - 1 / 4)
    assert found[tables.FALLEN] == pytest.approx(3 / 4)
    # The one that overshoots by one is as far from the intact grade as before.
    assert found[tables.ORDER_BACK] == pytest.approx(1 / 3)
    # Pairs count alike: the first has two draws, of which one brings it back.
    assert found[tables.RANDOM_RISE] == pytest.approx(((0 + 1) / 2 + 0 + 0 + 2) / 4)
    assert found[tables.RANDOM_BACK] == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert found[tables.RISE_BEYOND] == pytest.approx(
        found[tables.ORDER_RISE] - found[tables.RANDOM_RISE]
    )
    assert found[tables.BACK_BEYOND] == pytest.approx(1 / 3 - 1 / 6)


def test_shares_and_means_are_of_the_same_grades(outcomes):
    weights = LineWeights.drawn(4, 2, 50, 0, 0)
    names = outcomes.whole_numbers()
    assert names == {1: "1", 2: "2", 3: "3", 4: "4"}
    shares = grades_table(outcomes, weights, names)
    for row in means_table(outcomes, weights).to_dict("records"):
        given = shares[shares["condition"] == row["condition"]]
        assert given["share"].sum() == pytest.approx(1)
        assert (given["share"] * given["rank"]).sum() == pytest.approx(row["mean_grade"])
        assert row["draws"] == (2 if row["condition"] == tables.SHUFFLED_RANDOM else 0)


def test_tables_have_values_resamples_and_their_numbers_of_pairs(outcomes):
    weights = LineWeights.drawn(4, 2, 50, 0, 0)
    changes, returns = changes_table(outcomes, weights), returns_table(outcomes, weights)
    lines = grade_changes(outcomes, weights) | shares_back(outcomes, weights)
    for table, key, column in ((changes, "difference", "change"), (returns, "texts", "share")):
        for row in table.to_dict("records"):
            assert row[column] == lines[row[key]][0]
            np.testing.assert_array_equal(row[f"{column}_drawn"], lines[row[key]][1:51])
    assert changes["examples"].tolist() == [4] * 6
    assert returns["examples"].tolist() == [4, 3, 3, 3]  # three of four texts fall


def test_intervals_are_of_other_pairs_and_other_draws():
    """Of sets of heads that differ more than the texts, the draws decide how wide it is."""
    generator = np.random.default_rng(0)
    nothing = np.zeros(300)
    of_draws = np.repeat(generator.normal(size=(20, 1)), 300, axis=1)
    outcomes = ConditionGrades(nothing, nothing, nothing, nothing, of_draws)
    weights = LineWeights.drawn(300, 20, 2000, 0, 0)
    value, low, high = weights.interval(grade_changes(outcomes, weights)[tables.RANDOM_RISE])
    assert value == pytest.approx(of_draws.mean())
    expected = 2 * 1.96 * of_draws[:, 0].std() / np.sqrt(20)
    assert high - low == pytest.approx(expected, rel=0.15)


def test_pairs_are_drawn_alike_for_every_seed_and_draws_are_not():
    one, other = (LineWeights.drawn(30, 5, 40, 0, seed) for seed in (0, 1))
    assert (one.pairs == other.pairs).all()
    assert (one.draws != other.draws).any()
    assert (one.draws[0] == 1).all()
    assert (one.draws[41:] == 1).all()
    assert (one.pairs[41:].sum(1) == 29).all()


def test_nothing_has_an_interval_where_no_grade_falls(outcomes):
    same = ConditionGrades(*[outcomes.intact] * 4, np.repeat(outcomes.intact[None], 2, axis=0))
    weights = LineWeights.drawn(4, 2, 10, 0, 0)
    found = weights.interval(shares_back(same, weights)[tables.BACK_BEYOND])
    assert np.isnan(found).all()


def test_random_heads_are_others_of_the_same_layers():
    order = [(1, 0), (3, 2), (3, 4)]
    drawn = list(gates_of_random_heads(order, 6, range(40), 0))
    for gate in drawn:
        assert sorted(layer for layer, _ in gate.heads) == [1, 3, 3]
        assert len(set(gate.heads)) == 3
        assert not set(gate.heads) & set(order)
    assert {head for gate in drawn for layer, head in gate.heads if layer == 3} == {0, 1, 3, 5}
    assert drawn[7] == next(gates_of_random_heads(order, 6, [7], 0))
    assert len({gate.heads for gate in drawn}) > 10


def test_a_layer_with_too_few_others_gives_all_of_them():
    (gate,) = gates_of_random_heads([(0, 0), (0, 1), (0, 2)], 4, [0], 0)
    assert len(set(gate.heads)) == 3
    assert (0, 3) in gate.heads


def test_draws_are_shared_out_and_every_pair_has_some():
    of_seeds = [shared_out(100, [4, 0, 7], seed) for seed in (4, 0, 7)]
    assert sorted(chain(*of_seeds)) == list(range(100))
    assert list(map(len, of_seeds)) == [34, 33, 33]
    assert shared_out(2, [4, 0, 7], 7) == [2]
    blocks = blocks_of(130, 50, 34, 0)
    assert sorted(np.concatenate(blocks).tolist()) == list(range(130))
    assert max(map(len, blocks)) <= 50
    assert len(blocks_of(130, 10, 2, 0)) == 2


def test_the_sources_share_of_heads_is_rounded_up():
    assert [count_of(0.0486, heads) for heads in (144, 72, 32, 8)] == [7, 4, 2, 1]
    assert count_of(0.1, 30) == 3  # 0.1 x 30 is a little more than 3


def test_classes_and_scores_as_grades():
    logits = np.array([[0.1, 2.0, 0.3], [3.0, 0.0, 1.0]])
    assert grades_of(logits, "classification").tolist() == [1, 0]
    assert grades_of(np.array([[2.4], [3.6]]), "regression").tolist() == [2, 4]


def numbered(count: int) -> ShuffledPairs:
    """Pairs that are their numbers."""
    ids = [[row] for row in range(count)]
    encoded = Encoded({"input_ids": ids}, {"input_ids": 0}, ids)
    return ShuffledPairs(np.arange(count), encoded, encoded, ids, ids, ids, ids)


def test_a_planted_order_head_brings_grades_back_and_no_other():
    """Grade 4 of the intact, 2 of the shuffled text; 3 if head 2 of layer 3 is ablated."""
    planted, runs = (3, 2), []

    def run(asked: list[Asked]) -> list[Graded]:
        return [grades(one) for one in asked]

    def grades(asked: Asked) -> Graded:
        runs.append(asked.name)
        level = 4.0 if asked.name == "intact" else 2.0
        count = len(asked.pairs.lengths)
        after = [
            np.full(count, level + (planted in gate.heads and asked.name != "intact"))
            for gate in asked.gates
        ]
        return np.full(count, level), np.stack(after)

    known: dict = {}
    pairs = numbered(60)
    outcomes = outcomes_under(
        HeadsToAblate([planted, (1, 0)], range(10), 20, 0), run, pairs, 5, known
    )
    found = of_data(outcomes)
    assert found[tables.FALL] == -2
    assert (found[tables.ORDER_RISE], found[tables.RANDOM_RISE]) == (1, 0)
    assert (found[tables.ORDER_BACK], found[tables.RANDOM_BACK]) == (1, 0)
    assert found[tables.SPARED] == 1
    assert not np.isnan(outcomes.random).all(0).any()
    # Other units with the same order heads do not grade the intact texts again.
    outcomes_under(HeadsToAblate([(1, 0), planted], range(10), 20, 0), run, pairs, 5, known)
    assert runs.count("intact") == 1


def test_noise_brings_back_as_much_with_any_heads():
    """Grades that scatter come back by themselves; ablated random heads say how often."""
    found = []
    for seed in range(20):
        generator = np.random.default_rng(seed)
        grades = generator.integers(0, 5, (14, 200)).astype(float)
        found.append(of_data(ConditionGrades(*grades[:4], grades[4:])))
    back = np.array([(one[tables.ORDER_BACK], one[tables.BACK_BEYOND]) for one in found])
    assert back[:, 0].mean() > 0.3
    assert abs(back[:, 1].mean()) < 0.03
