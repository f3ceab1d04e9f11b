"""What the folder of an encoder has beside the checkpoint and the facts of its making."""

CURVE_FILE, BY_TEXT, HEADS_FILE = "curve.csv", "held_out.csv", "heads.csv"
PLACES = 6  # decimal places of scores
