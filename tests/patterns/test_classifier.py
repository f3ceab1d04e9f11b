"""Training of the networks and of their wide path, and what they say of plain maps."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler

from stages.core.stage.files import InputError
from stages.patterns.classifier.stage import baseline_predictions, fold_table, network_codes
from stages.patterns.features import FEATURES, feature_table
from stages.patterns.labelled_maps import (
    CLASSES,
)
from stages.patterns.map_alone import MapAlone
from stages.patterns.network import (
    FARTHEST,
    Architecture,
    PatternClassifier,
    PatternNetwork,
    WidePath,
    load_networks,
    save_networks,
)
from stages.patterns.training import Trained, fit_networks, fit_wide_path
from tests.patterns.maps import diagonal, squares, vertical

SIZE = Architecture(side=16, width=4, last_width=8, wide=0.5, dropout=0.5)


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
    classifier = PatternClassifier(network)
    for length in (2, 3, 4, 17, 90):
        probabilities = classifier.predict([diagonal(length)])
        assert probabilities.shape == (1, len(CLASSES))
        assert probabilities.sum() == pytest.approx(1, abs=1e-5)


def test_network_learns_plain_patterns_of_maps_it_did_not_see(labelled, settings):
    targets = labelled.targets(settings.adjudicated, settings.doubt)
    rows = np.flatnonzero(labelled.folds == 0)
    threads = torch.get_num_threads()
    inside = [labelled.maps[row] for row in rows]
    plain = feature_table(inside).to_numpy()
    # A network without features needs more steps for the same.
    settings = settings.model_copy(update={"epochs": 30})
    trained = fit_networks(inside, targets[rows], plain, settings, [0, 1], [0, 1])
    again = fit_networks(inside, targets[rows], plain, settings, [1], [])
    alone = fit_networks(inside, targets[rows], plain, settings, [0], [0])
    torch.set_num_threads(threads)
    unseen = np.flatnonzero(labelled.folds == 1)
    maps = [labelled.maps[row] for row in unseen]
    for network, map_alone in zip(trained.networks, trained.maps_alone, strict=True):
        found = network_codes(network, maps) | {"alone": map_alone.predict(maps).argmax(1)}
        for name, codes in found.items():
            assert (codes == labelled.labels[unseen]).mean() > 0.9, name
    # The wide path has no start, and the second start is the same with or without the first.
    one, other = trained.networks
    assert torch.equal(one.wide.linear.weight, other.wide.linear.weight)
    assert again.maps_alone == []
    for first, second, second_again in (
        (one, other, again.networks[0]),
        (trained.maps_alone[1], trained.maps_alone[0], alone.maps_alone[0]),
    ):
        states = [network.state_dict() for network in (first, second, second_again)]
        weights = "convolutions.layers.0.weight"
        assert not torch.equal(states[0][weights], states[1][weights])
        assert all(torch.equal(states[1][key], states[2][key]) for key in states[1])


def test_baseline_and_fold_table(labelled):
    assert (baseline_predictions(labelled) == labelled.labels).all()
    trained = {
        fold: Trained([Always(fold, fold + 3)], [AlwaysAlone(code) for code in codes])
        for fold, codes in {0: [0, 1], 1: [2, 3]}.items()
    }
    table = fold_table(labelled, trained)
    assert len(table) == 2 * len(labelled.maps)
    assert table["baseline"].tolist() == 2 * labelled.table["label"].tolist()
    said = table.groupby(["start", "fold"])["map_alone"].unique().map(list).to_dict()
    codes = {(0, 0): 0, (1, 0): 1, (0, 1): 2, (1, 1): 3}
    assert said == {place: [CLASSES[code]] for place, code in codes.items()}
    # Of the network there is one start: it says the same beside each of the others.
    for model, more in (("network", 0), ("deep_path", 3)):
        assert table[model].tolist() == [CLASSES[fold + more] for fold in table["fold"]]


class Always(PatternNetwork):
    """Always the same class, and another one without the wide path."""

    def __init__(self, code: int, deep: int):
        super().__init__(SIZE)
        self.codes = {None: code, 0: deep}

    def probabilities(self, views, plain, wide=None):
        return torch.eye(len(CLASSES))[[self.codes[wide]] * len(views)]


class AlwaysAlone(MapAlone):
    """Always the same class."""

    def __init__(self, code: int):
        super().__init__(16, 4, 8, 0.0)
        self.code = code

    def forward(self, shown):
        return 100 * torch.eye(len(CLASSES))[[self.code] * len(shown)]


def test_the_network_of_maps_alone_sees_one_picture_of_eight_convolutions(tmp_path):
    network = MapAlone(16, 4, 8, 0.5).eval()
    kinds = [type(module).__name__ for module in network.modules()]
    assert (kinds.count("Conv2d"), kinds.count("Linear")) == (8, 1)
    weights = torch.from_numpy(np.stack([vertical(9), diagonal(9)]))
    shown = network.see(weights)
    assert shown.shape == (2, 1, 16, 16)
    # What both networks train on is cut from the views of the network that sorts the maps.
    sorting = PatternNetwork(SIZE).see(weights)[0]
    torch.testing.assert_close(shown, sorting[:, :1])
    before = network.predict([vertical(9), diagonal(30)])
    np.testing.assert_allclose(before.sum(1), 1, atol=1e-5)
    network.save(tmp_path / "saved")
    np.testing.assert_array_equal(
        before, MapAlone.load(tmp_path / "saved").predict([vertical(9), diagonal(30)])
    )
    with pytest.raises(InputError, match="not a network of maps alone"):
        MapAlone.load(tmp_path / "absent")


def test_saved_networks_come_back(tmp_path):
    before = [PatternNetwork(SIZE), PatternNetwork(SIZE)]
    save_networks(before, tmp_path / "saved")
    first, second = (PatternClassifier(one).predict([vertical(9)]) for one in before)
    assert not np.array_equal(first, second)
    sorting = PatternClassifier.load(tmp_path / "saved")
    np.testing.assert_array_equal(sorting.predict([vertical(9)]), first)
    after = PatternClassifier(load_networks(tmp_path / "saved")[1])
    np.testing.assert_array_equal(after.predict([vertical(9)]), second)
    with pytest.raises(InputError):
        PatternClassifier.load(tmp_path / "absent")


def test_wide_path_is_a_logistic_regression_of_the_features_and_their_products(labelled, settings):
    targets = np.eye(len(CLASSES))[labelled.labels]
    network = PatternNetwork(SIZE.model_copy(update={"wide": 1.0})).eval()
    fit_wide_path(network, feature_table(labelled.maps).to_numpy(), targets, penalty=1.0)
    table = feature_table(labelled.maps)
    model = make_pipeline(
        StandardScaler(),
        FunctionTransformer(lambda unit: unit.clip(-FARTHEST, FARTHEST)),
        PolynomialFeatures(2, include_bias=False),
        StandardScaler(),
        LogisticRegression(max_iter=5000),
    ).fit(table, labelled.labels)
    found = PatternClassifier(network).predict(labelled.maps)[:, :2]
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


def test_soft_targets_of_three_classes_are_learnt_as_shares(settings):
    kinds = [vertical(12), diagonal(12), squares(6, 6)]
    maps, codes = kinds * 8, [0, 1, 3] * 8
    targets = np.full((24, len(CLASSES)), 0.0)
    targets[:, [0, 1, 3]] = 0.1
    targets[range(24), codes] = 0.8
    network = PatternNetwork(SIZE.model_copy(update={"wide": 1.0})).eval()
    fit_wide_path(network, feature_table(maps).to_numpy(), targets, penalty=1e-3)
    found = PatternClassifier(network).predict(maps)
    np.testing.assert_allclose(found, targets, atol=0.02)  # 0 for the classes that none shows


def test_the_deep_path_alone_and_the_mixture():
    network = PatternNetwork(SIZE.model_copy(update={"wide": 0.25}))
    classifier, maps = PatternClassifier(network), [vertical(12), diagonal(12)]
    deep, wide = classifier.predict(maps, wide=0), classifier.predict(maps, wide=1)
    assert not np.allclose(deep, wide)
    np.testing.assert_allclose(classifier.predict(maps), 0.75 * deep + 0.25 * wide, atol=1e-6)


def test_a_network_is_saved_to_the_same_bytes_each_time(tmp_path):
    network = MapAlone(16, 4, 8, 0.5)
    for number in range(8):
        network.save(tmp_path / str(number))
    files = [next((tmp_path / str(number)).iterdir()).read_bytes() for number in range(8)]
    assert len(set(files)) == 1
