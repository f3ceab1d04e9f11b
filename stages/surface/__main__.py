"""What heads look at on the surface of a text, head by head.

Clark et al. 2019 (sections 3.1 to 3.3): attention to [CLS], [SEP], punctuation and neighbours, and
how broad it is. Vig 2019 (part one, and part two for words of the same sentence): seven patterns,
each with a strength that is 0 by chance and 1 where the head does nothing else. Where there is an
MLM head: gradients of its loss with respect to attention (Clark et al., Figure 3).
"""

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
from pydantic import PositiveFloat, PositiveInt

from stages.core.intervals.groups import group_means
from stages.core.maps.accumulated import HeadValues
from stages.core.maps.statistics import STATISTICS, surface_statistics
from stages.core.maps.vig_patterns import TextTokens, pattern_strengths
from stages.core.maps.weight_gradients import MASKED
from stages.core.recordings.recording import MapBatch, Recording, Texts, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.command import CorpusOption, stage_command
from stages.core.stage.settings import Resampled, section
from stages.core.stage.tables import interval_columns
from stages.core.tasks.examples import drawn_rows
from stages.surface.masked_words import masked_gradients
from stages.surface.tables import HEADS, PATTERN


class Surface(Resampled):
    """The section `surface` of `params.yaml`."""

    corpora: list[str]
    punctuation: list[str]
    gradient_texts: PositiveInt | None
    masked: PositiveFloat
    batch: PositiveInt


def text_statistics(
    batch: MapBatch, tokens: TextTokens, punctuation: set[str]
) -> dict[str, Float[np.ndarray, "text head"]]:
    """Every statistic of every head on each text of a batch, heads of all layers in one row."""
    values = surface_statistics(batch.maps.flatten(1, 2), tokens.kinds(punctuation))
    found = dict(zip(STATISTICS, values.unbind(-1), strict=True))
    for name, values in pattern_strengths(batch, tokens).items():
        found[f"{PATTERN}{name}"] = values
    return {name: values.cpu().double().numpy() for name, values in found.items()}


def surface_table(recording: Recording, texts: Texts, parameters: Surface) -> pd.DataFrame:
    """One row a layer, head and statistic: mean over texts, with an interval over groups."""
    values = HeadValues(recording.layers * recording.heads, len(texts.corpus))
    for batch in recording.batches():
        tokens = TextTokens(recording, texts.corpus, batch)
        found = text_statistics(batch, tokens, set(parameters.punctuation))
        for name, part in found.items():
            values.add(name, batch.rows, part)
    tables = []
    for name, of_texts in values.known().items():
        means = group_means(of_texts, texts.groups, parameters.resamples, parameters.seed)
        columns = {
            "statistic": name,
            **interval_columns("", *means, value="mean"),
            "texts": (~np.isnan(of_texts)).sum(1),
        }
        tables.append(pd.DataFrame(recording.places | columns))
    return pd.concat(tables, ignore_index=True)


def main(corpus: CorpusOption) -> None:
    """Measure what every head looks at on the texts of CORPUS."""
    parameters = section(Surface, "surface")
    device = start(read_runtime(), parameters.seed)
    texts = open_texts(corpus)
    with torch.inference_mode():
        tables = [surface_table(item, texts, parameters) for item in texts.recordings(device)]
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
    HEADS.write(tables, corpus=corpus)
    MASKED.write(gradients, corpus=corpus)


if __name__ == "__main__":
    stage_command(main)
