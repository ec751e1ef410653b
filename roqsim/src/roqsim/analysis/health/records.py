"""The files that a run leaves, and what they say, whether it still runs or is long over."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from roqsim.analysis.health.clock import Clock, make_clock, read_clock
from roqsim.analysis.health.motion import Motion, read_motion, restored_motion
from roqsim.errors import NotFoundError, RecordingError, RoqsimError

if TYPE_CHECKING:
    from roqsim.recording import Recording

CLOCK = ".clock_map.csv"
POSES = "sim_poses"
ENTITIES = "entities.json"

CONTAINERS = (".mcap", ".npz", ".npz.stream")
"""How recordings end, those that are still being written among them."""

MOST_ROWS = 4096
"""Samples of a recording without a clock map that are taken as one."""


@dataclass(frozen=True)
class Robot:
    """A robot as the records name it.

    Attributes:
        name: The entity.
        body: The compiled name of its root body.
        bodies: The compiled names of all its bodies, its root first.
        is_fixed: Whether it stands on the ground for good, as an arm does; only its links can move then.
    """

    name: str
    body: str
    bodies: tuple[str, ...] = ()
    is_fixed: bool = False


@dataclass(frozen=True)
class Records:
    """What a run left so far.

    Attributes:
        path: What was asked about.
        now: Unix epoch seconds of the look.
        clock: How time went by; None where no row is there.
        meta: What the recording says of itself; empty where there is none that can be read.
        recording: The file of the recording, or None.
        problem: Why the recording can't be read, or an empty text.
        robots: The robots; None where the records don't say.
        motion: By body; empty where no poses are there.
        hidden: Why the motion is not known, or an empty text.
    """

    path: Path
    now: float
    clock: Clock | None = None
    meta: Mapping[str, object] = field(default_factory=dict)
    recording: Path | None = None
    problem: str = ""
    robots: Sequence[Robot] | None = None
    motion: Mapping[str, Motion] = field(default_factory=dict)
    hidden: str = ""

    @property
    def folder(self) -> Path:
        """Where the records are."""
        return self.path if self.path.is_dir() else self.path.parent

    @property
    def changed(self) -> float:
        """Unix epoch seconds of the last change of any record."""
        return max((each.stat().st_mtime for each in self.folder.iterdir() if each.is_file()), default=self.now)

    @property
    def is_over(self) -> bool:
        """Whether the run came to an end on purpose, a failed one included."""
        return bool(self.meta.get("complete"))

    @property
    def simulated(self) -> float:
        """Simulated seconds so far."""
        return 0.0 if self.clock is None else self.clock.last_sim - self.clock.first[1]


def read_records(path: Path, *, now: float | None = None) -> Records:
    """Reads what a run left in a folder, or what stands beside a recording.

    Args:
        path: The folder of a run, or a recording.
        now: Unix epoch seconds; those of the clock by default.

    Raises:
        NotFoundError: There is no record of a run.
    """
    now = time.time() if now is None else now
    if not path.is_dir():
        from roqsim.recording.container import locate

        path = locate(path)
    files = find_files(path)
    recording, problem = _open(files.recording or path)
    if files.clock is None and recording is None and files.poses is None:
        if isinstance(problem, RecordingError) and files.recording is not None:
            raise problem
        raise NotFoundError(f"expected records of a run (run.mcap, run.npz, *{CLOCK}), got {str(path)!r} with none")
    meta = {} if recording is None else {**recording.meta, "complete": recording.complete}
    rows = files.clock or files.poses
    clock = _clock_of(recording) if files.clock is None and recording is not None else read_clock(rows)
    robots = _robots(files.folder / ENTITIES, meta)
    frames = None if robots is None else {body for robot in robots for body in (robot.body, *robot.bodies)}
    motion, hidden = _motion(files.poses, recording, frames)
    file = None if recording is None else recording.path
    return Records(path, now, clock, meta, file, str(problem or ""), robots, motion, hidden)


@dataclass(frozen=True)
class Files:
    """The files of one episode; None for one that is not there.

    Attributes:
        folder: Where they are.
        recording: The recording.
        clock: The clock map.
        poses: The table of poses.
    """

    folder: Path
    recording: Path | None
    clock: Path | None
    poses: Path | None


def find_files(path: Path) -> Files:
    """The files that belong to a recording, or those of the newest episode in a folder."""
    folder = path if path.is_dir() else path.parent
    if path.is_dir():
        clock = _newest(folder.glob(f"*{CLOCK}"))
        stem = "run" if clock is None else clock.name.removesuffix(CLOCK)
        recording = next((each for end in CONTAINERS if (each := folder / f"{stem}{end}").is_file()), None)
        return Files(folder, recording, clock, _newest(folder.glob(f"{POSES}*.csv")))
    stem = next((path.name.removesuffix(end) for end in reversed(CONTAINERS) if path.name.endswith(end)), path.stem)
    number = re.search(r"_\d+$", stem)
    poses = [folder / f"{POSES}{number[0] if number else ''}.csv"]
    return Files(folder, path, _newest([folder / f"{stem}{CLOCK}"]), _newest(poses))


def _newest(paths: Iterable[Path]) -> Path | None:
    """The file of these that was written last; None where none is there."""
    return max((path for path in paths if path.is_file()), key=lambda path: path.stat().st_mtime, default=None)


def _motion(
    poses: Path | None, recording: Recording | None, frames: Collection[str] | None
) -> tuple[Mapping[str, Motion], str]:
    """The motion of bodies from the poses that were written, else from the recording, or why it is not known."""
    if poses is not None:
        return read_motion(poses, frames), ""
    if recording is None or not frames:
        return {}, "no poses were written"
    try:
        return restored_motion(recording, frames), ""
    except RoqsimError as error:
        return {}, str(error)


def _open(path: Path) -> tuple[Recording | None, RoqsimError | None]:
    """The recording, or None and why it can't be read.

    Raises:
        FileNotFoundError: It went away meanwhile.
    """
    from roqsim.recording import open_recording

    try:
        return open_recording(path), None
    except RoqsimError as error:
        if not path.exists():
            raise FileNotFoundError(path) from error
        return None, error


def _clock_of(recording: Recording | None) -> Clock | None:
    """The clock of a recording that has no map beside it, whose last sample is as old as its file."""
    if recording is None or not len(recording.times):
        return None
    shift = recording.path.stat().st_mtime - float(recording.walls[-1])
    stride = max(-(-len(recording.times) // MOST_ROWS), 1)
    places = [*range(0, len(recording.times) - 1, stride), len(recording.times) - 1]
    return make_clock([(float(recording.walls[place]) + shift, float(recording.times[place])) for place in places])


def _robots(path: Path, meta: Mapping[str, object]) -> list[Robot] | None:
    """The robots among the entities that a run lists; None where it lists none at all."""
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        listed = meta.get("entities")
    if isinstance(listed, Mapping):
        listed = listed.get("entities", listed)
    if isinstance(listed, Mapping):
        listed = [{"name": name, **value} for name, value in listed.items() if isinstance(value, Mapping)]
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        return None
    return [_robot(each) for each in listed if isinstance(each, Mapping) and each.get("kind") == "robot"]


def _robot(entity: Mapping[str, object]) -> Robot:
    name = str(entity.get("name"))
    body = str(entity.get("body") or name)
    bodies = entity.get("bodies")
    listed = tuple(map(str, bodies)) if isinstance(bodies, Sequence) and not isinstance(bodies, str) else ()
    return Robot(name, body, listed or (body,), bool(entity.get("fixed")))
