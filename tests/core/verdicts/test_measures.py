"""Reading the measures of one configuration: which files, in which order."""

import shutil

import pandas as pd
import pytest

from stages.core.stage.files import InputError
from stages.core.stage.places import MEASURES
from stages.core.stage.tables import MeasuredTable
from stages.core.verdicts.answers import NotMeasured
from stages.core.verdicts.measures import Measures, of_first_corpus
from tests.claims import write, write_drawn, write_rows

RUNS = MeasuredTable("runs/{task}-{arm}", ("x",))
GATES = MeasuredTable("gates/{task}", ("x",))
HALVES = MeasuredTable("gates/{task}-halves", ("x",))
CHANGES = MeasuredTable("changes/{task}", ("x",))


def test_frames_come_in_the_order_of_run_and_leave_remains_alone(measures):
    for name in ("two-untuned", "one-tuned", "one-unknown", "one-untuned", "old-untuned"):
        write(measures, f"runs/{name}", [{"x": 1}])
    frame = measures.frame(RUNS)
    places = [["one", "untuned"], ["one", "tuned"], ["two", "untuned"]]
    assert frame[["task", "arm"]].to_numpy().tolist() == places


def test_a_pattern_does_not_take_files_of_another(measures):
    write(measures, "gates/one", [{"x": 1}])
    write(measures, "gates/one-halves", [{"x": 2}])
    assert measures.frame(GATES)["x"].tolist() == [1]
    assert measures.frame(HALVES)["x"].tolist() == [2]


def test_missing_and_broken_measures_are_told_apart(measures):
    with pytest.raises(NotMeasured, match="changes"):
        measures.frame(CHANGES)
    (measures.folder / "changes").mkdir()
    (measures.folder / "changes" / "one.parquet").write_bytes(b"PAR1 cut short")
    with pytest.raises(InputError, match=r"one\.parquet.*dvc repro"):
        measures.frame(CHANGES)


def test_a_table_that_lacks_columns_is_refused_with_the_stage_to_run_anew(measures):
    """As an earlier version of a stage left it, with rows or without."""
    declared = MeasuredTable("b/{task}-list", ("arm", "gain", "texts"), optional=("texts",))
    for rows in ([], [{"gain": 0.5}]):
        write(measures, "b/one-list", rows)
        for read in (measures.frame, measures.drawn):
            with pytest.raises(
                InputError, match=r"b/one-list\.parquet: lacks the columns arm.* b$"
            ):
                read(declared)


def test_a_table_without_rows_changes_no_type_of_those_that_have_some(measures, monkeypatch):
    declared = MeasuredTable("b/{task}", ("arm", "layer", "gain"), resampled=("gain",))
    row = {"arm": "tuned", "layer": 3, "gain": 0.5}
    write_drawn(measures, declared, [row], task="two")
    alone = measures.frame(declared), measures.drawn(declared)
    monkeypatch.chdir(measures.folder)
    declared.write([], task="one")
    for name in ("one.parquet", "one-resampled.npy"):
        shutil.copy(MEASURES / "b" / name, measures.folder / "b" / name)
    pd.testing.assert_frame_equal(measures.frame(declared), alone[0])
    pd.testing.assert_frame_equal(measures.drawn(declared), alone[1])
    of_one = measures.of(["one"], [])
    assert list(of_one.frame(declared)) == ["arm", "layer", "gain", "task"]
    assert list(of_one.drawn(declared)) == ["arm", "layer", "gain", "gain_drawn", "task"]
    assert len(of_one.drawn(declared)) == 0


def test_layers_are_counted_in_tables_that_have_rows(measures):
    write(measures, "a/one", [{"layer": 0}][:0])
    pd.DataFrame({"layer": pd.Series(dtype="int64")}).to_parquet(measures.folder / "a/one.parquet")
    assert measures.layers is None
    write(measures, "b/two", [{"layer": 0}, {"layer": 5}])
    assert measures.layers == 6


def test_heads_in_one_table_are_of_one_corpus_that_the_encoder_reads():
    """Random weights come first, then what was recorded elsewhere, then two corpora of its own."""
    places = [("a", "random_weights"), ("b", "recorded"), ("c", "untuned"), ("d", "untuned")]
    rows = pd.DataFrame(places * 2, columns=["corpus", "encoder"])
    assert of_first_corpus(rows).to_numpy().tolist() == [["c", "untuned"]] * 2
    elsewhere = rows[rows["encoder"] != "untuned"]
    assert of_first_corpus(elsewhere).to_numpy().tolist() == [["b", "recorded"]] * 2
    with pytest.raises(NotMeasured, match="random weights"):
        of_first_corpus(rows[rows["encoder"] == "random_weights"])


def test_measures_of_studies_that_are_left_out_are_remains(measures):
    declared = MeasuredTable("b/{task}", ("value",))
    write_rows(measures, declared, [{"value": 1}], task="one")
    assert len(measures.frame(declared)) == 1
    only = Measures(measures.folder, measures.primary, [], {}, (), measured=["a"])
    with pytest.raises(NotMeasured, match="`b` is left out of this configuration"):
        only.frame(declared)
    assert len(Measures(measures.folder, measures.primary, [], {}, (), ["b"]).frame(declared)) == 1
    with pytest.raises(NotMeasured, match="left out"):
        only.of(["one"], []).frame(declared)
