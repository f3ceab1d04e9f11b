"""What a configuration will take, computed from its settings and the sizes of its tasks."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
import torch

from benchmarks.cost import COLUMNS, Sizes, Split
from benchmarks.product_rates import Rates
from stages.core.heads.gates import single_heads
from stages.core.outcomes.modes import fixed_gates
from stages.core.questions.question import Question, write_questions
from stages.core.stage.files import InputError
from stages.core.stage.settings import section
from stages.finetune.pair_baselines.lstm import LstmAcross
from stages.importance.cost import Geometry, least_for_grid
from stages.pretrain.settings import Pretrain
from stages.reading.attacks import attack
from tools import estimate
from tools.estimate import (
    SHARE_OF_PRETRAINING,
    SHARE_OF_RATE,
    SHARES_OF_RATE,
    gigabytes,
    minutes,
    minutes_before,
)
from tools.estimate_readers import READING, TUNED_READERS, of_readers
from tools.estimate_studies import (
    CONFUSION,
    HARMFUL,
    LSTM,
    MATCHING,
    PROBES,
    TOWERS,
    WORD_ORDER,
    lstm_forward,
    of_stimuli,
    of_task,
    pretraining,
)
from tools.pipeline import ROOT

GEOMETRY = Geometry(layers=6, heads=12, hidden=384, feed_forward=1536)
RATE = 1e11
# One and two small layers, whose operations can be added up by hand. On 23 tokens a layer takes
# 368,736 operations and the last layer of a classification 40,320. Of the last layer, k heads off
# take 480 k + 4,608; of the layer below it 23 times as many, and the last layer once more.
SIZES = Sizes(Split(1920, 23), Split(800, 23))
LAYER, LAST = 368_736, 40_320


# Each letter and full stop is a token. Two sentences of five and six; the right option has three.
ASKED = Question("1", "a b c d . k l m n o .", "e f", ("g p q", "h", "j"), 0)


def layers(count: int) -> Geometry:
    return Geometry(layers=count, heads=12, hidden=24, feed_forward=96)


def off(heads: int) -> int:
    return 480 * heads + 4_608


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The default's settings, and sizes of its tasks: 20 tokens an example, 3 special ones more."""
    for name in ("params.yaml", "dvc.yaml"):
        (tmp_path / name).write_text((ROOT / name).read_text())
    for task in ("relevance", "sentiment", "similarity"):
        rows = [["train", 1920, 20 * 1920, 0, 0], ["validation", 800, 20 * 800, 0, 0]]
        table = pd.DataFrame(rows, columns=["split", "examples", "tokens", "unknown", "in_both"])
        file = tmp_path / f"work/measures/prepare/{task}.parquet"
        file.parent.mkdir(parents=True, exist_ok=True)
        table.to_parquet(file)
    stimuli = tmp_path / "work/stimuli/written"
    stimuli.mkdir(parents=True)
    asked = {
        "probe": "main_auxiliary",
        "position": 0,
        "target": 0,
        "first": 0,
        "items": [["a"]] * 3,
    }
    parts = ["train", "train", "test"]
    words = [["a", "b", "c"], ["d", "e", "f"], ["g", "h", "i", "j"]]
    pd.DataFrame(asked | {"part": parts, "words": words}).to_parquet(stimuli / "probes.parquet")
    rows = {"words": words, "distractors": [1, 2, 0]}
    pd.DataFrame(rows).to_parquet(stimuli / "attention.parquet")
    questions = tmp_path / "work/questions/questions"
    questions.mkdir(parents=True)
    for split, count in (("train", 20), ("validation", 1)):
        some = [replace(ASKED, id=str(number)) for number in range(1, 1 + count)]
        write_questions(some, questions / f"{split}.parquet")
    return tmp_path


def operations(folder: Path, task: str, geometry: Geometry) -> pd.Series:
    rows = list(of_task(task, folder, geometry, SIZES))
    return pd.DataFrame(rows, columns=COLUMNS).set_index("part")["operations"]


def test_minutes_by_hand(folder):
    table = minutes(folder, GEOMETRY, RATE).set_index("part")["minutes"]
    # Relevance has three seeds and one control, the others two of one seed: eight trainings.
    forward = 6 * (2 * 23 * 12 * 384**2 + 4 * 23**2 * 384)
    tuning = 8 * 3 * 1920 * 3 * forward / (RATE * SHARES_OF_RATE["fine-tuning"]) / 60
    assert table["fine-tuning"] == pytest.approx(tuning)
    one = least_for_grid(GEOMETRY, fixed_gates(6, 12, "zero"), [23])
    uniform = least_for_grid(GEOMETRY, fixed_gates(6, 12, "uniform"), [23])
    mean = least_for_grid(GEOMETRY, fixed_gates(6, 12, "mean"), [23])
    # Three seeds of relevance on 256 examples, of the others one on 128.
    heads = (3 * 256 + 2 * 128) * one + 5 * 160 * uniform + 5 * 64 * mean
    assert table["heads and layers off"] == pytest.approx(heads / (RATE * SHARE_OF_RATE) / 60)
    assert 50 < table["stages"] / (8 / 60) < 80


def test_disk_by_hand(folder):
    """Four models of relevance's controls and tuned ones twice three; maps of three arms.

    And two readers of questions.
    """
    models = (2 * 3 + 2) + 2 * (2 + 2) + 2
    maps = 3 * 3 * 800 * 72 * 23**2 * 2
    expected = 2 * (models * 1000 * 4 + maps) / 1e9
    assert gigabytes(folder, GEOMETRY, 1000) == pytest.approx(expected)


def test_before_the_examples_are_there(folder):
    (folder / "work/measures/prepare/relevance.parquet").unlink()
    with pytest.raises(InputError, match="`dvc repro prepare` counts"):
        minutes(folder, GEOMETRY, RATE)


def test_parts_of_the_studies_are_in_the_table(folder):
    table = minutes(folder, GEOMETRY, RATE).set_index("part")["minutes"]
    tasks = ("relevance", "sentiment", "similarity")
    found = pd.concat([operations(folder, task, GEOMETRY) for task in tasks])
    for part in (HARMFUL, WORD_ORDER, MATCHING, TOWERS, LSTM):
        share = SHARES_OF_RATE.get(part, SHARE_OF_RATE)
        assert table[part] == pytest.approx(found[[part]].sum() / (RATE * share) / 60)
    assert {PROBES, CONFUSION} < set(table.index)
    found = pd.DataFrame(of_readers(folder, GEOMETRY), columns=COLUMNS).set_index("part")
    for part in (TUNED_READERS, READING):
        share = SHARES_OF_RATE.get(part, SHARE_OF_RATE)
        assert table[part] == pytest.approx(found["operations"][part] / (RATE * share) / 60)


def edited(folder: Path, old: str, new: str, name: str = "params.yaml") -> None:
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("task", "seeds", "of_ablate"), [("relevance", 3, 256), ("sentiment", 1, 128)]
)
def test_heads_that_hurt_by_hand(folder, task, seeds, of_ablate):
    """`ablate` has all of the 128 examples that choose, of the tuned encoders."""
    prefixes = LAST + sum(off(heads) for heads in range(1, 6))
    sets = 256 * (LAST + 4 * off(5)) + 100 * (LAST + 10 * off(5))

    def one(choosing: int) -> int:
        return choosing * (LAST + LAYER) + 4 * choosing // 2 * prefixes + sets

    control = one(128) + 128 * (LAST + 12 * off(1))
    found = operations(folder, task, layers(1))
    assert found[HARMFUL] == pytest.approx(seeds * one(of_ablate) + control)


def test_heads_that_hurt_are_run_where_ablate_has_none(folder):
    """`ablate` with half as many examples leaves the other half to be run."""
    before = operations(folder, "sentiment", layers(1))[HARMFUL]
    edited(folder, "zero:\n      examples: 128", "zero:\n      examples: 64")
    after = operations(folder, "sentiment", layers(1))[HARMFUL]
    assert after - before == pytest.approx(64 * (LAST + 12 * off(1)))


def test_order_of_words_by_hand(folder):
    """One order head; three seeds, of which one has a control, and 34, 33 and 33 of the draws."""
    maps = 4 * 2 * (200 + 200) * LAYER
    fixed = 3 * 2 * 800 * (LAST + off(1))
    # 32 blocks of 25 pairs: the 33rd and the 34th draw fall to the first two once more.
    drawn = (34 + 33 + 33) * 25 * off(1)
    found = operations(folder, "relevance", layers(1))
    assert found[WORD_ORDER] == pytest.approx(2 * (maps + fixed + drawn))
    assert WORD_ORDER not in operations(folder, "similarity", layers(1))


def test_matching_terms_by_hand(folder):
    """One head of the lower of two layers; three of the upper one may read."""
    forward, once = 2 * LAYER, LAYER + LAST

    def below(heads: int) -> int:
        return 23 * off(heads) + LAST

    maps = (1 + 1 + 3 + 1) * (200 + 200) * forward
    on_all = once + below(12) + off(12) + below(1) + below(11)
    # The matching head off, or on alone; draws of the three seeds, and of the control.
    on_few = 4 * (once + below(1) + below(11))
    on_few += (34 + 33 + 33 + 34) * below(1) + (7 + 7 + 6 + 7) * below(11)
    candidates = once + 3 * off(1)
    expected = maps + 4 * 200 * (on_all + candidates) + 100 * on_few + 4 * 100 * 7 * forward
    assert operations(folder, "relevance", layers(2))[MATCHING] == pytest.approx(expected)


def test_models_of_pairs_by_hand(folder):
    """Three seeds, three epochs; of a pair's 20 tokens each text has 10, and two special ones."""
    found = operations(folder, "relevance", GEOMETRY)
    forward = 6 * (2 * 12 * 12 * 384**2 + 4 * 12**2 * 384)
    assert found[TOWERS] == pytest.approx(3 * 3 * 1920 * 3 * 2 * forward)
    model = LstmAcross(torch.randn(5, 384), 200, 5, 0.0, "classification", 0)
    read = [model.encoding, model.comparison, model.composition]
    weights = sum(own.numel() for part in read for own in part.parameters() if own.dim() > 1)
    # Two products of activations: how alike tokens of both texts are, and the mean by that.
    text = 12 * (2 * weights + 2 * 2 * 12 * 400)
    assert lstm_forward(12, 384, 200) == text
    assert found[LSTM] == pytest.approx(3 * 3 * 1920 * 3 * 2 * text)


def test_sentences_by_hand(folder):
    found = {part: count for part, _, count, _ in of_stimuli(folder, GEOMETRY)}
    short, long = GEOMETRY.forward(5), GEOMETRY.forward(6)
    # Ten epochs of six words, eight states of each; scores, and the gradient of one probe.
    learnt = 10 * 6 * 8 * 2 * 2 * 384
    assert found == {PROBES: 2 * (2 * short + long + learnt), CONFUSION: 2 * 2 * short}


def test_recorded_attention_of_sentences_needs_no_pass(folder):
    edited(
        folder,
        "    seed: 31\n",
        "    seed: 31\n    recorded: {path: my/maps, model: other}\n",
    )
    assert {part for part, *_ in of_stimuli(folder, GEOMETRY)} == {PROBES}


def test_readers_by_hand(folder):
    """Rows of an intact question: [CLS] and twice [SEP], 11, 2, and 3, 1 or 1 of an option."""
    edited(folder, "unanswerable: []", "unanswerable: [P-Shuffle, PQ-Remove]")
    found = pd.DataFrame(of_readers(folder, GEOMETRY), columns=COLUMNS).set_index("part")

    def passes(*lengths: int) -> int:
        return sum(map(GEOMETRY.forward, lengths))

    intact, removed = passes(19, 17, 17), passes(6, 4, 4)
    # One batch of 12 of the twenty questions an epoch, two epochs; three products a step. Tuned,
    # from random weights, and P-Shuffle read whole rows; each answers the validation question.
    steps = 3 * 2 * 12
    assert found["operations"][TUNED_READERS] == pytest.approx(
        3 * steps * intact + steps * removed + 4 * intact
    )
    assert found["steps"][TUNED_READERS] == 4 * 2
    # The right option stands in the intact row under every attack on options.
    shuffled = attack("Ans2Opt-Shuffle", ASKED, 0, 0.65).question.options
    conditions = [
        *(19, 17, 17),  # intact
        *(8, 6, 6, 17, 15, 15, 6, 4, 4),  # without passage, question, both
        *(23, 21, 21),  # question and wrong options behind the passage
        *(22, 23, 21, 22, 22, 23),  # a sentence and the option, it alone, both as they are
        *(20, 20, 20, 20),  # the right option beside the wrong one, shuffled and not
        *([19] * (len(set(shuffled)) - 1)),  # it alone, which may be shuffled alike twice
    ]
    attacked = (19, 17, 17, 23, 21, 21)
    off = least_for_grid(GEOMETRY, single_heads(6, 12, "zero"), attacked)
    both = passes(*conditions) + off + passes(*attacked)
    assert found["operations"][READING] == pytest.approx(2 * both + 2 * intact)


def test_before_the_questions_are_there(folder):
    (folder / "work/questions/questions/train.parquet").unlink()
    with pytest.raises(InputError, match="`dvc repro questions` makes"):
        minutes(folder, GEOMETRY, RATE)


def test_before_the_sentences_are_there(folder):
    (folder / "work/stimuli/written/probes.parquet").unlink()
    with pytest.raises(InputError, match="`dvc repro stimuli` makes"):
        minutes(folder, GEOMETRY, RATE)


def test_studies_that_a_configuration_leaves_out_are_not_counted(folder):
    for name in (
        "harmful",
        "word_order",
        "matching",
        "pair_baselines",
        "layer_probes",
        "confusion",
        "readers",
        "reading",
    ):
        edited(folder, f"\n  {name}:\n", f"\n  {name}_elsewhere:\n", "dvc.yaml")
    assert operations(folder, "relevance", GEOMETRY).empty
    assert not list(of_stimuli(folder, GEOMETRY))
    assert not list(of_readers(folder, GEOMETRY))
    models = (2 * 3 + 2) + 2 * (2 + 2)
    maps = 3 * 3 * 800 * 72 * 23**2 * 2
    assert gigabytes(folder, GEOMETRY, 1000) == pytest.approx(2 * (models * 4000 + maps) / 1e9)


def test_pretraining_by_hand(folder, monkeypatch):
    own = section(Pretrain, "pretrain", folder / "params.yaml")
    layer = 128 * (8 * 256**2 + 4 * 256 * 1024) + 4 * 128**2 * 256
    asked = 0.15 * 128 * (2 * 256**2 + 2 * 256 * 7000)
    expected = 3 * (4 * layer + asked) * 40e6 / 128
    assert pretraining(own) == pytest.approx(expected)
    monkeypatch.setattr(estimate, "product_rates", lambda *_: Rates(RATE, RATE))
    assert minutes_before(folder, torch.device("cpu"), 1) == {}
    edited(folder, "encoders: []", "encoders: [one, two]")
    (folder / "data/pretrained/two").mkdir(parents=True)
    found = minutes_before(folder, torch.device("cpu"), 1)
    assert found == {"one": pytest.approx(expected / (RATE * SHARE_OF_PRETRAINING) / 60)}
