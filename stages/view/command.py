"""The command of this room: see `view.py`."""

from pathlib import Path
from typing import Annotated

import typer

FirstText = Annotated[str, typer.Argument(metavar="TEXT", help="The text.", show_default=False)]
SecondText = Annotated[
    str | None,
    typer.Argument(metavar="[SECOND]", help="A second text, for models that read pairs."),
]
CheckpointOption = Annotated[
    str,
    typer.Option(
        help="An encoder: a folder, a model of the Hub (organisation/name, or "
        "organisation/name@revision), or `default`, the one of params.yaml.",
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        help="A tuned classifier in place of the checkpoint, as work/models/TASK/tuned-0: the page "
        "then has what each head does to its prediction, too.",
        show_default=False,
    ),
]
AgainstOption = Annotated[
    str | None,
    typer.Option(
        help="Another encoder or classifier, to be shown beside the first.", show_default=False
    ),
]
LayersOption = Annotated[
    str | None,
    typer.Option(help="Layers in the page, from 0, as 0-2,5; by default all.", show_default=False),
]
HeadsOption = Annotated[
    str | None,
    typer.Option(help="Heads of each layer in the page, from 0, as 3,7.", show_default=False),
]
OutputOption = Annotated[Path, typer.Option(help="The page.")]


app = typer.Typer(add_completion=False)


@app.command()
def main(
    first: FirstText,
    second: SecondText = None,
    checkpoint: CheckpointOption = "default",
    model: ModelOption = None,
    against: AgainstOption = None,
    layers: LayersOption = None,
    heads: HeadsOption = None,
    output: OutputOption = Path("attention.html"),
) -> None:
    """Write a page that shows the attention of one's own TEXT, or of a pair of texts."""
    from stages.view.view import write_view  # --help needs none of it

    write_view(first, second, checkpoint, model, against, layers, heads, output)
