"""Which tasks an encoder has learnt."""

from stages.core.verdicts.learnt import not_learnt
from tests.claims import LABELS, write_beside, write_run

RUN = {"arm": "tuned", "seed": 0}


def test_a_seed_that_always_says_the_same_has_not_learnt(measures):
    write_run(measures, "prepare/one-baselines", 10, model="majority")
    write_run(measures, "finetune/one", 2, arm="tuned", seed=0)
    assert not_learnt(measures) == []
    constant = {"prediction": 1, "arm": "tuned", "seed": 1}
    rows = [{"id": f"x{row}", "label": label} | constant for row, label in enumerate(LABELS)]
    write_beside(measures, "finetune/one", rows, ["arm", "seed"])
    assert not_learnt(measures) == ["one"]


def test_no_better_than_the_class_that_is_frequent_where_it_is_measured(measures):
    """The majority of the training examples may be the minority of few validation examples."""
    labels = [0.0] * 12 + [1.0] * 8

    def rows(right: int) -> list[dict]:
        wrong = range(len(labels) - right)
        return [
            {"id": f"x{row}", "label": label, "prediction": 1 - label if row in wrong else label}
            for row, label in enumerate(labels)
        ]

    always = [row | {"prediction": 1.0, "model": "majority"} for row in rows(0)]
    write_beside(measures, "prepare/one-baselines", always, ["model"])
    write_beside(measures, "finetune/one", [row | RUN for row in rows(11)], ["arm", "seed"])
    assert not_learnt(measures) == ["one"]  # 0.55: above 0.4, below 0.6
    write_beside(measures, "finetune/one", [row | RUN for row in rows(13)], ["arm", "seed"])
    assert not_learnt(measures) == []


def test_what_is_known_of_other_tables_is_known_as_read_and_cannot_be_changed(measures):
    """A claim that asks again has read the tables too: the report says of which it is made."""
    write_run(measures, "prepare/one-baselines", 10, model="majority")
    write_run(measures, "finetune/one", 10, arm="tuned", seed=0)
    not_learnt(measures).append("two")
    measures.read.clear()
    assert not_learnt(measures) == ["one"]
    assert measures.read == {"prepare", "finetune"}
    some = measures.of([], [])
    assert not_learnt(some) == [] and not_learnt(measures) == ["one"]
