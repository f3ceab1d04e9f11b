"""What this room writes of an encoder that is kept."""

from stages.core.stage.tables import MeasuredTable

# Mean share of the attention that tokens of the text give to one place. `equal` is what tokens that
# occur in the other part as well give to their equals there, less what an even spread of all that
# they give to that part would.
KINDS = ("previous", "next", "itself", "cls", "sep", "equal")

# One row a measurement while it was made: steps and tokens until then, padding counted; the mean
# loss in nats and the share of right answers on the masked tokens of held-out text.
CURVE = MeasuredTable("pretrain/{encoder}-curve", ("encoder", "step", "tokens", "loss", "accuracy"))
# One row a held-out text: masked tokens, and of the encoder and of the frequencies alone the sum of
# their losses in nats and the number of right answers.
TEXTS = MeasuredTable(
    "pretrain/{encoder}-texts",
    ("encoder", "text", "masked", "loss", "right", "unigram_loss", "unigram_right"),
)
# What it was made of and with.
FACTS = MeasuredTable("pretrain/{encoder}-facts", ("encoder", "what", "value"))
# One row a measurement while it was made, a layer and a head: those shares.
HEADS = MeasuredTable(
    "pretrain/{encoder}-heads",
    ("encoder", "step", "tokens", "layer", "head", *KINDS),
)
