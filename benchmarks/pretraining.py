"""Pretraining here against transformers' plain Trainer: tokens a second, and loss after as many.

Both sides learn the same pairs with the same settings from the same weights, on the same cores. The
plain side is transformers' own loop as its examples have it: pairs in an order drawn by chance,
padded to the longest of a batch, the head and its loss on every token, the model's default
attention. Tokens are counted without padding.
"""

import itertools
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
import torch
from transformers import (
    BertForMaskedLM,
    BertTokenizer,
    DataCollatorForLanguageModeling,
    PrinterCallback,
    Trainer,
    TrainerCallback,
)

from benchmarks.pairs import take_turns
from benchmarks.precisions import precisions_of
from stages.core.lines import json_objects
from stages.core.runtime.runtime import Runtime
from stages.core.stage.settings import section
from stages.pretrain.held_out import HeldOut
from stages.pretrain.make import Prepared, prepare
from stages.pretrain.pairs import Masking, Order
from stages.pretrain.settings import Pretrain
from stages.pretrain.text import paragraphs_of
from stages.pretrain.training import MaskedTrainer, Steps, arguments_of, fresh_model
from stages.pretrain.vocabulary import tokenizer_of

CPU = torch.device("cpu")
OWN, PLAIN = "this project", "plain Trainer"


class Bench:
    """A text, ready to be learnt by either side."""

    def __init__(self, text: Path, texts: int, runtime: Runtime):
        self.runtime = runtime
        lines = itertools.islice(json_objects(text), texts)
        read = [paragraphs for line in lines if (paragraphs := paragraphs_of(line))]
        settings = section(Pretrain, "pretrain")
        least = max(2, round(settings.least_count * min(1, texts / 50_000)))
        self.settings = settings.model_copy(update={"least_count": least})
        self.prepared: Prepared = prepare(read, self.settings)
        self.tokenizer: BertTokenizer = tokenizer_of(
            self.prepared.vocabulary, settings.lowercase, settings.max_length
        )
        self.examples = [
            self.prepared.learnt.sequence(row, self.tokenizer)
            for row in range(len(self.prepared.learnt))
        ]
        unseen = Masking(self.tokenizer, settings.masked, settings.seed + 1)
        self.held_out = HeldOut(self.prepared.held_out, unseen, settings.batch_tokens, 0)

    def model(self, side: str) -> BertForMaskedLM:
        """The same random weights for both sides, with the attention that each computes by."""
        torch.manual_seed(0)
        model = fresh_model(self.settings, self.tokenizer, CPU)
        if side == PLAIN:
            model.set_attn_implementation("sdpa")  # transformers' default
        return model

    def learn(self, side: str, precision: str, tokens: int) -> BertForMaskedLM:
        """A model that has learnt about so many tokens, padding not counted."""
        model = self.model(side)
        own = self.prepared.learnt.lengths
        rows = max(1, self.settings.batch_tokens // self.settings.max_length)
        a_step = rows * own.mean() if side == PLAIN else self.settings.batch_tokens
        steps = max(1, round(tokens / a_step))
        settings = self.settings.model_copy(
            update={"precision": precision, "tokens": steps * self.settings.batch_tokens}
        )
        with tempfile.TemporaryDirectory() as folder:
            arguments = arguments_of(settings, self.runtime, CPU, Path(folder))
            arguments.save_strategy = "no"
            arguments.per_device_train_batch_size = rows
            trainer = self._trainer(side, model, arguments, steps)
            trainer.remove_callback(PrinterCallback)
            trainer.train()
        return model

    def _trainer(self, side: str, model: BertForMaskedLM, arguments, steps: int) -> Trainer:
        if side == PLAIN:
            collator = DataCollatorForLanguageModeling(
                self.tokenizer, mlm_probability=self.settings.masked
            )
            return Trainer(
                model=model, args=arguments, train_dataset=self.examples, data_collator=collator
            )
        order = Order(self.prepared.learnt.lengths, self.settings.batch_tokens, 0)
        masking = Masking(self.tokenizer, self.settings.masked, 0)
        data = Steps(self.prepared.learnt, order, masking, steps, 0)
        return MaskedTrainer(
            model=model, args=arguments, train_dataset=data, callbacks=[TrainerCallback()]
        )


def rates(bench: Bench, tokens: int, rounds: int) -> pd.DataFrame:
    """One row a precision and side: tokens a second (median), and its ratio to the plain side."""
    rows = []
    for precision in precisions_of(CPU):
        sides: dict[str, Callable[[], object]] = {
            side: partial(bench.learn, side, precision, tokens) for side in (PLAIN, OWN)
        }
        times = take_turns(sides, rounds)
        table = times.pivot(index="round", columns="side", values="seconds")
        rows += [
            {
                "precision": precision,
                "side": side,
                "tokens_a_second": tokens / table[side].median(),
                "ratio": (table[PLAIN] / table[side]).median(),
                "lowest": (table[PLAIN] / table[side]).min(),
                "highest": (table[PLAIN] / table[side]).max(),
            }
            for side in sides
        ]
    return pd.DataFrame(rows)


def losses(bench: Bench, tokens: int) -> pd.DataFrame:
    """One row a precision and side: loss and accuracy on held-out text after as many tokens."""
    rows = []
    for precision in precisions_of(CPU):
        for side in (PLAIN, OWN):
            began = time.perf_counter()
            model = bench.learn(side, precision, tokens)
            seconds = time.perf_counter() - began
            score = bench.held_out.score(model, CPU)
            rows.append(
                {
                    "precision": precision,
                    "side": side,
                    "tokens": tokens,
                    "seconds": seconds,
                    "loss": score.loss,
                    "accuracy": score.accuracy,
                }
            )
    return pd.DataFrame(rows)
