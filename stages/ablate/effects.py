"""From the outcomes under every gate to effects with intervals (K8, K9, T2, T3, T4, T9).

A stage of its own, so that another number of resamples, or another statistic, does not turn the
heads off anew.
"""

from collections import defaultdict

import pandas as pd

from stages.core.outcomes.effects import fixed_tables, random_tables
from stages.core.outcomes.outcomes import read_outcomes
from stages.core.outcomes.tables import CURVES, GAPS, GATES, HELD_OUT, MEANS
from stages.core.stage.command import SeedsOption, TaskOption, stage_command
from stages.core.stage.places import outcomes_folder
from stages.core.stage.settings import Resampled, section
from stages.core.stage.tables import MeasuredTable
from stages.core.tasks.task import load_task, seeds_of


class Effects(Resampled):
    """The section `effects` of `params.yaml`."""


def main(task: TaskOption, seed: SeedsOption = None) -> None:
    """Work out the effects of the gates of `work/ablate`, with paired bootstrap intervals."""
    parameters = section(Effects, "effects").model_dump()
    definition = load_task(task)
    found: dict[MeasuredTable, list[pd.DataFrame]] = defaultdict(list)
    for tuned_with in seeds_of(task, seed):
        folder = outcomes_folder(task, tuned_with)
        fixed, shares = (
            read_outcomes(folder / name, definition.metrics[0], definition.kind)
            for name in ("fixed", "shares")
        )
        of_fixed, of_shares = fixed_tables(fixed, **parameters), random_tables(shares, **parameters)
        for declared, table in (
            (GATES, of_fixed["gates"]),
            (GATES, of_shares["gates"]),
            (MEANS, of_fixed["means"]),
            (HELD_OUT, of_fixed["held_out"]),
            (CURVES, of_shares["curves"]),
            (GAPS, of_shares["gaps"]),
        ):
            found[declared].append(table.assign(seed=tuned_with))
    for declared, tables in found.items():
        declared.write(tables, task=task)


if __name__ == "__main__":
    stage_command(main)
