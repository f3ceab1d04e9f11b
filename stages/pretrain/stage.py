"""A small BERT by masked language modelling, and the curve of its making (Devlin et al. 2019).

Making takes hours and is no part of `dvc repro`: `python -m stages pretrain --encoder NAME --keep`
makes `data/pretrained/NAME`, which is committed. `checkpoint: {source: pretrain, id:
NAME@FINGERPRINT}`, which it prints at the end, has every other stage take it. DVC runs this stage
without --keep: it brings the curve into the report.
"""

from typing import Any

import pandas as pd

from stages.core.kept_encoders import FACTS_FILE, KEPT, fingerprint, read_facts
from stages.core.stage.settings import section
from stages.core.stage.targets import require_plain_name, target_folder
from stages.pretrain.kept import BY_TEXT, CURVE_FILE, HEADS_FILE
from stages.pretrain.tables import CURVE, FACTS, HEADS, TEXTS

# What `make` writes beside its facts.
ENCODER_FILES = (
    r"(config|generation_config|special_tokens_map|tokenizer|tokenizer_config)\.json"
    r"|(curve|heads|held_out)\.csv|model\.safetensors|vocab\.txt"
)


def run_stage(encoder: str, keep: bool = False) -> None:
    """Bring the making of a stored encoder into the report; with --keep, make it first.

    If --keep is killed and run again, it resumes from the last saved state, to the same bits.

    Raises:
        InputError: the name is no plain one, or its folder holds other files than an encoder's.
    """
    require_plain_name(encoder, "--encoder", "_-")
    if keep:
        # DVC runs this stage to copy tables, which needs no module that trains.
        from stages.core.runtime.runtime import read_runtime
        from stages.pretrain.make import make
        from stages.pretrain.settings import Pretrain

        mark = (FACTS_FILE, '"batch_tokens"')
        target = target_folder(KEPT / encoder, "kept encoder", mark, ENCODER_FILES)
        settings = section(Pretrain, "pretrain")
        make(encoder, settings, read_runtime(), target)
        made = fingerprint(read_facts(KEPT / encoder))
        print(f"checkpoint: {{source: pretrain, id: {encoder}@{made}}}")
    bring(encoder)


def bring(encoder: str) -> None:
    """Write the tables of a stored encoder."""
    folder = KEPT / encoder
    facts = read_facts(folder)
    curve = pd.read_csv(folder / CURVE_FILE)
    curve["tokens"] = curve["step"] * facts["settings"]["batch_tokens"]
    heads = pd.read_csv(folder / HEADS_FILE)
    heads["tokens"] = heads["step"] * facts["settings"]["batch_tokens"]
    CURVE.write(curve, data=encoder)
    HEADS.write(heads, data=encoder)
    TEXTS.write(pd.read_csv(folder / BY_TEXT), data=encoder)
    FACTS.write(facts_table(facts), data=encoder)


def facts_table(facts: dict[str, Any]) -> pd.DataFrame:
    """One row a fact about text, settings and libraries, in words."""
    rows = {
        "fingerprint of text and settings": fingerprint(facts),
        **{f"text: {name}": value for name, value in facts["text"].items()},
        **{f"setting: {name}": value for name, value in facts["settings"].items()},
        "steps": facts["steps"],
        "parameters": facts["parameters"],
        "precision": facts["precision"],
        **{f"made with {name}": value for name, value in facts["made_with"].items()},
    }
    return pd.DataFrame({"fact": list(rows), "content": [str(value) for value in rows.values()]})
