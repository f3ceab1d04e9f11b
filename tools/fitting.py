"""Which corpora fit which study, by what their source offers."""

from typing import Any

TEXTS, TREES, MENTIONS, FRAMES = "texts", "trees", "mentions", "frames"
TOKENS = "tokens"  # which all sources have
# What each study of corpora reads.
NEEDS = {
    "surface": TEXTS,
    "text_patterns": TEXTS,
    "text_examples": TOKENS,
    "clusters": TEXTS,
    "neurons": TEXTS,
    "syntax": TREES,
    "pairs": TREES,
    "probes": TREES,
    "coreference": MENTIONS,
    "frames": FRAMES,
}
# What a source offers. Of what was recorded elsewhere the annotation is not known beforehand: a
# study of trees that is to read it names it.
OFFERS = {
    "conllu": {TREES},
    "litbank": {MENTIONS},
    "framenet": {FRAMES},
    "paragraphs": {TEXTS},
    "recorded": {TEXTS},
}
# A study that needs the encoder itself, and no maps of another one.
LIVE = ("neurons",)


def offers(entry: dict[str, Any]) -> set[str]:
    """What texts of an entry of `corpora` have; written pairs are for what looks at texts alone."""
    if entry.get("source") == "written":
        return {TEXTS} if entry.get("pairs") else {TREES, MENTIONS, FRAMES}
    return OFFERS.get(entry.get("source", ""), set())


def fitting(study: str, corpora: dict[str, dict[str, Any]]) -> list[str]:
    """The corpora that a study takes: those with what it reads; any text where that is all.

    Annotated text is read for its surface only where there is no other.
    """
    need = NEEDS[study]
    known = {
        name: entry
        for name, entry in corpora.items()
        if study not in LIVE or entry.get("source") != "recorded"
    }
    found = [name for name, entry in known.items() if need in {TOKENS} | offers(entry)]
    return found or (list(known) if need == TEXTS else [])
