"""From the outcomes under every gate to effects with intervals (K8, K9, T2, T3, T4, T9).

A stage of its own, so that another number of resamples, or another statistic, does not turn the
heads off anew.
"""

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from pydantic import Field

from stages.core.outcomes.effects import fixed_tables, random_tables
from stages.core.outcomes.outcomes import read_outcomes
from stages.core.stage.command import stage_command
from stages.core.stage.files import atomic
from stages.core.stage.places import outcomes_folder
from stages.core.stage.settings import Parameters, section
from stages.core.tasks.task import load_task


class Effects(Parameters):
    """The section `effects` of `params.yaml`."""

    resamples: int = Field(gt=0)  # of the bootstrap over examples
    seed: int


def main(
    task: Annotated[str, typer.Option(help="An entry of `tasks` in params.yaml.")],
    seed: Annotated[int, typer.Option(help="The seed that the model was tuned with.")],
) -> None:
    """Work out the effects of the gates of `work/ablate`, with paired bootstrap intervals."""
    parameters = section(Effects, "effects").model_dump()
    definition = load_task(task)
    folder = outcomes_folder(task, seed)
    fixed, shares = (
        read_outcomes(folder / name, definition.metrics[0], definition.kind)
        for name in ("fixed", "shares")
    )
    of_fixed, of_shares = fixed_tables(fixed, **parameters), random_tables(shares, **parameters)
    both = pd.concat([of_fixed[""], of_shares[""]], ignore_index=True)
    tables = {**of_fixed, **of_shares, "": both}
    for suffix, table in tables.items():
        with atomic(Path("work/measures/effects") / f"{task}-{seed}{suffix}.parquet") as partial:
            table.to_parquet(partial, index=False)


if __name__ == "__main__":
    stage_command(main)
