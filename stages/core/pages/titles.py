"""What readers call things that several pages show."""

import re

# Vig's patterns of attention (`VIG_PATTERNS`).
PATTERN_TITLES = {
    "next": "next token",
    "previous": "previous token",
    "related": "same or related word",
    "related_other": "same or related word of the other text",
    "pieces": "other pieces of the word",
    "delimiter": "[CLS] and [SEP]",
    "sentence": "all words of the sentence",
}
# Names in tables that are no words: of arms, metrics and probes.
NAMES = {
    "random_weights": "random weights",
    "tuned_from_random": "tuned from random weights",
    "macro_f1": "macro F1",
    "weighted_f1": "weighted F1",
    "nth_token": "n-th token",
    "subject_noun": "subject noun",
    "main_auxiliary": "main auxiliary",
    "p_holm": "p after Holm",
}
# Relations of Universal Dependencies; a subtype without words of its own is a kind of its relation.
RELATION_TITLES = {
    "acl": "clause that modifies a noun",
    "acl:relcl": "relative clause",
    "advcl": "adverbial clause",
    "advmod": "adverbial modifier",
    "amod": "adjectival modifier",
    "appos": "apposition",
    "aux": "auxiliary",
    "aux:pass": "passive auxiliary",
    "case": "case marker, as prepositions",
    "cc": "coordinating conjunction",
    "ccomp": "complement clause",
    "clf": "classifier",
    "compound": "part of a compound",
    "compound:prt": "particle of a verb",
    "conj": "conjunct",
    "cop": "copula",
    "csubj": "clause as subject",
    "dep": "unspecified",
    "det": "determiner",
    "discourse": "discourse element",
    "dislocated": "dislocated element",
    "expl": "expletive",
    "fixed": "part of a fixed expression",
    "flat": "flat expression, as names",
    "goeswith": "part of a split word",
    "iobj": "indirect object",
    "list": "item of a list",
    "mark": "marker of a clause",
    "nmod": "nominal modifier",
    "nmod:poss": "possessor",
    "nsubj": "subject",
    "nsubj:pass": "passive subject",
    "nummod": "numeric modifier",
    "obj": "object",
    "obl": "oblique nominal",
    "obl:agent": "agent of a passive",
    "obl:unmarked": "oblique nominal, unmarked",
    "orphan": "orphan of an ellipsis",
    "parataxis": "loosely joined part",
    "prep": "preposition",
    "punct": "punctuation",
    "reparandum": "what is corrected",
    "vocative": "who is addressed",
    "xcomp": "open complement clause",
}
_NAMED = re.compile(rf"(?<![\w.-])({'|'.join(NAMES)})(?![\w-])")
_IDENTIFIER = re.compile(r"[a-z0-9]+(_[a-z0-9]+)+")


def in_words(text: str) -> str:
    """The text with the names in it that are no words (`NAMES`) as readers call them.

    Other names keep their underscores: those of users' tasks and corpora are written as they are.
    """
    return _NAMED.sub(lambda match: NAMES[match[1]], text)


def heading_in_words(name: str) -> str:
    """The name of a column as its heading; those of this project have no underscores then."""
    said = in_words(name)
    return said.replace("_", " ") if _IDENTIFIER.fullmatch(said) else said


def relation_in_words(name: str) -> str:
    """A relation with what it is in brackets, as 'nsubj (subject)'; other names as they are.

    What follows a comma says how the relation is counted.
    """
    relation = name.partition(",")[0]
    words = RELATION_TITLES.get(relation) or RELATION_TITLES.get(relation.partition(":")[0])
    return f"{name} ({words})" if words else name
