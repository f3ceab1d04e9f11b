"""Tiny checkpoints of every family, with random weights and working tokenizers, built offline.

A family is added by its record in `stages/core/encoder/families.py`, and by its entry in `TINY`.
Every test that takes the fixture `any_checkpoint` or `padded_classifier` then runs on it.
"""

import json
from collections.abc import Callable
from pathlib import Path

import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import (
    AutoModel,
    BertConfig,
    BertTokenizer,
    DistilBertConfig,
    DistilBertTokenizer,
    ElectraConfig,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    RobertaConfig,
    RobertaTokenizer,
    XLMRobertaConfig,
    XLMRobertaTokenizer,
)

TEXT = (
    "the a dog cat house garden river book song teacher child sees likes finds reads not never "
    "good bad red small old and but in on with . , ' ? !"
)
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
ROBERTA_SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
POSITIONS = 64
SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 32,
    "max_position_embeddings": POSITIONS,
    # At the usual 0.02 so small a model gives every text the same logits.
    "initializer_range": 0.2,
}
MINILM_LAYERS, MINILM_HEADS = 6, 12  # more heads than a head is wide
Parts = tuple[PreTrainedConfig, PreTrainedTokenizerBase]


def wordpiece_vocabulary() -> dict[str, int]:
    """Special tokens, whole words, and every letter with and without ##, so that no word fails."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = [*special, *TEXT.split(), *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    return {piece: index for index, piece in enumerate(dict.fromkeys(pieces))}


def bert() -> Parts:
    vocabulary = wordpiece_vocabulary()
    return BertConfig(**SIZES, vocab_size=len(vocabulary)), BertTokenizer(vocab=vocabulary)


def minilm() -> Parts:
    """BERT, larger."""
    config, tokenizer = bert()
    config.update(
        {
            "hidden_size": 4 * MINILM_HEADS,
            "num_hidden_layers": MINILM_LAYERS,
            "num_attention_heads": MINILM_HEADS,
        }
    )
    return config, tokenizer


def electra() -> Parts:
    """Embeddings are narrower than hidden states."""
    vocabulary = wordpiece_vocabulary()
    config = ElectraConfig(**SIZES, vocab_size=len(vocabulary), embedding_size=8)
    return config, BertTokenizer(vocab=vocabulary)


def distilbert() -> Parts:
    vocabulary = wordpiece_vocabulary()
    config = DistilBertConfig(
        vocab_size=len(vocabulary),
        dim=SIZES["hidden_size"],
        n_layers=SIZES["num_hidden_layers"],
        n_heads=SIZES["num_attention_heads"],
        hidden_dim=SIZES["intermediate_size"],
        max_position_embeddings=POSITIONS,
        initializer_range=SIZES["initializer_range"],
    )
    return config, DistilBertTokenizer(vocab=vocabulary)


def roberta() -> Parts:
    """The tokenizer is trained on `TEXT`."""
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator([TEXT] * 4, 400, special_tokens=ROBERTA_SPECIAL)
    model = json.loads(trained.to_str())["model"]
    merges = [tuple(pair) for pair in model["merges"]]
    tokenizer = RobertaTokenizer(vocab=model["vocab"], merges=merges)
    return RobertaConfig(**_roberta_sizes(tokenizer)), tokenizer


def xlm_roberta() -> Parts:
    """Whole words are likelier than letters."""
    scores = dict.fromkeys(ROBERTA_SPECIAL, 0.0)
    scores |= dict.fromkeys((f"▁{word}" for word in TEXT.split()), -1.0)
    scores |= dict.fromkeys(["▁", *LETTERS, *".,'?!"], -8.0)
    tokenizer = XLMRobertaTokenizer(vocab=list(scores.items()))
    return XLMRobertaConfig(**_roberta_sizes(tokenizer)), tokenizer


def _roberta_sizes(tokenizer: PreTrainedTokenizerBase) -> dict[str, float]:
    """Positions are counted from the one after that of padding."""
    own = {"vocab_size": len(tokenizer), "max_position_embeddings": POSITIONS + 2}
    return SIZES | own | {"type_vocab_size": 1, "pad_token_id": tokenizer.pad_token_id}


TINY: dict[str, Callable[[], Parts]] = {
    "bert": bert,
    "roberta": roberta,
    "xlm-roberta": xlm_roberta,
    "distilbert": distilbert,
    "electra": electra,
    "minilm": minilm,
}


def write_tiny(family: str, folder: Path) -> None:
    """Write an encoder of `TINY` and its tokenizer, always the same, as `save_pretrained` does."""
    config, tokenizer = TINY[family]()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2019)
        model = AutoModel.from_config(config)
        vary_biases(model, 0.1)  # more, and so small a model is hard to tune
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def write_shaped(folder: Path, layers: int, heads: int, hidden: int, positions: int) -> Path:
    """A BERT of a stated shape with small networks, for pages whose work grows with its heads."""
    vocabulary = wordpiece_vocabulary()
    config = BertConfig(
        vocab_size=len(vocabulary),
        num_hidden_layers=layers,
        num_attention_heads=heads,
        hidden_size=hidden,
        intermediate_size=8,
        max_position_embeddings=positions,
        initializer_range=0.05,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        AutoModel.from_config(config).save_pretrained(folder)
    BertTokenizer(vocab=vocabulary).save_pretrained(folder)
    return folder


def text_of(tokens: int) -> str:
    """A text that the tiny tokenizers cut into so many tokens, [CLS] and [SEP] among them."""
    words = ["the", "teacher", "likes", "a", "red", "book", "."]
    return " ".join(words[place % len(words)] for place in range(tokens - 2))


def vary_biases(model: PreTrainedModel, spread: float) -> None:
    """Draw biases and norms anew: before training they say nothing."""
    for parameter in model.parameters():
        if parameter.dim() == 1:
            parameter.data += spread * torch.randn_like(parameter)
