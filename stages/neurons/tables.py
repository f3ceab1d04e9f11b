"""Tables of the stage `neurons`."""

from stages.core.tables import Table, Value, count

SHARE = "share"  # share_1, share_2, and so on: of the 1, 2, ... largest neurons
STRENGTH = "strength"
WITHOUT = "without"  # without_position, without_segment: strength without these embeddings

# One row a head: the share of its scores that the largest neurons carry, and how constant their
# signs are.
NEURONS = Table(
    "neurons/heads",
    keys="data arm layer head",
    values={
        "neurons": count("neurons of a head"),
        SHARE: Value(
            "share of the largest neurons", "share", ".0%", (0, 1), interval=True, numbered=True
        ),
        "sign_consistency": Value("constant signs", "share", ".0%", (0, 1), interval=True),
    },
)
# One row a removed embedding, pattern and head: its strength before, and the change.
REMOVED = Table(
    "neurons/removed",
    keys="data arm removed pattern layer head",
    values={
        "strength": Value("strength", bounds=(None, 1), interval=True),
        "change": Value("change of strength", format="+.2f", interval=True),
    },
)
# One row a pattern and measure: the mean over the heads that follow the pattern most on one half of
# the texts, on the other half. Rows of random weights are of the same layers and heads.
CHOSEN = Table(
    "neurons/chosen",
    keys="data arm pattern measure",
    values={
        "score": Value("mean over heads", "share", ".3f", interval=True, resampled=True),
        "heads": Value("heads", format=".0f"),
        "texts": count("texts"),
    },
)
