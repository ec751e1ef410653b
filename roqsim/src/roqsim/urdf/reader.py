"""Reading a URDF: MuJoCo's own reader does it, on a text that leaves nothing open, and what it drops is added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import mujoco

from roqsim.config.nodes import Origin
from roqsim.errors import BuildError, RoqsimError
from roqsim.mj.log import captured
from roqsim.urdf.complaints import Complaints
from roqsim.urdf.couplings import add_mimics, exclude_neighbours, mimics
from roqsim.urdf.description import WORLD, Description, read_description
from roqsim.urdf.drives import add_drives
from roqsim.urdf.geoms import finish_geoms
from roqsim.urdf.limits import read_limits
from roqsim.urdf.masses import check_masses, has_mass
from roqsim.urdf.moments import add_moments
from roqsim.urdf.options import UrdfConfig
from roqsim.urdf.packages import Files
from roqsim.urdf.remnants import report_remnants
from roqsim.urdf.report import Report
from roqsim.urdf.semantics import add_semantics
from roqsim.urdf.shapes import Shape, read_shapes
from roqsim.urdf.source import parse_source
from roqsim.urdf.text import urdf_text
from roqsim.urdf.xacro import refuse_xacro


def read_urdf(
    path: Path,
    options: UrdfConfig | None = None,
    *,
    base_dir: Path | None = None,
    folders: Sequence[Path] = (),
    where: str = "",
) -> tuple[mujoco.MjSpec, Report]:
    """Reads a robot.

    Every link becomes a body, fixed ones too; nothing is fused but a root link that stands for the world.

    Args:
        path: The file.
        options: What is asked for.
        base_dir: What relative package paths start from; the working directory where None.
        folders: Further folders for meshes with relative names.
        where: Whose robot it is; errors begin with it.

    Returns:
        The model, with the paths of its meshes absolute, and what became of the file.

    Raises:
        ConfigError: With everything that is wrong in the file, each with its line.
        BuildError: MuJoCo does not read it.
        OSError: The file can't be read.
    """
    options = options or UrdfConfig()
    complaints, report = Complaints(path, where), Report(path)
    source = parse_source(path, where)
    refuse_xacro(source, complaints)
    robot = read_description(source, path, complaints)
    report.robot, report.base = robot.name, robot.base
    limits = {joint.name: read_limits(joint, complaints, report) for joint in robot.joints.values()}
    following = mimics(robot, complaints)
    options, files = _settings(robot, options, Path(base_dir or "."), folders, complaints)
    root = _root(robot, complaints, report)
    shapes = read_shapes(robot, files, options, complaints, report)
    roots = [joint.child for joint in robot.below(robot.base)] if root == WORLD else [robot.base]
    shaped, unturned = check_masses(robot, options, roots, complaints, report)
    complaints.check()
    spec = _parse(urdf_text(robot, shapes, limits, root, unturned), path, where)
    finish_geoms(spec, shapes, shaped | unturned, options.density)
    add_moments(spec, robot, shapes, unturned, f"{where}: " if where else "")
    _note_lines(spec, robot, shapes)
    add_mimics(spec, following, report)
    exclude_neighbours(spec, robot, shapes, report)
    if options.actuators is not None:
        add_drives(spec, robot, limits, following, options.actuators, complaints, report)
    complaints.check()
    if options.srdf is not None:
        add_semantics(spec, robot, Path(base_dir or ".") / Path(options.srdf).expanduser(), where, report)
    report_remnants(robot, {} if options.actuators == "velocity" else limits, report)
    return spec, report


def can_be_free(path: Path) -> bool:
    """Whether the root of a robot has a mass, or shapes to take one from; true where the file has mistakes."""
    try:
        robot = read_description(parse_source(path), path, Complaints(path))
    except RoqsimError:
        return True
    if robot.base == WORLD:
        return True
    group = [robot.links[name] for name in robot.welded(robot.base)]
    return any(has_mass(link) or link.find("collision") is not None for link in group)


def _settings(
    robot: Description, options: UrdfConfig, base_dir: Path, folders: Sequence[Path], complaints: Complaints
) -> tuple[UrdfConfig, Files]:
    """The options with what the file's own ``<mujoco>`` block says, and the finder of its files."""
    compiler = robot.source.find("mujoco/compiler")
    block = {} if compiler is None else compiler.attrib
    if block.get("balanceinertia") == "true":
        options = replace(options, balance_inertia=True)
    packages = [(base_dir / Path(each).expanduser()).absolute() for each in options.package_paths]
    for folder in packages:
        if not folder.is_dir():
            complaints.add(
                "package_path", "a folder", repr(str(folder)), None, "name a ROS package, or a folder of them"
            )
    meshdir = robot.path.parent / block.get("meshdir", ".")
    return options, Files(robot.path, packages, [meshdir, *folders], block.get("strippath") == "true")


def _root(robot: Description, complaints: Complaints, report: Report) -> str:
    """What MuJoCo is told the root link is called: ``world`` where it stands for the world."""
    base = robot.links[robot.base]
    floating = [joint for joint in robot.joints.values() if joint.type == "floating"]
    is_bare = not has_mass(base) and base.find("visual") is None and base.find("collision") is None
    for joint in floating:
        if joint.parent != robot.base or not (is_bare or robot.base == WORLD):
            hint = "MuJoCo has free bodies in the world only; make the moving link the root, or the joint another one"
            rule = "a root link without mass and shape above a floating joint"
            complaints.add(f"joint {joint.name!r}", rule, f"link {joint.parent!r}", joint.element, hint)
    if robot.base != WORLD and not floating:
        return robot.base
    report.add("fused", f"link {robot.base!r} with the world", base)
    if has_mass(base):
        report.add("dropped", f"the mass of link {robot.base!r}, which does not move", base)
    return WORLD


def _parse(text: str, path: Path, where: str) -> mujoco.MjSpec:
    try:
        with captured():
            return mujoco.MjSpec.from_string(text)
    except ValueError as error:
        reason = " ".join(str(error).split())
        start = f"{where}: " if where else ""
        raise BuildError(f"{start}expected a URDF that MuJoCo reads, got {str(path)!r}: {reason}") from None


def _note_lines(spec: mujoco.MjSpec, robot: Description, shapes: Sequence[Shape]) -> None:
    """Notes on every element where it is written, which MuJoCo repeats in its compile errors."""
    bodies = {body.name: body for body in spec.bodies}
    joints = {joint.name: joint for joint in spec.joints}
    places = [(bodies.get(name), link) for name, link in robot.links.items()]
    places += [(joints.get(name), joint.element) for name, joint in robot.joints.items()]
    meshes = {mesh.name: mesh for mesh in spec.meshes}
    for shape in shapes:
        geom = spec.geom(shape.name)
        places += [(geom, shape.element), (meshes.get(geom.meshname), shape.element)]
    for element, source in places:
        if element is not None:
            element.info = str(Origin(str(robot.path), source.line))
