"""Contacts of the last solve: who touches whom and with what force.

They belong to the state that the last step started from (``ctx.solve_time``), not to the one that it reached.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import mujoco
import numpy as np


def pairs(data: mujoco.MjData) -> Iterator[tuple[int, int, int]]:
    """Every contact as its index and the ids of its two geoms; flex contacts, which have no geoms, are left out."""
    for index, (first, second) in enumerate(data.contact.geom.tolist()):
        if first >= 0 and second >= 0:
            yield index, first, second


def geoms_of(model: mujoco.MjModel, bodies: Collection[int]) -> frozenset[int]:
    """The ids of the geoms that belong to any of the bodies."""
    return frozenset(np.flatnonzero(np.isin(model.geom_bodyid, list(bodies))).tolist())


def subtree(model: mujoco.MjModel, body: int) -> frozenset[int]:
    """The ids of a body and of everything below it."""
    inside = {body}
    for child in range(body + 1, model.nbody):
        if int(model.body_parentid[child]) in inside:
            inside.add(child)
    return frozenset(inside)


def between(data: mujoco.MjData, geoms: Collection[int], others: Collection[int] | None = None) -> list[int]:
    """The contacts that touch one of ``geoms`` and, where given, one of ``others``.

    Returns:
        Indices into ``data.contact``; contacts within ``geoms`` count only if ``others`` holds one of the two.
    """
    found = []
    for index, first, second in pairs(data):
        for mine, other in ((first, second), (second, first)):
            if mine in geoms and (other not in geoms if others is None else other in others):
                found.append(index)
                break
    return found


def force(model: mujoco.MjModel, data: mujoco.MjData, contact: int) -> np.ndarray:
    """``(3,)`` force in newtons that the contact's first geom exerts on its second one, along the world's axes."""
    wrench = np.empty(6)
    mujoco.mj_contactForce(model, data, contact, wrench)
    return data.contact.frame[contact].reshape(3, 3).T @ wrench[:3]


def net_force(model: mujoco.MjModel, data: mujoco.MjData, geoms: Collection[int]) -> np.ndarray:
    """``(3,)`` sum of the contact forces in newtons on a group of geoms from outside it, along the world's axes."""
    total = np.zeros(3)
    for contact in between(data, geoms):
        second = int(data.contact.geom[contact, 1])
        total += force(model, data, contact) if second in geoms else -force(model, data, contact)
    return total
