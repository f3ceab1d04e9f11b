"""Maps a byte a weight: how far off they may be, by hand."""

import base64
import zlib

import numpy as np
import pytest

from stages.core.viewer.packed_maps import as_text, most_rounding, packed, unpacked


def test_no_weight_is_further_off_than_is_said():
    shares = np.linspace(0, 1, 100_001)
    off = np.abs(unpacked(packed(shares)) - shares)
    assert (off <= [most_rounding(share) + 1e-7 for share in shares]).all()
    # The bound is met: it is no larger than it need be.
    assert off.max() > 0.99 * most_rounding(shares[off.argmax()])


def test_the_bound_is_what_pages_say():
    assert most_rounding(1.0) <= 0.004
    assert most_rounding(0.01) <= 0.0004


@pytest.mark.parametrize(
    ("share", "code"), [(0.0, 0), (1.0, 255), (0.25, 128), (0.01, 26), (1e-6, 0), (4e-6, 1)]
)
def test_codes_by_hand(share, code):
    # 255 * sqrt(w): 127.5 goes to the even neighbour, 25.5 too, 0.255 to 0, 0.51 to 1.
    assert packed(np.array([share])).tolist() == [code]
    assert unpacked(np.array([code], dtype=np.uint8))[0] == pytest.approx((code / 255) ** 2)


def test_weights_a_little_above_one_are_one():
    assert packed(np.array([1.0005])).tolist() == [255]


def test_the_text_is_what_browsers_inflate():
    codes = bytes(range(256)) * 3
    assert zlib.decompress(base64.b64decode(as_text(codes))) == codes
