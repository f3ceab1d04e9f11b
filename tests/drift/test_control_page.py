"""Sentences about the control's maps, on rows whose sentences are known."""

import pandas as pd

from stages.drift.control_page import said_of_drift


def test_changes_of_maps_stand_beside_each_other():
    layers = pd.DataFrame(
        {
            "task": ["a", "a", "a", "b"],
            "arm": ["tuned", "tuned", "tuned_from_random", "tuned"],
            "cosine": [0.8, 0.6, 0.4, 0.1],
        }
    )
    assert said_of_drift(layers) == [
        "a: mean cosine over heads 0.40 with random weights, 0.70 with pretrained ones."
    ]
