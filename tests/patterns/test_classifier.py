import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler

from stages.core.stage.files import InputError
from stages.patterns.classifier import Classifier, baseline_predictions, fold_table
from stages.patterns.features import FEATURES, feature_table, features
from stages.patterns.labelled_maps import (
    CLASSES,
    CLOSER_ANNOTATORS,
    FIRST_ANNOTATORS,
    LabelledMaps,
    check_folds,
    opinion,
    read_labelled,
    read_maps,
    write_maps,
)
from stages.patterns.network import (
    FARTHEST,
    Architecture,
    PatternClassifier,
    PatternNetwork,
    WidePath,
)
from stages.patterns.rules import RULES
from stages.patterns.training import class_weights, fit_network, fit_wide_path
from tools.labelling.agreement import adjudicate, agreement

RELEASED = Path(__file__).resolve().parents[2] / "data" / "patterns"


SIZE = Architecture(side=16, width=4, last_width=8, wide=0.5, dropout=0.5)


def vertical(length: int, column: int = 0) -> np.ndarray:
    weights = np.full((length, length), 0.2 / length, dtype=np.float32)
    weights[:, column] += 0.8
    return weights


def diagonal(length: int) -> np.ndarray:
    weights = np.full((length, length), 0.2 / length, dtype=np.float32)
    weights += 0.8 * np.eye(length, dtype=np.float32)
    return weights


@pytest.fixture(scope="module")
def labelled() -> LabelledMaps:
    """Plain vertical and diagonal maps of many sizes in two folds."""
    generator = np.random.default_rng(0)
    lengths = generator.integers(8, 30, 40)
    maps = [(vertical if row % 2 else diagonal)(length) for row, length in enumerate(lengths)]
    label = [CLASSES[0] if row % 2 else CLASSES[1] for row in range(40)]
    table = pd.DataFrame({"map": range(40), "fold": [row // 2 % 2 for row in range(40)]})
    table = table.assign(label=label, first=label, second=label, first_doubt="", second_doubt="")
    table = table.assign(encoder="toy", layer=0, head=range(40), drawn_by="chance")
    return LabelledMaps(maps, table)


@pytest.fixture(scope="module")
def settings() -> Classifier:
    return Classifier(
        networks=1,
        seed=0,
        side=16,
        width=4,
        last_width=8,
        epochs=12,
        batch=8,
        learning_rate=1.0e-2,
        weight_decay=1.0e-2,
        adjudicated=0.5,
        doubt=0.4,
        copies=2,
        recomposed=0.0,
        balance=0.0,
        dropout=0.2,
        wide=0.5,
        wide_penalty=0.1,
    )


def test_released_maps_are_labelled_twice_with_every_class_and_honest_folds():
    data = read_labelled(RELEASED)
    assert len(data.maps) == 5206
    readme = RELEASED.parents[1] / "README.md"
    assert f"{len(data.maps):,} attention maps" in readme.read_text(encoding="utf-8")
    annotators = [
        data.table[["map", name, f"{name}_doubt"]].set_axis(["map", "label", "doubt"], axis=1)
        for name in (*FIRST_ANNOTATORS, *CLOSER_ANNOTATORS)
    ]
    decisions = data.table[["map", "decision"]].rename(columns={"decision": "label"})
    adjudicated = adjudicate(annotators, decisions)
    assert adjudicated["label"].tolist() == data.table["label"].tolist()
    assert data.table["encoder"].nunique() == 2
    released = json.loads((RELEASED / "agreement.json").read_text())
    assert released == {
        "first_look": agreement(data.table["first"], data.table["second"]),
        "closer_look": agreement(data.table["closer_first"], data.table["closer_second"]),
    }
    assert data.table["label"].value_counts().min() >= 40
    assert set(data.table["label"]) == set(CLASSES)
    for fold in range(5):
        inside = data.table["fold"] == fold
        heads = [
            set(zip(part["encoder"], part["layer"], part["head"], strict=True))
            for part in (data.table[inside], data.table[~inside])
        ]
        assert heads[0].isdisjoint(heads[1])


def test_dropout_is_for_training_only():
    network, maps = PatternNetwork(SIZE), torch.from_numpy(np.stack([vertical(9), diagonal(9)]))
    with torch.no_grad():
        seen = network.see(maps)
        assert not torch.equal(network.train()(*seen), network(*seen))
        assert torch.equal(network.eval()(*seen), network(*seen))


def test_eight_convolutions_take_maps_of_any_size():
    network = PatternNetwork(SIZE).eval()
    kinds = [type(module).__name__ for module in network.modules()]
    assert kinds.count("Conv2d") == 8
    classifier = PatternClassifier([network])
    for length in (2, 3, 4, 17, 90):
        probabilities = classifier.predict([diagonal(length)])
        assert probabilities.shape == (1, len(CLASSES))
        assert probabilities.sum() == pytest.approx(1, abs=1e-5)


def test_network_learns_plain_patterns_of_maps_it_did_not_see(labelled, settings):
    targets = labelled.targets(settings.adjudicated, settings.doubt)
    rows = np.flatnonzero(labelled.folds == 0)
    threads = torch.get_num_threads()
    network = fit_network([labelled.maps[row] for row in rows], targets[rows], settings, 0)
    torch.set_num_threads(threads)
    classifier = PatternClassifier([network])
    unseen = np.flatnonzero(labelled.folds == 1)
    predicted = classifier.predict([labelled.maps[row] for row in unseen]).argmax(1)
    assert (predicted == labelled.labels[unseen]).mean() > 0.9


def test_baseline_and_fold_table(labelled):
    assert (baseline_predictions(labelled) == labelled.labels).all()
    network = PatternNetwork(SIZE)
    classifiers = dict.fromkeys([0, 1, None], PatternClassifier([network]))
    table = fold_table(labelled, classifiers)
    assert table["baseline"].tolist() == labelled.table["label"].tolist()
    np.testing.assert_allclose(table[list(CLASSES)].sum(axis=1), 1, atol=1e-4)


def test_who_looked_closer_replaces_the_first_look(labelled):
    table = labelled.table.assign(closer_first="", closer_first_doubt="")
    table.loc[1, ["closer_first", "closer_first_doubt"]] = ["block", "B/H"]
    targets = LabelledMaps(labelled.maps, table).targets(0.5, 0.4)
    assert targets[1].tolist() == pytest.approx([0.5, 0, 0, 0.3, 0.2])
    before = labelled.targets(0.5, 0.4)
    np.testing.assert_array_equal(np.delete(targets, 1, 0), np.delete(before, 1, 0))


def test_saved_networks_come_back(tmp_path):
    before = PatternClassifier([PatternNetwork(SIZE), PatternNetwork(SIZE)])
    before.save(tmp_path / "saved")
    after = PatternClassifier.load(tmp_path / "saved")
    np.testing.assert_array_equal(before.predict([vertical(9)]), after.predict([vertical(9)]))
    with pytest.raises(InputError):
        PatternClassifier.load(tmp_path / "absent")


def test_maps_survive_writing_and_damage_is_found(tmp_path):
    file = tmp_path / "maps.npz"
    write_maps(file, [vertical(5), diagonal(9)])
    back = read_maps(file)
    assert [len(weights) for weights in back] == [5, 9]
    np.testing.assert_allclose(back[1], diagonal(9), atol=1e-3)
    crooked = vertical(5)
    crooked[2] *= 0.5
    write_maps(tmp_path / "crooked.npz", [crooked])
    with pytest.raises(InputError, match="a row of map 0 does not add up to 1"):
        read_maps(tmp_path / "crooked.npz")
    whole = file.read_bytes()
    for end in (0, 10, len(whole) // 2, len(whole) - 5):
        file.write_bytes(whole[:end])
        with pytest.raises(InputError, match="not a file of maps"):
            read_maps(file)


def test_a_doubt_shares_the_label():
    assert opinion("vertical", "", 0.4).tolist() == [1, 0, 0, 0, 0]
    assert opinion("vertical", "V/VD", 0.4).tolist() == pytest.approx([0.6, 0, 0.4, 0, 0])


def test_features_of_oracle_maps():
    stripe, line = feature_table([vertical(12), diagonal(12)]).to_dict("records")
    assert stripe["strongest_column"] == pytest.approx(0.8 + 0.2 / 12)
    assert stripe["column_variance"] == pytest.approx(1)
    assert line["diagonal"] == pytest.approx(0.8 + 0.2 / 12)
    assert stripe["diagonal"] == pytest.approx(0.2 / 12 + 0.8 / 10)  # two below the main one


def squares(*sizes: int) -> np.ndarray:
    """Uniform attention within spans of these sizes, a little outside."""
    span = np.repeat(range(len(sizes)), sizes)
    weights = np.where(span[:, None] == span[None], 1.0, 0.01).astype(np.float32)
    return weights / weights.sum(1, keepdims=True)


def test_features_of_squares_and_sinks():
    table = feature_table([squares(10, 10), squares(7, 6, 7), diagonal(20), vertical(20)])
    assert (table["squares"][:2] > 0.4).all()
    assert (table["squares"][2:] < 0.2).all()
    assert table["far_corners"][0] > 0.8 > 0.1 > table["far_corners"][2:].max()
    assert table["rows_with_a_sink"][3] == pytest.approx(15 / 18)  # not those next to it
    assert table["rows_alike"][3] == pytest.approx(1, abs=1e-3)
    assert table["ridge"].idxmax() == 2


def test_wide_path_is_a_logistic_regression_of_the_features_and_their_products(labelled, settings):
    targets = np.eye(len(CLASSES))[labelled.labels]
    network = PatternNetwork(SIZE.model_copy(update={"wide": 1.0})).eval()
    fit_wide_path(network, labelled.maps, targets, penalty=1.0)
    table = feature_table(labelled.maps)
    model = make_pipeline(
        StandardScaler(),
        FunctionTransformer(lambda unit: unit.clip(-FARTHEST, FARTHEST)),
        PolynomialFeatures(2, include_bias=False),
        StandardScaler(),
        LogisticRegression(max_iter=5000),
    ).fit(table, labelled.labels)
    found = PatternClassifier([network]).predict(labelled.maps)[:, :2]
    # Features of such plain maps vary by rounding errors alone, which count when standardised.
    np.testing.assert_allclose(found, model.predict_proba(table), atol=0.01)


def test_terms_of_the_wide_path_are_features_squares_and_products():
    wide = WidePath()
    plain = 2 * FARTHEST * torch.rand(4, len(FEATURES)) - FARTHEST
    wide.mean.fill_(0.5)
    wide.scale.fill_(0.25)
    unit = ((plain - 0.5) / 0.25).clamp(-FARTHEST, FARTHEST)
    assert (unit.abs() == FARTHEST).any()
    expected = PolynomialFeatures(2, include_bias=False).fit_transform(unit.numpy())
    np.testing.assert_allclose(wide.joined(plain).numpy(), expected, atol=1e-5)


def test_what_a_network_sees_of_a_sink_does_not_depend_on_its_place():
    maps = torch.from_numpy(np.stack([vertical(20, column) for column in (3, 10, 16)]))
    table = pd.DataFrame(features(maps).numpy(), columns=list(FEATURES))
    for name in ("strongest_column", "rows_with_a_stripe", "seen_in_stripes", "entropy", "dim"):
        assert table[name].to_numpy() == pytest.approx(table[name][0]), name


def test_what_a_network_sees_does_not_depend_on_how_sharp_attention_is():
    """Half the weight goes evenly to all tokens in the second map."""
    sharp, flat = vertical(20), 0.5 * vertical(20) + 0.5 / 20
    table = feature_table([sharp, flat])
    for name in RULES:
        assert table[name][0] == pytest.approx(table[name][1]), name


def test_soft_targets_of_three_classes_are_learnt_as_shares(settings):
    kinds = [vertical(12), diagonal(12), squares(6, 6)]
    maps, codes = kinds * 8, [0, 1, 3] * 8
    targets = np.full((24, len(CLASSES)), 0.0)
    targets[:, [0, 1, 3]] = 0.1
    targets[range(24), codes] = 0.8
    network = PatternNetwork(SIZE.model_copy(update={"wide": 1.0})).eval()
    fit_wide_path(network, maps, targets, penalty=1e-3)
    found = PatternClassifier([network]).predict(maps)
    np.testing.assert_allclose(found, targets, atol=0.02)  # 0 for the classes that none shows


def test_the_deep_path_alone_and_the_mixture():
    network = PatternNetwork(SIZE.model_copy(update={"wide": 0.25}))
    classifier, maps = PatternClassifier([network]), [vertical(12), diagonal(12)]
    deep, wide = classifier.predict(maps, wide=0), classifier.predict(maps, wide=1)
    assert not np.allclose(deep, wide)
    np.testing.assert_allclose(classifier.predict(maps), 0.75 * deep + 0.25 * wide, atol=1e-6)


@pytest.mark.parametrize(("balance", "expected"), [(0, [3, 1]), (1, [1, 1])])
def test_class_weights_undo_what_recomposed_copies_shift(balance, expected):
    """Three maps in four are vertical, but half of the copies are diagonal."""
    targets = np.eye(len(CLASSES))[[0, 0, 0, 1]]
    copies = torch.eye(len(CLASSES))[torch.tensor([[0, 1]] * 4)]
    weights = class_weights(targets, copies, balance)
    in_loss = (weights * copies.mean((0, 1)))[:2]
    assert (in_loss / in_loss[1]).tolist() == pytest.approx(expected, rel=1e-4)


def test_features_of_a_constant_map_are_numbers():
    constant = np.full((12, 12), 1 / 12, dtype=np.float32)
    table = feature_table([constant])
    assert np.isfinite(table).all(axis=None)
    assert table["rows_alike"].tolist() == [0]  # constant rows correlate with none


def test_a_head_of_one_encoder_stands_in_one_fold():
    row = {"layer": 1, "head": 2, "text_a": "", "text_b": ""}
    two = pd.DataFrame([row | {"encoder": "a", "fold": 0}, row | {"encoder": "b", "fold": 1}])
    check_folds(two, Path("maps.csv"))
    with pytest.raises(InputError, match="head 1-2 of a stands in two folds"):
        check_folds(two.assign(encoder="a"), Path("maps.csv"))


def test_rules_of_oracle_maps():
    stripe, line, both, blocks = feature_table(
        [
            vertical(20),
            diagonal(20),
            0.5 * vertical(20) + 0.5 * diagonal(20),
            0.7 * squares(10, 10) + 0.3 * vertical(20),
        ]
    ).to_dict("records")
    assert (stripe["rows_with_a_stripe"], stripe["rows_near_diagonal"]) == (1, 0)
    assert (line["rows_with_a_stripe"], line["rows_near_diagonal"]) == (0, 1)
    assert (both["rows_with_a_stripe"], both["rows_near_diagonal"]) == (1, 1)
    assert stripe["seen_in_stripes"] == line["seen_near_diagonal"] == 1
    assert both["seen_near_diagonal"] == pytest.approx(0.5)
    assert (blocks["squares_found"], blocks["largest_square"]) == (2, 0.5)
    assert (blocks["filled"], blocks["filled_outside"]) == (1, 0)
    assert blocks["in_squares"] == pytest.approx(0.5)  # 90 and 100 of 380, as column 0 is a stripe
