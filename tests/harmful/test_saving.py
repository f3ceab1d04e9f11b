"""What fewer heads would save, by hand and against the sizes of real layers."""

import numpy as np
import pytest
from transformers import AutoConfig

from stages.harmful.saving import Sizes, saved


def test_all_heads_are_all_of_attention():
    """One layer of 2 heads, hidden 4, network 8; 3 tokens: 4 x 3 x 16 + 2 x 9 x 4 of 264 + 192."""
    found = saved(Sizes(1, 2, 4, 8), 2, np.array([3]))
    assert found["of_attention"] == 1
    assert found["of_encoder"] == pytest.approx(264 / (264 + 192))
    half = saved(Sizes(1, 2, 4, 8), 1, np.array([3]))
    assert (half["of_attention"], half["of_encoder"]) == pytest.approx((1 / 2, 132 / 456))


def test_longer_texts_give_attention_more():
    sizes = Sizes(6, 12, 384, 1536)
    short, long = (saved(sizes, 5, np.array([tokens]))["of_encoder"] for tokens in (8, 128))
    assert short < long < saved(sizes, 5, np.array([8]))["of_attention"] == 5 / 72


def test_sizes_are_those_of_every_family(any_checkpoint):
    config = AutoConfig.from_pretrained(any_checkpoint)
    sizes = Sizes.of(config)
    assert (sizes.layers, sizes.heads) in ((2, 4), (6, 12))
    assert (sizes.hidden, sizes.feed_forward) == (config.hidden_size, 32)
