"""What the stages `classifier`, `patterns`, `text_patterns` and `outside_patterns` write."""

from dataclasses import replace

from stages.core.tables import Table, Value, count, name

# What is scored: the network that sorts the maps, it without its wide path, a network that sees the
# map alone, and a linear classifier on plain features.
NETWORKS = ("network", "deep_path", "map_alone")
MODELS = (*NETWORKS, "baseline")
PREDICTED = {model: name(f"class by the {model.replace('_', ' ')}") for model in MODELS}

# How maps were drawn whose classes are as frequent as among all maps (column drawn_by).
CHANCE = "chance"
# One row a random start and labelled map, predicted by models that did not see its fold.
FOLDS = Table(
    "classifier/folds",
    keys="start fold layer head",
    values={
        "map": name("map"),
        "checkpoint": name("encoder of the map"),
        "drawn_by": name("how the map was drawn"),
        "label": name("label"),
        **PREDICTED,
    },
)
# Rules for Vertical: a stripe on whatever token, or on [CLS] and [SEP] (the source's).
ANY, SPECIAL = "any", "special"
# One row a random start of the network, rule and map of a recording that was labelled; `label` is
# empty if its annotators differ and nobody decided.
OUTSIDE = Table(
    "outside_patterns/maps",
    keys="data start rule layer head",
    values={
        "map": name("map"),
        "example": name("text"),
        "first": name("label of the first annotator"),
        "second": name("label of the second annotator"),
        "label": name("label"),
        **PREDICTED,
    },
)
SHARE = {"unit": "share", "format": ".1%", "bounds": (0, 1)}
# One row a rule and pattern: shares that the confusion matrix of labelled maps corrects.
CORRECTED = Table(
    "patterns/corrected",
    keys="data seed arm rule pattern",
    values={
        "share": Value("share of predictions", **SHARE),
        "corrected": Value("corrected share", interval=True, **SHARE),
        "labelled": count("labelled maps"),
    },
)
OUTSIDE_CORRECTED = replace(
    CORRECTED, file="outside_patterns/corrected", keys="data arm rule pattern"
)
# One row a rule, head and pattern; of the first fine-tuning.
PATTERNS_OF_HEADS = Table(
    "patterns/heads",
    keys="data seed arm rule layer head pattern",
    values={"share": Value("share of the head's maps", **SHARE), "maps": count("maps")},
)
# One row a rule and pattern.
SHARES = Table(
    "patterns/shares",
    keys="data seed arm rule pattern",
    values={
        "share": Value("share of all maps", interval=True, resampled=True, **SHARE),
        "examples": count("texts"),
    },
)
# One row a head: the share of its attention beyond [CLS], [SEP] and the neighbours.
BEYOND = Table(
    "patterns/beyond",
    keys="data seed arm layer head",
    values={
        "beyond": Value("attention beyond [CLS], [SEP] and neighbours", interval=True, **SHARE),
        "examples": count("texts"),
    },
)
# The same of the texts of a corpus, which no tuned encoder reads.
TEXT_HEADS, TEXT_SHARES, TEXT_BEYOND = (
    replace(table, file=f"text_{table.file}", keys=table.keys.replace("seed ", ""))
    for table in (PATTERNS_OF_HEADS, SHARES, BEYOND)
)
