"""Maps that are kept are those of the recording: a planted head's map is found in its place."""

import numpy as np
import pytest

from stages.core.viewer.packed_maps import unpacked
from tests.examples.planted import TEXTS, planted_map, planted_tables

LAYERS, HEADS, PLANTED = 4, 5, (2, 3)


@pytest.fixture(scope="module")
def tables():
    return planted_tables(LAYERS, HEADS, PLANTED, drawn=2)


def test_the_planted_head_is_the_one_that_is_chosen(tables):
    _, _, chosen = tables
    role = chosen[chosen["name"] == "previous"]
    assert set(zip(role["layer"], role["head"], strict=True)) == {PLANTED}
    assert (role["value"] > 0.99).all()
    diagonal = chosen[chosen["name"] == "diagonal"].set_index("which")
    assert set(zip(diagonal["layer"], diagonal["head"], strict=True)) == {PLANTED}
    # Texts 0 to 3 have 0.6, 0.7, 0.8, 0.9: of four the lower one in the middle.
    assert diagonal["value"].round(6).to_dict() == {"clearest": 0.9, "median": 0.7}
    assert (diagonal["among"] == len(TEXTS)).all()


def test_the_chosen_texts_are_the_ones_with_these_values(tables):
    texts, _, chosen = tables
    ids = texts.set_index("text")["id"]
    diagonal = chosen[chosen["name"] == "diagonal"].set_index("which")["text"]
    assert ids[diagonal["clearest"]] == "3"
    assert ids[diagonal["median"]] == "1"


def test_the_planted_map_is_kept_as_it_was(tables):
    texts, maps, _ = tables
    length = texts.set_index("text")["pieces"].map(len)
    own = maps[(maps["layer"] == PLANTED[0]) & (maps["head"] == PLANTED[1])]
    assert set(own["arm"]) == {"tuned", "untuned"}
    for row in own.itertuples():
        codes = np.frombuffer(row.weights, dtype=np.uint8)
        found = unpacked(codes).reshape(length[row.text], -1)
        np.testing.assert_array_equal(found, planted_map(length[row.text]))
        assert row.pattern == "diagonal"


def test_drawn_texts_have_all_heads_and_others_only_what_was_chosen(tables):
    texts, maps, chosen = tables
    tuned = maps[maps["arm"] == "tuned"]
    counts = tuned.groupby("text").size()
    drawn = texts.set_index("text")["drawn"]
    assert drawn.sum() == 2
    assert (counts[drawn[drawn].index] == LAYERS * HEADS).all()
    for text in drawn[~drawn].index:
        wanted = chosen[chosen["text"] == text]
        places = set(zip(wanted["layer"], wanted["head"], strict=True))
        own = tuned[tuned["text"] == text]
        assert set(zip(own["layer"], own["head"], strict=True)) == places
