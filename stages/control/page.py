"""The control of the tables about heads: the same places in an encoder that began at random."""

import pandas as pd

from stages.core.outcomes import tables as tuned
from stages.core.pages.page import Page, Section, Table
from stages.core.pages.shared_figures import (
    POINTS,
    SIGNIFICANCE,
    by_task,
    effects,
    effects_figure,
    precisions,
    preferred_mode,
    similarity_figure,
    single_heads,
)
from stages.core.verdicts.measures import Measures

GATES = "control/{task}-{seed}.parquet"
MEANS = "control/{task}-{seed}-means.parquet"
HELD_OUT = "control/{task}-{seed}-heldout.parquet"
DRIFT = "control/{task}-{seed}-drift.parquet"
PRETRAINED_MEANS = "effects/{task}-{seed}-means.parquet"
PRETRAINED, RANDOM = "pretrained", "random weights"


def sections(measures: Measures) -> list[Section]:
    return [_heads_off(measures), _drift(measures)]


def heads(measures: Measures) -> pd.DataFrame:
    """Of the encoder that began with random weights: drift, and the effect of each head off."""
    drift = measures.frame(DRIFT).groupby(["layer", "head"])["cosine"].mean()
    off = by_task(effects(measures, GATES))
    return (
        off.add_prefix("random weights, off: ")
        .add_suffix(" (points)")
        .join(drift.rename("random weights, cosine before/after tuning"))
    )


def _heads_off(measures: Measures) -> Section:
    gates = effects(measures, GATES)
    mode = preferred_mode(gates)
    return Section(
        "Each head alone",
        "One head at a time is off in an encoder that was tuned from random weights. What shows "
        "here as well as with pretrained weights is no work of pretraining; layer and head are a "
        "mere place, as head 3 of layer 2 has nothing to do with the pretrained one there. Layers, "
        f"random shares and the mode `mean` have no such control. {precisions(gates)}",
        (
            Table(
                "control-heads",
                "Pretrained and random weights side by side",
                "The primary metric with all heads on, and in points of it: the mean effect of a "
                "head that is off with its interval, the largest gain and loss, how many heads "
                f"help or hurt (p < {SIGNIFICANCE} after Holm), and the gain of the best head, "
                "chosen on one half of the examples and scored on the other. Where the encoder "
                "with random weights has learnt little, turning heads off can change little.",
                _side_by_side(measures),
            ),
            effects_figure(
                f"control-heads-{mode}",
                f"Change of the primary metric with one head off ({mode}, points): random weights",
                single_heads(gates, mode, "points"),
                "points",
            ),
        ),
    )


def _side_by_side(measures: Measures) -> pd.DataFrame:
    rows = []
    for weights, gates, means, held_out in (
        (PRETRAINED, PRETRAINED_GATES, PRETRAINED_MEANS, PRETRAINED_HELD_OUT),
        (RANDOM, GATES, MEANS, HELD_OUT),
    ):
        mean = measures.frame(means)
        mean = mean[mean["family"] == "head"].groupby(["task", "mode"])
        mean = POINTS * mean[["effect", "low", "high"]].mean()
        chosen = measures.frame(held_out)
        chosen = chosen[(chosen["family"] == "head") & (chosen["picked"] == "best")]
        best = POINTS * chosen.groupby(["task", "mode"])["effect_heldout"].mean()
        table = effects(measures, gates)
        table = table[table["family"] == "head"]
        for (task, mode), cells in table.groupby(["task", "mode"], sort=False):
            sure = cells.loc[cells["p_holm"] < SIGNIFICANCE, "effect_points"]
            rows.append(
                {
                    "task": task,
                    "mode": mode,
                    "weights": weights,
                    "examples": int(cells["examples"].iloc[0]),
                    "all_heads_on": POINTS * cells["baseline"].iloc[0],
                    "mean": mean.loc[(task, mode), "effect"],
                    "mean_low": mean.loc[(task, mode), "low"],
                    "mean_high": mean.loc[(task, mode), "high"],
                    "largest_gain": cells["effect_points"].max(),
                    "largest_loss": cells["effect_points"].min(),
                    "helping_heads": int((sure > 0).sum()),
                    "hurting_heads": int((sure < 0).sum()),
                    "best_held_out": best[task, mode],
                }
            )
    table = pd.DataFrame(rows)
    measured = table[table["weights"] == RANDOM].set_index(["task", "mode"]).index
    table = table[table.set_index(["task", "mode"]).index.isin(measured)]
    task_order = pd.Categorical(table["task"], measures.tasks)
    return table.assign(task=task_order).sort_values(["task", "mode"], kind="stable")


def _drift(measures: Measures) -> Section:
    # Seeds are averaged.
    cells = measures.frame(DRIFT).groupby(["task", "layer", "head"], sort=False)
    cells = cells[["cosine", "low", "high"]].mean().reset_index()
    pretrained = measures.frame(PRETRAINED_DRIFT)
    pretrained = pretrained[pretrained["variant"] == "cropped"]
    layers = pd.concat(
        [pretrained.assign(weights=PRETRAINED), cells.assign(weights=RANDOM)], ignore_index=True
    )
    table = layers.pivot_table(
        index=["task", "weights"], columns="layer", values="cosine", aggfunc="mean", sort=False
    )
    return Section(
        "Maps before and after tuning",
        "Cosine between each head's maps before and after tuning, padding cut off, of an encoder "
        "that began with random weights: its maps start out nearly uniform. With pretrained "
        "weights all validation examples are compared, with random ones those of the stage "
        "`control`.",
        (
            similarity_figure(
                "control-drift",
                "Similarity of maps before and after tuning: random weights",
                cells,
            ),
            Table(
                "control-drift-layers",
                "Mean of each layer, pretrained and random weights side by side",
                "Mean cosine over the layer's heads.",
                table.sort_index(axis=1).add_prefix("layer ").reset_index(),
            ),
        ),
    )


PAGE = Page(
    order=9,
    title="Control: random weights",
    summary="What turning heads off and tuning do in an encoder that began with random weights.",
    studies=(),
    sections=sections,
    heads=heads,
)
