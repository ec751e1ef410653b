from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.rendering.depth import to_metres


def buffer_of(depth, near, far):
    """What GL's perspective projection, reversed to 1 near and 0 far, makes of distances."""
    return near * (far - depth) / (depth * (far - near))


@given(st.floats(0.01, 0.5), st.floats(10.0, 1000.0), st.floats(0.0, 1.0))
def test_distances_come_back_out_of_the_buffer(near, far, part):
    depth = near + part * (far - near) * 0.99
    near, far = float(np.float32(near)), float(np.float32(far))
    z = np.array([[buffer_of(max(depth, near), near, far)]], np.float32)
    # The buffer's own step is what limits a distance: dz = near / depth^2 d(depth).
    step = 2e-7 * depth * depth / near + 1e-6 * depth
    assert to_metres(z, near, far)[0, 0] == pytest.approx(max(depth, near), abs=step + 1e-6)


def test_where_nothing_is_drawn_the_distance_is_infinite():
    z = np.array([[1.0, 0.0]], np.float32)
    assert to_metres(z, 0.1, 50.0).tolist() == [[pytest.approx(0.1), np.inf]]


def test_the_buffer_is_used_in_place():
    z = np.full((2, 2), 0.5, np.float32)
    assert to_metres(z, 0.1, 50.0) is z
