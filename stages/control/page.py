"""The control of the tables about heads: the same places in an encoder that began at random."""

from contextlib import suppress

import pandas as pd

from stages.control.said import said_of_heads
from stages.control.tables import GATES, HELD_OUT, MEANS
from stages.core.outcomes import tables as tuned
from stages.core.outcomes.deciding import deciding
from stages.core.pages.heatmaps import colour_limit
from stages.core.pages.joined_seeds import drawn_rows_over_seeds
from stages.core.pages.page import Page, Section, Table
from stages.core.pages.shared_figures import (
    CHANGE,
    POINTS,
    SIGNIFICANCE,
    by_task,
    effects,
    effects_figure,
    precisions,
    preferred_mode,
    single_heads,
)
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.stage.tables import MeasuredTable, interval_columns
from stages.core.verdicts.answers import NotMeasured, some_rows
from stages.core.verdicts.measures import Measures

MOST_SENTENCES = 3  # at the top of the page


def sections(measures: Measures) -> list[Section]:
    return [_heads_off(measures)]


def in_short(measures: Measures) -> list[str]:
    table = _side_by_side(measures)
    mode = preferred_mode(effects(measures, GATES))
    return said_of_heads(table[table["mode"] == mode])[:MOST_SENTENCES]


def heads(measures: Measures) -> pd.DataFrame:
    """Of the encoder that began with random weights: the effect of each head off."""
    off = by_task(effects(measures, GATES))
    return off.add_prefix(f"{TUNED_FROM_RANDOM}, off: ").add_suffix(" (points)")


def _heads_off(measures: Measures) -> Section:
    gates = effects(measures, GATES)
    mode = preferred_mode(gates)
    table = _side_by_side(measures)
    return Section(
        "Each head alone",
        "One head at a time is off in an encoder that was tuned from random weights. What shows "
        "here as well as with pretrained weights is no work of pretraining; layer and head are a "
        "mere place, as head 3 of layer 2 has nothing to do with the pretrained one there. Layers "
        "and random shares of heads are turned off as well, for the claims about them; the mode "
        f"mean has no such control. {precisions(gates)}",
        (
            Table(
                "control-heads",
                "Pretrained and random weights side by side",
                "Accuracy, or the correlation of scores, with all heads on, and in points of it: "
                "the mean effect of a head that is off with its interval, the largest gain and "
                f"loss, how many heads help or hurt (p < {SIGNIFICANCE} after Holm), and the gain "
                "of the best head, chosen on one half of the examples and scored on the other. "
                "Where the encoder with random weights has learnt little, turning heads off can "
                "change little.",
                table,
            ),
            effects_figure(
                f"control-heads-{mode}",
                f"{CHANGE} with one head off ({mode}, points): random weights",
                single_heads(gates, mode, "points"),
                "points",
                finding=" ".join(said_of_heads(table[table["mode"] == mode])),
                at_least=_reach_beside(measures, mode),
            ),
        ),
    )


def _reach_beside(measures: Measures, mode: str) -> float:
    """How far the colours reach of the pretrained encoder's figure; 0 where there is none.

    Effects that are small beside those of the pretrained encoder look small.
    """
    with suppress(NotMeasured):
        cells = single_heads(effects(measures, tuned.GATES), mode, "points")
        return colour_limit(cells["effect"])[0]
    return 0.0


def _side_by_side(measures: Measures) -> pd.DataFrame:
    """One row a task, mode and arm, where the encoder that began at random was measured."""
    own = _single_heads_off(measures, GATES, MEANS, HELD_OUT)
    beside = _single_heads_off(measures, tuned.GATES, tuned.MEANS, tuned.HELD_OUT)
    beside = beside[beside.index.isin(own.index)]
    table = pd.concat([beside.assign(weights=TUNED), own.assign(weights=TUNED_FROM_RANDOM)])
    table = table.reset_index()
    table.insert(2, "weights", table.pop("weights"))
    task_order = pd.Categorical(table["task"], measures.tasks)
    return table.assign(task=task_order).sort_values(["task", "mode"], kind="stable")


def _single_heads_off(
    measures: Measures,
    gates_of: MeasuredTable,
    means_of: MeasuredTable,
    held_out_of: MeasuredTable,
) -> pd.DataFrame:
    """What turning off single heads does to one encoder, by task and mode."""
    mean = some_rows(deciding(measures.drawn(means_of)))
    names, keys = ("effect", "low", "high"), ["task", "mode"]
    mean = mean[mean["family"] == "head"]
    mean = drawn_rows_over_seeds(mean, keys, [names]).set_index(keys)
    mean = POINTS * mean[list(names)]
    chosen = some_rows(deciding(measures.frame(held_out_of)))
    chosen = chosen[(chosen["family"] == "head") & (chosen["picked"] == "best")]
    best = POINTS * chosen.groupby(["task", "mode"])["effect_heldout"].mean()
    heads = effects(measures, gates_of)
    heads = heads[heads["family"] == "head"]
    rows = {}
    for place, cells in heads.groupby(["task", "mode"], sort=False):
        sure = cells.loc[cells["p_holm"] < SIGNIFICANCE, "effect_points"]
        rows[place] = {
            "examples": int(cells["examples"].iloc[0]),
            "all_heads_on": POINTS * cells["baseline"].iloc[0],
            **interval_columns("mean", *mean.loc[place, ["effect", "low", "high"]]),
            "largest_gain": cells["effect_points"].max(),
            "largest_loss": cells["effect_points"].min(),
            "helping_heads": int((sure > 0).sum()),
            "hurting_heads": int((sure < 0).sum()),
            "best_held_out": best[place],
        }
    table = pd.DataFrame(list(rows.values()), index=pd.MultiIndex.from_tuples(rows))
    return table.rename_axis(["task", "mode"])


PAGE = Page(
    order=9,
    group="Heads turned off",
    title="Control: random weights",
    summary="What turning heads off and tuning do in an encoder that began with random weights.",
    studies=(),
    sections=sections,
    heads=heads,
    in_short=in_short,
)
