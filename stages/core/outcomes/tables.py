"""Tables of effects, which the stage `ablate` writes of the outcomes of gates.

`arm` is `tuned` or, for the control seeds, `tuned_from_random`. `metric` is one of
`stages.core.outcomes.deciding.effect_metrics`.
"""

from stages.core.tables import Table, Value, count, name

EFFECTS = {
    "examples": count("examples"),
    "baseline": Value("metric with all heads", format=".3f"),
    "effect": Value("change of the metric", format="+.3f", interval=True, resampled=True),
    "relative": Value(
        "change as a share of the metric with all heads",
        unit="share",
        format="+.1%",
        interval=True,
        resampled=True,
    ),
}

# One row a head or layer; the head of a whole layer is -1.
GATES = Table(
    "ablate/gates",
    keys="data seed arm metric family mode layer head",
    values={
        "precision": name("precision of matrix products"),
        **EFFECTS,
        "ablated": Value("metric with these heads ablated", format=".3f"),
        "p": Value("p", format=".3g", bounds=(0, 1)),
        "p_holm": Value("p after Holm's correction", format=".3g", bounds=(0, 1)),
    },
)
# One row a family and mode: the mean over its gates.
MEANS = Table(
    "ablate/means",
    keys="data seed arm metric family mode",
    values={"gates": count("heads or layers"), **EFFECTS},
)
# One row a family, mode and gate, the `best` or the `worst`: one half of the examples selects it,
# the other half scores it.
HELD_OUT = Table(
    "ablate/held_out",
    keys="data seed arm metric family mode picked",
    values={
        "layer": Value("layer selected most often", format="d", type="int64"),
        "head": Value("head selected most often", format="d", type="int64"),
        "effect_picked_half": Value("change on the half that selects", format="+.3f"),
        **EFFECTS,
    },
)
# One row a mode, band and share of random heads.
CURVES = Table(
    "ablate/curves",
    keys="data seed arm metric mode band share",
    values={"draws": count("draws"), **EFFECTS},
)
# One row a mode and share: the lower band less the upper.
GAPS = Table(
    "ablate/gaps",
    keys="data seed arm metric mode share",
    values={"draws": count("draws"), **EFFECTS},
)
