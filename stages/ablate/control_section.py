"""The section of the control: the same places in an encoder that was tuned from random weights."""

from contextlib import suppress

import pandas as pd

from stages.core.outcomes.deciding import deciding
from stages.core.outcomes.tables import HELD_OUT, MEANS
from stages.core.pages.heatmaps import colour_limit
from stages.core.pages.joined_seeds import drawn_rows_over_seeds
from stages.core.pages.page import Section, Table
from stages.core.pages.said import interval, number
from stages.core.pages.shared_figures import (
    CHANGE,
    POINTS,
    SIGNIFICANCE,
    effects,
    effects_figure,
    precisions,
    preferred_mode,
    single_heads,
)
from stages.core.stage.arms import TUNED, TUNED_FROM_RANDOM, Arm
from stages.core.stage.tables import interval_columns
from stages.core.verdicts.answers import NotMeasured, some_rows
from stages.core.verdicts.measures import Measures, of_arm

FORM = "+.1f"


def control_section(measures: Measures) -> Section:
    """Single heads of both arms side by side, and the figure of the control.

    Raises:
        NotMeasured: no head of the control was ablated.
    """
    gates = effects(measures, TUNED_FROM_RANDOM)
    mode = preferred_mode(gates)
    table = _side_by_side(measures)
    return Section(
        "Control: each head alone, random weights",
        "One head at a time is ablated in an encoder that was tuned from random weights. An effect "
        "that also appears here is not caused by pretraining. Layer and head are a mere place: "
        "head 3 of layer 2 has nothing to do with the pretrained one there. Layers and random "
        "shares of heads are ablated as well, for the claims about them. The mode mean has no "
        f"control. {precisions(gates)}",
        (
            Table(
                "ablate-control-heads",
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
                f"ablate-control-heads-{mode}",
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
        cells = single_heads(effects(measures, TUNED), mode, "points")
        return colour_limit(cells["effect"])[0]
    return 0.0


def _side_by_side(measures: Measures) -> pd.DataFrame:
    """One row a task, mode and arm, where the control was measured."""
    control, tuned = (_single_heads_off(measures, arm) for arm in (TUNED_FROM_RANDOM, TUNED))
    tuned = tuned[tuned.index.isin(control.index)]
    table = pd.concat([tuned.assign(arm=TUNED), control.assign(arm=TUNED_FROM_RANDOM)])
    table = table.reset_index()
    table.insert(2, "arm", table.pop("arm"))
    task_order = pd.Categorical(table["task"], measures.tasks)
    return table.assign(task=task_order).sort_values(["task", "mode"], kind="stable")


def _single_heads_off(measures: Measures, arm: Arm) -> pd.DataFrame:
    """What ablating single heads does to one arm, by task and mode."""
    mean = some_rows(deciding(of_arm(measures.drawn(MEANS), arm)))
    names, keys = ("effect", "low", "high"), ["task", "mode"]
    mean = mean[mean["family"] == "head"]
    mean = drawn_rows_over_seeds(mean, keys, [names]).set_index(keys)
    mean = POINTS * mean[list(names)]
    chosen = some_rows(deciding(of_arm(measures.frame(HELD_OUT), arm)))
    chosen = chosen[(chosen["family"] == "head") & (chosen["picked"] == "best")]
    best = POINTS * chosen.groupby(["task", "mode"])["effect_heldout"].mean()
    heads = effects(measures, arm)
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


def said_of_heads(table: pd.DataFrame) -> list[str]:
    """For each task what ablating one head does, with pretrained weights and with random ones.

    Args:
        table: one row a task and arm, in points, under one mode.
    """
    sentences = []
    for task, arms in table.groupby("task", sort=False, observed=True):
        rows = arms.set_index("arm")
        if not {TUNED, TUNED_FROM_RANDOM} <= set(rows.index):
            continue
        pretrained, control = rows.loc[TUNED], rows.loc[TUNED_FROM_RANDOM]
        sentences.append(
            f"{task}: with all heads on, {number(pretrained['all_heads_on'], '.1f')} points with "
            f"pretrained weights and {number(control['all_heads_on'], '.1f')} with random ones; "
            f"one head ablated changes them by {_mean(pretrained)} and {_mean(control)} on "
            f"average, by {_largest(pretrained)} and {_largest(control)} at most."
        )
    return sentences


def _mean(row: pd.Series) -> str:
    return f"{number(row['mean'], FORM)} {interval(row['mean_low'], row['mean_high'], FORM)}"


def _largest(row: pd.Series) -> str:
    """The largest change, of whatever sign."""
    gain, loss = row["largest_gain"], row["largest_loss"]
    return number(gain if gain > -loss else loss, FORM)
