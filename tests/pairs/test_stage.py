"""Pairs of words: every one with every other, or as the original paired them."""

import numpy as np

from stages.core.corpora.store import word
from stages.core.maps.links import linked_weights, weights_by_head
from stages.features.stage import token_kinds
from stages.pairs.stage import finder, word_pairs
from tests.oracle import SYNTAX, OracleRecording, oracle_corpus, oracle_texts

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
    (found,) = linked_weights(recording, texts, [find])
    table = weights_by_head(recording, found["maximum"], 50, 0).set_index(["layer", "head"])
    assert table.loc[SYNTAX, "weight"] == 1.0
    assert table["texts"].unique().tolist() == [20]


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
        for aggregate, weights in found.items():
            for name, values in vars(weights).items():
                np.testing.assert_array_equal(values, getattr(alone[aggregate], name))
    assert together[1]["sum"].linked.shape == (0, recording.layers * recording.heads)


def test_texts_are_in_the_order_of_the_corpus_and_keep_their_groups(tmp_path):
    """Batches come longest first; a text's own links are in its own row."""
    corpus = oracle_corpus(20)
    recording, texts = OracleRecording(corpus, "random_weights"), oracle_texts(corpus, tmp_path)
    (found,) = linked_weights(recording, texts, [finder(texts, "verb and subject", "crossed")])
    assert found["maximum"].groups.tolist() == texts.groups.tolist()
    for row in (3, 8):
        (alone,) = linked_weights(
            recording,
            texts,
            [lambda place, tokens, row=row: [([1], [2])] if place == row else []],
        )
        maps = recording._maps(row).reshape(-1, *recording._maps(row).shape[-2:])
        expected = np.maximum(maps[:, 1, 2], maps[:, 2, 1])
        np.testing.assert_allclose(alone["maximum"].linked[0], expected, rtol=1e-6)
        assert alone["maximum"].groups.tolist() == [texts.groups[row]]


def test_studies_of_words_have_one_definition_of_a_subject():
    """Every nominal subject, whatever its subtype; no other relation."""
    for relation, expected in {
        "nsubj": True,
        "nsubj:pass": True,
        "nsubj:outer": True,
        "csubj": False,
        "nsubjpass": True,
        "obj": False,
        "": False,
    }.items():
        words = [word("dogs", 0, upos="NOUN", deprel=relation), word("bark", 5, upos="VERB")]
        assert word_pairs(words, "verb and subject", "crossed") == [(1, 0)] * expected
        kinds = token_kinds(words, [0, 1], ["dogs", "bark"], [0, 0])
        assert ("subject" in kinds) == expected
