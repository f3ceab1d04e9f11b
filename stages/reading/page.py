"""What readers of multiple-choice questions go by (Si et al. 2019)."""

import pandas as pd

from stages.core.pages.charts import shares
from stages.core.pages.page import Figure, Page, Section, Table
from stages.core.questions.unanswerable import NAMES as TRAININGS
from stages.core.questions.unanswerable import PARTS as UNANSWERABLE_PARTS
from stages.core.questions.unanswerable import REMOVALS
from stages.core.stage.arms import TUNED
from stages.core.verdicts.answers import NotMeasured, some_rows
from stages.core.verdicts.estimates import Estimate
from stages.core.verdicts.measures import Measures
from stages.reading.attacks import CONTROLS, NAMES, TO_PASSAGE
from stages.reading.charts import dots_with_rules
from stages.reading.in_points import (
    POINTS,
    estimates_over_sets,
    of_tuned,
    rows_in_points,
    rules,
)
from stages.reading.in_short import in_short, over_baselines_of_trainings, said_of_every_intact
from stages.reading.learnt import not_learnt, of_condition
from stages.reading.over_sets import (
    accuracy,
    apart,
    baselines_of,
    cost,
    cost_beyond,
    of_runs,
    over_baseline,
)
from stages.reading.said import (
    said_of_attacks,
    said_of_controls,
    said_of_shuffles,
    said_of_trainings,
)
from stages.reading.shown_heads import cls_section, heads_section, on_learnt
from stages.reading.tables import (
    ALL,
    CLS,
    EFFECT,
    GUESS,
    HEADS,
    INTACT,
    SCORES,
    SHUFFLED,
    WHOLE,
)

IN_WORDS = {
    TO_PASSAGE: "question and wrong options, shuffled as one text, stand behind the passage",
    "AddSent2Opt-Shuffle": "a sentence of the passage joins each wrong option, shuffled with it",
    "AddAns2Opt-Shuffle": "the right option joins each wrong one, shuffled with it",
    "Sent2Opt-Shuffle": "a shuffled sentence of the passage is each wrong option",
    "Ans2Opt-Shuffle": "the right option, shuffled, is each wrong one",
    "AddSent2Opt": "a sentence of the passage stands behind each wrong option",
    "AddAns2Opt": "the right option stands behind each wrong one",
}
NOT_LEARNT = "No better than the longest option, so that it says nothing under attack: {}. "


def sections(measures: Measures) -> list[Section]:
    scores = some_rows(measures.drawn(SCORES))
    found = [_attacks(measures, scores)]
    if scores["reader"].isin(TRAININGS).any():
        found.append(_trainings(measures, scores))
    found.append(_shuffles(measures))
    if len(on_learnt(measures, measures.frame(HEADS))):
        found.append(heads_section(measures))
    if len(on_learnt(measures, measures.frame(CLS))):
        found.append(cls_section(measures))
    return found


def heads(measures: Measures) -> pd.DataFrame:
    """By how much each head of the tuned reader, off, lessens the effect of attacks, in points."""
    rows = of_tuned(on_learnt(measures, measures.frame(HEADS)))
    if rows.empty:
        raise NotMeasured("no head was turned off under attack on questions that were learnt")
    rows = rows.assign(column="attack lessened: " + rows["questions"] + ", " + rows["attack"])
    table = rows.pivot_table(EFFECT, ["layer", "head"], "column")
    return POINTS * table[rows["column"].unique()]


def _attacks(measures: Measures, scores: pd.DataFrame) -> Section:
    answerable = scores[~scores["reader"].isin(TRAININGS) & (scores["among"] == ALL)]
    shown = answerable[(answerable["condition"] != INTACT) | (answerable["at"] == WHOLE)]
    table = rows_in_points(shown, ["questions", "reader", "condition"])
    order = {name: place for place, name in enumerate((INTACT, *NAMES, *REMOVALS))}
    table = table.sort_values("condition", key=lambda names: names.map(order), kind="stable")
    table = table.sort_values("questions", kind="stable")
    tuned, baselines = of_tuned(scores), baselines_of(measures)
    said = said_of_every_intact(measures, scores)
    unlearnt = not_learnt(measures)
    learnt = tuned[~tuned["questions"].isin(unlearnt)]
    costs = estimates_over_sets(learnt, {at: cost(at) for at in CONTROLS})
    chance = estimates_over_sets(
        learnt, {at: over_baseline(baselines, GUESS, at, at) for at in CONTROLS}
    )
    said += [said_of_attacks(name, own, chance[name]) for name, own in costs.items()]
    said += _of_controls(learnt)
    left_out = NOT_LEARNT.format(", ".join(unlearnt)) if unlearnt else ""
    return Section(
        "M1 and M2: answers intact and under attack",
        "A reader scores each option with passage and question in one sequence. An attack adds "
        "words that nobody could read, to the end of the passage or to wrong options; each control "
        "lacks one ingredient of its attack. The right option is never touched. What an attack "
        "costs is against intact questions with as much of the passage as the attack leaves room "
        f"for. {'; '.join(f'{name}: {what}' for name, what in IN_WORDS.items())}. {left_out}",
        (
            Figure(
                "reading-attacks",
                "Accuracy intact, under attacks and controls, and without parts of the question",
                "With 95% intervals over passages and fine-tunings; rules mark a guess and the "
                "longest option. P is the passage, Q the question; without both there are the "
                "options alone.",
                dots_with_rules(table, rules(measures), "condition", "reader", "accuracy, points"),
                finding=" ".join(said),
            ),
            Table(
                "reading-scores",
                "Accuracy under every condition",
                "In points, over fine-tunings. `at` is the attack at whose cut of the passage a "
                "condition stands; `among` is `all` questions, or those told apart under the "
                "attack and the control that it names: no wrong option reads as the right one.",
                rows_in_points(scores, ["questions", "reader", "condition", "at", "among"]),
            ),
        ),
    )


def _of_controls(learnt: pd.DataFrame) -> list[str]:
    pairs = {
        f"{attack}|{control}": (attack, control)
        for attack, controls in CONTROLS.items()
        for control in controls
    }
    found = estimates_over_sets(learnt, {name: cost_beyond(*pair) for name, pair in pairs.items()})
    return [
        said_of_controls(questions, {pairs[name]: one for name, one in own.items()})
        for questions, own in found.items()
    ]


def _trainings(measures: Measures, scores: pd.DataFrame) -> Section:
    rows = scores[of_condition(scores, INTACT) & scores["reader"].isin([TUNED, *TRAININGS])]
    trained = rows[rows["reader"] != TUNED]["questions"].unique()
    rows = rows[rows["questions"].isin(trained)]
    table = rows_in_points(rows, ["questions", "reader"])
    table = table.assign(training=table["reader"].replace(TUNED, INTACT), tested="intact questions")
    order = [INTACT, *TRAININGS]
    table = table.sort_values("training", key=lambda names: names.map(order.index), kind="stable")
    table = table.sort_values("questions", kind="stable")
    of_readers = over_baselines_of_trainings(measures, rows)
    runs = {name: of_runs(rows[rows["reader"] == name], accuracy) for name in (TUNED, *TRAININGS)}

    def between(one: str, other: str, questions: str) -> Estimate | None:
        places = [(questions, "") in runs[name] for name in (one, other)]
        if not all(places):
            return None
        both = (runs[name][questions, ""] for name in (one, other))
        return apart(*both).scaled(POINTS)

    said = []
    for questions in trained:
        own = {name: of[questions] for name, of in of_readers.items() if questions in of}
        shuffled = {
            part: one
            for part in UNANSWERABLE_PARTS
            if (one := between(f"{part}-Shuffle", f"{part}-Remove", questions))
        }
        said.append(
            said_of_trainings(questions, own, shuffled, between(TUNED, "P-Shuffle", questions))
        )
    return Section(
        "M3: training on questions that nobody can answer",
        "Readers that were trained with the words of the passage (P), the question (Q) or both "
        "shuffled, or without them, answer intact questions.",
        (
            Figure(
                "reading-trainings",
                "Accuracy on intact questions, by what the reader was trained on",
                "With 95% intervals over passages and, where there are several, fine-tunings; "
                "rules mark a guess and the longest option.",
                dots_with_rules(
                    table.drop(columns="reader"),
                    rules(measures),
                    "training",
                    "tested",
                    "accuracy, points",
                ),
                finding=" ".join(said),
            ),
        ),
    )


def _shuffles(measures: Measures) -> Section:
    rows = measures.frame(SHUFFLED)
    own = rows[rows["texts"] > 0]
    kinds = {
        "shuffled": own["texts"] - own["left"],
        "left: one word": own["one_word"],
        "left: others": own["left"] - own["one_word"],
    }
    parts = [
        own.assign(kind=kind, share=count / own["texts"])[
            ["questions", "condition", "kind", "share"]
        ]
        for kind, count in kinds.items()
    ]
    said = []
    for questions, some in rows.groupby("questions", sort=False):
        same = some.set_index("condition")["same_as_right"].get("Ans2Opt-Shuffle", 0)
        counts = (int(some[name].sum()) for name in ("texts", "left", "one_word"))
        said.append(said_of_shuffles(str(questions), *counts, int(same)))
    chart = shares(
        pd.concat(parts), "condition", "share", "kind", panel="questions", title="share of texts"
    )
    return Section(
        "M2: how far texts are shuffled",
        "The degree of shuffling is the edit distance over words to the text's own order, as a "
        "share of its words. A text that cannot be shuffled as far as the setting `least_degree` "
        "asks for, as one of one word, stays as it is.",
        (
            Figure(
                "reading-shuffles",
                "Texts that were shuffled, and those left as they were",
                "Of the texts that each attack or control shuffles.",
                chart,
                finding=" ".join(said),
            ),
            Table(
                "reading-shuffles",
                "Degrees of shuffling",
                "`mean` and `least` are degrees of the texts that were shuffled; 'same_as_right' "
                "counts questions in which a wrong option reads as the right one, `cut` those "
                "whose passage is cut.",
                rows[["questions", *rows.columns.drop("questions")]],
            ),
        ),
    )


PAGE = Page(
    order=13,
    group="Models and tasks",
    title="Reading",
    summary="What readers of multiple-choice questions go by: attacks, training, heads.",
    studies=("M1", "M2", "M3"),
    sections=sections,
    heads=heads,
    in_short=in_short,
)
