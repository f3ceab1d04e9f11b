"""Values of every head on every text, gathered batch by batch as they come."""

import numpy as np
from jaxtyping import Float, Int


class HeadValues(dict[str, Float[np.ndarray, "head text"]]):
    """By name of what is measured: a number for each head and text, NaN until it is added.

    A text that has nothing of a name keeps NaN there.
    """

    def __init__(self, heads: int, texts: int):
        super().__init__()
        self._shape = (heads, texts)

    def add(
        self,
        name: str,
        rows: int | Int[np.ndarray, " text"],
        values: Float[np.ndarray, " head"] | Float[np.ndarray, "text head"],
    ) -> None:
        """Put in what the heads have on one text, or on some, which stand in the rows `rows`."""
        if name not in self:
            self[name] = np.full(self._shape, np.nan)
        self[name][:, rows] = values.T

    def known(self) -> dict[str, Float[np.ndarray, "head text"]]:
        """What some text has; names that are NaN throughout are left out."""
        return {name: values for name, values in self.items() if not np.isnan(values).all()}
