"""From the outcomes under every gate to effects with intervals (K8, K9, T2, T3, T4, T9).

A stage of its own, so that another number of resamples, or another statistic, does not turn the
heads off anew.
"""

from pydantic import PositiveInt

from stages.core.outcomes.deciding import effect_metrics
from stages.core.outcomes.effects import fixed_tables, random_tables, write_drawn
from stages.core.outcomes.outcomes import read_outcomes
from stages.core.outcomes.tables import CURVES, GAPS, GATES, HELD_OUT, MEANS
from stages.core.stage.arms import TUNED
from stages.core.stage.command import SeedOption, TaskOption, stage_command
from stages.core.stage.places import outcomes_folder
from stages.core.stage.settings import Resampled, section
from stages.core.tasks.task import load_task


class Effects(Resampled):
    """The section `effects` of `params.yaml`."""

    splits: PositiveInt


def main(task: TaskOption, seed: SeedOption) -> None:
    """Work out the effects of the gates of `work/ablate`, with paired bootstrap intervals.

    They are in every metric of `effect_metrics`, one below the other.
    """
    parameters = section(Effects, "effects")
    definition = load_task(task)
    folder = outcomes_folder(task, seed)
    resampling = {"resamples": parameters.resamples, "seed": parameters.seed}
    fixed, shares = [], []
    for metric in effect_metrics(definition):
        # Modes have examples of their own.
        for of_mode in sorted(folder.glob("fixed-*")):
            outcomes = read_outcomes(of_mode, metric, definition.kind)
            fixed.append(fixed_tables(outcomes, splits=parameters.splits, arm=TUNED, **resampling))
        for of_mode in sorted(folder.glob("shares-*")):
            outcomes = read_outcomes(of_mode, metric, definition.kind)
            shares.append(random_tables(outcomes, **resampling))
    for declared, name in ((GATES, "gates"), (MEANS, "means"), (HELD_OUT, "held_out")):
        write_drawn(declared, [tables[name] for tables in fixed], task=task, seed=seed)
    for declared, name in ((CURVES, "curves"), (GAPS, "gaps")):
        write_drawn(declared, [tables[name] for tables in shares], task=task, seed=seed)


if __name__ == "__main__":
    stage_command(main)
