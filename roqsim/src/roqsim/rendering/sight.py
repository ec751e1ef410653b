"""What can be seen from a place: rays from a camera to the things that a picture is about."""

from __future__ import annotations

import mujoco
import numpy as np

from roqsim.raycast import GROUPS, RayCaster
from roqsim.rendering.bounds import Boxes
from roqsim.rendering.scene import DRAWN_GROUPS

PARTS = 6
"""How many parts of one thing are looked at: its largest ones."""

THINGS = 64
"""How many things are looked at: the largest ones."""


class Sight:
    """Tells how much of some boxes is in the line of sight.

    What stands on bodies of its own is looked at, each thing by its largest parts; walls and ground only where there
    is nothing else. A thing does not hide itself.

    Args:
        model: The compiled model.
        data: A state whose kinematics are current.
        boxes: What the picture is about.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, boxes: Boxes) -> None:
        self._data = data
        self._root = model.body_rootid[model.geom_bodyid]
        self._targets = _targets(self._root, boxes)
        self._points = boxes.centres[self._targets]
        self._geoms = boxes.geoms[self._targets]
        groups = np.zeros(GROUPS, dtype=np.uint8)
        groups[list(DRAWN_GROUPS)] = 1
        self._caster = RayCaster(model, len(self._targets), groups=groups)

    def share_seen_from(self, eye_W: np.ndarray) -> float:
        """The share of the parts, 0 to 1, to which nothing blocks the way from a point in the world."""
        ways = self._points - eye_W
        lengths = np.linalg.norm(ways, axis=1)
        if not len(ways) or np.any(lengths == 0.0):
            return 0.0 if len(ways) else 1.0
        hit = self._caster.cast(self._data, np.ascontiguousarray(eye_W), np.ascontiguousarray(ways / lengths[:, None]))
        geoms = self._caster.geoms
        clear = hit >= lengths
        blocked = ~clear & (self._geoms >= 0)
        own, first = self._geoms[blocked], geoms[blocked]
        same_thing = (self._root[own] != 0) & (self._root[own] == self._root[first])
        clear[blocked] = (own == first) | same_thing
        return float(clear.mean())


def _targets(root: np.ndarray, boxes: Boxes) -> np.ndarray:
    """``(m,)`` rows of the boxes to look at."""
    sizes = np.linalg.norm(boxes.corners[:, 7] - boxes.corners[:, 0], axis=1)
    roots = np.where(boxes.geoms >= 0, root[boxes.geoms], -1)
    rows = np.arange(len(boxes))
    if np.any(roots != 0):
        rows = rows[roots != 0]
    rows = rows[np.argsort(-sizes[rows], kind="stable")]
    chosen: list[int] = []
    parts: dict[int, int] = {}
    for row in rows.tolist():
        thing = int(roots[row]) or -2 - row
        if parts.get(thing, 0) < PARTS and (thing in parts or len(parts) < THINGS):
            parts[thing] = parts.get(thing, 0) + 1
            chosen.append(row)
    return np.array(chosen, dtype=int)
