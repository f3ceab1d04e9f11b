"""Which word each token belongs to."""

import pandas as pd

from stages.core.encoder.batches import encode
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.recordings.tokens import Special, recorded_table, token_table
from tests.core.recordings.pairs import corpus


def test_each_token_belongs_to_the_word_that_it_is_a_piece_of(tiny_bert):
    tokenizer = load_tokenizer(tiny_bert)
    texts = corpus()
    table = token_table(tokenizer, texts, encode(tokenizer, texts, 40), 40)
    for tokens, numbers, words in zip(table["tokens"], table["word"], texts["words"], strict=True):
        for place, entry in enumerate(words):
            pieces = [t for t, n in zip(tokens, numbers, strict=True) if n == place]
            assert "".join(piece.removeprefix("##") for piece in pieces) == entry["text"]
    assert table["special"][1] == [1, 0, 0, 2, 0, 0, 0, 2]
    assert table["segments"][1] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert table["word"][1] == [-1, 0, 1, -1, 2, 3, 4, -1]


def test_text_without_annotation_has_the_tokenizers_words(any_checkpoint):
    tokenizer = load_tokenizer(any_checkpoint)
    texts = corpus().assign(words=[[], []])
    table = token_table(tokenizer, texts, encode(tokenizer, texts, 40), 40)
    assert max(table["word"][0]) == 4
    assert max(table["word"][1]) == 4
    for numbers, special in zip(table["word"], table["special"], strict=True):
        assert [n < 0 for n in numbers] == [kind != Special.NONE for kind in special]


def test_recorded_tokens_without_words_go_by_their_pieces():
    tokens = pd.DataFrame(
        {
            "id": ["a"],
            "tokens": [["[CLS]", "xylo", "##phone", "sees", "[SEP]"]],
            "segments": [[0] * 5],
        }
    )
    (row,) = recorded_table(tokens).to_dict("records")
    assert row["word"] == [-1, 0, 0, 1, -1]
    assert row["special"] == [1, 0, 0, 0, 2]


def test_a_token_outside_of_all_words_belongs_to_none(tiny_bert):
    """The annotation leaves out the second word of each text."""
    tokenizer, texts = load_tokenizer(tiny_bert), corpus()
    texts["words"] = [[entry for n, entry in enumerate(row) if n != 1] for row in texts["words"]]
    table = token_table(tokenizer, texts, encode(tokenizer, texts, 40), 40)
    assert table["word"][1] == [-1, 0, -1, -1, 1, 2, 3, -1]


def test_special_tokens_that_a_text_spells_are_no_words(any_checkpoint):
    """Of `the [SEP] dog [PAD]` the words are the first and third, with annotation or without."""
    tokenizer = load_tokenizer(any_checkpoint)
    spelt = ["the", tokenizer.sep_token, "dog", tokenizer.pad_token]
    text = " ".join(spelt)
    starts = [text.index(word) for word in spelt]
    words = [
        {"segment": 0, "start": start, "end": start + len(word)}
        for start, word in zip(starts, spelt, strict=True)
    ]
    for annotation in ([], words):
        frame = pd.DataFrame({"id": ["a"], "text_a": [text], "text_b": [None]})
        frame["words"] = [annotation]
        (row,) = token_table(tokenizer, frame, encode(tokenizer, frame, 40), 40).to_dict("records")
        numbers = list(zip(row["tokens"], row["word"], strict=True))
        special = tokenizer.all_special_tokens
        assert {number for token, number in numbers if token in special} == {-1}
        assert len({number for token, number in numbers if token[-3:] in spelt} - {-1}) == 2


def test_special_tokens_of_recorded_maps_are_no_words():
    pieces = ["[CLS]", "the", "[SEP]", "dog", "[PAD]"]
    tokens = pd.DataFrame(
        {"id": ["a"], "tokens": [pieces], "segments": [[0] * 5], "word": [[0, 1, 2, 3, 4]]}
    )
    (row,) = recorded_table(tokens).to_dict("records")
    assert row["word"] == [-1, 1, -1, 3, -1]
