"""From the depth buffer to metres."""

from __future__ import annotations

import numpy as np


def to_metres(buffer: np.ndarray, near: float, far: float) -> np.ndarray:
    """Turns a reversed depth buffer into distances along the optical axis, in place.

    With ``a = n / (f - n)`` and ``b = n f / (f - n)`` the perspective projection and MuJoCo's reversal leave
    ``z = b / d - a`` in the buffer, 1 at the near plane and 0 at the far plane, so ``d = b / (z + a)``. The driver
    holds the projection in float32, so ``a`` and ``b`` are rounded as it rounds them.

    Args:
        buffer: ``(h, w)`` float32 as GL gives it; overwritten with metres, ``inf`` where nothing was drawn.
        near: Distance of the near plane in metres.
        far: Distance of the far plane in metres.

    Returns:
        The buffer.
    """
    n, f = np.float32(near), np.float32(far)
    half = np.float32(0.5)
    a = half * ((f + n) / (f - n)) - half
    b = np.float32(n * f / (f - n))
    nothing = buffer <= 0.0
    np.add(buffer, a, out=buffer)
    with np.errstate(divide="ignore"):
        np.divide(b, buffer, out=buffer)
    buffer[nothing] = np.inf
    return buffer
