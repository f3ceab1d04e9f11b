"""A checkpoint with some heads off for good: `python -m tools.cut MODEL OUTPUT --heads 3.7 5.1`.

A head's output goes through its columns of the attention's output projection. Where these are zero,
the head adds nothing whatever it attends to: the prediction is that of the gate `zero`. The shapes
stay, so any version of transformers loads the checkpoint, and it takes as long as before.
"""

import re
import shutil
from pathlib import Path
from typing import Annotated

import typer

from stages.core.stage.command import stage_command
from stages.core.stage.files import InputError, atomic
from stages.core.stage.targets import target_folder

# Weights in other formats would still have the heads.
OTHER_WEIGHTS = (".bin", ".h5", ".msgpack", ".onnx", ".ot", ".pt", ".pth", ".gguf")


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
        InputError: `model` is no checkpoint in safetensors of a known family, it has no such head,
            or there is something at `output`, or it lies in `model`.
    """
    from safetensors import safe_open
    from safetensors.torch import save_file
    from transformers import AutoConfig

    from stages.core.encoder.families import family_of_type

    if not (model / "config.json").is_file():
        raise InputError(f"{model}: no config.json there; name the folder of a checkpoint")
    folder = target_folder(output, "checkpoint", sources=[model])
    files = sorted(model.glob("*.safetensors"))
    if not files:
        raise InputError(f"{model}: no weights in safetensors; save them so by save_pretrained")
    config = AutoConfig.from_pretrained(model)
    family = family_of_type(config.model_type, str(model))
    for layer, head in heads:
        if layer >= config.num_hidden_layers or head >= config.num_attention_heads:
            raise InputError(
                f"--heads {layer}.{head}: {model} has {config.num_hidden_layers} layers of "
                f"{config.num_attention_heads} heads, both counted from 0"
            )
    # As LayerModules has them: the projection of the heads' outputs.
    projection = re.escape(family.modules[4])
    place = re.compile(rf"(?:.*\.)?{family.holder}\.layer\.(\d+)\.{projection}\.weight")
    left = set(heads)
    with atomic(folder) as partial:
        partial.mkdir()
        for file in sorted(path for path in model.iterdir() if path.is_file()):
            if file.suffix not in (".safetensors", *OTHER_WEIGHTS):
                shutil.copy2(file, partial / file.name)
        for file in files:
            with safe_open(file, "pt") as stored:
                weights = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
                metadata = stored.metadata()
            for name, weight in weights.items():
                found = place.fullmatch(name)
                size = weight.shape[-1] // config.num_attention_heads if found else 0
                for layer, head in [one for one in heads if found and one[0] == int(found[1])]:
                    weight[:, head * size : (head + 1) * size] = 0
                    left.discard((layer, head))
            save_file(weights, partial / file.name, metadata)
        if left:
            layers = sorted({layer for layer, _ in left})
            raise InputError(
                f"{model}: its weights have no {family.modules[4]} of the layers {layers}; "
                "config.json and safetensors belong to different models"
            )


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
