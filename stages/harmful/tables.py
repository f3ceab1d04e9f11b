"""Tables of heads that hurt.

Every change is paired with all heads, on the same examples, and no example scores a set of heads
that it selected. `change` is without the chosen heads; `random` is without random heads of the same
number (one, if no head was chosen), on fewer examples.
"""

from stages.core.tables import Table, Value, count, flag, name

LOSS, CALIBRATION = "loss", "calibration"  # figures beside the metrics
SHARE = {"unit": "share", "format": ".1%", "bounds": (0, 1)}
CHANGE = {"format": "+.3f", "interval": True}
RUN = "data seed arm"

# One row a figure: loss, each metric, calibration. Means over halves that did not choose.
SCORES = Table(
    "harmful/scores",
    keys=f"{RUN} figure",
    values={
        "heads_ablated": Value("ablated heads", format=".1f", bounds=(0, None)),
        "examples": count("examples"),
        "chosen_on": count("examples that choose"),
        "full": Value("with all heads", format=".3f", resampled=True),
        "cut": Value("without the heads that hurt", format=".3f"),
        "change_where_chosen": Value("change on the half that chose", format="+.3f"),
        "change": Value("change without the heads that hurt", resampled=True, **CHANGE),
        "random": Value("change without random heads", resampled=True, **CHANGE),
        "beyond": Value("change beyond that of random heads", **CHANGE),
    },
)
# One row a division, half and head, on the examples of that half.
HALVES = Table(
    "harmful/halves",
    keys=f"{RUN} division half layer head",
    values={
        "examples": count("examples"),
        "chosen": flag("whether the half chose the head"),
        "full": Value("loss with all heads", format=".3f"),
        "loss": Value("change of the loss without this head", format="+.3f", resampled=True),
    },
)
# One row a head, on all examples that choose.
HEADS = Table(
    "harmful/heads",
    keys=f"{RUN} layer head",
    values={
        "examples": count("examples"),
        "chosen": Value("halves that chose the head", **SHARE),
        "loss": Value("change of the loss without this head", resampled=True, **CHANGE),
        "confidence": Value(
            "largest weight of a row", bounds=(0, 1), interval=True, resampled=True
        ),
        "entropy": Value(
            "entropy of a row", unit="nats", bounds=(0, None), interval=True, resampled=True
        ),
    },
)
# One row a set of heads (chosen, random): whether few examples make the fall of the loss.
SPREAD = Table(
    "harmful/spread",
    keys=f"{RUN} heads",
    values={
        "examples": count("examples"),
        "falls": Value("examples whose loss falls", interval=True, resampled=True, **SHARE),
        "top_share": Value(
            "share of the fall in the top twentieth", interval=True, resampled=True, **SHARE
        ),
        "trimmed": Value("mean fall without both extreme twentieths", resampled=True, **CHANGE),
    },
)
# One row an example, of those whose loss falls most without the chosen heads.
EXAMPLES = Table(
    "harmful/examples",
    keys=f"{RUN} id",
    values={
        "text_a": name("first text"),
        "text_b": name("second text"),
        "label": Value("label", format="g"),
        "full": Value("prediction with all heads", format="g"),
        "cut": Value("prediction without the heads that hurt", format="g"),
        "loss_full": Value("loss with all heads", format=".3f"),
        "loss_cut": Value("loss without the heads that hurt", format=".3f"),
        "fall": Value("fall of the loss", format=".3f"),
        "share": Value("share of all that falls", **SHARE),
    },
)
# Multiplications that encoders without these heads would not make.
SAVING = Table(
    "harmful/saving",
    keys=RUN,
    values={
        "heads_ablated": Value("ablated heads", format=".1f", bounds=(0, None)),
        "tokens": Value("tokens of an example", format=".1f", bounds=(0, None)),
        "of_attention": Value("saved of attention", **SHARE),
        "of_encoder": Value("saved of the encoder", **SHARE),
    },
)
