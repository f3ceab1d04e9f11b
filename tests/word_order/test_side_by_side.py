"""Ablation on several sets of pairs at once."""

from pathlib import Path

import numpy as np
import pytest

from stages.core.encoder.batches import Encoded
from stages.core.encoder.checkpoint import load_tuned
from stages.core.grid.grid import Grid
from stages.core.heads.gates import Gate
from stages.core.heads.seam import Gated
from stages.core.runtime.runtime import Runtime
from stages.word_order import ablation
from stages.word_order.ablation import Asked, logits_under
from tests import toy

FIRST, SECOND = (Gate("zero", ((0, head),), "random") for head in (0, 1))

MODEL = Path("work/models/toy/tuned-0")


@pytest.fixture
def gated(tmp_path, monkeypatch, tiny_bert) -> Gated:
    monkeypatch.chdir(tmp_path)
    toy.write_parameters(run={"seeds": [0]})
    toy.write_models(tiny_bert, "tuned", seed=0)
    return Gated(load_tuned(MODEL))


def pairs(*lengths: int) -> Encoded:
    ids = [[2, *range(5, 5 + length), 3] for length in lengths]
    ones, zeros = ([[value] * len(row) for row in ids] for value in (1, 0))
    inputs = {"input_ids": ids, "attention_mask": ones, "token_type_ids": zeros}
    return Encoded(inputs, dict.fromkeys(inputs, 0), zeros)


def test_each_set_has_its_own_gates_in_the_order_of_its_pairs(gated, tmp_path):
    asked = [
        Asked("one", [SECOND, FIRST, SECOND], pairs(2, 6, 4)),  # shorter ones stand in between
        Asked("other", [FIRST], pairs(3)),
    ]
    found = list(logits_under(gated, asked, 2, Runtime(threads=2), tmp_path / "run", MODEL))
    for one, (before, after) in zip(asked, found, strict=True):
        for row in range(len(one.pairs.lengths)):
            alone = Grid(gated, one.gates).run(one.pairs.batch(np.array([row])))
            np.testing.assert_allclose(before[row], alone[0][0], atol=1e-5)
            np.testing.assert_allclose(after[:, row], alone[1][:, 0], atol=1e-5)
    assert not np.allclose(found[0][1][0], found[0][1][1], atol=1e-5)


def test_after_a_kill_it_goes_on_with_what_is_not_kept(gated, tmp_path, monkeypatch):
    asked = [Asked("one", [FIRST], pairs(2, 6, 4)), Asked("other", [SECOND], pairs(3))]

    def graded() -> list[np.ndarray]:
        return [
            part
            for both in logits_under(gated, asked, 2, Runtime(), tmp_path / "run", MODEL)
            for part in both
        ]

    whole = graded()
    ((missing,),) = [folder.glob("one-1.npz") for folder in (tmp_path / "run").iterdir()]
    missing.unlink()
    run = []
    piece = ablation._run_piece
    monkeypatch.setattr(
        ablation, "_run_piece", lambda own, one: run.append(one[0].rows) or piece(own, one)
    )
    for before, again in zip(whole, graded(), strict=True):
        np.testing.assert_array_equal(before, again)
    assert [rows.tolist() for rows in run] == [[0]]  # the shortest pair
    run.clear()
    asked[1] = Asked("other", [SECOND], pairs(4))
    graded()
    assert len(run) == 3  # of other pairs nothing is taken
