"""Other ways to turn every head off and see the logits."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from transformers import AutoTokenizer, BertForNextSentencePrediction, PreTrainedModel

from stages.core.checkpoint_source import PackageCheckpoint, locate
from stages.core.encoder.batches import Encoded
from stages.core.heads.gates import Head
from stages.core.stage.settings import section

BATCH = 32
Logits = Float[np.ndarray, "gate example class"]


def in_data_order(encoded: Encoded, device: torch.device) -> Iterator[dict[str, Tensor]]:
    """Batches of `BATCH` as they come, padded to their longest."""
    for start in range(0, len(encoded.segments), BATCH):
        part = {name: ids[start : start + BATCH] for name, ids in encoded.inputs.items()}
        width = max(len(ids) for ids in part["input_ids"])
        yield {
            name: torch.tensor(
                [ids + [encoded.padding[name]] * (width - len(ids)) for ids in rows], device=device
            )
            for name, rows in part.items()
        }


@torch.inference_mode()
def usual_loop(model: PreTrainedModel, encoded: Encoded, heads: Sequence[Head | None]) -> Logits:
    """One forward pass a head and batch, its output set to zero where it enters the projection.

    With None for a head, one pass with every head on.
    """
    model.set_attn_implementation("sdpa")
    batches = list(in_data_order(encoded, model.device))
    result = []
    for off in heads:
        with nullcontext() if off is None else without(model, off):
            logits = [model(**batch).logits.float().cpu() for batch in batches]
        result.append(torch.cat(logits).numpy())
    return np.stack(result)


@contextmanager
def without(model: PreTrainedModel, off: Head) -> Iterator[None]:
    """The model with the output of one head set to zero."""
    layer, head = off
    size = model.config.hidden_size // model.config.num_attention_heads

    def zero(_: nn.Module, inputs: tuple[Tensor]) -> tuple[Tensor]:
        context = inputs[0].clone()
        context[..., head * size : (head + 1) * size] = 0
        return (context,)

    projection = model.base_model.encoder.layer[layer].attention.output.dense
    hook = projection.register_forward_pre_hook(zero)
    try:
        yield
    finally:
        hook.remove()


def transformer_lens(
    model: PreTrainedModel, encoded: Encoded
) -> Callable[[Sequence[Head]], Logits]:
    """The same through TransformerLens' `run_with_hooks`, on the same weights.

    TransformerLens knows BERT with the head of next sentence prediction, which is a classifier of
    two classes on the pooled first token: it gets the classifier's weights.
    """
    from transformer_lens.model_bridge import TransformerBridge  # needed by this side only

    twin = BertForNextSentencePrediction(model.config)
    twin.bert.load_state_dict(model.base_model.state_dict())
    twin.cls.seq_relationship.load_state_dict(model.classifier.state_dict())
    with tempfile.TemporaryDirectory() as folder:
        # It reads the configuration from a folder or the Hub, even where it is given a model.
        twin.config.architectures = [type(twin).__name__]
        twin.save_pretrained(folder)
        tokenizer = AutoTokenizer.from_pretrained(locate(section(PackageCheckpoint, "checkpoint")))
        tokenizer.save_pretrained(folder)
        bridge = TransformerBridge.boot_transformers(
            folder, hf_model=twin.eval(), tokenizer=tokenizer, device=str(model.device)
        )
    batches = list(in_data_order(encoded, model.device))

    @torch.inference_mode()
    def run(heads: Sequence[Head]) -> Logits:
        result = []
        for layer, head in heads:

            def zero(output: Tensor, hook: object, head: int = head) -> Tensor:
                output[:, :, head] = 0
                return output

            logits = []
            for batch in batches:
                found = bridge.run_with_hooks(
                    batch["input_ids"],
                    attention_mask=batch["attention_mask"],
                    token_type_ids=batch["token_type_ids"],
                    fwd_hooks=[(f"blocks.{layer}.attn.hook_z", zero)],
                )
                logits.append(found.float().cpu())
            result.append(torch.cat(logits).numpy())
        return np.stack(result)

    return run
