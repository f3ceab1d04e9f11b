"""Tables of effects: what the stages `effects` and `control` write of the outcomes of gates."""

from stages.core.stage.tables import MeasuredTable, interval_names

GATE_COLUMNS = (
    "gate",
    "family",
    "mode",
    "layer",
    "head",
    "band",
    "share",
    "draw",
    "heads_off",
    "precision",
)
EVIDENCE_COLUMNS = ("metric", "examples", "baseline")
EFFECT_COLUMNS = ("effect", "low", "high")
RELATIVE_COLUMNS = interval_names("relative")

OF_GATES = (
    *GATE_COLUMNS,
    *EVIDENCE_COLUMNS,
    "value",
    *EFFECT_COLUMNS,
    "p",
    "relative",
    "p_holm",
)
OF_MEANS = ("family", "mode", "gates", *EVIDENCE_COLUMNS, *EFFECT_COLUMNS)
OF_HELD_OUT = (
    "family",
    "mode",
    "picked",
    "layer",
    "head",
    *EVIDENCE_COLUMNS,
    "effect_picked_half",
    "effect_heldout",
    "relative_heldout",
    "low",
    "high",
)
OF_GAPS = (
    "mode",
    "share",
    "draws",
    *EVIDENCE_COLUMNS,
    *EFFECT_COLUMNS,
    *RELATIVE_COLUMNS,
)

# Of the tuned encoder; `stages.control` has its own, of the encoder that began at random.
GATES = MeasuredTable("effects/{task}-{seed}", OF_GATES)
MEANS = MeasuredTable("effects/{task}-{seed}-means", OF_MEANS)
HELD_OUT = MeasuredTable("effects/{task}-{seed}-heldout", OF_HELD_OUT)
CURVES = MeasuredTable("effects/{task}-{seed}-curves", ("band", *OF_GAPS))
GAPS = MeasuredTable("effects/{task}-{seed}-gaps", OF_GAPS)
