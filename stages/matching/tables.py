"""Tables of the stage `matching`.

Heads are selected on training examples. All values are measured on validation examples.
"""

from stages.core.tables import Table, Value, count, flag, name

# Groups of heads of one arm: the strongest of the lower half, those of them beyond chance, all
# others of the lower half, and the strongest of the upper half.
MATCHING, STRONGEST, OTHERS, UPPER = "matching", "strongest", "others", "upper"
# Ablated heads: none, the matching ones, random ones of the same layers, a half of the layers, and
# the lower half except the matching or except the random heads. Random sets take their numbers from
# one stream, in the order of their names.
NONE, RANDOM, LOWER_HALF, UPPER_HALF = "none", "random", "lower", "upper"
REST, REST_RANDOM = "lower_but_matching", "lower_but_random"
# Validation examples: all, and the fewer ones on which random heads are ablated.
ALL, DRAWS = "all", "draws"
SCORE = "score"

# Shares of the attention of terms that have an equal term in the other text.
SHARES = {
    "equal": Value("attention to the equal term", "share", ".1%", (0, 1)),
    "place": Value("beyond tokens at the same distance", "share", ".1%", (-1, 1)),
    "key": Value("beyond the attention of other tokens to it", "share", ".1%", (-1, 1)),
    "itself": Value("attention to the term itself", "share", ".1%", (0, 1)),
    "sep": Value("attention to [SEP]", "share", ".1%", (0, 1)),
}
FIGURES = (SCORE, *SHARES)
INTERVAL = {"interval": True, "resampled": True}

HEADS = Table(
    "matching/heads",
    keys="data seed arm layer head",
    values={
        "matches": flag("matches equal terms"),
        "reads": flag("reads the matching heads"),
        "training_score": Value("score on the training examples", "share", ".1%", (-1, 1)),
        SCORE: Value(
            "attention to the equal term beyond chance", "share", ".1%", (-1, 1), interval=True
        ),
        **SHARES,
        "shared": Value("attention of [CLS] to shared terms", "share", ".1%", (0, 1)),
        "beyond_terms": Value("beyond an even spread over terms", "share", ".1%", (-1, 1)),
        "beyond_even": Value("beyond an even spread over tokens", "share", ".1%", (-1, 1)),
        "examples": count("examples with a shared term"),
    },
)
# One row a group of heads and figure: the mean over the heads, which the arm itself selected.
# `before` is measured in the model that the arm was tuned from.
GROUPS = Table(
    "matching/groups",
    keys="data seed arm group figure",
    values={
        "share": Value("share of attention", "share", ".1%", (-1, 1), **INTERVAL),
        "before": Value("share before tuning", "share", ".1%", (-1, 1), **INTERVAL),
        "heads": count("heads"),
        "examples": count("examples with a shared term"),
    },
)
# One row a sample of examples and set of ablated heads.
ABLATED = Table(
    "matching/ablated",
    keys="data seed arm sample ablated",
    values={
        "metric": name("metric"),
        "baseline": Value("metric without ablation", format=".3f"),
        "effect": Value("change of the metric", format="+.3f", **INTERVAL),
        "relative": Value("change relative to the metric", "share", "+.1%", **INTERVAL),
        "examples": count("examples"),
        "heads_ablated": count("ablated heads"),
        "draws": count("draws of heads"),
    },
)
# One row a set of ablated heads: the [CLS] row of the head that reads the matching ones.
READING = Table(
    "matching/reading",
    keys="data seed arm layer head ablated",
    values={
        "share": Value("attention of [CLS] to shared terms", "share", ".1%", (0, 1), **INTERVAL),
        "entropy": Value("entropy of the row", "nats", ".2f", (0, None), **INTERVAL),
        "loss": Value("loss on training examples without the head, rise", format="+.3f"),
        "examples": count("examples with a shared term"),
        "draws": count("draws of heads"),
    },
)
