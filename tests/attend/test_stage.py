"""Which tokens are which, and what the map store is told of the examples."""

import numpy as np
import pandas as pd

from stages.attend import stage as attend
from stages.attend.stage import map_tokens, recorded_statistics
from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_encoder
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.seam import Gated
from stages.core.maps.statistics import KindIds
from stages.core.runtime.runtime import ByDevice, Runtime


def frame(*pairs) -> pd.DataFrame:
    texts = pd.DataFrame(pairs, columns=["text_a", "text_b"], dtype=object)
    return texts.assign(id=[f"example-{row}" for row in range(len(pairs))])


PAIRS = frame(("the dog, not the cat.", "a dog"), ("a cat", "the red house. but"))


def test_tokens_and_segments_of_the_drawn_examples(tiny_bert):
    tokenizer = load_tokenizer(tiny_bert)
    table = map_tokens(PAIRS["id"], encode(tokenizer, PAIRS, 64), np.array([1]), tokenizer)
    (row,) = table.to_dict("records")
    assert row["id"] == "example-1"
    assert " ".join(row["tokens"]) == "[CLS] a cat [SEP] the red house . but [SEP]"
    assert row["segments"] == [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]


def test_kinds_are_found_and_padding_is_none(tiny_bert):
    tokenizer = load_tokenizer(tiny_bert)
    (batch,) = encode(tokenizer, PAIRS, 64).batches(2)
    kinds = KindIds.of(tokenizer, [".", ","]).find(batch.inputs)
    places = {
        name: [np.flatnonzero(row).tolist() for row in mask.numpy()]
        for name, mask in vars(kinds).items()
    }
    # [CLS] the dog , not the cat . [SEP] a dog [SEP] | [CLS] a cat [SEP] the red house . but [SEP]
    assert batch.rows.tolist() == [0, 1]
    assert places == {
        "real": [list(range(12)), list(range(10))],
        "cls": [[0], [0]],
        "sep": [[8, 11], [3, 9]],
        "punctuation": [[3, 7], [7]],
    }


def test_kinds_are_found_in_every_family(any_checkpoint):
    tokenizer = load_tokenizer(any_checkpoint)
    (batch,) = encode(tokenizer, PAIRS, 64).batches(2)
    kinds = KindIds.of(tokenizer, [".", ","]).find(batch.inputs)
    assert kinds.cls.sum(1).tolist() == [1, 1]
    assert kinds.sep.sum(1).tolist() in ([2, 2], [3, 3])  # RoBERTa sets two between the texts
    assert kinds.punctuation.sum(1).tolist() == [2, 1]


def test_statistics_do_not_depend_on_the_batches(any_checkpoint, monkeypatch):
    tokenizer = load_tokenizer(any_checkpoint)
    gated, encoded = Gated(load_encoder(any_checkpoint)), encode(tokenizer, PAIRS, 64)
    kinds = KindIds.of(tokenizer, [".", ","])
    none = np.array([], dtype=int)
    batches = []

    def find(self, inputs):
        batches.append(len(inputs["input_ids"]))
        return find_as_ever(self, inputs)

    find_as_ever = KindIds.find
    monkeypatch.setattr(KindIds, "find", find)
    alone = Runtime(device="cpu", threads=1)
    together = recorded_statistics(gated, encoded, kinds, 2, alone, none, None).frame()
    monkeypatch.setattr(attend, "LAYER_NUMBERS", ByDevice(cpu=1, others=1))
    one_by_one = recorded_statistics(gated, encoded, kinds, 2, alone, none, None).frame()
    assert batches == [2, 1, 1]
    pd.testing.assert_frame_equal(together, one_by_one, atol=1e-5)
