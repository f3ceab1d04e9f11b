"""What the stage `corpus` writes beside the texts."""

from stages.core.tables import Table, count

CORPUS_SIZES = Table(
    "corpus/sizes",
    keys="data",
    values={
        "texts": count("texts"),
        "words": count("annotated words"),
        "tokens": count("tokens"),
        "unknown": count("unknown tokens"),
    },
)
