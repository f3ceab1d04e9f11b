"""The table of the stage `layer_probes`."""

from stages.core.tables import Table, Value, count

# The states that a probe reads: a layer's, or one of two stages of the embeddings.
LAYER = "layer"
EMBEDDINGS = "embeddings"  # with position, as the lowest layer gets them
WORD_EMBEDDINGS = "word embeddings"  # without position and segment, through the same norm
# Baselines that read no state.
FIRST = "first"  # the first auxiliary, or the first noun
CHANCE = "chance"  # any word

# One row an arm, probe, position, part and state: how often the probe finds its word in the test
# sentences `part`. `layer` is -1 if `state` is no layer; `position` is n of the n-th token, from 1,
# and 0 of other probes. Resamples draw lexical items.
SCORES = Table(
    "layer_probes/scores",
    keys="data arm probe position part state layer",
    values={
        "accuracy": Value("accuracy", "share", ".0%", bounds=(0, 1), interval=True, resampled=True),
        "sentences": count("sentences"),
        "items": count("lexical items"),
    },
)
