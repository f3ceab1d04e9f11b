"""Parts of rows by hand for every family of tokenizers, and shares of attention of known maps."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.seam import Gated
from stages.core.questions.question import Question, joined
from stages.reading import cls_attention
from stages.reading.attacks import TO_PASSAGE
from stages.reading.cls_attention import (
    ToParts,
    attention_to_parts,
    beyond_tokens,
    of_option,
    parts_of_rows,
)
from stages.reading.conditions import Version, all_versions
from stages.reading.results import parts_of_heads, parts_table
from stages.reading.tables import END, OPTION, PARTS, PASSAGE, QUESTION, SPECIAL
from tests.reading.made import questions


@pytest.mark.parametrize(
    "question, option, shown",
    [
        ("Who?", "a cat", "a cat"),
        ("_ sees it.", "A cat.", "A cat"),
        ("It is _.", " Tom. ", "Tom."),
        ("It is _ _ .", "Tom", "Tom"),
        ("_ and _", "dog", "dogdog"),
        ("", "the cat.", "the cat."),
    ],
)
def test_which_characters_are_of_the_option(question, option, shown):
    text, own = joined(question, option), of_option(question, option)
    assert len(text) == len(own)
    found = "".join(one for one, inside in zip(text, own, strict=True) if inside)
    assert found == shown


def test_every_token_is_of_its_part(any_checkpoint):
    tokenizer = load_tokenizer(any_checkpoint)
    passage = "the dog . a cat ."
    one = Question("q", passage, "who sees _ ?", ("dog", "cat"), 1)
    made = all_versions(tokenizer, [one], 60, 0, 0.65)
    inputs = made.inputs[Version(TO_PASSAGE, TO_PASSAGE)]
    rows = parts_of_rows(tokenizer, [one], inputs, inputs.appended)
    appended = made.attacked[TO_PASSAGE][0].appended
    # As the tokenizer spells it: no tiny vocabulary knows the mark of a gap.
    behind = tokenizer.decode(tokenizer(appended, add_special_tokens=False)["input_ids"])
    special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    for place, (parts, ids) in enumerate(
        zip(rows, inputs.encoded.inputs["input_ids"], strict=True)
    ):
        texts = {
            name: "".join(
                tokenizer.decode(
                    [token for token, part in zip(ids, parts, strict=True) if part == number]
                ).split()
            )
            for number, name in enumerate(PARTS)
        }
        assert texts[PASSAGE] == "".join(passage.split())
        assert texts[END] == "".join(behind.split())
        assert texts[QUESTION] == "whosees?"
        assert texts[OPTION] == one.options[place]
        is_special = [token in special for token in ids]
        assert [part == PARTS.index(SPECIAL) for part in parts] == is_special


def test_the_intact_passage_ends_with_as_many_tokens(tiny_bert):
    tokenizer = load_tokenizer(tiny_bert)
    every = questions(4)
    made = all_versions(tokenizer, every, 60, 0, 0.65)
    appended = made.inputs[Version(TO_PASSAGE, TO_PASSAGE)].appended
    inputs = made.inputs[Version("intact", TO_PASSAGE)]
    rows = parts_of_rows(tokenizer, every, inputs, appended)
    for question, start in enumerate(inputs.starts):
        ends = [place for place, part in enumerate(rows[start]) if part == PARTS.index(END)]
        count = min(int(appended[question]), int(inputs.kept[question]))
        assert ends == list(range(ends[0], ends[0] + count))
        assert rows[start][ends[-1] + 1] == PARTS.index(SPECIAL)


class Planted(Gated):
    """Two layers of three heads, of which one reads what is appended and the others all alike."""

    planted = (1, 2)

    def __init__(self):
        self.layers, self.heads = 2, 3
        self.model = SimpleNamespace(device=torch.device("cpu"))


def test_a_planted_head_has_all_its_attention_on_what_is_appended(tiny_bert, monkeypatch):
    tokenizer = load_tokenizer(tiny_bert)
    every = questions(4)
    inputs = all_versions(tokenizer, every, 60, 0, 0.65).inputs[Version(TO_PASSAGE, TO_PASSAGE)]
    rows = parts_of_rows(tokenizer, every, inputs, inputs.appended)
    by_ids = dict(zip(map(tuple, inputs.encoded.inputs["input_ids"]), rows, strict=True))

    def maps(gated, tensors):
        for layer in range(gated.layers):
            mask = tensors["attention_mask"].float()
            even = mask / mask.sum(1, keepdim=True)
            found = even[:, None, None].repeat(1, gated.heads, mask.shape[1], 1)
            if layer == Planted.planted[0]:
                for row, ids in enumerate(tensors["input_ids"]):
                    parts = by_ids[tuple(ids[: int(mask[row].sum())].tolist())]
                    own = torch.zeros(mask.shape[1])
                    own[: len(parts)] = (torch.tensor(parts) == PARTS.index(END)).float()
                    # Other queries than [CLS] attend elsewhere: a decoy.
                    found[row, Planted.planted[1], 0] = own / own.sum()
            yield found

    monkeypatch.setattr(cls_attention, "layer_maps", maps)
    found = attention_to_parts(Planted(), inputs, rows, 5, "planted")
    table = parts_of_heads(found).set_index(["layer", "head", "part"])
    tokens = found.tokens.mean(1)
    for layer in range(2):
        for head in range(3):
            own = table.loc[(layer, head, END)]
            if (layer, head) == Planted.planted:
                assert own["share"] == pytest.approx(1)
                assert own["beyond"] > 0.5
            else:
                assert own["share"] == pytest.approx(tokens[PARTS.index(END)], abs=1e-6)
                assert own["beyond"] == pytest.approx(0, abs=1e-6)


def test_shares_beyond_tokens_by_hand():
    shares = np.zeros((len(PARTS), 2, 1, 1), dtype=np.float32)
    tokens = np.zeros((len(PARTS), 2), dtype=np.float32)
    # Half of the attention is on special tokens, which are a fifth of the row.
    for part, share, count in (
        (PASSAGE, 0.1, 0.4),
        (END, 0.3, 0.2),
        (QUESTION, 0.0, 0.1),
        (OPTION, 0.1, 0.1),
        (SPECIAL, 0.5, 0.2),
    ):
        shares[PARTS.index(part)], tokens[PARTS.index(part)] = share, count
    found = ToParts(shares, tokens)
    beyond = beyond_tokens(found)[:, 0, 0, 0]
    assert beyond[PARTS.index(END)] == pytest.approx(0.3 / 0.5 - 0.2 / 0.8)
    assert beyond[PARTS.index(PASSAGE)] == pytest.approx(0.2 - 0.5)
    assert np.isnan(beyond[PARTS.index(SPECIAL)])
    rows = parts_table(found, np.array([0, 1]), 10, 0)
    end = rows.set_index("part").loc[END]
    assert (end["share"], end["beyond"]) == pytest.approx((0.3, 0.35))
    assert end["tokens"] == pytest.approx(0.2)
    for column in ("share_drawn", "beyond_drawn"):
        assert [len(drawn) for drawn in rows[column]] == [10] * len(PARTS)
