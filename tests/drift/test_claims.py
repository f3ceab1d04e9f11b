"""How much more the last layers change, on hand-made contrasts."""

import pytest

from tests.claims import found, write


def test_drift_contrast_is_the_mean_over_examples_and_tasks(measures):
    for task, contrasts in (("one", [0.1, 0.3]), ("two", [0.5, 0.7])):
        rows = [
            {"id": str(n), "variant": "cropped", "contrast": x, "seed": 0}
            for n, x in enumerate(contrasts)
        ]
        write(measures, f"drift/{task}-contrast", rows)
    change = found(measures, "drift_of_last_layers", variant="cropped")
    assert change.tasks["one"].value == pytest.approx(0.2)
    assert change.pooled.value == pytest.approx(0.4)


def test_seeds_of_a_task_are_averaged_example_by_example(measures):
    rows = [
        {"id": name, "variant": "cropped", "contrast": x, "seed": seed}
        for seed, contrasts in enumerate([(0.1, 0.5), (0.3, 0.1)])
        for name, x in zip("ab", contrasts, strict=True)
    ]
    write(measures, "drift/one-contrast", rows)
    change = found(measures, "drift_of_last_layers", variant="cropped").pooled
    # Examples: 0.2 and 0.3.
    assert (change.value, change.n) == (pytest.approx(0.25), 2)
    assert 0.2 <= change.low <= change.high <= 0.3
