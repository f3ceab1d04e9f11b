"""What the stage `matching` writes: the heads that match, what they do, and what is without them.

Heads are chosen on training examples, everything is measured on validation examples.
"""

from stages.core.stage.tables import MeasuredTable, interval_names

# In the metric's unit, and as a share of the metric with all heads; each with its interval.
EFFECTS = ("effect", "relative")
LIMITS = ("low", "high", "relative_low", "relative_high")
EFFECT_COLUMNS = ("metric", "examples", "baseline", *EFFECTS, *LIMITS)

# Groups of heads of one encoder. The matching ones are those of the strongest that are beyond
# chance; `others` are all of the lower half that do not match.
MATCHING, STRONGEST, OTHERS, UPPER = "matching", "strongest", "others", "upper"
# Families of gates: the matching heads; as many random ones of the same layers; a half of the
# layers; the lower half but for the matching heads, and but for the random ones.
LOWER_OFF, UPPER_OFF, RANDOM = "lower", "upper", "random"
KEPT, KEPT_RANDOM = "kept", "kept_random"
# The examples that gates are run on: those with random draws are fewer.
ALL, DRAWS = "all", "draws"
# What the reading head is looked at with: every head on, and without these.
ON = "on"
# Of a head's attention from terms that have an equal one across, in GROUPS.
SCORE = "score"
FIGURES = (SCORE, "equal", "place", "key", "itself", "sep")

# One row an arm, seed, layer and head: whether it was chosen, by which score, and its score on
# examples that did not choose, with shares of attention (stages/matching/terms.py).
HEADS = MeasuredTable(
    "matching/{task}",
    (
        "arm",
        "seed",
        "layer",
        "head",
        "matching",
        "reading",
        "found",
        *interval_names(SCORE),
        *FIGURES[1:],
        "shared",
        "beyond_terms",
        "beyond_even",
        "count",
    ),
)
# One row an arm, seed, arm whose heads they are, group of heads and figure: the mean over heads.
GROUPS = MeasuredTable(
    "matching/{task}-groups",
    (
        "arm",
        "seed",
        "heads_of",
        "group",
        "figure",
        "heads",
        *interval_names(value="value"),
        "count",
    ),
    resampled=("value",),
)
# One row an arm, seed, sample of examples and family of gates.
OFF = MeasuredTable(
    "matching/{task}-off",
    ("arm", "seed", "sample", "family", "heads_off", "draws", *EFFECT_COLUMNS),
    resampled=EFFECTS,
)
# One row an arm, seed, and what is off: the [CLS] row of the head that reads.
READING = MeasuredTable(
    "matching/{task}-reading",
    (
        "arm",
        "seed",
        "off",
        "reading_layer",
        "reading_head",
        "loss",
        "draws",
        *interval_names("share"),
        *interval_names("entropy"),
        "count",
    ),
    resampled=("share", "entropy"),
)
