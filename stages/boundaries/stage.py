"""Every head as a segmenter of text without spaces (query-title study, section 2.2).

Scores are accuracy over positions and F1 over words. The best head, held out, and a regression over
all heads are compared with constants. A union of heads is right where any of them is, which rises
by chance; it is compared with the union of random heads. Granularity asks whether the stretches of
a coarser head are made of those of a finer head.
"""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import torch
from jaxtyping import Int

from stages.boundaries.choices import (
    Nested,
    Ratios,
    best_places,
    best_reader,
    best_union,
    nested_heads,
    ratios,
    with_rival,
)
from stages.boundaries.positions import Positions, read_positions
from stages.boundaries.regression import marks_of_regression
from stages.boundaries.segments import Marked, marked_by
from stages.boundaries.settings import Boundaries
from stages.boundaries.tables import (
    ACCURACY,
    ALL_HEADS,
    ALWAYS,
    BEST,
    BEST_HEAD,
    F1,
    HEADS,
    NESTED,
    NEVER,
    PAIRS,
    UNIONS,
)
from stages.core.intervals.groups import Resampled, line_weights
from stages.core.recordings.recording import Recording, Texts, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.settings import section
from stages.core.tables import Table, drawn_of, estimate_columns

Tables = dict[Table, pd.DataFrame]  # of one arm
CONSTANTS = (ALWAYS, NEVER)


def label(recording: Recording, number: int) -> str:
    """A head as layer-head."""
    return "-".join(map(str, divmod(number, recording.heads)))


def score_columns(scores: Resampled) -> dict[str, Any]:
    """The columns of a score, its rival and the gain, with their resamples."""
    columns: dict[str, Any] = {}
    for number, column in enumerate(("score", "rival", "gain")):
        ends = (float(line[number]) for line in (scores.value, scores.low, scores.high))
        columns |= estimate_columns(column, *ends)
        columns[drawn_of(column)] = scores.drawn[number]
    return columns


def reader_table(
    heads: Marked,
    positions: Positions,
    recording: Recording,
    groups: Int[np.ndarray, " text"],
    parameters: Boundaries,
) -> pd.DataFrame:
    """The rows of `BEST` of one arm."""
    resampling = parameters.resamples, parameters.seed
    # Two readers that do not look, at the positions of the heads.
    same = np.broadcast_to([True, False], (len(positions.ends), len(CONSTANTS)))
    constants = ratios(marked_by(same, positions, groups))
    together = ratios(
        marked_by(
            marks_of_regression(positions, heads.group, parameters.penalty, parameters.seed),
            positions,
            groups,
        )
    )
    rows = []
    for metric, of_heads in ratios(heads).items():
        best, same_head = best_reader(of_heads, constants[metric], *resampling)
        facts = {
            "arm": recording.name,
            "metric": metric,
            "constant": CONSTANTS[constants[metric].best],
            "cases": len(positions.ends),
            "groups": heads.groups,
            "words": int(heads.words.sum()),
            "hidden": positions.hidden,
        }
        joint = regression_score(together[metric], best, *resampling)
        place = label(recording, of_heads.best)
        for reader, head, scores, same in (
            (BEST_HEAD, place, best, same_head),
            (ALL_HEADS, "", joint, True),
        ):
            facts |= {"reader": reader, "place": head, "same": same}
            rows.append(facts | score_columns(scores))
    return pd.DataFrame(rows)


def regression_score(
    together: Ratios, best_head: Resampled, resamples: int, seed: int
) -> Resampled:
    """The held-out score of the regressions, beside the rival of the best head.

    Resamples draw the texts that are scored, the same as for the best head; regressions are not
    fitted anew on each.

    Args:
        together: of the regressions of each division into halves.
    """
    count = together.above.shape[1]
    weights = line_weights(count, resamples, seed)
    above, below = (weights @ table.sum(0) for table in (together.above, together.below))
    rival = np.concatenate([best_head.value[1:2], best_head.drawn[1]])
    return with_rival(above / below, rival, count)


def union_table(heads: Marked, recording: Recording, parameters: Boundaries) -> pd.DataFrame:
    """The rows of `UNIONS` of one arm: each size of `unions` up to the number of heads."""
    rows = []
    best = best_places(heads.hits.sum(1), len(heads.hits))
    for size in parameters.unions:
        if size > len(best):
            continue
        scores = best_union(heads, size, parameters.resamples, parameters.seed)
        places = " ".join(label(recording, head) for head in best[:size])
        facts = {"arm": recording.name, "heads": size, "places": places}
        facts |= {"cases": int(heads.cases.sum()), "groups": heads.groups}
        rows.append(facts | score_columns(scores))
    return pd.DataFrame(rows)


def nested_table(heads: Marked, recording: Recording, parameters: Boundaries) -> pd.DataFrame:
    """The row of `NESTED` of one arm."""
    size = min(parameters.compared, len(heads.hits))
    scores = nested_heads(heads, size, parameters.resamples, parameters.seed)
    facts = {"arm": recording.name, "heads": size, "cases": int(heads.cases.sum())}
    return pd.DataFrame([facts | {"groups": heads.groups} | score_columns(scores)])


def pair_table(heads: Marked, recording: Recording, parameters: Boundaries) -> pd.DataFrame:
    """Every two of the best heads on all texts: where they disagree, and which is the coarser."""
    size = min(parameters.compared, len(heads.hits))
    best = best_places(heads.hits.sum(1), size)
    marks, cases = heads.marked.sum(1), heads.cases.sum()
    rows = []
    for pair in combinations(best.tolist(), 2):
        coarser, finer = sorted(pair, key=lambda head: marks[head])
        of_coarser, of_finer = heads.marks[:, coarser], heads.marks[:, finer]
        apart = int((of_coarser != of_finer).sum())
        nested, by_chance = Nested(heads, coarser, finer).shares(lambda sums: sums.sum()[None])
        rows.append(
            {
                "arm": recording.name,
                "coarser": label(recording, coarser),
                "finer": label(recording, finer),
                "coarser_marks": marks[coarser] / cases,
                "finer_marks": marks[finer] / cases,
                "disagreement": apart / cases,
                # Not a number where they never disagree.
                "coarser_alone": (of_coarser & ~of_finer).sum() / apart if apart else np.nan,
                "stretches": int(heads.stretches[coarser].sum()),
                "nested": float(nested[0]),
                "by_chance": float(by_chance[0]),
            }
        )
    return pd.DataFrame(rows)


def head_table(heads: Marked, recording: Recording) -> pd.DataFrame:
    """Every head's scores on all texts."""
    scores = {
        name: ratio.above.sum(1) / ratio.below.sum(1) for name, ratio in ratios(heads).items()
    }
    cases = heads.cases.sum()
    columns = {
        "accuracy": scores[ACCURACY],
        "F1": scores[F1],
        "marks": heads.marked.sum(1) / cases,
        "ends": float(heads.ends.mean()),
        "cases": int(cases),
    }
    return pd.DataFrame(recording.head_keys | columns)


def run_stage(corpus: str) -> None:
    """Read every head as a segmenter of the texts of CORPUS, which write no spaces."""
    parameters = section(Boundaries, "boundaries")
    device = start(read_runtime(), parameters.seed)
    texts = open_texts(corpus)
    with torch.inference_mode():
        write_boundaries(
            [boundaries_of(recording, texts, parameters) for recording in texts.recordings(device)],
            corpus,
        )


def write_boundaries(of_arms: list[Tables], corpus: str) -> None:
    """Write the tables of all arms."""
    for table in of_arms[0]:
        table.write([tables[table] for tables in of_arms], data=corpus)


def boundaries_of(recording: Recording, texts: Texts, parameters: Boundaries) -> Tables:
    """All tables of one arm, by their declarations."""
    positions = read_positions(recording, texts)
    heads = marked_by(positions.marks, positions, texts.groups)
    return {
        BEST: reader_table(heads, positions, recording, texts.groups, parameters),
        UNIONS: union_table(heads, recording, parameters),
        NESTED: nested_table(heads, recording, parameters),
        PAIRS: pair_table(heads, recording, parameters),
        HEADS: head_table(heads, recording),
    }
