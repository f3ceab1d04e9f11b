"""Maps of recorded examples, a byte a weight, as files keep them and pages unpack them.

A weight w is kept as c = 255 * sqrt(w), rounded to a whole number, and read as (c / 255)^2. The
root differs from its own by at most 1/510, so a weight by at most (2 * sqrt(w) + 1/510) / 510: by
0.4 points where it is 1, by 0.04 where it is 1%. Equal steps of 1/255 would be 0.2 points off
everywhere, and leave nothing of the small weights that most of a long text's are.
"""

import base64
import zlib

import numpy as np
from jaxtyping import Float, UInt8

STEPS = 255


def packed(shares: Float[np.ndarray, "*axes"]) -> UInt8[np.ndarray, "*axes"]:
    """Weights from 0 to 1, a byte each."""
    return np.rint(STEPS * np.sqrt(shares.astype(np.float32).clip(0, 1))).astype(np.uint8)


def unpacked(codes: UInt8[np.ndarray, "*axes"]) -> Float[np.ndarray, "*axes"]:
    """The weights that bytes stand for."""
    return np.square(codes.astype(np.float64) / STEPS)


def most_rounding(share: float) -> float:
    """By how much a weight may differ from what is kept of it."""
    return (2 * share**0.5 + 1 / (2 * STEPS)) / (2 * STEPS)


def as_text(codes: bytes) -> str:
    """Bytes in base64, compressed as browsers decompress it themselves (`deflate`)."""
    return base64.b64encode(zlib.compress(codes, 9)).decode("ascii")
