"""Keyframes of a model, by the names of its joints and actuators.

A keyframe is a vector over the whole model, so one that came with a robot poses nothing but that robot alone. Kept by
name it can be applied to each robot of a world.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco

from roqsim.errors import NotFoundError, suggest
from roqsim.mj.log import compile_to_measure
from roqsim.mj.poses import Transform, compose
from roqsim.mj.state import qpos_slice

HOME = "home"
"""The keyframe that is taken unless another is asked for; a model without it gives its first one."""

Values = dict[str, tuple[float, ...]]


@dataclass(frozen=True)
class Home:
    """A keyframe by names.

    Attributes:
        qpos: Positions by joint, as many as the joint has.
        ctrl: Controls by actuator.
        act: Activations by actuator, for those that have any.
        free: The joints among them that are free: their values are a pose in the model's own frame.
        slides: The joints among them that slide, in metres.
    """

    qpos: Values = field(default_factory=dict)
    ctrl: Values = field(default_factory=dict)
    act: Values = field(default_factory=dict)
    free: frozenset[str] = frozenset()
    slides: frozenset[str] = frozenset()

    def placed(self, prefix: str, X_WM: Transform, scale: float = 1.0) -> Home:
        """The keyframe of a model that was attached.

        Args:
            prefix: What its names were prefixed with.
            X_WM: Where the model's frame stands in the world.
            scale: How much longer its lengths became.
        """
        qpos = {}
        for joint, values in self.qpos.items():
            if joint in self.free:
                lengths = tuple(scale * value for value in values[:3])
                position, quaternion = compose(X_WM, (lengths, values[3:]))
                values = (*position, *quaternion)
            elif joint in self.slides:
                values = (scale * values[0],)
            qpos[prefix + joint] = values
        return Home(
            qpos,
            {prefix + name: values for name, values in self.ctrl.items()},
            {prefix + name: values for name, values in self.act.items()},
            frozenset(prefix + name for name in self.free),
            frozenset(prefix + name for name in self.slides),
        )

    def without(self, joint: str) -> Home:
        """The keyframe without one joint."""
        qpos = {name: values for name, values in self.qpos.items() if name != joint}
        return Home(qpos, self.ctrl, self.act, self.free - {joint}, self.slides - {joint})


def name_what_moves(spec: mujoco.MjSpec) -> None:
    """Gives every joint and actuator without a name one of its own, so that a home can refer to it."""
    for elements, kind in ((spec.joints, "joint"), (spec.actuators, "actuator")):
        taken = {element.name for element in elements}
        for index, element in enumerate(elements):
            name = f"{kind}{index}"
            while not element.name and name in taken:
                name += "_"
            element.name = element.name or name
            taken.add(element.name)


def read_home(spec: mujoco.MjSpec, keyframe: str | None, where: str) -> Home:
    """Reads a keyframe of a model that has not been attached.

    Args:
        spec: The model; it is compiled if it has a keyframe.
        keyframe: Which one; None for ``home``, else the first.
        where: Whose configuration asks; an error begins with it.

    Raises:
        NotFoundError: If the model has no keyframe of that name.
        BuildError: If the model does not compile.
    """
    known = [key.name for key in spec.keys]
    if keyframe is not None and keyframe not in known:
        raise NotFoundError(f"{where}: expected a keyframe of the model, got {keyframe!r}; {suggest(keyframe, known)}")
    if not known:
        return Home()
    wanted = keyframe if keyframe is not None else HOME if HOME in known else known[0]
    name_what_moves(spec)
    return _from_model(compile_to_measure(spec, where), known.index(wanted))


def _from_model(model: mujoco.MjModel, key: int) -> Home:
    qpos, ctrl, act = {}, {}, {}
    free, slides = set(), set()
    for joint in range(model.njnt):
        name = model.joint(joint).name
        qpos[name] = tuple(model.key_qpos[key, qpos_slice(model, joint)].tolist())
        kind = int(model.jnt_type[joint])
        if kind == int(mujoco.mjtJoint.mjJNT_FREE):
            free.add(name)
        elif kind == int(mujoco.mjtJoint.mjJNT_SLIDE):
            slides.add(name)
    for actuator in range(model.nactuator):
        name = model.actuator(actuator).name
        start, width = int(model.actuator_ctrladr[actuator]), int(model.actuator_ctrlnum[actuator])
        ctrl[name] = tuple(model.key_ctrl[key, start : start + width].tolist())
        start, width = int(model.actuator_actadr[actuator]), int(model.actuator_actnum[actuator])
        if width > 0 and start >= 0:
            act[name] = tuple(model.key_act[key, start : start + width].tolist())
    return Home(qpos, ctrl, act, frozenset(free), frozenset(slides))
