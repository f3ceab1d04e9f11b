"""What is predicted of a sentence comes of others: noise that could be memorised scores chance."""

import threading

import numpy as np
import pytest
import torch

from stages.core.stage.files import InputError
from stages.probes import held_out
from stages.probes.fitting import fit
from stages.probes.held_out import Prediction, divisions, predictions
from stages.probes.sentences import Sentence
from stages.probes.tables import ATTENTION, ATTENTION_AND_WORDS, DISTANCES_AND_WORDS
from stages.probes.variants import Variant
from tests.probes.sentences import (
    PARAMETERS,
    SOUND,
    pointing,
    random_heads,
    random_maps,
    sentence,
)


def share_right(sentences: list[Sentence], found: Prediction) -> float:
    pairs = zip(sentences, found.heads, strict=True)
    return float(torch.cat([(t == s.heads)[s.scored] for s, t in pairs]).float().mean())


def memorisable(count: int, copies: int, words: int = 6) -> list[Sentence]:
    """Random attention of many heads, random vectors and random heads, `copies` times a group."""
    generator = np.random.default_rng(5)
    found = []
    for group in range(count):
        maps, gold = random_maps(generator, 200, words), random_heads(generator, words)
        own = range(1 + group * words, 1 + (group + 1) * words)
        found += [sentence(maps, gold, group, words=own)] * copies
    return found


@pytest.mark.parametrize("name", [ATTENTION, DISTANCES_AND_WORDS, ATTENTION_AND_WORDS])
def test_noise_that_can_be_memorised_scores_chance(name):
    """Copies of a sentence share a group, so that no copy of what is tested is trained on."""
    sentences = memorisable(60, copies=2)
    table = torch.randn(361, 200, generator=torch.Generator().manual_seed(0))
    table[0] = 0
    parameters = PARAMETERS.model_copy(update={"penalty": 0.01, "vector_size": 200})
    variant = Variant(name, "", SOUND)
    found = predictions(sentences, None, table, parameters, [variant])[variant]
    # Six candidates: five other words and the root. 360 words differ.
    assert abs(share_right(sentences, found) - 1 / 6) < 4 * (5 / 36 / 360) ** 0.5
    seen = predictions(sentences, sentences_of_others(sentences), table, parameters, [variant])
    assert share_right(sentences, seen[variant]) > 0.45  # as it could be, had it been seen


@pytest.mark.parametrize("threads", [1, 2])
def test_a_fit_beside_others_has_as_many_threads_as_alone(threads, monkeypatch):
    """With another number of them its sums would round otherwise."""
    seen = []

    def noted(*arguments):
        seen.append((torch.get_num_threads(), threading.current_thread().name))
        return fit(*arguments)

    monkeypatch.setattr(held_out, "fit", noted)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        variants = [Variant(name, "", SOUND) for name in (ATTENTION, ATTENTION_AND_WORDS)]
        sentences = memorisable(4, copies=1)
        predictions(sentences, None, torch.eye(25), PARAMETERS, variants)
    finally:
        torch.set_num_threads(before)
    assert [number for number, _ in seen] == [threads] * 4  # two halves of two probes
    assert len({name for _, name in seen}) <= threads
    assert threading.current_thread().name not in {name for _, name in seen}


def sentences_of_others(sentences: list[Sentence]) -> list[Sentence]:
    """The same once more, under other words, so that they are not left out."""
    return [
        Sentence(one.maps, one.heads, one.punctuation, one.group, one.words, ("other",))
        for one in sentences
    ]


def unlike_sentences() -> tuple[list[Sentence], torch.Tensor]:
    """Sentences with attention and vectors of many scales; the last has a word of its own."""
    generator = np.random.default_rng(2)
    found = []
    for number in range(12):
        maps, gold = random_maps(generator, 3, 4), random_heads(generator, 4)
        words = [29] * 4 if number == 11 else generator.integers(1, 29, 4)
        maps = pointing(maps, 1, gold) * 4.0 ** -(number % 6)
        found.append(sentence(maps, gold, number, words=words, forms=[str(number)]))
    return found, torch.randn(30, 3, generator=torch.Generator().manual_seed(0)) ** 3


VARIANT = Variant(ATTENTION_AND_WORDS, "", SOUND)
PENALISED = PARAMETERS.model_copy(update={"penalty": 5.0})


def test_each_half_is_predicted_as_if_the_other_were_a_corpus_of_its_own():
    """Under a penalty that does not forget the scale of what is trained on."""
    sentences, table = unlike_sentences()
    found = predictions(sentences, None, table, PENALISED, [VARIANT])[VARIANT].heads
    for training, places in divisions(sentences, None, PENALISED.seed):
        tested = [sentences[place] for place in places]
        alone = predictions(tested, training, table, PENALISED, [VARIANT])[VARIANT].heads
        for place, heads in zip(places, alone, strict=True):
            assert torch.equal(found[place], heads)


def test_a_word_that_is_tested_alone_changes_nothing_elsewhere():
    sentences, table = unlike_sentences()
    before, after = (
        predictions(sentences[6:], sentences[:6], vectors, PENALISED, [VARIANT])[VARIANT].heads
        for vectors in (table, torch.cat([table[:29], 1000 * table[29:]]))
    )
    for one, other in zip(before[:-1], after[:-1], strict=True):
        assert torch.equal(one, other)


def test_no_group_is_trained_on_and_tested():
    sentences = memorisable(11, copies=3)
    tested = []
    for training, places in divisions(sentences, None, seed=0):
        groups = {one.group for one in training}
        assert not groups & {sentences[place].group for place in places}
        assert len(training) + len(places) == len(sentences)
        assert len(groups) in (5, 6)
        tested += places
    assert sorted(tested) == list(range(33))


def test_a_corpus_to_train_on_teaches_all_that_is_tested(tmp_path):
    """Head 1 knows syntax in what is tested, head 2 in what may be trained on."""
    generator = np.random.default_rng(0)

    def some(count: int, head: int) -> list[Sentence]:
        found = []
        for number in range(count):
            gold = random_heads(generator, 5)
            maps = pointing(random_maps(generator, 3, 5), head, gold)
            found.append(sentence(maps, gold, number, forms=[f"{count}-{number}"]))
        return found

    variant = Variant(ATTENTION, "", SOUND)
    tested = some(20, 1)
    for head, right in ((1, True), (2, False)):
        found = predictions(tested, some(30, head), None, PARAMETERS, [variant])[variant]
        assert len(found.heads) == 20
        assert (share_right(tested, found) == 1.0) is right


def test_a_sentence_that_is_tested_is_not_trained_on():
    one, other = (sentence(np.zeros((1, 3, 3)), [-1], forms=[form]) for form in ("a", "b"))
    ((training, places),) = divisions([one], [other, one], seed=0)
    assert [taught.forms for taught in training] == [("b",)]
    assert places == [0]
    with pytest.raises(InputError, match="every sentence of `probes.train_on` is tested too"):
        divisions([one], [one], seed=0)
