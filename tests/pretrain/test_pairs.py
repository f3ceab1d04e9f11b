"""Vocabulary, pairs with their segments, batches by tokens, their order, and masks by count."""

from collections import Counter

import numpy as np
import pytest
import torch

from stages.core.stage.files import InputError
from stages.pretrain.pairs import Masking, Order, Pairs, make_pairs
from stages.pretrain.vocabulary import SPECIAL, learn_vocabulary, tokenizer_of
from tests.pretrain import small

TEXTS = small.texts(200)
VOCABULARY = learn_vocabulary(TEXTS, 80, 1, lowercase=True)
TOKENIZER = tokenizer_of(VOCABULARY, lowercase=True, max_length=24)
PAIRS = make_pairs(TEXTS, TOKENIZER, 24)


def test_chinese_comes_in_characters_and_other_scripts_in_pieces() -> None:
    texts = [["关键词BERT模型、model models 12"] * 40, ["龘"]]
    vocabulary = learn_vocabulary(texts, 200, least_count=5, lowercase=True)
    assert list(vocabulary)[:5] == SPECIAL
    assert list(vocabulary.values()) == list(range(len(vocabulary)))
    assert "龘" not in vocabulary  # too rare
    tokenizer = tokenizer_of(vocabulary, lowercase=True, max_length=64)
    found = tokenizer.tokenize("关键词BERT模型、models")
    assert found == ["关", "键", "词", "bert", "模", "型", "、", "models"]
    assert tokenizer.tokenize("mode") == ["mode"] or tokenizer.tokenize("mode")[1].startswith("##")
    assert tokenizer.tokenize("龘") == ["[UNK]"]
    offsets = tokenizer("词bert", return_offsets_mapping=True)["offset_mapping"]
    assert offsets == [(0, 0), (0, 1), (1, 5), (0, 0)]


def test_a_vocabulary_too_small_for_its_characters_is_refused() -> None:
    with pytest.raises(InputError, match=r"pretrain\.vocabulary"):
        learn_vocabulary(TEXTS, 10, 1, lowercase=True)


def test_every_token_of_a_text_is_in_one_pair_and_none_is_of_two_texts() -> None:
    for number, text in enumerate(TEXTS[:40]):
        ids = TOKENIZER("".join(text), add_special_tokens=False)["input_ids"]
        rows = np.flatnonzero(PAIRS.texts == number)
        found = [
            token
            for row in rows
            for token in PAIRS.tokens[PAIRS.starts[row] : PAIRS.starts[row + 1]].tolist()
        ]
        # What is left of a text is left out where it is shorter than eight tokens.
        assert found == ids[: len(found)]
        assert len(ids) - len(found) < 8


def test_a_sequence_is_what_the_tokenizer_gives_of_the_pair() -> None:
    text = [["天日地月玄盈黄昃。", "宇辰宙宿洪列荒张。"]]
    pairs = make_pairs(text, TOKENIZER, 24)
    assert len(pairs) == 1
    expected = TOKENIZER(*text[0], return_special_tokens_mask=True)
    sequence = pairs.sequence(0, TOKENIZER)
    assert sequence == {name: expected[name] for name in sequence}
    assert sequence["token_type_ids"] == [0] * 11 + [1] * 10


def test_a_window_without_the_end_of_a_paragraph_is_parted_behind_a_sentence() -> None:
    one = "天日地月玄。盈黄昃宇辰宙宿洪列荒张天日"
    pairs = make_pairs([[one]], TOKENIZER, 24)
    assert pairs.firsts.tolist() == [6]
    none = make_pairs([[one.replace("。", "月")]], TOKENIZER, 24)
    assert none.firsts.tolist() == [9]  # in the middle


def test_batches_hold_tokens_within_the_bound_and_hardly_any_padding() -> None:
    generator = np.random.default_rng(0)
    lengths = np.minimum(generator.integers(11, 200, 5_000), 128)
    order = Order(lengths, 2048, seed=0)
    tokens = 0
    for step in range(order.steps_an_epoch):
        rows = order.batch(step)
        padded = len(rows) * lengths[rows].max()
        tokens += padded
        assert padded <= 2048
        if lengths[rows].min() > 20 and step:
            assert padded > 2048 - 128 or len(rows) < 2048 // lengths[rows].max()
    assert lengths.sum() / tokens > 0.99
    assert lengths.sum() / (order.steps_an_epoch * 2048) > 0.95


def test_every_epoch_has_every_pair_once_in_another_order() -> None:
    order = Order(PAIRS.lengths, 96, seed=3)
    epochs = []
    for epoch in range(2):
        steps = range(epoch * order.steps_an_epoch, (epoch + 1) * order.steps_an_epoch)
        epochs.append([order.batch(step).tolist() for step in steps])
        assert sorted(row for rows in epochs[-1] for row in rows) == list(range(len(PAIRS)))
    assert epochs[0] != epochs[1]
    assert {frozenset(rows) for rows in epochs[0]} != {frozenset(rows) for rows in epochs[1]}


def test_what_a_step_learns_is_a_function_of_seed_and_step() -> None:
    wanted = Order(PAIRS.lengths, 96, seed=3).steps_an_epoch + 2
    first = Order(PAIRS.lengths, 96, seed=3)
    for step in range(wanted):
        first.batch(step)
    again = Order(PAIRS.lengths, 96, seed=3)
    assert first.batch(wanted).tolist() == again.batch(wanted).tolist()
    masking = Masking(TOKENIZER, 0.15, seed=3)
    batches = []
    for disturbed in (False, True):
        if disturbed:
            masking(PAIRS, [0, 1], 7)
            torch.rand(5)
        batches.append(masking(PAIRS, again.batch(wanted), wanted))
    for name, values in batches[0].items():
        assert torch.equal(values, batches[1][name])
    other = masking(PAIRS, again.batch(wanted), wanted + 1)
    assert not torch.equal(other["input_ids"], batches[0]["input_ids"])


def test_masks_are_a_seventh_of_the_tokens_of_these_four_fifths_hidden() -> None:
    masking = Masking(TOKENIZER, 0.15, seed=0)
    counts = Counter[str]()
    for step in range(60):
        rows = np.arange(40) + 5 * step
        whole = [PAIRS.sequence(int(row), TOKENIZER) for row in rows]
        batch = masking(PAIRS, rows, step)
        shown, labels = batch["input_ids"].numpy(), batch["labels"].numpy()
        width = shown.shape[1]
        tokens, special = (
            np.array([row[name] + [fill] * (width - len(row[name])) for row in whole])
            for name, fill in (("input_ids", TOKENIZER.pad_token_id), ("special_tokens_mask", 1))
        )
        asked = labels != -100
        assert not asked[special == 1].any()
        assert (labels[asked] == tokens[asked]).all()
        assert (shown[~asked] == tokens[~asked]).all()
        hidden = asked & (shown == TOKENIZER.mask_token_id)
        same = asked & (shown == tokens)
        counts["all"] += int((special == 0).sum())
        counts["asked"] += int(asked.sum())
        counts["hidden"] += int(hidden.sum())
        counts["same"] += int(same.sum())
        counts["other"] += int((asked & ~hidden & ~same).sum())
    asked = counts["asked"]
    share = asked / counts["all"]
    assert abs(share - 0.15) < 4 * (0.15 * 0.85 / counts["all"]) ** 0.5
    # A token drawn from the vocabulary is the same now and then, or the mask itself.
    entries = len(TOKENIZER)
    for name, expected in {
        "hidden": 0.8 + 0.1 / entries,
        "same": 0.1 + 0.1 / entries,
        "other": 0.1 * (1 - 2 / entries),
    }.items():
        assert abs(counts[name] / asked - expected) < 4 * (expected * 0.9 / asked) ** 0.5 + 1e-3


def test_short_rests_of_texts_are_left_out() -> None:
    pairs = make_pairs([["天日地"], ["天日地月玄盈黄昃"]], TOKENIZER, 24)
    assert pairs.texts.tolist() == [1]
    assert isinstance(pairs, Pairs)
