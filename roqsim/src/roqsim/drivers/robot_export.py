"""From what a user names on a command line to a robot in the formats of ROS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from roqsim.destination import new_file
from roqsim.drivers.pictures.subject import load_subject
from roqsim.drivers.target import read_overrides
from roqsim.engine import Engine
from roqsim.errors import ConfigError
from roqsim.export.srdf.assembly import describe_semantics
from roqsim.export.srdf.document import SUFFIX, to_srdf
from roqsim.export.urdf.assembly import describe_robot
from roqsim.export.urdf.files import write_robot
from roqsim.export.urdf.part import Part, find_part
from roqsim.export.urdf.robot import Robot


@dataclass(frozen=True)
class Wanted:
    """Which robot of which world, and how.

    Attributes:
        target: A world, a model, or a file of either.
        robot: An entity or body of it; None for the only robot.
        name: What it is to be called; None for its name in the world.
        weld: Joints that are to be fixed where they stand.
        overrides: Override files.
        sets: Assignments.
    """

    target: str
    robot: str | None = None
    name: str | None = None
    weld: Sequence[str] = field(default=())
    overrides: Sequence[str] = field(default=())
    sets: Sequence[str] = field(default=())


@contextmanager
def described(wanted: Wanted, mesh_suffix: str = ".stl") -> Iterator[tuple[Part, Robot]]:
    """Builds a world and describes a robot of it, as it stands after a reset.

    Raises:
        RoqsimError: The world is wrong, or it has no such robot.
    """
    subject = load_subject(wanted.target, read_overrides(wanted.overrides, wanted.sets))
    engine = Engine(subject.config, preview=True)
    try:
        engine.setup()
        engine.reset()
        part = find_part(engine.ctx, wanted.robot)
        yield part, describe_robot(part, name=wanted.name, weld=wanted.weld, mesh_suffix=mesh_suffix)
    finally:
        engine.shutdown()


def export_urdf(
    wanted: Wanted,
    out: Path,
    *,
    package: str | None = None,
    absolute: bool = False,
    mesh_suffix: str = ".stl",
    overwrite: bool = False,
) -> dict[str, object]:
    """Writes a robot as URDF.

    Args:
        wanted: Which robot.
        out: The file.
        package: See ``write_robot``.
        absolute: See ``write_robot``.
        mesh_suffix: The kind of mesh files, ``.stl`` or ``.obj``.
        overwrite: Whether a file that is there is replaced.

    Returns:
        ``robot``, ``out``, ``meshes``, the names of its ``links`` and ``joints``, and what is ``lost``.

    Raises:
        RoqsimError: As ``described`` and ``write_robot`` do.
    """
    with described(wanted, mesh_suffix) as (_, robot):
        written = write_robot(robot, out, package=package, absolute=absolute, overwrite=overwrite)
    return {
        "robot": robot.name,
        "out": str(written.path),
        "meshes": [str(mesh) for mesh in written.meshes],
        "links": [link.name for link in robot.links],
        "joints": [joint.name for joint in robot.joints],
        "lost": robot.losses,
    }


def export_srdf(wanted: Wanted, out: Path, *, overwrite: bool = False, **options: object) -> dict[str, object]:
    """Writes what MoveIt wants to know of a robot.

    Args:
        wanted: Which robot.
        out: The file.
        overwrite: Whether a file that is there is replaced.
        options: Those of ``roqsim.export.srdf.assembly.describe_semantics``.

    Returns:
        ``robot``, ``out``, the names of its ``groups``, its ``passive`` joints, and how many pairs are ``disabled``
        for each reason.

    Raises:
        RoqsimError: As ``described`` does; a group is none; or the file can't be written.
    """
    if out.suffix.lower() != SUFFIX:
        raise ConfigError(f"--out: expected a file that ends in {SUFFIX}, got {str(out)!r}")
    with described(wanted) as (part, robot):
        semantics = describe_semantics(part, robot, **options)
    with new_file(out, overwrite=overwrite) as file:
        file.write_text(to_srdf(semantics), encoding="utf-8")
    return {
        "robot": semantics.robot,
        "out": str(out),
        "groups": [group.name for group in semantics.groups],
        "passive": semantics.passive,
        "disabled": dict(Counter(reason for _, _, reason in semantics.disabled)),
    }
