"""One run: a model of pairs, tuned with the encoder's budget, kept with its predictions."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pandas as pd
import torch
from jaxtyping import Float
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt
from torch import Tensor
from transformers import PreTrainedModel

from stages.core.closure import code_run_by
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.finished import finishing, run_folder
from stages.core.runtime.runtime import start
from stages.core.scratch import open_scratch
from stages.core.stage.arms import TUNED
from stages.core.stage.places import SCRATCH, examples_file
from stages.core.stage.settings import Parameters
from stages.core.tasks.examples import read_examples
from stages.finetune.pair_baselines.lstm import LstmAcross
from stages.finetune.pair_baselines.pair_model import PairModel
from stages.finetune.pair_baselines.texts import encode_apart, known_words, renumbered
from stages.finetune.pair_baselines.towers import Towers
from stages.finetune.run import (
    PREDICTIONS_FILE,
    SPLITS,
    Run,
    peak_memory,
    predict,
    require_finite,
)
from stages.finetune.side_by_side import Report
from stages.finetune.task_model import load_task_model
from stages.finetune.training import Finetune, train

Kind = Literal["lstm", "towers"]
KINDS: tuple[Kind, ...] = ("towers", "lstm")  # what takes longest first

RUNS = SCRATCH / "pair_baselines"
SETTINGS_FILE = "settings.json"


class Lstm(Parameters):
    """What the LSTM has of its own."""

    size: PositiveInt
    learning_rate: PositiveFloat
    dropout: Annotated[NonNegativeFloat, Field(lt=1)]


class PairBaselines(Parameters, section="pair_baselines"):
    """The section `pair_baselines` of `params.yaml`."""

    tasks: list[str]
    lstm: Lstm


def settings_of(kind: Kind, common: Finetune, own: PairBaselines) -> Finetune:
    """How a model is tuned: as the encoder on the same task, but for what an LSTM must have."""
    if kind == "towers":
        return common.model_copy(update={"compile": False})
    dropout = own.lstm.dropout if common.dropout is None else common.dropout
    changes = {"learning_rate": own.lstm.learning_rate, "dropout": dropout}
    # Its products are small, and its loop over tokens has no other precision everywhere.
    return common.model_copy(update=changes | {"precision": "fp32", "compile": False})


@dataclass(frozen=True)
class PairRun(Run):
    """One model of pairs to make; `checkpoint` has the encoder whose words, or all of it, it takes.

    Attributes:
        kind: which model.
        size: units of the LSTM.
    """

    kind: Kind
    size: int

    @property
    def key(self) -> str:
        """Its name among the files of its task."""
        return f"{self.kind}-{self.seed}"

    @property
    def scratch(self) -> Path:
        """Where states and results lie: of this run, and of none whose result would be another."""
        identity = [
            self.task,
            self.key,
            self.sources,
            self.definition.model_dump(exclude={"data", "seeds", "finetune"}),
            self.settings.model_dump(),
            self.size if self.kind == "lstm" else None,
            self.runtime.threads,
        ]
        return run_folder(
            RUNS / self.task / self.key, identity, code_run_by(__name__), self.runtime
        )


def make(run: PairRun, report: Report) -> None:
    """Tune one model; keep its predictions and what it was in the run's own folder.

    Killed and called again, it goes on from its last saved state, to the same bits.
    """
    tokenizer = load_tokenizer(run.checkpoint)
    examples = {split: read_examples(examples_file(run.task, split)) for split in SPLITS}
    encoded = [
        encode_apart(tokenizer, examples[split], run.definition.max_length, run.task)
        for split in SPLITS
    ]
    encoder = load_task_model(run.checkpoint, run.definition, TUNED, run.seed).base_model
    words = encoder.get_input_embeddings().weight.detach()
    kept, place = known_words(encoded, tokenizer.pad_token_id, len(words))
    encoded = [renumbered(one, place) for one in encoded]
    model = build(run, words[kept], encoder, tokenizer.pad_token_id)

    device = start(run.runtime, run.seed)
    open_scratch(run.scratch)
    began = time.monotonic()
    train(
        model,
        encoded[0],
        examples["train"]["label"].to_numpy(),
        run.settings,
        run.runtime,
        device,
        run.seed,
        run.scratch,
        lambda said: report(said if isinstance(said, int) else f"{run}: {said}"),
    )
    report(f"{run}: {time.monotonic() - began:.0f} s of tuning, {peak_memory(device)}")
    predictions = predict(
        model.to(device).eval(),
        encoded[1],
        examples["validation"],
        run.definition,
        run.settings.batch,
        device,
    )
    require_finite(run, predictions)
    keep(run, model, predictions)


def build(
    run: PairRun, words: Float[Tensor, "word unit"], encoder: PreTrainedModel, padding: int
) -> PairModel:
    """The model before tuning; what is no pretrained weight is drawn by the run's seed.

    Args:
        words: vectors of the words that the task has.
        encoder: of the towers; the LSTM takes nothing but `words` of it.
    """
    common = {
        "words": words,
        "outputs": run.definition.outputs,
        "kind": run.definition.kind,
        "padding": padding,
    }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(run.seed)
        if run.kind == "towers":
            return Towers(encoder=encoder, **common)
        return LstmAcross(size=run.size, dropout=run.settings.dropout, **common)


def keep(run: PairRun, model: PairModel, predictions: pd.DataFrame) -> None:
    """Write the predictions, and the settings with the number of weights that were tuned."""
    names = ("epochs", "batch", "learning_rate", "dropout", "precision")
    weights = sum(one.numel() for one in model.parameters() if one.requires_grad)
    facts = {name: getattr(run.settings, name) for name in names} | {"weights": weights}
    with finishing(run.scratch) as folder:
        predictions.to_parquet(folder / PREDICTIONS_FILE, index=False)
        (folder / SETTINGS_FILE).write_text(json.dumps(facts), encoding="utf-8")
