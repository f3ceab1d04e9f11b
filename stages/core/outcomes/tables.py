"""Tables of effects, which the stage `ablate` writes of the outcomes of gates.

Rows are of the arm `tuned` and, for the control seeds, of `tuned_from_random`. Each table has a row
for every metric of `stages.core.outcomes.deciding.effect_metrics`, and beside it the resamples of
its effects.
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

# One row a seed, arm and head or layer.
GATES = MeasuredTable(
    "ablate/{task}",
    ("seed", "arm", *GATE_COLUMNS, *EFFECT_COLUMNS, "value", "p", "p_holm"),
    resampled=EFFECTS,
)
# One row a seed, arm, family and mode: the mean over its gates.
MEANS = MeasuredTable(
    "ablate/{task}-means",
    ("seed", "arm", "family", "mode", "gates", *EFFECT_COLUMNS),
    resampled=EFFECTS,
)
# One row a seed, arm, family, mode, and which was picked: the best, the worst.
HELD_OUT = MeasuredTable(
    "ablate/{task}-heldout",
    (
        *("seed", "arm", "family", "mode", "picked", "layer", "head", "effect_picked_half"),
        *EVIDENCE_COLUMNS,
        *HELD_OUT_EFFECTS,
        *LIMITS,
    ),
    resampled=HELD_OUT_EFFECTS,
)
# One row a seed, arm, mode, band and share of random heads.
CURVES = MeasuredTable(
    "ablate/{task}-curves",
    ("seed", "arm", "mode", "band", "share", "draws", *EFFECT_COLUMNS),
    resampled=EFFECTS,
)
# One row a seed, arm, mode and share: the lower band less the upper.
GAPS = MeasuredTable(
    "ablate/{task}-gaps",
    ("seed", "arm", "mode", "share", "draws", *EFFECT_COLUMNS),
    resampled=EFFECTS,
)
