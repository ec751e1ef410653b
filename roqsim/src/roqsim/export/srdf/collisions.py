"""Which links need no collision check against each other: neighbours, and what random poses say about the others."""

from __future__ import annotations

import math
from collections.abc import Mapping

import mujoco
import numpy as np

from roqsim.export.urdf.document import to_urdf
from roqsim.export.urdf.part import Part
from roqsim.export.urdf.robot import Joint, Robot
from roqsim.mj.log import captured

ADJACENT, USER, DEFAULT, ALWAYS, NEVER = "Adjacent", "User", "Default", "Always", "Never"
"""Reasons, in MoveIt's words: joined, switched off by the model, touching at home, in every pose, in none."""

MEMORY = 2**26
"""Bytes for the contacts of one pose, of which there are many where shapes overlap."""

Pair = tuple[str, str]


def disabled_pairs(
    part: Part, robot: Robot, home: Mapping[str, float], samples: int, seed: int
) -> list[tuple[str, str, str]]:
    """The pairs of links that need no check.

    Args:
        part: The robot's part of the world.
        robot: The robot.
        home: Its positions at home, by joint.
        samples: How many random poses are looked at.
        seed: What they depend on.

    Returns:
        Two links and the reason, in the order of the links.
    """
    order = [link.name for link in robot.links if link.collisions]
    reasons: dict[Pair, str] = dict.fromkeys(_neighbours(robot), ADJACENT)
    for pair in _switched_off(part, robot):
        reasons.setdefault(pair, USER)
    touches = _Touches(robot, order)
    at_home = touches.at(home)
    counts = np.zeros_like(at_home, dtype=int)
    rng = np.random.default_rng(seed)
    for _ in range(samples):
        counts += touches.at_random(rng)
    for i, first in enumerate(order):
        for j in range(i + 1, len(order)):
            pair = (first, order[j])
            if counts[i, j] == samples and at_home[i, j]:
                reasons.setdefault(pair, ALWAYS)
            elif at_home[i, j]:
                reasons.setdefault(pair, DEFAULT)
            elif counts[i, j] == 0:
                reasons.setdefault(pair, NEVER)
    place = {name: index for index, name in enumerate(order)}
    found = [(*sorted(pair, key=place.__getitem__), reason) for pair, reason in reasons.items()]
    return sorted(found, key=lambda each: (place[each[0]], place[each[1]]))


def _neighbours(robot: Robot) -> list[Pair]:
    """Links that a joint joins; those without a shape are looked through."""
    order = [link.name for link in robot.links if link.collisions]
    above = {joint.child: joint.parent for joint in robot.joints}
    found = []
    for link in order:
        parent = above.get(link)
        while parent is not None and parent not in order:
            parent = above.get(parent)
        if parent is not None:
            found.append((parent, link))
    return found


def _switched_off(part: Part, robot: Robot) -> list[Pair]:
    """Links of which the model lets no two shapes touch: by their masks, or because it excludes the two bodies."""
    model = part.model
    excluded = {(int(signature) >> 16, int(signature) & 0xFFFF) for signature in model.exclude_signature}
    listed = {
        tuple(sorted(map(int, model.geom_bodyid[list(pair)])))
        for pair in zip(model.pair_geom1, model.pair_geom2, strict=True)
    }
    links = [link for link in robot.links if link.collisions]
    found = []
    for i, first in enumerate(links):
        for second in links[i + 1 :]:
            bodies = tuple(sorted((first.body, second.body)))
            if bodies in listed:
                continue
            if bodies in excluded or bodies[::-1] in excluded or not _may_touch(part, *bodies):
                found.append((first.name, second.name))
    return found


def _may_touch(part: Part, first: int, second: int) -> bool:
    model = part.model
    a, b = (part.geoms_of(body) for body in (first, second))
    types, affinities = model.geom_contype, model.geom_conaffinity
    return bool(
        np.any(types[a][:, None] & affinities[b][None, :]) or np.any(affinities[a][:, None] & types[b][None, :])
    )


class _Touches:
    """Tells which links touch in a pose.

    Args:
        robot: The robot.
        order: The links that are told of.
    """

    def __init__(self, robot: Robot, order: list[str]) -> None:
        self._model = _collision_model(robot)
        self._data = mujoco.MjData(self._model)
        self._size = len(order)
        self._index = np.full(self._model.nbody, -1)
        for index, name in enumerate(order):
            self._index[self._model.body(name).id] = index
        joints = [joint for joint in robot.joints if joint.type != "fixed"]
        self._leaders = [joint for joint in joints if joint.mimic is None]
        self._followers = _in_order([joint for joint in joints if joint.mimic is not None], self._leaders)
        self._address = {joint.name: int(self._model.joint(joint.name).qposadr[0]) for joint in joints}
        ranges = [_range(joint) for joint in self._leaders]
        self._lower, self._upper = np.array(ranges).reshape(-1, 2).T

    def at_random(self, rng: np.random.Generator) -> np.ndarray:
        """``(n, n)`` bool: who touches whom, in a pose within the limits."""
        values = rng.uniform(self._lower, self._upper)
        return self.at({joint.name: value for joint, value in zip(self._leaders, values.tolist(), strict=True)})

    def at(self, positions: Mapping[str, float]) -> np.ndarray:
        """``(n, n)`` bool: who touches whom, in a pose of the joints that lead."""
        qpos = self._data.qpos
        for joint in self._leaders:
            qpos[self._address[joint.name]] = positions[joint.name]
        for joint in self._followers:
            source = qpos[self._address[joint.mimic.joint]]
            qpos[self._address[joint.name]] = joint.mimic.multiplier * source + joint.mimic.offset
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_collision(self._model, self._data)
        found = np.zeros((self._size, self._size), dtype=bool)
        contact = self._data.contact
        bodies = self._index[self._model.geom_bodyid[contact.geom[: self._data.ncon]]]
        found[bodies[:, 0], bodies[:, 1]] = found[bodies[:, 1], bodies[:, 0]] = True
        return found


def _in_order(followers: list[Joint], leaders: list[Joint]) -> list[Joint]:
    """Joints that follow others, each after the one it follows."""
    known = {joint.name for joint in leaders}
    ordered: list[Joint] = []
    while len(ordered) < len(followers):
        ready = [joint for joint in followers if joint.name not in known and joint.mimic.joint in known]
        ordered += ready
        known.update(joint.name for joint in ready)
    return ordered


def _range(joint: Joint) -> tuple[float, float]:
    if joint.range is not None:
        return joint.range
    reach = math.pi if joint.type == "continuous" else 1.0
    return -reach, reach


def _collision_model(robot: Robot) -> mujoco.MjModel:
    """The robot by itself, with its collision shapes alone, all of which may touch."""
    with captured(log=False):
        text = to_urdf(robot, lambda name: name, {"discardvisual": "true"})
        spec = mujoco.MjSpec.from_string(text, assets=robot.meshes)
        spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)
        spec.memory = MEMORY
        return spec.compile()
