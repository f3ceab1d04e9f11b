"""Heads that match equal terms across a pair (query-title study, 2.1 and 2.4)."""

import pandas as pd

from stages.core.pages.bounded import cut, said_of_cut
from stages.core.pages.charts import dots
from stages.core.pages.joined_seeds import drawn_rows_over_seeds
from stages.core.pages.page import Figure, Page, Section, Table, heads_figure
from stages.core.stage.arms import TUNED
from stages.core.verdicts.answers import NotMeasured, some_rows
from stages.core.verdicts.estimates import rows_over_seeds
from stages.core.verdicts.measures import Measures
from stages.matching.said import (
    said_of_changes,
    said_of_off,
    said_of_scores,
    said_of_strongest,
    said_of_tuning,
)
from stages.matching.tables import (
    ALL,
    DRAWS,
    FIGURES,
    GROUPS,
    HEADS,
    KEPT,
    KEPT_RANDOM,
    LOWER_OFF,
    MATCHING,
    OFF,
    ON,
    RANDOM,
    READING,
    SCORE,
    STRONGEST,
    UPPER_OFF,
)

PERCENT = 100
RELATIVE = ("relative", "relative_low", "relative_high")
IN_PERCENT = ("value", "low", "high")
# What is off, in words.
OFF_WORDS = {
    MATCHING: "the heads that match",
    RANDOM: "as many random heads of the same layers",
    LOWER_OFF: "the lower half",
    UPPER_OFF: "the upper half",
    KEPT: "the lower half but for the heads that match",
    KEPT_RANDOM: "the lower half but for as many random heads",
}
SAMPLES = {ALL: "all", DRAWS: "those of random draws"}
READ_WORDS = {
    ON: "nothing",
    MATCHING: "the heads that match",
    RANDOM: "as many random heads of the same layers",
}
# Shares of attention of terms that have an equal one across the pair.
FIGURE_WORDS = {
    SCORE: "to the equal term, beyond chance",
    "equal": "to the equal term",
    "place": "to the equal term, beyond tokens as far apart",
    "key": "to the equal term, beyond what others give it",
    "itself": "to itself",
    "sep": "to [SEP]",
}


def sections(measures: Measures) -> list[Section]:
    cells = some_rows(measures.frame(HEADS))
    groups = some_rows(measures.drawn(GROUPS))
    found = [_found(cells, groups), _off(measures.drawn(OFF)), _tuning(groups)]
    reading = measures.frame(READING)
    return [*found, _reading(reading)] if len(reading) else found


def in_short(measures: Measures) -> list[str]:
    """Of the first task: what heads that match do, what is lost without them, what tuning does."""
    groups, off = measures.drawn(GROUPS), measures.drawn(OFF)
    task = str(groups["task"].iloc[0])
    said = [
        said_of_strongest(groups, task),
        said_of_off(off, task),
        said_of_tuning(groups, task),
    ]
    return [sentence for sentence in said if sentence]


def heads(measures: Measures) -> pd.DataFrame:
    """What each head of the tuned encoder gives to equal terms beyond chance, for each task."""
    cells = measures.frame(HEADS)
    scores = _scores(cells[cells["arm"] == TUNED])
    if scores.empty:
        raise NotMeasured("no tuned encoder was measured")
    table = scores.pivot(index=["layer", "head"], columns="task", values=SCORE)
    return table[scores["task"].unique()].add_prefix("equal term across: ")


def _scores(cells: pd.DataFrame) -> pd.DataFrame:
    """One row a task, arm and head, over seeds."""
    names = (SCORE, f"{SCORE}_low", f"{SCORE}_high")
    return rows_over_seeds(cells, ["task", "arm", "layer", "head"], [names])


def _found(cells: pd.DataFrame, groups: pd.DataFrame) -> Section:
    scores = _scores(cells)
    chosen = cells[cells["matching"]]
    own = groups[(groups["arm"] == groups["heads_of"]) & (groups["figure"] == SCORE)]
    own = own[own["group"] != MATCHING]
    return Section(
        "T7: which heads match equal terms across the pair?",
        "The score of a head is what a term that stands in both texts gives to the equal one in "
        "the other text, less chance: less what tokens as far apart give to each other, and less "
        "what other tokens of the same text give to that very term, whichever leaves less. Words "
        "that are in many texts are no terms (setting matching.frequent). On training examples the "
        "strongest heads of the lower half are chosen, as many as the source's share, and of them "
        "those beyond chance are said to match; scores are of validation examples. Random weights "
        "choose heads of their own.",
        (
            heads_figure(
                "matching-scores",
                "Attention to the equal term across the pair, beyond chance",
                "Each cell shows the score of a head, mean over seeds: layer x head, one panel a "
                "task and encoder.",
                scores.assign(panel=scores["task"] + ", " + scores["arm"]),
                SCORE,
                "share of attention",
                panel="panel",
                tooltip=["panel", "layer", "head", SCORE, f"{SCORE}_low", f"{SCORE}_high"],
                diverging=True,
                finding=said_of_scores(scores),
            ),
            Table(
                "matching-heads",
                "Heads that match",
                "The table lists the heads of each encoder that match, the strongest first. "
                "'found' is the score on the training examples that chose, 'score' that on "
                "validation examples, with its 95% interval; 'count' of these have a term in both "
                "texts. Of the attention of such terms, 'equal' is the share that goes to the "
                "equal term, 'itself' that to the term itself and 'sep' that to [SEP]; 'place' is "
                "equal less what tokens as far apart give, and 'key' is equal less what others "
                "give to that term.",
                chosen.drop(columns=["matching", "reading", "shared", "beyond_terms"])
                .drop(columns="beyond_even")
                .sort_values(["task", "arm", "seed", SCORE], ascending=[True, True, True, False]),
            ),
            Table(
                "matching-groups",
                "Scores of groups of heads",
                "'value' is the mean score of a group of heads, with its 95% interval over "
                "validation examples, 'count' of which have a term in both texts. "
                f"'{STRONGEST}' are the heads of the lower half that were strongest on training "
                "examples, 'others' are those of it that do not match, and 'upper' are the "
                "strongest of the upper half.",
                own[["task", "arm", "seed", "group", "heads", *IN_PERCENT, "count"]],
            ),
        ),
    )


def _off(rows: pd.DataFrame) -> Section:
    rows = rows.assign(off=rows["family"].map(OFF_WORDS), of=rows["sample"].map(SAMPLES))
    keys = ["task", "arm", "off", "of"]
    joint = drawn_rows_over_seeds(rows, keys, [RELATIVE]).set_index(keys)
    table = (PERCENT * joint).set_axis(IN_PERCENT, axis=1)
    others = rows.groupby(keys, sort=False)
    table = table.join(others[["baseline", "examples", "heads_off"]].mean())
    table = table.join(others["draws"].sum()).reset_index()
    shown = table[(table["of"] == SAMPLES[ALL]) | table["off"].isin(_random_words())]
    own = shown[shown["arm"] == TUNED]
    return Section(
        "T7: what the task loses without them",
        "Change of accuracy, or of the correlation of scores, in percent of what it is with every "
        "head on, with outputs set to zero as in the source. Random heads are as many of the same "
        "layers and never those that match; each set of them runs on fewer examples (setting "
        "matching.draw_examples), on which the others stand in the table a second time.",
        (
            Figure(
                "matching-off",
                "Change without heads (zero, percent)",
                "Dots show how the metric of each task's tuned encoder changes without some of its "
                "heads. Lines are the 95% interval over examples, of random heads over draws too, "
                "and of several fine-tunings over seeds.",
                dots(own, "off", "change, percent", group="task"),
                finding=said_of_changes(own),
            ),
            Table(
                "matching-off",
                "Change without heads",
                "'value' is the change of the metric, with its 95% interval, in percent of the "
                "metric with every head on ('baseline'), over seeds. 'off' says which heads are "
                "off, 'heads_off' how many these are, and 'draws' in how many sets, over all "
                "seeds. 'of' says on which 'examples': all, or those that random draws run on.",
                table,
            ),
        ),
    )


def _random_words() -> list[str]:
    return [OFF_WORDS[family] for family in (RANDOM, KEPT_RANDOM)]


def _tuning(groups: pd.DataFrame) -> Section:
    groups = groups[groups["heads_of"].isin(_tuned_arms(groups))]
    names = [name for name in FIGURES if name not in ("place", "key")]
    groups = groups[groups["figure"].isin(names) & (groups["group"] != STRONGEST)]
    groups = groups.assign(figure=groups["figure"].map(FIGURE_WORDS))
    groups["when"] = (groups["arm"] == groups["heads_of"]).map({True: "after", False: "before"})
    keys = ["task", "heads_of", "group", "figure", "when"]
    table = drawn_rows_over_seeds(groups, keys, [IN_PERCENT])
    # What is beyond chance may be below it.
    table = table.where(table["figure"] == FIGURE_WORDS[SCORE], cut(table, "low", "high"))
    wide = table.pivot(index=keys[:-1], columns="when", values=list(IN_PERCENT))
    wide.columns = [f"{when}" if name == "value" else f"{when}_{name}" for name, when in wide]
    columns = [f"{when}{end}" for when in ("before", "after") for end in ("", "_low", "_high")]
    order = table[keys[:-1]].drop_duplicates()
    wide = wide[columns].reindex(pd.MultiIndex.from_frame(order)).reset_index()
    return Section(
        "T8: what tuning does to them",
        "Shares of attention of terms that stand in both texts, before and after tuning, at the "
        "same places: of the heads that match in the tuned encoder, of all other heads of the "
        "lower half, and of the strongest of the upper half. Heads that were chosen after tuning "
        "look stronger then; the encoder that was tuned from random weights chose alike.",
        (
            Table(
                "matching-tuning",
                "Attention before and after tuning",
                "Each row compares a share of attention 'before' and 'after' tuning, mean over the "
                "heads of a group, with its 95% interval over examples and, where there are "
                "several fine-tunings, over seeds; of 'change', after less before, the claims have "
                "the intervals. 'heads_of' is the encoder after tuning, which chose the heads. "
                f"{said_of_cut('a share, unlike what is beyond chance,')}",
                wide.assign(change=wide["after"] - wide["before"]),
            ),
        ),
    )


def _tuned_arms(groups: pd.DataFrame) -> list[str]:
    """Encoders whose heads were looked at in the encoder that they were tuned from, too."""
    return list(groups[groups["arm"] != groups["heads_of"]]["heads_of"].unique())


def _reading(rows: pd.DataFrame) -> Section:
    columns = ["task", "arm", "seed", "reading_layer", "reading_head", "loss", "without", "draws"]
    intervals = [f"{name}{end}" for name in ("share", "entropy") for end in ("", "_low", "_high")]
    table = rows.assign(without=rows["off"].map(READ_WORDS))[[*columns, *intervals, "count"]]
    return Section(
        "T10: the high head that reads them",
        "Of the upper half, among heads whose [CLS] row gives shared terms more than other terms "
        "and more than tokens at large, the one without which the loss on training examples rises "
        "most (by 'loss'). Its [CLS] row on validation examples: the share of its weight on shared "
        "terms, and its entropy in nats.",
        (
            Table(
                "matching-reading",
                "[CLS] row of the head that reads",
                "Each row shows the [CLS] row of this head while the heads under 'without' are "
                "off. 'share' and 'entropy' are means over examples with 95% intervals, of random "
                "heads over 'draws' sets too; 'count' examples have a term in both texts.",
                table,
            ),
        ),
    )


PAGE = Page(
    order=10,
    group="Heads turned off",
    title="Heads that match terms",
    summary="Which heads link equal words across a pair, and what depends on them.",
    studies=("T7", "T8", "T10"),
    sections=sections,
    heads=heads,
    in_short=in_short,
)
