"""Tables of the stage `pretrain`; `data` is the encoder."""

from stages.core.tables import Table, Value, count, name

KINDS = ("previous", "next", "itself", "cls", "sep", "equal")
SHARE = {"unit": "share", "format": ".1%", "bounds": (0, 1)}
SHARE_BEYOND = SHARE | {"bounds": (-1, 1)}
LOSS = {"unit": "nats", "bounds": (0, None)}

# One row a measurement during training, on held-out text; tokens count padding.
CURVE = Table(
    "pretrain/curve",
    keys="data step",
    values={
        "tokens": count("tokens read"),
        "loss": Value("mean loss of masked tokens", **LOSS),
        "accuracy": Value("accuracy on masked tokens", **SHARE),
    },
)
# One row a held-out text; the unigram baseline knows the frequencies of tokens and reads nothing.
TEXTS = Table(
    "pretrain/texts",
    keys="data text",
    values={
        "masked": count("masked tokens"),
        "loss": Value("sum of losses", **LOSS),
        "right": count("right answers"),
        "unigram_loss": Value("sum of losses of the unigram baseline", **LOSS),
        "unigram_right": count("right answers of the unigram baseline"),
    },
)
# One row a fact about text, settings and libraries.
FACTS = Table("pretrain/facts", keys="data fact", values={"content": name("value")})
# One row a measurement during training, a layer and a head: the mean share of attention that tokens
# of the text give to each kind of `KINDS`.
HEADS = Table(
    "pretrain/heads",
    keys="data step layer head",
    values={
        "tokens": count("tokens read"),
        "previous": Value("to the previous token", **SHARE),
        "next": Value("to the next token", **SHARE),
        "itself": Value("to the token itself", **SHARE),
        "cls": Value("to [CLS]", **SHARE),
        "sep": Value("to [SEP]", **SHARE),
        # From tokens that stand in both parts; an even spread over the other part has 0.
        "equal": Value("to equal tokens of the other part, beyond chance", **SHARE_BEYOND),
    },
)
