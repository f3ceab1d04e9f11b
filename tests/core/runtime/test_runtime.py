"""Where a stage runs: settings that no machine can keep to are refused."""

from pathlib import Path

import pytest

from stages.core.runtime.runtime import read_runtime
from stages.core.stage.files import InputError


@pytest.mark.parametrize(
    ("key", "value"),
    [("threads", -1), ("threads", 0), ("workers", -1), ("processes", 0), ("checkpoint_steps", 0)],
)
def test_numbers_that_cannot_be(tmp_path: Path, key: str, value: int) -> None:
    file = tmp_path / "params.yaml"
    file.write_text(f"runtime: {{{key}: {value}}}\n")
    with pytest.raises(InputError, match=rf"params\.yaml: `runtime`, key `{key}`: .*{value}"):
        read_runtime(file)
