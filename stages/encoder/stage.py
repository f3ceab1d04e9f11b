"""The encoders whose attention on text is studied: the checkpoint, and one of random weights.

What is measured on tasks takes the models of `finetune`; what is measured on corpora takes these.
"""

from pathlib import Path

import torch
import typer
from pydantic import NonNegativeInt
from transformers import AutoModel, PreTrainedModel

from stages.core.checkpoint_source import Checkpoint, locate
from stages.core.encoder.checkpoint import load_encoder, load_masked_lm
from stages.core.encoder.configuration import read_config
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


def random_weights(folder: Path, seed: int) -> PreTrainedModel:
    """An encoder of the same shape whose matrices are drawn anew, as BERT's before pretraining."""
    config = read_config(folder)
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
                model, lacking = load_masked_lm(source)
                if lacking:
                    model = load_encoder(source)
            model.save_pretrained(folder / arm)
            tokenizer.save_pretrained(folder / arm)
            typer.echo(f"{arm}: {type(model).__name__}")
