"""The page of frames where no links of a corpus can be moved, so that no head is chosen."""

import pandas as pd

from stages.core.pages.page import with_rows
from stages.frames.page import sections
from stages.frames.tables import BEST, HEADS
from tests.claims import write_rows
from tests.frames.test_claims import HEAD_ROWS


def test_without_a_best_head_its_table_is_left_out(measures):
    measures._wanted["corpus"] = ["short"]
    write_rows(measures, HEADS, HEAD_ROWS, corpus="short")
    # As the stage writes it then.
    none = BEST.with_columns(pd.DataFrame(columns=["encoder", "layer", "head"]))
    none.to_parquet(measures.folder / "frames/short-best.parquet")
    (whole,) = sections(measures)
    figure, best, every = whole.items
    assert best.is_empty
    (section,) = with_rows([whole])
    assert section.items == (figure, every)
    assert len(every.frame) == len(HEAD_ROWS)
