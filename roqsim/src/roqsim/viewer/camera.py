"""Where the window looks from: the world's view, an entity that is kept in sight, or one that is turned with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import mujoco

FREE, TRACK, HEADING = "free", "track", "heading"
MODES = (FREE, TRACK, HEADING)

POSITION_DIGITS, ANGLE_DIGITS = 3, 1
"""Decimals of a saved view: millimetres, tenths of a degree."""

Target = tuple[str, int]
"""An entity's name and its root body."""


class Camera:
    """Moves MuJoCo's free camera; every method is called with the window's lock held.

    Args:
        model: The compiled model.
        cam: The window's camera.
        view: The world's ``sim.view`` as plain data.
        targets: The entities that can be followed, the preferred one first.
    """

    def __init__(
        self, model: mujoco.MjModel, cam: mujoco.MjvCamera, view: Mapping[str, object], targets: Sequence[Target]
    ) -> None:
        self.mode = FREE
        self.target: Target | None = targets[0] if targets else None
        self._targets = list(targets)
        self._cam = cam
        self._heading: float | None = None
        mujoco.mjv_defaultFreeCamera(model, cam)
        for key in ("distance", "azimuth", "elevation"):
            if view.get(key) is not None:
                setattr(cam, key, view[key])
        if view.get("lookat") is not None:
            cam.lookat[:] = view["lookat"]
        if view.get("track") is not None:
            self.target = next(target for target in targets if target[0] == view["track"])
            self.enter(HEADING if view.get("follow_heading") else TRACK)

    def enter(self, mode: str) -> None:
        """Changes the mode; where there is nothing to follow, the camera stays free."""
        self.mode = mode if self.target is not None else FREE
        # The azimuth of a camera that turns with an entity is measured from the entity's heading.
        self._heading = 0.0 if self.mode == HEADING else None
        if self.mode == FREE:
            self._cam.type = int(mujoco.mjtCamera.mjCAMERA_FREE)
            return
        self._cam.type = int(mujoco.mjtCamera.mjCAMERA_TRACKING)
        self._cam.trackbodyid = self.target[1]
        self._cam.fixedcamid = -1

    def cycle(self, selected: int, parents: Sequence[int], data: mujoco.MjData) -> None:
        """Goes on to the next mode.

        Args:
            selected: The body that the person picked, 0 for none; its entity becomes the target.
            parents: ``(nbody,)`` the parent of each body.
            data: The state that is shown.
        """
        body = selected
        while body > 0:
            if found := next((target for target in self._targets if target[1] == body), None):
                self.target = found
                break
            body = int(parents[body])
        self.enter(MODES[(MODES.index(self.mode) + 1) % len(MODES)])
        if self.mode == HEADING:
            self._heading = heading(data, self.target[1])

    def update(self, data: mujoco.MjData) -> bool:
        """Follows the target; to be called for each frame.

        Returns:
            Whether the mode changed, because the person chose another camera in the window's own ways.
        """
        if self.mode != FREE and self._cam.type != int(mujoco.mjtCamera.mjCAMERA_TRACKING):
            self.mode = FREE
            return True
        if self.mode == HEADING:
            now = heading(data, self.target[1])
            self._cam.azimuth += math.degrees(math.remainder(now - self._heading, math.tau))
            self._heading = now
        return False

    def view(self) -> dict[str, object]:
        """The present view in the words of ``sim.view``."""
        cam = self._cam
        turned = math.degrees(self._heading) if self.mode == HEADING else 0.0
        found: dict[str, object] = {
            "distance": round(float(cam.distance), POSITION_DIGITS),
            "azimuth": round(math.remainder(float(cam.azimuth) - turned, 360.0), ANGLE_DIGITS),
            "elevation": round(max(-90.0, min(90.0, float(cam.elevation))), ANGLE_DIGITS),
        }
        if self.mode == FREE:
            lookat = [round(float(value), POSITION_DIGITS) + 0.0 for value in cam.lookat]
            return {"lookat": lookat, **found, "track": None, "follow_heading": False}
        return {**found, "track": self.target[0], "follow_heading": self.mode == HEADING}

    def describe(self) -> str:
        """The mode in words; empty for a free camera."""
        return {FREE: "", TRACK: "on {}", HEADING: "turning with {}"}[self.mode].format(self.target and self.target[0])


def heading(data: mujoco.MjData, body: int) -> float:
    """The direction of a body's x axis about the world's z axis, in radians."""
    matrix = data.xmat[body]
    return math.atan2(matrix[3], matrix[0])
