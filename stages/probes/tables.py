"""The table of the stage `probes`."""

from stages.core.stage.tables import MeasuredTable, interval_names

# One row a probe, with and without punctuation: its unlabelled attachment score, held out.
SCORES = MeasuredTable(
    "probes/{corpus}",
    (
        "encoder",
        "probe",
        "punctuation",
        *interval_names(value="uas"),
        "words",
        "sentences",
    ),
)
