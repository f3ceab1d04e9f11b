"""The section `ablate` of `params.yaml`, and the gates that it gives each arm."""

from typing import Annotated, Literal, NamedTuple

from pydantic import Field, PositiveInt, model_validator

from stages.core.heads.gates import Gate, Mode
from stages.core.outcomes.modes import Half, Share, Sizes, fixed_gates, random_gates
from stages.core.runtime.runtime import Precision
from stages.core.stage.arms import TUNED, Arm
from stages.core.stage.settings import Parameters, Resampled


class ForTask(Parameters):
    """What a task has in place of some of the sizes of a mode."""

    task: str
    mode: Mode
    examples: PositiveInt | None = None
    shares: list[Share] = []
    half_shares: list[Half] = []
    draws: PositiveInt = 1
    share_examples: PositiveInt | None = None


class ControlSizes(Sizes):
    """Of the arm `tuned_from_random`, whose shares of heads are all in the mode zero."""

    modes: list[Literal["zero", "uniform"]]
    batch: PositiveInt
    shares: Annotated[list[Share], Field(min_length=1)]


class GateSet(NamedTuple):
    """Gates that run on the same examples."""

    name: str
    gates: list[Gate]
    examples: int | None


class Ablate(Resampled, section="ablate"):
    """The section `ablate` of `params.yaml`."""

    modes: list[Mode]
    sizes: dict[Mode, Sizes]
    for_tasks: list[ForTask]
    control: ControlSizes
    precision: Precision
    batch: PositiveInt
    reference: PositiveInt
    splits: PositiveInt

    @model_validator(mode="after")
    def _fits_together(self) -> "Ablate":
        if lacking := set(self.modes) - set(self.sizes):
            raise ValueError(f"`sizes` lacks the modes {', '.join(sorted(lacking))}; add them")
        if not any(self.sizes[mode].shares for mode in self.modes):
            raise ValueError("no mode has `shares`; give at least one mode some")
        return self

    def sizes_for(self, task: str, mode: Mode) -> Sizes:
        """The sizes of a mode on a task."""
        sizes = self.sizes[mode]
        for replaced in self.for_tasks:
            if (replaced.task, replaced.mode) == (task, mode):
                changes = replaced.model_dump(exclude_unset=True, exclude={"task", "mode"})
                sizes = sizes.model_copy(update=changes)
        return sizes

    def batch_of(self, arm: Arm) -> int:
        return self.batch if arm == TUNED else self.control.batch

    def of_gates(self, arm: Arm) -> dict:
        """The settings on which the outcomes of an arm's gates depend."""
        of_tuned = {"modes", "sizes", "for_tasks", "batch", "reference"}
        keys = of_tuned if arm == TUNED else {"control"}
        return self.model_dump(include=keys | {"precision", "seed"})

    def gate_sets(self, task: str, arm: Arm, layers: int, heads: int) -> list[GateSet]:
        """Every head and every layer, and random shares of heads, of an encoder of that size.

        Each mode of the arm `tuned` has examples of its own. The control's modes share theirs.
        """
        if arm == TUNED:
            sizes_of = {(mode,): self.sizes_for(task, mode) for mode in self.modes}
        else:
            sizes_of = {tuple(self.control.modes): self.control}
        sets = []
        for modes, sizes in sizes_of.items():
            fixed = [gate for mode in modes for gate in fixed_gates(layers, heads, mode)]
            sets.append(GateSet(f"fixed-{'-'.join(modes)}", fixed, sizes.examples))
            mode = modes[0] if arm == TUNED else "zero"
            shares = (sizes.shares, sizes.half_shares, sizes.draws)
            if drawn := list(random_gates(layers, heads, mode, *shares, self.seed)):
                sets.append(GateSet(f"shares-{mode}", drawn, sizes.share_examples))
        return sets
