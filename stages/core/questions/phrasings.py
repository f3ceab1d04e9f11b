"""How questions about written passages are put, and what a passage says without a tree.

Every turn of phrase is that of one split alone. Slots: `{who}`, `{other}` name persons; `{past}`,
`{base}`, `{participle}` are a deed ("repaired the scanner", "repair the scanner", "repaired");
`{thing}` is its object, `{adjective}`, `{superlative}` a property. `_` is the gap of a cloze
question.
"""

# By what is asked for, and split.
QUESTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "doer": {
        "train": (
            "Who {past}?",
            "Who was it that {past}?",
            "By whom was {thing} {participle}?",
            "Which person {past}?",
            "_ {past}.",
        ),
        "validation": (
            "Somebody {past}. Who?",
            "Can you tell who {past}?",
            "The one who {past} was _.",
        ),
    },
    "deed": {
        "train": (
            "What did {who} do?",
            "What was it that {who} did?",
            "What is told of {who}?",
            "{who} _.",
        ),
        "validation": (
            "Which of these did {who} do?",
            "Which is true of {who}?",
            "It is said here that {who} _.",
        ),
    },
    "object": {
        "train": (
            "What did {who} {verb}?",
            "What was it that {who} {verb_past}?",
            "What was {participle} by {who}?",
            "{who} {verb_past} _.",
        ),
        "validation": (
            "Which of these did {who} {verb}?",
            "{who} {verb_past} something. What?",
            "It was _ that {who} {verb_past}.",
        ),
    },
    "time": {
        "train": (
            "When did {who} {base}?",
            "When was {thing} {participle}?",
            "When was it that {who} {past}?",
            "{who} {past} _.",
        ),
        "validation": (
            "At what time did {who} {base}?",
            "{who} {past}. When?",
            "It was _ that {who} {past}.",
        ),
    },
    "place": {
        "train": (
            "Where did {who} {base}?",
            "Where was {thing} {participle}?",
            "Where was it that {who} {past}?",
            "{who} {past} _.",
        ),
        "validation": (
            "At what place did {who} {base}?",
            "{who} {past}. Where?",
            "It was _ that {who} {past}.",
        ),
    },
    "agent": {
        "train": (
            "Who {verb_past} {other}?",
            "By whom was {other} {participle}?",
            "_ {verb_past} {other}.",
        ),
        "validation": (
            "Who was it that {verb_past} {other}?",
            "{other} was {participle} by _.",
        ),
    },
    "patient": {
        "train": (
            "Whom did {other} {verb}?",
            "Who was {participle} by {other}?",
            "{other} {verb_past} _.",
        ),
        "validation": (
            "Who was it that {other} {verb_past}?",
            "_ was {participle} by {other}.",
        ),
    },
    "highest": {
        "train": ("Who was the {superlative} of all?", "The {superlative} of them was _."),
        "validation": ("Of all of them, who was the {superlative}?",),
    },
    "middle": {
        "train": ("Who was the {place} {superlative} of all?", "The {place} {superlative} was _."),
        "validation": ("Of all of them, who was the {place} {superlative}?",),
    },
    "lowest": {
        "train": ("Who was the least {adjective} of all?", "The least {adjective} of them was _."),
        "validation": ("Of all of them, who was the least {adjective}?",),
    },
}
# Who came in which order; `{all}` are the persons but the last, with commas between.
ORDERS = {
    "train": (
        "{all} and {last} came, in this order.",
        "There came {all} and at last {last}.",
        "One after the other {all} and {last} arrived.",
    ),
    "validation": (
        "The guests were, from the first to the last, {all} and {last}.",
        "Behind each other stood {all} and, at the end, {last}.",
    ),
}
# What the one at a place of that order did.
BY_PLACE = {
    "train": ("The {place} one {past}.", "It was the {place} one who {past}."),
    "validation": ("The {place} of them {past}.",),
}
PLACES = ("first", "second", "third", "fourth")
