"""The labelling tool: folds share nothing, labels are checked, agreement is Cohen's kappa."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from stages.core.stage.files import InputError
from stages.patterns.labelled_maps import CLASSES
from tools.labelling.agreement import adjudicate, agreement, doubtful, read_labels
from tools.labelling.balance import choose, fold_of_heads, shuffled_guesses
from tools.labelling.draw import PARTS, draw_items, sentence_folds
from tools.labelling.guesses import guess
from tools.labelling.sheets import CLOSER_LAYOUT, TOKENS_LAYOUT, Layout, picture

TOKENS = ["[CLS]", *"abcdefgh", "[SEP]"]


def labels_file(path, text):
    path.write_text("map,label,doubt\n" + text)
    return path


def annotated(labels):
    return pd.DataFrame({"map": range(len(labels)), "label": labels, "doubt": ""})


def test_labels_in_any_order_and_case(tmp_path):
    file = labels_file(tmp_path / "labels.csv", "1,vd,V/VD\n0,Block,\n")
    table = read_labels(file, [0, 1])
    assert table["label"].tolist() == ["block", "vertical+diagonal"]
    assert table["doubt"].tolist() == ["", "V/VD"]


def test_rows_left_empty_or_out_are_no_labels(tmp_path):
    file = labels_file(tmp_path / "labels.csv", "7,,V/H\n3,H,V/H\n9, ,\n")
    table = read_labels(file, [1, 3, 7, 9])
    assert table["label"].tolist() == ["", "heterogeneous", "", ""]
    assert table["doubt"].tolist() == ["", "V/H", "", ""]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("0,V,\n1,V,\n1,D,\n", "twice: 1"),
        ("0,V,\n1,V,\n7,D,\n", "unknown: 7"),
        ("0,V,\n1,X,\n", "row 3: unknown label 'X'"),
    ],
)
def test_wrong_labels_are_refused(tmp_path, text, complaint):
    with pytest.raises(InputError, match=complaint):
        read_labels(labels_file(tmp_path / "labels.csv", text), [0, 1])


def test_maps_that_one_annotator_labelled_count_in_no_agreement():
    one, two = pd.Series(["block", "block"]), pd.Series(["", "vertical"])
    assert agreement(one, two)["maps"] == 1
    with pytest.raises(InputError, match="no map in common"):
        agreement(one, pd.Series(["", ""]))


def test_kappa_by_hand():
    # 3 of 4 agree; by chance (3/4 x 2/4) + (1/4 x 2/4) = 1/2 would: (3/4 - 1/2) / (1 - 1/2).
    first = pd.Series(["block", "block", "block", "diagonal"])
    second = pd.Series(["block", "block", "diagonal", "diagonal"])
    result = agreement(first, second)
    assert (result["agreement"], result["kappa"]) == (0.75, 0.5)


def test_a_decision_overrules_and_is_asked_for():
    two = [annotated(["vertical", "diagonal"]), annotated(["vertical", "vertical"])]
    decided = adjudicate(two, annotated(["diagonal", "vertical"]))
    assert decided["label"].tolist() == ["diagonal", "vertical"]
    with pytest.raises(InputError, match="maps 1;"):
        adjudicate(two, annotated(["", ""]))


def test_what_is_doubtful_has_the_label_of_most_who_looked_closer():
    first = annotated(["vertical", "block", "", "block"])
    closer = [
        annotated(["", "vertical", "vertical", "vertical"]),
        annotated(["", "vertical", "diagonal", "diagonal"]),
        annotated(["", "", "diagonal", ""]),
    ]
    decision = annotated(["", "", "", "diagonal"])
    table = adjudicate([first, first, *closer], decision)
    assert table["label"].tolist() == ["vertical", "vertical", "diagonal", "diagonal"]
    assert table["closer_second"].tolist() == ["", "vertical", "diagonal", "diagonal"]
    assert table["decision"].tolist() == ["", "", "", "diagonal"]
    with pytest.raises(InputError, match="maps 3;"):
        adjudicate([first, first, *closer], annotated([""] * 4))


def test_one_closer_look_settles_nothing():
    first = annotated(["vertical", "block"])
    with pytest.raises(InputError, match="maps 1;"):
        adjudicate([first, first, annotated(["", "vertical"])], annotated(["", ""]))


def test_a_doubt_two_labels_or_a_block_deserve_a_closer_look():
    first, second = (annotated(["vertical", "vertical", "vertical", "block", ""]) for _ in range(2))
    second.loc[1, "doubt"] = "V/VD"
    second.loc[2, "label"] = "diagonal"
    assert doubtful(first, second).tolist() == [False, True, True, True, True]


def test_no_sentence_in_two_items_of_different_folds():
    # Each first sentence stands in two examples, as in pairs made from one sentence.
    examples = pd.DataFrame(
        {
            "id": [f"{k}" for k in range(120)],
            "text_a": [f"a{k // 2}" for k in range(120)],
            "text_b": [f"b{k}" for k in range(120)],
        }
    )
    used = {"a0": 1}
    items = draw_items(examples, 2, 5, used, seed=0)
    assert items["fold"].tolist() == [0, 1] * 5
    assert sorted(items["example"].str.count(r" \| ") + 1) == sorted(2 * PARTS)
    for sentence, fold in sentence_folds(items).items():
        assert used[sentence] == fold
    assert used["a0"] == 1


def test_every_fold_gets_its_part_of_a_rare_class():
    heads = [(layer, head) for layer in range(3) for head in range(4)]
    table = pd.DataFrame(heads, columns=["layer", "head"])
    table["guess"] = ["block"] * 3 + ["vertical"] * 9
    fold_of = fold_of_heads(table, 3)
    assert sorted(fold_of[head] for head in heads[:3]) == [0, 1, 2]
    assert np.bincount(list(fold_of.values())).tolist() == [4, 4, 4]


def test_a_rare_class_is_taken_whole_and_the_others_fill_up():
    table = pd.DataFrame(
        {
            "fold": 0,
            "layer": 0,
            "head": np.arange(40) % 4,
            "task": "t",
            "example": [str(k) for k in range(40)],
            "guess": ["block"] * 2 + ["vertical"] * 38,
        }
    )
    chosen = choose(table, 1, 20, seed=0)
    assert len(set(chosen)) == 20 and {0, 1} <= set(chosen)
    assert table.loc[chosen, "head"].value_counts().min() >= 4


def test_a_picture_has_square_cells_and_marks_separators():
    layout = Layout(columns=1, rows=1, side=100, shades=False)
    chart = picture(np.full((10, 10), 0.1), "7", TOKENS, layout).to_dict()
    assert (chart["width"], chart["height"]) == (100, 100)
    assert chart["encoding"]["x"]["axis"]["values"] == [9.5]
    assert chart["encoding"]["y"]["scale"]["domain"] == [10, 0]


def test_shades_show_what_is_dim_and_what_is_visible():
    weights = np.full((10, 10), 0.8)
    colours, shades = picture(weights, "7", TOKENS, CLOSER_LAYOUT).to_dict()["hconcat"]
    assert colours["encoding"]["x"] == shades["encoding"]["x"]
    assert shades["encoding"]["color"]["scale"]["domain"] == pytest.approx([0.1, 0.8 / 3])


def test_names_of_special_tokens_are_red_and_the_others_stay_where_they_can_be_read():
    weights = np.full((10, 10), 0.1)
    colours, shades = picture(weights, "7", TOKENS, TOKENS_LAYOUT).to_dict()["hconcat"]
    over = colours["encoding"]["x"]["axis"]
    assert over["labelColor"]["condition"]["test"].startswith("indexof([0, 9],")
    assert over["values"] == [place + 0.5 for place in range(10)]
    assert '" [CLS]", " a", " b"' in over["labelExpr"]
    assert shades["encoding"]["y"]["axis"]["values"] == [0.5, 9.5]
    narrow = replace(TOKENS_LAYOUT, side=50)
    colours, _ = picture(weights, "7", TOKENS, narrow).to_dict()["hconcat"]
    assert colours["encoding"]["y"]["axis"]["values"] == [0.5, 9.5]


def test_a_draw_by_heads_does_not_know_which_map_was_guessed():
    """Of head 0's 100 maps of pairs of texts 20 are guessed as Block, and none of other maps."""
    table = pd.DataFrame({"layer": 0, "head": np.repeat([0, 1], 200), "map": range(400)})
    table = table.assign(task="toy", arm="untuned", seed=0)
    table["example"] = np.where(table["map"] % 200 < 100, "one | another", "alone")
    table["guess"] = np.where(table["map"] < 20, "block", "vertical")
    shuffled = shuffled_guesses(table, seed=0)
    blocks = shuffled.loc[shuffled["guess"] == "block", "map"]
    assert len(blocks) == 20
    assert blocks.max() < 100
    assert (blocks < 20).sum() < 10  # four expected


class Brightness:
    """Takes bright maps for Block and dark ones for Diagonal."""

    def probabilities(self, maps: torch.Tensor) -> torch.Tensor:
        bright = maps.mean((1, 2)) > 0.5
        codes = torch.where(bright, CLASSES.index("block"), CLASSES.index("diagonal"))
        return torch.nn.functional.one_hot(codes, len(CLASSES)).float()


def test_a_classifier_guesses_where_there_is_one():
    maps = torch.stack([torch.full((9, 9), 0.9), torch.full((9, 9), 0.1)])
    assert guess(maps, Brightness()) == ["block", "diagonal"]
    assert guess(maps, None) != ["block", "diagonal"]
