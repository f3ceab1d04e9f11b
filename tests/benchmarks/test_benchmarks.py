"""What the benchmarks say: ratios, exponents, counts and that both sides compute the same."""

import copy

import numpy as np
import pandas as pd
import torch
from torch.utils.flop_counter import FlopCounterMode

from benchmarks import dump, product_rates, results
from benchmarks.alternatives import usual_loop
from benchmarks.calibration import stages_on
from benchmarks.encoders import texts
from benchmarks.grid import own_grid
from benchmarks.pairs import ratios, take_turns
from stages.core.heads.gates import single_heads
from stages.core.heads.seam import Gated
from stages.core.maps.statistics import STATISTICS, KindIds, surface_statistics
from stages.core.runtime.runtime import Runtime


def test_ratios_are_medians_of_each_rounds_ratios():
    seconds = {"a": [1.0, 2.0, 4.0], "b": [3.0, 4.0, 20.0]}
    times = pd.DataFrame(
        {"round": number, "side": side, "seconds": row[number]}
        for side, row in seconds.items()
        for number in range(3)
    )
    table = ratios(times, to="a").set_index("side")
    assert table.loc["a", "ratio"] == 1
    assert table.loc["b", ["seconds", "ratio", "lowest", "highest"]].tolist() == [4, 3, 2, 5]


def test_sides_take_turns():
    calls = []
    sides = {name: lambda name=name: calls.append(name) for name in "ab"}
    table = take_turns(sides, rounds=2, beside={"a": lambda: calls.append("-")})
    assert calls == list("-a-bb-a-")
    assert table["side"].tolist() == list("abba")


def test_the_rate_counts_the_operations_of_the_products_that_are_timed(
    tiny_classifier, monkeypatch
):
    """Where every turn takes a second, the rate is the number of operations in it."""
    counted = []

    def seconds(products, hidden):
        with FlopCounterMode(display=False) as counter:
            products(hidden)
        counted.append(counter.get_total_flops())
        return 1.0

    monkeypatch.setattr(product_rates, "_seconds", seconds)
    assert product_rates.product_rate(tiny_classifier, threads=1) == max(counted)


def test_the_page_shows_every_table_with_its_command(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["benchmarks", "grid", "--rounds", "1"])
    results.keep("grid-default", pd.DataFrame({"side": ["x"], "ratio": [3.25]}), tmp_path)
    results.keep("calibration", pd.DataFrame({"what": ["all"]}), tmp_path)
    page = (tmp_path / results.PAGE).read_text()
    assert "`python -m benchmarks grid --rounds 1`" in page
    assert "3.25" in page
    assert page.index(results.CAPTIONS["grid"]) < page.index(results.CAPTIONS["calibration"])


def test_the_plain_statistics_are_those_of_the_stage():
    ids = [dump.CLS, 5, dump.PERIOD, 7, dump.SEP, 9, dump.SEP]
    inputs = {"input_ids": torch.tensor([ids]), "attention_mask": torch.ones(1, 7, dtype=int)}
    maps = torch.rand(1, 3, 7, 7, generator=torch.Generator().manual_seed(0)).softmax(-1)
    kinds = KindIds(dump.CLS, dump.SEP, torch.tensor([dump.PERIOD])).find(inputs)
    ours = surface_statistics(maps, kinds)
    plain = dump.numpy_statistics(maps.numpy(), ids)
    assert tuple(plain) == STATISTICS
    for name, values, own in zip(plain, plain.values(), ours.unbind(-1), strict=True):
        np.testing.assert_allclose(values, own.numpy(), rtol=1e-5, err_msg=name)


def test_the_loop_turns_off_the_same_heads_as_the_grid(tiny_classifier):
    encoded = texts(np.array([9, 6, 7]), 1100)
    for row in encoded.inputs["input_ids"]:
        row[:] = [5 + token % 30 for token in row]  # of the tiny vocabulary
    gated = Gated(copy.deepcopy(tiny_classifier))  # each side sets its own attention function
    gates = list(single_heads(gated.layers, gated.heads, "zero"))
    grid = own_grid(gated, encoded, gates, Runtime(device="cpu", threads=1))
    loop = usual_loop(tiny_classifier, encoded, [gate.heads[0] for gate in gates])
    np.testing.assert_allclose(grid, loop, atol=1e-5)
    assert np.ptp(loop, axis=0).max() > 1e-3


def test_the_studies_of_a_corpus_are_those_of_the_configuration(monkeypatch):
    monkeypatch.chdir("configurations/text")
    assert stages_on("ewt") == ["text_examples", "syntax", "pairs", "probes"]
    assert stages_on("nowhere") == []
