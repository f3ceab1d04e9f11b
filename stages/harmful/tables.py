"""What the stage `harmful` writes of heads that hurt; `arm` is the encoder, the control among them.

Every change is paired with all heads on, on the same examples, and what chose a set of heads never
scores it. `change` is that without the chosen heads; `random` that without as many heads drawn by
chance (one, where none was chosen), on fewer examples.
"""

from stages.core.stage.tables import MeasuredTable, interval_names

LOSS, CALIBRATION = "loss", "calibration"  # figures beside the metrics
OF_RUN = ("seed", "arm")

# One row a run and figure: loss, each metric, calibration. Means over halves that did not choose.
SCORES = MeasuredTable(
    "harmful/{task}",
    (
        *OF_RUN,
        "figure",
        "heads_off",
        "examples",
        "chosen_on",
        "full",
        "cut",
        "change_where_chosen",
        *interval_names("change"),
        *interval_names("random"),
        *interval_names("beyond"),
    ),
    resampled=("full", "change", "random"),
)
# One row a run, division, half and head: what the half's loss does without this head alone,
# whether the half chose it, and the half's loss with all heads on.
HALVES = MeasuredTable(
    "harmful/{task}-halves",
    (*OF_RUN, "division", "half", "layer", "head", "chosen", "full", "loss", "examples"),
    resampled=("loss",),
)
# One row a run and head, on all examples that choose. `chosen` is the share of the halves.
HEADS = MeasuredTable(
    "harmful/{task}-heads",
    (
        *OF_RUN,
        "layer",
        "head",
        "examples",
        "chosen",
        *interval_names("loss"),
        *interval_names("confidence"),
        *interval_names("entropy"),
    ),
    resampled=("loss", "confidence", "entropy"),
)
# One row a run and set of heads (chosen, random): whether few examples have the fall of the loss.
SPREAD = MeasuredTable(
    "harmful/{task}-spread",
    (
        *OF_RUN,
        "heads",
        "examples",
        *interval_names("falls"),
        *interval_names("top_share"),
        *interval_names("trimmed"),
    ),
    resampled=("falls", "top_share", "trimmed"),
)
# One row a run and example, of those whose loss falls most without the chosen heads.
EXAMPLES = MeasuredTable(
    "harmful/{task}-examples",
    (
        *OF_RUN,
        "id",
        "text_a",
        "text_b",
        "label",
        "full",
        "cut",
        "loss_full",
        "loss_cut",
        "fall",
        "share",
    ),
)
# One row a run: multiplications that encoders without these heads would not make.
SAVING = MeasuredTable(
    "harmful/{task}-saving", (*OF_RUN, "heads_off", "tokens", "of_attention", "of_encoder")
)
