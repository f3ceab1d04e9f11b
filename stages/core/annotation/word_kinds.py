"""Kinds of words by their annotation: one definition for all studies (Kovaleva et al., 4.4)."""

from stages.core.annotation.relations import relation_of


def is_noun(word: dict) -> bool:
    return word["upos"] in ("NOUN", "PROPN")


def is_verb(word: dict) -> bool:
    return word["upos"] == "VERB"


def is_pronoun(word: dict) -> bool:
    return word["upos"] == "PRON"


def is_subject(word: dict) -> bool:
    """A nominal subject of any subtype: of actives, of passives (nsubj:pass), outer ones."""
    return relation_of(word["deprel"]).startswith("nsubj")


def is_object(word: dict) -> bool:
    return relation_of(word["deprel"]) == "obj"


def is_negation(word: dict) -> bool:
    return word["negation"]


def is_punctuation(word: dict) -> bool:
    return word["upos"] == "PUNCT"
