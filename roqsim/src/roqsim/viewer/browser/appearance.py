"""What a model looks like, as far as a run may change it: what comes and goes, and what is coloured anew."""

from __future__ import annotations

import zlib

import mujoco
import numpy as np

FIELDS = (
    *("geom_group", "geom_rgba", "geom_size", "geom_pos", "geom_quat", "geom_matid", "site_group", "site_rgba"),
    *("light_active", "light_pos", "light_dir", "mat_rgba", "body_pos", "body_quat", "tendon_rgba"),
)
"""The arrays of a model that tell."""


class Appearance:
    """Notices changes of a model's looks.

    Args:
        model: The model that a run may change.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        self._arrays = {name: getattr(model, name) for name in FIELDS}
        self._sums = self._sum()

    def changed(self) -> dict[str, np.ndarray]:
        """Copies of the arrays that changed since the last call, by name."""
        sums = self._sum()
        names = [name for name, value in sums.items() if value != self._sums[name]]
        self._sums = sums
        return {name: self._arrays[name].copy() for name in names}

    def _sum(self) -> dict[str, int]:
        return {name: zlib.crc32(np.ascontiguousarray(array)) for name, array in self._arrays.items()}
