"""Tune two models of pairs as the encoder is tuned (query-title study, sections 1 and 2.4).

`lstm` reads both texts with attention across them and was never trained on anything else; `towers`
are the pretrained encoder without a look across. Beside them the encoder has both. They see the
same examples in the same batches, for as many steps, with the schedule, decay and seeds of the
encoder; no setting was searched for. The LSTM's learning rate and dropout are those of its source.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pandas as pd
import torch
from jaxtyping import Float
from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt
from torch import Tensor
from transformers import PreTrainedModel

from stages.core.checkpoint_source import Checkpoint, locate
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.runtime.runtime import find_device, read_runtime
from stages.core.stage.arms import TUNED
from stages.core.stage.places import examples_file
from stages.core.stage.settings import Parameters, section
from stages.core.tasks.examples import read_examples
from stages.core.tasks.task import load_task, seeds_of
from stages.finetune.pair_baselines.models import LstmAcross, PairModel, Towers
from stages.finetune.pair_baselines.texts import encode_apart, known_words, renumbered
from stages.finetune.processes import alone
from stages.finetune.run import (
    SPLITS,
    Results,
    Run,
    made,
    predict,
    settings_table,
    sources_of,
    task_settings,
)
from stages.finetune.tables import PAIR_CLASSES, PAIR_PREDICTIONS, PAIR_SETTINGS
from stages.finetune.task_model import load_task_model
from stages.finetune.training import Examples, Finetune

Kind = Literal["lstm", "towers"]
KINDS: tuple[Kind, ...] = ("towers", "lstm")  # what takes longest first


class Lstm(Parameters):
    """The settings of the LSTM alone."""

    size: PositiveInt
    learning_rate: PositiveFloat
    dropout: Annotated[NonNegativeFloat, Field(lt=1)]


class PairBaselines(Parameters, section="pair_baselines"):
    """The section `pair_baselines` of `params.yaml`."""

    tasks: list[str]
    lstm: Lstm


def settings_of(kind: Kind, common: Finetune, lstm: Lstm) -> Finetune:
    """How a model is tuned: as the encoder on the same task, but for what an LSTM must have."""
    if kind == "towers":
        return common.model_copy(update={"compile": False})
    dropout = lstm.dropout if common.dropout is None else common.dropout
    changes = {"learning_rate": lstm.learning_rate, "dropout": dropout}
    # Its products are small, and its loop over tokens has no other precision everywhere.
    return common.model_copy(update=changes | {"precision": "fp32", "compile": False})


@dataclass(frozen=True)
class PairRun(Run):
    """One model of pairs; its arm is its kind, and it takes the words or all of the encoder.

    Attributes:
        size: units of the LSTM.
    """

    stage = "pair_baselines"

    size: int

    def prepare(self) -> tuple[PairModel, Examples, Results]:
        task, tokenizer = self.definition, load_tokenizer(self.checkpoint)
        train, validation = (read_examples(examples_file(self.task, split)) for split in SPLITS)
        encoded = [
            encode_apart(tokenizer, examples, task.max_length, self.task)
            for examples in (train, validation)
        ]
        encoder = load_task_model(self.checkpoint, task, TUNED, self.seed).base_model
        words = encoder.get_input_embeddings().weight.detach()
        present, numbers = known_words(encoded, tokenizer.pad_token_id, len(words))
        inputs, held_out = (renumbered(texts, numbers) for texts in encoded)
        model = self.build(words[present], encoder, tokenizer.pad_token_id)
        labels = train["label"].to_numpy()
        data = Examples(inputs, labels, task.kind, self.settings, self.seed)

        def results(model: PairModel, device: torch.device) -> tuple[pd.DataFrame, dict[str, Any]]:
            tuned = (weight for weight in model.parameters() if weight.requires_grad)
            weights = sum(weight.numel() for weight in tuned)
            batch = self.settings.batch
            return predict(model, held_out, validation, task, batch, device), {"weights": weights}

        return model, data, results

    def build(
        self, words: Float[Tensor, "word unit"], encoder: PreTrainedModel, padding: int
    ) -> PairModel:
        """The model before tuning; what is no pretrained weight is drawn by the run's seed.

        Args:
            words: vectors of the words that the task has.
            encoder: of the towers; the LSTM takes nothing but `words` of it.
        """
        common = {"words": words, "outputs": self.definition.outputs, "padding": padding}
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            if self.arm == "towers":
                return Towers(encoder=encoder, **common)
            return LstmAcross(size=self.size, dropout=self.settings.dropout, **common)


def run_stage(task: str, seed: int | None = None) -> None:
    """Tune an LSTM across the pair and two towers of the encoder on TASK, beside the encoder.

    Killed and run again, it goes on: finished runs are kept, the others begin at their last saved
    states, and end with the same bits.
    """
    runs = runs_of(task, seeds_of(task, seed))
    examples = len(read_examples(examples_file(task, "train")))
    with made(runs, examples, whole=seed is None) as results:
        predictions = [table.assign(arm=run.arm, seed=run.seed) for run, table, _ in results]
        PAIR_PREDICTIONS.write(predictions, data=task)
        PAIR_SETTINGS.write(settings_table(results), data=task)
        names = pd.DataFrame({"name": load_task(task).label_names}, dtype=object)
        PAIR_CLASSES.write(names.assign(**{"class": range(len(names))}), data=task)


def runs_of(task: str, seeds: Sequence[int]) -> list[PairRun]:
    """The runs of a task, model by model; each has a process for itself."""
    definition, runtime = load_task(task), read_runtime()
    lstm = section(PairBaselines, "pair_baselines").lstm
    common = task_settings(task, definition, find_device(runtime.device))
    checkpoint = locate(section(Checkpoint, "checkpoint"))
    files = [examples_file(task, split) for split in SPLITS]
    others = (checkpoint, sources_of(__name__, files, checkpoint), alone(runtime), lstm.size)
    return [
        PairRun(task, kind, seed, definition, settings_of(kind, common, lstm), *others)
        for kind in KINDS
        for seed in seeds
    ]
