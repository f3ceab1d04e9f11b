import time

import pytest
import torch

from stages.core.fan_out import fan_out
from stages.core.files import InputError
from stages.core.runtime import Runtime


class Counter:
    """Says which twin did which job, and with how many threads."""

    twins = 0

    def __init__(self):
        Counter.twins += 1
        self.number = Counter.twins

    def twin(self):
        return Counter()


def where(counter: Counter, job: int) -> tuple[int, int]:
    time.sleep(0.05)
    return counter.number, torch.get_num_threads()


def test_every_thread_has_a_twin_and_computes_alone():
    threads = torch.get_num_threads()
    found = dict(fan_out(where, Counter(), range(6), Runtime(device="cpu", threads=2)))
    assert set(found) == set(range(6))
    assert {number for number, _ in found.values()} == {1, 2}
    assert {count for _, count in found.values()} == {1}
    assert torch.get_num_threads() == threads


def test_what_fails_in_a_thread_fails_here():
    with pytest.raises(ZeroDivisionError):
        list(fan_out(lambda _, job: 1 / job, Counter(), [1, 0], Runtime(device="cpu")))


def test_an_unknown_place_is_refused():
    with pytest.raises(InputError, match=r"params.yaml: `runtime.fan_out` is 'slurm'"):
        list(fan_out(max, 0, [1], Runtime(fan_out="slurm")))
