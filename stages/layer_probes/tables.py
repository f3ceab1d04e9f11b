"""The table of the stage `layer_probes`."""

from stages.core.stage.tables import MeasuredTable, interval_names

# What a probe reads: a layer's states, or one of two stages of the embeddings before all layers.
LAYER = "layer"
EMBEDDINGS = "embeddings"  # with position, as the lowest layer gets them
WORD_EMBEDDINGS = "word embeddings"  # without position and segment, through the same norm
# Baselines that read no state.
FIRST = "first"  # the first auxiliary, or the first noun
CHANCE = "chance"  # any word

# One row an encoder, probe, position, part and state: the share of sentences in which the probe
# finds its word. `layer` is that of the states, from 0, and -1 where `state` is no layer;
# `position` is n of the n-th token, from 1, and 0 of other probes. Resamples draw lexical items.
SCORES = MeasuredTable(
    "layer_probes/{set}",
    (
        "encoder",
        "probe",
        "position",
        "part",
        "state",
        "layer",
        *interval_names(value="accuracy"),
        "sentences",
        "items",
    ),
    resampled=("accuracy",),
)
