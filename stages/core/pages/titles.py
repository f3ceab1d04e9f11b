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
