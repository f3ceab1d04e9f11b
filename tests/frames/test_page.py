"""The page of frames where no links of a corpus can be moved, so that no head is chosen."""

import pandas as pd

from stages.frames.page import sections
from stages.frames.tables import HEADS
from tests.claims import write_rows
from tests.frames.test_claims import HEAD_ROWS


def test_without_a_best_head_its_table_has_columns_and_no_rows(measures):
    measures._wanted["corpus"] = ["short"]
    write_rows(measures, HEADS, HEAD_ROWS, corpus="short")
    # As the stage writes it then.
    columns = ["encoder", "layer", "head"]
    pd.DataFrame(columns=columns).to_parquet(measures.folder / "frames/short-best.parquet")
    (section,) = sections(measures)
    _, best, every = section.items
    assert best.frame.empty
    assert {"corpus", "encoder", "weight", "value", "low", "high"} <= set(best.frame)
    assert len(every.frame) == len(HEAD_ROWS)
