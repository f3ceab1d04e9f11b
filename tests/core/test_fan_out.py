import time

import pytest
import torch

from stages.core.fan_out import AHEAD, fan_out, in_order
from stages.core.runtime.runtime import Runtime
from stages.core.stage.files import InputError


class Counter:
    """Says which twin did which job, and with how many threads."""

    twins = 0

    def __init__(self):
        Counter.twins += 1
        self.number = Counter.twins

    def twin(self):
        return Counter()

    def moved(self, device):
        raise NotImplementedError


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


def test_results_come_in_the_order_of_the_jobs_and_few_are_taken_ahead():
    taken = []

    def jobs():
        for job in range(20):
            taken.append(job)
            yield job

    def first_is_slow(_: Counter, job: int) -> int:
        time.sleep(0.2 if job == 0 else 0)
        return job

    found = in_order(first_is_slow, Counter(), jobs(), Runtime(device="cpu", threads=2))
    for place, job in enumerate(found):
        assert job == place
        assert len(taken) <= place + 2 * AHEAD + 2


def test_an_order_ends_with_what_fails():
    with pytest.raises(ZeroDivisionError):
        list(in_order(lambda _, job: 1 / job, Counter(), [1, 0, 2], Runtime(device="cpu")))


def test_an_unknown_place_is_refused():
    with pytest.raises(InputError, match=r"params.yaml: `runtime.fan_out` is 'slurm'"):
        list(fan_out(max, Counter(), [1], Runtime(fan_out="slurm")))
