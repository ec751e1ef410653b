"""A robot in URDF's words: links, joints, shapes, and what URDF has no words for."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from roqsim.mj.poses import IDENTITY, Transform

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Mass:
    """What a link weighs.

    Attributes:
        mass: In kg.
        center: Its centre of mass in the link's frame, in metres.
        tensor: ``(3, 3)`` inertia about the centre of mass along the link's axes, in kg m².
    """

    mass: float
    center: Vector
    tensor: np.ndarray


@dataclass(frozen=True)
class Shape:
    """A shape of a link.

    Attributes:
        tag: ``box``, ``cylinder``, ``sphere`` or ``mesh``.
        numbers: By attribute, what the tag says, in metres.
        X_LS: Where it stands in the link.
        name: Its name; empty for none.
        mesh: The file name of its mesh; empty for none.
        material: The name of its material; empty for none.
    """

    tag: str
    numbers: dict[str, tuple[float, ...]]
    X_LS: Transform
    name: str = ""
    mesh: str = ""
    material: str = ""


@dataclass
class Link:
    """A link.

    Attributes:
        name: Its name.
        body: The body that it is, or -1 for a frame and for a link between two joints of one body.
        mass: What it weighs, or None.
        visuals: What is drawn.
        collisions: What touches.
    """

    name: str
    body: int = -1
    mass: Mass | None = None
    visuals: list[Shape] = field(default_factory=list)
    collisions: list[Shape] = field(default_factory=list)


@dataclass(frozen=True)
class Mimic:
    """``position = multiplier * position of joint + offset``."""

    joint: str
    multiplier: float
    offset: float


@dataclass
class Joint:
    """A joint.

    Attributes:
        name: Its name.
        type: ``fixed``, ``revolute``, ``continuous`` or ``prismatic``.
        parent: The link that carries it.
        child: The link that it carries.
        X_PJ: Where it stands in its parent while its position is zero; the child's frame.
        index: The joint in the model, or -1 for a fixed one.
        axis: Its axis in its own frame.
        range: The least and the greatest position in rad or m, None for no limits.
        effort: The greatest force or torque in N or N m, None where the model has no limit.
        velocity: The greatest speed in rad/s or m/s, None where the model has no limit.
        damping: In N m s/rad or N s/m.
        friction: In N m or N.
        mimic: What it follows, or None.
    """

    name: str
    type: str
    parent: str
    child: str
    X_PJ: Transform = IDENTITY
    index: int = -1
    axis: Vector = (0.0, 0.0, 1.0)
    range: tuple[float, float] | None = None
    effort: float | None = None
    velocity: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None


@dataclass
class Robot:
    """A robot in URDF's words.

    Attributes:
        name: Its name.
        links: The links, the root first and parents before their children.
        joints: The joints in the same order.
        materials: Colours by name, red, green, blue, opacity from 0 to 1.
        meshes: Contents by file name.
        losses: What URDF can't say, or says otherwise, one text each.
    """

    name: str
    links: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    materials: dict[str, tuple[float, ...]] = field(default_factory=dict)
    meshes: dict[str, bytes] = field(default_factory=dict)
    losses: list[str] = field(default_factory=list)

    def lose(self, text: str) -> None:
        """Notes that URDF can't say something; a text that is noted already is not noted again."""
        if text not in self.losses:
            self.losses.append(text)
