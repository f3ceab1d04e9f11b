"""Which tasks an encoder has learnt."""

from stages.core.verdicts.learnt import not_learnt
from tests.claims import LABELS, write, write_run


def test_a_seed_that_always_says_the_same_has_not_learnt(measures):
    write_run(measures, "baseline/one", 10, model="majority")
    write_run(measures, "finetune/one-tuned-0", 2)
    assert not_learnt(measures) == []
    rows = [{"id": f"x{row}", "label": label, "prediction": 1} for row, label in enumerate(LABELS)]
    write(measures, "finetune/one-tuned-1", rows)
    assert not_learnt(measures) == ["one"]
