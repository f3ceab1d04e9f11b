"""The ids of rows."""

import pytest

from stages.core.tasks.texts import identity_of, shown


@pytest.mark.parametrize("value", [0, -7, 10**309, 10**4299, 1.5, "a"], ids=shown)
def test_a_number_is_an_id_however_long(value: object) -> None:
    assert identity_of(value) == str(value)


@pytest.mark.parametrize("value", [True, None, float("inf"), float("nan"), " ", []])
def test_what_is_no_id(value: object) -> None:
    with pytest.raises(ValueError, match="as `id`"):
        identity_of(value)
