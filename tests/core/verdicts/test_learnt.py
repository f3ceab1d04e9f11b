"""Which tasks an encoder has learnt."""

from stages.core.verdicts.learnt import not_learnt
from tests.claims import LABELS, write_beside, write_run


def test_a_seed_that_always_says_the_same_has_not_learnt(measures):
    write_run(measures, "baseline/one", 10, model="majority")
    write_run(measures, "finetune/one", 2, arm="tuned", seed=0)
    assert not_learnt(measures) == []
    constant = {"prediction": 1, "arm": "tuned", "seed": 1}
    rows = [{"id": f"x{row}", "label": label} | constant for row, label in enumerate(LABELS)]
    write_beside(measures, "finetune/one", rows, ["arm", "seed"])
    assert not_learnt(measures) == ["one"]
