"""Values of heads on texts, gathered in any order."""

import numpy as np

from stages.core.maps.accumulated import HeadValues


def test_values_stand_in_the_rows_of_their_texts():
    found = HeadValues(2, 4)
    found.add("share", np.array([3, 1]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    found.add("share", 0, np.array([5.0, 6.0]))
    np.testing.assert_array_equal(found["share"], [[5, 3, np.nan, 1], [6, 4, np.nan, 2]])


def test_what_no_text_has_is_not_known():
    found = HeadValues(1, 2)
    found.add("known", 1, np.array([0.0]))
    found.add("unknown", np.array([0, 1]), np.full((2, 1), np.nan))
    assert list(found) == ["known", "unknown"]
    assert list(found.known()) == ["known"]
