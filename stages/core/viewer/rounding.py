"""Arrays as text for the page: whole numbers of 12 bits, two characters of base64 each.

Base64 of bytes takes three characters for two such numbers of 8 bits, and three for one of 16.
"""

import numpy as np
from jaxtyping import Float, Int

ALPHABET = np.frombuffer(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", dtype=np.uint8
)
CHARACTERS = 2  # of a number
HIGHEST = 4095  # stands for a share of 1
LARGEST = 2047  # stands for a head's largest value; LARGEST + 1 for zero


def shares_as_text(shares: Float[np.ndarray, "*axes"]) -> str:
    """Numbers from 0 to 1, rounded to 1/4095, in the order of memory."""
    return _as_text(np.rint(shares * HIGHEST).astype(int))


def signed_as_text(values: Float[np.ndarray, "head token size"]) -> tuple[str, list[float]]:
    """Numbers of any size, rounded to 1/2047 of the largest of their head.

    Returns:
        The text, and the step of each head, of which each number is a multiple.
    """
    largest = np.abs(values).max(axis=(1, 2), keepdims=True)
    # Rounded first, so that text and steps fit; a head of zeros has any step.
    steps = np.array([float(f"{step:.6g}") for step in (largest / LARGEST).flatten()])
    steps[steps == 0] = 1.0
    codes = np.rint(values / steps[:, None, None]).astype(int)
    return _as_text(codes.clip(-LARGEST, LARGEST) + LARGEST + 1), steps.tolist()


def _as_text(codes: Int[np.ndarray, "*axes"]) -> str:
    flat = codes.ravel()
    return ALPHABET[np.stack([flat >> 6, flat & 63], axis=1)].tobytes().decode("ascii")
