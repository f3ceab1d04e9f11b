"""What heads look at while an encoder is made: figures by hand, and of planted heads."""

import numpy as np
import pytest
import torch

from stages.pretrain.heads import HeadCourse, course_table, head_figures
from stages.pretrain.make import prepare
from stages.pretrain.tables import KINDS
from stages.pretrain.training import fresh_model
from stages.pretrain.vocabulary import tokenizer_of
from tests.pretrain import small

# [CLS] a b [SEP] c a a [SEP] and two of padding; a stands in both parts.
IDS = torch.tensor([[2, 10, 11, 3, 12, 10, 10, 3, 0, 0]])
SEGMENTS = torch.tensor([[0, 0, 0, 0, 1, 1, 1, 1, 0, 0]])
SEEN = torch.tensor([[1] * 8 + [0] * 2])
SPECIAL = torch.tensor([[1, 0, 0, 1, 0, 0, 0, 1, 1, 1]]).bool()
INPUTS = {"input_ids": IDS, "token_type_ids": SEGMENTS, "attention_mask": SEEN}
TEXT = (1, 2, 4, 5, 6)


def planted(targets: dict[int, dict[int, float]]) -> torch.Tensor:
    """Two layers of two heads: that of layer 1 and head 1 gives what is said, others none.

    Decoys: special tokens and padding give all to what they may not count for.
    """
    maps = torch.zeros(2, 1, 2, 10, 10)
    maps[:, :, :, [0, 3, 7, 8, 9]] = 0.1
    for query, given in targets.items():
        for key, share in given.items():
            maps[1, 0, 1, query, key] = share
    return maps


def means(maps: torch.Tensor) -> dict[str, np.ndarray]:
    found = head_figures(maps, SPECIAL, INPUTS)
    return {kind: (values / asked).numpy() for kind, (values, asked) in found.items()}


@pytest.mark.parametrize(
    ("kind", "target"),
    [
        ("previous", lambda query: query - 1),
        ("next", lambda query: query + 1),
        ("itself", lambda query: query),
        ("cls", lambda query: 0),
        ("sep", lambda query: 3 if query < 4 else 7),
    ],
)
def test_a_planted_head_has_all_of_its_kind(kind: str, target) -> None:
    found = means(planted({query: {target(query): 1.0} for query in TEXT}))
    assert found[kind][1, 1] == pytest.approx(1)
    assert found[kind].sum() == pytest.approx(1)


def test_equal_tokens_across_the_parts_count_beyond_an_even_spread() -> None:
    # Three tokens have an equal: the first `a` two of the other part's three, both others one of
    # two. Token 1 gives them 0.6 of 0.9; tokens 5 and 6 give all they have across, 0.4, to it.
    maps = planted({1: {5: 0.4, 6: 0.2, 4: 0.3, 0: 0.1}, 5: {1: 0.4, 6: 0.6}, 6: {1: 0.4, 5: 0.6}})
    expected = ((0.6 - 2 / 3 * 0.9) + 2 * (0.4 - 1 / 2 * 0.4)) / 3
    assert means(maps)["equal"][1, 1] == pytest.approx(expected)
    even = planted({query: dict.fromkeys(range(8), 1 / 8) for query in TEXT})
    assert means(even)["equal"][1, 1] == pytest.approx(0, abs=1e-6)
    # Equals of one's own part are no match.
    own = planted({5: {6: 1.0}, 6: {5: 1.0}})
    assert means(own)["equal"][1, 1] == 0


def test_random_weights_look_at_nothing_and_the_model_is_left_as_it_was() -> None:
    settings = small.settings(dropout=0.1)
    prepared = prepare(small.texts(), settings)
    tokenizer = tokenizer_of(prepared.vocabulary, True, settings.max_length)
    torch.manual_seed(0)
    model = fresh_model(settings, tokenizer, torch.device("cpu")).train()
    model.set_attn_implementation("sdpa")
    found = HeadCourse(prepared.learnt, tokenizer, 0).figures(model, torch.device("cpu"))
    assert model.training
    assert model.config._attn_implementation == "sdpa"
    assert np.abs(found["equal"]).max() < 0.01
    assert found["previous"] == pytest.approx(found["next"], abs=0.01)
    table = course_table([{"step": 0, "heads": {kind: found[kind].tolist() for kind in KINDS}}])
    assert table[["layer", "head"]].drop_duplicates().shape == (4, 2)
    last = table[(table["layer"] == 1) & (table["head"] == 0)]
    assert last["cls"].item() == found["cls"][1, 0]
