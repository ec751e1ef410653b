"""Fixed frames as links without mass and shape: what components publish, sites, and what cameras look along."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco

from roqsim.export.urdf.names import Names
from roqsim.export.urdf.part import Frame, Part
from roqsim.export.urdf.robot import Joint, Link, Robot
from roqsim.mj.names import name_of
from roqsim.mj.poses import IDENTITY, Transform, compose, inverse

OPTICAL = ((0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0))
"""The optical frame in MuJoCo's camera frame: z along the view and y down (REP-103), not -z and up."""

SUFFIX = "_optical_frame"

SAME = 1e-9
"""Frames that differ by less than this, in metres and in the quaternion's parts, are the same."""


def frame_names(part: Part, links: Names) -> list[str]:
    """The names that fixed frames are going to have, if no body has them."""
    model = part.model
    names = [frame.name for frame in part.frames]
    names += [links.plain(name_of(model, "site", site)) for site in range(model.nsite)]
    names += [links.plain(name_of(model, "camera", camera)) + SUFFIX for camera in range(model.ncam)]
    return names


class Frames:
    """Adds fixed frames to a robot whose bodies are links already.

    Args:
        part: The part of the world.
        robot: Takes the links and joints.
        links: Gives out names of links.
        joints: Gives out names of joints.
        bodies: The link of each body by its id.
    """

    def __init__(self, part: Part, robot: Robot, links: Names, joints: Names, bodies: Mapping[int, str]) -> None:
        self._part, self._robot, self._links, self._joints = part, robot, links, joints
        self._bodies = dict(bodies)
        self._placed: dict[str, tuple[int, Transform]] = {name: (body, IDENTITY) for body, name in bodies.items()}

    def add(self) -> None:
        """Adds what is published, then the sites, then the cameras that nothing published looks along."""
        for frame in self._in_order():
            self._publish(frame)
        model, plain = self._part.model, self._links.plain
        for site in range(model.nsite):
            body, name = int(model.site_bodyid[site]), plain(name_of(model, "site", site))
            if body not in self._bodies or not name or name in self._placed:
                continue
            X_BS = (tuple(model.site_pos[site].tolist()), tuple(model.site_quat[site].tolist()))
            self._add(name, body, X_BS, self._bodies[body], X_BS)
        for camera in range(model.ncam):
            body, name = int(model.cam_bodyid[camera]), plain(name_of(model, "camera", camera))
            if body not in self._bodies or not name or name + SUFFIX in self._placed:
                continue
            X_BC = (tuple(model.cam_pos[camera].tolist()), tuple(model.cam_quat[camera].tolist()))
            if int(model.cam_mode[camera]) != int(mujoco.mjtCamLight.mjCAMLIGHT_FIXED):
                self._robot.lose(f"camera {name!r} moves against its body; it has no frame")
                continue
            X_BO = compose(X_BC, OPTICAL)
            group, X_GO = self._in_group(body, X_BO)
            placed = [self._in_group(*place) for place in self._placed.values()]
            if not any(on == group and _is_same(X, X_GO) for on, X in placed):
                self._add(name + SUFFIX, body, X_BO, self._bodies[body], X_BO)

    def _in_group(self, body: int, X_BF: Transform) -> tuple[int, Transform]:
        """A frame of a body as one of the topmost body that the body does not move against."""
        model = self._part.model
        while body != self._part.root and not self._part.joints_of(body):
            X_PB = (tuple(model.body_pos[body].tolist()), tuple(model.body_quat[body].tolist()))
            body, X_BF = int(model.body_parentid[body]), compose(X_PB, X_BF)
        return body, X_BF

    def _in_order(self) -> list[Frame]:
        """The published frames, each after its parent where that is one of them."""
        found = {frame.name: frame for frame in self._part.frames}
        ordered: list[Frame] = []
        known = set(self._placed) | self._site_names()
        while ready := [frame for frame in found.values() if frame.parent in known]:
            for frame in ready:
                ordered.append(found.pop(frame.name))
                known.add(frame.name)
        for frame in found.values():
            self._robot.lose(f"frame {frame.name!r} is left out: its parent {frame.parent!r} is no link of the robot")
        return ordered

    def _site_names(self) -> set[str]:
        model = self._part.model
        sites = [site for site in range(model.nsite) if int(model.site_bodyid[site]) in self._bodies]
        return {self._links.plain(name_of(model, "site", site)) for site in sites} - {""}

    def _publish(self, frame: Frame) -> None:
        if frame.name in self._placed:
            return
        if frame.parent not in self._placed:
            self._add_site(frame.parent)
        body, X_BP = self._placed[frame.parent]
        self._add(frame.name, body, compose(X_BP, frame.X_PF), frame.parent, frame.X_PF)

    def _add_site(self, name: str) -> None:
        model = self._part.model
        for site in range(model.nsite):
            body = int(model.site_bodyid[site])
            if body in self._bodies and self._links.plain(name_of(model, "site", site)) == name:
                X_BS = (tuple(model.site_pos[site].tolist()), tuple(model.site_quat[site].tolist()))
                self._add(name, body, X_BS, self._bodies[body], X_BS)
                return

    def _add(self, name: str, body: int, X_BF: Transform, parent: str, X_PF: Transform) -> None:
        self._placed[name] = (body, X_BF)
        if name not in self._links:
            self._links.take(name)
        self._robot.links.append(Link(name))
        self._robot.joints.append(Joint(self._joints.take(f"{name}_fixed"), "fixed", parent, name, X_PF))


def _is_same(a: Transform, b: Transform) -> bool:
    p, (w, *turn) = compose(inverse(a), b)
    return all(abs(part) < SAME for part in (*p, *turn))
