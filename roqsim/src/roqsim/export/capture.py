"""A run's motion for a browser: ``capture.json`` and ``capture.bin``, which move the scene of ``export web``."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from io import BufferedWriter
from typing import TYPE_CHECKING

import mujoco
import numpy as np

import roqsim
from roqsim.destination import new_folder
from roqsim.errors import RecordingError
from roqsim.export.motion import absent_bodies, joint_values, names_of, placed_bodies, shown_pose, told_joints
from roqsim.recording import open_recording

if TYPE_CHECKING:
    from roqsim.engine import Engine
    from roqsim.recording import Recording

MANIFEST, BINARY = "capture.json", "capture.bin"

FORMAT, VERSION = "robovast.run_capture", 2
"""The format and its version, in which overrides address components by path."""

CHUNK = 4096
"""How many samples are held in memory before they are written."""

POSE = 7
"""The numbers of a pose: x, y, z in metres and a quaternion wxyz."""

FRAME_FIELDS = ("body_pos", "body_quat", "jnt_pos", "jnt_axis", "qpos0")
"""What of a model places its bodies beside the numbers of the joints."""


def export_capture(
    recording: str | os.PathLike[str], out_dir: str | os.PathLike[str], *, overwrite: bool = False
) -> dict[str, object]:
    """Writes where everything was at every sample of a recording.

    A joint that one number places has a track of it. Every other body that moves has one of its pose in the world, as
    have those that come and go and those whose place in the model changes; while absent they are parked below the
    ground.

    Args:
        recording: A recording, or the directory of a run.
        out_dir: The folder for ``capture.json`` and ``capture.bin``.
        overwrite: Whether a capture in the folder may be replaced.

    Returns:
        ``samples``, how many ``joints`` and ``poses`` have a track, ``t0`` and ``t1`` in simulated seconds, and
        whether the recording is ``complete``.

    Raises:
        RecordingError: It cannot be read.
        ConfigError: The folder holds a capture already, or cannot be written.
    """
    run = open_recording(recording)
    if not len(run):
        raise RecordingError(f"{run.path}: expected a recording with at least one sample, got none")
    with new_folder(out_dir, (BINARY, MANIFEST), overwrite=overwrite) as folder:
        engine = run.rebuild()
        try:
            tracks = _tracks(run, engine)
            with open(folder / BINARY, "wb") as file:
                _write(file, tracks, run, engine)
        finally:
            engine.shutdown()
        text = json.dumps(_manifest(run, tracks), allow_nan=False, ensure_ascii=False)
        (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
        return {
            "samples": len(run),
            "joints": len(tracks.joints),
            "poses": len(tracks.bodies),
            "t0": float(run.times[0]),
            "t1": float(run.times[-1]),
            "complete": run.complete,
        }


@dataclass(frozen=True)
class Tracks:
    """What a capture has tracks of; those of the joints come first, then the bodies', parents before children.

    Attributes:
        joints: ``(j,)`` ids.
        bodies: ``(b,)`` ids.
        joint_names: As the scene has them.
        body_names: As the scene has them.
        joint_units: ``rad`` or ``m``.
        samples: How many there are.
    """

    joints: np.ndarray
    bodies: np.ndarray
    joint_names: list[str]
    body_names: list[str]
    joint_units: list[str]
    samples: int

    @property
    def first_joint(self) -> int:
        """Where the first joint's values begin, in bytes: behind the times, which are doubles."""
        return 8 * self.samples

    @property
    def first_pose(self) -> int:
        """Where the first body's poses begin, in bytes."""
        return self.first_joint + 4 * self.samples * len(self.joints)


def _tracks(run: Recording, engine: Engine) -> Tracks:
    model = engine.ctx.model
    posed = placed_bodies(model)
    if run.events or absent_bodies(engine.ctx).any():
        posed |= _moved_bodies(run, engine)
    joints, bodies = told_joints(model, posed), np.flatnonzero(posed)
    joint_names, body_names = names_of(model, "joint"), names_of(model, "body")
    slides = model.jnt_type[joints] == int(mujoco.mjtJoint.mjJNT_SLIDE)
    return Tracks(
        joints,
        bodies,
        [joint_names[joint] for joint in joints],
        [body_names[body] for body in bodies],
        ["m" if is_slide else "rad" for is_slide in slides],
        len(run),
    )


def _moved_bodies(run: Recording, engine: Engine) -> np.ndarray:
    """``(nbody,)`` the bodies that are absent at some sample, though their parent is not, or whose frame changes."""
    model = engine.ctx.model
    declared = {name: getattr(model, name).copy() for name in FRAME_FIELDS}
    owners = {
        "body_pos": np.arange(model.nbody),
        "body_quat": np.arange(model.nbody),
        "jnt_pos": model.jnt_bodyid,
        "jnt_axis": model.jnt_bodyid,
        "qpos0": _bodies_of_qpos(model),
    }
    moved = np.zeros(model.nbody, dtype=bool)
    for _ in run.restored(engine):
        absent = absent_bodies(engine.ctx)
        moved |= absent & ~absent[model.body_parentid]
        for name, before in declared.items():
            differs = getattr(model, name) != before
            moved[owners[name][differs.reshape(len(before), -1).any(axis=1)]] = True
    return moved


def _bodies_of_qpos(model: mujoco.MjModel) -> np.ndarray:
    """``(nq,)`` the body that each generalized position places."""
    order = np.searchsorted(model.jnt_qposadr, np.arange(model.nq), side="right") - 1
    return model.jnt_bodyid[order]


def _write(file: BufferedWriter, tracks: Tracks, run: Recording, engine: Engine) -> None:
    file.write(np.asarray(run.times, dtype="<f8").tobytes())
    values = np.empty((CHUNK, len(tracks.joints)), dtype="<f4")
    poses = np.empty((CHUNK, len(tracks.bodies), POSE), dtype="<f4")
    filled, done = 0, 0
    ctx = engine.ctx
    for _ in run.restored(engine):
        values[filled] = joint_values(ctx.model, ctx.data, tracks.joints)
        absent = absent_bodies(ctx)
        for row, body in enumerate(tracks.bodies):
            position, quaternion = shown_pose(ctx.data, int(body), absent)
            poses[filled, row] = (*position, *quaternion)
        filled += 1
        if filled == CHUNK or done + filled == tracks.samples:
            _write_chunk(file, tracks, done, values[:filled], poses[:filled])
            done, filled = done + filled, 0


def _write_chunk(file: BufferedWriter, tracks: Tracks, done: int, values: np.ndarray, poses: np.ndarray) -> None:
    """Appends the samples from ``done`` on to every track."""
    for row in range(values.shape[1]):
        file.seek(tracks.first_joint + 4 * (row * tracks.samples + done))
        file.write(values[:, row].tobytes())
    for row in range(poses.shape[1]):
        file.seek(tracks.first_pose + 4 * POSE * (row * tracks.samples + done))
        file.write(poses[:, row].tobytes())


def _manifest(run: Recording, tracks: Tracks) -> dict[str, object]:
    meta, samples = run.meta, tracks.samples
    told = [
        {
            "kind": "joint",
            "name": name,
            "unit": unit,
            "samples": samples,
            "dtype": "f4",
            "off": tracks.first_joint + 4 * samples * row,
        }
        for row, (name, unit) in enumerate(zip(tracks.joint_names, tracks.joint_units, strict=True))
    ]
    told += [
        {
            "kind": "pose",
            "name": name,
            "unit": "m",
            "width": POSE,
            "samples": samples,
            "dtype": "f4",
            "off": tracks.first_pose + 4 * POSE * samples * row,
        }
        for row, name in enumerate(tracks.body_names)
    ]
    return {
        "format": FORMAT,
        "version": VERSION,
        "complete": run.complete,
        "frame": "world",
        "producer": "roqsim",
        "producer_version": roqsim.__version__,
        "world": meta["world"],
        "overrides": meta.get("overrides") or {},
        "packages": meta.get("packages") or {},
        "seed": meta.get("seed"),
        "time": {
            "base": "sim",
            "t0": float(run.times[0]),
            "t1": float(run.times[-1]),
            "off": 0,
            "dtype": "f8",
            "samples": samples,
        },
        "tracks": told,
    }
