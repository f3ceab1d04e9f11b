"""From the outcomes under every gate to effects with intervals (K8, K9, T2, T3, T4, T9).

A stage of its own, so that another number of resamples, or another statistic, does not turn the
heads off anew.
"""

from collections import defaultdict
from itertools import product

from pydantic import PositiveInt

from stages.core.outcomes.deciding import effect_metrics
from stages.core.outcomes.effects import DrawnTable, fixed_tables, random_tables, write_drawn
from stages.core.outcomes.outcomes import read_outcomes
from stages.core.outcomes.tables import CURVES, GAPS, GATES, HELD_OUT, MEANS
from stages.core.stage.arms import TUNED
from stages.core.stage.places import outcomes_folder
from stages.core.stage.settings import Resampled, section
from stages.core.tasks.task import load_task, seeds_of

TABLES = {"gates": GATES, "means": MEANS, "held_out": HELD_OUT, "curves": CURVES, "gaps": GAPS}


class Effects(Resampled, section="effects"):
    """The section `effects` of `params.yaml`."""

    splits: PositiveInt


def run_stage(task: str, seed: int | None = None) -> None:
    """Work out the effects of the gates of `work/ablate`, with paired bootstrap intervals.

    They are in every metric of `effect_metrics`, one below the other, for every seed.
    """
    parameters = section(Effects, "effects")
    definition = load_task(task)
    resampling = {"resamples": parameters.resamples, "seed": parameters.seed}
    found: dict[str, list[DrawnTable]] = defaultdict(list)
    for tuned_with, metric in product(seeds_of(task, seed), effect_metrics(definition)):
        folder = outcomes_folder(task, tuned_with)
        # Modes have examples of their own.
        for of_mode in sorted(folder.glob("*-*")):
            outcomes = read_outcomes(of_mode, metric, definition.kind)
            if of_mode.name.startswith("fixed-"):
                tables = fixed_tables(outcomes, splits=parameters.splits, arm=TUNED, **resampling)
            else:
                tables = random_tables(outcomes, **resampling)
            for name, table in tables.items():
                found[name].append(table.of_seed(tuned_with))
    for name, declared in TABLES.items():
        write_drawn(declared, found[name], task=task)
