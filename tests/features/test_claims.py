"""Claims about tables of features, beside rows that they must leave alone."""

import numpy as np
import pytest

from stages.core.outcomes.tables import GATES
from stages.core.verdicts.measures import NotMeasured
from stages.features.tables import CHANGES, CLS, MATCHES, RISES, SHARES
from tests.claims import found, write_table

EXAMPLES = 12
SPREAD = np.linspace(-0.02, 0.02, EXAMPLES)
MEANS = {"share": 0.3, "early": 0.3, "late": 0.3}


def share_rows(kind: str, arm: str = "tuned", aggregate: str = "maximum", **means) -> list[dict]:
    """Examples around a mean; the spread of all columns is alike but for `late`, which has none."""
    means = MEANS | means
    return [
        {
            "arm": arm,
            "kind": kind,
            "aggregate": aggregate,
            "id": f"x{number}",
            "share": means["share"] + noise,
            "early": means["early"] + noise,
            "late": means["late"],
        }
        for number, noise in enumerate(SPREAD)
    ]


def write_shares(measures, task: str, *parts: list[dict]) -> None:
    decoys = [
        *share_rows("cls", arm="untuned", share=9, early=9),
        *share_rows("cls", aggregate="sum", share=8, early=8),
        *share_rows("sep", arm="untuned", share=9, late=9),
    ]
    rows = [row for part in (decoys, *parts) for row in part]
    write_table(measures, SHARES, rows, data=task)


def test_early_less_late_on_the_task_where_it_is_least(measures):
    for task, early in (("one", 0.5), ("two", 0.4)):
        random = share_rows("cls", arm="random_weights", early=0.32)
        write_shares(measures, task, share_rows("cls", early=early), random)
    answer = found(measures, "early_less_late", kind="cls", sign=1)
    assert answer.pooled.value == pytest.approx(0.1)
    assert answer.tasks["one"].value == pytest.approx(0.2)
    assert answer.pooled.n == 2 * EXAMPLES
    assert (answer.arm, answer.seeds) == ("tuned", 1)
    assert answer.control.value == pytest.approx(0.02)
    # The noise is that of the same examples in both arms, so that nothing is left of it.
    assert answer.beyond.value == pytest.approx(0.08)
    assert answer.beyond.high - answer.beyond.low < 1e-6 < answer.pooled.high - answer.pooled.low
    turned = found(measures, "early_less_late", kind="cls", sign=-1)
    assert turned.pooled.value == pytest.approx(-0.2)
    with pytest.raises(NotMeasured, match="noun"):
        found(measures, "early_less_late", kind="noun", sign=1)


def test_one_task_against_the_other_with_most(measures):
    measures.primary = {"one": "accuracy", "two": "accuracy", "three": "accuracy"}
    measures._wanted["task"] = list(measures.primary)
    for task, share, random in (("one", 0.5, 0.3), ("two", 0.1, 0.3), ("three", 0.42, 0.31)):
        control = share_rows("sep", arm="random_weights", share=random)
        write_shares(measures, task, share_rows("sep", share=share), control)
    answer = found(measures, "task_over_others", kind="sep", task="one")
    assert answer.pooled.value == pytest.approx(0.08)
    assert answer.pooled.n == 3 * EXAMPLES
    assert answer.control.value == pytest.approx(-0.01)
    assert answer.beyond.value == pytest.approx(0.09)
    # Tasks share no examples: both add to the width.
    single = answer.tasks["one"]
    width = answer.pooled.value - answer.pooled.low
    assert width == pytest.approx(np.sqrt(2) * (single.value - single.low), rel=0.3)
    with pytest.raises(NotMeasured, match="sst2"):
        found(measures, "task_over_others", kind="sep", task="sst2")


def test_words_as_a_share_of_special_tokens(measures):
    """[CLS] 0.5 and [SEP] 0.3: nouns with 0.1 are a quarter, verbs get less."""
    for task, noun in (("one", 0.1), ("two", 0.2)):
        tuned = [("cls", 0.5), ("sep", 0.3), ("noun", noun), ("verb", 0.05)]
        random = [("cls", 0.2), ("sep", 0.2), ("noun", 0.2), ("verb", 0.3)]
        own = [share_rows(kind, share=share) for kind, share in tuned]
        control = [share_rows(kind, "random_weights", share=share) for kind, share in random]
        write_shares(measures, task, *own, *control)
    answer = found(measures, "words_to_special", column="share")
    assert answer.tasks["one"].value == pytest.approx(0.25)
    assert answer.pooled.value == pytest.approx(0.5)
    assert answer.control.value == pytest.approx(1.5)
    assert answer.beyond.value < 0
    assert answer.pooled.n == 2 * EXAMPLES


def test_only_examples_with_words_and_special_tokens_alike_count(measures):
    """Half of the examples have no noun; in these [SEP] gets three times as much."""
    rows = [*share_rows("cls", share=0.5), *share_rows("sep", share=0.3)]
    rows += share_rows("noun", share=0.1)[: EXAMPLES // 2]
    for row in rows:
        row["share"] = round(row["share"], 1) * (3 if int(row["id"][1:]) >= EXAMPLES // 2 else 1)
    write_shares(measures, "one", rows)
    found_ratio = found(measures, "words_to_special", column="share").pooled
    assert (found_ratio.value, found_ratio.n) == (pytest.approx(0.25), EXAMPLES // 2)


def change_rows(kind: str, change: float, late: float = 0.0) -> list[dict]:
    return [
        {
            "arm": "tuned",
            "kind": kind,
            "aggregate": aggregate,
            "id": f"x{number}",
            "change": scale * change + noise,
            "early_change": -9.0,
            "late_change": scale * late + noise,
        }
        for aggregate, scale in (("maximum", 1), ("sum", 5))
        for number, noise in enumerate(SPREAD)
    ]


def test_what_tuning_changes(measures):
    for task, noun, late in (("one", 0.1, 0.3), ("two", 0.3, 0.1)):
        parts = change_rows("cls", 0.4), change_rows("sep", 0.2, late), change_rows("noun", noun)
        write_table(measures, CHANGES, [row for part in parts for row in part], data=task)
    answer = found(measures, "words_to_special", column="change")
    assert answer.tasks["one"].value == pytest.approx(1 / 3)
    assert answer.pooled.value == pytest.approx(1.0)
    assert answer.control is None
    assert "tuned" in answer.uncontrolled
    late = found(measures, "change_in_half", kind="sep", half="late")
    assert late.pooled.value == pytest.approx(0.2)
    early = found(measures, "change_in_half", kind="sep", half="early")
    assert early.pooled.value == pytest.approx(-9)


def test_text_without_annotation_has_no_kinds_of_words(measures):
    write_shares(measures, "one", share_rows("cls"), share_rows("sep"))
    with pytest.raises(NotMeasured, match="tagger"):
        found(measures, "words_to_special", column="share")


def rise_row(kind: str, rise: float, aggregate: str = "maximum") -> dict:
    row = {"arm": "tuned", "kind": kind, "aggregate": aggregate, "examples": 30}
    return row | {"rise": rise, "rise_low": rise - 0.1, "rise_high": rise + 0.05}


def test_the_least_of_the_rises_on_the_tasks_of_the_source(measures):
    for task, value in (("one", 0.3), ("two", 0.2)):
        rows = [rise_row("verb", 5), rise_row("noun", 6, "sum"), rise_row("noun", value)]
        write_table(measures, RISES, rows, 0.01, data=task)
    both = found(measures, "best_rise", kind="noun", tasks=["one", "two", "mrpc"])
    assert (both.pooled.value, both.pooled.low) == pytest.approx((0.2, 0.1))
    assert both.pooled.n == 60
    one = found(measures, "best_rise", kind="noun", tasks=["one"])
    assert list(one.tasks) == ["one"]
    assert one.pooled.value == pytest.approx(0.3)
    assert one.control is None
    with pytest.raises(NotMeasured, match="mrpc"):
        found(measures, "best_rise", kind="noun", tasks=["mrpc"])


def cls_rows(shares: dict[str, float], arm: str = "tuned", aggregate: str = "maximum"):
    return [
        {
            "arm": arm,
            "kind": kind,
            "aggregate": aggregate,
            "share": share,
            "share_low": share - 0.01,
            "share_high": share + 0.01,
            "examples": EXAMPLES,
        }
        for kind, share in shares.items()
    ]


def write_cls(measures, task: str, *parts: list[dict], loud: str = "") -> None:
    """Rows with resamples; those of the kind `loud` have noise."""
    rows = [row for part in parts for row in part]
    noise = 0.1 * np.random.default_rng(0).normal(size=200)
    loud_rows = [row | {"share_drawn": row["share"] + noise} for row in rows if row["kind"] == loud]
    write_table(measures, CLS, [row for row in rows if row["kind"] != loud] + loud_rows, data=task)


def test_tasks_on_which_cls_looks_at_sep_first(measures):
    """On the first task [SEP] is first; on the second punctuation may be, or may be not."""
    decoys = [
        *cls_rows({"cls": 0.9, "sep": 0.1}, aggregate="sum"),
        *cls_rows({"cls": 0.9, "sep": 0.1}, arm="untuned"),
    ]
    random = cls_rows({"sep": 0.2, "cls": 0.3}, arm="random_weights")
    first = cls_rows({"sep": 0.5, "cls": 0.1, "punctuation": 0.4, "noun by spelling": 0.9})
    write_cls(measures, "one", decoys, first, random)
    second = cls_rows({"sep": 0.5, "cls": 0.1, "punctuation": 0.49})
    write_cls(measures, "two", decoys, second, random, loud="punctuation")
    answer = found(measures, "cls_looks_at_sep")
    assert (answer.pooled.value, answer.pooled.low, answer.pooled.high) == (1.0, 0.5, 1.0)
    assert (answer.bounds, answer.counted, answer.pooled.n) == ("range", "tasks", 2)
    assert answer.control.value == answer.control.high == 0
    assert answer.beyond.value == 1.0


def test_a_task_on_which_another_kind_is_first(measures):
    write_cls(measures, "one", cls_rows({"sep": 0.2, "cls": 0.1, "negation": 0.4}))
    answer = found(measures, "cls_looks_at_sep")
    assert (answer.pooled.value, answer.pooled.high) == (0, 0)
    assert answer.control is None


def test_a_task_on_which_sep_may_be_first(measures):
    """Punctuation gets a little more, by less than the resamples say."""
    shares = cls_rows({"sep": 0.5, "cls": 0.1, "punctuation": 0.51})
    write_cls(measures, "one", shares, loud="punctuation")
    pooled = found(measures, "cls_looks_at_sep").pooled
    assert (pooled.value, pooled.low, pooled.high) == (0, 0, 1)


def write_matches(measures, task: str, gains: dict[str, list[float]], effects: list[float]) -> None:
    """Two layers of two heads; the grid has two fine-tunings and decoys of another mode."""
    places = [{"layer": number // 2, "head": number % 2} for number in range(4)]
    rows = [
        {"arm": arm, **place, "gain": gain, "texts": 40}
        for arm, of_arm in gains.items()
        for place, gain in zip(places, of_arm, strict=True)
    ]
    write_table(measures, MATCHES, rows, spread=0.01, data=task)
    (measures.folder / f"ablate/{task}/gates.parquet").unlink(missing_ok=True)
    gate = {"family": "head", "metric": "accuracy", "examples": 90}
    grid = [
        {**gate, **place, "mode": mode, "seed": seed, "effect": value, "relative": -value}
        for mode, seed, sign in (("uniform", 0, 1), ("uniform", 1, -1), ("zero", 0, -1))
        for place, value in zip(places, [sign * effect for effect in effects], strict=True)
    ]
    rows = [row | {"arm": "tuned"} for row in grid]
    rows += [row | {"arm": "tuned_from_random", "effect": -row["effect"]} for row in grid]
    write_table(measures, GATES, rows[::-1], data=task)


def test_the_heads_that_a_task_needs_are_scored_by_what_matching_words_gain(measures):
    tuned, random = [0.0, 0.5, 0.1, 0.2], [0.1, 0.1, 0.1, 0.2]
    gains = {"tuned": tuned, "random_weights": random, "untuned": [9, 0, 0, 0]}
    write_matches(measures, "one", gains, [0.1, -0.2, 0.0, -0.1])  # needs heads 1 and 3
    write_matches(measures, "two", gains, [0.1, -0.2, -0.3, 0.0])  # needs heads 1 and 2
    answer = found(measures, "worst_heads_match", tasks=["one", "two"], heads=2)
    assert answer.tasks["one"].value == pytest.approx(0.35 - 0.05)
    assert answer.tasks["two"].value == pytest.approx(0.3 - 0.1)
    assert answer.pooled.value == pytest.approx(0.2)
    assert answer.control.value == pytest.approx(-0.05)
    assert answer.beyond.value == pytest.approx(0.25)
    assert (answer.arm, answer.seeds, answer.pooled.n) == ("tuned", 1, 80)
    with pytest.raises(NotMeasured, match="one and three"):
        found(measures, "worst_heads_match", tasks=["one", "three"], heads=2)
