import numpy as np
import pytest

from stages.ablate import fixed_gates
from stages.core.batches import Encoded
from stages.core.grid import run_gates

LENGTHS = [3, 5, 2, 4, 5]


class CountingGrid:
    """Its logits are the rows' numbers, so that their order can be checked; may break down once."""

    def __init__(self, breaks_at=None):
        self.calls, self.breaks_at = 0, breaks_at

    def run(self, batch):
        if self.calls == self.breaks_at:
            raise KeyboardInterrupt
        self.calls += 1
        before = batch.rows[:, None].astype(np.float32)
        return before, np.stack([before + 10, before + 20])


@pytest.fixture
def encoded():
    ids = [[1] * length for length in LENGTHS]
    return Encoded({"input_ids": ids}, {"input_ids": 0}, ids)


def test_logits_come_back_in_the_order_of_the_examples(tmp_path, encoded):
    before, after = run_gates(CountingGrid(), encoded, 2, "cpu", "x", tmp_path)
    assert before[:, 0].tolist() == [0, 1, 2, 3, 4]
    assert after[1, :, 0].tolist() == [20, 21, 22, 23, 24]


def test_a_run_that_broke_off_goes_on_where_it_was(tmp_path, encoded):
    with pytest.raises(KeyboardInterrupt):
        run_gates(CountingGrid(breaks_at=2), encoded, 2, "cpu", "x", tmp_path)
    (tmp_path / ".x-2.npz.partial").write_bytes(b"half-written")
    again = CountingGrid()
    before, after = run_gates(again, encoded, 2, "cpu", "x", tmp_path)
    assert again.calls == 1
    assert before[:, 0].tolist() == [0, 1, 2, 3, 4]
    assert after[0, :, 0].tolist() == [10, 11, 12, 13, 14]


def test_fixed_gates_are_every_head_and_layer_of_every_mode():
    names = [gate.name for gate in fixed_gates(2, 2, ["zero", "mean"])]
    assert len(set(names)) == len(names) == 2 * (4 + 2)
