"""The settings of the probes."""

from pydantic import Field, PositiveFloat, PositiveInt, model_validator

from stages.core.stage.settings import Resampled
from stages.probes.models import Choices


class Probes(Resampled, section="probes"):
    """The section `probes` of `params.yaml`."""

    corpora: list[str]
    train_on: str | None
    vectors: str | None
    vector_size: PositiveInt
    choices: list[Choices] = Field(min_length=1)
    penalty: PositiveFloat
    iterations: PositiveInt

    @model_validator(mode="after")
    def _trains_on_what_it_does_not_test(self) -> "Probes":
        if self.train_on in self.corpora:
            raise ValueError(
                f"`train_on` is {self.train_on}, which `corpora` tests; name another corpus, or "
                "null, to train on one half of each corpus and test on the other"
            )
        return self
