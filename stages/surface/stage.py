"""What heads look at on the surface of a text, head by head.

Clark et al. 2019 (sections 3.1 to 3.3): attention to [CLS], [SEP], punctuation and neighbours, and
how broad it is. Vig 2019 (part one, and part two for words of the same sentence): seven patterns,
each with a strength that is 0 by chance and 1 where the head does nothing else. Where there is an
MLM head: gradients of its loss with respect to attention (Clark et al., Figure 3).
"""

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from pydantic import PositiveFloat, PositiveInt

from stages.core.intervals.groups import resampled_means
from stages.core.intervals.held_out import held_out
from stages.core.maps.accumulated import HeadValues
from stages.core.maps.chosen_heads import above, held_out_heads
from stages.core.maps.gradient_tables import MASKED
from stages.core.maps.statistics import STATISTICS, surface_statistics
from stages.core.maps.vig_patterns import TextTokens, pattern_strengths
from stages.core.recordings.recording import MapBatch, Recording, Texts, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.settings import Resampled, section
from stages.core.tables import drawn_of, estimate_columns
from stages.core.tasks.examples import drawn_rows
from stages.surface.masked_words import masked_gradients
from stages.surface.tables import HEADS, PATTERN, SEP_HEADS, STRONGEST

NEIGHBOURS = ("previous", "next")
ByStatistic = dict[str, Float[np.ndarray, "head text"]]


class Surface(Resampled, section="surface"):
    """The section `surface` of `params.yaml`."""

    corpora: list[str]
    punctuation: list[str]
    sep_share: PositiveFloat
    gradient_texts: PositiveInt | None
    masked: PositiveFloat
    batch: PositiveInt


def text_statistics(
    batch: MapBatch, tokens: TextTokens, punctuation: set[str]
) -> dict[str, Float[np.ndarray, "text head"]]:
    """Every statistic of every head on each text of a batch, heads of all layers in one row."""
    values = surface_statistics(batch.maps.flatten(1, 2), tokens.kinds(punctuation))
    statistics = dict(zip(STATISTICS, values.unbind(-1), strict=True))
    for name, values in pattern_strengths(batch, tokens).items():
        statistics[f"{PATTERN}{name}"] = values
    return {name: values.cpu().double().numpy() for name, values in statistics.items()}


def surface_values(recording: Recording, texts: Texts, punctuation: list[str]) -> ByStatistic:
    """Every statistic that some text has, of every head on each text."""
    values = HeadValues(recording.layers * recording.heads, len(texts.corpus))
    for batch in recording.batches():
        tokens = TextTokens(recording, texts.corpus, batch)
        for name, of_texts in text_statistics(batch, tokens, set(punctuation)).items():
            values.add(name, batch.rows, of_texts)
    return values.known()


def statistics_table(
    recording: Recording,
    values: ByStatistic,
    groups: Int[np.ndarray, " text"],
    parameters: Surface,
) -> pd.DataFrame:
    """One row a layer, head and statistic: mean over texts, with an interval over groups."""
    tables = []
    for name, of_texts in values.items():
        means = resampled_means(of_texts, groups, parameters.resamples, parameters.seed)
        columns = {
            "statistic": name,
            **estimate_columns("amount", means.value, means.low, means.high, means.drawn),
            "texts": (~np.isnan(of_texts)).sum(1),
        }
        tables.append(pd.DataFrame(recording.head_keys | columns))
    return pd.concat(tables, ignore_index=True)


def strongest_table(
    recording: Recording,
    values: ByStatistic,
    groups: Int[np.ndarray, " text"],
    parameters: Surface,
) -> pd.DataFrame:
    """One row a pattern, and one for each neighbour: the strongest head, scored on other texts."""
    rows = []
    for name, of_texts in values.items():
        if not (name in NEIGHBOURS or name.startswith(PATTERN)):
            continue
        known = ~np.isnan(of_texts).any(0)
        scores = of_texts[:, known].T
        alike = np.zeros((len(scores), 1))  # no rival is asked
        choice = held_out(scores, alike, groups[known], parameters.resamples, parameters.seed)
        score = choice.score
        rows.append(
            {
                "arm": recording.name,
                "statistic": name,
                "layer": choice.best // recording.heads,
                "head": choice.best % recording.heads,
                **estimate_columns("score", score.value, score.low, score.high),
                drawn_of("score"): score.drawn,
                "same": choice.same,
                "texts": choice.cases,
            }
        )
    return pd.DataFrame(rows)


def sep_table(
    recording: Recording,
    choosing: ByStatistic,
    values: ByStatistic,
    groups: Int[np.ndarray, " text"],
    parameters: Surface,
) -> pd.DataFrame:
    """One row a layer: from [SEP] to [SEP] in heads that attend to [SEP] on other texts.

    Args:
        choosing: of the encoder whose heads these are.
        values: of the encoder whose attention it is, at the same places.
    """
    rows = []
    for layer in range(recording.layers):
        places = slice(layer * recording.heads, (layer + 1) * recording.heads)
        chosen = held_out_heads(
            choosing["sep"][places],
            above(parameters.sep_share),
            [values["sep_to_sep"][places]],
            groups,
            parameters.resamples,
            parameters.seed,
        )
        sums, cases = chosen.sums[0], chosen.cases[0]
        rows.append(
            {
                "arm": recording.name,
                "layer": layer,
                "heads": chosen.heads[0],
                "sep_to_sep_sum": sums[0],
                drawn_of("sep_to_sep_sum"): sums[1:],
                "cases": cases[0],
                drawn_of("cases"): cases[1:],
                "texts": len(groups),
            }
        )
    return pd.DataFrame(rows)


def run_stage(corpus: str) -> None:
    """Measure what every head looks at on the texts of CORPUS."""
    parameters = section(Surface, "surface")
    device = start(read_runtime(), parameters.seed)
    texts = open_texts(corpus)
    heads, strongest, separators = [], [], []
    choosing: ByStatistic | None = None
    for recording in texts.recordings(device):
        with torch.inference_mode():
            values = surface_values(recording, texts, parameters.punctuation)
        choosing = values if choosing is None else choosing
        rest = (texts.groups, parameters)
        heads.append(statistics_table(recording, values, *rest))
        strongest.append(strongest_table(recording, values, *rest))
        separators.append(sep_table(recording, choosing, values, *rest))
    HEADS.write(heads, data=corpus)
    STRONGEST.write(strongest, data=corpus)
    SEP_HEADS.write(separators, data=corpus)
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
    MASKED.write(gradients, data=corpus)
