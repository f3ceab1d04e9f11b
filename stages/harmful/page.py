"""Heads that hurt, and what sets them apart (query-title study, conclusion; B1)."""

import pandas as pd

from stages.core.pages.charts import dots
from stages.core.pages.page import Figure, Page, Section, Table
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.stage.tables import drawn_name, interval_names
from stages.core.verdicts.estimates import rows_over_seeds
from stages.core.verdicts.measures import Measures
from stages.harmful.apart import PLACE, apart
from stages.harmful.repeated import repeated
from stages.harmful.said import of_loss_in_percent, said_of_loss, said_of_metric
from stages.harmful.tables import (
    CALIBRATION,
    EXAMPLES,
    HEADS,
    SAVING,
    SCORES,
    SPREAD,
)

POINTS = PERCENT = 100


def sections(measures: Measures) -> list[Section]:
    scores, heads = measures.drawn(SCORES), measures.frame(HEADS)
    return [
        _scores(scores, measures.frame(SAVING)),
        _spread(measures.frame(SPREAD), measures.frame(EXAMPLES)),
        repeated(measures),
        apart(_over_seeds(heads), measures),
    ]


def in_short(measures: Measures) -> list[str]:
    """What is gained without the heads that hurt: the loss, the metric, and in the control."""
    scores = measures.drawn(SCORES)
    said = [
        said_of_loss(scores, TUNED),
        said_of_metric(scores),
        said_of_loss(scores, TUNED_FROM_RANDOM),
    ]
    return [sentence for sentence in said if sentence]


def heads(measures: Measures) -> pd.DataFrame:
    """Change of each task's loss without each head, mean over fine-tunings."""
    cells = _over_seeds(measures.frame(HEADS))
    table = cells.pivot(index=PLACE, columns="task", values="loss")
    return table[cells["task"].unique()].add_prefix("loss without: ")


def _over_seeds(rows: pd.DataFrame) -> pd.DataFrame:
    """The tuned encoders' heads, one row a task, layer and head, over fine-tunings."""
    rows = rows[rows["arm"] == TUNED]
    keys = ["task", *PLACE]
    names = [interval_names(name) for name in ("loss", "confidence", "entropy")]
    table = rows_over_seeds(rows, keys, names)
    chosen = rows.groupby(keys, sort=False)["chosen"].mean().reset_index()
    return table.merge(chosen, on=keys, validate="one_to_one")


def _scores(rows: pd.DataFrame, saving: pd.DataFrame) -> Section:
    drawn, of_loss = [], of_loss_in_percent(rows)
    for name in ("change", "random"):
        columns = dict(zip(interval_names(name), interval_names(value="value"), strict=True))
        values = of_loss[[*columns]].rename(columns=columns)
        run = of_loss["task"] + ", " + of_loss["arm"] + " " + of_loss["seed"].astype(str)
        what = "heads that hurt" if name == "change" else "random heads"
        drawn.append(values.assign(run=run, off=what))
    table = rows.drop(columns=[drawn_name(name) for name in SCORES.resampled])
    return Section(
        "B1: what is gained without the heads that hurt?",
        "A head hurts where the loss is lower without it. Each half of the examples ranks the few "
        "heads without which, each alone, its loss is lowest, and takes as many of the first as "
        "lower it most together; these are set to zero, and the other half is scored. Both "
        "halves choose for each other, in several divisions, so that no example scores what it "
        "chose. Beside them stand as many random heads, and the "
        "same procedure on an encoder that was tuned from random weights: where that has not "
        "learnt the task, no head that is off changes much, and claims leave it out.",
        (
            Figure(
                "harmful-loss",
                "Change of the loss without heads that hurt, and without random ones",
                "Dots show how the loss of each fine-tuning changes without the heads that hurt, "
                "and without random ones, in percent of the loss with all heads on; below 0 the "
                "encoder is better without. Lines are 95% bootstrap intervals over the examples of "
                "one fine-tuning, of random heads over their sets too.",
                dots(pd.concat(drawn), "run", "change of the loss, percent", group="off"),
                finding=" ".join(
                    said for arm in rows["arm"].unique() if (said := said_of_loss(rows, arm))
                ),
            ),
            Table(
                "harmful-scores",
                "Loss, metrics and calibration with all heads on, and without those that hurt",
                "Each row compares a 'figure' of one fine-tuning ('arm', 'seed') with all heads on "
                "('full') and without those that hurt ('cut'). 'heads_off' says how many heads "
                "these are, mean over halves, 'examples' on how many examples the figure is "
                "measured, and 'chosen_on' how many choose the heads. "
                "'loss' is cross-entropy in nats, or a squared error; metrics are shares. "
                f"'{CALIBRATION}' is the expected calibration error of classes (bins of equal "
                "width by the probability of the class that is named); scores have no probability, "
                "so of these it is the distance between the mean prediction and the mean label, in "
                "bins by prediction and in the label's unit. 'change' is cut less full, on the "
                "halves that did not choose; 'change_where_chosen' is the same on those that did, "
                "where it flatters. 'random' is the change without as many random heads (one, "
                "where no head hurts), on fewer of the examples (setting harmful.random_examples), "
                "and 'beyond' is change less random.",
                table[["task", *table.columns.drop("task")]],
            ),
            Table(
                "harmful-saving",
                "What removing as many heads would save: computed, not measured",
                "The table says what share of the multiplications 'heads_off' heads less would "
                "save: 'of_attention' of those of attention (projections and products of maps), "
                "'of_encoder' of all of the encoder's, at these examples' lengths ('tokens' is "
                "their mean). transformers 5 loads no layers "
                "with fewer heads; 'python -m tools.cut' writes a checkpoint whose columns for the "
                "heads are zero, which predicts the same and is no faster.",
                saving[["task", *saving.columns.drop("task")]],
            ),
        ),
    )


def _spread(rows: pd.DataFrame, examples: pd.DataFrame) -> Section:
    first = examples[(examples["arm"] == TUNED)].groupby("task", sort=False)["seed"].first()
    examples = examples[
        (examples["arm"] == TUNED) & (examples["seed"] == examples["task"].map(first))
    ]
    return Section(
        "By single examples, or everywhere?",
        "Each example's loss with all heads on, less that without the heads which the half without "
        "it chose. A few examples could make the whole fall.",
        (
            Table(
                "harmful-spread",
                "How the fall of the loss is spread over examples",
                "The table shows whether a few examples make the fall of the loss. 'falls' is the "
                "share of the examples whose loss falls. 'top_share' is, of all that falls, the "
                "share in that twentieth of the examples where it falls most. 'trimmed' is the "
                "mean fall when a twentieth of the examples is left out at either end, above 0 "
                "where the rest gains as well. Beside the chosen heads stand random ones.",
                rows[["task", *rows.columns.drop("task")]],
            ),
            Table(
                "harmful-examples",
                "The examples that gain most",
                "The table lists the examples whose loss falls most in the first fine-tuning. "
                "'full' is what the model says with all heads on, 'cut' without those that hurt, "
                "classes by their number; 'fall' is by how much the loss falls, and 'share' its "
                "share of all that falls.",
                examples[["task", *examples.columns.drop("task")]],
            ),
        ),
    )


PAGE = Page(
    order=10,
    group="Heads turned off",
    title="Heads that hurt",
    summary="Which heads the encoders are better without, and what sets these apart.",
    studies=("B1",),
    sections=sections,
    heads=heads,
    in_short=in_short,
)
