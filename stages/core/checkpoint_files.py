"""The files of a checkpoint's folder that are loaded: which they are, and what they may not ask."""

import hashlib
import re
from pathlib import Path

from safetensors import SafetensorError, safe_open
from transformers import PreTrainedConfig

from stages.core.encoder.configuration import (
    CLASSIFIER,
    CONFIG,
    MASKED_LM,
    json_object,
    read_config,
    refuse_foreign_keys,
)
from stages.core.encoder.families import family_of, refusal

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
TOKENIZERS = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "sentencepiece.bpe.model",
    "spiece.model",
)
BESIDE_TOKENIZERS = (
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "merges.txt",
)
WORDS = "embeddings.word_embeddings.weight"
FLOATS = ("F64", "F32", "F16", "BF16")
POINTER = b"version https://git-lfs"
# With this file transformers loads another model, into which it puts the weights of the folder.
ADAPTER = "adapter_config.json"


def check(folder: Path) -> None:
    """Refuse a folder that holds no BERT-like encoder in safetensors with its tokenizer.

    Raises:
        InputError: the folder is another, or asks for what lies elsewhere; the message says what
            is wrong and how to mend it.
    """
    if not (folder / CONFIG).is_file():
        raise refusal(
            f"{folder} has no config.json; name the folder that save_pretrained wrote, "
            "the one with config.json and model.safetensors in it"
        )
    check_model(folder)
    for file in (folder / name for name in BESIDE_TOKENIZERS if name.endswith(".json")):
        if file.is_file():
            refuse_foreign_keys(json_object(file), file)
    if not any((folder / name).is_file() for name in TOKENIZERS):
        raise refusal(
            f"{folder} has no tokenizer ({', '.join(TOKENIZERS)}); copy the tokenizer files "
            "of the encoder it was made from into the folder"
        )


def check_model(folder: Path, pruned: bool = False) -> PreTrainedConfig:
    """The configuration of a folder whose weights can be read and have the sizes that it says.

    Nothing but the headers of the weights is read.

    Args:
        pruned: as of `read_config`.

    Raises:
        InputError: as `read_config`, or the weights are missing, damaged or another model's.
    """
    config = read_config(folder, pruned)
    if (folder / ADAPTER).exists():
        raise refusal(
            f"{folder} has {ADAPTER}, which makes transformers load another model under it; merge "
            "the adapter into its encoder first (peft: merge_and_unload), and save that"
        )
    shapes = stored_shapes(folder)
    words = [name for name in shapes if f".{name}".endswith(f".{WORDS}")]
    if WORDS in words and len(words) > 1:
        raise refusal(
            f"{folder} holds two encoders (their words: {', '.join(words)}), of which either may "
            "be loaded; save the right one alone"
        )
    for key, size in _sizes(shapes, config).items():
        if size != getattr(config, key):
            raise refusal(
                f"{folder}: config.json says {key} {getattr(config, key)}, its weights have "
                f"{size}; they belong to different models: copy both from the same checkpoint"
            )
    return config


def stored_shapes(folder: Path) -> dict[str, list[int]]:
    """The shape of every weight of a folder, by its name there.

    Raises:
        InputError: the weights are missing or damaged, or two files have one of a name.
    """
    shapes = {}
    for file in weight_files(folder):
        stored = _shapes(file)
        if twice := sorted(stored.keys() & shapes.keys()):
            raise refusal(f"{file} has {twice[0]}, as another file has; copy the checkpoint anew")
        shapes |= stored
    return shapes


def weight_files(folder: Path) -> list[Path]:
    """The files that hold the weights: one, or the shards of an index in the order of their names.

    Raises:
        InputError: there are none, or the index names what is no safetensors file of this folder.
    """
    if (folder / WEIGHTS).is_file():
        return [folder / WEIGHTS]
    if not (folder / INDEX).is_file():
        raise refusal(
            f"{folder} has no model.safetensors (pickled weights such as pytorch_model.bin are not "
            "read, as they can run code); choose a revision with safetensors, or convert once with "
            f"transformers: {_class_of(folder)}.from_pretrained(FOLDER).save_pretrained(NEW_FOLDER)"
        )
    index = json_object(folder / INDEX)
    shards = index.get("weight_map")
    if not isinstance(shards, dict) or not shards:
        raise refusal(f"{folder / INDEX} has no `weight_map`; copy the file anew")
    names = sorted(set(map(str, shards.values())))
    for name in names:
        if Path(name).name != name or "\\" in name or not name.endswith(".safetensors"):
            raise refusal(
                f"{folder / INDEX} names {name!r}, which is no safetensors file of this folder; "
                "weights are read from there alone: copy the checkpoint anew from its source"
            )
        if not (folder / name).is_file():
            raise refusal(f"{folder / INDEX} names {name}, which is not there; copy it, too")
    if not isinstance(index.get("metadata"), dict):
        raise refusal(f"{folder / INDEX} has no `metadata`; copy the file anew")
    return [folder / name for name in names]


def _class_of(folder: Path) -> str:
    """The class of transformers that reads a folder's weights with the head that may be wanted."""
    names = json_object(folder / CONFIG).get("architectures") or []
    for head in (CLASSIFIER, MASKED_LM):
        if any(name.endswith(head) for name in names):
            return f"AutoModel{head}"
    # Without its class nobody knows whether there is a head, which AutoModel would drop.
    return "AutoModel" if names else f"AutoModel (of a classifier: AutoModel{CLASSIFIER})"


def _shapes(file: Path) -> dict[str, list[int]]:
    """The shape of every weight of a file, of its header alone.

    Raises:
        InputError: it is damaged, or has weights that are no floating-point numbers.
    """
    try:
        with safe_open(file, "np") as opened:
            weights = {name: opened.get_slice(name) for name in opened.keys()}  # noqa: SIM118
            shapes = {name: weight.get_shape() for name, weight in weights.items()}
            kinds = {name: weight.get_dtype() for name, weight in weights.items()}
    except SafetensorError as error:
        with file.open("rb") as opened:
            pointer = opened.read(len(POINTER)) == POINTER
        mend = "is a pointer of Git LFS: fetch the weights by git lfs pull"
        damage = f"is damaged or no safetensors file ({error}); copy or download it again"
        raise refusal(f"{file} {mend if pointer else damage}") from None
    for name, kind in kinds.items():
        if kind not in FLOATS and name.split(".")[-1] in ("weight", "bias"):
            raise refusal(
                f"{file}: {name} has numbers of the kind {kind}, of which nothing says the scale; "
                f"save the model before it was quantised ({', '.join(FLOATS)})"
            )
    return shapes


def _sizes(shapes: dict[str, list[int]], config: PreTrainedConfig) -> dict[str, int]:
    """What the weights say of keys of the configuration, as far as they have their usual names."""
    family = family_of(config)
    layer = rf"(?:^|\.){re.escape(family.holder)}\.layer\.(\d+)\."
    numbers = {int(match[1]) for name in shapes if (match := re.search(layer, name))}
    sizes = {"num_hidden_layers": len(numbers)}
    first = f"{family.holder}.layer.{min(numbers, default=0)}"
    places = {
        "vocab_size": WORDS,
        "max_position_embeddings": f"embeddings.{family.position_embeddings}.weight",
        "hidden_size": f"{first}.{family.modules[4]}.weight",
        family.inner_size: f"{first}.{family.modules[6]}.weight",
    }
    if family.segments is not None:
        places[family.segments] = f"embeddings.{family.segment_embeddings}.weight"
    for key, place in places.items():
        named = sorted((name for name in shapes if f".{name}".endswith(f".{place}")), key=len)
        if named and shapes[named[0]]:
            sizes[key] = shapes[named[0]][0]
    return sizes


def loaded_files(folder: Path) -> list[Path]:
    """Every file of the folder that is read: config, weights and tokenizer.

    Raises:
        InputError: as `weight_files`.
    """
    names = (CONFIG, *TOKENIZERS, *BESIDE_TOKENIZERS)
    index = [] if (folder / WEIGHTS).is_file() else [folder / INDEX]
    others = [folder / name for name in names if (folder / name).is_file()]
    return sorted([*others, *index, *weight_files(folder)])


def sha256_of(files: list[Path]) -> str:
    """SHA-256 of the files' contents, one after the other."""
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def check_hashes(folder: Path, expected: str | dict[str, str]) -> None:
    """Compare what is loaded with SHA-256 hashes.

    Args:
        expected: of the weights (of all shards, in the order of their names), or of every file that
            is loaded, by its name.

    Raises:
        InputError: one differs, or a file that is loaded has none.
    """
    if isinstance(expected, str):
        found = sha256_of(weight_files(folder))
        if found != expected:
            raise _other_version(f"the weights in {folder}", found, expected)
        return
    files = {file.name: file for file in loaded_files(folder)}
    if lacking := sorted(expected.keys() - files.keys()):
        raise refusal(f"{folder} has no {lacking[0]}, of which `checkpoint.sha256` has a hash")
    for name, file in files.items():
        found = sha256_of([file])
        if name not in expected:
            raise refusal(
                f"{file} is loaded as well; write its SHA-256 under `checkpoint.sha256`: "
                f"{name}: {found}"
            )
        if found != expected[name]:
            raise _other_version(str(file), found, expected[name])


def _other_version(what: str, found: str, expected: str) -> Exception:
    return refusal(
        f"{what}: the SHA-256 is {found}, not {expected}; this is another version or damaged: "
        "install or download it again, or, if you mean to use it, write its SHA-256 under "
        "`checkpoint.sha256`"
    )
