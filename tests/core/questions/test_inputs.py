"""Questions as token ids, for every family of tokenizers: what is cut and what is not."""

import numpy as np
import pytest

from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.questions.inputs import encode_questions
from stages.core.questions.question import Question
from stages.core.stage.files import InputError

LONG = "the small dog sees a zebra in the garden . a teacher reads the red book ."
QUESTIONS = [
    Question("q-0", LONG, "finds the child a _ ?", ("book", "the old house", "zebra zoo"), 1),
    Question("q-1", "the dog", "not good ?", ("river", "bad"), 0),
    Question("q-2", LONG, "the cat", ("never", "on the river", "a", "b"), 3),
]
EXTRA = ["zebra never likes", "", "a good garden"]


@pytest.fixture
def tokenizer(any_checkpoint):
    return load_tokenizer(any_checkpoint)


def pairs(questions, behind=None):
    """The texts of every row; what is appended stands behind the passage."""
    behind = behind or [""] * len(questions)
    return [
        (" ".join(filter(None, (one.passage, more))), one.pair(place)[1])
        for one, more in zip(questions, behind, strict=True)
        for place in range(len(one.options))
    ]


def parts(tokenizer, ids, segments):
    """Ids of both texts without special tokens."""
    special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    return [
        [
            one
            for one, segment in zip(ids, segments, strict=True)
            if segment == n and one not in special
        ]
        for n in (0, 1)
    ]


@pytest.mark.parametrize("behind", [None, EXTRA])
def test_what_fits_is_as_the_tokenizer_makes_pairs(tokenizer, behind):
    found = encode_questions(tokenizer, QUESTIONS, 200, behind)
    own = tokenizer(*map(list, zip(*pairs(QUESTIONS, behind), strict=True)))
    for name, rows in found.encoded.inputs.items():
        assert rows == own[name]
    assert set(found.encoded.inputs) == set(tokenizer.model_input_names)
    assert found.cut.tolist() == [0, 0, 0]
    assert found.counts.tolist() == [3, 2, 4]
    assert found.answers.tolist() == [1, 0, 3]
    assert found.starts.tolist() == [0, 3, 5]
    assert (found.appended > 0).tolist() == [behind is not None, False, behind is not None]


@pytest.mark.parametrize("behind", [None, EXTRA])
def test_the_passage_is_cut_and_nothing_else(tokenizer, behind):
    whole = encode_questions(tokenizer, QUESTIONS, 200, behind)
    # So that most, but not all, of the first passage goes.
    limit = int(whole.lengths.max()) - 7
    found = encode_questions(tokenizer, QUESTIONS, limit, behind)
    np.testing.assert_array_equal(found.cut, np.maximum(0, whole.lengths - limit))
    assert found.cut[0] > 0 and found.cut[1] == 0
    np.testing.assert_array_equal(found.kept, whole.kept - found.cut)
    np.testing.assert_array_equal(found.lengths, np.minimum(whole.lengths, limit))
    for row in range(9):
        first, second = (
            parts(tokenizer, one.encoded.inputs["input_ids"][row], one.encoded.segments[row])
            for one in (whole, found)
        )
        number = int(np.searchsorted(found.starts, row, side="right")) - 1
        kept, more = int(found.kept[number]), int(found.appended[number])
        # The beginning of the passage, and all that is appended; question and option whole.
        assert second[0] == first[0][:kept] + first[0][len(first[0]) - more :]
        assert second[1] == first[1]
        assert len(found.encoded.inputs["attention_mask"][row]) == len(
            found.encoded.inputs["input_ids"][row]
        )


def test_all_options_have_the_same_part_of_the_passage(tokenizer):
    limit = int(encode_questions(tokenizer, QUESTIONS, 200).lengths.max()) - 4
    found = encode_questions(tokenizer, QUESTIONS[:1], limit)
    firsts = [
        parts(tokenizer, ids, segments)[0]
        for ids, segments in zip(
            found.encoded.inputs["input_ids"], found.encoded.segments, strict=True
        )
    ]
    assert firsts[0] == firsts[1] == firsts[2]
    assert len(firsts[0]) == found.kept[0]


def test_an_intact_question_can_be_cut_as_its_attacked_one(tokenizer):
    limit = int(encode_questions(tokenizer, QUESTIONS, 200).lengths.max())
    attacked = encode_questions(tokenizer, QUESTIONS, limit, EXTRA)
    assert attacked.cut[0] > 0
    intact = encode_questions(tokenizer, QUESTIONS, limit, most_passage=attacked.kept)
    np.testing.assert_array_equal(intact.kept, attacked.kept)
    np.testing.assert_array_equal(intact.cut, attacked.cut)
    np.testing.assert_array_equal(intact.lengths, attacked.lengths - attacked.appended)
    generous = encode_questions(tokenizer, QUESTIONS, limit, most_passage=np.full(3, 1000))
    assert generous.cut.tolist() == [0, 0, 0]


def test_a_question_that_does_not_fit_is_refused(tokenizer):
    whole = encode_questions(tokenizer, QUESTIONS[:1], 200, EXTRA[:1])
    least = int(whole.lengths[0] - whole.kept[0])
    bare = encode_questions(tokenizer, QUESTIONS[:1], least, EXTRA[:1])
    assert bare.kept.tolist() == [0]
    with pytest.raises(InputError, match=rf"'q-0': its longest option takes {least} tokens.*raise"):
        encode_questions(tokenizer, QUESTIONS[:1], least - 1, EXTRA[:1])


def test_without_passage_or_question_there_is_the_rest(tokenizer):
    bare = [Question("q", "", "", ("the dog", "a cat"), 0)]
    found = encode_questions(tokenizer, bare, 20)
    own = tokenizer(["", ""], ["the dog", "a cat"])
    assert found.encoded.inputs["input_ids"] == own["input_ids"]
    assert found.kept.tolist() == [0]


def test_rows_of_some_questions(tokenizer):
    found = encode_questions(tokenizer, QUESTIONS, 200)
    assert found.rows_of(np.array([2, 0])).tolist() == [5, 6, 7, 8, 0, 1, 2]
    assert found.rows_of(np.array([], dtype=int)).tolist() == []
    batch = found.encoded.batch(found.rows_of(np.array([1])))
    assert batch.inputs["input_ids"].shape == (2, int(found.lengths[1]))
