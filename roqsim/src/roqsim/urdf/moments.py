"""Moments of inertia of links that state a mass and no ``<inertia>``: those of their shapes, for that mass."""

from __future__ import annotations

from collections.abc import Collection

import mujoco
import numpy as np

from roqsim.errors import BuildError
from roqsim.mj import poses
from roqsim.mj.log import captured
from roqsim.urdf.description import WORLD, Description
from roqsim.urdf.shapes import COLLISION, Shape
from roqsim.urdf.source import Element
from roqsim.urdf.values import number, numbers


def add_moments(
    spec: mujoco.MjSpec, robot: Description, shapes: Collection[Shape], links: Collection[str], where: str
) -> None:
    """Gives links the moments that their mass has when it is spread evenly over their collision shapes.

    The centre of mass stays where the file has it. The moments are those about the shapes' own centre.

    Args:
        spec: The model; the shapes of these links have a density, which is taken from them.
        robot: The description.
        shapes: The shapes.
        links: The links without moments.
        where: What an error begins with.

    Raises:
        BuildError: MuJoCo can't weigh a shape.
    """
    if not links:
        return
    try:
        with captured():
            model = spec.copy().compile()
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise BuildError(f"{where}expected shapes that can be weighed, got {reason!r}; add <inertia …/>") from None
    for shape in shapes:
        if shape.kind == COLLISION and shape.link in links:
            spec.geom(shape.name).mass = 0.0
    for name in links:
        # The mass of a root link that stands for the world is dropped.
        if name != WORLD and (body := spec.body(name)) is not None:
            _state(body, robot.links[name].find("inertial"), model.body(name))


def _state(body: object, inertial: Element, weighed: object) -> None:
    """Writes the stated mass and its place, and the moments of what was weighed, into an ``MjsBody``."""
    axes = poses.to_matrix(tuple(weighed.iquat.tolist()))
    body.mass = number(inertial.find("mass"), "value")
    tensor = axes @ np.diag(weighed.inertia) @ axes.T * (body.mass / float(weighed.mass[0]))
    body.ipos = numbers(inertial.find("origin"), "xyz", (0.0, 0.0, 0.0))
    body.fullinertia = [tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    body.explicitinertial = True
