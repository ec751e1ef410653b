"""Who touches whom, where and with what force."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import mujoco
import numpy as np

from roqsim.analysis.quantity import vector
from roqsim.analysis.table import Column, Row
from roqsim.mj.contacts import force, pairs
from roqsim.mj.names import name_of


class Touches:
    """Every two geoms that touch, with all their contact points taken together.

    Args:
        model: The compiled model.
        data: Its state, solved.
        owner: What a body belongs to, by name.
        bodies: Only what touches one of these bodies, which then stands first; None for everything.
    """

    title = "contacts"
    columns = (
        *(Column(name, kind=str) for name in ("first", "first.geom", "second", "second.geom")),
        Column("points", kind=int),
        *vector("position", "m"),
        *vector("force", "N"),
        Column("magnitude", "N"),
        Column("normal", "N"),
        Column("distance", "m"),
    )
    keys = ("first", "first.geom", "second", "second.geom")
    drawn = ("normal", "distance")

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        owner: Callable[[int], str],
        bodies: Collection[int] | None = None,
    ) -> None:
        self._model, self._data, self._bodies = model, data, bodies
        self._owners = [owner(body) for body in range(model.nbody)]
        self._names = [_geom_name(model, geom) for geom in range(model.ngeom)]

    def rows(self) -> Iterator[Row]:
        """One row a pair of geoms.

        ``force`` acts on the first geom, ``normal`` is the sum of the normal forces, ``distance`` is that of the
        deepest point and negative for an overlap, ``position`` the mean of the points by their normal forces.
        """
        touching: dict[tuple[int, int], list[int]] = {}
        for index, first, second in pairs(self._data):
            touching.setdefault((first, second), []).append(index)
        for (first, second), indices in touching.items():
            sign = self._sign(first, second)
            if sign:
                geoms = (first, second) if sign < 0.0 else (second, first)
                parts = [text for geom in geoms for text in (self._owner(geom), self._names[geom])]
                yield *parts, len(indices), *self._sums(indices, sign)

    def _sign(self, first: int, second: int) -> float:
        """-1 where the row is about the first geom, 1 where it is about the second one, 0 where there is none."""
        if self._bodies is None or int(self._model.geom_bodyid[first]) in self._bodies:
            return -1.0
        return 1.0 if int(self._model.geom_bodyid[second]) in self._bodies else 0.0

    def _owner(self, geom: int) -> str:
        return self._owners[int(self._model.geom_bodyid[geom])]

    def _sums(self, indices: list[int], sign: float) -> tuple[float, ...]:
        contact = self._data.contact
        forces = np.array([force(self._model, self._data, index) for index in indices])
        normals = np.abs(np.einsum("ni,ni->n", forces, contact.frame[indices][:, :3]))
        weights = normals if normals.sum() > 0.0 else np.ones(len(indices))
        position = weights @ contact.pos[indices] / weights.sum()
        total = sign * forces.sum(axis=0)
        sums = float(np.linalg.norm(total)), float(normals.sum()), float(contact.dist[indices].min())
        return (*position.tolist(), *total.tolist(), *sums)


def _geom_name(model: mujoco.MjModel, geom: int) -> str:
    """A geom's name; ``body[2]`` for the third geom of a body where it has none."""
    body = int(model.geom_bodyid[geom])
    place = geom - int(model.body_geomadr[body])
    return name_of(model, "geom", geom) or f"{name_of(model, 'body', body) or f'body {body}'}[{place}]"
