"""Tables of questions, and of readers on the validation questions, which several rooms read.

`questions` of a pattern is the name of a set of questions: a task of kind `choice`.
"""

from stages.core.stage.tables import MeasuredTable
from stages.core.tables import Table, count

# One row a split. Tokens are those of all passages and of every option with its question.
QUESTION_SIZES = Table(
    "questions/sizes",
    keys="data split",
    values={
        "examples": count("questions"),
        "passages": count("passages"),
        "fewest_options": count("fewest options of a question"),
        "most_options": count("most options of a question"),
        "tokens": count("tokens"),
        "unknown": count("unknown tokens"),
        "cut": count("questions whose passage is cut"),
        "in_both": count("questions that the other split has as well, with the same passage"),
    },
)
# One row an arm, seed and validation question, which is intact whatever the reader was trained on:
# how many options it has, the place of the right one and of that with the highest score, how much
# of it is right (1 or 0; a share where scores are the same), and its loss in nats. `arm` is
# `tuned`, `tuned_from_random`, or a name of `unanswerable.NAMES`.
READER_OUTCOMES = MeasuredTable(
    "readers/{questions}",
    ("arm", "seed", "id", "options", "answer", "prediction", "right", "loss"),
)
# One row a reader: its accuracy on these questions, how many they are, and on how many it was
# trained in how many steps; the share of padding in its training; and of the texts that its
# training had shuffled how many there were, how many could not be shuffled and were left, how many
# of these have one word, and the mean and smallest degree of the others (edit distance over words,
# as a share of the words).
READER_RUNS = MeasuredTable(
    "readers/{questions}-runs",
    (
        *("arm", "seed", "accuracy", "examples", "trained_on", "steps", "padding"),
        *("shuffled", "left", "one_word", "mean_degree", "smallest_degree"),
    ),
)
