"""The precisions that a benchmark compares on a device."""

import torch

from stages.core.bf16 import fast_in_bf16
from stages.core.runtime.runtime import DTYPES


def precisions_of(device: torch.device) -> list[str]:
    """All of them, but bf16 only where the device multiplies fast in it: elsewhere a run takes
    hours."""
    return [name for name in DTYPES if name != "bf16" or fast_in_bf16(device)]
