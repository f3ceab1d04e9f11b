"""Pieces of a computation: taken up after a kill, and only by the same computation."""

from pathlib import Path

import numpy as np
import pytest

from stages.core.encoder.batches import Encoded
from stages.core.pieces import digest_of, open_pieces, resumable, run_pieces
from stages.core.runtime.runtime import Runtime

CPU = Runtime(device="cpu", threads=1)


class Doubling:
    """Doubles numbers; refuses the one that it `breaks_at`."""

    def __init__(self, breaks_at: int | None = None):
        self.breaks_at, self.asked = breaks_at, []

    def twin(self) -> "Doubling":
        return self


def double(shared: Doubling, number: int) -> tuple[np.ndarray, np.ndarray]:
    if number == shared.breaks_at:
        raise KeyboardInterrupt
    shared.asked.append(number)
    return np.array([number]), np.array([2 * number])


def pieces(shared: Doubling, folder: Path) -> list[tuple[int, int]]:
    jobs = {f"number-{number}": number for number in (3, 1, 2)}
    return [
        (int(number[0]), int(doubled[0]))
        for number, doubled in run_pieces(double, shared, jobs, CPU, folder)
    ]


def test_pieces_come_in_order_and_are_taken_up_after_a_kill(tmp_path):
    folder = open_pieces(tmp_path / "run", [1], tmp_path, __name__, CPU)
    with pytest.raises(KeyboardInterrupt):
        pieces(Doubling(breaks_at=2), folder)
    (folder / ".number-2.npz.partial").write_bytes(b"half-written")
    again = Doubling()
    assert pieces(again, folder) == [(3, 6), (1, 2), (2, 4)]
    assert again.asked == [2]


@pytest.mark.parametrize("change", ["identity", "weights", "code"])
def test_another_computation_has_another_folder_and_removes_the_old(tmp_path, change):
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(b"weights")
    old = open_pieces(tmp_path / "run", {"batch": 2}, tmp_path, "stages.core.lines", CPU)
    assert open_pieces(tmp_path / "run", {"batch": 2}, tmp_path, "stages.core.lines", CPU) == old
    if change == "weights":
        weights.write_bytes(b"others")
    identity = {"batch": 3 if change == "identity" else 2}
    code = "stages.core.scratch" if change == "code" else "stages.core.lines"
    new = open_pieces(tmp_path / "run", identity, tmp_path, code, CPU)
    assert new != old and new.is_dir() and not old.exists()


def test_a_stage_that_is_done_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(KeyboardInterrupt), resumable("room", "toy") as state:
        (state / "seed").mkdir(parents=True)
        raise KeyboardInterrupt
    assert Path("work/scratch/room/toy/seed").is_dir()
    with resumable("room", "toy") as state:
        assert (state / "seed").is_dir()
    assert not Path("work/scratch/room/toy").exists()


def test_texts_are_told_apart_by_their_numbers_and_their_bounds():
    def digest(*rows: list[int]) -> str:
        return digest_of(Encoded({"input_ids": [*rows]}, {"input_ids": 0}, [*rows]))["input_ids"]

    texts = ([[1, 2], [3]], [[1], [2, 3]], [[1, 2, 3]], [[1, 2], [4]], [[3], [1, 2]], [[1, 2]])
    assert len({digest(*rows) for rows in texts}) == len(texts)
    assert digest([1, 2], [3]) == digest([1, 2], [3])
