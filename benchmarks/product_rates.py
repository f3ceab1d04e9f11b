"""How many operations a second this machine makes in matrix products of the grid's shapes."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch.nn.functional import linear
from transformers import PreTrainedModel

from stages.importance.cost import Geometry

ROWS = (512, 1024, 2048)
REPEATS = 15
PROBED = 384  # rows and columns of the matrices of `probe`


def product_rate(model: PreTrainedModel, threads: int) -> float:
    """Operations a second of all products of a layer, one after the other, in every thread at once.

    On a CPU each thread makes products of its own, as the grid does. The best median of several
    numbers of rows counts, so that a floor is as low as this machine can have it.
    """
    geometry, parameters = Geometry.of(model.config), next(model.parameters())

    def new(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, device=parameters.device, dtype=parameters.dtype)

    query, key, value, output = (new(geometry.hidden, geometry.hidden) for _ in range(4))
    inner = new(geometry.feed_forward, geometry.hidden)
    outer = new(geometry.hidden, geometry.feed_forward)

    def layer(hidden: torch.Tensor) -> None:
        linear(hidden, query)
        linear(hidden, key)
        mixed = linear(linear(hidden, value), output)
        linear(linear(mixed, inner), outer)

    operations = 4 * geometry.square + geometry.network
    workers = threads if parameters.device.type == "cpu" else 1
    rates = []
    try:
        with ThreadPoolExecutor(workers) as pool:
            for rows in ROWS:
                hidden = [new(rows, geometry.hidden) for _ in range(workers)]
                taken = pool.map(lambda states: _seconds(layer, states), hidden)
                rates.append(sum(rows * operations / seconds for seconds in taken))
        return max(rates)
    finally:
        torch.set_num_threads(threads)


def _seconds(products: Callable[[torch.Tensor], None], hidden: torch.Tensor) -> float:
    """Median time of the products in one thread."""
    if not hidden.is_cuda:
        torch.set_num_threads(1)  # of this thread
    times = []
    with torch.inference_mode():
        for _ in range(REPEATS):
            begin = time.perf_counter()
            products(hidden)
            if hidden.is_cuda:
                torch.cuda.synchronize()
            times.append(time.perf_counter() - begin)
    return float(np.median(times))


def probe(seconds: float = 2.0) -> float:
    """Operations a second of products of float32 matrices on the processor, in torch's threads.

    The fastest product counts, as other programs may hold the others up.
    """
    matrix, rates = torch.randn(PROBED, PROBED), [0.0]
    end = time.perf_counter() + seconds
    while (begin := time.perf_counter()) < end:
        matrix @ matrix
        rates.append(2 * PROBED**3 / (time.perf_counter() - begin))
    return max(rates)
