"""The settings of the room."""

from typing import Annotated

from pydantic import Field, PositiveFloat, PositiveInt

from stages.core.stage.settings import Resampled


class Boundaries(Resampled, section="boundaries"):
    """The section `boundaries` of `params.yaml`."""

    corpora: list[str]
    unions: list[PositiveInt]
    compared: Annotated[int, Field(ge=2)]
    penalty: PositiveFloat
