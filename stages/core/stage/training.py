"""What an encoder was trained on before any tuning here, as settings and verdicts call it."""

from typing import Literal

Training = Literal["masked words", "sentence similarity", "classification", "other"]
