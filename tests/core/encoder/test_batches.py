import numpy as np
import pandas as pd
import pytest
from transformers import AutoTokenizer

from stages.core.encoder.batches import Encoded, encode, fitting

LENGTHS = np.array([2, 10, 3, 5, 3])


@pytest.fixture
def tokenizer(tiny_bert):
    return AutoTokenizer.from_pretrained(tiny_bert)


def frame(*texts):
    return pd.DataFrame(texts, columns=["text_a", "text_b"])


def test_longest_first_and_padded_to_the_longest_of_the_batch(tokenizer):
    examples = frame(("a dog", None), ("the cat sees a red house", None), ("the small dog", None))
    encoded = encode(tokenizer, examples, 64)
    assert encoded.lengths.tolist() == [4, 8, 5]
    first, second = encoded.batches(2)
    assert first.rows.tolist() == [1, 2]
    assert first.lengths.tolist() == [8, 5]
    assert first.inputs["attention_mask"].sum(1).tolist() == [8, 5]
    assert second.inputs["input_ids"].shape == (1, 4)
    (padded,) = encoded.batches(3, pad_to=16)
    assert padded.inputs["input_ids"].shape == (3, 16)


def test_pairs_have_segments_and_are_cut(tokenizer):
    encoded = encode(tokenizer, frame(("a dog", "the cat sees a red house")), 8)
    assert encoded.segments == [[0, 0, 0, 0, 1, 1, 1, 1]]
    assert encoded.inputs["token_type_ids"] == encoded.segments
    assert encoded.lengths.tolist() == [8]


def test_a_model_without_segments_gets_none(tiny_checkpoints):
    tokenizer = AutoTokenizer.from_pretrained(tiny_checkpoints["roberta"])
    encoded = encode(tokenizer, frame(("a dog", "the cat")), 64)
    assert "token_type_ids" not in encoded.inputs
    assert set(encoded.segments[0]) == {0, 1}


def test_pairs_and_single_texts_do_not_mix(tokenizer):
    with pytest.raises(ValueError, match="pairs or single"):
        encode(tokenizer, frame(("a dog", None), ("a cat", "the dog")), 64)


def maps(count):
    return lambda length: count * length**2


def parts(*arguments, **options):
    return [part.tolist() for part in fitting(*arguments, **options)]


def test_as_many_as_fit_with_their_padding():
    """Two maps a text: 200 numbers, then 50 a text, then 18."""
    assert parts(np.arange(5), LENGTHS, maps(2), 100) == [[1], [3, 2], [4, 0]]
    assert parts(np.arange(5), LENGTHS, maps(2), 10_000) == [[1, 3, 2, 4, 0]]


def test_no_more_than_asked_for():
    assert parts(np.arange(5), LENGTHS, maps(2), 10_000, most=2) == [[1, 3], [2, 4], [0]]


def test_only_the_rows_drawn():
    assert parts(np.array([0, 2, 4]), LENGTHS, maps(1), 18) == [[2, 4], [0]]
    assert parts(np.array([], dtype=int), LENGTHS, maps(1), 18) == []


def test_a_batch_of_some_rows_in_their_order():
    encoded = Encoded(
        {"input_ids": [[7], [1, 2, 3], [4, 5]]}, {"input_ids": 0}, [[0], [0] * 3, [0] * 2]
    )
    batch = encoded.batch(np.array([0, 2]))
    assert batch.rows.tolist() == [0, 2]
    assert batch.lengths.tolist() == [1, 2]
    assert batch.inputs["input_ids"].tolist() == [[7, 0], [4, 5]]
