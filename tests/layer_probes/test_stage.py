"""The stage: baselines by hand, intervals of lexical items, and a whole run on a tiny encoder."""

import contextlib
import shutil

import numpy as np
import pandas as pd
import pytest
from ruamel.yaml import YAML
from scipy.stats import norm, t

from stages.core.stage.places import ENCODERS
from stages.core.stimuli.store import write_stimuli
from stages.layer_probes.sentences import questions
from stages.layer_probes.stage import LayerProbes, accuracy_table, run_stage
from stages.layer_probes.states import state_table
from stages.layer_probes.tables import SCORES

SETTINGS = {
    "sets": ["made"],
    "train": None,
    "test": None,
    "pieces": "mean",
    "epochs": 30,
    "batch": 8,
    "learning_rate": 3e-2,
    "resamples": 200,
    "seed": 0,
}
PARAMETERS = LayerProbes.model_validate(SETTINGS)
NOUNS = ("dog", "cat", "house", "garden", "river", "book", "song", "teacher", "child")


def rows(part, sentences):
    """Questions of the noun: the target is the place of the first word of `NOUNS`."""
    return [
        {
            "id": f"{part}-{number}",
            "probe": "subject_noun",
            "part": part,
            "words": words,
            "target": next(place for place, word in enumerate(words) if word in NOUNS),
            "position": 0,
            "first": 1,
            "items": [word for word in words if word in NOUNS],
        }
        for number, words in enumerate(sentences)
    ]


@pytest.fixture
def stimuli():
    """Nouns behind no or one adjective; those of the test were not learnt."""
    taught = [
        ["the", *adjective, noun, "sees", "."] for noun in NOUNS[:4] for adjective in ([], ["old"])
    ]
    tested = [["the", noun, "reads", "."] for noun in NOUNS[4:]]
    tested += [["a", "small", noun, "reads", "."] for noun in NOUNS[4:]]
    return pd.DataFrame(rows("train", taught) + rows("test", tested))


def test_baselines_and_intervals_by_hand(stimuli):
    """Half of the tested sentences have an adjective: who names word 1 is right in the others.

    A state that is right about two of the five nouns is drawn with its nouns, not its sentences.
    """
    asked = questions(stimuli, None, None, seed=0)
    nouns = asked.asked["items"].str[0]
    right = pd.DataFrame(
        {0: True, 1: False, 2: nouns.isin(["river", "book"]), 3: True}, index=asked.asked.index
    )
    table = accuracy_table(asked, right, state_table(2), PARAMETERS)
    found = table.set_index(["state", "layer"])["accuracy"].to_dict()
    assert found == pytest.approx(
        {
            ("word embeddings", -1): 1,
            ("embeddings", -1): 0,
            ("layer", 0): 0.4,
            ("layer", 1): 1,
            ("first", -1): 0.5,
            ("chance", -1): (1 / 4 + 1 / 5) / 2,
        }
    )
    assert table[["sentences", "items"]].drop_duplicates().to_numpy().tolist() == [[10, 5]]
    drawn = np.stack(list(table["accuracy_drawn"]))
    line = drawn[2]
    assert (line.min(), line.max()) == (0, 1)
    # Both sentences of a noun are drawn, or none; then away from the value as far as t is wider.
    inside = line[(line > 0) & (line < 1)]
    of_nouns = 5 * (0.4 + (inside - 0.4) * norm.isf(0.025) / t(4).isf(0.025))
    np.testing.assert_allclose(of_nouns, of_nouns.round(), atol=1e-9)
    assert set(of_nouns.round()) == {1, 2, 3, 4}
    assert drawn[4].std() == pytest.approx(0)  # half of the sentences of every noun


def test_a_resample_without_any_sentence_is_drawn_anew(stimuli):
    """All sentences of the second part have one item; where it is not drawn, there is no mean."""
    rare = stimuli[stimuli["part"] == "test"].assign(part="compound")
    rare = rare.assign(items=[[*own, "rare"] for own in rare["items"]])
    asked = questions(pd.concat([stimuli, rare]), None, None, seed=0)
    right = pd.DataFrame(
        {0: asked.asked["items"].str[0] == "river", 1: True}, index=asked.asked.index
    )
    table = accuracy_table(asked, right, state_table(0), PARAMETERS)
    assert not np.isnan(np.stack(list(table["accuracy_drawn"]))).any()
    found = table.set_index(["part", "state"])
    assert found.loc[("compound", "word embeddings"), "accuracy"] == pytest.approx(0.2)
    assert found.loc[("compound", "word embeddings"), "accuracy_high"] < 1


def test_too_few_items_have_no_interval(stimuli):
    few = stimuli[(stimuli["part"] == "train") | stimuli["items"].str[0].isin(NOUNS[4:8])]
    asked = questions(few, None, None, seed=0)
    right = pd.DataFrame(True, index=asked.asked.index, columns=range(2))
    table = accuracy_table(asked, right, state_table(0), PARAMETERS)
    assert table["accuracy"].notna().all()
    assert table["accuracy_low"].isna().all()
    assert np.isnan(np.stack(list(table["accuracy_drawn"]))).all()


def test_a_run_finds_the_position_in_an_encoder_that_has_one(tmp_path, tiny_bert):
    """The second word, by the embeddings of any encoder with position, but not by words alone."""
    words = [
        [one, other, "sees", "the", third]
        for one in NOUNS[:6]
        for other in NOUNS
        for third in NOUNS[:2]
    ]
    made = [
        {
            "id": str(number),
            "probe": "nth_token",
            "part": "train" if number % 3 else "test",
            "words": own,
            "target": 1,
            "position": 2,
            "first": -1,
            "items": [own[1]],
        }
        for number, own in enumerate(words)
    ]
    # Letter by letter it is longer than the encoder's 64 positions.
    made.append(made[0] | {"id": "long", "words": ["dog", "cat", *["unheardof"] * 8]})
    with contextlib.chdir(tmp_path):
        with open("params.yaml", "w", encoding="utf-8") as file:
            runtime = {"device": "cpu", "threads": 1}
            YAML().dump({"runtime": runtime, "layer_probes": SETTINGS}, file)
        for arm in ("untuned", "random_weights"):
            shutil.copytree(tiny_bert, ENCODERS / arm)
        write_stimuli("made", made, [])
        run_stage("made")
        table = pd.read_parquet(SCORES.path("made"))
        assert not list((tmp_path / "work/scratch").rglob("*.*"))
    assert table["arm"].unique().tolist() == ["untuned", "random_weights"]
    first, second = (rows.reset_index(drop=True) for _, rows in table.groupby("arm"))
    pd.testing.assert_frame_equal(first.drop(columns="arm"), second.drop(columns="arm"))
    found = first.set_index("state")["accuracy"]
    assert set(first["sentences"]) == {sum(row["part"] == "test" for row in made[:-1])}
    assert found["embeddings"] == 1
    assert found["word embeddings"] < 0.7
    assert found["chance"] == pytest.approx(0.2)
    assert "first" not in found
    assert set(table["accuracy_drawn"].map(len)) == {200}
