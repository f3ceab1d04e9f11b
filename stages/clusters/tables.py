"""Tables of the stage `clusters`; an encoder of one head has no rows."""

from stages.core.tables import Table, Value, count

# One row a head: where multidimensional scaling draws it.
HEADS = Table(
    "clusters/heads",
    keys="data arm layer head",
    values={"x": Value("picture x"), "y": Value("picture y")},
)
# One row an encoder: how many of a head's nearest heads are of its layer. The interval of `chance`
# is the range over shuffled layers.
PURITY = Table(
    "clusters/purity",
    keys="data arm",
    values={
        "purity": Value("nearest heads of the same layer", "share", ".1%", (0, 1)),
        "chance": Value("with shuffled layers", "share", ".1%", (0, 1), interval=True),
        "above": Value("purity above chance", "share", "+.1%", interval=True, resampled=True),
        "p": Value("p", format=".4f", bounds=(0, 1)),
        "neighbours": count("nearest heads that count"),
        "stress": Value("stress of the picture", bounds=(0, None)),
        "texts": count("texts"),
    },
)
