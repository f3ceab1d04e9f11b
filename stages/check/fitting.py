"""Which corpora and stimuli fit which study, by what their source offers."""

from typing import Any

from stages.check.names import PROBES, mapping

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


def offers(entry: Any) -> set[str]:
    """What texts of an entry of `corpora` have; written pairs are for what looks at texts alone."""
    entry = mapping(entry)
    if entry.get("source") == "written":
        return {TEXTS} if entry.get("pairs") else {TREES, MENTIONS, FRAMES}
    return OFFERS.get(str(entry.get("source")), set())


def fitting(study: str, corpora: dict[str, Any]) -> list[str]:
    """The corpora that a study takes: those with what it reads; any text where that is all.

    Annotated text is read for its surface only where there is no other.
    """
    need = NEEDS[study]
    known = {
        name: entry
        for name, entry in corpora.items()
        if study not in LIVE or mapping(entry).get("source") != "recorded"
    }
    found = [name for name, entry in known.items() if need in {TOKENS} | offers(entry)]
    return found or (list(known) if need == TEXTS else [])


def fitting_sets(study: str, stimuli: dict[str, Any]) -> list[str]:
    """The sets of stimuli that a study takes: probes read states, which nobody recorded."""
    return [
        name
        for name, entry in stimuli.items()
        if study != PROBES or not mapping(entry).get("recorded")
    ]
