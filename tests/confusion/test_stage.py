"""The least confused head, held out, and resamples of lexical items, on heads that are known."""

import numpy as np
import pytest

from stages.confusion.conditions import Resampling, conditions_of
from stages.confusion.stage import Confusion, confusion_tables
from stages.confusion.tables import EVERY_LAYER, LEAST, MEAN
from stages.core.stage.files import InputError
from tests.stimuli_oracle import FINDS, HEADS, LAYERS, StimuliRecording, written_stimuli

PARAMETERS = Confusion(sets=[], resamples=60, seed=0)


@pytest.fixture(scope="module")
def stimuli():
    return written_stimuli(60)


@pytest.fixture(scope="module")
def oracle(stimuli):
    return confusion_tables(StimuliRecording(stimuli), stimuli, PARAMETERS)


def test_conditions_have_the_factors_of_their_names(stimuli):
    found = {one.facts["condition"]: one.facts for one in conditions_of(stimuli)}
    assert len(found) == 15
    assert found["A1"]["matching"] == 1
    assert found["A2"]["matching"] == 0
    assert found["R6, R7"]["sentences"] == 120
    assert found["R5"]["chance"] == pytest.approx(np.log2(3))
    assert found["R1"]["chance"] == 1


def test_the_head_that_finds_is_chosen_and_has_no_bit(oracle):
    table, heads = oracle
    best = table[(table["heads"] == LEAST) & (table["layer"] == EVERY_LAYER)]
    assert set(best["best"]) == {"{}-{}".format(*FINDS)}
    assert best["confusion"].to_numpy() == pytest.approx(np.zeros(len(best)), abs=1e-4)
    assert set(table["confusion_drawn"].map(len)) == {PARAMETERS.resamples}
    least = heads.loc[heads.groupby("phenomenon")["beyond_chance"].idxmin()]
    assert set(zip(least["layer"], least["head"], strict=True)) == {FINDS}


def test_other_layers_do_not_have_it(oracle):
    table, _ = oracle
    others = table[(table["heads"] == LEAST) & ~table["layer"].isin([EVERY_LAYER, FINDS[0]])]
    assert (others["confusion"] > 0.9).all()


def test_the_mean_over_layers_is_that_of_the_layers(oracle):
    table, _ = oracle
    rows = table[(table["heads"] == MEAN) & (table["condition"] == "A3")]
    assert rows["layer"].tolist() == [EVERY_LAYER, *range(LAYERS)]
    values = rows["confusion"].to_numpy()
    assert values[0] == pytest.approx(values[1:].mean())
    drawn = np.stack(list(rows["confusion_drawn"]))
    np.testing.assert_allclose(drawn[0], drawn[1:].mean(0), rtol=1e-6)
    assert (rows["confusion_low"] < rows["confusion"]).all()
    assert (rows["confusion"] < rows["confusion_high"]).all()


def test_noise_has_what_noise_has_when_its_best_head_is_held_out(stimuli):
    generator = np.random.default_rng(0)
    # Heads that differ by chance alone, item by item: the best on all sentences looks good.
    names = sorted({item for items in stimuli["items"] for item in items})
    luck = generator.normal(size=(len(names), LAYERS, HEADS * 20))
    places = {name: place for place, name in enumerate(names)}
    heads = np.stack([luck[[places[item] for item in own]].mean(0) for own in stimuli["items"]])
    conditions = [one for one in conditions_of(stimuli) if one.phenomenon == "agreement"]
    drawn = Resampling(stimuli, 20, 0)
    held_out = drawn.least_confused(heads, conditions)[:, 0, 0].mean()
    overall = np.mean([heads[one.rows].mean(0) for one in conditions], axis=0)
    # Only nouns of agreement count: the best of 240 on all of them is far below 0, the level.
    assert overall.min() < -0.25
    assert abs(held_out - overall.mean()) < 0.2


def test_both_encoders_are_drawn_alike(stimuli, oracle):
    table, _ = oracle
    again, _ = confusion_tables(StimuliRecording(stimuli, "random_weights"), stimuli, PARAMETERS)
    # The uniform head is in layer 1 of both; of a layer of chance alone the draws go together.
    drawn, redrawn = (
        np.stack(list(rows.query("heads == @MEAN and layer == 3")["confusion_drawn"]))
        for rows in (table, again)
    )
    np.testing.assert_allclose(drawn, redrawn, rtol=1e-6)
    assert set(again["arm"]) == {"random_weights"}


def test_stimuli_without_distractors_are_refused(stimuli):
    none = stimuli.assign(modifier="none", distractors=0)
    with pytest.raises(InputError, match="no sentence with distractors"):
        confusion_tables(StimuliRecording(stimuli), none, PARAMETERS)
