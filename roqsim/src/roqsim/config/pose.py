"""The pose of something in its parent: a position in metres and an orientation."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from roqsim.config.angle import ORIENTATION, TURN, radians_hint
from roqsim.config.fields import FREE, Rule
from roqsim.config.nodes import Node
from roqsim.config.schema import as_float, describe, unknown_key
from roqsim.errors import ConfigError, Problem

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

_XYZ = ("x", "y", "z")
_RPY = ("roll", "pitch", "yaw")
_WXYZ = ("w", "x", "y", "z")


def quaternion_from_rpy(roll: float, pitch: float, yaw: float) -> Quaternion:
    """The rotation by ``roll`` about x, then ``pitch`` about y, then ``yaw`` about z, all axes fixed (REP-103).

    Args:
        roll: Angle about the fixed x axis, rad.
        pitch: Angle about the fixed y axis, rad.
        yaw: Angle about the fixed z axis, rad.

    Returns:
        The unit quaternion, wxyz.
    """
    cr, sr = math.cos(roll / 2), math.sin(roll / 2)
    cp, sp = math.cos(pitch / 2), math.sin(pitch / 2)
    cy, sy = math.cos(yaw / 2), math.sin(yaw / 2)
    return (
        cy * cp * cr + sy * sp * sr,
        cy * cp * sr - sy * sp * cr,
        cy * sp * cr + sy * cp * sr,
        sy * cp * cr - cy * sp * sr,
    )


@dataclass(frozen=True, kw_only=True)
class Pose:
    """Where something stands.

    Attributes:
        position: (3,) position in the parent frame, m.
        quaternion: (4,) unit quaternion, wxyz, from the thing's frame to the parent's.
    """

    position: Vector = (0.0, 0.0, 0.0)
    quaternion: Quaternion = (1.0, 0.0, 0.0, 0.0)

    expected = "a mapping with 'position' and 'orientation'"

    @classmethod
    def from_node(cls, node: Node, where: str) -> Pose:
        """Reads ``{position: {x, y, z} or [x, y, z], orientation: {roll, pitch, yaw}, {w, x, y, z} or [w, x, y, z]}``.

        Whatever is left out is zero, or no rotation. A quaternion is normalised.

        Raises:
            ConfigError: with everything that is wrong with the node.
        """
        if node.value is None:
            return cls()
        if not node.is_mapping:
            raise ConfigError(Problem(where, cls.expected, node.shown(), node.origin, _pose_hint(node)))
        problems: list[Problem] = []
        for key, value in node.value.items():
            if key not in ("position", "orientation"):
                problem = unknown_key(where, key, value, ("position", "orientation"))
                part = "position" if key in _XYZ else "orientation" if key in (*_RPY, "w") else None
                hint = f"write {part}: {{{key}: …}}" if part is not None else problem.hint
                problems.append(replace(problem, hint=hint))
        position = _numbers(node.get("position"), f"{where}.position", (_XYZ,), problems)
        turn = _numbers(node.get("orientation"), f"{where}.orientation", (_RPY, _WXYZ), problems)
        quaternion = _quaternion(turn, node.get("orientation"), f"{where}.orientation", problems)
        if problems:
            raise ConfigError(problems)
        return cls(position=position or (0.0, 0.0, 0.0), quaternion=quaternion)

    @staticmethod
    def json_schema() -> dict[str, object]:
        """The JSON Schema of what ``from_node`` reads."""

        def numbers(*names: str, **bounds: float) -> dict[str, object]:
            properties = {name: {"type": "number", **bounds} for name in names}
            return {"type": "object", "properties": properties, "additionalProperties": False}

        def array(count: int) -> dict[str, object]:
            return {"type": "array", "items": {"type": "number"}, "minItems": count, "maxItems": count}

        position = {"anyOf": [numbers(*_XYZ), array(3)], "description": "position in the parent frame [m]"}
        forms = [numbers(*_RPY, minimum=-TURN, maximum=TURN), numbers(*_WXYZ), array(4)]
        rotation = {"anyOf": forms, "description": "angles [rad] or a quaternion"}
        properties = {"position": position, "orientation": rotation}
        return {"type": "object", "properties": properties, "additionalProperties": False}


def _quaternion(turn: tuple[float, ...] | None, node: Node | None, where: str, problems: list[Problem]) -> Quaternion:
    if turn is None:
        return (1.0, 0.0, 0.0, 0.0)
    if len(turn) == 3:
        return quaternion_from_rpy(*turn)
    length = math.hypot(*turn)
    if length < 1e-9 or not math.isfinite(length):
        problems.append(Problem(where, "a quaternion that is not zero", node.shown(), node.origin))
        return (1.0, 0.0, 0.0, 0.0)
    return tuple(value / length for value in turn)


def _numbers(
    node: Node | None, where: str, forms: tuple[tuple[str, ...], ...], problems: list[Problem]
) -> tuple[float, ...] | None:
    """The numbers of a mapping in one of the forms, or of a list as long as the last; None where none are stated."""
    if node is None or node.value is None:
        return None
    names = " or ".join("{" + ", ".join(form) + "}" for form in forms)
    expected = f"{names} or a list of {len(forms[-1])} numbers"
    form: tuple[str, ...] | None = forms[-1]
    if node.is_sequence and len(node.value) == len(form):
        items = {f"{where}[{i}]": item for i, item in enumerate(node.value)}
    elif node.is_mapping:
        form = _form(node, where, forms, problems)
        if form is None:
            return None
        zero = Node(0.0, node.origin)
        items = {f"{where}.{name}": node.get(name) or zero for name in form}
    else:
        hint = _named_hint(node, forms[0]) if forms[0] is _RPY else ""
        problems.append(Problem(where, expected, node.shown(), node.origin, hint))
        return None
    rule = ORIENTATION if form is _RPY else FREE
    return tuple(_number(item, address, rule, problems) for address, item in items.items())


def _named_hint(node: Node, names: tuple[str, ...]) -> str:
    """How a list of as many numbers is written with their names."""
    values = node.plain() if node.is_sequence else ()
    if len(values) != len(names) or not all(as_float(value) is not None for value in values):
        return ""
    return "write {" + ", ".join(f"{name}: {value}" for name, value in zip(names, values, strict=True)) + "}"


def _pose_hint(node: Node) -> str:
    """What to write instead of a bare list of coordinates."""
    values = node.plain() if node.is_sequence else ()
    if len(values) != len(_XYZ) or not all(as_float(value) is not None for value in values):
        return ""
    return f"write {{position: {values}}}"


def _form(
    node: Node, where: str, forms: tuple[tuple[str, ...], ...], problems: list[Problem]
) -> tuple[str, ...] | None:
    """The form whose keys a mapping has; a quaternion needs all four of them."""
    for form in forms:
        if set(node.value) <= set(form):
            if form is _WXYZ and set(node.value) != set(form):
                missing = ", ".join(repr(name) for name in form if name not in node.value)
                problems.append(Problem(where, "all of w, x, y, z", node.shown(), node.origin, f"add {missing}"))
                return None
            return form
    form = max(forms, key=lambda each: len(set(each) & set(node.value)))
    for key, value in node.value.items():
        if key not in form:
            problems.append(unknown_key(where, key, value, form))
    return None


def _number(node: Node, where: str, rule: Rule, problems: list[Problem]) -> float:
    value = as_float(node.value)
    if value is None or not rule.allows(value):
        is_finite = value is None or math.isfinite(value)
        hint = radians_hint(node.value, rule) if is_finite else "write a finite number"
        problems.append(Problem(where, describe(float, rule), node.shown(), node.origin, hint))
        return 0.0
    return value
