"""From MuJoCo's list of contacts to who presses whom, how hard and where.

Contacts belong to the last solve. A contact counts once the solver has a constraint for it; one inside a ``gap`` has
none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import mujoco
import numpy as np
from roqsim.context.reports import Touch

from roqsim_sensors.monitors.watch import OTHER, OWN, WATCHED, Names, Watch

Row = tuple[int, int, int, float]
"""A contact that counts: its index, the watched geom, the other one (``-1 - flex`` for a flex), and 1 or -1: the sign
that turns MuJoCo's force into that on the watched geom."""


@dataclass(slots=True)
class Press:
    """The contacts of one pair of geoms, summed up; the world's axes, SI units.

    Attributes:
        part: The watched geom's id.
        other: The other geom's id, ``-1 - flex`` for a flex.
        x: Force on the watched geom.
        y: Force on the watched geom.
        z: Force on the watched geom.
        penetration: The deepest point's depth.
        normal: The sum of the normal forces.
        points: Where: ``(x, y, z, normal force)`` of each contact.
    """

    part: int
    other: int
    x: float
    y: float
    z: float
    penetration: float
    normal: float
    points: list[tuple[float, float, float, float]]

    @property
    def magnitude(self) -> float:
        """The length of the force in N."""
        return math.sqrt(self.x * self.x + self.y * self.y + self.z * self.z)

    @property
    def position(self) -> tuple[float, float, float]:
        """The mean of the points in metres, weighted by their normal forces; plain where these are zero."""
        weights = [point[3] for point in self.points] if self.normal > 0.0 else [1.0] * len(self.points)
        total = sum(weights)
        pairs = list(zip(self.points, weights, strict=True))
        return tuple(sum(point[axis] * weight for point, weight in pairs) / total for axis in range(3))

    def touch(self, names: Names) -> Touch:
        """The same for a payload."""
        return Touch(
            names.part(self.part),
            names.part(self.other),
            np.array([self.x, self.y, self.z]),
            self.magnitude,
            self.penetration,
            np.array(self.position),
        )


class ContactFilter:
    """Picks the contacts that a watch is about. Asked every step, it remembers which geoms were in contact last time.

    Args:
        data: The simulation's state.
        watch: What is watched.
    """

    def __init__(self, data: mujoco.MjData, watch: Watch) -> None:
        self._contacts = data.contact
        self._kinds = watch.kinds.tolist()
        self._counts = {OTHER, OWN, WATCHED} if watch.own_parts else {OTHER}
        self.forget()

    def forget(self) -> None:
        """Begins anew, after a reset."""
        self._key = b""
        self._rows: list[Row] = []

    def rows(self) -> list[Row]:
        """The contacts that count, in MuJoCo's order; not to be changed."""
        geoms = self._contacts.geom
        key = geoms.tobytes()
        if key != self._key:
            self._key = key
            self._rows = self._select(geoms.tolist())
        return self._rows

    def _select(self, pairs: Iterable[list[int]]) -> list[Row]:
        kinds, counts, found = self._kinds, self._counts, []
        for index, (first, second) in enumerate(pairs):
            if kinds[first] == WATCHED and kinds[second] in counts:
                found.append((index, first, second if second >= 0 else self._flex(index, 1), -1.0))
            elif kinds[second] == WATCHED and kinds[first] in counts:
                found.append((index, second, first if first >= 0 else self._flex(index, 0), 1.0))
        if any(row[2] < 0 for row in found):
            self._key = b""  # the key does not tell one flex from another
        return found

    def _flex(self, index: int, side: int) -> int:
        return -1 - int(self._contacts.flex[index, side])


def presses(model: mujoco.MjModel, data: mujoco.MjData, rows: Iterable[Row], min_force: float = 0.0) -> list[Press]:
    """Sums up contacts by pair of geoms.

    Args:
        model: The compiled model.
        data: Its state after a solve.
        rows: Which contacts, as ``ContactFilter`` gives them.
        min_force: Pairs whose force is smaller are left out, in N.

    Returns:
        One entry a pair, in the order of its first contact.
    """
    contact, wrench = data.contact, np.empty(6)
    frames, places = contact.frame, contact.pos
    depths, rows_of_constraint = contact.dist.tolist(), contact.efc_address.tolist()
    found: dict[tuple[int, int], Press] = {}
    for index, part, other, sign in rows:
        if rows_of_constraint[index] < 0:
            continue
        mujoco.mj_contactForce(model, data, index, wrench)
        normal, second, third = wrench[:3].tolist()
        depth = -depths[index]
        if not (normal > 0.0 or depth >= 0.0):
            continue
        f = frames[index].tolist()
        press = found.get((part, other))
        if press is None:
            press = found[part, other] = Press(part, other, 0.0, 0.0, 0.0, depth, 0.0, [])
        press.x += sign * (f[0] * normal + f[3] * second + f[6] * third)
        press.y += sign * (f[1] * normal + f[4] * second + f[7] * third)
        press.z += sign * (f[2] * normal + f[5] * second + f[8] * third)
        press.penetration = max(press.penetration, depth)
        press.normal += normal
        x, y, z = places[index].tolist()
        press.points.append((x, y, z, normal))
    return [press for press in found.values() if press.magnitude >= min_force]
