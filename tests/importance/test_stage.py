import numpy as np
import pandas as pd
import pytest
import torch

from stages.core.encoder.batches import Encoded
from stages.core.heads.gate_batches import GateBatch
from stages.core.heads.gates import Gate, single_heads
from stages.core.heads.seam import Gated
from stages.core.losses import losses
from stages.core.outcomes.outcomes import Outcomes, write_outcomes
from stages.importance.cost import Geometry
from stages.importance.gate_gradients import (
    agreement_table,
    batch_within,
    gate_gradients,
    importance_table,
    normed_by_layer,
)
from stages.importance.stage import loss_changes

LENGTHS = [9, 4, 6]
LABELS = np.array([0.0, 2.0, 1.0])


def encoded(inputs: dict[str, torch.Tensor], padding: int) -> Encoded:
    """A padded batch as examples that are not yet one."""
    rows = {
        name: [row[:length].tolist() for row, length in zip(ids, LENGTHS, strict=True)]
        for name, ids in inputs.items()
    }
    segments = [[0] * length for length in LENGTHS]
    return Encoded(rows, {"input_ids": padding, "attention_mask": 0}, segments)


@pytest.fixture
def model(padded_classifier):
    model, inputs = padded_classifier(LENGTHS)
    return Gated(model), inputs


def test_long_examples_go_through_a_few_at_a_time():
    large = Geometry(layers=24, heads=16, hidden=1024, feed_forward=4096)
    one = 24 * 512 * (10 * 1024 + 2 * 4096) * 4
    assert batch_within(large, 512, most=32) == 1_000_000_000 // one == 1
    small = Geometry(layers=6, heads=12, hidden=384, feed_forward=1536)
    assert batch_within(small, 64, most=32) == 32


def test_gradients_are_finite_differences(model):
    gated, inputs = model
    examples = encoded(inputs, gated.model.config.pad_token_id)
    gradients = gate_gradients(gated, examples, LABELS, "classification", 3, torch.device("cpu"))
    gated.model.double()
    labels = torch.from_numpy(LABELS)

    def loss(layer: int, head: int, off: float) -> np.ndarray:
        gates = torch.zeros(3, gated.layers, gated.heads, dtype=torch.float64)
        gates[:, layer, head] = off
        with torch.no_grad():
            logits = gated(inputs, gate=GateBatch("zero", gates))
        return losses(logits, labels, "classification").numpy()

    for gate in single_heads(gated.layers, gated.heads, "zero"):
        (place,) = gate.heads
        slope = (loss(*place, -1e-4) - loss(*place, 1e-4)) / 2e-4  # the gate is 1 - off
        np.testing.assert_allclose(gradients[:, *place], slope, atol=1e-4, rtol=1e-3)


def test_losses_by_hand():
    logits = torch.log(torch.tensor([[[1.0, 3.0]], [[1.0, 1.0]]]))
    labels = torch.tensor([[1.0], [0.0]])
    by_hand = -np.log([[0.75], [0.5]])
    np.testing.assert_allclose(losses(logits, labels, "classification"), by_hand, rtol=1e-6)
    scores = losses(torch.tensor([[2.0], [0.5]]), torch.tensor([5.0, 0.5]), "regression")
    assert scores.tolist() == [9, 0]


def outcomes(lost: list[int]) -> Outcomes:
    """Ten examples, all right with every head on; gate k gets `lost[k]` of them wrong."""
    gated = np.zeros((len(lost), 10))
    for gate, count in enumerate(lost):
        gated[gate, :count] = 1
    table = pd.DataFrame({"gate": range(len(lost))})
    return Outcomes(table, "accuracy", np.zeros(10), np.zeros(10), gated)


def test_a_score_that_ranks_as_the_grid_does():
    exact = np.tile([[0.1, 0.4], [0.2, 0.8]], (10, 1, 1))  # [example, layer, head]
    signs = np.where(np.arange(10) % 2, 1, -1)[:, None, None]  # gradients of both signs
    table = agreement_table(0.5 * exact * signs, exact, outcomes([1, 3, 2, 4]), 50, 0)
    table = table.query("norm == 'none'")
    assert table["exact"].tolist() == ["loss", "absolute loss", "accuracy"]
    assert table["spearman"].tolist() == pytest.approx([1, 1, 1])
    assert table.loc[:1, "spearman_low"].tolist() == pytest.approx([1, 1])
    assert np.stack(list(table["spearman_drawn"])).shape == (3, 50)
    turned = agreement_table(exact[:, ::-1, ::-1], exact, outcomes([1, 3, 2, 4]), 50, 0)
    assert turned.query("norm == 'none'")["spearman"].tolist() == pytest.approx([-1, -1, -1])


def test_both_sides_are_of_the_same_resampled_examples():
    """Where the score of an example is what the grid loses on it, every resample agrees."""
    gated = (np.random.default_rng(0).random((6, 30)) < np.linspace(0.2, 0.6, 6)[:, None]) * 1.0
    lost = Outcomes(pd.DataFrame(index=range(6)), "accuracy", np.zeros(30), np.zeros(30), gated)
    changes = gated.T.reshape(30, 3, 2)
    signs = np.where(np.arange(30) % 2, 1, -1)[:, None, None]
    table = agreement_table(changes * signs, changes, lost, 40, 0)
    plain = table[table["norm"] == "none"]
    np.testing.assert_allclose(np.stack(list(plain["spearman_drawn"])), 1)
    ends = plain[["spearman", "spearman_low", "spearman_high"]]
    assert ends.to_numpy() == pytest.approx(1)


def test_absolute_values_are_taken_of_each_example():
    """Two layers of two heads and two examples: changes whose means rank as their sizes do not."""
    changes = np.array([[2.0, 2, 2, 1.5], [-6, -4, -2, -0.5]]).reshape(2, 2, 2)
    # Mean absolute gradients of 4, 3, 2, 1; the mean gradients are all 0.
    gradients = np.array([[4.0, -3, 2, -1], [-4, 3, -2, 1]]).reshape(2, 2, 2)
    table = agreement_table(gradients, changes, outcomes([4, 3, 2, 1]), 20, 0)
    plain = table[table["norm"] == "none"].set_index("exact")["spearman"]
    assert plain.to_dict() == pytest.approx({"loss": -1, "absolute loss": 1, "accuracy": 1})


def test_the_norm_is_of_each_layer():
    """Two layers of three heads; by hand, over 5 and over 50."""
    importance = np.array([0, 3, 4, 30, 0, 40.0])
    by_hand = [0, 0.6, 0.8, 0.6, 0, 0.8]
    np.testing.assert_allclose(normed_by_layer(importance, 2), by_hand)
    resampled = np.stack([importance, np.zeros(6)])
    np.testing.assert_allclose(normed_by_layer(resampled, 2), [by_hand, np.zeros(6)])


def test_a_norm_that_a_layer_of_large_gradients_calls_for():
    """Gradients of the lower layer are a hundred times too large; heads matter alike in both."""
    generator = np.random.default_rng(0)
    exact = np.tile([[0.1, 0.2, 0.5], [0.15, 0.25, 0.6]], (10, 1, 1))
    gradients = exact * np.array([100, 1])[:, None] * generator.uniform(0.99, 1.01, exact.shape)
    lost = outcomes([1, 2, 5, 1, 2, 6])
    table = agreement_table(gradients, exact, lost, 50, 0)
    plain, normed = (table.query(f"norm == {name!r}") for name in ("none", "layer"))
    assert (normed["spearman"].to_numpy() > plain["spearman"].to_numpy() + 0.3).all()
    # The order of the resamples is that of the rows.
    limits = np.quantile(np.stack(list(table["spearman_drawn"])), [0.025, 0.975], axis=1)
    np.testing.assert_allclose(limits, table[["spearman_low", "spearman_high"]].to_numpy().T)


def test_importance_is_a_mean_of_absolute_gradients():
    gradients = np.array([1.0, -3.0])[:, None, None] * np.ones((2, 1, 2))
    changes = np.array([1.0, -2.0])[:, None, None] * np.ones((2, 1, 2))
    table = importance_table(gradients, changes, 50, 0)
    assert table[["layer", "head"]].to_numpy().tolist() == [[0, 0], [0, 1]]
    assert table["importance"].tolist() == [2, 2]
    assert table["importance_low"].tolist() == [1, 1]
    assert (table["loss"].tolist(), table["absolute_loss"].tolist()) == ([-0.5] * 2, [1.5] * 2)


def test_loss_changes_of_kept_outcomes(tmp_path):
    gates = [Gate("zero", ((0, head),), "head") for head in range(2)]
    examples = pd.DataFrame({"id": ["a", "b"], "label": [0.0, 1.0]})
    even, sure = np.log([[0.5, 0.5], [0.5, 0.5]]), np.log([[0.9, 0.1], [0.9, 0.1]])
    kept = np.stack([sure, even]).astype(np.float32)
    write_outcomes(tmp_path / "kept", gates, examples, even.astype(np.float32), kept)
    changes = loss_changes(
        tmp_path / "kept", np.array([0, 1]), np.array([0.0, 1.0]), "classification"
    )
    by_hand = [[-np.log(0.9 / 0.5), 0], [-np.log(0.1 / 0.5), 0]]
    np.testing.assert_allclose(changes, by_hand, atol=1e-6)
