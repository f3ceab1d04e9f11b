"""The claims of Si et al. 2019 in the ledger."""

import inspect

import numpy as np
import pytest

import stages.reading.claims  # noqa: F401 - registers the measures
from stages.core.verdicts.claims import REGISTERED, read_claims

CLAIMS = [claim for claim in read_claims().claims if claim.paper == "si2019"]
# Accuracy in the order of the source's data sets, as the source prints it.
ACCURACY = {
    "mc160": 74.7,
    "mc500": 69.3,
    "race_m": 75.6,
    "race_h": 64.7,
    "mcscript": 87.7,
    "mcscript2": 83.9,
    "dream": 62.8,
}
LONGEST = [34.6, 35.0, 29.1, 29.2, 55.0, 58.7, 34.3]
ATTACKED = [32.1, 31.6, 41.0, 34.5, 36.2, 41.2, 42.0]
SHUFFLED = [60.2, 50.8, 63.2, 56.6, 86.5, 81.6, 46.8]
REMOVED = [38.7, 38.7, 48.1, 51.5, 76.8, 73.6, 41.9]
INTACT = list(ACCURACY.values())
DIFFERENCES = {
    "M1-longest": (INTACT, LONGEST, min),
    "M2-passage": (INTACT, ATTACKED, min),
    "M3-near": (INTACT, SHUFFLED, min),
    "M3-passage": (SHUFFLED, REMOVED, min),
}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_every_measure_is_there_and_takes_the_arguments(claim):
    inspect.signature(REGISTERED[claim.measure]).bind(None, None, **claim.arguments)


@pytest.mark.parametrize("name", DIFFERENCES)
def test_published_differences_are_those_of_the_printed_accuracies(name):
    published = next(claim for claim in CLAIMS if claim.id == name).published
    first, second, choose = DIFFERENCES[name]
    expected = dict(zip(ACCURACY, np.subtract(first, second), strict=True))
    assert published.tasks == pytest.approx(expected)
    assert published.value == pytest.approx(choose(expected.values()))
