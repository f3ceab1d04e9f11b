"""Words and pieces in another order, on a tiny tokenizer; and what written texts are made of."""

import numpy as np
import pandas as pd
import pytest

from stages.core.encoder.tokenizer import load_tokenizer
from stages.word_order.shuffles import another_order, shuffle_pairs, units_of

LENGTH = 40


@pytest.fixture(scope="module")
def tokenizer(tiny_checkpoints):
    return load_tokenizer(tiny_checkpoints["bert"])


def pairs(*titles: str) -> pd.DataFrame:
    ids = [f"x{row}" for row in range(len(titles))]
    return pd.DataFrame({"id": ids, "text_a": "the dog", "text_b": list(titles)})


def read(tokenizer, ids: list[int]) -> list[str]:
    return tokenizer.convert_ids_to_tokens(ids)


def test_exchanged_words_are_those_of_the_text_in_another_order(tokenizer):
    """As if the words had been exchanged before they were cut in pieces."""
    words = ["the", "zebra", "sees", "a", "garden.", "never"]  # zebra is in pieces, the mark clings
    examples = pairs(" ".join(words))
    shuffled = shuffle_pairs(tokenizer, examples, LENGTH, "words", 0)
    (order,) = shuffled.orders
    assert sorted(order) == list(range(6))
    assert order != sorted(order)
    moved = " ".join(words[unit] for unit in order)
    assert shuffled.exchanged.inputs["input_ids"] == [
        tokenizer("the dog", moved)["input_ids"],
    ]
    assert shuffled.intact.inputs["input_ids"] == [tokenizer("the dog", " ".join(words)).input_ids]
    for name in ("attention_mask", "token_type_ids"):
        assert shuffled.exchanged.inputs[name] == shuffled.intact.inputs[name]
    # Units keep their numbers: the pieces of zebra are still those of word 1.
    pieces = read(tokenizer, shuffled.exchanged.inputs["input_ids"][0])
    units = shuffled.exchanged_units[0]
    of_zebra = [piece for piece, unit in zip(pieces, units, strict=True) if unit == 1]
    assert "".join(of_zebra).replace("##", "") == "zebra"
    assert units[:4] == [-1] * 4
    assert units[-1] == -1


def test_exchanged_pieces_are_single_tokens(tokenizer):
    examples = pairs("the zebra sees")
    shuffled = shuffle_pairs(tokenizer, examples, LENGTH, "pieces", 0)
    before, after = (
        read(tokenizer, part.inputs["input_ids"][0])
        for part in (shuffled.intact, shuffled.exchanged)
    )
    assert before[:4] == after[:4]
    assert before[-1] == after[-1] == "[SEP]"
    assert [before[4 + unit] for unit in shuffled.orders[0]] == after[4:-1]
    assert len(shuffled.orders[0]) == 7  # the, z, e, b, r, a, sees


def test_scripts_without_spaces_fall_into_pieces(tokenizer):
    examples = pairs("京东小哥 dog house", "สวัสดี dog", "dog's house")
    of_words = units_of(tokenizer, examples, LENGTH, "words")
    assert of_words[0] == [-1] * 4 + [0, 1, 2, 3, 4, 5] + [-1]
    assert of_words[2] == [-1] * 4 + [0, 0, 0, 1] + [-1]  # dog ' s house
    assert units_of(tokenizer, examples, LENGTH, "pieces")[2] == [-1] * 4 + [0, 1, 2, 3] + [-1]


def test_texts_without_another_order_are_left_out(tokenizer):
    examples = pairs("dog", "dog dog dog", "dog cat", "dog dog cat")
    shuffled = shuffle_pairs(tokenizer, examples, LENGTH, "words", 0)
    assert shuffled.rows.tolist() == [2, 3]
    for before, after in zip(
        shuffled.intact.inputs["input_ids"], shuffled.exchanged.inputs["input_ids"], strict=True
    ):
        assert before != after
        assert sorted(before) == sorted(after)
    part = shuffled.only(np.array([1]))
    assert part.rows.tolist() == [3]
    assert part.exchanged.inputs["input_ids"] == shuffled.exchanged.inputs["input_ids"][1:]
    assert shuffle_pairs(tokenizer, examples[2:3], LENGTH, "words", 0).exchanged_share == 1


def test_what_is_cut_away_is_not_exchanged(tokenizer):
    shuffled = shuffle_pairs(tokenizer, pairs("dog cat house river book song"), 8, "words", 0)
    assert len(shuffled.intact.inputs["input_ids"][0]) == 8
    assert len(shuffled.orders[0]) == 3


def test_the_order_is_of_the_id_and_the_seed_alone():
    contents = list(range(8))
    assert another_order(contents, "one", 0) == another_order(contents, "one", 0)
    assert another_order(contents, "one", 0) != another_order(contents, "two", 0)
    assert another_order(contents, "one", 0) != another_order(contents, "one", 1)
    for name in map(str, range(40)):
        assert another_order([0, 1], name, 0) == [1, 0]
        moved = [[0, 0, 1][unit] for unit in another_order([0, 0, 1], name, 0)]
        assert moved != [0, 0, 1]
