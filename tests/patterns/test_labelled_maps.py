"""The released labelled maps, and reading and writing such maps."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stages.core.stage.files import InputError
from stages.patterns.labelled_maps import (
    CLASSES,
    CLOSER_ANNOTATORS,
    FIRST_ANNOTATORS,
    LabelledMaps,
    check_folds,
    opinion,
    read_labelled,
)
from tools.labelling.agreement import adjudicate, agreement

RELEASED = Path(__file__).resolve().parents[2] / "data" / "patterns"


def test_released_maps_are_labelled_twice_with_every_class_and_honest_folds():
    data = read_labelled(RELEASED)
    assert len(data.maps) == 5206
    page = RELEASED.parents[1] / "docs/pipeline.md"
    assert f"{len(data.maps):,} attention maps" in page.read_text(encoding="utf-8")
    annotators = [
        data.table[["map", name, f"{name}_doubt"]].set_axis(["map", "label", "doubt"], axis=1)
        for name in (*FIRST_ANNOTATORS, *CLOSER_ANNOTATORS)
    ]
    decisions = data.table[["map", "decision"]].rename(columns={"decision": "label"})
    adjudicated = adjudicate(annotators, decisions)
    assert adjudicated["label"].tolist() == data.table["label"].tolist()
    assert data.table["encoder"].nunique() == 2
    released = json.loads((RELEASED / "agreement.json").read_text())
    assert released == {
        "first_look": agreement(data.table["first"], data.table["second"]),
        "closer_look": agreement(data.table["closer_first"], data.table["closer_second"]),
        "first_against_final": agreement(data.table["first"], data.table["label"]),
    }
    assert data.table["label"].value_counts().min() >= 40
    assert set(data.table["label"]) == set(CLASSES)
    for fold in range(5):
        inside = data.table["fold"] == fold
        heads = [
            set(zip(part["encoder"], part["layer"], part["head"], strict=True))
            for part in (data.table[inside], data.table[~inside])
        ]
        assert heads[0].isdisjoint(heads[1])


def test_who_looked_closer_replaces_the_first_look(labelled):
    table = labelled.table.assign(closer_first="", closer_first_doubt="")
    table.loc[1, ["closer_first", "closer_first_doubt"]] = ["block", "B/H"]
    targets = LabelledMaps(labelled.maps, table).targets(0.5, 0.4)
    assert targets[1].tolist() == pytest.approx([0.5, 0, 0, 0.3, 0.2])
    before = labelled.targets(0.5, 0.4)
    np.testing.assert_array_equal(np.delete(targets, 1, 0), np.delete(before, 1, 0))


def test_targets_by_hand():
    """Two who differ; one alone; two who looked closer than the others, and differ; nobody."""
    said = {
        "label": ["vertical", "diagonal", "heterogeneous", "vertical+diagonal"],
        "first": ["vertical", "", "vertical", ""],
        "second": ["diagonal", "block", "vertical", ""],
        "closer_first": ["", "", "block", ""],
        "closer_second": ["", "", "heterogeneous", ""],
        "closer_third": ["", "", "", ""],
    }
    table = pd.DataFrame(said | {f"{name}_doubt": "" for name in said if name != "label"})
    targets = LabelledMaps([], table).targets(0.7, 0.4)
    expected = [
        [0.85, 0.15, 0, 0, 0],
        [0, 0.7, 0, 0.3, 0],
        [0, 0, 0, 0.15, 0.85],
        [0, 0, 1, 0, 0],
    ]
    np.testing.assert_allclose(targets, expected)


def test_a_doubt_shares_the_label():
    assert opinion("vertical", "", 0.4).tolist() == [1, 0, 0, 0, 0]
    assert opinion("vertical", "V/VD", 0.4).tolist() == pytest.approx([0.6, 0, 0.4, 0, 0])


def test_a_head_of_one_encoder_stands_in_one_fold():
    row = {"layer": 1, "head": 2, "text_a": "", "text_b": ""}
    two = pd.DataFrame([row | {"encoder": "a", "fold": 0}, row | {"encoder": "b", "fold": 1}])
    check_folds(two, Path("maps.csv"))
    with pytest.raises(InputError, match="head 1-2 of a stands in two folds"):
        check_folds(two.assign(encoder="a"), Path("maps.csv"))


@pytest.mark.parametrize("one", ["text_a", "text_b"])
@pytest.mark.parametrize("other", ["text_a", "text_b"])
def test_a_sentence_stands_in_one_fold_wherever_it_is_in_a_text(one, other):
    """Texts may be joined of several sentences."""
    rows = [
        {"fold": 0, "head": 0, "text_a": "", "text_b": "", one: "It rains. | Come in."},
        {"fold": 1, "head": 1, "text_a": "", "text_b": "", other: "Why? | It rains."},
    ]
    both = pd.DataFrame(rows).assign(encoder="a", layer=0)
    with pytest.raises(InputError, match="'It rains.' stands in two folds"):
        check_folds(both, Path("maps.csv"))
    check_folds(both.assign(fold=0), Path("maps.csv"))
