"""``sim_poses.csv``: where every named body is and how it moves, at every sample.

Positions and orientations are those of the sample's own instant, in the world's frame; so are the velocities of the
body's origin. A body whose entity is absent has no line.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path

import mujoco
import numpy as np

from roqsim.mj.names import name_of
from roqsim.mj.state import put
from roqsim.recording.notes import PRESENCE, Event, Note
from roqsim.recording.ring import Batch
from roqsim.recording.sink import Meta
from roqsim.recording.text_file import TextFile

COLUMNS = (
    *("timestamp", "wall_time", "frame"),
    *("position.x", "position.y", "position.z"),
    *("orientation.x", "orientation.y", "orientation.z", "orientation.w"),
    *("twist.linear.x", "twist.linear.y", "twist.linear.z"),
    *("twist.angular.x", "twist.angular.y", "twist.angular.z"),
)
"""Simulated seconds, Unix seconds, the body's name, metres, quaternion, m/s and rad/s along the world's axes."""

NUMBERS = ",%.9g" * (len(COLUMNS) - 3) + "\n"


class BodyPoses:
    """Poses and velocities of some bodies, computed from states on data of its own.

    Args:
        model: The compiled model.
        bodies: ``(n,)`` their ids.
    """

    def __init__(self, model: mujoco.MjModel, bodies: np.ndarray) -> None:
        self._model, self._bodies = model, bodies
        self._data = mujoco.MjData(model)
        self._roots = model.body_rootid[bodies]

    def of(self, state: np.ndarray) -> np.ndarray:
        """``(n, 13)`` position, quaternion xyzw, linear and angular velocity in the world, of an integration state."""
        model, data, bodies = self._model, self._data, self._bodies
        put(model, data, state)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        position, quaternion = data.xpos[bodies], data.xquat[bodies]
        # MuJoCo gives a body's velocity where the centre of mass of its whole tree is.
        spatial, arm = data.cvel[bodies], position - data.subtree_com[self._roots]
        linear = spatial[:, 3:] + np.cross(spatial[:, :3], arm)
        return np.hstack([position, quaternion[:, [1, 2, 3, 0]], linear, spatial[:, :3]])


class PoseTable(TextFile):
    """The table of poses.

    Args:
        path: Where it goes; nothing may be there.
        model: The compiled model.
    """

    header = ",".join(COLUMNS)

    def __init__(self, path: Path, model: mujoco.MjModel) -> None:
        super().__init__(path)
        self._model = model
        named = [(body, name_of(model, "body", body)) for body in range(1, model.nbody)]
        self._bodies = np.array([body for body, name in named if name], dtype=int)
        self._names = [_quoted(name) for _, name in named if name]
        self._last = np.full((len(self._bodies), len(COLUMNS) - 3), np.nan)
        self._texts = [""] * len(self._bodies)
        self._roots: dict[str, int] = {}
        self._presence: deque[Event] = deque()
        self._absent: set[str] = set()
        self._hidden = np.zeros(len(self._bodies), dtype=bool)

    def open(self, meta: Meta) -> None:
        """Makes the file with its header."""
        super().open(meta)
        self._poses = BodyPoses(self._model, self._bodies)
        for entity in meta["entities"]:
            if entity["body"]:
                self._roots[entity["name"]] = int(self._model.body(entity["body"]).id)

    def note(self, notes: Sequence[Note]) -> None:
        """Learns who comes and goes."""
        self._presence.extend(note for note in notes if isinstance(note, Event) and note.kind == PRESENCE)

    def write(self, batch: Batch) -> None:
        """Writes the lines of every sample; what did not move is not computed into text again."""
        epoch = time.time() - time.monotonic()
        for row in range(len(batch)):
            while self._presence and self._presence[0].samples <= batch.first + row:
                self._set_present(self._presence.popleft())
            poses = self._poses.of(batch.states[row])
            for body in np.flatnonzero((poses != self._last).any(axis=1)).tolist():
                self._texts[body] = self._names[body] + NUMBERS % tuple(poses[body].tolist())
            self._last = poses
            head = f"{batch.times[row]:.9g},{epoch + batch.walls[row]:.6f},"
            hidden = self._hidden
            self.add("".join(head + text for text, gone in zip(self._texts, hidden, strict=True) if not gone))

    def _set_present(self, event: Event) -> None:
        (self._absent.discard if event.value else self._absent.add)(event.name)
        gone = np.zeros(self._model.nbody, dtype=bool)
        gone[[self._roots[name] for name in self._absent if name in self._roots]] = True
        for body in range(1, self._model.nbody):
            gone[body] |= gone[self._model.body_parentid[body]]
        self._hidden = gone[self._bodies]


def _quoted(name: str) -> str:
    """A name as a field of a CSV file (RFC 4180)."""
    return '"' + name.replace('"', '""') + '"' if any(mark in name for mark in ',"\r\n') else name
