"""Which probes are fitted: each of them once for every choice that makes a difference to it."""

from dataclasses import dataclass

from stages.probes.fitting import spreads
from stages.probes.models import (
    HIDDEN,
    AttentionProbe,
    Choices,
    DistanceNetwork,
    DistanceProbe,
    Probe,
    RightBranching,
)
from stages.probes.sentences import SentenceBatch
from stages.probes.tables import (
    ATTENTION,
    ATTENTION_AND_WORDS,
    DISTANCES_AND_WORDS,
    RIGHT_BRANCHING,
    SOUND,
)

# The choices that make a difference to a probe.
OPEN = {
    RIGHT_BRANCHING: (),
    ATTENTION: ("root",),
    DISTANCES_AND_WORDS: ("words", "distances"),
    ATTENTION_AND_WORDS: ("root", "words"),
}
SAID = {
    ("root", "cls"): "root by [CLS]",
    ("root", "cls and sep"): "root by [CLS] and [SEP]",
    ("root", None): "nothing known of the root",
    ("words", "aligned"): "vectors aligned",
    ("words", "off by one"): "vectors off by one",
    ("distances", "linear"): "linear",
    ("distances", "network"): f"network of {HIDDEN} units",
}


@dataclass(frozen=True)
class Variant:
    """A probe with its choices; `label` says which of them differ from the first."""

    name: str
    label: str
    choices: Choices

    @property
    def with_words(self) -> bool:
        """Whether it knows the words' vectors."""
        return "words" in OPEN[self.name]

    @property
    def with_attention(self) -> bool:
        """Whether it sees attention."""
        return self.name in (ATTENTION, ATTENTION_AND_WORDS)

    def probe(self, size: int, taught: list[SentenceBatch]) -> Probe:
        """The probe, for vectors of this size and for features as they are in what is taught."""
        if self.name == RIGHT_BRANCHING:
            return RightBranching()
        if self.with_attention:
            return AttentionProbe(size, spreads(AttentionProbe, taught), self.choices)
        if self.choices.distances == "network":
            return DistanceNetwork(size, self.choices)
        return DistanceProbe(size, spreads(DistanceProbe, taught), self.choices)


def variants(choices: list[Choices], words: bool) -> list[Variant]:
    """Every probe with the first choices, and with those of the others that change it.

    Args:
        words: whether the words have vectors.
    """
    found: list[Variant] = []
    for name, keys in OPEN.items():
        if "words" in keys and not words:
            continue
        labels = set()
        for choice in choices:
            differing = [key for key in keys if getattr(choice, key) != getattr(choices[0], key)]
            label = ", ".join(SAID[key, getattr(choice, key)] for key in differing) or SOUND
            if label not in labels:
                found.append(Variant(name, label, choice))
            labels.add(label)
    return found
