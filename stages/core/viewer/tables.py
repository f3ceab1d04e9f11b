"""What the stages `examples` and `text_examples` write, and the report shows."""

from dataclasses import replace

from stages.core.tables import Table, Value, count, flag, name

# Why a map was chosen: it has a pattern clearly, or follows a role or a relation strongly.
PATTERN, ROLE, RELATION = "pattern", "role", "relation"
CLEAREST, MEDIAN = "clearest", "median"

# One row a text: its number, its id, gold label (NaN if there is none), its texts (one or a pair)
# and its tokens as `stages.core.viewer.readable.Tokens`.
TEXTS = Table(
    "examples/texts",
    keys="data text",
    values={
        "id": name("id"),
        "label": Value("gold label"),
        "texts": Value("texts", type="object"),
        "pieces": Value("tokens", type="object"),
        "groups": Value("word of each token", type="object"),
        "words": Value("words", type="object"),
        "segments": Value("segment of each token", type="object"),
        "drawn": flag("drawn by the seed; other texts were selected for a map of theirs"),
    },
)
# One row a map, query by key, as the bytes of `stages.core.viewer.packed_maps`: all heads of drawn
# texts, and the selected heads of other texts.
MAPS = Table(
    "examples/maps",
    keys="data arm text layer head",
    values={
        "weights": Value("packed map", type="object"),
        "pattern": name("pattern under the rule any; empty if no map was classified"),
        "pattern_special": name("pattern under the rule special"),
        "probability": Value("probability of the pattern under the rule any"),
    },
)
# One row a choice: the clearest and the median map of a pattern (by the classifier's probability,
# rule any) and of the strongest head of a role (by the strength of Vig's pattern) or of a syntactic
# relation with its direction (by the strength of the attention along it).
CHOSEN = Table(
    "examples/chosen",
    keys="data kind name which text layer head",
    values={"value": Value("probability or strength"), "among": count("maps or texts")},
)
CORPUS_TEXTS, CORPUS_MAPS, CORPUS_CHOSEN = (
    replace(table, file=f"text_{table.file}") for table in (TEXTS, MAPS, CHOSEN)
)
