"""From names to ids and back, with an error that says what was probably meant."""

from __future__ import annotations

import mujoco

from roqsim.errors import NotFoundError, suggest

KINDS = {
    "body": (mujoco.mjtObj.mjOBJ_BODY, "nbody"),
    "joint": (mujoco.mjtObj.mjOBJ_JOINT, "njnt"),
    "actuator": (mujoco.mjtObj.mjOBJ_ACTUATOR, "nactuator"),
    "site": (mujoco.mjtObj.mjOBJ_SITE, "nsite"),
    "geom": (mujoco.mjtObj.mjOBJ_GEOM, "ngeom"),
    "camera": (mujoco.mjtObj.mjOBJ_CAMERA, "ncam"),
    "light": (mujoco.mjtObj.mjOBJ_LIGHT, "nlight"),
    "sensor": (mujoco.mjtObj.mjOBJ_SENSOR, "nsensor"),
    "tendon": (mujoco.mjtObj.mjOBJ_TENDON, "ntendon"),
    "equality": (mujoco.mjtObj.mjOBJ_EQUALITY, "neq"),
    "material": (mujoco.mjtObj.mjOBJ_MATERIAL, "nmat"),
    "mesh": (mujoco.mjtObj.mjOBJ_MESH, "nmesh"),
}
"""What can be looked up: MuJoCo's object type and the model's count of it."""


def count(model: mujoco.MjModel, kind: str) -> int:
    """How many objects of a kind the model has."""
    return int(getattr(model, KINDS[kind][1]))


def name_of(model: mujoco.MjModel, kind: str, index: int) -> str:
    """The name of an object, or an empty text where it has none."""
    return mujoco.mj_id2name(model, KINDS[kind][0], int(index)) or ""


def names(model: mujoco.MjModel, kind: str) -> list[str]:
    """Every name of a kind in the order of the ids; unnamed objects are left out."""
    found = (name_of(model, kind, index) for index in range(count(model, kind)))
    return [name for name in found if name]


def find(model: mujoco.MjModel, kind: str, name: str) -> int | None:
    """The id of an object, or None where nothing has the name."""
    index = mujoco.mj_name2id(model, KINDS[kind][0], name)
    return None if index < 0 else index


def object_id(model: mujoco.MjModel, kind: str, name: str, *, where: str = "", prefix: str = "") -> int:
    """The id of an object.

    Args:
        model: The compiled model.
        kind: One of ``KINDS``.
        name: The name as the user wrote it, without the prefix.
        where: Whose configuration asks; the error begins with it.
        prefix: What the entity's names begin with; the error offers this entity's names only, without it.

    Raises:
        NotFoundError: If nothing has the name.
    """
    index = find(model, kind, prefix + name)
    if index is not None:
        return index
    known = [known[len(prefix) :] for known in names(model, kind) if known.startswith(prefix)]
    article = "an" if kind[0] in "aeiou" else "a"
    text = f"expected the name of {article} {kind}, got {name!r}; {suggest(name, known)}"
    raise NotFoundError(f"{where}: {text}" if where else text)


def body_id(model: mujoco.MjModel, name: str, *, where: str = "", prefix: str = "") -> int:
    """The id of a body; see ``object_id``."""
    return object_id(model, "body", name, where=where, prefix=prefix)


def joint_id(model: mujoco.MjModel, name: str, *, where: str = "", prefix: str = "") -> int:
    """The id of a joint; see ``object_id``."""
    return object_id(model, "joint", name, where=where, prefix=prefix)


def actuator_id(model: mujoco.MjModel, name: str, *, where: str = "", prefix: str = "") -> int:
    """The id of an actuator; see ``object_id``."""
    return object_id(model, "actuator", name, where=where, prefix=prefix)


def geom_id(model: mujoco.MjModel, name: str, *, where: str = "", prefix: str = "") -> int:
    """The id of a geom; see ``object_id``."""
    return object_id(model, "geom", name, where=where, prefix=prefix)


def camera_id(model: mujoco.MjModel, name: str, *, where: str = "", prefix: str = "") -> int:
    """The id of a camera; see ``object_id``."""
    return object_id(model, "camera", name, where=where, prefix=prefix)


def sensor_id(model: mujoco.MjModel, name: str, *, where: str = "", prefix: str = "") -> int:
    """The id of a sensor; see ``object_id``."""
    return object_id(model, "sensor", name, where=where, prefix=prefix)


def frame_id(model: mujoco.MjModel, name: str, *, where: str = "", prefix: str = "") -> tuple[str, int]:
    """A body or, failing that, a site of a name.

    Returns:
        ``body`` or ``site``, and the id.

    Raises:
        NotFoundError: If neither has the name.
    """
    for kind in ("body", "site"):
        index = find(model, kind, prefix + name)
        if index is not None:
            return kind, index
    known = {
        known[len(prefix) :] for kind in ("body", "site") for known in names(model, kind) if known.startswith(prefix)
    }
    text = f"expected the name of a body or a site, got {name!r}; {suggest(name, known)}"
    raise NotFoundError(f"{where}: {text}" if where else text)


def control_slice(model: mujoco.MjModel, actuator: int) -> slice:
    """Where an actuator's controls stand in ``data.ctrl``; PID and orientation actuators have several."""
    start = int(model.actuator_ctrladr[actuator])
    return slice(start, start + int(model.actuator_ctrlnum[actuator]))


def actuators_of_joint(model: mujoco.MjModel, joint: int) -> list[int]:
    """The actuators that drive a joint directly."""
    kinds = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
    return [
        actuator
        for actuator in range(model.nactuator)
        if int(model.actuator_trntype[actuator]) in kinds and int(model.actuator_trnid[actuator, 0]) == joint
    ]
