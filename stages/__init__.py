"""The stages of the pipeline: `python -m stages NAME` runs the stage NAME of `dvc.yaml`."""

import stages.core.stage.environment  # noqa: F401, before torch or transformers are imported
