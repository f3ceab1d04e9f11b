"""Which places between two tokens are cases, and what heads say of them."""

import numpy as np
import pytest

from stages.boundaries.positions import places_of, read_positions
from stages.core.corpora.store import corpus_frame, word
from stages.core.recordings.tokens import Special
from stages.core.stage.files import InputError
from tests.unsegmented import (
    ALWAYS,
    COARSE,
    HEADS,
    SEGMENTER,
    UnsegmentedRecording,
    unsegmented_corpus,
    unsegmented_texts,
)

CLS, SEP, PLAIN = Special.CLS, Special.SEP, Special.NONE


def column(place: tuple[int, int]) -> int:
    return place[0] * HEADS + place[1]


def test_inside_and_at_the_end_of_words_but_not_at_the_end_of_a_text():
    """ab|c|de: three tokens are followed by their own word or another one; the last is no case."""
    words = [word("ab", 0), word("c", 2), word("de", 3)]
    found = places_of([-1, 0, 0, 1, 2, 2, -1], [CLS, *[PLAIN] * 5, SEP], words)
    assert found.token.tolist() == [1, 2, 3, 4]
    assert found.ends.tolist() == [False, True, True, False]
    assert found.run.tolist() == [0, 0, 0, 0]
    assert (found.spaces, found.hidden) == (0, 0)


def test_a_space_begins_a_run_and_is_no_case():
    """ab|c de: behind c stands a space."""
    words = [word("ab", 0), word("c", 2), word("de", 4)]
    found = places_of([-1, 0, 0, 1, 2, 2, -1], [CLS, *[PLAIN] * 5, SEP], words)
    assert found.token.tolist() == [1, 2, 4]
    assert found.ends.tolist() == [False, True, False]
    assert found.run.tolist() == [0, 0, 1]
    assert found.spaces == 1


def test_a_space_within_a_word_is_a_case():
    found = places_of([-1, 0, 0, -1], [CLS, PLAIN, PLAIN, SEP], [word("a b", 0)])
    assert found.ends.tolist() == [False]
    assert found.spaces == 0


def test_two_texts_and_tokens_of_no_word_are_apart():
    words = [word("ab", 0), word("cd", 0, segment=1)]
    kinds = [CLS, PLAIN, PLAIN, SEP, PLAIN, PLAIN, SEP]
    found = places_of([-1, 0, 0, -1, 1, 1, -1], kinds, words)
    assert found.token.tolist() == [1, 4]
    assert found.run.tolist() == [0, 1]
    unknown = places_of([-1, 0, -1, 0, -1], [CLS, PLAIN, PLAIN, PLAIN, SEP], words)
    assert len(unknown.token) == len(unknown.run) == 0


def test_a_word_in_which_no_token_begins_is_counted():
    words = [word("a", 0), word("b", 1), word("c", 2)]
    found = places_of([-1, 0, 2, -1], [CLS, PLAIN, PLAIN, SEP], words)
    assert found.hidden == 1
    assert found.ends.tolist() == [True]
    # What `max_length` cut away is not hidden.
    assert places_of([-1, 0, 1, -1], [CLS, PLAIN, PLAIN, SEP], words).hidden == 0


@pytest.fixture(scope="module")
def positions(tmp_path_factory):
    corpus = unsegmented_corpus(12)
    texts = unsegmented_texts(corpus, tmp_path_factory.mktemp("texts"))
    return corpus, read_positions(UnsegmentedRecording(corpus), texts)


def test_oracles_mark_what_they_should(positions):
    corpus, found = positions
    characters = corpus["text_a"].map(len)
    assert len(found.ends) == (characters - 1).sum()
    assert found.ends.sum() == 4 * len(corpus)
    marks = found.marks
    np.testing.assert_array_equal(marks[:, column(SEGMENTER)], found.ends)
    assert marks[:, column(ALWAYS)].all()
    # Of five words the second and the fourth.
    assert marks[:, column(COARSE)].sum() == 2 * len(corpus)
    assert set(np.abs(found.margins[:, column(SEGMENTER)])) == {1.0}


def test_runs_and_texts_go_together(positions):
    corpus, found = positions
    np.testing.assert_array_equal(np.unique(found.run), np.arange(len(corpus)))
    lengths = corpus["text_a"].map(len).to_numpy()
    for run in np.unique(found.run):
        (text,) = np.unique(found.text[found.run == run])
        assert (found.run == run).sum() == lengths[text] - 1


def test_a_tie_marks_no_end_and_several_separators_count_together(tmp_path):
    corpus = corpus_frame(
        [{"id": "a", "group": "a", "text_a": "abc", "words": [word("ab", 0), word("c", 2)]}]
    )
    recording = UnsegmentedRecording(corpus)
    recording._maps = lambda row: np.full((4, 3, 5, 5), 0.2, dtype=np.float32)
    found = read_positions(recording, unsegmented_texts(corpus, tmp_path))
    assert not found.marks.any()
    recording.tokens["special"][0][0] = SEP  # two of them: 0.4 against 0.2
    found = read_positions(recording, unsegmented_texts(corpus, tmp_path))
    np.testing.assert_allclose(found.margins, 0.2, rtol=1e-6)


@pytest.mark.parametrize(
    ("text", "starts"), [("a b c", (0, 2, 4)), ("a b cd e", (0, 2, 4, 7)), ("a", (0,))]
)
def test_text_with_spaces_or_without_words_is_refused(tmp_path, text, starts):
    ends = [*starts[1:], len(text) + 1]
    words = [word(text[a : b - 1], a) for a, b in zip(starts, ends, strict=True)]
    corpus = corpus_frame([{"id": "a", "group": "a", "text_a": text, "words": words}])
    recording = UnsegmentedRecording(corpus)
    count = sum(len(entry["text"]) for entry in words)
    recording.tokens["tokens"] = [["[CLS]", *text.replace(" ", ""), "[SEP]"]]
    assert len(recording.tokens["word"][0]) == count + 2
    with pytest.raises(InputError, match=r"boundaries\.corpora"):
        read_positions(recording, unsegmented_texts(corpus, tmp_path))
