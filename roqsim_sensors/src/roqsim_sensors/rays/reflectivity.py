"""How bright a surface looks to a lidar, from its colour and from how obliquely it is seen.

A matt (Lambertian) surface sends back ``reflectivity * cos(incidence)`` of what a white one sends back that is seen
head-on. Distance is taken out, as devices do that report calibrated reflectivity (Velodyne, VLP-16 User Manual 63-9243
Rev. D, "Calibrated Reflectivity": 0 to 100 for diffuse reflectors). The reflectivity is that of a colour in daylight;
at a lidar's infrared a real material may look another. Rays meet collision geometry, so this one's colour counts.
"""

from __future__ import annotations

import mujoco
import numpy as np

WHITE = 100.0
"""The intensity of a white surface seen head-on."""

LUMINANCE = np.array([0.2126, 0.7152, 0.0722], dtype=np.float32)
"""What red, green and blue add to a colour's luminance (ITU-R BT.709)."""

UNSET = np.array([0.5, 0.5, 0.5, 1.0], dtype=np.float32)
"""The colour of a geom that was given none: its material's is drawn instead."""


class Reflectivity:
    """How bright each geom of a model looks head-on.

    Args:
        model: The compiled model; what is written into its colours while it runs is noticed.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        self._model = model
        self._colors = (model.geom_rgba, model.mat_rgba, model.mat_reflectance)
        self._seen: tuple[bytes, ...] = ()
        self._table = np.zeros(model.ngeom + 1, dtype=np.float32)

    def table(self) -> np.ndarray:
        """``(ngeom + 1,)`` float32 up to ``WHITE``, by geom as it is drawn now; the last, also -1, is 0 for no geom."""
        seen = tuple(colors.tobytes() for colors in self._colors)
        if seen != self._seen:
            self._table[:-1] = WHITE * reflectivities(self._model)
            self._seen = seen
        return self._table


def reflectivities(model: mujoco.MjModel) -> np.ndarray:
    """``(ngeom,)`` float32 in [0, 1]: the luminance of each geom as it is drawn now, textures left out.

    What a material mirrors (its ``reflectance``) does not come back and is taken off.
    """
    colors, materials = model.geom_rgba, model.geom_matid
    has_material = materials >= 0
    shown = has_material & np.all(colors == UNSET, axis=1)
    result = colors[:, :3] @ LUMINANCE
    result[shown] = model.mat_rgba[materials[shown], :3] @ LUMINANCE
    result[has_material] *= 1.0 - model.mat_reflectance[materials[has_material]]
    return np.clip(result, 0.0, 1.0, out=result)


def incidence_cosines(normals_W: np.ndarray, rays_W: np.ndarray) -> np.ndarray:
    """``(n,)`` cosines in [0, 1] of the angles between rays and the normals of what they hit, both ``(n, 3)`` unit."""
    cosines = normals_W[:, 0] * rays_W[:, 0]
    cosines += normals_W[:, 1] * rays_W[:, 1]
    cosines += normals_W[:, 2] * rays_W[:, 2]
    return np.abs(cosines, out=cosines)
