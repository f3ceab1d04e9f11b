"""What the stage `reading` writes: answers of readers, what heads have to do with them, [CLS].

`reader` says on what a reader was trained: `tuned` and `tuned_from_random` on questions as they
are, from the checkpoint and from random weights; the names of
`stages.core.questions.unanswerable` on questions that nobody can answer. `questions` of a pattern
is the name of a set of questions.
"""

from stages.core.intervals.held_out import CHOICE_COLUMNS, CHOICE_RESAMPLED
from stages.core.stage.tables import MeasuredTable, interval_names

# Conditions: a version of the questions (`intact`, an attack, a control, what is removed) and the
# attack at whose cut of the passage it stands; `whole` where there is room for more of it.
INTACT, WHOLE = "intact", "whole"
# Which questions a value is a mean over: all, or, by the name of a control, those that are told
# apart: no wrong option reads as the right one under the control or its attack.
ALL = "all"
# Baselines.
GUESS, LONGEST = "random guess", "longest option"
# What one head off changes. Of the effect of an attack (the outcome under it less that on intact
# questions at the same cut): that with the head off less that with all on. Of the outcome on
# attacked and on intact questions: the same.
EFFECT, ATTACKED, UNTOUCHED = "effect", "attacked", "untouched"
CHANGES = (EFFECT, ATTACKED, UNTOUCHED)
# Outcomes of a question: 1 if the option of the highest score is right; the softmax of its score.
ACCURACY, PROBABILITY = "accuracy", "probability"
OUTCOMES_OF_HEADS = (ACCURACY, PROBABILITY)
# Parts of a row, in which every token is: the passage but for its end; what an attack appends or,
# intact, as many tokens at the end of the passage; question; option; special tokens.
PASSAGE, END, QUESTION, OPTION, SPECIAL = "passage", "end", "question", "option", "special"
PARTS = (PASSAGE, END, QUESTION, OPTION, SPECIAL)

CONDITION = ("reader", "seed", "condition", "at")
# One row a reader, seed, condition and question: the chance that the reader takes the right option,
# one or zero unless scores are equal.
OUTCOMES = MeasuredTable("reading/{questions}-outcomes", (*CONDITION, "id", "right"))
# One row a reader, seed, condition, and which questions: the mean of `right`. `passages` counts
# what the bootstrap draws: the questions of a passage together.
SCORES = MeasuredTable(
    "reading/{questions}",
    (*CONDITION, "among", *interval_names(value="value"), "examples", "passages"),
    resampled=("value",),
)
# One row a baseline: its expected accuracy on the same questions, in the same resamples.
BASELINES = MeasuredTable(
    "reading/{questions}-baselines",
    ("model", *interval_names(value="value"), "examples", "passages"),
    resampled=("value",),
)
# One row an attack or control: texts that were to be shuffled, those left as they were, those of
# one word among these, mean and least degree of the others (not a number where there are none);
# questions, those in which a wrong option reads as the right one, and those whose passage is cut.
SHUFFLED = MeasuredTable(
    "reading/{questions}-shuffled",
    (
        "condition",
        "at",
        "texts",
        "left",
        "one_word",
        "mean",
        "least",
        "examples",
        "same_as_right",
        "cut",
    ),
)
# One row a reader, seed, attack, layer and head: with the head off, the change of the mean
# probability of the right option, of the attack's effect and on attacked and intact questions.
HEADS = MeasuredTable(
    "reading/{questions}-heads",
    (
        "reader",
        "seed",
        "attack",
        "layer",
        "head",
        *(name for change in CHANGES for name in interval_names(change)),
        "examples",
    ),
)
# One row a reader, seed, attack, outcome and change: that of the head that the other half of the
# passages chose, beside no head off; `layer` and `head` are of the one that all of them choose.
CHOICES = MeasuredTable(
    "reading/{questions}-choices",
    ("reader", "seed", "attack", "outcome", "change", "layer", "head", *CHOICE_COLUMNS),
    resampled=CHOICE_RESAMPLED,
)
# One row a reader, seed, condition and part: the share of the attention of [CLS], mean over heads
# and options; `beyond` is the share among words (all but special tokens) less that of the tokens.
CLS = MeasuredTable(
    "reading/{questions}-cls",
    (
        "reader",
        "seed",
        "condition",
        "part",
        *interval_names("share"),
        *interval_names("beyond"),
        "tokens",
        "examples",
    ),
    resampled=("share", "beyond"),
)
# One row a reader, seed, condition, layer, head and part.
CLS_HEADS = MeasuredTable(
    "reading/{questions}-cls-heads",
    ("reader", "seed", "condition", "layer", "head", "part", "share", "beyond"),
)
