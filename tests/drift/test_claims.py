"""How much more the last layers change, on hand-made contrasts."""

import pytest

from tests.claims import found, write


def test_drift_contrast_is_the_mean_over_examples_and_tasks(measures):
    for task, contrasts in (("one", [0.1, 0.3]), ("two", [0.5, 0.7])):
        rows = [
            {"id": str(n), "variant": "cropped", "contrast": x} for n, x in enumerate(contrasts)
        ]
        write(measures, f"drift/{task}-contrast", rows)
    change = found(measures, "drift_of_last_layers", variant="cropped")
    assert change.tasks["one"].value == pytest.approx(0.2)
    assert change.pooled.value == pytest.approx(0.4)
