"""Which maps of a recording were drawn, and that they are those that were labelled."""

import hashlib

import numpy as np
import pandas as pd
import pytest
import torch

from stages.core.recording_writer import write_maps
from stages.core.recordings.store import MapStore
from stages.core.stage.arms import RECORDED
from stages.core.stage.files import InputError
from stages.core.tables import estimate_columns
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.outside import read_labels, read_outside
from stages.patterns.outside_patterns.stage import corrected, scored_table
from stages.patterns.special import SpecialRule
from stages.patterns.tables import MODELS, TEXT_SHARES
from tools.labelling.outside import draw_outside


def store_of(folder, scale: float = 1.0) -> MapStore:
    """Three texts, two layers of three heads; a cell says which map it is of."""
    identities = ["0007", "0012", "0100"]
    tokens = [["[CLS]", *"abcdefgh"[: 2 + row], "[SEP]"] for row in range(3)]
    table = pd.DataFrame({"id": identities, "tokens": tokens})
    table["segments"] = table["tokens"].map(lambda row: [0] * len(row))
    with write_maps(folder, table, 2, 3, 250) as writer:
        for row in range(3):
            for layer in range(2):
                maps = torch.zeros(1, 3, 4 + row, 4 + row)
                for head in range(3):
                    maps[0, head] = (row * 100 + layer * 10 + head) * scale
                writer.write(layer, [row], maps)
    return MapStore(folder)


def test_the_maps_of_a_draw_come_back_with_their_tokens(tmp_path):
    store = store_of(tmp_path / "maps")
    table = draw_outside(store, 18, seed=3)
    assert len(table[["example", "layer", "head"]].drop_duplicates()) == 18
    table.to_csv(tmp_path / "maps.csv", index=False)
    back, maps = read_outside(tmp_path, store)
    for row, weights in zip(back.to_dict("records"), maps, strict=True):
        text = store.ids.index(row["example"])
        assert (weights == text * 100 + row["layer"] * 10 + row["head"]).all()
        assert len(weights) == 4 + text == len(row["tokens"].split())
        halves = weights.astype(np.float16).tobytes()
        assert row["checksum"] == hashlib.sha256(halves).hexdigest()[:16]


def test_a_draw_is_that_of_its_seed_and_its_first_part_a_smaller_draw_by_chance(tmp_path):
    store = store_of(tmp_path / "maps")
    pd.testing.assert_frame_equal(draw_outside(store, 9, 1), draw_outside(store, 9, 1))
    assert not draw_outside(store, 9, 1).equals(draw_outside(store, 9, 2))
    first = pd.concat(draw_outside(store, 9, seed).head(4) for seed in range(300))
    counts = first.groupby(["example", "layer", "head"]).size()
    assert len(counts) == 18
    assert counts.between(35, 105).all()  # 66.7 expected
    with pytest.raises(InputError, match="18 maps, 19 are to be drawn"):
        draw_outside(store, 19, 0)


def test_other_maps_and_other_texts_are_refused(tmp_path):
    store = store_of(tmp_path / "maps")
    table = draw_outside(store, 18, 0)
    table.to_csv(tmp_path / "maps.csv", index=False)
    with pytest.raises(InputError, match="another map there"):
        read_outside(tmp_path, store_of(tmp_path / "others", scale=0.5))
    table.assign(example="0008").to_csv(tmp_path / "maps.csv", index=False)
    with pytest.raises(InputError, match="no example 0008"):
        read_outside(tmp_path, store)


def labels_in(folder, **columns: str) -> None:
    """Three maps; a column is a string of abbreviations, one a map, . for none."""
    table = pd.DataFrame({"map": [0, 1, 2]})
    for name, said in columns.items():
        table[name] = ["" if label == "." else label for label in said.split()]
    table.to_csv(folder / "labels.csv", index=False)


def test_only_what_both_say_or_somebody_decided_is_a_label(tmp_path):
    said = {
        "any_first": "V D VD",
        "any_second": "V V VD",
        "special_first": "H D VD",
        "special_second": "V D D",
    }
    labels_in(tmp_path, **said)
    labels = read_labels(tmp_path, [0, 1, 2]).set_index(["rule", "map"])
    assert labels["label"]["any"].tolist() == ["vertical", "", "vertical+diagonal"]
    assert labels["label"]["special"].tolist() == ["", "diagonal", ""]
    assert labels.loc[("special", 2), "first"] == "vertical+diagonal"
    assert labels.loc[("special", 2), "second"] == "diagonal"
    labels_in(tmp_path, **said, label_any="v block h", label_special=". . d")
    labels = read_labels(tmp_path, [0, 1, 2]).set_index(["rule", "map"])
    assert labels["label"]["any"].tolist() == ["vertical", "block", "heterogeneous"]
    assert labels["label"]["special"].tolist() == ["", "diagonal", "diagonal"]
    with pytest.raises(InputError, match="other maps"):
        read_labels(tmp_path, [0, 2, 1])
    labels_in(tmp_path, **said | {"any_first": "V X D"})
    with pytest.raises(InputError, match="row 3: unknown label 'X'"):
        read_labels(tmp_path, [0, 1, 2])


def test_each_rule_has_its_labels_and_its_predictions():
    """Under the rule special a stripe on a word is heterogeneous, one on [CLS] stays."""
    maps = [np.zeros((4, 4), dtype=np.float32) for _ in range(2)]
    maps[0][:, 0] = maps[1][:, 1] = 1
    places = {"map": [7, 9], "example": ["a", "b"], "layer": [0, 1], "head": [2, 0]}
    table = pd.DataFrame(places | {"tokens": ["[CLS] x y [SEP]"] * 2})
    one = {"map": [9, 7], "first": ["block", "diagonal"]}
    one |= {"second": one["first"], "label": one["first"]}
    labels = pd.concat([pd.DataFrame({"rule": rule, **one}) for rule in ("any", "special")])
    rule = SpecialRule(punctuation=[], neighbours=0, beyond=0.5, to_special=0.1)
    codes = {name: np.array([0, 0]) for name in MODELS}
    starts = [codes, codes | {"network": np.array([3, 1])}]
    both = scored_table(maps, table, labels, starts, rule).set_index(["start", "rule", "map"])
    assert both.loc[1]["network"]["any"].to_dict() == {7: "block", 9: "diagonal"}
    scored = both.loc[0]
    assert scored["network"]["any"].to_dict() == {7: "vertical", 9: "vertical"}
    assert scored["map_alone"]["special"].to_dict() == {7: "vertical", 9: "heterogeneous"}
    assert scored["label"]["any"].to_dict() == {7: "diagonal", 9: "block"}


def test_the_recorded_encoders_own_shares_are_corrected(tmp_path, monkeypatch):
    """Every map is rightly sorted, so that nothing is left to correct; decoys have other shares."""
    monkeypatch.chdir(tmp_path)
    own, decoy = (0.5, 0.25, 0.125, 0.125, 0.0), (0.0, 0.0, 0.0, 0.0, 1.0)
    rows = []
    for arm, shares in (("random_weights", decoy), (RECORDED, own)):
        for rule in ("special", "any"):
            for pattern, share in zip(CLASSES[::-1], shares[::-1], strict=True):
                keys = {"arm": arm, "rule": rule, "pattern": pattern, "examples": 9}
                rows.append(keys | estimate_columns("share", share, share, share))
    drawn = [[row["share"]] * 8 for row in rows]
    TEXT_SHARES.write(pd.DataFrame(rows).assign(share_drawn=drawn), data="one")
    one_each = {"start": 0, "layer": 0, "head": 0, "label": CLASSES, "network": CLASSES}
    scored = pd.concat([pd.DataFrame(one_each | {"rule": rule}) for rule in ("any", "special")])
    found = corrected(pd.concat([scored] * 40), "one", 0).set_index(["rule", "pattern"])
    for name in ("any", "special"):
        assert found.loc[name]["corrected"].reindex(CLASSES).tolist() == pytest.approx(
            own, abs=1e-6
        )
