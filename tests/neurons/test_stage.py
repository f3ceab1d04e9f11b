"""Neurons that carry a score, by hand; embeddings removed and put back."""

import numpy as np
import pandas as pd
import pytest
import torch

from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_encoder
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.layer_modules import layer_modules
from stages.core.heads.seam import Gated
from stages.core.recordings.recording import LiveRecording
from stages.core.recordings.tokens import token_table
from stages.neurons.parts import (
    attended_parts,
    key_offsets,
    neuron_shares,
    positive_products,
    sep_to_cls,
)
from stages.neurons.stage import (
    Neurons,
    chosen_table,
    neuron_table,
    neuron_values,
    removal_table,
    without,
)
from tests.oracle import oracle_corpus, oracle_texts

ACROSS = torch.tensor([[[0.0, 1.0], [1.0, 0.0]]])  # two tokens, each attends to the other


def shares_of(queries, keys, most):
    return neuron_shares(attended_parts(queries, keys, ACROSS), most)


def test_shares_and_signs_by_hand():
    """Two tokens; each attends to the other by one neuron, or by two of opposite signs."""
    queries = torch.tensor([[[1.0, 1.0, 0.0], [1.0, 1.0, 0.0]]])
    keys = torch.tensor([[[3.0, 1.0, 9.0], [-3.0, -1.0, -9.0]]])
    shares, consistency = shares_of(queries, keys, 2)
    # The mean key is 0: parts (-3, -1, 0) and (3, 1, 0).
    torch.testing.assert_close(shares, torch.tensor([[0.75, 1.0]]))
    assert consistency.item() == 0  # each neuron pulls once up, once down
    queries[0, 0] *= -1
    _, consistency = shares_of(queries, keys, 2)
    assert consistency.item() == pytest.approx(1)


def test_a_token_is_held_against_the_one_that_it_attends_to_most():
    """Of three tokens each attends to the next, the last to the first."""
    maps = torch.tensor([[[0.2, 0.5, 0.3], [0.3, 0.1, 0.6], [0.5, 0.3, 0.2]]])
    queries, keys = torch.ones(1, 3, 1), torch.tensor([[[1.0], [2.0], [6.0]]])  # of mean 3
    torch.testing.assert_close(
        attended_parts(queries, keys, maps), torch.tensor([[[-1.0], [3.0], [-2.0]]])
    )


def test_signs_count_by_the_size_of_their_neurons():
    """One neuron of 3 keeps its sign, one of 1 changes it."""
    queries = torch.tensor([[[-1.0, 1.0], [1.0, 1.0]]])
    keys = torch.tensor([[[3.0, 1.0], [-3.0, -1.0]]])
    _, consistency = shares_of(queries, keys, 1)
    assert consistency.item() == pytest.approx(0.75)


def test_neurons_that_take_turns_are_not_few():
    """At each of two tokens another neuron does all."""
    queries = torch.tensor([[[1.0, 0.0], [0.0, 1.0]]])
    keys = torch.tensor([[[1.0, 1.0], [-1.0, -1.0]]])
    shares, _ = shares_of(queries, keys, 2)
    torch.testing.assert_close(shares, torch.tensor([[0.5, 1.0]]))


def test_what_is_the_same_for_all_keys_does_not_count():
    queries = torch.ones(1, 2, 2)
    keys = torch.tensor([[[3.0, 100.0], [-3.0, 100.0]]])
    shares, _ = shares_of(queries, keys, 1)
    assert shares.item() == pytest.approx(1)


def test_positive_products_within_and_across_by_hand():
    """Heads of three neurons; [CLS] a b | c. The second head's two largest tell segments apart.

    Its third neuron, which is small, has the same sign everywhere; [CLS] is no word.
    """
    words, segments = torch.tensor([False, True, True, True]), torch.tensor([0, 0, 0, 1])
    sides = torch.tensor([9.0, 1.0, 1.0, -1.0])
    parts = torch.ones(2, 4, 3) * torch.tensor([[[1.0, 2.0, 3.0]], [[2.0, 3.0, 1.0]]])
    queries = torch.stack([torch.ones(4, 3), torch.stack([sides, sides, torch.ones(4)], 1)])
    keys = queries.clone()
    keys[0] = -1.0
    keys[0, :, 2] = 1.0
    within, across = positive_products(parts, queries, keys, words, segments, 2)
    # Of the first head's two largest neurons the third is positive, the second negative.
    torch.testing.assert_close(within, torch.tensor([0.5, 1.0]))
    torch.testing.assert_close(across, torch.tensor([0.5, 0.0]))
    within, across = positive_products(parts, queries, keys, words, segments, 3)
    torch.testing.assert_close(within, torch.tensor([1 / 3, 1.0]))
    torch.testing.assert_close(across, torch.tensor([1 / 3, 1 / 3]))


def test_a_word_and_itself_are_no_pair_and_one_segment_has_none_across():
    """Two words whose products are negative, while each with itself is positive."""
    sides = torch.tensor([[[1.0], [-1.0]]])
    both = torch.tensor([True, True])
    within, across = positive_products(sides, sides, sides, both, torch.tensor([0, 0]), 1)
    assert within.item() == 0
    assert across.isnan().all()


def test_what_sep_gives_to_cls_by_hand():
    maps = torch.zeros(2, 4, 4)
    maps[0, 1, 0], maps[0, 3, 0] = 0.5, 0.1  # the two [SEP]
    maps[1, [0, 2], 0] = 1.0  # others
    sep, cls = torch.tensor([[False, True, False, True], [True, False, False, False]])
    torch.testing.assert_close(sep_to_cls(maps, sep, cls), torch.tensor([0.3, 0.0]))


@pytest.fixture
def recording(any_checkpoint):
    tokenizer = load_tokenizer(any_checkpoint)
    corpus = oracle_corpus(3)
    encoded = encode(tokenizer, corpus, 60)
    tokens = token_table(tokenizer, corpus, encoded, 60)
    found = LiveRecording("untuned", Gated(load_encoder(any_checkpoint)), tokens, encoded)
    found.corpus = corpus
    return found


def test_queries_and_keys_give_the_maps(recording):
    plain = list(recording.batches())
    for batch, (scored, queries, keys) in zip(plain, recording.scores(), strict=True):
        assert torch.equal(batch.maps, scored.maps)
        real = scored.real[:, None, None]
        scores = queries @ keys.mT * recording.gated.head_size**-0.5
        scores = scores.masked_fill(~real[..., None, :], float("-inf"))
        expected = scores.softmax(-1) * real[..., None]
        torch.testing.assert_close(scored.maps, expected, atol=1e-5, rtol=0)


@torch.no_grad()
def test_queries_are_those_of_the_model(recording):
    """Keys too, less what all of a head have in common: their bias."""
    modules = layer_modules(recording.gated.stack[1], recording.gated.family)
    seen = {}
    for name in ("query", "key"):
        getattr(modules, name).register_forward_hook(
            lambda module, inputs, output, name=name: seen.update({name: output})
        )
    batch, queries, keys = next(recording.scores())
    recording.gated(recording.encoded.batch(batch.rows).inputs)
    query, key = (
        seen[name].unflatten(-1, (recording.heads, -1)).transpose(1, 2) for name in ("query", "key")
    )
    torch.testing.assert_close(queries[:, 1], query, atol=1e-5, rtol=0)
    difference = (keys[:, 1] - key).transpose(1, 2).flatten(0, 1)
    torch.testing.assert_close(difference, difference[:1].expand_as(difference), atol=1e-5, rtol=0)
    assert difference.abs().max() > 0.01
    # Of all layers and heads in one row, those of layer 1 come behind those of layer 0.
    heads = recording.heads
    offsets = key_offsets(recording.gated)
    assert offsets.shape == (recording.layers * heads, 1, recording.gated.head_size)
    torch.testing.assert_close(keys[:, 1] + offsets[heads : 2 * heads], key, atol=1e-5, rtol=0)


PARAMETERS = Neurons(
    corpora=[],
    texts=None,
    most_neurons=2,
    few_neurons=1,
    pattern_heads=0.3,
    resamples=40,
    seed=0,
)


@torch.no_grad()
def test_every_text_has_its_own_values(recording):
    """The shorter of two texts is asked for first; all is held against a text and head alone."""
    texts = oracle_texts(recording.corpus, None)
    rows = np.array([1, 0])
    assert recording.lengths[1] < recording.lengths[0]
    found = neuron_values(recording, texts, rows, PARAMETERS)
    # Of one text there are no pairs across.
    assert set(found) == {
        "share_1",
        "share_2",
        "sign_consistency",
        "positive_within",
        "sep_to_cls",
    }
    for place, row in enumerate(rows):
        ((alone, queries, keys),) = recording.scores(np.array([row]))
        maps = alone.maps[0].flatten(0, 1)
        np.testing.assert_allclose(found["sep_to_cls"][:, place], maps[:, -1, 0], atol=1e-6)
        for layer, head in ((0, 3), (1, 2)):
            one = [side[:, layer, head] for side in (queries, keys, alone.maps)]
            shares, signs = neuron_shares(attended_parts(*one), 2)
            number = layer * recording.heads + head
            told = [found[name][number, place] for name in ("share_1", "share_2")]
            np.testing.assert_allclose(told, shares[0], atol=1e-5)
            assert found["sign_consistency"][number, place] == pytest.approx(signs.item(), abs=1e-5)
    assert (found["share_1"] < found["share_2"]).all()
    table = neuron_table(recording, found, np.arange(2), PARAMETERS)
    np.testing.assert_allclose(table["share_2"], found["share_2"].mean(1))
    assert len(table) == recording.layers * recording.heads


def chosen(strength: dict, measured: dict) -> pd.DataFrame:
    groups = np.arange(next(iter(strength.values())).shape[1])
    return chosen_table("untuned", strength, measured, groups, PARAMETERS)


def test_a_patterns_heads_are_those_that_follow_it():
    """Ten heads, three of them for a pattern; each pattern has its own, and its own measures."""
    strength = {"next": np.full((10, 12), 0.1), "delimiter": np.full((10, 12), 0.1)}
    strength["next"][[1, 4, 7]] = 0.9
    strength["delimiter"][[0, 2, 5]] = 0.8
    share = np.tile(np.arange(10.0)[:, None], (1, 12))
    share[:, :2] = np.nan
    measured = {name: {"strength": own, "share_4": share} for name, own in strength.items()}
    table = chosen(strength, measured)
    rows = table.set_index(["pattern", "measure"])
    assert rows["score"].to_dict() == {
        ("next", "strength"): pytest.approx(0.9),
        ("next", "share_4"): pytest.approx(4),
        ("delimiter", "strength"): pytest.approx(0.8),
        ("delimiter", "share_4"): pytest.approx(7 / 3),
    }
    assert (rows["heads"] == 3).all()
    assert rows["texts"].tolist() == [12, 10, 12, 10]
    drawn = np.stack(table["score_drawn"])
    assert drawn.shape == (4, PARAMETERS.resamples)
    np.testing.assert_allclose(np.nanmedian(drawn, axis=1), rows["score"])


def test_texts_that_chose_heads_do_not_score_them():
    values, best = [], []
    for seed in range(30):
        noise = np.random.default_rng(seed).normal(size=(40, 30))
        table = chosen({"next": noise}, {"next": {"strength": noise}})
        values.append(table["score"][0])
        best.append(np.sort(noise.mean(1))[-12:].mean())
    assert np.mean(best) > 0.15
    assert np.mean(values) == pytest.approx(0, abs=0.03)


def test_removed_embeddings_come_back(recording):
    def maps() -> torch.Tensor:
        return next(iter(recording.batches())).maps

    before = maps()
    with without(recording, recording.gated.family.position_embeddings) as there:
        assert there
        changed = maps()
    assert not torch.allclose(before, changed, atol=1e-4)
    assert torch.equal(before, maps())


def test_removed_embeddings_are_replaced_by_their_mean(recording):
    embeddings = recording.gated.model.base_model.embeddings
    name = recording.gated.family.position_embeddings
    before = getattr(embeddings, name).weight.detach().clone()
    with without(recording, name):
        inside = getattr(embeddings, name).weight.detach().clone()
    torch.testing.assert_close(inside, before.mean(0).expand_as(before))
    assert not torch.allclose(inside, before, atol=1e-3)


def test_the_change_of_strength_by_hand(recording):
    """Each pattern's own strengths after and before, mean over texts."""
    heads = recording.layers * recording.heads
    place = np.arange(heads)[:, None]
    before = {"next": 0.5 + 0.01 * place + np.array([0, 0.2]), "previous": 0.9 + 0.0 * place}
    after = {"next": before["next"] - 0.3, "previous": before["previous"] - 0.1}
    before["previous"] = np.repeat(before["previous"], 2, axis=1)
    after["previous"] = np.repeat(after["previous"], 2, axis=1)
    table = removal_table(
        recording, before, {"position": after, "segment": before}, np.arange(2), PARAMETERS
    )
    assert len(table) == 4 * heads
    assert (table.loc[table["removed"] == "segment", "change"] == 0).all()
    table = table[table["removed"] == "position"]
    row = table[(table["pattern"] == "next") & (table["layer"] == 1) & (table["head"] == 2)]
    number = recording.heads + 2
    assert row["strength"].item() == pytest.approx(0.6 + 0.01 * number)
    assert row["change"].item() == pytest.approx(-0.3)
    assert table.groupby("pattern")["change"].first()["previous"] == pytest.approx(-0.1)


def test_an_encoder_without_segments_says_so(tiny_checkpoints):
    tokenizer = load_tokenizer(tiny_checkpoints["distilbert"])
    corpus = oracle_corpus(1)
    encoded = encode(tokenizer, corpus, 60)
    gated = Gated(load_encoder(tiny_checkpoints["distilbert"]))
    tokens = token_table(tokenizer, corpus, encoded, 60)
    recording = LiveRecording("untuned", gated, tokens, encoded)
    with without(recording, gated.family.segment_embeddings) as there:
        assert not there
