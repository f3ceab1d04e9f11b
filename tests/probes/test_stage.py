"""Probes that learn an oracle map, and baselines by hand."""

import numpy as np
import pytest
import torch

from stages.core.stage.files import InputError
from stages.probes.__main__ import Probes, attachment_scores, held_out_predictions, probe_scores
from stages.probes.models import RightBranching, distances, predict
from stages.probes.sentences import Sentence, gold_heads, read_sentences
from stages.probes.vectors import file_vectors
from tests.oracle import OracleRecording, oracle_corpus, oracle_texts

PARAMETERS = Probes(
    corpora=[],
    vectors=None,
    root=True,
    epochs=30,
    batch=8,
    learning_rate=0.3,
    resamples=50,
    seed=0,
)


def test_a_probe_learns_an_oracle_map(tmp_path):
    corpus = oracle_corpus(60)
    table = probe_scores(OracleRecording(corpus), oracle_texts(corpus, tmp_path), PARAMETERS)
    scores = table[~table["punctuation"]].set_index("probe")["uas"]
    assert scores["attention"] > 0.95
    assert scores["right-branching"] < 0.7
    assert set(scores.index) == {"attention", "right-branching"}  # no vectors, no words


def test_random_attention_teaches_little(tmp_path):
    corpus = oracle_corpus(60)
    recording = OracleRecording(corpus, "random_weights")
    table = probe_scores(recording, oracle_texts(corpus, tmp_path), PARAMETERS)
    assert table.set_index(["probe", "punctuation"])["uas"]["attention", False] < 0.6


def test_words_find_heads_where_attention_does_not(tmp_path):
    corpus = oracle_corpus(80)
    recording = OracleRecording(corpus, "random_weights")
    file = tmp_path / "vectors.txt"
    forms = sorted({entry["text"] for words in corpus["words"] for entry in words})
    one_hot = np.eye(len(forms))
    lines = [f"{form} {' '.join(map(str, row))}" for form, row in zip(forms, one_hot, strict=True)]
    file.write_text("\n".join(lines))
    parameters = PARAMETERS.model_copy(update={"vectors": str(file)})
    table = probe_scores(recording, oracle_texts(corpus, tmp_path), parameters)
    scores = table[~table["punctuation"]].set_index("probe")["uas"]
    assert scores["distances and words"] > 0.9
    assert scores["distances and words"] > scores["attention"] + 0.2


def test_right_branching_by_hand():
    """Each word hangs on the word after it, the last on the root."""
    sentence = Sentence(
        torch.zeros(1, 4, 4), torch.tensor([-1, 2, 0, 2]), torch.zeros(4, dtype=torch.bool), 0, None
    )
    (predicted,) = predict(RightBranching(), [sentence], 8)
    assert predicted[1:].tolist() == [2, 3, 0]
    rows = attachment_scores([sentence], [predicted], PARAMETERS)
    assert rows[0]["uas"] == pytest.approx(1 / 3)
    longer = Sentence(
        torch.zeros(1, 6, 6), torch.full((6,), 0), torch.zeros(6, dtype=torch.bool), 0, None
    )
    assert predict(RightBranching(), [longer, sentence], 8)[1][1:].tolist() == [2, 3, 0]


def test_the_root_is_candidate_0():
    words = [
        {"head": 1, "deprel": "det"},
        {"head": -1, "deprel": "root"},
        {"head": -1, "deprel": ""},
    ]
    assert gold_heads(words, 5) == [-1, 2, 0, -1, -1]
    one_hot = distances(4)
    assert (one_hot[:, 0].argmax(-1) == one_hot.shape[-1] - 1).all()


def test_predictions_are_of_the_other_half(tmp_path):
    corpus = oracle_corpus(20)
    sentences = read_sentences(OracleRecording(corpus), oracle_texts(corpus, tmp_path), None, True)
    assert len(sentences) == 20
    found = held_out_predictions("attention", sentences, PARAMETERS)
    assert [len(one) for one in found] == [len(sentence.heads) for sentence in sentences]


@pytest.mark.parametrize(
    ("content", "message"), [(None, "not there"), ("a 1 2\nb 1\n", "line 2: 1 numbers")]
)
def test_vectors_that_cannot_be_read_are_refused(tmp_path, content, message):
    file = tmp_path / "vectors.txt"
    if content is not None:
        file.write_text(content)
    with pytest.raises(InputError, match=message):
        file_vectors(file, oracle_corpus(1))
