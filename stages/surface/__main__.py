"""What heads look at on the surface of a text, head by head.

Clark et al. 2019 (sections 3.1 to 3.3): attention to [CLS], [SEP], punctuation and neighbours, and
how broad it is. Vig 2019 (part one, and part two for words of the same sentence): seven patterns,
each with a strength that is 0 by chance and 1 where the head does nothing else. Where there is an
MLM head: gradients of its loss with respect to attention (Clark et al., Figure 3).
"""

from typing import Annotated

import numpy as np
import pandas as pd
import torch
import typer
from jaxtyping import Float
from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from stages.core.intervals.groups import group_means
from stages.core.maps.recording import MapBatch, Recording, Texts, open_texts
from stages.core.maps.statistics import STATISTICS, surface_statistics
from stages.core.maps.vig_patterns import TextTokens, pattern_strengths
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.command import stage_command
from stages.core.stage.settings import Parameters, section
from stages.core.stage.tables import write_tables
from stages.core.tasks.examples import drawn_rows
from stages.surface.masked_words import masked_gradients


class Surface(Parameters):
    """The section `surface` of `params.yaml`."""

    corpora: list[str]  # keys of `corpora`
    punctuation: list[str]  # tokens that count as punctuation
    gradient_texts: PositiveInt | None  # for gradients of the MLM loss, at most; null: all
    masked: PositiveFloat  # share of their tokens that is masked for it
    batch: PositiveInt  # texts that go through together for it
    resamples: PositiveInt  # of the bootstrap over groups of texts
    seed: NonNegativeInt  # of the draws of texts and masked tokens, and of the bootstrap


def text_statistics(
    batch: MapBatch, tokens: TextTokens, punctuation: set[str]
) -> dict[str, Float[np.ndarray, "text head"]]:
    """Every statistic of every head on each text of a batch, heads of all layers in one row."""
    values = surface_statistics(batch.maps.flatten(1, 2), tokens.kinds(punctuation))
    found = dict(zip(STATISTICS, values.unbind(-1), strict=True))
    for name, values in pattern_strengths(batch, tokens).items():
        found[f"pattern_{name}"] = values
    return {name: values.cpu().double().numpy() for name, values in found.items()}


def measure(recording: Recording, texts: Texts, parameters: Surface) -> pd.DataFrame:
    """One row a layer, head and statistic: mean over texts, with an interval over groups."""
    heads = recording.layers * recording.heads
    count = len(texts.corpus)
    values: dict[str, np.ndarray] = {}
    for batch in recording.batches():
        tokens = TextTokens(recording, texts.corpus, batch)
        found = text_statistics(batch, tokens, set(parameters.punctuation))
        for name, part in found.items():
            values.setdefault(name, np.full((heads, count), np.nan))[:, batch.rows] = part.T
    tables = []
    for name, table in values.items():
        if np.isnan(table).all():
            continue
        mean, low, high = group_means(table, texts.groups, parameters.resamples, parameters.seed)
        columns = {"statistic": name, "mean": mean, "low": low, "high": high}
        counted = {"texts": (~np.isnan(table)).sum(1)}
        tables.append(pd.DataFrame(recording.places | columns | counted))
    return pd.concat(tables, ignore_index=True)


def main(corpus: Annotated[str, typer.Option(help="A corpus of `surface.corpora`.")]) -> None:
    """Measure what every head looks at on the texts of CORPUS."""
    parameters = section(Surface, "surface")
    device = start(read_runtime(), parameters.seed)
    texts = open_texts(corpus)
    with torch.inference_mode():
        tables = [measure(item, texts, parameters) for item in texts.recordings(device)]
    gradients = masked_gradients(
        texts,
        drawn_rows(len(texts.corpus), parameters.gradient_texts, parameters.seed),
        punctuation=parameters.punctuation,
        share=parameters.masked,
        batch=parameters.batch,
        resamples=parameters.resamples,
        seed=parameters.seed,
        device=device,
    )
    write_tables(f"surface/{corpus}", {"": tables, "-masked": gradients})


if __name__ == "__main__":
    stage_command(main)
