"""What readers of multiple-choice questions rely on (Si et al. 2019)."""

from collections.abc import Callable

import pandas as pd

from stages.core.pages.declared import HeadColumn, Page, Section
from stages.core.pages.joined import joined, panels
from stages.core.pages.kinds import Dots, Grid, HeadGrid, Shares
from stages.core.questions.unanswerable import NAMES as TRAININGS
from stages.core.questions.unanswerable import REMOVALS
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.tables import Selection, Table, Value
from stages.core.verdicts.measures import Measures
from stages.reading.accuracies import (
    attack_cost,
    cost_over_control,
    estimated,
    of_learnt,
    reader_accuracies,
    unlearnt_sets,
)
from stages.reading.attacks import CONTROLS, TO_PASSAGE
from stages.reading.tables import (
    BEYOND_WORDS,
    CHOICES,
    CLS,
    CLS_HEADS,
    EFFECT,
    END,
    GUESS,
    HEADS,
    INTACT,
    PARTS,
    SCORES,
    SHARE_OF_CLS,
    SHUFFLED,
    WHOLE,
)

READERS = (TUNED, TUNED_FROM_RANDOM)  # of answerable questions
# Each version of the questions, with the attack at whose cut of the passage it stands.
CONDITIONS = {
    INTACT: WHOLE,
    **{name: at for at, controls in CONTROLS.items() for name in (at, *controls)},
    **dict.fromkeys(REMOVALS, WHOLE),
}
APPENDED = "appended (intact: end)"
KINDS = ("shuffled", "left: one word", "left: others")
TEXTS = Value("share of texts", "share", ".0%", (0, 1))
LEARNT = "Only sets on which the tuned reader is above the longest option are shown."


def under_attack(measures: Measures) -> pd.DataFrame:
    """Accuracies of readers of answerable questions, under every condition."""
    return reader_accuracies(measures, CONDITIONS, READERS)


def by_training(measures: Measures) -> pd.DataFrame:
    """Accuracies on intact questions by training, on sets with unanswerable trainings."""
    rows = reader_accuracies(measures, {INTACT: WHOLE}, (TUNED, *TRAININGS))
    rows = rows[rows["data"].isin(rows.loc[rows["arm"].isin(TRAININGS), "data"])]
    return rows.assign(training=rows["arm"].replace(TUNED, INTACT))


def costs(measures: Measures) -> pd.DataFrame:
    """The cost of every attack, against intact questions and against each of its controls."""
    rows = of_learnt(measures, SCORES)
    estimates = {(attack, INTACT): attack_cost(attack) for attack in CONTROLS} | {
        (attack, control): cost_over_control(attack, control)
        for attack, controls in CONTROLS.items()
        for control in controls
    }
    return pd.concat(
        estimated(measures, rows, READERS, cost=estimate).assign(
            attack=attack, against=f"against {against}"
        )
        for (attack, against), estimate in estimates.items()
    )


def shuffled_texts(measures: Measures) -> pd.DataFrame:
    """The shares of texts that were shuffled and that were left, of each attack or control."""
    rows = measures.rows(SHUFFLED)
    rows = rows[rows["texts"] > 0]
    counts = (rows["texts"] - rows["left"], rows["one_word"], rows["left"] - rows["one_word"])
    return pd.concat(
        rows.assign(kind=kind, share=number / rows["texts"])
        for kind, number in zip(KINDS, counts, strict=True)
    )


def on_learnt(rows: Table | Selection, *columns: str) -> Callable[[Measures], pd.DataFrame]:
    """A function that returns rows on the sets that the tuned reader has learnt.

    Args:
        columns: values to join over seeds; without them every seed has its rows.
    """

    def learnt(measures: Measures) -> pd.DataFrame:
        table = joined(measures, rows, *columns) if columns else measures.rows(rows)
        return panels(table[~table["data"].isin(unlearnt_sets(measures))])

    return learnt


def marked_effects(measures: Measures) -> pd.DataFrame:
    """The effect of each head on each attack; the largest of a reader is marked."""
    rows = on_learnt(HEADS, EFFECT)(measures)
    largest = rows.groupby(["data", "arm", "attack"])[EFFECT].transform("max")
    return rows.assign(marked=rows[EFFECT] == largest)


def parts_of_cls(measures: Measures) -> pd.DataFrame:
    """The share of each part in the attention of [CLS], in the order of `PARTS`."""
    rows = on_learnt(CLS, "share")(measures)
    rows = rows.sort_values("part", key=lambda parts: parts.map(PARTS.index), kind="stable")
    rows = rows.sort_values(["panel", "condition"], kind="stable")
    return rows.replace({"part": {END: APPENDED}})


IN_POINTS = Value("accuracy", "points", ".1f")
RIVAL = {"rival": "longest", "rival_title": "longest option", "gain": "gain", "uncounted": (GUESS,)}

PAGE = Page(
    title="Reading",
    summary="What readers of multiple-choice questions rely on: attacks, training, heads.",
    group="Models and tasks",
    order=13,
    studies=("M1", "M2", "M3"),
    content=(
        Section(
            "M1 and M2: answers intact and under attack",
            "A reader scores each option with passage and question in one sequence. An attack adds "
            "words that nobody could read to the end of the passage or to wrong options. Each "
            "control lacks one ingredient of its attack. The right option is never touched. "
            "AddSent2Pas-Shuffle appends question and wrong options to the passage, shuffled as "
            "one text. AddSent2Opt-Shuffle shuffles each wrong option with a sentence of the "
            "passage, AddAns2Opt-Shuffle with the right option. Without 'Shuffle' the words stay "
            "in order; without 'Add' the added text replaces the wrong option.",
            (
                Dots(
                    "reading-attacks",
                    "Accuracy intact, under attacks and controls, and without parts",
                    under_attack,
                    "accuracy",
                    "P is the passage, Q the question; without both the options remain.",
                    IN_POINTS,
                    label=("condition", "data"),
                    **RIVAL,
                ),
                Dots(
                    "reading-costs",
                    "Cost of attacks",
                    costs,
                    "cost",
                    "Accuracy on intact questions, or under a control, minus that under the "
                    "attack. The passage has the same cut in both. A comparison with a control "
                    "leaves out questions in which a wrong option reads as the right one. "
                    f"{LEARNT}",
                    Value("cost", "points", "+.1f"),
                    label=("attack", "against", "data"),
                ),
                Grid(
                    "reading-scores",
                    "Every accuracy",
                    SCORES,
                    caption="`at` is the attack that limits the passage. `among` names the "
                    "control whose questions are told apart; no wrong option reads as the right "
                    "one in them.",
                ),
            ),
        ),
        Section(
            "M3: training on questions that nobody can answer",
            "Readers were trained with the words of passage (P), question (Q) or both shuffled, or "
            "without them. All answer intact questions.",
            (
                Dots(
                    "reading-trainings",
                    "Accuracy on intact questions, by training",
                    by_training,
                    "accuracy",
                    of=IN_POINTS,
                    label=("training", "data"),
                    mark="",
                    **RIVAL,
                ),
            ),
        ),
        Section(
            "M2: degrees of shuffling",
            "The degree of shuffling is the edit distance over words to the original order, as a "
            "share of the words. A text stays in order if no shuffle reaches the setting "
            "`least_degree`, as a single word.",
            (
                Shares(
                    "reading-shuffles",
                    "Texts that were shuffled, and texts left in order",
                    shuffled_texts,
                    "share",
                    of=TEXTS,
                    label="condition",
                ),
                Grid("reading-shuffles", "Degrees of shuffling", SHUFFLED),
            ),
        ),
        Section(
            "M2: heads through which an attack works",
            "The effect of an attack is the probability of the right option under it minus that of "
            "the intact question. Ablating a head may shrink it. It shrinks as well if the reader "
            "needs the head for all questions; attacked questions then do not become easier. "
            f"{LEARNT}",
            (
                HeadGrid(
                    "reading-heads",
                    "Cost of the attack that ablation saves",
                    marked_effects,
                    EFFECT,
                    "In probability of the right option. A dot marks the largest of a panel.",
                    HEADS.values[EFFECT],
                    panel=("attack",),
                    marked="marked",
                ),
                Grid(
                    "reading-choices",
                    "Heads selected on half of the passages, scored on the other half",
                    on_learnt(CHOICES),
                    columns=(
                        *("data", "seed", "arm", "attack", "outcome", "change", "layer", "head"),
                        *("score", "score_low", "score_high", "cases", "same"),
                    ),
                    titles={
                        "score": CHOICES.values["score"].title,
                        "cases": "questions",
                        "same": "same head in all halves",
                    },
                ),
            ),
        ),
        Section(
            "M2: attention of the [CLS] of a reader",
            "A reader scores an option from [CLS]. Its attention divides among the parts of the "
            "row. The intact row has no appended words; the end of its passage, with as many "
            f"tokens, is compared. {LEARNT}",
            (
                Shares(
                    "reading-cls",
                    f"Attention of [CLS], intact and under {TO_PASSAGE}",
                    parts_of_cls,
                    "share",
                    "Mean over heads, options and questions.",
                    SHARE_OF_CLS,
                    label="condition",
                    kind="part",
                    panel="panel",
                ),
                HeadGrid(
                    "reading-cls-heads",
                    "Attention of [CLS] to appended words, beyond their share of the words",
                    on_learnt(CLS_HEADS.where(condition=TO_PASSAGE, part=END), "beyond"),
                    "beyond",
                    "Special tokens are left out.",
                    BEYOND_WORDS,
                ),
            ),
        ),
    ),
    head_columns=tuple(
        HeadColumn(
            f"{attack}: cost that ablation saves",
            on_learnt(HEADS.where(attack=attack), EFFECT),
            EFFECT,
            join="each",
            of=HEADS.values[EFFECT],
            text="In probability of the right option.",
        )
        for attack in CONTROLS
    ),
)
