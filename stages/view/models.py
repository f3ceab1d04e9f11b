"""The models that the command names: where they lie, and what each gives out."""

from dataclasses import dataclass
from pathlib import Path

import typer
from transformers import PreTrainedTokenizerBase

from stages.core.checkpoint_source import (
    Checkpoint,
    HubCheckpoint,
    PackageCheckpoint,
    PretrainedCheckpoint,
    locate,
    named_checkpoint,
)
from stages.core.encoder.checkpoint import load_encoder, load_tuned
from stages.core.encoder.configuration import CLASSIFIER, has_head, read_config
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.heads.seam import Gated
from stages.core.stage.edited import edited
from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE, section

DEFAULT = "default"
CHECKPOINT, MODEL, AGAINST = "--checkpoint", "--model", "--against"
# How messages about a checkpoint begin, which speak of params.yaml.
SETTING = f"{PARAMETER_FILE}: `checkpoint`: "


@dataclass(frozen=True)
class ShownModel:
    """A model in the page.

    Attributes:
        name: as the page calls it.
        classes: of a classifier, in the order of its outputs; empty for an encoder alone and for
            a regression.
        classifier: whether it predicts anything.
    """

    name: str
    gated: Gated
    tokenizer: PreTrainedTokenizerBase
    classes: list[str]
    classifier: bool

    @property
    def parameters(self) -> int:
        """How many numbers it has learnt, those of a classifier included."""
        return sum(tensor.numel() for tensor in self.gated.model.parameters())


def load_model(named: str, option: str) -> ShownModel:
    """Load what an option names.

    Args:
        named: a folder, a model of the Hub, or `default`.
        option: `--checkpoint` takes the encoder alone, `--model` needs a classifier, `--against`
            takes what there is.

    Raises:
        InputError: there is no such model, or it is of the wrong kind.
    """
    try:
        source = _source(named)
        folder = locate(source)
        if named != DEFAULT and isinstance(source, HubCheckpoint):
            typer.echo(f"{named}: {_taken(source)}, at its commit {folder.name}", err=True)
        tokenizer = load_tokenizer(folder)
        trained = has_head(read_config(folder), CLASSIFIER)
        if option == MODEL and not trained:
            raise InputError(
                f"{folder} holds an encoder without a classifier; name it by --checkpoint"
            )
        classifier = trained and option != CHECKPOINT
        gated = Gated(load_tuned(folder) if classifier else load_encoder(folder))
    except InputError as error:
        raise InputError(f"{option} {named}: {_reason(str(error), named)}") from None
    config = gated.model.config
    named_classes = classifier and config.num_labels > 1
    classes = [str(config.id2label[number]) for number in range(config.num_labels)]
    return ShownModel(_name(source), gated, tokenizer, classes if named_classes else [], classifier)


def require_comparable(first: ShownModel, second: ShownModel) -> None:
    """Check that the heads of two models can stand beside each other.

    Raises:
        InputError: they have other numbers of layers or heads.
    """
    sizes = [(model.gated.layers, model.gated.heads) for model in (first, second)]
    if sizes[0] != sizes[1]:
        (layers, heads), (others, other_heads) = sizes
        raise InputError(
            f"{AGAINST}: {second.name} has {others} layers of {other_heads} heads, {first.name} "
            f"{layers} of {heads}; compare models of the same size, or make a page of each"
        )


def _source(named: str) -> Checkpoint:
    return section(Checkpoint, "checkpoint") if named == DEFAULT else named_checkpoint(named)


def _reason(message: str, named: str) -> str:
    """What a message about the setting says of an option."""
    if named == DEFAULT:
        return f"{message}; or name an encoder by {CHECKPOINT}"
    source, reason = _source(named), message.removeprefix(edited(SETTING))
    return f"{_taken(source)}: {reason}" if isinstance(source, HubCheckpoint) else reason


def _taken(source: HubCheckpoint) -> str:
    return f"no such folder in {Path.cwd()}; taken as the model {source.id} of the Hub"


def _name(source: Checkpoint) -> str:
    """Without the folders above, which are nobody else's business."""
    if isinstance(source, HubCheckpoint | PretrainedCheckpoint):
        return source.id
    if isinstance(source, PackageCheckpoint):
        return source.package
    return "/".join(Path(source.path).resolve().parts[-2:])
