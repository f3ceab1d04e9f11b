"""The table of the stage `probes`."""

from stages.core.stage.tables import MeasuredTable, interval_names

RIGHT_BRANCHING = "right-branching"
ATTENTION = "attention"
DISTANCES_AND_WORDS = "distances and words"
ATTENTION_AND_WORDS = "attention and words"
SOUND = ""  # the variant of the first of `probes.choices`, on which claims are decided

# One row a probe and variant, with and without punctuation: its unlabelled attachment score, held
# out. A variant says which choices differ from the first; `steps` are those of the fit (0 where
# nothing is fitted), the most of the parts that are fitted alike.
SCORES = MeasuredTable(
    "probes/{corpus}",
    (
        "encoder",
        "probe",
        "variant",
        "punctuation",
        *interval_names(value="uas"),
        "words",
        "sentences",
        "groups",
        "steps",
        "converged",
    ),
    resampled=("uas",),
)
