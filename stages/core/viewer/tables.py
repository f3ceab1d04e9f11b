"""What the stages `examples` and `text_examples` write, and the report shows."""

from stages.core.stage.tables import MeasuredTable

# Why a map was chosen: it has a pattern clearly, or follows a role or a relation strongly.
PATTERN, ROLE, RELATION = "pattern", "role", "relation"
CLEAREST, MEDIAN = "clearest", "median"

# One row a text: its number here, its id, gold label (NaN where there is none), its texts (one, or
# the two of a pair), its tokens as `stages.core.viewer.readable.Tokens`, and whether it was drawn
# by the seed alone; the others were chosen for a map of theirs.
TEXT_COLUMNS = (
    "text",
    "id",
    "label",
    "texts",
    "pieces",
    "groups",
    "words",
    "segments",
    "drawn",
)
# One row an arm, text and head: its map, query by key, as the bytes of `stages.core.viewer.
# packed_maps`; the pattern that the classifier gives it with its probability (rule any), and that
# under the rule special, empty and NaN where no map was classified. Of drawn texts all heads, of
# others those that were chosen.
MAP_COLUMNS = (
    "arm",
    "text",
    "layer",
    "head",
    "weights",
    "pattern",
    "pattern_special",
    "probability",
)
# One row a choice: the clearest and the median map of a pattern (by the classifier's probability,
# rule any) and of the strongest head of a role (by the strength of Vig's pattern) or of a syntactic
# relation with its direction (by the strength of the attention along it), and of how many.
CHOICE_COLUMNS = ("kind", "name", "which", "text", "layer", "head", "value", "among")

TEXTS = MeasuredTable("examples/{task}", TEXT_COLUMNS)
MAPS = MeasuredTable("examples/{task}-maps", MAP_COLUMNS)
CHOSEN = MeasuredTable("examples/{task}-chosen", CHOICE_COLUMNS)
CORPUS_TEXTS = MeasuredTable("text_examples/{corpus}", TEXT_COLUMNS)
CORPUS_MAPS = MeasuredTable("text_examples/{corpus}-maps", MAP_COLUMNS)
CORPUS_CHOSEN = MeasuredTable("text_examples/{corpus}-chosen", CHOICE_COLUMNS)
