"""Tables of effects, which the stages `effects` and `control` write of the outcomes of gates.

Each has a row for every metric of `stages.core.outcomes.deciding.effect_metrics`, and beside it the
resamples of its effects.
"""

from stages.core.stage.tables import MeasuredTable

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
# In the metric's unit, and as a share of the baseline; each with its interval.
EFFECTS = ("effect", "relative")
HELD_OUT_EFFECTS = ("effect_heldout", "relative_heldout")
EVIDENCE_COLUMNS = ("metric", "examples", "baseline")
LIMITS = ("low", "high", "relative_low", "relative_high")
EFFECT_COLUMNS = (*EVIDENCE_COLUMNS, *EFFECTS, *LIMITS)

OF_GATES = ("seed", *GATE_COLUMNS, *EFFECT_COLUMNS, "value", "p", "p_holm")
OF_MEANS = ("seed", "family", "mode", "gates", *EFFECT_COLUMNS)
OF_HELD_OUT = (
    "seed",
    "family",
    "mode",
    "picked",
    "layer",
    "head",
    "effect_picked_half",
    *EVIDENCE_COLUMNS,
    *HELD_OUT_EFFECTS,
    *LIMITS,
)
OF_CURVES = ("seed", "mode", "band", "share", "draws", *EFFECT_COLUMNS)
OF_GAPS = ("seed", "mode", "share", "draws", *EFFECT_COLUMNS)

# Of the tuned encoder.
# One row a seed and head or layer.
GATES = MeasuredTable("effects/{task}", OF_GATES, resampled=EFFECTS)
# One row a seed, family and mode: the mean over its gates.
MEANS = MeasuredTable("effects/{task}-means", OF_MEANS, resampled=EFFECTS)
# One row a seed, family, mode, and which was picked: the best, the worst.
HELD_OUT = MeasuredTable("effects/{task}-heldout", OF_HELD_OUT, resampled=HELD_OUT_EFFECTS)
# One row a seed, mode, band and share of random heads.
CURVES = MeasuredTable("effects/{task}-curves", OF_CURVES, resampled=EFFECTS)
# One row a seed, mode and share: the lower band less the upper.
GAPS = MeasuredTable("effects/{task}-gaps", OF_GAPS, resampled=EFFECTS)

# The same of the encoder that was tuned from random weights, the control; `stages.control` writes.
CONTROL_GATES = MeasuredTable("control/{task}", OF_GATES, resampled=EFFECTS)
CONTROL_MEANS = MeasuredTable("control/{task}-means", OF_MEANS, resampled=EFFECTS)
CONTROL_HELD_OUT = MeasuredTable("control/{task}-heldout", OF_HELD_OUT, resampled=HELD_OUT_EFFECTS)
CONTROL_CURVES = MeasuredTable("control/{task}-curves", OF_CURVES, resampled=EFFECTS)
CONTROL_GAPS = MeasuredTable("control/{task}-gaps", OF_GAPS, resampled=EFFECTS)
