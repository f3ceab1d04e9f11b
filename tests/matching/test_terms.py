"""Terms of tokens, planes by hand, and sums of maps as transformers itself gives them."""

import numpy as np
import pandas as pd
import pytest
import torch

from stages.core.encoder.batches import encode
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.seam import Gated
from stages.core.recordings.tokens import Special
from stages.core.tasks.examples import examples_frame
from stages.matching.terms import (
    PLANES,
    Planes,
    Terms,
    frequent_words,
    plane_sums,
    spelt_words,
    terms_of,
)
from tests.matching.toy_pairs import pair

# [CLS] red dog [SEP] a dog sits [SEP]; "a" is a function word.
WORD = np.array([-1, 1, 2, -1, 0, 2, 3, -1])
SPECIAL = np.array([1, 0, 0, 2, 0, 0, 0, 2])
SEGMENT = np.array([0, 0, 0, 0, 1, 1, 1, 1])
TERMS = Terms(WORD, WORD > 0, SEGMENT, SPECIAL)


def figures(terms: Terms, map_: np.ndarray) -> dict[str, float]:
    return dict(zip(PLANES, np.einsum("qk,pqk->p", map_, terms.planes()), strict=True))


def test_planes_by_hand():
    map_ = np.random.default_rng(0).dirichlet(np.ones(8), 8)
    found = figures(TERMS, map_)
    across = (map_[2, 5] + map_[5, 2]) / 2
    assert found["equal"] == pytest.approx(across)
    # As far apart, within both texts: red with a; dog with dog moved on leaves its text.
    as_far = (map_[1, 4] + map_[4, 1]) / 2
    assert found["place"] == pytest.approx(across - as_far)
    from_others = (map_[1, 5] + (map_[4, 2] + map_[6, 2]) / 2) / 2
    assert found["key"] == pytest.approx(across - from_others)
    assert found["itself"] == pytest.approx((map_[2, 2] + map_[5, 5]) / 2)
    assert found["sep"] == pytest.approx((map_[2, [3, 7]].sum() + map_[5, [3, 7]].sum()) / 2)
    shared = map_[0, [2, 5]].sum()
    assert found["shared"] == pytest.approx(shared)
    terms = map_[0, [1, 2, 5, 6]].sum()
    assert found["beyond_terms"] == pytest.approx(shared - terms * 2 / 4)
    assert found["beyond_even"] == pytest.approx(shared - 2 / 8)


def test_equal_words_are_no_chance_of_each_other():
    """The same function word stands beside the same term: a head that matches both is no less."""
    word = np.array([-1, 0, 2, -1, 0, 2, -1])
    special = np.array([1, 0, 0, 2, 0, 0, 2])
    terms = Terms(word, word > 0, np.array([0, 0, 0, 0, 1, 1, 1]), special)
    map_ = np.eye(7)[[0, 4, 5, 3, 1, 2, 6]]
    found = figures(terms, map_)
    assert found["key"] == pytest.approx(1)
    assert np.isnan(found["place"])  # nothing else is as far apart
    assert np.isnan(found["beyond_terms"])  # nor is there another term


def test_a_pair_without_equal_terms_is_no_case():
    word = np.array([-1, 0, 2, -1, 0, 3, -1])
    special = np.array([1, 0, 0, 2, 0, 0, 2])
    terms = Terms(word, word > 0, np.array([0, 0, 0, 0, 1, 1, 1]), special)
    assert np.isnan(terms.planes()).all()


def test_attention_to_a_word_in_pieces_is_added_up():
    word = np.array([-1, 2, 2, -1, 2, 2, 3, -1])
    special = np.array([1, 0, 0, 2, 0, 0, 0, 2])
    terms = Terms(word, word > 0, np.array([0, 0, 0, 0, 1, 1, 1, 1]), special)
    map_ = np.full((8, 8), 1 / 8)
    assert figures(terms, map_)["equal"] == pytest.approx(2 / 8)


def test_what_chance_planes_add_up_to_is_nothing():
    planes = pair(np.random.default_rng(0)).planes()
    sums = dict(zip(PLANES, planes.sum((1, 2)), strict=True))
    zero = [sums[name] for name in ("place", "key", "beyond_terms", "beyond_even")]
    assert zero == pytest.approx([0] * 4)


EXAMPLES = examples_frame(
    iter(
        [
            {"id": "x", "text_a": "the teacher likes the Dog.", "text_b": "a dog sees the garden."},
            {"id": "y", "text_a": "a cat", "text_b": "the teacher sees the river"},
        ]
    )
).assign(label=0.0)


def table_of(checkpoint, unit: str = "words") -> tuple[pd.DataFrame, object]:
    tokenizer = load_tokenizer(checkpoint)
    encoded = encode(tokenizer, EXAMPLES, 40)
    return spelt_words(tokenizer, EXAMPLES, encoded, 40, unit), encoded


def test_words_in_pieces_are_spelt_whole_and_marks_are_no_words(any_checkpoint):
    table, _ = table_of(any_checkpoint)
    first = list(dict.fromkeys(word for word in table["spelling"][0] if word))
    assert first == ["the", "teacher", "likes", "dog", "a", "sees", "garden"]
    special = np.array(table["special"][0]) != Special.NONE
    assert not any(np.array(table["spelling"][0])[special])


def test_pieces_alone_are_terms_where_asked(tiny_bert):
    tokens = load_tokenizer(tiny_bert).tokenize("teacher")
    table, _ = table_of(tiny_bert, "pieces")
    pieces = [piece.removeprefix("##") for piece in tokens]
    assert set(pieces) <= set(table["spelling"][0])
    assert ("teacher" in table["spelling"][0]) == (len(pieces) == 1)


def test_words_of_many_texts_are_no_terms(tiny_bert):
    table, _ = table_of(tiny_bert)
    # Of four texts: the in three, teacher, dog, a and sees in two, others in one.
    assert frequent_words(table, 0.5) == {"the"}
    assert frequent_words(table, 0.4) == {"the", "teacher", "dog", "a", "sees"}
    assert frequent_words(table, None) == set()
    spelt, terms = table["spelling"][0], terms_of(table, {"the", "a"})[0]
    assert {spelt[place] for place in np.flatnonzero(terms.shared)} == {"dog"}
    every = terms_of(table, set())[0]
    assert {spelt[place] for place in np.flatnonzero(every.shared)} == {"dog", "the"}
    assert not {spelt[place] for place in np.flatnonzero(~every.term)} & {"dog", "the"}


def test_sums_are_those_of_the_maps_of_transformers(tiny_classifier, tiny_checkpoints):
    table, encoded = table_of(tiny_checkpoints["minilm"])
    terms = terms_of(table, {"the"})
    gated = Gated(tiny_classifier)
    found = plane_sums(gated, encoded, Planes(terms), 2, torch.device("cpu"), "toy")
    model = tiny_classifier
    model.set_attn_implementation("eager")
    with torch.inference_mode():
        (batch,) = encoded.batches(2)
        maps = torch.stack(model(**batch.inputs, output_attentions=True).attentions).numpy()
    for place, row in enumerate(batch.rows):
        length, planes = batch.lengths[place], terms[row].planes()
        own = maps[:, place, :, :length, :length]
        expected = np.einsum("lhqk,pqk->plh", own, planes)
        np.testing.assert_allclose(found[:, row], expected, atol=1e-6)
    assert np.isnan(found[:, 1]).all()  # cat and teacher share no term
