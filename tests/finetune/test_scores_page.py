"""What the page of tasks says of seeds."""

import pandas as pd
import pytest

from stages.finetune.page import averaged


@pytest.mark.parametrize(
    ("seeds", "said"),
    [
        ([1, 1], "Each is of one seed."),
        ([1, 3], "Where a model has several seeds, it is their mean."),
        ([2, 3], "Each is the mean over several seeds."),
    ],
)
def test_means_over_seeds_are_spoken_of_where_there_are_some(seeds, said):
    assert averaged(pd.Series(seeds)) == said
