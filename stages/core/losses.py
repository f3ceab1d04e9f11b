"""The loss that a model of a task was tuned with."""

from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F


def losses(
    logits: Float[Tensor, "... class"], labels: Float[Tensor, "..."], kind: str
) -> Float[Tensor, "..."]:
    """The loss of each example.

    Args:
        kind: `classification` (cross-entropy, in nats) or `regression` (squared error).
    """
    if kind == "regression":
        return (logits[..., 0] - labels) ** 2
    classes = logits.shape[-1]
    loss = F.cross_entropy(logits.reshape(-1, classes), labels.long().ravel(), reduction="none")
    return loss.reshape(labels.shape)
