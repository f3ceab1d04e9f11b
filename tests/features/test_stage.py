"""Attention to kinds of tokens, found by position."""

import numpy as np
import pandas as pd
import pytest
import torch

from stages.core.corpora.store import word
from stages.core.recording_writer import MapWriter
from stages.core.recordings.recording import StoredRecording
from stages.core.recordings.store import MapStore
from stages.features.stage import (
    BY_SPELLING,
    SUBSTRING,
    cls_row,
    cls_share_table,
    example_changes,
    example_shares,
    kind_shares,
    received,
    rise_table,
    share_table,
    token_kinds,
)

# [CLS] nothing was not bad for the bad dog [SEP], of which the noun is the second "bad dog".
WORDS = [
    word("nothing", 0, upos="PRON", deprel="nsubj", negation=True),
    word("was", 0, upos="AUX", deprel="cop"),
    word("not", 0, upos="PART", deprel="advmod", negation=True),
    word("bad", 0, upos="ADJ", deprel="root"),
    word("bad", 0, upos="NOUN", deprel="obj"),
    word("knot", 0, upos="VERB", deprel="dep"),
]
PIECES = ["[CLS]", "nothing", "was", "not", "bad", "bad", "knot", "[SEP]"]
NUMBERS = [-1, 0, 1, 2, 3, 4, 5, -1]
SPECIAL = [1, 0, 0, 0, 0, 0, 0, 2]


def places(kind: str) -> list[int]:
    return np.flatnonzero(token_kinds(WORDS, NUMBERS, PIECES, SPECIAL)[kind]).tolist()


def test_kinds_are_found_by_position_and_not_by_spelling():
    assert places("noun") == [5]
    assert places("noun" + BY_SPELLING) == [4, 5]
    assert places("subject") == [1]
    assert places("object") == [5]
    assert places("cls") == [0]
    assert places("sep") == [7]


def test_negation_is_a_word_and_not_a_part_of_one():
    assert places("negation") == [1, 3]
    assert places(SUBSTRING) == [1, 3, 6]


def test_kinds_that_a_text_lacks_are_left_out():
    found = token_kinds([], NUMBERS, PIECES, SPECIAL)
    assert set(found) == {"cls", "sep"}


def test_kinds_of_words_have_one_definition_each():
    words = [
        word("Kim", 0, upos="PROPN", deprel="nsubj"),
        word("sees", 0, upos="VERB", deprel="root"),
        word("is", 0, upos="AUX", deprel="aux"),
        word("her", 0, upos="PRON", deprel="dobj"),
        word("No", 0, upos="DET", deprel="det", negation=True),
        word("isn't", 0, upos="X", deprel="iobj"),
        word(".", 0, upos="PUNCT", deprel="punct"),
    ]
    pieces = [entry["text"] for entry in words]
    found = token_kinds(words, list(range(7)), pieces, [0] * 7)
    kinds = {
        name: np.flatnonzero(tokens).tolist()
        for name, tokens in found.items()
        if BY_SPELLING not in name
    }
    assert kinds == {
        "noun": [0],
        "verb": [1],
        "pronoun": [3],
        "subject": [0],
        "object": [3],
        "negation": [4],
        "punctuation": [6],
        SUBSTRING: [4, 5],
    }


def test_attention_received_by_hand():
    maps = np.zeros((1, 1, 4, 4), dtype=np.float32)
    maps[0, 0, :, 1] = [1.0, 0.5, 0.0, 0.5]
    maps[0, 0, :, 2] = [0.0, 0.5, 1.0, 0.25]
    one = received(maps, np.array([False, True, False, False]))
    assert (one["maximum"][0, 0], one["sum"][0, 0]) == (0.5, 0.5)
    # The larger of the two (0.5 and 0.4375), and both together.
    both = received(maps, np.array([False, True, True, False]))
    assert (both["maximum"][0, 0], both["sum"][0, 0]) == (0.5, 0.9375)


def test_the_row_of_cls_is_of_the_last_layer():
    maps = np.zeros((2, 3, 4, 4), dtype=np.float32)
    maps[0, :, 0] = [0.7, 0.1, 0.1, 0.1]
    maps[1, :, 0] = [[0.1, 0.2, 0.6, 0.1], [0.1, 0.5, 0.3, 0.1], [1, 0, 0, 0]]
    maps[1, :, 1] = [0, 0, 0, 1]
    some, cls = np.array([False, True, True, False]), np.array([True, False, False, False])
    found = cls_row(maps, some, cls)
    assert found["maximum"].tolist() == pytest.approx([0.6, 0.5, 0])
    assert found["sum"].tolist() == pytest.approx([0.8, 0.8, 0])


BEFORE = {("sep", "sum"): np.array([[0.1, 0.1], [0.2, 0.2]])}
AFTER = {("sep", "sum"): np.array([[0.1, 0.1], [0.5, 0.7]])}
NOUN = {("noun", "sum"): np.array([[0.3, np.nan]] * 2)}
SHARES = {"untuned": BEFORE | NOUN, "tuned": AFTER | NOUN, "random_weights": BEFORE | NOUN}
IDS = pd.Series(["a", "b"])


def test_tuning_changes_what_a_kind_gets():
    """Two layers of one head; [SEP] gets more in the upper one, nouns nothing new."""
    table = share_table(SHARES, 1, 50, 0).set_index(["arm", "kind", "layer"])
    assert table.loc[("tuned", "sep", 1), "change"].item() == pytest.approx(0.4)
    assert table.loc[("tuned", "sep", 1), "share"].item() == pytest.approx(0.6)
    assert table.loc[("tuned", "noun", 0), "examples"].item() == 1
    assert table.loc[["untuned", "random_weights"], "change"].isna().all()
    changes = example_changes(SHARES, IDS, 1).set_index(["kind", "id"])
    row = changes.loc[("sep", "b")]
    assert row[["change", "early_change", "late_change"]].tolist() == pytest.approx([0.25, 0, 0.5])
    assert ("noun", "b") not in changes.index
    assert ("noun", "a") in changes.index


def test_changes_are_absolute_and_halves_are_signed():
    shares = {
        "untuned": {("sep", "sum"): np.array([[0.5], [0.1]])},
        "tuned": {("sep", "sum"): np.array([[0.2], [0.2]])},
    }
    (row,) = example_changes(shares, pd.Series(["a"]), 1).to_dict("records")
    assert row["change"] == pytest.approx(0.2)
    assert (row["early_change"], row["late_change"]) == pytest.approx((-0.3, 0.1))


def test_every_arm_has_what_a_kind_gets_in_each_half_of_the_layers():
    """Three layers of two heads: the lower half is the lowest layer."""
    values = np.array([0.1, 0.3, 0.4, 0.4, 0.6, 0.8])[:, None] * np.array([1.0, 2.0])
    shares = {"tuned": {("cls", "maximum"): values}, "untuned": {("cls", "maximum"): 0 * values}}
    table = example_shares(shares, IDS, 2).set_index(["arm", "id"])
    assert table.loc[("tuned", "a"), "early"] == pytest.approx(0.2)
    assert table.loc[("tuned", "a"), "late"] == pytest.approx(0.55)
    assert table.loc[("tuned", "b"), "share"] == pytest.approx(2 * 2.6 / 6)
    assert table.loc["untuned", "share"].tolist() == [0, 0]


def test_the_head_with_the_largest_rise_is_named_and_measured_on_other_examples():
    generator = np.random.default_rng(0)
    noise = generator.normal(size=(2, 12, 300))
    before, after = 0.3 + 0.1 * noise
    rising = after.copy()
    rising[7] += 0.2
    shares = {
        "untuned": {("noun", "maximum"): before, ("verb", "maximum"): before},
        "tuned": {("noun", "maximum"): rising, ("verb", "maximum"): after},
    }
    table = rise_table(shares, 3, 200, 0)
    noun, verb = table.to_dict("records")
    assert (noun["layer"], noun["head"]) == (2, 1)
    assert noun["rise"] == pytest.approx(0.2, abs=0.02)
    assert noun["rise_low"] > 0.15
    # Of noise the best head gains nothing on other examples.
    assert verb["rise_low"] < 0 < verb["rise_high"]
    assert (after - before).mean(1).max() > verb["rise"]
    assert np.stack(table["rise_drawn"]).shape == (2, 200)


def test_examples_without_the_kind_are_no_cases_of_a_rise():
    before = np.full((2, 10), 0.1)
    before[:, :4] = np.nan
    shares = {"untuned": {("noun", "sum"): before}, "tuned": {("noun", "sum"): before + 0.2}}
    table = rise_table(shares, 1, 20, 0)
    assert (table["examples"].item(), table["rise"].item()) == (6, pytest.approx(0.2))


def test_what_cls_gives_is_a_mean_over_heads_and_examples():
    values = np.array([[0.2, 0.4, np.nan, 0.1, 0.3, 0.3], [0.6, 0.8, np.nan, 0.1, 0.3, 0.3]])
    table = cls_share_table({"tuned": {("sep", "maximum"): values}}, 50, 0)
    (row,) = table.to_dict("records")
    assert row["share"] == pytest.approx((0.4 + 0.6 + 0.1 + 0.3 + 0.3) / 5)
    assert row["share_low"] < row["share"] < row["share_high"]
    assert row["examples"] == 5
    assert row["share_drawn"].shape == (50,)


def test_maps_are_read_with_their_own_words(tmp_path):
    """Two examples of unlike length and kinds; each keeps its row, the other's kinds are NaN."""
    tokens = pd.DataFrame(
        {
            "id": ["short", "long"],
            "tokens": [["[CLS]", "Kim", "[SEP]"], ["[CLS]", "no", "dog", "sleeps", "[SEP]"]],
            "segments": [[0] * 3, [0] * 5],
            "word": [[-1, 0, -1], [-1, 0, 1, 2, -1]],
            "special": [[1, 0, 2], [1, 0, 0, 0, 2]],
        }
    )
    words = [
        [word("Kim", 0, upos="PROPN")],
        [
            word("no", 0, upos="DET", negation=True),
            word("dog", 0, upos="NOUN"),
            word("sleeps", 0, upos="VERB"),
        ],
    ]
    generator = np.random.default_rng(0)
    writer = MapWriter(tmp_path / "maps", tokens[["id", "tokens", "segments"]], 2, 3, 10**6)
    maps = {}
    for row, length in enumerate((3, 5)):
        maps[row] = torch.tensor(generator.dirichlet(np.ones(length), (2, 3, length)))
        for layer in range(2):
            writer.write(layer, [row], maps[row][layer][None].float())
    writer.release()
    writer.finish()
    recording = StoredRecording("tuned", MapStore(tmp_path / "maps"), tokens)
    examples = pd.DataFrame({"id": tokens["id"], "words": words})
    shares, of_cls = kind_shares(recording, examples)
    noun = shares["noun", "maximum"]
    for row, place in ((0, 1), (1, 2)):
        expected = maps[row][..., place].mean(-1).ravel().numpy()
        np.testing.assert_allclose(noun[:, row], expected, atol=1e-3)
        np.testing.assert_allclose(
            of_cls["noun", "sum"][:, row], maps[row][1, :, 0, place], atol=1e-3
        )
    assert np.isnan(shares["verb", "sum"][:, 0]).all()
    assert not np.isnan(shares["verb", "sum"][:, 1]).any()
    assert np.isnan(shares["negation", "sum"][:, 0]).all()
