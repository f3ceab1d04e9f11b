"""What probes are trained and scored on: oracle heads, baselines, noise that can be memorised."""

import numpy as np
import pandas as pd
import pytest
import torch

from stages.core.corpora.store import corpus_frame
from stages.core.recordings.tokens import Special
from stages.core.stage.files import InputError
from stages.core.stage.settings import checked
from stages.probes.fitting import predict
from stages.probes.held_out import Prediction
from stages.probes.models import RightBranching
from stages.probes.sentences import (
    FIRST_WORD,
    ROOT,
    SEP,
    gold_heads,
    joined,
    read_sentences,
)
from stages.probes.settings import Probes
from stages.probes.stage import Source, attachment_scores, probe_scores
from stages.probes.tables import ATTENTION
from stages.probes.variants import variants
from stages.probes.vectors import file_vectors
from tests.oracle import OracleRecording, oracle_corpus, oracle_row, oracle_texts, tree
from tests.probes.sentences import (
    PARAMETERS,
    SOUND,
    sentence,
)


def source(corpus: pd.DataFrame, folder, encoder: str = "untuned") -> Source:
    return Source(OracleRecording(corpus, encoder), oracle_texts(corpus, folder))


def plain(table: pd.DataFrame) -> pd.Series:
    return table[~table["punctuation"]].set_index("probe")["uas"]


def test_a_probe_learns_an_oracle_map(tmp_path):
    table = probe_scores(source(oracle_corpus(60), tmp_path), None, PARAMETERS)
    scores = plain(table)
    assert scores["attention"] == 1.0
    assert scores["right-branching"] < 0.7
    assert set(scores.index) == {"attention", "right-branching"}  # no vectors, no words
    assert np.stack(table["uas_drawn"]).shape == (4, PARAMETERS.resamples)
    assert table["converged"].all()


def test_random_attention_teaches_little(tmp_path):
    recording = source(oracle_corpus(60), tmp_path, "random_weights")
    assert plain(probe_scores(recording, None, PARAMETERS))["attention"] < 0.4


def test_words_find_heads_where_attention_does_not(tmp_path):
    corpus = oracle_corpus(80)
    parameters = PARAMETERS.model_copy(update={"vectors": str(one_hot_file(corpus, tmp_path))})
    tested = source(corpus, tmp_path, "random_weights")
    scores = plain(probe_scores(tested, None, parameters))
    assert scores["distances and words"] > 0.9
    assert scores["distances and words"] > scores["attention"] + 0.2


def one_hot_file(corpus: pd.DataFrame, folder):
    forms = sorted({entry["text"] for words in corpus["words"] for entry in words})
    rows = zip(forms, np.eye(len(forms)), strict=True)
    file = folder / "vectors.txt"
    file.write_text("\n".join(f"{form} {' '.join(map(str, row))}" for form, row in rows))
    return file


def test_probes_train_on_one_corpus_and_test_on_another(tmp_path):
    teacher = corpus_frame(oracle_row(n, tree(np.random.default_rng(n))) for n in range(100, 160))
    table = probe_scores(source(oracle_corpus(40), tmp_path), source(teacher, tmp_path), PARAMETERS)
    assert plain(table)["attention"] == 1.0
    assert set(table["sentences"]) == {40}


def test_another_encoder_cannot_teach(tmp_path):
    tested, teacher = (source(oracle_corpus(8), tmp_path) for _ in range(2))
    teacher.recording.heads = 2
    with pytest.raises(InputError, match="`probes.train_on`: .* 4 x 2 heads, .* 4 x 3"):
        probe_scores(tested, teacher, PARAMETERS)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"train_on": "tested"}, "`train_on` is tested, which `corpora` tests"),
        ({"choices": []}, "choices"),
        ({"choices": [SOUND.model_dump() | {"root": "sep"}]}, "root"),
    ],
)
def test_wrong_settings_are_refused(changes, complaint):
    with pytest.raises(InputError, match=complaint):
        checked(Probes, PARAMETERS.model_dump() | changes, "params.yaml: `probes`")


def test_a_corpus_without_syntax_is_refused(tmp_path):
    corpus = oracle_corpus(6)
    for words in corpus["words"]:
        for entry in words:
            entry["deprel"] = ""
    with pytest.raises(InputError, match=r"take.* corpora with heads"):
        probe_scores(source(corpus, tmp_path), None, PARAMETERS)


def test_what_sees_no_attention_is_fitted_once_for_all_encoders(tmp_path):
    corpus = oracle_corpus(20)
    parameters = PARAMETERS.model_copy(update={"vectors": str(one_hot_file(corpus, tmp_path))})
    known: dict = {}
    first, second = (
        probe_scores(source(corpus, tmp_path, encoder), None, parameters, known)
        for encoder in ("untuned", "random_weights")
    )
    assert {variant.name for variant in known} == {"right-branching", "distances and words"}
    again = probe_scores(source(corpus, tmp_path, "random_weights"), None, parameters)
    pd.testing.assert_frame_equal(second, again)
    assert plain(first)["distances and words"] == plain(second)["distances and words"]
    assert plain(first)["attention"] > plain(second)["attention"]


def test_right_branching_by_hand():
    """Each word hangs on the word after it, the last on the root."""
    short = sentence(np.zeros((1, 5, 5)), [1, -1, 1])
    longer = sentence(np.zeros((1, 7, 7)), [-1, 0, 0, 0, 0])
    vectors = torch.ones(1, 1)
    told = predict(RightBranching(), [], [longer, short], vectors)
    assert told[1][FIRST_WORD:].tolist() == [3, 4, ROOT]
    assert told[0][FIRST_WORD:].tolist() == [3, 4, 5, 6, ROOT]


def test_scores_with_and_without_punctuation_by_hand():
    """Of each of six groups two sentences: right but for the full stop, or wrong but for it."""
    sentences, heads = [], []
    for group in range(6):
        for _ in range(2):
            one = sentence(np.zeros((1, 6, 6)), [1, -1, None, 1], group, punctuation=[3])
            right = one.heads.clone()
            places = torch.tensor([2, 3]) if group % 3 else torch.tensor([5])
            right[places] = SEP  # never a head
            sentences.append(one)
            heads.append(right)
    (variant,) = [one for one in variants([SOUND], False) if one.name == ATTENTION]
    found = {variant: Prediction(heads, 7, False)}
    table = attachment_scores(sentences, found, PARAMETERS)
    assert table["punctuation"].tolist() == [False, True]
    assert table["words"].tolist() == [24, 36]
    assert table["uas"].tolist() == pytest.approx([2 / 6, (2 * 2 + 4) / 18])
    assert set(table["groups"]) == {6}
    assert set(table["sentences"]) == {12}
    assert set(table["steps"]) == {7}
    assert not table["converged"].any()
    # Whole groups are drawn, and both rows by the same draws.
    plain_drawn, punctuated_drawn = table["uas_drawn"]
    sixths = plain_drawn * 6
    assert np.allclose(sixths, np.round(sixths))
    assert np.allclose(punctuated_drawn, (2 * plain_drawn + (1 - plain_drawn)) / 3)


def test_candidates_are_the_root_and_the_other_words():
    words = [
        {"head": 1, "deprel": "det"},
        {"head": -1, "deprel": "root"},
        {"head": -1, "deprel": ""},
    ]
    assert gold_heads(words) == [-1, -1, 3, ROOT, -1]
    short = sentence(np.zeros((1, 4, 4)), [1, -1])
    batch = joined([short, sentence(np.zeros((1, 5, 5)), [1, -1, 1])])
    assert batch.candidates[0].tolist() == [
        [False, False, True, True, False],
        [True, False, True, True, False],
        [True, False, False, True, False],
        [True, False, True, False, False],
        [True, False, True, True, False],
    ]
    assert batch.scored[0].tolist() == [False, False, True, True, False]


def test_sentences_have_attention_between_words_cls_and_the_last_sep(tmp_path):
    """Pieces of a word are joined; what was cut away is left out."""
    corpus = oracle_corpus(12)
    recording = OracleRecording(corpus, "random_weights")
    tokens = recording.tokens
    cut = 3
    for column in ("tokens", "segments", "word", "special"):
        tokens.at[cut, column] = tokens[column][cut][:8]
    found = read_sentences(recording, oracle_texts(corpus, tmp_path), None)
    assert len(found) == 11
    row = next(r for r, t in enumerate(corpus["text_a"]) if "teacher" in t and r != cut)
    one = found[row - (row > cut)]
    maps = recording._maps(row).reshape(-1, *[len(tokens["tokens"][row])] * 2)
    pieces = [[0], [len(maps[0]) - 1]] + [
        np.flatnonzero(np.equal(tokens["word"][row], word)).tolist()
        for word in range(len(corpus["words"][row]))
    ]
    assert tokens["special"][row][pieces[1][0]] == Special.SEP
    for asks, asking in enumerate(pieces):
        for asked, answering in enumerate(pieces):
            expected = maps[:, asking][:, :, answering].sum(-1).mean(-1)
            assert one.maps[:, asks, asked].numpy() == pytest.approx(expected, abs=1e-3)
    assert one.forms == tuple(entry["text"] for entry in corpus["words"][row])
    marks = [entry["deprel"] == "punct" for entry in corpus["words"][row]]
    assert one.punctuation.tolist() == [False, False, *marks]


@pytest.mark.parametrize(
    ("content", "message"), [(None, "not there"), ("a 1 2\nb 1\n", "line 2: 1 numbers")]
)
def test_vectors_that_cannot_be_read_are_refused(tmp_path, content, message):
    file = tmp_path / "vectors.txt"
    if content is not None:
        file.write_text(content)
    with pytest.raises(InputError, match=message):
        file_vectors(file, oracle_corpus(1))


def test_a_text_whose_end_was_cut_away_is_left_out_alone(tmp_path):
    corpus = oracle_corpus(6)
    cut = source(corpus, tmp_path)
    places = cut.recording.tokens["word"][2]
    cut.recording.tokens.at[2, "word"] = [-1 if word == max(places) else word for word in places]
    read = read_sentences(cut.recording, cut.texts, None)
    whole = source(corpus, tmp_path)
    every = read_sentences(whole.recording, whole.texts, None)
    assert (len(read), len(every)) == (5, 6)
    assert [one.forms for one in read] == [one.forms for n, one in enumerate(every) if n != 2]
