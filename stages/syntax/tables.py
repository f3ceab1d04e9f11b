"""Tables of the stage `syntax`."""

from stages.core.intervals.held_out import CHOICE_COLUMNS, CHOICE_RESAMPLED
from stages.core.stage.tables import MeasuredTable, interval_names

# In place of a relation: all words that have a head in the text; every word, as Clark et al. count
# them, punctuation and roots among them; possessors as their code has it, for which the 's speaks.
ALL_RELATIONS = "all"
ALL_WORDS = "all words"
POSSESSIVE = "nmod:poss"
POSSESSIVE_CLITIC = "nmod:poss, by its 's"
# Those that Clark et al. 2019 (Table 1) report: the best head of each layer is chosen for these.
REPORTED = (
    ALL_RELATIONS,
    ALL_WORDS,
    "prep",
    "case",
    "det",
    "compound",
    "nsubj",
    "amod",
    "obj",
    "advmod",
    "aux",
    POSSESSIVE,
    POSSESSIVE_CLITIC,
    "aux:pass",
    "ccomp",
    "mark",
    "compound:prt",
)
ALL_LAYERS = "all layers"  # what the best head is chosen within, where it is not one layer

# One row a relation and what its best head is chosen within: that head, scored held out, beside
# the best fixed offset.
BEST = MeasuredTable(
    "syntax/{corpus}",
    (
        "encoder",
        "relation",
        "within",
        "layer",
        "head",
        "direction",
        "offset",
        *CHOICE_COLUMNS,
    ),
    resampled=CHOICE_RESAMPLED,
)
# One row a relation and head: its accuracy on all cases, in the better direction.
HEADS = MeasuredTable(
    "syntax/{corpus}-heads",
    (
        "encoder",
        "layer",
        "head",
        "relation",
        "direction",
        "accuracy",
        "offset_accuracy",
        "cases",
    ),
)
# One row a relation: what its best head gives to [SEP] from words that have the relation, from all
# other words (`lacking`), and the difference of both (`gain`).
SEPARATORS = MeasuredTable(
    "syntax/{corpus}-separators",
    (
        "encoder",
        "relation",
        "layer",
        "head",
        "direction",
        *interval_names("lacking"),
        *interval_names("having"),
        *interval_names("gain"),
        "words_lacking",
        "words_having",
        "same",
    ),
    resampled=("lacking", "having", "gain"),
)
