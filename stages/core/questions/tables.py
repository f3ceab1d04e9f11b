"""Tables of questions, and of readers on the validation questions, which several rooms read.

`data` is a set of questions: a task of kind `choice`.
"""

from stages.core.tables import Table, Value, count

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
# One row a reader and validation question; the question is intact for every reader. `arm` is
# `tuned`, `tuned_from_random`, or a training of `unanswerable.NAMES`.
READER_OUTCOMES = Table(
    "readers/outcomes",
    keys="data seed arm id",
    values={
        "options": count("options"),
        "answer": Value("right option", format="d", type="int64"),
        "prediction": Value("option with the highest score", format="d", type="int64"),
        "right": Value("right; if scores are equal, a share", "share", bounds=(0, 1)),
        "loss": Value("loss", "nats", bounds=(0, None)),
    },
)
# One row a reader. Degrees are edit distances over words, as a share of the words.
READER_RUNS = Table(
    "readers/runs",
    keys="data seed arm",
    values={
        "accuracy": Value("accuracy", "share", ".1%", (0, 1)),
        "examples": count("validation questions"),
        "trained_on": count("training questions"),
        "steps": count("steps"),
        "padding": Value("padding in training", "share", ".1%", (0, 1)),
        "shuffled": count("training texts to shuffle"),
        "left": count("texts left in order"),
        "one_word": count("texts of one word"),
        "mean_degree": Value("mean degree of shuffling", bounds=(0, 1)),
        "smallest_degree": Value("smallest degree of shuffling", bounds=(0, 1)),
    },
)
