"""Ablate heads and see what it does (Kovaleva et al. 2019, 4.6; query-title study, 2.1, 2.4.2).

Every head, every layer, and random shares of the heads of all, the lower and the upper layers are
ablated in the modes zero, uniform and mean. From the outcome of every gate on every example follow
effects with intervals (K8, K9, T2, T3, T4, T9). The control is an encoder of the same geometry that
was tuned on the same task from random weights: an effect that also appears there is not caused by
pretraining.
"""

from collections import defaultdict

import pandas as pd

from stages.ablate.gates import RUNS, outcomes_of
from stages.ablate.settings import Ablate
from stages.core.control_seeds import tuned_arms
from stages.core.finished import forget_others, publish
from stages.core.outcomes.deciding import effect_metrics
from stages.core.outcomes.effects import fixed_tables, random_tables
from stages.core.outcomes.outcomes import read_outcomes
from stages.core.outcomes.tables import CURVES, GAPS, GATES, HELD_OUT, MEANS
from stages.core.stage.arms import TUNED
from stages.core.stage.places import outcomes_folder
from stages.core.stage.settings import section
from stages.core.tables import Table
from stages.core.tasks.task import load_task

TABLES = (GATES, MEANS, HELD_OUT, CURVES, GAPS)


def run_stage(task: str, seed: int | None = None) -> None:
    """Ablate every head, every layer and random shares of heads of the tuned encoders of TASK.

    Outcomes of a seed that are finished are kept. Killed and run again, it goes on with the first
    batch that was not finished.
    """
    settings = section(Ablate, "ablate")
    definition = load_task(task)
    models = tuned_arms(task, seed)
    if seed is None:
        forget_others(RUNS / task, [f"{arm}-{number}" for arm, number in models])
    resampling = {"resamples": settings.resamples, "seed": settings.seed}
    rows: dict[Table, list[pd.DataFrame]] = defaultdict(list)
    for arm, number in models:
        folder = outcomes_of(task, arm, number, settings)
        if arm == TUNED:  # `importance` and `harmful` read these
            publish(folder, outcomes_folder(task, number))
        for metric in effect_metrics(definition):
            for gate_set in sorted(folder.iterdir()):
                outcomes = read_outcomes(gate_set, metric, definition.kind)
                if gate_set.name.startswith("fixed-"):
                    effects = fixed_tables(outcomes, splits=settings.splits, arm=arm, **resampling)
                else:
                    effects = random_tables(outcomes, **resampling)
                for table, of_table in effects.items():
                    rows[table].append(of_table.assign(seed=number, arm=arm))
    for table in TABLES:
        table.write(rows[table], data=task)
