"""A checkpoint with some heads off for good: `python -m tools.cut MODEL OUTPUT --heads 3.7 5.1`.

A head's output goes through its columns of the attention's output projection. Where these are zero,
the head adds nothing whatever it attends to: the prediction is that of the gate `zero`. The shapes
stay, so any version of transformers loads the checkpoint, and it takes as long as before.
"""

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from stages.core.stage.command import stage_command
from stages.core.stage.files import InputError, atomic
from stages.core.stage.plain_files import copy_plain, require_plain_file
from stages.core.stage.targets import target_folder

# Of a checkpoint beside its weights. Weights in other formats would still have the heads, and
# whatever else lies in the folder is none of the checkpoint's.
BESIDE_WEIGHTS = ("*.json", "*.txt", "*.model", "*.jinja", "*.md", "LICENSE*", "NOTICE*")


def head_of(named: str) -> tuple[int, int]:
    """Layer and head of a name as 3.7, both counted from 0.

    Raises:
        InputError: it is no such name.
    """
    found = re.fullmatch(r"(\d+)\.(\d+)", named)
    if found is None:
        raise InputError(f"--heads {named}: write LAYER.HEAD, as 3.7, both counted from 0")
    return int(found[1]), int(found[2])


def cut(model: Path, output: Path, heads: list[tuple[int, int]]) -> None:
    """Write the checkpoint of the folder `model` to `output` with some heads off for good.

    Raises:
        InputError: `model` is no checkpoint that can be loaded, it has no such head, or `output` is
            there already, or lies in `model`.
    """
    from safetensors import safe_open
    from safetensors.torch import save_file

    from stages.core.checkpoint_files import check_model, weight_files
    from stages.core.encoder.checkpoint import load_encoder, load_tuned
    from stages.core.encoder.configuration import (
        CLASSIFIER,
        CONFIG,
        has_head,
        json_object,
        pruned_heads,
    )
    from tools.zeroed import without_heads

    if not (model / CONFIG).is_file():
        raise InputError(f"{model}: no config.json there; name the folder of a checkpoint")
    folder = target_folder(output, "checkpoint", sources=[model])
    config = check_model(model, pruned=True)
    content = json_object(model / CONFIG)
    gone = pruned_heads(content, model / CONFIG)
    for where, named in (("--heads", heads), (f"{CONFIG}: `pruned_heads`", gone)):
        for layer, head in named:
            if layer >= config.num_hidden_layers or head >= config.num_attention_heads:
                raise InputError(
                    f"{where} {layer}.{head}: {model} has {config.num_hidden_layers} layers of "
                    f"{config.num_attention_heads} heads, both counted from 0"
                )
    files = weight_files(model)
    for file in files:
        require_plain_file(file)
    with atomic(folder) as partial:
        copy_plain(model, files_beside_weights(model), partial)
        if gone:
            del content["pruned_heads"]
            (partial / CONFIG).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
        for file in files:
            with safe_open(file, "pt") as stored:
                weights = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
                metadata = stored.metadata()
            without = {
                name: without_heads(name, weight, config, heads, gone)
                for name, weight in weights.items()
            }
            save_file(without, partial / file.name, metadata)
        try:
            (load_tuned if has_head(config, CLASSIFIER) else load_encoder)(partial)
        except InputError as error:
            raise InputError(str(error).replace(str(partial), str(model))) from None


def files_beside_weights(model: Path) -> list[str]:
    """Names of the files of a checkpoint's folder that go with its weights."""
    files = {file for pattern in BESIDE_WEIGHTS for file in model.glob(pattern)}
    return sorted(file.name for file in files if file.name[0] != "." and not file.is_dir())


def main(
    model: Annotated[Path, typer.Argument(help="folder of a checkpoint in safetensors")],
    output: Annotated[Path, typer.Argument(help="folder to write, new or empty")],
    more: Annotated[list[str] | None, typer.Argument(help="further heads", hidden=True)] = None,
    heads: Annotated[
        list[str] | None,
        typer.Option(metavar="LAYER.HEAD ...", help="heads to turn off, both counted from 0"),
    ] = None,
) -> None:
    """Write a checkpoint of which some heads are off for good; transformers loads it as ever."""
    chosen = list(dict.fromkeys(head_of(named) for named in [*(heads or []), *(more or [])]))
    if not chosen:
        raise InputError("--heads: name at least one, as --heads 3.7 5.1")
    cut(model, output, chosen)
    typer.echo(f"wrote {output}: {len(chosen)} heads off")


if __name__ == "__main__":
    stage_command(main)
