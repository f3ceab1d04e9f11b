"""How tuning changes the maps of an encoder that began with random weights: the control."""

import pandas as pd

from stages.core.maps.tables import TUNED_HEADS
from stages.core.pages.page import Page, Section, Table
from stages.core.pages.said import number
from stages.core.pages.shared_figures import cosines_over_seeds, similarity_figure
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM
from stages.core.verdicts.measures import Measures, of_arm


def sections(measures: Measures) -> list[Section]:
    cosines = measures.frame(TUNED_HEADS)
    control = cosines_over_seeds(of_arm(cosines, TUNED_FROM_RANDOM))
    tuned = of_arm(cosines, TUNED)
    tuned = tuned[tuned["variant"] == "cropped"]
    layers = pd.concat([tuned, control.assign(arm=TUNED_FROM_RANDOM)], ignore_index=True)
    table = layers.pivot_table(
        index=["task", "arm"], columns="layer", values="cosine", aggfunc="mean", sort=False
    )
    section = Section(
        "Maps before and after tuning",
        "Cosine between each head's maps before and after tuning, padding cut off, of an encoder "
        "that began with random weights: its maps start out nearly uniform. With pretrained "
        "weights all validation examples are compared, with random ones those of "
        "`drift.control`.",
        (
            similarity_figure(
                "drift-control",
                "Similarity of maps before and after tuning: random weights",
                control,
                finding=" ".join(said_of_drift(layers)),
            ),
            Table(
                "drift-control-layers",
                "Mean of each layer, pretrained and random weights side by side",
                "Mean cosine over the layer's heads.",
                table.sort_index(axis=1).add_prefix("layer ").reset_index(),
            ),
        ),
    )
    return [section]


def heads(measures: Measures) -> pd.DataFrame:
    """Cosine of each head's maps before and after tuning from random weights, mean over tasks."""
    drift = of_arm(measures.frame(TUNED_HEADS), TUNED_FROM_RANDOM)
    mean = drift.groupby(["layer", "head"])["cosine"].mean()
    return mean.rename(f"{TUNED_FROM_RANDOM}, cosine before/after tuning").to_frame()


def said_of_drift(layers: pd.DataFrame) -> list[str]:
    """For each task the mean cosine of both arms.

    Args:
        layers: one row a task, layer, head and arm, with the cosine.
    """
    sentences = []
    for task, arms in layers.groupby("task", sort=False):
        means = arms.groupby("arm")["cosine"].mean()
        if {TUNED, TUNED_FROM_RANDOM} <= set(means.index):
            sentences.append(
                f"{task}: mean cosine over heads {number(means[TUNED_FROM_RANDOM], '.2f')} with "
                f"random weights, {number(means[TUNED], '.2f')} with pretrained ones."
            )
    return sentences


PAGE = Page(
    order=9,
    group="What tuning does",
    title="Control: change of maps",
    summary="How tuning changes the maps of an encoder that began with random weights.",
    studies=(),
    sections=sections,
    heads=heads,
)
