"""What MoveIt knows of a robot, as far as a simulation can use it: links that never touch, and poses with a name."""

from __future__ import annotations

from pathlib import Path

import mujoco

from roqsim.errors import ConfigError, Problem, suggest
from roqsim.mj.log import compile_to_measure
from roqsim.urdf.complaints import Complaints
from roqsim.urdf.description import WORLD, Description
from roqsim.urdf.limits import AXES
from roqsim.urdf.report import Report, count
from roqsim.urdf.source import Element, parse_source


def add_semantics(spec: mujoco.MjSpec, robot: Description, path: Path, where: str, report: Report) -> None:
    """Adds what an SRDF says.

    Pairs of links without a collision check become pairs that do not touch; states become keyframes by their names,
    those of one name together.

    Args:
        spec: The model of the robot.
        robot: The robot.
        path: The SRDF.
        where: Whose robot it is; errors begin with it.
        report: Takes what was made.

    Raises:
        ConfigError: It is no SRDF, or says something wrong.
        OSError: It can't be read.
    """
    if not path.is_file():
        about = f"{where}: srdf" if where else "srdf"
        raise ConfigError(Problem(about, "an SRDF file", repr(str(path)), hint="check the path"))
    report.files.append(path.absolute())
    source = parse_source(path, where)
    told = Complaints(path, where)
    if source.find("link") is not None or source.tag != "robot":
        told.add("srdf", "an SRDF", f"<{source.tag}>" if source.tag != "robot" else "a URDF", source)
    told.check()
    _exclude(spec, robot, source, told, report)
    states = _states(robot, source, told)
    told.check()
    _add_keys(spec, states, report)


def _exclude(spec: mujoco.MjSpec, robot: Description, source: Element, told: Complaints, report: Report) -> None:
    known = {tuple(sorted((each.bodyname1, each.bodyname2))) for each in spec.excludes}
    made, unknown = 0, set()
    for element in source.iter("disable_collisions"):
        pair = tuple(sorted((element.get("link1", ""), element.get("link2", ""))))
        for link in pair:
            if link not in robot.links and link not in unknown:
                unknown.add(link)
                told.add("disable_collisions", "a link of the robot", repr(link), element, suggest(link, robot.links))
        if pair not in known and set(pair) <= robot.links.keys() and WORLD not in pair and pair[0] != pair[1]:
            known.add(pair)
            spec.add_exclude(name="_".join(pair), bodyname1=pair[0], bodyname2=pair[1])
            made += 1
    if made:
        report.add("made", f"{count(made, 'pair')} of links that do not touch, as the SRDF says")


def _states(robot: Description, source: Element, told: Complaints) -> dict[str, dict[str, float]]:
    """Positions by state and joint."""
    movable = [name for name, joint in robot.joints.items() if joint.type in AXES]
    states: dict[str, dict[str, float]] = {}
    for state in source.iter("group_state"):
        name = state.get("name") or ""
        for element in state.iter("joint"):
            joint, text = element.get("name", ""), element.get("value", "")
            about = f"group_state {name!r}"
            if joint not in movable:
                told.add(
                    about, "a joint of the robot with one coordinate", repr(joint), element, suggest(joint, movable)
                )
                continue
            try:
                states.setdefault(name, {})[joint] = float(text)
            except ValueError:
                told.add(about, f"a number for joint {joint!r}", repr(text), element)
    return states


def _add_keys(spec: mujoco.MjSpec, states: dict[str, dict[str, float]], report: Report) -> None:
    if not states:
        return
    model = compile_to_measure(spec, "srdf")
    for name, positions in states.items():
        qpos, ctrl = model.qpos0.copy(), [0.0] * model.nu
        for joint, position in positions.items():
            qpos[model.joint(joint).qposadr[0]] = position
        for actuator in spec.actuators:
            if actuator.name in positions and actuator.biasprm[1] != 0.0:
                ctrl[model.actuator(actuator.name).id] = positions[actuator.name]
        spec.add_key(name=name, qpos=qpos, ctrl=ctrl)
    report.add("made", f"{count(len(states), 'keyframe')} of the SRDF's states: {', '.join(states)}")
