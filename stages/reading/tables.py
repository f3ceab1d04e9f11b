"""Tables of the stage `reading`: answers of readers, effects of their heads, attention of [CLS].

`data` is a set of questions. `arm` is a reader: `tuned` and `tuned_from_random` were tuned on
answerable questions; the others have the name of their training on questions that nobody can
answer (`stages.core.questions.unanswerable`).
"""

from stages.core.intervals.held_out import choice_values
from stages.core.tables import Table, Value, count

# Versions of the questions: an attack, a control, a removed text, or `intact`. `at` is the attack
# that limits how much of the passage a row has; `whole`, if none does.
INTACT, WHOLE = "intact", "whole"
# `among` is `all` questions; or the name of a control: those in which no wrong option reads as the
# right one, under the control and under its attack.
ALL = "all"
GUESS, LONGEST = "random guess", "longest option"  # baselines
# Changes by an ablated head: of the effect of an attack (outcome under attack minus outcome of the
# intact question at the same cut), and of the outcome of attacked and of intact questions.
EFFECT, ATTACKED, UNTOUCHED = "effect", "attacked", "untouched"
CHANGES = (EFFECT, ATTACKED, UNTOUCHED)
# Outcomes of a question: 1 if the right option has the highest score; the softmax of its score.
ACCURACY, PROBABILITY = "accuracy", "probability"
OUTCOMES_OF_HEADS = (ACCURACY, PROBABILITY)
# Parts of a row; each token is in one of them. `end` is the text that an attack appends; if
# nothing is appended, as many tokens at the end of the passage.
PASSAGE, END, QUESTION, OPTION, SPECIAL = "passage", "end", "question", "option", "special"
PARTS = (PASSAGE, END, QUESTION, OPTION, SPECIAL)

SHARE = {"unit": "share", "format": ".1%", "bounds": (0, 1)}
CHANGE = {"unit": "share", "format": "+.1%"}
MEAN = {"interval": True, "resampled": True}
# The bootstrap draws passages, each with all its questions.
SIZES = {"examples": count("questions"), "passages": count("passages")}

# One row a reader, version and question.
OUTCOMES = Table(
    "reading/outcomes",
    keys="data seed arm condition at id",
    values={"right": Value("right; if scores are equal, a share", **SHARE)},
)
SCORES = Table(
    "reading/scores",
    keys="data seed arm condition at among",
    values={"accuracy": Value("accuracy", **SHARE, **MEAN), **SIZES},
)
# Expected accuracies on the same questions, in the same resamples.
BASELINES = Table(
    "reading/baselines",
    keys="data model",
    values={"accuracy": Value("accuracy", **SHARE, **MEAN), **SIZES},
)
# One row an attack or control; the versions are the same for all readers.
SHUFFLED = Table(
    "reading/shuffled",
    keys="data condition at",
    values={
        "texts": count("texts to shuffle"),
        "left": count("texts left in order"),
        "one_word": count("texts of one word"),
        "mean_degree": Value("mean degree of shuffling", bounds=(0, 1)),
        "smallest_degree": Value("smallest degree of shuffling", bounds=(0, 1)),
        "examples": count("questions"),
        "same_as_right": count("questions in which a wrong option reads as the right one"),
        "cut": count("questions whose passage is cut"),
    },
)
# Mean changes of the probability of the right option.
HEADS = Table(
    "reading/heads",
    keys="data seed arm attack layer head",
    values={
        EFFECT: Value("cost of the attack that ablation saves", **CHANGE, interval=True),
        ATTACKED: Value("change on attacked questions", **CHANGE, interval=True),
        UNTOUCHED: Value("change on intact questions", **CHANGE, interval=True),
        "examples": count("questions"),
    },
)
# The head with the largest change, selected on one half of the passages and scored on the other;
# `layer` and `head` are selected on all passages. The rival is the reader with all heads.
CHOICES = Table(
    "reading/choices",
    keys="data seed arm attack outcome change layer head",
    values=choice_values("change by the selected head", "change by no head", form="+.1%"),
)
# The attention of [CLS] to a part, mean over heads and options. `beyond` is about words alone: the
# part's share of the attention to words minus its share of the words.
SHARE_OF_CLS = Value("share of the attention of [CLS]", **SHARE)
BEYOND_WORDS = Value("attention beyond the share of words", **CHANGE)
CLS = Table(
    "reading/cls",
    keys="data seed arm condition part",
    values={
        "share": Value(SHARE_OF_CLS.title, **SHARE, **MEAN),
        "beyond": Value(BEYOND_WORDS.title, **CHANGE, **MEAN),
        "tokens": Value("share of the tokens", **SHARE),
        "examples": count("questions"),
    },
)
CLS_HEADS = Table(
    "reading/cls_heads",
    keys="data seed arm condition layer head part",
    values={"share": SHARE_OF_CLS, "beyond": BEYOND_WORDS},
)
