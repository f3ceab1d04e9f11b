"""Expected calibration error, by hand."""

import numpy as np
import pytest

from stages.harmful.calibration import weighted_calibration


def logits(*confidences: float) -> np.ndarray:
    """Two classes, of which the second is named with these probabilities."""
    confidence = np.array(confidences)
    return np.stack([np.zeros_like(confidence), np.log(confidence / (1 - confidence))], axis=-1)


def error(of_gates: np.ndarray, labels: list[float], weights=None, kind="classification", bins=5):
    weights = np.ones((1, len(labels))) if weights is None else np.array(weights)
    return weighted_calibration(of_gates, np.array(labels), kind, bins, weights)


def test_bins_hold_confidence_against_what_is_right():
    """Of 0.55 and 0.58 none is right, of 0.9 and 0.95 one: gaps of 1.13 and 0.85 over four."""
    found = error(logits(0.55, 0.58, 0.9, 0.95)[None], [0.0, 0.0, 1.0, 0.0])
    assert found.shape == (1, 1)
    assert found[0, 0] == pytest.approx((1.13 + 0.85) / 4)


def test_gaps_of_one_bin_cancel_and_of_two_bins_do_not():
    both = [1.0, 0.0]
    assert error(logits(0.55, 0.57)[None], both)[0, 0] == pytest.approx(0.12 / 2)
    assert error(logits(0.55, 0.65)[None], both)[0, 0] == pytest.approx((0.45 + 0.65) / 2)


def test_weights_repeat_examples_and_gates_stand_side_by_side():
    gates = np.stack([logits(0.55, 0.58, 0.9), logits(0.7, 0.8, 0.99)])
    labels = [0.0, 1.0, 1.0]
    weights = [[2, 0, 1], [1, 1, 1]]
    found = error(gates, labels, weights)
    repeated = error(gates[:, [0, 0, 2]], [0.0, 0.0, 1.0])
    np.testing.assert_allclose(found[:, 0], repeated[:, 0])
    np.testing.assert_allclose(found[:, 1], error(gates, labels)[:, 0])


def test_what_is_certain_and_right_has_no_error():
    assert error(logits(1 - 1e-12, 1 - 1e-12)[None], [1.0, 1.0])[0, 0] < 1e-11


def test_scores_are_held_against_labels_in_bins_of_the_prediction():
    """Labels from 0 to 4, bins of 1: 0.5 and 0.9 for 0 and 1, 3.5 for 4, 9 (the last) for 3."""
    predictions = np.array([0.5, 0.9, 3.5, 9.0])[None, :, None]
    found = error(predictions, [0.0, 1.0, 4.0, 3.0], kind="regression", bins=4)
    assert found[0, 0] == pytest.approx((0.4 + 5.5) / 4)
