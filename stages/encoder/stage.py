"""The encoders whose attention on text is studied: the checkpoint, and one of random weights.

What is measured on tasks takes the models of `finetune`; what is measured on corpora takes these.
"""

from pathlib import Path

import torch
import typer
from pydantic import NonNegativeInt
from transformers import AutoConfig, AutoModel, AutoModelForMaskedLM, PreTrainedModel
from transformers.utils import logging

from stages.core.checkpoint_source import Checkpoint, locate
from stages.core.encoder.checkpoint import load_encoder
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.arms import RANDOM_WEIGHTS, CorpusArm
from stages.core.stage.files import atomic
from stages.core.stage.places import ENCODERS
from stages.core.stage.settings import Parameters, section


class EncoderArms(Parameters, section="encoder"):
    """The section `encoder` of `params.yaml`."""

    arms: list[CorpusArm]
    seed: NonNegativeInt


def masked_lm(folder: Path) -> PreTrainedModel | None:
    """The encoder with its MLM head; None where the checkpoint has none."""
    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()  # what is missing decides the answer
    try:
        with torch.random.fork_rng(devices=[]):
            model, report = AutoModelForMaskedLM.from_pretrained(
                folder, use_safetensors=True, dtype=torch.float32, output_loading_info=True
            )
    finally:
        logging.set_verbosity(verbosity)
    return None if report["missing_keys"] or report["mismatched_keys"] else model


def random_weights(folder: Path, seed: int) -> PreTrainedModel:
    """An encoder of the same shape whose matrices are drawn anew, as BERT's before pretraining."""
    config = AutoConfig.from_pretrained(folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return AutoModel.from_config(config, dtype=torch.float32)


def run_stage() -> None:
    """Write work/encoders/ARM for every arm of the section `encoder`."""
    arms = section(EncoderArms, "encoder")
    start(read_runtime(), arms.seed)
    with atomic(ENCODERS) as folder:
        folder.mkdir()
        (folder / "arms.txt").write_text("\n".join([*arms.arms, ""]), encoding="utf-8")
        if not arms.arms:
            return
        source = locate(section(Checkpoint, "checkpoint"))
        tokenizer = load_tokenizer(source)
        for arm in arms.arms:
            if arm == RANDOM_WEIGHTS:
                model = random_weights(source, arms.seed)
            else:
                model = load_encoder(source)  # refuses a checkpoint that lacks weights
                model = masked_lm(source) or model
            model.save_pretrained(folder / arm)
            tokenizer.save_pretrained(folder / arm)
            typer.echo(f"{arm}: {type(model).__name__}")
