"""What the page says of antecedents, on rows whose sentences and cells are known."""

import numpy as np
import pandas as pd

from stages.coreference.page import scores
from stages.coreference.said import said_of_best, said_of_heads, without_doubles

RULES = {"nearest": 0.4, "head match": 0.5, "rules": 0.7}
GAINS = {"nearest": (0.1, 0.5), "head match": (-0.1, 0.3), "rules": (-0.3, -0.1)}


def best_rows(encoder: str, kind: str, value: float, cases: int) -> list[dict]:
    known = {"corpus": "news", "encoder": encoder, "kind": kind, "layer": 1, "head": 3}
    known |= {"cases": cases, "same": True, "value": value}
    known |= {"low": value - 0.1, "high": value + 0.1}
    return [
        known
        | {"rival": rival, "rival_value": found, "gain_value": value - found}
        | {"gain_low": GAINS[rival][0], "gain_high": GAINS[rival][1]}
        for rival, found in RULES.items()
    ]


def two_kinds() -> pd.DataFrame:
    rows = [("untuned", "all", 0.6, 50), ("untuned", "pronoun", 0.5, 30)]
    rows += [("untuned", "proper", 0.8, 20), ("random_weights", "all", 0.3, 50)]
    rows += [("random_weights", "pronoun", 0.2, 50)]  # of one kind only
    return pd.DataFrame([one for row in rows for one in best_rows(*row)])


def test_the_best_head_is_compared_with_each_rule_by_its_interval():
    assert said_of_best(two_kinds()) == [
        "news: the best head, chosen held out, finds 60.0% of the antecedents (random weights: "
        "30.0%), more than the nearest mention (40.0%), less than the sieve of rules (70.0%) and "
        "not shown to differ from the nearest with the same head word (50.0%)."
    ]


def test_all_mentions_of_one_kind_stand_once():
    kept = without_doubles(two_kinds()).drop_duplicates(["encoder", "kind"])
    assert list(zip(kept["encoder"], kept["kind"], strict=True)) == [
        ("untuned", "all"),
        ("untuned", "pronoun"),
        ("untuned", "proper"),
        ("random_weights", "pronoun"),
    ]


def test_own_and_published_scores_stand_in_one_row_and_unit():
    table = scores(two_kinds()).set_index(["encoder", "kind", "by"]).sort_index()
    assert len(table) == 4 * 4
    row = table.loc["untuned", "proper", "best head"]
    np.testing.assert_allclose(
        row[["found, %", "low, %", "high, %", "published, %"]].astype(float), [80, 70, 90, 73]
    )
    rule = table.loc["untuned", "all", "rules"]
    assert (rule["found, %"], rule["published, %"]) == (70, 69)
    np.testing.assert_allclose(rule["best head beyond it, points"], -10)
    control = table.loc["random_weights", "pronoun"]
    assert np.isnan(control.loc["best head", "published, %"])
    assert control.loc["nearest", "published, %"] == 29


def test_the_best_head_of_each_kind_stands_beside_random_weights():
    known = {"corpus": "news", "layer": [0, 1], "head": [2, 3], "cases": 20}
    own = pd.DataFrame({**known, "encoder": "untuned", "kind": "proper", "accuracy": [0.5, 0.73]})
    control = own.assign(encoder="random_weights", accuracy=[0.1, 0.2])
    assert said_of_heads(pd.concat([control, own])) == (
        "Best on the texts that chose it: news, proper mentions: head 3 of layer 1 (0.73); random "
        "weights: 0.20."
    )
