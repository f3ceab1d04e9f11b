"""Every record of a family stands behind a tiny checkpoint, on which tests of parity run."""

from stages.core.encoder.families import FAMILIES, family_of
from tests.checkpoints import TINY


def test_every_family_has_a_tiny_checkpoint():
    built = {id(family_of(make()[0])) for make in TINY.values()}
    assert [family.model_types for family in FAMILIES if id(family) not in built] == []


def test_tiny_checkpoints_spell_words_as_their_family():
    for name, make in TINY.items():
        config, tokenizer = make()
        vocabulary = family_of(config).vocabulary
        assert (tokenizer.cls_token, tokenizer.sep_token) == (vocabulary.cls, vocabulary.sep), name
        *_, dog = tokenizer.tokenize("the dog")
        assert dog == f"{vocabulary.begins}dog", name
        *_, last = tokenizer.tokenize("the dogx")
        assert last == f"{vocabulary.continues}x", name
