"""What is turned off: every head and layer, and shares of all heads within all or half of them."""

import pytest

from stages.core.outcomes.modes import fixed_gates, random_gates


def test_fixed_gates_are_every_head_and_layer():
    gates = fixed_gates(2, 3, "mean")
    assert [gate.family for gate in gates] == ["head"] * 6 + ["layer"] * 2
    assert {gate.mode for gate in gates} == {"mean"}
    assert len({gate.heads for gate in gates}) == 8


def test_a_half_loses_as_many_heads_as_all_layers_do():
    gates = list(random_gates(4, 5, "zero", [0.2, 0.5, 0.8], [0.2, 0.5], draws=2, seed=0))
    places = {(gate.band, gate.share): len(gate.heads) for gate in gates}
    assert places == {
        ("all", 0.2): 4,
        ("all", 0.5): 10,
        ("all", 0.8): 16,
        ("lower", 0.4): 4,  # of its ten heads
        ("lower", 1.0): 10,
        ("upper", 0.4): 4,
        ("upper", 1.0): 10,
    }
    assert all(layer >= 2 for gate in gates if gate.band == "upper" for layer, _ in gate.heads)


@pytest.mark.parametrize("share", [0.1, 0.2, 0.3, 0.4, 0.5])
def test_shares_in_steps_of_a_tenth_are_met(share):
    shares = [0.1, 0.2, 0.3, 0.4, 0.5]
    gates = list(random_gates(4, 5, "zero", shares, shares, draws=1, seed=0))
    assert sum(gate.share == share and gate.band == "all" for gate in gates) == 1
    assert sum(gate.share == 2 * share and gate.band == "lower" for gate in gates) == 1


def test_halves_have_shares_of_their_own():
    """A set of one share is the same, whatever other shares there are."""
    few, more = (
        list(random_gates(4, 5, "zero", shares, [0.3], draws=2, seed=0))
        for shares in ([0.8], [0.3, 0.6, 0.8])
    )
    assert [(gate.band, gate.share) for gate in few] == [
        *[("all", 0.8)] * 2,
        *[("lower", 0.6)] * 2,
        *[("upper", 0.6)] * 2,
    ]
    assert {gate.heads for gate in few} <= {gate.heads for gate in more}
    assert [gate for gate in more if gate.band != "all"] == few[2:]
