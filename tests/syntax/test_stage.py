"""Syntactic heads found by oracle heads and by fixed offsets."""

import numpy as np
import pytest
import torch

from stages.core.corpora.store import corpus_frame, word
from stages.core.stage.files import InputError
from stages.syntax.__main__ import (
    DIRECTIONS,
    Syntax,
    all_cases,
    best_heads,
    every_head,
    most_attended,
    offset_list,
)
from tests.oracle import SYNTAX, OracleRecording, oracle_corpus, oracle_texts

PARAMETERS = Syntax(
    corpora=[],
    least_cases=20,
    offsets=5,
    punctuation=False,
    from_pieces="mean",
    resamples=100,
    seed=0,
)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    corpus = oracle_corpus(40)
    recording = OracleRecording(corpus)
    texts = oracle_texts(corpus, tmp_path_factory.mktemp("oracle"))
    return recording, all_cases(recording, texts, PARAMETERS)


def test_a_head_that_attends_to_the_syntactic_head_scores_one(found):
    recording, cases = found
    best = best_heads(cases, recording, PARAMETERS).query("within == 'all layers'")
    assert {"all", "det", "nsubj", "obj"} <= set(best["relation"])
    for row in best.to_dict("records"):
        assert (row["value"], row["low"]) == (1.0, 1.0), row["relation"]
        assert (row["layer"], row["head"]) == SYNTAX or row["rival_value"] == 1.0
    determiners = best[best["relation"] == "det"].iloc[0]
    assert (determiners["layer"], determiners["head"]) == SYNTAX
    assert determiners["direction"] == "dependent to head"


def test_the_offset_baseline_by_hand(tmp_path):
    """the dog sees: det is one word on, nsubj too."""
    words = [
        word("the", 0, head=1, deprel="det"),
        word("dog", 4, head=2, deprel="nsubj"),
        word("sees", 8, head=-1, deprel="root"),
    ]
    corpus = corpus_frame(
        [{"id": "a", "group": "a", "text_a": "the dog sees", "words": words, "mentions": []}]
    )
    cases = all_cases(
        OracleRecording(corpus, "random_weights"), oracle_texts(corpus, tmp_path), PARAMETERS
    )
    assert cases.relation.tolist() == ["det", "nsubj"]
    offsets = offset_list(5)
    assert offsets[:4] == [-1, 1, -2, 2]
    assert cases.offset_hits.mean(0).tolist() == [float(offset == 1) for offset in offsets]


def test_random_weights_find_little_and_every_head_has_a_row(found, tmp_path):
    recording, _ = found
    corpus = recording.corpus
    untrained = OracleRecording(corpus, "random_weights")
    texts = oracle_texts(corpus, tmp_path)
    cases = all_cases(untrained, texts, PARAMETERS)
    best = best_heads(cases, untrained, PARAMETERS).query("within == 'all layers'")
    assert best[best["relation"] == "all"].iloc[0]["value"] < 0.4
    every = every_head(cases, untrained, PARAMETERS)
    assert len(every) == every["relation"].nunique() * untrained.layers * untrained.heads


def test_a_word_never_attends_to_itself_or_to_padding():
    maps = torch.tensor([[0.9, 0.1, 0.0], [0.4, 0.6, 0.0], [0.0, 0.0, 0.0]])[None, None, None]
    there = torch.tensor([[True, True, False]])
    predicted = most_attended(maps, there)
    assert predicted.shape == (1, 1, 1, len(DIRECTIONS), 3)
    assert predicted[0, 0, 0, :, :2].tolist() == [[1, 0], [1, 0]]


def test_punctuation_counts_only_where_asked_for(found):
    recording, cases = found
    without = best_heads(cases, recording, PARAMETERS).query("within == 'all layers'")
    wanted = PARAMETERS.model_copy(update={"punctuation": True})
    with_it = best_heads(cases, recording, wanted).query("within == 'all layers'")
    count = int(np.sum(cases.relation == "punct"))
    assert count > 0
    assert with_it["cases"].iloc[0] - without["cases"].iloc[0] == count


def test_text_without_syntax_is_refused(tmp_path):
    corpus = corpus_frame([{"id": "a", "group": "a", "words": [word("the", 0)], "mentions": []}])
    with pytest.raises(InputError, match=r"syntax\.corpora"):
        all_cases(
            OracleRecording(corpus, "random_weights"), oracle_texts(corpus, tmp_path), PARAMETERS
        )
