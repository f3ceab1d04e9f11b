from stages.ablate.__main__ import fixed_gates


def test_fixed_gates_are_every_head_and_layer_of_every_mode():
    names = [gate.name for gate in fixed_gates(2, 2, ["zero", "mean"])]
    assert len(set(names)) == len(names) == 2 * (4 + 2)
