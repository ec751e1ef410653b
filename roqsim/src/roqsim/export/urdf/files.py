"""A URDF on disk, with its meshes in a folder beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from roqsim.destination import new_file, new_folder
from roqsim.errors import ConfigError
from roqsim.export.urdf.document import to_urdf
from roqsim.export.urdf.robot import Robot
from roqsim.urdf.packages import is_package
from roqsim.urdf.source import SUFFIX

MESHES = "meshes"
"""The folder of the meshes beside the file; each robot has one of its own in it."""


@dataclass(frozen=True)
class Written:
    """What was written.

    Attributes:
        path: The URDF.
        meshes: Its meshes.
    """

    path: Path
    meshes: list[Path]


def write_robot(
    robot: Robot, path: Path, *, package: str | None = None, absolute: bool = False, overwrite: bool = False
) -> Written:
    """Writes a robot.

    Args:
        robot: The robot.
        path: The file; its meshes go to ``meshes/<its stem>/`` beside it.
        package: The ROS package that the file is part of: meshes are named ``package://…``. Its root is the folder
            above the file that is that package, or else the file's own.
        absolute: Whether meshes are named ``file://…`` instead.
        overwrite: Whether a file that is there is replaced.

    Raises:
        ConfigError: The file is there already, its ending is another one, or nothing can be written.
    """
    if path.suffix.lower() != SUFFIX:
        raise ConfigError(f"--out: expected a file that ends in {SUFFIX}, got {str(path)!r}")
    folder = path.parent / MESHES / path.stem
    uri, compiler = _naming(path, folder, package, absolute)
    with new_file(path, overwrite=overwrite) as file:
        if robot.meshes:
            with new_folder(folder, (), overwrite=True) as place:
                for name, content in robot.meshes.items():
                    (place / name).write_bytes(content)
        file.write_text(to_urdf(robot, uri, compiler), encoding="utf-8")
    return Written(path, [folder / name for name in robot.meshes])


def _naming(
    path: Path, folder: Path, package: str | None, absolute: bool
) -> tuple[Callable[[str], str], dict[str, str]]:
    """How meshes are named, and what MuJoCo, which knows no URIs, has to be told to find them."""
    strip = {"strippath": "true", "meshdir": f"{MESHES}/{path.stem}"}
    if package is not None:
        above = [each for each in path.absolute().parents if is_package(each, package)]
        root = above[0] if above else path.absolute().parent
        inner = folder.absolute().relative_to(root).as_posix()
        return (lambda name: f"package://{package}/{inner}/{name}"), strip
    if absolute:
        return (lambda name: f"file://{folder.absolute().as_posix()}/{name}"), strip
    return (lambda name: f"{MESHES}/{path.stem}/{name}"), {}
