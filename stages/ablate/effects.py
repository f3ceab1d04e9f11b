"""From the outcomes under every gate to effects with intervals (K8, K9, T2, T3, T4, T9).

A stage of its own, so that another number of resamples, or another statistic, does not turn the
heads off anew.
"""

from stages.core.outcomes.effects import fixed_tables, random_tables
from stages.core.outcomes.outcomes import read_outcomes
from stages.core.outcomes.tables import CURVES, GAPS, GATES, HELD_OUT, MEANS
from stages.core.stage.command import SeedOption, TaskOption, stage_command
from stages.core.stage.places import outcomes_folder
from stages.core.stage.settings import Resampled, section
from stages.core.tasks.task import load_task


class Effects(Resampled):
    """The section `effects` of `params.yaml`."""


def main(task: TaskOption, seed: SeedOption) -> None:
    """Work out the effects of the gates of `work/ablate`, with paired bootstrap intervals."""
    parameters = section(Effects, "effects").model_dump()
    definition = load_task(task)
    folder = outcomes_folder(task, seed)
    fixed, shares = (
        read_outcomes(folder / name, definition.metrics[0], definition.kind)
        for name in ("fixed", "shares")
    )
    of_fixed, of_shares = fixed_tables(fixed, **parameters), random_tables(shares, **parameters)
    GATES.write([of_fixed["gates"], of_shares["gates"]], task=task, seed=seed)
    MEANS.write(of_fixed["means"], task=task, seed=seed)
    HELD_OUT.write(of_fixed["held_out"], task=task, seed=seed)
    CURVES.write(of_shares["curves"], task=task, seed=seed)
    GAPS.write(of_shares["gaps"], task=task, seed=seed)


if __name__ == "__main__":
    stage_command(main)
