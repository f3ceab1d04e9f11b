"""Tables of effects, which the stages `effects` and `control` write of the outcomes of gates."""

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
EVIDENCE_COLUMNS = ("metric", "examples", "baseline")
EFFECT_COLUMNS = ("effect", "low", "high")
# A point of a curve: the effect with its interval, and the same as a share of the baseline.
POINT_COLUMNS = ("effect", "relative", "low", "high", "relative_low", "relative_high")

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

# Of the tuned encoder; `stages.control` has its own, of the encoder that began at random.
# One row a seed and gate.
GATES = MeasuredTable("effects/{task}", (*OF_GATES, "seed"))
# One row a seed, family and mode: the mean over its gates.
MEANS = MeasuredTable("effects/{task}-means", (*OF_MEANS, "seed"))
# One row a seed, family, mode, and which was picked: the best, the worst.
HELD_OUT = MeasuredTable("effects/{task}-heldout", (*OF_HELD_OUT, "seed"))
# One row a seed, mode, band and share of random heads.
CURVES = MeasuredTable(
    "effects/{task}-curves",
    ("seed", "mode", "band", "share", "draws", *EVIDENCE_COLUMNS, *POINT_COLUMNS),
)
# One row a seed, mode and share: the lower band less the upper.
GAPS = MeasuredTable(
    "effects/{task}-gaps", ("seed", "mode", "share", "draws", *EVIDENCE_COLUMNS, *POINT_COLUMNS)
)
