"""Where the grid's time goes, by operation."""

import time

import pandas as pd
import torch
from torch.profiler import ProfilerActivity, profile

from benchmarks.encoders import classifier, mrpc_lengths, texts
from benchmarks.grid import BATCH
from stages.core.grid.grid import Grid
from stages.core.heads.gates import single_heads
from stages.core.heads.seam import Gated

PRODUCTS = "matrix products"
KINDS = {
    "aten::addmm": PRODUCTS,
    "aten::mm": PRODUCTS,
    "aten::bmm": PRODUCTS,
    "aten::baddbmm": PRODUCTS,
    "aten::_scaled_dot_product_flash_attention_for_cpu": "attention",
    "aten::_softmax": "attention",
    "aten::gelu": "activation",
    "aten::native_layer_norm": "norms",
    "aten::add": "sums and copies",
    "aten::mul": "sums and copies",
    "aten::cat": "sums and copies",
    "aten::copy": "sums and copies",
}
REST, BETWEEN = "other operations", "between operations"


def measure(encoder: str, examples: int) -> pd.DataFrame:
    """Time of each kind of operation in one thread: kind, seconds, share of the whole, calls.

    What lies between the operations, Python above all, is a row of its own.
    """
    gated = Gated(classifier(encoder))
    grid = Grid(gated, list(single_heads(gated.layers, gated.heads, "zero")))
    encoded = texts(mrpc_lengths(examples), gated.model.config.vocab_size)
    batches = list(encoded.batches(BATCH))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        grid.run(batches[0])
        with profile(activities=[ProfilerActivity.CPU]) as record:
            begin = time.perf_counter()
            for batch in batches:
                grid.run(batch)
            whole = time.perf_counter() - begin
    finally:
        torch.set_num_threads(threads)
    table = pd.DataFrame(
        {
            "operations": KINDS.get(event.key.rstrip("_"), REST),  # in place or not
            "seconds": event.self_cpu_time_total / 1e6,
            "calls": event.count,
        }
        for event in record.key_averages()
    )
    table = table.groupby("operations").sum().sort_values("seconds", ascending=False)
    table.loc[BETWEEN] = [max(0.0, whole - table["seconds"].sum()), 0]
    table.insert(1, "share", table["seconds"] / whole)
    return table.reset_index().assign(encoder=encoder)
