"""Every head as a segmenter of text without spaces (query-title study, section 2.2).

Accuracy over positions and F1 over words of each head and of the best one, held out, beside saying
the same everywhere; the union of several heads, which is right where any of them is, beside that of
as many heads drawn at random, as it rises by chance; a regression over all heads; and granularity:
whether the stretches of a coarser head are made of those of a finer one.
"""

from itertools import combinations

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int

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
from stages.core.intervals.held_out import GAIN, RIVAL, SCORE
from stages.core.recordings.recording import Recording, Texts, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.settings import section
from stages.core.stage.tables import MeasuredTable

Table = tuple[pd.DataFrame, Float[np.ndarray, "column row resample"]]
# Of one encoder; a table with resamples comes with them.
Tables = dict[MeasuredTable, pd.DataFrame | Table]
CONSTANTS = (ALWAYS, NEVER)


def label(recording: Recording, number: int) -> str:
    """A head as layer-head."""
    return "-".join(map(str, divmod(number, recording.heads)))


def columns_of(found: Resampled) -> dict[str, float]:
    """A score, its rival and the gain as columns."""
    columns: dict[str, float] = {}
    for names, *values in zip(
        (SCORE, RIVAL, GAIN), found.value, found.low, found.high, strict=True
    ):
        columns |= dict(zip(names, map(float, values), strict=True))
    return columns


def best_table(
    heads: Marked,
    positions: Positions,
    recording: Recording,
    groups: Int[np.ndarray, " text"],
    parameters: Boundaries,
) -> Table:
    """The best head and the regression over all heads by both scores, beside the better constant.

    Returns:
        The table `BEST`, and its resamples.
    """
    resampling = parameters.resamples, parameters.seed
    # As many positions as the heads, and two readers that do not look.
    same = np.broadcast_to([True, False], (len(positions.ends), len(CONSTANTS)))
    constants = ratios(marked_by(same, positions, groups))
    together = ratios(
        marked_by(
            marks_of_regression(positions, heads.group, parameters.penalty, parameters.seed),
            positions,
            groups,
        )
    )
    rows, drawn = [], []
    for score, of_heads in ratios(heads).items():
        found, same_head = best_reader(of_heads, constants[score], *resampling)
        facts = {
            "encoder": recording.name,
            "score": score,
            "constant": CONSTANTS[constants[score].best],
            "cases": len(positions.ends),
            "groups": heads.groups,
            "words": int(heads.words.sum()),
            "hidden": positions.hidden,
        }
        joint = regression_score(together[score], found, *resampling)
        place = label(recording, of_heads.best)
        for reader, where, chosen, same_one in (
            (BEST_HEAD, place, found, same_head),
            (ALL_HEADS, "", joint, True),
        ):
            facts |= {"reader": reader, "place": where, "same": same_one}
            rows.append(facts | columns_of(chosen))
            drawn.append(chosen.drawn)
    return pd.DataFrame(rows), np.stack(drawn, axis=1)


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


def union_table(heads: Marked, recording: Recording, parameters: Boundaries) -> Table:
    """One row a size of `unions` that is no more than there are heads.

    Returns:
        The table `UNIONS`, and its resamples.
    """
    rows, drawn = [], []
    best = best_places(heads.hits.sum(1), len(heads.hits))
    for size in parameters.unions:
        if size > len(best):
            continue
        found = best_union(heads, size, parameters.resamples, parameters.seed)
        places = " ".join(label(recording, head) for head in best[:size])
        facts = {"encoder": recording.name, "heads": size, "places": places}
        facts |= {"cases": int(heads.cases.sum()), "groups": heads.groups}
        rows.append(facts | columns_of(found))
        drawn.append(found.drawn)
    empty = np.empty((3, 0, parameters.resamples))
    return pd.DataFrame(rows), np.stack(drawn, axis=1) if drawn else empty


def nested_table(heads: Marked, recording: Recording, parameters: Boundaries) -> Table:
    """How the best heads lie in each other, mean over pairs.

    Returns:
        The table `NESTED`, and its resamples.
    """
    size = min(parameters.compared, len(heads.hits))
    found = nested_heads(heads, size, parameters.resamples, parameters.seed)
    facts = {"encoder": recording.name, "heads": size, "cases": int(heads.cases.sum())}
    row = facts | {"groups": heads.groups} | columns_of(found)
    return pd.DataFrame([row]), found.drawn[:, None]


def pair_table(heads: Marked, recording: Recording, parameters: Boundaries) -> pd.DataFrame:
    """Every two of the best heads on all texts: where they disagree, and which is the coarser."""
    size = min(parameters.compared, len(heads.hits))
    best = best_places(heads.hits.sum(1), size)
    marks, cases = heads.marked.sum(1), heads.cases.sum()
    rows = []
    for pair in combinations(best.tolist(), 2):
        coarser, finer = sorted(pair, key=lambda head: marks[head])
        one, other = heads.marks[:, coarser], heads.marks[:, finer]
        apart = int((one != other).sum())
        nested, by_chance = Nested(heads, coarser, finer).shares(lambda part: part.sum()[None])
        rows.append(
            {
                "encoder": recording.name,
                "coarser": label(recording, coarser),
                "finer": label(recording, finer),
                "coarser_marks": marks[coarser] / cases,
                "finer_marks": marks[finer] / cases,
                "disagreement": apart / cases,
                # Not a number where they never disagree.
                "coarser_alone": (one & ~other).sum() / apart if apart else np.nan,
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
    return pd.DataFrame(recording.places | columns)


def run_stage(corpus: str) -> None:
    """Read every head as a segmenter of the texts of CORPUS, which write no spaces."""
    parameters = section(Boundaries, "boundaries")
    device = start(read_runtime(), parameters.seed)
    texts = open_texts(corpus)
    with torch.inference_mode():
        write_tables(
            [tables_of(recording, texts, parameters) for recording in texts.recordings(device)],
            corpus,
        )


def write_tables(parts: list[Tables], corpus: str) -> None:
    """Write the tables of all encoders."""
    for declared in parts[0]:
        found = [part[declared] for part in parts]
        if declared.resampled:
            declared.write(*map(list, zip(*found, strict=True)), corpus=corpus)
        else:
            declared.write(found, corpus=corpus)


def tables_of(recording: Recording, texts: Texts, parameters: Boundaries) -> Tables:
    """All tables of one encoder, by their declarations."""
    positions = read_positions(recording, texts)
    heads = marked_by(positions.marks, positions, texts.groups)
    return {
        BEST: best_table(heads, positions, recording, texts.groups, parameters),
        UNIONS: union_table(heads, recording, parameters),
        NESTED: nested_table(heads, recording, parameters),
        PAIRS: pair_table(heads, recording, parameters),
        HEADS: head_table(heads, recording),
    }
