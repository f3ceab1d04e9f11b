"""From a text and the names of models to the page that shows their attention.

The page has the views of BertViz (Vig 2019, part one): lines from tokens to what they attend to,
all layers and heads at a glance, and the neurons behind a score; beside them two models with their
difference, and of a classifier what each head does to this one prediction.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from stages.core.encoder.batches import Encoded
from stages.core.stage.files import InputError, atomic
from stages.core.stage.targets import target_file
from stages.view.attention import attention_of, prediction_of
from stages.view.document import described, document, page_data
from stages.view.models import (
    AGAINST,
    CHECKPOINT,
    DEFAULT,
    MODEL,
    ShownModel,
    load_model,
    require_comparable,
)
from stages.view.selection import numbers_of, require_room
from stages.view.texts import encode_texts, require_text

MARK = "<title>Attention of one's own text</title>"  # as static/view.html has it


def write_view(
    first: str,
    second: str | None = None,
    checkpoint: str = DEFAULT,
    model: str | None = None,
    against: str | None = None,
    layers: str | None = None,
    heads: str | None = None,
    output: Path = Path("attention.html"),
) -> None:
    """Write the page of a text, or of a pair.

    Raises:
        InputError: a text, a model or a choice of layers and heads is wrong; the message says the
            mend.
    """
    require_text(first, second)
    place = target_file(output, "page of attention", MARK)
    if model is not None and checkpoint != DEFAULT:
        raise InputError(
            f"{CHECKPOINT} and {MODEL} both name the model; give one, and the other by {AGAINST}"
        )
    shown = [load_model(checkpoint, CHECKPOINT) if model is None else load_model(model, MODEL)]
    if against is not None:
        shown.append(load_model(against, AGAINST))
        require_comparable(*shown)
        if shown[0].name == shown[1].name:
            given = (checkpoint if model is None else model, against)
            shown = [replace(one, name=named) for one, named in zip(shown, given, strict=True)]
    data = view_data(shown, first, second, layers, heads)
    with atomic(place) as partial:
        partial.write_text(document(data), encoding="utf-8")
    if data["unknown"]:
        typer.secho(
            f"warning: the tokenizer does not know {data['unknown']} of the "
            f"{len(data['pieces'])} tokens; what stands there is lost to the model",
            fg="yellow",
            err=True,
        )
    megabytes = output.stat().st_size / 1e6
    print(f"wrote {output} ({len(data['pieces'])} tokens, {megabytes:.1f} MB)")


def view_data(
    shown: list[ShownModel],
    first: str,
    second: str | None = None,
    layers: str | None = None,
    heads: str | None = None,
) -> dict[str, Any]:
    """All that the page shows of one or two models.

    Raises:
        InputError: as `write_view`.
    """
    gated = shown[0].gated
    chosen_layers = numbers_of("--layers", layers, gated.layers, "layers")
    chosen_heads = numbers_of("--heads", heads, gated.heads, "heads")
    read = [
        encode_texts(one.tokenizer, one.gated.model.config, first, second, one.name)
        for one in shown
    ]
    if len({tuple(tokens.pieces) for _, tokens in read}) > 1:
        raise InputError(
            f"{AGAINST}: {shown[1].name} and {shown[0].name} cut the text into other tokens, so "
            "that their maps cannot be laid on each other; make a page of each"
        )
    tokens = read[0][1]
    size = max(one.gated.head_size for one in shown)
    require_room(len(chosen_layers), len(chosen_heads), len(tokens.pieces), size, len(shown))
    models = [
        _model_data(one, encoded, chosen_layers, chosen_heads)
        for one, (encoded, _) in zip(shown, read, strict=True)
    ]
    texts = [first] if second is None else [first, second]
    return page_data(texts, tokens, chosen_layers, chosen_heads, models)


def _model_data(
    shown: ShownModel, encoded: Encoded, layers: list[int], heads: list[int]
) -> dict[str, Any]:
    (batch,) = encoded.batches(1)
    attention = attention_of(shown.gated, batch, layers, heads)
    prediction = prediction_of(shown.gated, batch, layers, heads) if shown.classifier else None
    return described(shown, attention, prediction)
