"""Whether the bodies of a run have moved, from the poses that it streams."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from roqsim.analysis.health.lines import Lines

if TYPE_CHECKING:
    from roqsim.recording import Recording

PIECES = 48
"""Places of a long file that are looked at."""

POSITION = ("position.x", "position.y", "position.z")
ORIENTATION = ("orientation.x", "orientation.y", "orientation.z", "orientation.w")

Pose = tuple[list[float], list[float]]


@dataclass
class Motion:
    """How far one body came from where it was seen first.

    Attributes:
        distance: The farthest from the first place, in metres.
        angle: The largest turn from the first orientation, in radians.
        first: Simulated seconds when it was seen first.
        last: Simulated seconds when it was seen last.
    """

    distance: float = 0.0
    angle: float = 0.0
    first: float = math.inf
    last: float = -math.inf


def observe(
    found: dict[str, Motion], origins: dict[str, Pose], frame: str, t: float, position: list[float], turn: list[float]
) -> None:
    """Takes a pose of a body into account.

    Args:
        found: The motion of each body so far.
        origins: The first pose of each body.
        frame: The body.
        t: Simulated seconds.
        position: ``(3,)`` metres in the world.
        turn: ``(4,)`` its quaternion, in any order that stays.
    """
    origin, upright = origins.setdefault(frame, (position, turn))
    motion = found.setdefault(frame, Motion())
    motion.distance = max(motion.distance, math.dist(position, origin))
    motion.angle = max(motion.angle, _angle(turn, upright))
    motion.first, motion.last = min(motion.first, t), max(motion.last, t)


def restored_motion(recording: Recording, frames: Collection[str]) -> dict[str, Motion]:
    """The motion of bodies in the states of a recording, of which some are restored.

    Raises:
        RecordingError: The recorded world can't be built again.
    """
    from roqsim.mj.names import find

    engine = recording.rebuild(preview=True)
    try:
        model, data = engine.ctx.model, engine.ctx.data
        bodies = {frame: find(model, "body", frame) for frame in frames}
        found: dict[str, Motion] = {}
        origins: dict[str, Pose] = {}
        count = min(len(recording), PIECES)
        places = (round(place * (len(recording) - 1) / max(count - 1, 1)) for place in range(count))
        for sample in recording.restored(engine, (recording[place] for place in places)):
            for frame, body in bodies.items():
                if body is not None:
                    pose = data.xpos[body].tolist(), data.xquat[body].tolist()
                    observe(found, origins, frame, sample.time, *pose)
        return found
    finally:
        engine.shutdown()


def read_motion(path: Path, frames: Collection[str] | None = None) -> dict[str, Motion]:
    """Reads a ``sim_poses.csv``.

    Args:
        path: The file.
        frames: The bodies to look at; None for all.

    Returns:
        The motion of each body that was seen, by its name.

    Raises:
        OSError: The file can't be read.
    """
    found: dict[str, Motion] = {}
    origins: dict[str, Pose] = {}
    for rows in Lines(path).spread(PIECES):
        for row in rows:
            frame = row.get("frame")
            if frame is None or (frames is not None and frame not in frames):
                continue
            try:
                t = float(row["timestamp"])
                position, turn = ([float(row[key]) for key in keys] for keys in (POSITION, ORIENTATION))
            except (KeyError, ValueError):
                continue
            observe(found, origins, frame, t, position, turn)
    return found


def _angle(a: list[float], b: list[float]) -> float:
    """The angle between two unit quaternions in radians."""
    return 2.0 * math.acos(min(abs(sum(x * y for x, y in zip(a, b, strict=True))), 1.0))
