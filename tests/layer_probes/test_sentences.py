"""Which sentences are drawn for which probe."""

import pandas as pd
import pytest

from stages.core.stage.files import InputError
from stages.layer_probes.sentences import NO_TARGET, questions


def rows(probe, part, count, position=0, start=0):
    """Sentences told apart by their first word; the target is the position, or word 2."""
    return [
        {
            "id": f"{part}{number}",
            "probe": probe,
            "part": part,
            "words": [f"{part}{number}", "b", "c", "."],
            "target": position or 2,
            "position": position,
            "first": 1,
            "items": [f"{part}{number}"],
        }
        for number in range(start, start + count)
    ]


@pytest.fixture
def stimuli():
    table = rows("subject_noun", "train", 8) + rows("subject_noun", "test", 6)
    table += rows("nth_token", "train", 6, 1, start=2) + rows("nth_token", "test", 4, 1)
    return pd.DataFrame(table + rows("subject_noun", "compound", 3))


def test_probes_draw_the_same_sentences_where_they_can(stimuli):
    asked = questions(stimuli, train=6, test=4, seed=0)
    assert asked.probes.to_dict("list") == {
        "probe": ["nth_token", "subject_noun"],
        "position": [1, 0],
    }
    # Six of eight, and the six from the third on: at most two are drawn for one probe alone.
    assert 6 <= len(asked.taught.words) <= 8
    counts = (asked.taught.targets != NO_TARGET).sum(0).tolist()
    assert counts == [6, 6]
    for column, target in enumerate((1, 2)):
        known = asked.taught.targets[:, column]
        assert set(known[known != NO_TARGET].tolist()) == {target}
    sizes = asked.asked.groupby(["probe", "part"]).size().to_dict()
    assert sizes == {
        ("nth_token", "test"): 4,
        ("subject_noun", "test"): 4,
        ("subject_noun", "compound"): 3,
    }
    for row in asked.asked.to_dict("records"):
        assert asked.tested[row["sentence"]][0] == row["items"][0]


def test_another_seed_draws_others_and_another_order_of_rows_does_not(stimuli):
    first = questions(stimuli, 4, 2, seed=0)
    shuffled = stimuli.sample(frac=1, random_state=1)
    assert questions(shuffled, 4, 2, seed=0).taught.words == first.taught.words
    assert questions(stimuli, 4, 2, seed=1).taught.words != first.taught.words


def test_without_a_bound_all_are_taken(stimuli):
    asked = questions(stimuli, None, None, seed=0)
    assert (len(asked.taught.words), len(asked.asked)) == (8, 13)


@pytest.mark.parametrize("part", ["train", "test"])
def test_a_probe_that_lacks_sentences_is_refused(stimuli, part):
    lacking = stimuli[(stimuli["probe"] != "nth_token") | (stimuli["part"] != part)]
    with pytest.raises(InputError, match="no sentence of nth_token"):
        questions(lacking, None, None, seed=0)
