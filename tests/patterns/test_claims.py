"""F1 of patterns on folds and outside, and their shares, by hand."""

import pytest
import yaml

from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.claims import SUMMARIES
from stages.core.verdicts.measures import Measures
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.tables import FOLDS, OUTSIDE, SHARES, TEXT_SHARES
from tests.claims import found, write_table


def write_folds(measures: Measures, rows: list[dict]) -> None:
    """Labelled maps of one encoder."""
    write_table(measures, FOLDS, [row | {"checkpoint": "one"} for row in rows])


def rows_of(heads: list[str], **columns) -> list[dict]:
    """Two maps a head, of two labels; a head's predictions are all right or all wrong."""
    wrong = {CLASSES[0]: CLASSES[1], CLASSES[1]: CLASSES[0]}
    return [
        {"layer": 0, "head": head, "label": label, **columns}
        | {"network": label if said == "right" else wrong[label]}
        for head, said in enumerate(heads)
        for label in wrong
    ]


def test_the_folds_score_is_the_mean_over_random_starts(measures):
    """Of two starts one is always right, one never: any number of maps says little."""
    rows = rows_of(["right"] * 50, start=0) + rows_of(["wrong"] * 50, start=1)
    write_folds(measures, rows)
    score = found(measures, "pattern_f1", average="weighted", model="network", on="folds").pooled
    assert (score.value, score.low, score.high) == pytest.approx((0.5, 0, 1))
    assert score.n == 100


def test_maps_of_one_head_are_resampled_together(measures):
    rows = rows_of(["right", "wrong"], start=0) * 100
    write_folds(measures, rows)
    score = found(measures, "pattern_f1", average="weighted", model="network", on="folds").pooled
    assert (score.value, score.low, score.high) == pytest.approx((0.5, 0, 1))
    assert score.n == 400


def test_the_outside_score_is_under_the_rule_any_of_maps_that_have_a_label(tmp_path):
    measures = Measures(tmp_path, {}, [], {}, ["sentences"])
    right, wrong = (rows_of([said] * 10, start=0) for said in ("right", "wrong"))
    rows = [row | {"rule": "any"} for row in right] + [row | {"rule": "special"} for row in wrong]
    undecided = [row | {"rule": "any", "label": ""} for row in wrong]
    write_table(measures, OUTSIDE, rows + undecided, data="sentences")
    answer = found(measures, "pattern_f1", average="macro", model="network", on="outside")
    assert (answer.pooled.value, answer.pooled.n, answer.decided_on) == (1, 20, "sentences")


def test_the_outside_score_is_the_mean_over_random_starts(tmp_path):
    measures = Measures(tmp_path, {}, [], {}, ["sentences"])
    rows = rows_of(["right"] * 10, start=0) + rows_of(["wrong"] * 10, start=1)
    write_table(measures, OUTSIDE, [row | {"rule": "any"} for row in rows], data="sentences")
    score = found(measures, "pattern_f1", average="macro", model="network", on="outside").pooled
    assert (score.value, score.low, score.high, score.n) == (0.5, 0, 1, 20)


def test_a_network_that_is_better_than_the_baseline_gains(measures):
    rows = [row | {"baseline": CLASSES[0]} for row in rows_of(["right"] * 20, start=0)]
    write_folds(measures, rows)
    gain = found(measures, "pattern_f1_over_baseline", model="network", on="folds").pooled
    # The baseline has precision 1/2 and recall 1 on one class of two, and misses the other.
    assert gain.value == pytest.approx(1 - (2 / 3) / 2)


def of_labels(**predicted: list[int]) -> list[dict]:
    """One head's maps of one start, six labels of the first class, two of the second."""
    labels = [0] * 6 + [1] * 2
    return [
        {"layer": 0, "head": 0, "start": 0, "label": CLASSES[label]}
        | {model: CLASSES[said[place]] for model, said in predicted.items()}
        for place, label in enumerate(labels)
    ]


MISSES = {"network": [0, 0, 0, 0, 0, 1, 1, 1], "deep_path": [0] * 6 + [1, 0], "baseline": [0] * 8}
# By hand, of both classes: twice the hits over labels and predictions.
F1 = {
    "network": (10 / 11, 4 / 5),
    "deep_path": (12 / 13, 2 / 3),
    "baseline": (12 / 14, 0),
}


def test_classes_count_alike_or_by_their_labels(measures):
    write_folds(measures, of_labels(**MISSES))
    for model, (one, other) in F1.items():
        weighted, macro = (
            found(measures, "pattern_f1", average=average, model=model, on="folds").pooled.value
            for average in ("weighted", "macro")
        )
        assert (weighted, macro) == pytest.approx(((6 * one + 2 * other) / 8, (one + other) / 2))
    gain = found(measures, "pattern_f1_over_baseline", model="deep_path", on="folds").pooled
    assert gain.value == pytest.approx((6 * (12 / 13 - 12 / 14) + 2 * 2 / 3) / 8)


def test_figures_of_every_model_are_means_over_starts(measures):
    none = [row | {"start": 1, "network": CLASSES[2]} for row in of_labels(**MISSES)]
    rows = [row | {"map_alone": row["label"]} for row in of_labels(**MISSES) + none]
    write_folds(measures, rows)
    figures = SUMMARIES["classifier"](measures)
    assert figures["map_alone"] == pytest.approx({"weighted_f1": 1, "macro_f1": 1})
    one, other = F1["network"]
    # The second start is never right, and of a class more than there is.
    assert figures["network"]["weighted_f1"] == pytest.approx((6 * one + 2 * other) / 8 / 2)
    assert figures["network"]["macro_f1"] == pytest.approx((one + other) / 2 / 2)
    assert figures["deep_path"]["macro_f1"] == pytest.approx(sum(F1["deep_path"]) / 2)


def test_the_outside_score_is_of_the_first_corpus(tmp_path):
    measures = Measures(tmp_path, {}, [], {}, ["sentences", "others"])
    for corpus, said in (("sentences", "right"), ("others", "wrong")):
        rows = rows_of([said] * 10, start=0, rule="any")
        write_table(measures, OUTSIDE, rows, data=corpus)
    answer = found(measures, "pattern_f1", average="macro", model="network", on="outside")
    assert (answer.pooled.value, answer.pooled.n, answer.decided_on) == (1, 20, "sentences")


def share(task_share: float, pattern: str = "heterogeneous", rule: str = "special") -> dict:
    interval = {"share_low": task_share - 0.01, "share_high": task_share + 0.01}
    interval["share"] = task_share
    return {"pattern": pattern, "rule": rule, "examples": 100, **interval}


def test_the_share_under_the_rule_asked_for_decides_beside_random_weights(measures):
    for task, tuned, weights in (("one", 0.4, 0.1), ("two", 0.5, 0.2)):
        for arm, value in (("tuned", tuned), ("random_weights", weights)):
            rows = [share(value), share(0.02, rule="any"), share(0.9, pattern="vertical")]
            write_table(measures, SHARES, rows, 0.01, task, arm=arm)
    arguments = {"pattern": "heterogeneous", "rule": "special"}
    smallest = found(measures, "pattern_share", which="smallest", **arguments)
    assert (smallest.pooled.value, smallest.control.value) == (0.4, 0.1)
    assert smallest.beyond.value == pytest.approx(0.3)
    largest = found(measures, "pattern_share", which="largest", **arguments)
    assert (largest.pooled.value, largest.arm) == (0.5, "tuned")
    arguments["rule"] = "any"
    anywhere = found(measures, "pattern_share", which="largest", **arguments)
    assert anywhere.pooled.value == 0.02


def test_the_rarest_pattern_counts_block_on_pairs_only(measures, monkeypatch):
    monkeypatch.setattr("stages.patterns.claims._has_pairs", lambda task: task == "two")
    for task in ("one", "two"):
        for arm, least in (("untuned", 0.05), ("tuned", 0.1), ("random_weights", 0.02)):
            rows = [share(0.2, pattern) for pattern in CLASSES if pattern != "block"]
            rows[0]["share"] = least
            block = share(0.0 if task == "one" else 0.15, "block")
            write_table(measures, SHARES, [*rows, block], data=task, arm=arm)
    tuned = found(measures, "rarest_pattern", arms=["tuned"], rule="special")
    assert (tuned.pooled.value, tuned.control.value) == (0.1, 0.02)
    assert tuned.decided_on == "one, two"
    both = found(measures, "rarest_pattern", arms=["tuned", "untuned"], rule="special")
    assert both.pooled.value == 0.05
    # What is rarest of random weights, whichever pattern that is.
    assert tuned.beyond.value == pytest.approx(0.08)


def test_a_block_on_pairs_may_be_the_rarest(tmp_path, monkeypatch):
    """The source has blocks within the sentences of a pair; `sentiment` has single texts."""
    written = {"source": "written", "train": 1, "validation": 1, "seed": 0}
    settings = {"data": written, "kind": "classification", "labels": 2, "metrics": ["accuracy"]}
    tasks = {"sentiment": settings, "relevance": settings}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump({"tasks": tasks}))
    monkeypatch.chdir(tmp_path)
    measures = Measures(tmp_path, dict.fromkeys(tasks, "accuracy"), ["tuned"], {})
    for task, block in (("sentiment", 0.01), ("relevance", 0.1)):
        rows = [share(0.2, pattern) for pattern in CLASSES if pattern != "block"]
        write_table(measures, SHARES, [*rows, share(block, "block")], data=task, arm="tuned")
    answer = found(measures, "rarest_pattern", arms=["tuned"], rule="special")
    assert answer.pooled.value == 0.1


def test_shares_of_recorded_maps_are_of_the_pattern_under_the_rule(tmp_path):
    measures = Measures(tmp_path, {}, [], {}, ["own", "elsewhere"])
    rows = [
        share(0.7, rule="any"),
        share(0.9, pattern="vertical"),
        share(0.4),
        share(0.8, pattern="vertical", rule="any"),
    ]
    for corpus, arm in (("own", "untuned"), ("elsewhere", "recorded")):
        written = [row | {"examples": 30} for row in rows]
        if arm == "untuned":
            written = [row | {"share": 0.1} for row in written]
        write_table(measures, TEXT_SHARES, written, data=corpus, arm=arm)
    arguments = {"pattern": "heterogeneous", "rule": "special"}
    answer = found(measures, "text_pattern_share", **arguments)
    pooled = answer.pooled
    assert (pooled.value, pooled.low, pooled.high) == pytest.approx((0.4, 0.39, 0.41))
    assert (answer.decided_on, pooled.n, answer.counted) == ("elsewhere", 30, "texts")
    assert answer.control is None
    (tmp_path / "text_patterns/elsewhere/shares.parquet").unlink()
    with pytest.raises(NotMeasured, match="recorded elsewhere"):
        found(measures, "text_pattern_share", **arguments)


def test_figures_of_shares_are_of_the_tuned_encoder(measures):
    for arm, value in (("tuned", 0.4), ("untuned", 0.1), ("random_weights", 0.2)):
        rows = [share(value), share(value / 2, rule="any"), share(value / 4, pattern="vertical")]
        write_table(measures, SHARES, rows, data="one", arm=arm)
    of_rules = {"special": {"heterogeneous": 0.4, "vertical": 0.1}, "any": {"heterogeneous": 0.2}}
    assert SUMMARIES["patterns"](measures) == {"one": of_rules}
