"""The table of the stage `probes`."""

from stages.core.tables import Table, Value, count, flag

RIGHT_BRANCHING = "right-branching"
ATTENTION = "attention"
DISTANCES_AND_WORDS = "distances and words"
ATTENTION_AND_WORDS = "attention and words"
SOUND = ""  # the variant of the first of `probes.choices`, on which claims are decided

# One row a probe and variant, with and without punctuation: its unlabelled attachment score, held
# out. A variant names the choices that differ from the first.
SCORES = Table(
    "probes/scores",
    keys="data arm probe variant punctuation",
    values={
        "uas": Value(
            "words whose head is predicted", "share", ".1%", (0, 1), interval=True, resampled=True
        ),
        "words": count("words"),
        "sentences": count("sentences"),
        "groups": count("groups of texts"),
        "steps": count("steps of the longest fit, 0 without one"),
        "converged": flag("all fits converged"),
    },
)
