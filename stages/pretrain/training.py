"""Masked language modelling: the steps of masked batches, and a watch over held-out text.

Masking alone: there is no loss of the next sentence, without which models become no worse (Liu et
al. 2019, section 4.2). The pairs and their segments are kept, as the encoder is to read pairs.
"""

import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F
from tqdm import tqdm
from transformers import BertConfig, BertForMaskedLM, BertTokenizer, TrainerCallback
from transformers.utils import logging

from stages.core.runtime.runtime import Runtime
from stages.core.scratch import last_state
from stages.core.trainer import Chunk, TrainingData, train
from stages.pretrain.heads import HeadCourse
from stages.pretrain.held_out import HeldOut, answered, falls
from stages.pretrain.pairs import Masking, Order, Pairs
from stages.pretrain.settings import Pretrain, in_bf16

# transformers draws a bar for every small file that it writes.
logging.disable_progress_bar()
EVALUATED = "held_out_loss"  # key of the entries of the Trainer's log that make the curve


class MaskedSteps(TrainingData):
    """Steps as items, each the masked batch of a step; all of them are one epoch."""

    step = 1

    def __init__(self, pairs: Pairs, masking: Masking, settings: Pretrain):
        self.pairs, self.masking, self.items = pairs, masking, settings.steps
        self.batches = Order(pairs.lengths, settings.batch_tokens, settings.seed)
        self.generator = torch.Generator()  # the global one is as the saved state has it

    def order(self, epoch: int) -> Int[np.ndarray, " step"]:
        return np.arange(self.items)

    def chunks(self, items: list[int]) -> list[Chunk]:
        return [self.masking(self.pairs, self.batches.batch(step), step) for step in items]

    def loss(self, model: BertForMaskedLM, chunk: Chunk) -> Float[Tensor, ""]:
        """The mean over masked tokens, which alone the model's head reads."""
        logits, answers = answered(model, chunk)
        # A step of few tokens may ask for none.
        return F.cross_entropy(logits, answers, reduction="sum") / max(1, len(answers))


class Watch(TrainerCallback):
    """Scores held-out text now and then, stops where its loss falls no more, and says how far.

    Scores, and what heads look at, stand in the Trainer's own log, which its states keep.
    """

    def __init__(
        self, held_out: HeldOut, heads: HeadCourse, settings: Pretrain, device: torch.device
    ):
        self.held_out, self.heads = held_out, heads
        self.settings, self.device = settings, device
        self.bar = tqdm(
            total=settings.steps * settings.batch_tokens,
            desc="pretrain",
            unit="token",
            unit_scale=True,
            disable=None,
        )
        self.began, self.first = time.monotonic(), 0

    def on_train_begin(
        self, args: Any, state: Any, control: Any, model: Any, **unused: Any
    ) -> None:
        self.first = state.global_step
        self.bar.update(self.first * self.settings.batch_tokens)
        if self.first == 0:
            self.evaluate(model, state, control)
        self.began = time.monotonic()

    def on_step_end(self, args: Any, state: Any, control: Any, model: Any, **unused: Any) -> None:
        step = state.global_step
        self.bar.update(self.settings.batch_tokens)
        if step % self.settings.evaluate_steps == 0 or step == state.max_steps:
            self.evaluate(model, state, control)

    def evaluate(self, model: BertForMaskedLM, state: Any, control: Any) -> None:
        """Score held-out text, print the score, and stop where its loss falls no more."""
        score = self.held_out.score(model, self.device)
        heads = self.heads.figures(model, self.device)
        state.log_history.append(
            {
                "step": state.global_step,
                EVALUATED: score.loss,
                "held_out_accuracy": score.accuracy,
                "heads": {kind: values.tolist() for kind, values in heads.items()},
            }
        )
        line = (
            f"step {state.global_step} of {state.max_steps}: held-out loss {score.loss:.3f}, "
            f"accuracy {score.accuracy:.1%}"
        )
        if done := state.global_step - self.first:
            seconds = (time.monotonic() - self.began) / done * (state.max_steps - state.global_step)
            line += f"; {seconds / 60:.0f} minutes to the end"
        self.bar.write(line)
        if stopped(curve_of(state.log_history), self.settings):
            self.bar.write("the held-out loss falls no more: stopped")
            control.should_training_stop = True

    def on_train_end(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        self.bar.close()


def fresh_model(
    settings: Pretrain, tokenizer: BertTokenizer, device: torch.device
) -> BertForMaskedLM:
    """A BERT of random weights, drawn from the global generator.

    On a CPU attention is computed step by step: the gradient of torch's fused product takes 1.7
    times as long in bf16 there, all else of a training step counted.
    """
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=settings.hidden,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        intermediate_size=settings.intermediate,
        max_position_embeddings=settings.max_length,
        hidden_dropout_prob=settings.dropout,
        attention_probs_dropout_prob=settings.dropout,
        pad_token_id=tokenizer.pad_token_id,
    )
    config._attn_implementation = "eager" if device.type == "cpu" else "sdpa"
    return BertForMaskedLM(config).to(device)


def pretrain(
    model: BertForMaskedLM,
    steps: MaskedSteps,
    watch: Watch,
    settings: Pretrain,
    runtime: Runtime,
    device: torch.device,
    scratch: Path,
) -> list[dict[str, Any]]:
    """Train `model` in place; go on from the last state in `scratch`, if there is one.

    Returns:
        The curve: step, loss and accuracy on held-out text, and the figures of the heads, from
        before the first step on.
    """
    if (state := last_state(scratch)) is not None:
        history = json.loads((state / "trainer_state.json").read_text(encoding="utf-8"))
        curve = curve_of(history["log_history"])
        if history["global_step"] >= settings.steps or stopped(curve, settings):
            model.load_state_dict(BertForMaskedLM.from_pretrained(state).state_dict())
            return curve
    log = train(
        model,
        steps,
        settings,
        settings.steps,
        math.ceil(settings.warmup * settings.steps),
        runtime,
        device,
        settings.seed,
        scratch,
        watch,
        per_device_train_batch_size=1,
        adam_beta2=settings.beta2,
        bf16=in_bf16(settings.precision, device),
        logging_steps=settings.evaluate_steps,
    )
    return curve_of(log)


def curve_of(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a Trainer's log has of held-out text."""
    return [entry for entry in history if EVALUATED in entry]


def stopped(curve: list[dict[str, Any]], settings: Pretrain) -> bool:
    """Whether training ended before its budget was spent."""
    return not all(falls([entry[EVALUATED] for entry in curve], settings.patience))
