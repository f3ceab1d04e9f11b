"""Labelled maps on disk: little is lost at 8 bits a weight, and damage is found."""

from pathlib import Path

import numpy as np
import pytest
import torch

from stages.core.stage.files import InputError
from stages.patterns.features import feature_table
from stages.patterns.map_file import LEVELS, POWER, kept, read_maps, write_maps
from stages.patterns.views import BRIGHTEST, DIM, VISIBLE, resized, views
from tests.patterns.maps import diagonal, squares, vertical

RELEASED = Path(__file__).resolve().parents[2] / "data" / "patterns" / "maps.npz"


@pytest.fixture(scope="module")
def maps() -> list[np.ndarray]:
    """Attention as encoders have it: from nearly uniform to nearly all on one token."""
    generator = np.random.default_rng(0)
    scores = [
        generator.normal(size=(40, 40)) * spread + 3 * spread * generator.normal(size=40)
        for spread in np.linspace(0.1, 2.5, 40)
    ]
    return [np.exp(s - s.max(1, keepdims=True)) for s in scores] + [vertical(40), diagonal(40)]


@pytest.fixture(scope="module")
def exact(maps) -> list[np.ndarray]:
    return [(weights / weights.sum(1, keepdims=True)).astype(np.float32) for weights in maps]


def test_maps_of_unlike_sizes_come_back_the_right_way_round(tmp_path):
    one_row = np.eye(5, dtype=np.float32)
    one_row[2] = [0.5, 0, 0, 0.3, 0.2]
    write_maps(tmp_path / "maps.npz", [one_row, diagonal(9)])
    back = read_maps(tmp_path / "maps.npz")
    assert [len(weights) for weights in back] == [5, 9]
    np.testing.assert_allclose(back[0], one_row, atol=0.003)
    np.testing.assert_array_equal(back[1], kept(diagonal(9)))


def test_a_weight_is_kept_within_half_a_step_of_its_level(exact):
    """And within 2.5% more, by which the sum of its row may be off."""
    for weights in exact:
        share = weights / weights.max()
        step = np.maximum(share, 1e-12) ** (1 - POWER) / POWER / LEVELS
        bound = weights.max() * np.maximum(step, (1 / LEVELS) ** (1 / POWER)) + 0.025 * weights
        back = kept(weights)
        assert (np.abs(back - weights) <= bound).all()
        np.testing.assert_allclose(back.sum(1), 1, atol=1e-5)


def test_pictures_and_what_the_network_sees_stay(exact):
    """The colour scale by 3.5% at most, one cell in a hundred in another shade."""
    shades = []
    for weights in exact:
        back = kept(weights)
        seen = [m / np.quantile(m, BRIGHTEST) for m in (weights, back)]
        assert np.abs(np.clip(seen[0], 0, 1) - np.clip(seen[1], 0, 1)).max() < 0.035
        before, after = (np.digitize(part, [DIM, VISIBLE]) for part in seen)
        shades.append((before != after).mean())
    assert np.mean(shades) < 0.01
    before, after = (
        resized(views(torch.from_numpy(np.stack(part))), 24)
        for part in (exact, [kept(weights) for weights in exact])
    )
    assert (before - after).abs().mean((0, 2, 3)).max() < 0.01


def test_features_stay(exact):
    """In standard deviations of each feature: less than 0.02 on average."""
    made = [*exact, squares(10, 10), squares(7, 6, 7), vertical(20, 3), diagonal(12)]
    before, after = feature_table(made), feature_table([kept(weights) for weights in made])
    moved = (after - before).abs() / before.std()
    assert moved.mean(axis=None) < 0.02
    assert moved.mean().max() < 0.15


def test_the_released_file_is_a_few_megabytes():
    assert RELEASED.stat().st_size < 7_000_000
    assert sum(len(weights) ** 2 for weights in read_maps(RELEASED)) == 11_680_829


def test_rows_that_do_not_add_up_are_refused(tmp_path):
    crooked = vertical(5)
    crooked[2] *= 0.5
    with pytest.raises(ValueError, match="a row of map 1 does not add up to 1"):
        write_maps(tmp_path / "maps.npz", [vertical(5), crooked])
    assert not (tmp_path / "maps.npz").exists()


def test_damage_is_found(tmp_path):
    file = tmp_path / "maps.npz"
    write_maps(file, [vertical(5), diagonal(9)])
    whole = file.read_bytes()
    for end in (0, 10, len(whole) // 2, len(whole) - 5):
        file.write_bytes(whole[:end])
        with pytest.raises(InputError, match="not a file of maps"):
            read_maps(file)
    file.write_bytes(whole)
    with np.load(file) as archive:
        np.savez(file, lengths=archive["lengths"][::-1] + 1, levels=archive["levels"])
    with pytest.raises(InputError, match="106 weights for 136 cells"):
        read_maps(file)


def test_rows_of_unlike_scale_are_damage(tmp_path, monkeypatch):
    """A wrong length cuts the rows elsewhere: their sums then differ."""
    file = tmp_path / "maps.npz"
    write_maps(file, [diagonal(6), vertical(8)])
    with np.load(file) as archive:
        np.savez(file, lengths=archive["lengths"][::-1], levels=archive["levels"])
    with pytest.raises(InputError, match="map 0: its rows do not add up to the same"):
        read_maps(file)
