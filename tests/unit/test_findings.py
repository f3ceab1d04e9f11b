"""Each measure on a hand-made frame, and the check of rebuilt findings."""

import json
import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix, f1_score
from typer.testing import CliRunner

import stages.findings
from stages.core.stage.files import InputError
from stages.core.verdicts.claims import MEASURES, Claim, Settings
from stages.core.verdicts.depth import Band
from stages.core.verdicts.estimates import Answer, Estimate, NotMeasured
from stages.core.verdicts.findings import flips, judged, parse_findings, rounded
from stages.core.verdicts.learnt import not_learnt
from stages.core.verdicts.measures import Measures, open_measures
from stages.findings.__main__ import app
from stages.patterns.claims import _f1
from stages.patterns.labelled_maps import CLASSES
from tests.synthetic_measures import write_measures

SETTINGS = Settings(configuration="test", resamples=50)
MIDDLE = Band(Fraction(6, 12), Fraction(10, 12))
UPPER_HALF = Band(Fraction(7, 12), Fraction(1))
LABELS = [0.0, 1.0] * 10
stages.findings.load()


@pytest.fixture
def measures(tmp_path: Path) -> Measures:
    return Measures(
        tmp_path,
        {"one": "accuracy", "two": "accuracy"},
        ["none", "random", "pretrained"],
        [0, 1],
    )


def write(measures: Measures, name: str, rows: list[dict]) -> None:
    path = measures.folder / f"{name}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows).to_parquet(path, index=False)


def found(measures: Measures, name: str, **arguments) -> Answer:
    return MEASURES[name](measures, SETTINGS, **arguments)


def write_run(measures: Measures, name: str, wrong: int, **columns) -> None:
    """Predictions on twenty examples of which the first `wrong` are wrong."""
    rows = [
        {
            "id": f"x{row}",
            "label": label,
            "prediction": 1 - label if row < wrong else label,
            **columns,
        }
        for row, label in enumerate(LABELS)
    ]
    write(measures, name, rows)


def gate(task_effect: float, **columns) -> dict:
    """One row of the ablation: an effect with an interval of 0.01 to both sides."""
    defaults = {
        "family": "head",
        "mode": "zero",
        "layer": 0,
        "head": 0,
        "baseline": 0.8,
        "examples": 400,
        "effect": task_effect,
        "low": task_effect - 0.01,
        "high": task_effect + 0.01,
        "p_holm": 1.0,
    }
    return defaults | columns


# ---- reading ------------------------------------------------------------------------------------


def test_frames_come_in_the_order_of_run_and_leave_remains_alone(measures):
    for name in ("two-none-0", "one-none-10", "one-none-1", "one-none-0", "old-none-0"):
        write(measures, f"finetune/{name}", [{"x": 1}])
    frame = measures.frame("finetune/{task}-{arm}-{seed}.parquet")
    assert frame[["task", "seed"]].to_numpy().tolist() == [["one", 0], ["one", 1], ["two", 0]]


def test_a_pattern_does_not_take_files_of_another(measures):
    write(measures, "effects/one-0", [{"x": 1}])
    write(measures, "effects/one-0-heldout", [{"x": 2}])
    assert measures.frame("effects/{task}-{seed}.parquet")["x"].tolist() == [1]
    assert measures.frame("effects/{task}-{seed}-heldout.parquet")["x"].tolist() == [2]


def test_missing_and_broken_measures_are_told_apart(measures):
    with pytest.raises(NotMeasured, match="drift"):
        measures.frame("drift/{task}.parquet")
    (measures.folder / "drift").mkdir()
    (measures.folder / "drift" / "one.parquet").write_bytes(b"PAR1 cut short")
    with pytest.raises(InputError, match=r"one\.parquet.*dvc repro"):
        measures.frame("drift/{task}.parquet")


# ---- fine-tuning --------------------------------------------------------------------------------


def test_gain_of_tuning_is_the_mean_over_tasks_and_seeds(measures):
    for task, before, after in (("one", 10, (2, 4)), ("two", 8, (4, 4))):
        for seed in (0, 1):
            write_run(measures, f"finetune/{task}-none-{seed}", before)
            write_run(measures, f"finetune/{task}-pretrained-{seed}", after[seed])
    gain = found(measures, "gain_of_tuning", arm="none")
    # One: 50% to 85%, two: 60% to 80%.
    assert gain.tasks["one"].value == pytest.approx(35)
    assert gain.tasks["two"].value == pytest.approx(20)
    assert gain.pooled.value == pytest.approx(27.5)
    assert gain.pooled.n == 40
    assert gain.pooled.low < 27.5 < gain.pooled.high


def test_gains_of_table_1_are_of_accuracy_where_labels_are_classes(tmp_path):
    measures = Measures(tmp_path, {"one": "f1"}, ["none", "random", "pretrained"], [0])
    for arm, wrong in (("none", 10), ("pretrained", 3)):  # F1 would gain 0.36
        write_run(measures, f"finetune/one-{arm}-0", wrong)
    assert found(measures, "gain_of_tuning", arm="none").pooled.value == pytest.approx(35)


def test_gain_of_pretraining_is_that_of_the_weakest_task(measures):
    for task, after in (("one", 2), ("two", 6)):
        write_run(measures, f"finetune/{task}-random-0", 8)
        write_run(measures, f"finetune/{task}-pretrained-0", after)
    assert found(measures, "gain_of_pretraining").pooled.value == pytest.approx(10)


def test_gain_over_baseline_is_of_the_named_task(measures):
    write_run(measures, "finetune/one-pretrained-0", 2)
    write_run(measures, "baseline/one", 12, model="bag_of_words")
    gain = found(measures, "gain_over_baseline", model="bag_of_words", task="one")
    assert gain.pooled.value == pytest.approx(50)
    with pytest.raises(NotMeasured):
        found(measures, "gain_over_baseline", model="unknown", task="one")


def test_a_gain_needs_both_arms(measures):
    write_run(measures, "finetune/one-pretrained-0", 2)
    with pytest.raises(NotMeasured, match="random"):
        found(measures, "gain_of_pretraining")


# ---- ablation -----------------------------------------------------------------------------------


def write_held_out(measures: Measures, task: str, effect: float, **columns) -> None:
    row = gate(effect, picked="best", effect_heldout=effect, effect_picked_half=1.0) | columns
    write(measures, f"effects/{task}-0-heldout", [row])


def test_best_head_is_the_held_out_gain_of_the_weakest_task(measures):
    write_held_out(measures, "one", 0.02, mode="uniform")
    write_held_out(measures, "two", 0.03, mode="uniform")
    gain = found(measures, "best_head_held_out")
    assert gain.pooled.value == pytest.approx(2)
    assert gain.pooled.low == pytest.approx(1)
    assert gain.tasks["two"].value == pytest.approx(3)
    assert (gain.pooled.n, gain.counted) == (800, "examples")


def test_layer_held_out_takes_the_most_extreme_task(measures):
    write_held_out(measures, "one", -0.02, mode="uniform", family="layer", picked="worst")
    write_held_out(measures, "two", -0.03, mode="uniform", family="layer", picked="worst")
    assert found(measures, "layer_held_out", picked="worst").pooled.value == pytest.approx(-3)
    with pytest.raises(NotMeasured):
        found(measures, "layer_held_out", picked="best")


def test_best_layer_is_relative_to_the_baseline(measures):
    write_held_out(measures, "one", 0.04, family="layer")
    # 0.04 of 0.8 is 5%.
    assert found(measures, "best_layer_relative", task="one").pooled.value == pytest.approx(5)


def test_significant_heads_are_counted_with_what_is_not_excluded(measures):
    rows = [
        gate(-0.1, layer=0, head=0, p_holm=0.01),
        gate(-0.1, layer=0, head=1, p_holm=0.2),
        gate(0.1, layer=1, head=0, p_holm=0.01),
        gate(-0.1, layer=1, head=1, p_holm=0.01),
    ]
    write(measures, "effects/one-0", rows)
    hurting = found(measures, "hurting_heads", task="one")
    assert hurting.pooled == Estimate(2, 2, 3, 4)
    upper = found(measures, "hurting_heads", layers=UPPER_HALF, task="one")
    assert upper.pooled == Estimate(1, 1, 1, 2)
    helping = found(measures, "heads_with_effect", mode="zero", sign=1)
    assert helping.pooled == Estimate(1, 1, 2, 4)


def test_mean_head_effect_is_the_best_task(measures):
    write(measures, "effects/one-0-means", [gate(0.02, mode="uniform")])
    write(measures, "effects/two-0-means", [gate(0.03, mode="uniform"), gate(0.5)])
    effect = found(measures, "mean_head_effect")
    assert effect.pooled.value == pytest.approx(3)
    assert effect.tasks["one"] == Estimate(2, 1, 3, 400)


def test_seeds_of_a_task_are_averaged(measures):
    write(measures, "effects/one-0-means", [gate(0.02, mode="uniform")])
    write(measures, "effects/one-1-means", [gate(0.06, mode="uniform")])
    assert found(measures, "mean_head_effect").pooled.value == pytest.approx(4)


def test_a_task_that_was_not_learnt_says_nothing_about_heads(measures):
    for task, wrong in (("one", 10), ("two", 2)):
        write_run(measures, f"finetune/{task}-pretrained-0", wrong)
        write_run(measures, f"baseline/{task}", 10, model="majority")
        write(measures, f"effects/{task}-0-means", [gate(0.02, mode="uniform")])
        write(measures, f"effects/{task}-0", [gate(0.02)])
    assert not_learnt(measures) == ["one"]
    assert list(found(measures, "mean_head_effect").tasks) == ["two"]
    with pytest.raises(NotMeasured, match="on one the tuned encoder"):
        found(measures, "hurting_heads", task="one")
    write_run(measures, "finetune/two-pretrained-0", 10)
    with pytest.raises(NotMeasured, match="better than the majority class"):
        found(measures, "mean_head_effect")


def test_a_seed_that_always_says_the_same_has_not_learnt(measures):
    write_run(measures, "baseline/one", 10, model="majority")
    write_run(measures, "finetune/one-pretrained-0", 2)
    assert not_learnt(measures) == []
    rows = [{"id": f"x{row}", "label": label, "prediction": 1} for row, label in enumerate(LABELS)]
    write(measures, "finetune/one-pretrained-1", rows)
    assert not_learnt(measures) == ["one"]


def test_middle_layers_are_found_by_depth(measures):
    effects = [0.5, 0.5, 0.04, 0.08, 0.12, 0.5]
    rows = [gate(effect, family="layer", layer=layer) for layer, effect in enumerate(effects)]
    write(measures, "effects/one-0", rows)
    # The third to fifth layer of six: 0.08 of 0.8 is 10%.
    middle = found(measures, "effect_of_layers", layers=MIDDLE, task="one")
    assert middle.pooled.value == pytest.approx(10)
    assert middle.pooled.n == 400
    write(measures, "effects/one-0", rows[:1])
    with pytest.raises(NotMeasured, match="too few layers"):
        found(measures, "effect_of_layers", layers=MIDDLE, task="one")


def test_small_effects_are_bounded_by_their_intervals(measures):
    rows = [
        gate(0.0, low=-0.001, high=0.001),  # inside 1% of 0.8
        gate(0.0, low=-0.02, high=0.02),  # small, but its interval is not
        gate(0.02, low=0.004, high=0.03),  # large, but its interval touches
        gate(-0.1, low=-0.2, high=-0.05),
    ]
    write(measures, "effects/one-0", rows)
    share = found(measures, "share_of_small_effects", within=1.0, task="one").pooled
    assert (share.value, share.low, share.high) == (0.5, 0.25, 0.75)


def test_curves_and_gaps_are_read_at_the_share(measures):
    rows = [
        {
            "mode": mode,
            "band": band,
            "share": share,
            "draws": 10,
            "examples": 96,
            "relative": -share * steepness,
            "relative_low": -share * steepness - 0.01,
            "relative_high": -share * steepness + 0.01,
        }
        for mode, band, steepness in (
            ("zero", "all", 0.1),
            ("zero", "lower", 0.5),
            ("mean", "all", 1),
        )
        for share in (0.1, 0.8)
    ]
    write(measures, "effects/one-0-curves", rows)
    write(measures, "effects/one-0-gaps", [row for row in rows if row["band"] == "lower"])
    point = found(measures, "random_share", share=0.1, task="one").pooled
    assert (point.value, point.low, point.high) == pytest.approx((-1, -2, 0))
    assert point.n == 96
    gap = found(measures, "lower_against_upper", share=0.8, task="one").pooled
    assert (gap.value, gap.low) == pytest.approx((-40, -41))
    with pytest.raises(NotMeasured):
        found(measures, "random_share", share=0.2, task="one")


# ---- maps ---------------------------------------------------------------------------------------


def test_drift_contrast_is_the_mean_over_examples_and_tasks(measures):
    for task, contrasts in (("one", [0.1, 0.3]), ("two", [0.5, 0.7])):
        rows = [
            {"id": str(n), "variant": "cropped", "contrast": x} for n, x in enumerate(contrasts)
        ]
        write(measures, f"drift/{task}-contrast", rows)
    change = found(measures, "drift_of_last_layers", variant="cropped")
    assert change.tasks["one"].value == pytest.approx(0.2)
    assert change.pooled.value == pytest.approx(0.4)


def test_f1_equals_that_of_scikit_learn():
    generator = np.random.default_rng(0)
    labels, predictions = generator.integers(5, size=(2, 3, 40))
    counts = np.stack([confusion_matrix(*sides) for sides in zip(labels, predictions, strict=True)])
    for average in ("weighted", "macro"):
        expected = [
            f1_score(*sides, average=average) for sides in zip(labels, predictions, strict=True)
        ]
        np.testing.assert_allclose(_f1(counts, average), expected)


def test_a_class_that_neither_side_has_does_not_count():
    counts = np.zeros((5, 5))
    counts[:2, :2] = [[3, 1], [0, 4]]
    assert _f1(counts, "macro") == pytest.approx((6 / 7 + 8 / 9) / 2)


def test_maps_of_one_head_are_resampled_together(measures):
    """One head always right, one always wrong: any number of maps of two heads says little."""
    rows = [
        {"encoder": "one", "layer": 0, "head": row % 2, "label": CLASSES[row // 2 % 2]}
        for row in range(400)
    ]
    wrong = {CLASSES[0]: CLASSES[1], CLASSES[1]: CLASSES[0]}
    rows = [row | {"network": wrong[row["label"]] if row["head"] else row["label"]} for row in rows]
    write(measures, "classifier/folds", rows)
    score = found(measures, "pattern_f1", average="weighted", model="network").pooled
    assert (score.value, score.low, score.high) == pytest.approx((0.5, 0, 1))
    assert score.n == 400


# ---- findings -----------------------------------------------------------------------------------

CLAIM = Claim(
    id="A",
    study="A1",
    paper="paper",
    section="1",
    statement="Something is so.",
    unit="points",
    measure="anything",
    holds={"above": 0},
    published={"where": "nowhere"},
)


def findings(low: float, high: float, **claims: Estimate) -> dict:
    finding = judged(CLAIM, "Somebody", Answer(Estimate((low + high) / 2, low, high, 10), {}))
    return {
        "configuration": "test",
        "level": 0.95,
        "checkpoint": {},
        "tasks": {"one": "accuracy"},
        "seeds": [0],
        "claims": {"A": finding.model_dump()},
        "not_shown": {},
    }


def without_claims() -> dict:
    return findings(0, 1) | {"claims": {}}


def test_check_says_that_the_runs_are_not_alike(tmp_path):
    committed, now = tmp_path / "committed.json", tmp_path / "rebuilt.json"
    committed.write_text(json.dumps(findings(1, 3)))
    now.write_text(json.dumps(findings(1, 3) | {"tasks": {"two": "accuracy"}}))
    result = CliRunner().invoke(app, ["check", "--against", str(committed), "--rebuilt", str(now)])
    assert "note: `tasks` differs" in result.output
    assert "`checkpoint` differs" not in result.output


@pytest.mark.parametrize(
    ("rebuilt", "status", "said"),
    [
        (findings(1, 3), 0, "0 verdicts flipped"),  # the same
        (findings(2, 3), 0, "0 verdicts flipped"),  # another value, the same verdict
        (findings(-0.5, 3), 0, "moved A: holds before, undecided now"),
        (findings(-3, -1), 1, "FLIPPED A: holds before, fails now"),
        (findings(-2, 3), 1, "FLIPPED A: holds before, undecided now"),
        (without_claims(), 1, "FLIPPED A: holds before, no verdict now"),
    ],
)
def test_check_names_the_claim_that_flipped_beyond_its_interval(tmp_path, rebuilt, status, said):
    committed, now = tmp_path / "committed.json", tmp_path / "rebuilt.json"
    committed.write_text(json.dumps(findings(1, 3)))
    now.write_text(json.dumps(rebuilt))
    result = CliRunner().invoke(app, ["check", "--against", str(committed), "--rebuilt", str(now)])
    assert (result.exit_code, said in result.output) == (status, True), result.output


def test_check_reads_a_revision_of_git(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = Path("reports/findings.json")
    path.parent.mkdir()
    path.write_text(json.dumps(findings(1, 3)))
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "findings"]):
        subprocess.run([*git, *command], check=True)
    path.write_text(json.dumps(findings(-3, -1)))
    result = CliRunner().invoke(app, ["check", "--against", "HEAD"])
    assert (result.exit_code, "FLIPPED A" in result.output) == (1, True)
    result = CliRunner().invoke(app, ["check", "--against", "no-such-revision"])
    assert isinstance(result.exception, InputError)
    assert "neither a file nor a revision" in str(result.exception)


def test_a_new_claim_is_no_flip():
    before, after = (
        parse_findings(json.dumps(content), "test")
        for content in (without_claims(), findings(1, 3))
    )
    assert list(flips(before, after)) == []


def test_a_broken_file_of_findings_is_named():
    with pytest.raises(InputError, match="old.json: not JSON"):
        parse_findings("{", "old.json")


def test_values_that_json_lacks_become_null():
    assert [rounded(value) for value in (0.123456, -0.00001, float("nan"))] == [0.1235, 0, None]


def test_a_whole_configuration_gets_its_verdicts(tmp_path, monkeypatch):
    write_measures(tmp_path)
    (tmp_path / "data").symlink_to(Path(__file__).resolve().parents[2] / "data")
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, [], catch_exceptions=False).exit_code == 0
    written = parse_findings(Path("reports/findings.json").read_text(), "findings.json")
    assert written.claims["T1-single"].verdict == "holds"
    assert set(written.claims["T1-single"].tasks) == {"relevance", "sentiment"}
    assert written.not_shown["T1-lstm"].reason == "No LSTM interaction model is trained here."
    figures = json.loads(Path("reports/metrics.json").read_text())
    assert sum(figures["verdicts"].values()) == len(written.claims)
    assert open_measures().primary == {"relevance": "accuracy", "sentiment": "accuracy"}
