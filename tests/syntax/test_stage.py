"""Syntactic heads found by oracle heads and by fixed offsets."""

from dataclasses import replace

import numpy as np
import pytest

from stages.core.corpora.store import corpus_frame, word
from stages.core.stage.files import InputError
from stages.syntax.stage import best_heads, every_head, relations_of
from stages.syntax.tables import ALL_LAYERS, ALL_RELATIONS, ALL_WORDS
from stages.syntax.words import DIRECTIONS, Cases, Syntax, offset_list, place_of, read_words
from tests.oracle import HEADS, LAYERS, SYNTAX, OracleRecording, oracle_corpus, oracle_texts

PARAMETERS = Syntax(
    corpora=[],
    least_cases=20,
    offsets=5,
    punctuation=False,
    root="none",
    separators=[],
    from_pieces="mean",
    resamples=100,
    seed=0,
)


def overall(cases, recording, texts, parameters=PARAMETERS):
    best = best_heads(cases, recording, texts, parameters)
    return best[best["within"] == ALL_LAYERS].set_index("relation")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    corpus = oracle_corpus(40)
    recording = OracleRecording(corpus)
    texts = oracle_texts(corpus, tmp_path_factory.mktemp("oracle"))
    return recording, texts, read_words(recording, texts, PARAMETERS)[0]


def test_a_head_that_attends_to_the_syntactic_head_scores_one(found):
    recording, texts, cases = found
    best = overall(cases, recording, texts)
    assert {ALL_RELATIONS, "det", "nsubj", "obj"} <= set(best.index)
    for relation, row in best.drop(index=ALL_WORDS).iterrows():
        assert (row["score"], row["score_low"]) == (1.0, 1.0), relation
        assert (row["layer"], row["head"]) == SYNTAX or row["rival"] == 1.0
    determiners = best.loc["det"]
    assert (determiners["layer"], determiners["head"]) == SYNTAX
    assert determiners["direction"] == "dependent to head"
    score, rival, gain = (determiners[f"{name}_drawn"] for name in ("score", "rival", "gain"))
    np.testing.assert_allclose(score, 1.0)
    np.testing.assert_allclose(gain, score - rival)
    assert np.quantile(rival, 0.975) == pytest.approx(determiners["rival_high"])


def test_texts_of_one_group_stay_together(found):
    """Two texts a group; where all are of one group nothing is held out."""
    recording, texts, cases = found
    best = overall(cases, recording, texts)
    assert (best["groups"] == 20).all()
    together = replace(texts, corpus=texts.corpus.assign(group="one"))
    best = overall(cases, recording, together)
    assert best["score"].isna().all()


def test_the_best_head_of_a_layer_is_of_that_layer(found):
    recording, texts, cases = found
    best = best_heads(cases, recording, texts, PARAMETERS)
    layers = best[(best["relation"] == "det") & (best["within"] != ALL_LAYERS)]
    assert layers["within"].tolist() == [f"layer {layer}" for layer in range(LAYERS)]
    assert layers["layer"].tolist() == list(range(LAYERS))
    scores = layers.set_index("layer")["score"]
    assert scores[SYNTAX[0]] == 1.0
    assert (scores.drop(index=SYNTAX[0]) < 0.9).all()


def test_every_word_counts_where_roots_and_punctuation_do(found):
    """Of each sentence two roots, which no head finds, and two full stops, which one does."""
    recording, texts, cases = found
    best = overall(cases, recording, texts)
    counts = {name: (cases.relation == name).sum() for name in ("root", "punct")}
    assert counts == {"root": 80, "punct": 80}
    words = sum(len(words) for words in recording.corpus["words"])
    assert best.loc[ALL_WORDS, "cases"] == words
    assert best.loc[ALL_RELATIONS, "cases"] == words - 160
    assert best.loc[ALL_WORDS, "score"] == pytest.approx((words - 80) / words)
    assert "root" not in best.index
    wanted = PARAMETERS.model_copy(update={"punctuation": True})
    with_it = overall(cases, recording, texts, wanted)
    assert with_it.loc[ALL_RELATIONS, "cases"] == words - 80


def test_relations_with_few_cases_are_left_out():
    relation = np.array(["a"] * 3 + ["b"] * 2 + ["punct"] * 3 + ["root"] * 4, dtype=object)
    count = len(relation)
    cases = Cases(
        relation,
        np.zeros(count, dtype=int),
        relation == "root",
        np.zeros((count, 1), dtype=bool),
        np.zeros((count, 1), dtype=bool),
    )
    few = PARAMETERS.model_copy(update={"least_cases": 3})
    sizes = [(name, int(some.sum())) for name, some in relations_of(cases, few).items()]
    assert sizes == [(ALL_RELATIONS, 5), (ALL_WORDS, 12), ("a", 3), ("punct", 3)]
    rooted = few.model_copy(update={"root": "cls"})
    sizes = [(name, int(some.sum())) for name, some in relations_of(cases, rooted).items()]
    # The most frequent first.
    assert sizes[2:] == [("root", 4), ("a", 3), ("punct", 3)]
    assert sizes[:2] == [(ALL_RELATIONS, 9), (ALL_WORDS, 12)]


def test_the_offset_baseline_by_hand(tmp_path):
    """the dog sees: det is one word on, nsubj too; the root is one before the first word's left."""
    words = [
        word("the", 0, head=1, deprel="det"),
        word("dog", 4, head=2, deprel="nsubj"),
        word("sees", 8, head=-1, deprel="root"),
    ]
    corpus = corpus_frame(
        [{"id": "a", "group": "a", "text_a": "the dog sees", "words": words, "mentions": []}]
    )
    cases, _ = read_words(
        OracleRecording(corpus, "random_weights"), oracle_texts(corpus, tmp_path), PARAMETERS
    )
    assert cases.relation.tolist() == ["det", "nsubj", "root"]
    assert cases.rooted.tolist() == [False, False, True]
    offsets = offset_list(5)
    assert offsets[:4] == [-1, 1, -2, 2]
    one_on = [offset == 1 for offset in offsets]
    assert cases.offset_hits.tolist() == [one_on, one_on, [False] * 10]


def test_the_best_offset_is_named(found):
    recording, texts, cases = found
    best = overall(cases, recording, texts)
    # One adjective stands between in half of the phrases, none or two in a quarter each.
    assert best.loc["det", "offset"] == 2
    counted = cases.relation == "det"
    share = cases.offset_hits[counted, offset_list(5).index(2)].mean()
    assert best.loc["det", "rival"] == pytest.approx(share)


def test_random_weights_find_little_and_every_head_has_a_row(found, tmp_path):
    recording, _, _ = found
    corpus = recording.corpus
    untrained = OracleRecording(corpus, "random_weights")
    texts = oracle_texts(corpus, tmp_path)
    cases, _ = read_words(untrained, texts, PARAMETERS)
    best = overall(cases, untrained, texts)
    assert best.loc[ALL_RELATIONS, "score"] < 0.25
    every = every_head(cases, untrained, PARAMETERS)
    assert len(every) == every["relation"].nunique() * untrained.layers * untrained.heads


def test_every_head_has_its_own_accuracy_in_the_better_direction(found):
    recording, _, cases = found
    every = every_head(cases, recording, PARAMETERS).set_index(["relation", "layer", "head"])
    row = every.loc[("det", *SYNTAX)]
    assert (row["accuracy"], row["direction"]) == (1.0, "dependent to head")
    others = every.loc["det"].drop(index=SYNTAX)
    assert (others["accuracy"] < 1).all()
    counted = cases.relation == "det"
    both = cases.hits[counted].mean(0).reshape(LAYERS, HEADS, 2)
    for (layer, head), other in others.iterrows():
        assert other["accuracy"] == both[layer, head].max()
        assert other["direction"] == DIRECTIONS[int(both[layer, head].argmax())]
    assert row["cases"] == counted.sum()
    assert row["offset_accuracy"] == cases.offset_hits[counted].mean(0).max()


def test_a_candidate_has_a_layer_a_head_and_a_direction(found):
    recording, _, _ = found
    assert place_of((2 * HEADS + 1) * 2 + 1, recording) == {
        "layer": 2,
        "head": 1,
        "direction": "head to dependent",
    }


def test_text_without_syntax_is_refused(tmp_path):
    corpus = corpus_frame([{"id": "a", "group": "a", "words": [word("the", 0)], "mentions": []}])
    with pytest.raises(InputError, match=r"syntax\.corpora"):
        read_words(
            OracleRecording(corpus, "random_weights"), oracle_texts(corpus, tmp_path), PARAMETERS
        )
