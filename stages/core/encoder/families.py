"""Families of BERT-like encoders: one record of each names its modules and special tokens.

To add a family, add its record here and its tiny checkpoint in `tests/checkpoints.py`, on which
every test of parity then runs.
"""

from dataclasses import dataclass
from typing import NamedTuple

from transformers import PreTrainedConfig

from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE


class Vocabulary(NamedTuple):
    """How tokens are spelt: `begins` marks a word's first piece, `continues` all its others."""

    cls: str
    sep: str
    begins: str = ""
    continues: str = ""


WORDPIECE = Vocabulary("[CLS]", "[SEP]", continues="##")
BYTE_LEVEL = Vocabulary("<s>", "</s>", begins="Ġ")
SENTENCEPIECE = Vocabulary("<s>", "</s>", begins="▁")


@dataclass(frozen=True)
class Family:
    """One family; defaults are BERT's.

    Attributes:
        model_types: as `config.json` names them.
        vocabulary: of its published checkpoints.
        holder: path from the base model to the module whose attribute `layer` has the layers.
        modules: paths from a layer to its `LayerModules`, in their order.
        inner_size: key of `config.json` that gives the width of the feed-forward network.
        activation: key of `config.json` that names the network's function.
        segments: key of `config.json` that counts the embeddings of segments; None: there are none.
        positions_after_padding: position 0 of a text is the one after the padding token's id.
        position_embeddings, segment_embeddings: attributes of the base model's `embeddings`.
    """

    model_types: tuple[str, ...]
    vocabulary: Vocabulary = WORDPIECE
    holder: str = "encoder"
    modules: tuple[str, ...] = (
        "attention.self",
        "attention.self.query",
        "attention.self.key",
        "attention.self.value",
        "attention.output.dense",
        "attention.output.LayerNorm",
        "intermediate.dense",
        "intermediate.intermediate_act_fn",
        "output.dense",
        "output.LayerNorm",
    )
    inner_size: str = "intermediate_size"
    activation: str = "hidden_act"
    segments: str | None = "type_vocab_size"
    positions_after_padding: bool = False
    position_embeddings: str = "position_embeddings"
    segment_embeddings: str | None = "token_type_embeddings"


FAMILIES = (
    Family(("bert",)),  # MiniLM calls itself `bert` too
    Family(("electra",)),
    Family(("roberta",), BYTE_LEVEL, positions_after_padding=True),
    Family(("xlm-roberta", "camembert"), SENTENCEPIECE, positions_after_padding=True),
    Family(
        ("distilbert",),
        holder="transformer",
        modules=(
            "attention",
            "attention.q_lin",
            "attention.k_lin",
            "attention.v_lin",
            "attention.out_lin",
            "sa_layer_norm",
            "ffn.lin1",
            "ffn.activation",
            "ffn.lin2",
            "output_layer_norm",
        ),
        inner_size="hidden_dim",
        activation="activation",
        segments=None,
        segment_embeddings=None,
    ),
)
BY_TYPE = {name: family for family in FAMILIES for name in family.model_types}
# Modules that classes of transformers put on encoders of these families, for all their tasks.
TASK_HEADS = {
    "classifier",
    "cls",
    "discriminator_predictions",
    "dropout",
    "generator_lm_head",
    "generator_predictions",
    "lm_head",
    "pre_classifier",
    "qa_outputs",
    "score",
    "sequence_summary",
    "vocab_layer_norm",
    "vocab_projector",
    "vocab_transform",
}
VOCABULARIES = (WORDPIECE, BYTE_LEVEL, SENTENCEPIECE)
# Marks that may stand before the spelling of a token that begins a word.
WORD_MARKS = "".join(vocabulary.begins for vocabulary in VOCABULARIES)


def family_of(config: PreTrainedConfig) -> Family:
    """The record of a model's family.

    Raises:
        InputError: no family is of this type.
    """
    return family_of_type(config.model_type, "the checkpoint")


def family_of_type(model_type: object, where: str) -> Family:
    """The record of a type of model as `config.json` names it.

    Raises:
        InputError: no family is of this type; the message says `where` the model is.
    """
    if not isinstance(model_type, str) or model_type not in BY_TYPE:
        raise refusal(
            f"{where} holds a model of type {model_type!r}, not a BERT-like encoder; "
            f"choose a checkpoint of type {', '.join(BY_TYPE)}"
        )
    return BY_TYPE[model_type]


def knows_segments(config: PreTrainedConfig) -> bool:
    """Whether the encoder tells the two texts of a pair apart by embeddings."""
    segments = family_of(config).segments
    return segments is not None and getattr(config, segments, 0) > 1


def longest_input(config: PreTrainedConfig) -> int:
    """How many tokens the encoder has positions for."""
    after = config.pad_token_id + 1 if family_of(config).positions_after_padding else 0
    return config.max_position_embeddings - after


def refusal(reason: str) -> InputError:
    """The error of a checkpoint that cannot be used, for `reason`."""
    return InputError(f"{PARAMETER_FILE}: `checkpoint`: {reason}")
