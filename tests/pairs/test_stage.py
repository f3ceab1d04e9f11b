"""Pairs of words: every one with every other, or as the original paired them."""

import numpy as np

from stages.core.corpora.store import word
from stages.core.maps.links import linked_weights, moved_share, weights_by_head
from stages.features.__main__ import token_kinds
from stages.pairs.__main__ import finder, word_pairs
from tests.oracle import NEXT, SYNTAX, OracleRecording, oracle_corpus, oracle_texts

WORDS = [
    word("she", 0, upos="PRON", deprel="nsubj"),
    word("says", 0, upos="VERB"),
    word("dogs", 0, upos="NOUN", deprel="nsubj"),
    word("bark", 0, upos="VERB"),
]


def test_pairs_are_crossed_and_not_zipped():
    assert word_pairs(WORDS, "verb and subject", "crossed") == [(1, 0), (1, 2), (3, 0), (3, 2)]
    assert word_pairs(WORDS, "verb and subject", "zipped") == [(1, 0), (3, 2)]
    assert word_pairs(WORDS, "noun and pronoun", "crossed") == [(2, 0)]


def test_a_syntactic_head_links_verbs_and_subjects(tmp_path):
    corpus = oracle_corpus(20)
    recording, texts = OracleRecording(corpus), oracle_texts(corpus, tmp_path)
    find = finder(texts, "verb and subject", "crossed")
    (weights,) = linked_weights(recording, texts, [find])
    table = weights_by_head(recording, *weights, 50, 0).set_index(["layer", "head"])
    assert table.loc[SYNTAX, "weight"] == 1.0
    assert table["texts"].unique().tolist() == [20]


def test_a_head_that_looks_at_a_distance_is_told_by_moved_pairs(tmp_path):
    """The next head gives its all to neighbours, pairs or not; the syntactic head does not."""
    corpus = oracle_corpus(20)
    recording, texts = OracleRecording(corpus), oracle_texts(corpus, tmp_path)
    find = finder(texts, "verb and subject", "crossed")
    ((linked, moved, groups),) = linked_weights(recording, texts, [find])
    alone = np.zeros_like(linked)
    for head, expected in ((SYNTAX, False), (NEXT, True)):
        column = head[0] * recording.heads + head[1]
        alone[:, column] = linked[:, column]
        (row,) = moved_share(recording, alone, moved, groups, 50, 0).to_dict("records")
        assert (row["layer"], row["head"]) == head
        assert (row["value"] > 0.95) == expected
        alone[:, column] = 0


def test_several_finders_in_one_pass_are_as_many_passes(tmp_path):
    corpus = oracle_corpus(20)
    recording, texts = OracleRecording(corpus), oracle_texts(corpus, tmp_path)
    finders = [
        finder(texts, "noun and pronoun", "crossed"),
        lambda row, tokens: [],
        finder(texts, "verb and subject", "crossed"),
    ]
    together = linked_weights(recording, texts, finders)
    for found, find in zip(together, finders, strict=True):
        (alone,) = linked_weights(recording, texts, [find])
        for one, other in zip(found, alone, strict=True):
            np.testing.assert_array_equal(one, other)
    assert together[1][0].shape == (0, recording.layers * recording.heads)


def test_studies_of_words_have_one_definition_of_a_subject():
    """Every nominal subject, whatever its subtype; no other relation."""
    for relation, expected in {
        "nsubj": True,
        "nsubj:pass": True,
        "nsubj:outer": True,
        "csubj": False,
        "obj": False,
        "": False,
    }.items():
        words = [word("dogs", 0, upos="NOUN", deprel=relation), word("bark", 5, upos="VERB")]
        assert word_pairs(words, "verb and subject", "crossed") == [(1, 0)] * expected
        kinds = token_kinds(words, [0, 1], ["dogs", "bark"], [0, 0])
        assert ("subject" in kinds) == expected
