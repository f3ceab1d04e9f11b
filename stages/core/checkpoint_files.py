"""The files of a checkpoint's folder that are loaded: which they are, and what they may not ask."""

import hashlib
import json
from pathlib import Path
from typing import Any

from stages.core.encoder.families import family_of_type, refusal

CONFIG, WEIGHTS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
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
# Keys with which config.json or tokenizer_config.json has transformers load something else: code
# of the folder's own, weights of another name or form, kernels of the Hub.
FOREIGN_KEYS = (
    "auto_map",
    "transformers_weights",
    "fast_tokenizer_files",
    "quantization_config",
    "attn_implementation",
    "_attn_implementation",
    "_attn_implementation_internal",
    "experts_implementation",
    "_experts_implementation",
)
PLAIN_ATTENTION = (None, "eager", "sdpa")
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
    config = _json_object(folder / CONFIG)
    family_of_type(config.get("model_type"), str(folder))
    _refuse_foreign_keys(config, folder / CONFIG)
    if (folder / "tokenizer_config.json").is_file():
        file = folder / "tokenizer_config.json"
        _refuse_foreign_keys(_json_object(file), file)
    if (folder / ADAPTER).exists():
        raise refusal(
            f"{folder} has {ADAPTER}, which makes transformers load another model under it; merge "
            "the adapter into its encoder first (peft: merge_and_unload), and save that"
        )
    weight_files(folder)
    if not any((folder / name).is_file() for name in TOKENIZERS):
        raise refusal(
            f"{folder} has no tokenizer ({', '.join(TOKENIZERS)}); copy the tokenizer files "
            "of the encoder it was made from into the folder"
        )


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
            "transformers: AutoModel.from_pretrained(FOLDER).save_pretrained(NEW_FOLDER)"
        )
    shards = _json_object(folder / INDEX).get("weight_map")
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
    return [folder / name for name in names]


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


def _json_object(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise refusal(f"{file} is not a JSON object; copy the file anew")
    return content


def _refuse_foreign_keys(content: dict[str, Any], file: Path) -> None:
    for key in FOREIGN_KEYS:
        value = content.get(key)
        if value is None or ("attn" in key and value in PLAIN_ATTENTION):
            continue
        raise refusal(
            f"{file} has the key {key!r} ({value!r}), with which transformers loads code, weights "
            "or kernels that are not those of this folder; take the key out if the model works "
            "without it, or choose another checkpoint"
        )
