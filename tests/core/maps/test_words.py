"""Maps between words, of maps between their tokens."""

import torch

from stages.core.maps.words import from_words, membership, present, word_maps
from stages.core.recordings.tokens import Special

# [CLS] play ##ing chess [SEP]
WORDS = [[-1, 0, 0, 1, -1]]


MAP = torch.tensor(
    [
        [0.2, 0.2, 0.2, 0.2, 0.2],
        [0.1, 0.2, 0.3, 0.4, 0.0],
        [0.3, 0.0, 0.1, 0.2, 0.4],
        [0.0, 0.5, 0.1, 0.1, 0.3],
        [0.2, 0.2, 0.2, 0.2, 0.2],
    ]
)[None, None, None]


def test_attention_to_a_word_is_a_sum_and_from_it_a_mean():
    parts = membership(WORDS, 5)
    found = word_maps(MAP, parts)[0, 0, 0]
    # From "playing": mean of (0.2 + 0.3, 0.4) and (0.0 + 0.1, 0.2).
    torch.testing.assert_close(found, torch.tensor([[0.3, 0.3], [0.6, 0.1]]))
    first = word_maps(MAP, parts, "first")[0, 0, 0]
    torch.testing.assert_close(first, torch.tensor([[0.5, 0.4], [0.6, 0.1]]))


def test_cls_stands_for_the_root_as_word_0():
    parts = membership(WORDS, 5, special=[[1, 0, 0, 0, 2]])
    found = word_maps(MAP, parts)[0, 0, 0]
    torch.testing.assert_close(found[:, 0], torch.tensor([0.2, 0.2, 0.0]))
    torch.testing.assert_close(found[0, 1:], torch.tensor([0.4, 0.2]))


def test_words_that_were_cut_away_are_not_there():
    parts = membership([[-1, 0, 2, -1], [-1, 0, -1, -1]], 4)
    assert present(parts).tolist() == [[True, False, True], [True, False, False]]


def test_cls_and_sep_together_stand_for_the_root():
    both = (Special.CLS, Special.SEP)
    parts = membership(WORDS, 6, special=[[1, 0, 0, 0, 2]], root_tokens=both)
    assert parts[0].tolist() == [[1, 0, 0, 0, 1, 0], [0, 1, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0]]
    found = word_maps(MAP, parts[..., :5])[0, 0, 0]
    torch.testing.assert_close(found[:, 0], torch.tensor([0.4, 0.4, 0.3]))


def test_what_words_give_is_the_mean_over_their_pieces():
    parts = membership(WORDS, 5)
    given = MAP[..., 4:]
    torch.testing.assert_close(from_words(given, parts)[0, 0, 0, :, 0], torch.tensor([0.2, 0.3]))
    torch.testing.assert_close(
        from_words(given, parts, "first")[0, 0, 0, :, 0], torch.tensor([0.0, 0.3])
    )
