"""Putting models into a world: what every spawn plugin does, in two calls.

::

    asset = resolve_model("turtlebot4", self.base_dir)
    child = load_child(asset, where=self.address)
    entity = place(ctx, child, plugin=self, asset=asset, kind="robot", pose=self.config.pose, motion="physics")
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import mujoco

from roqsim.config.manifest import FrameConfig, read_manifest
from roqsim.config.pose import Pose
from roqsim.context import Entity, SimContext
from roqsim.errors import BuildError, ConfigError, NotFoundError, RoqsimError, suggest
from roqsim.mj.attach import FREE_JOINT, MOTIONS, Attached, attach, mark, set_body_motion
from roqsim.mj.declared import Declared
from roqsim.mj.files import make_paths_absolute, read_model
from roqsim.mj.home import Home
from roqsim.mj.materials import SharedMaterials
from roqsim.mj.poses import Transform
from roqsim.models import ModelAsset
from roqsim.spawning.frames import add_frames, publish_frames
from roqsim.urdf.options import UrdfConfig
from roqsim.urdf.reader import read_urdf
from roqsim.urdf.report import Report
from roqsim.urdf.source import is_urdf

if TYPE_CHECKING:
    from roqsim.plugin import Plugin

ATTACHED = "world:attached"
"""The blackboard's key for the models that were attached, a list of ``AttachedModel``."""

MATERIALS = "world:materials"
"""The blackboard's key for the ``SharedMaterials`` of the models; nothing is there where they are not shared."""


@dataclass(frozen=True)
class AttachedModel:
    """A model that a component attached.

    Attributes:
        address: The component.
        source: The model's file, or None for one that was made.
        declared: What its ``<option>`` says.
    """

    address: str
    source: Path | None
    declared: Declared


def load_child(asset: ModelAsset, *, where: str) -> mujoco.MjSpec:
    """Reads a model, with its meshes and textures as absolute paths.

    Args:
        asset: The model, as ``roqsim.models.resolve_model`` found it.
        where: Whose configuration asks; errors begin with it.

    Raises:
        BuildError: If MuJoCo can not read the file.
        ConfigError: If it is a URDF with mistakes, a mesh that is nowhere included; with every one and its line.
        NotFoundError: If a mesh or texture is nowhere; it names the file and the places.
    """
    return read_child(asset, where=where)[0]


def read_child(
    asset: ModelAsset, *, where: str, urdf: UrdfConfig | None = None, base_dir: Path | None = None
) -> tuple[mujoco.MjSpec, Report | None]:
    """Reads a model and, where it is a URDF, says what became of it.

    Args:
        asset: The model.
        where: Whose configuration asks; errors begin with it.
        urdf: How a URDF is to be read.
        base_dir: What relative paths in ``urdf`` start from.

    Returns:
        What ``load_child`` returns, and the report about a URDF, None for MJCF.

    Raises:
        RoqsimError: As ``load_child`` does, or because ``urdf`` is given for MJCF.
    """
    try:
        if is_urdf(asset.path):
            return read_urdf(asset.path, urdf, base_dir=base_dir, folders=asset.meshdirs, where=where)
    except OSError as error:
        reason = error.strerror or str(error)
        raise BuildError(f"{where}: expected a file that can be read, got {str(asset.path)!r}: {reason}") from None
    if urdf is not None:
        raise ConfigError(f"{where}.urdf: expected a URDF to read so, got {str(asset.path)!r}; remove the block")
    return _read_mjcf(asset, where), None


def _read_mjcf(asset: ModelAsset, where: str) -> mujoco.MjSpec:
    try:
        child = read_model(asset.path)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise BuildError(f"{where}: expected a model that MuJoCo reads, got {str(asset.path)!r}: {reason}") from None
    missing = make_paths_absolute(child, asset.path, asset.meshdirs, asset.texturedirs)
    if missing:
        raise NotFoundError("\n".join(each.text(where, asset.path) for each in missing))
    return child


def place(
    ctx: SimContext,
    child: mujoco.MjSpec,
    *,
    plugin: Plugin,
    kind: str,
    prefix: str | None = None,
    namespace: str | None = None,
    pose: Pose | None = None,
    parent: str | None = None,
    motion: str = "physics",
    name: str | None = None,
    address: str | None = None,
    scale: float = 1.0,
    mass_factor: float = 0.0,
    keyframe: str | None = None,
    asset: ModelAsset | None = None,
) -> Entity:
    """Attaches a model to the world and registers it as an entity; to be called in ``build``.

    Args:
        ctx: The simulation that is being built.
        child: The model, as ``load_child`` gave it; it is used up.
        plugin: The component that spawns.
        kind: The entity's kind: ``robot``, ``object``, ``sensor``, …
        prefix: Goes before the model's names; ``<name>_`` by default, after the carrier's prefix where it is mounted.
        namespace: The scope of its topics and frames; the carrier's by default, else none.
        pose: Where the model's frame stands: in the world, or in ``parent``.
        parent: The carrier's body or site that it is mounted on, ``""`` for its root body; None stands it in the world.
        motion: ``physics`` (a free joint, unless the root brings joints), ``static``, or ``driven`` (a mocap body).
        name: The entity's name; by default the plugin's, or its address where it is mounted.
        address: The entity's address; the plugin's by default.
        scale: Multiplies every length.
        mass_factor: Multiplies masses and inertias; 0 keeps the density.
        keyframe: Its home; the model's ``home``, or its first keyframe, by default.
        asset: Where it came from; the frames of its manifest are added.

    Returns:
        The entity; ``meta`` has ``motion``, ``mocap``, ``carrier`` if mounted, ``base_joint``: a free joint or None.

    Raises:
        RoqsimError: If name or prefix are taken, the parent does not exist, or the model can't move as asked.
    """
    _check_motion(motion)
    where = address or plugin.address
    _check_not_empty(child, asset, where)
    carrier = _carrier(ctx, plugin, where) if parent is not None else None
    prefix = (carrier.prefix if carrier else "") + f"{name or plugin.name}_" if prefix is None else prefix
    # Two robots may each carry a device of one label, so what is mounted is called by its address.
    name = name or (plugin.name if carrier is None else plugin.address)
    namespace = (carrier.namespace if carrier else "") if namespace is None else namespace
    _check_prefix(ctx, prefix, where)
    to = None if carrier is None else _element(ctx.spec, carrier, parent, f"{where}.parent")
    made = add_frames(child, _manifest_frames(asset), where)
    entity = _enlist(ctx, plugin, name=name, kind=kind, prefix=prefix, namespace=namespace, address=where)
    materials = ctx.blackboard.get(MATERIALS)
    left_out = materials.leave_out(child, prefix) if isinstance(materials, SharedMaterials) else ()
    X_PM: Transform = (pose.position, pose.quaternion) if pose is not None else (Pose().position, Pose().quaternion)
    attached = attach(
        ctx.spec,
        child,
        prefix=prefix,
        X_PM=X_PM,
        to=to,
        motion=motion,
        scale=scale,
        mass_factor=mass_factor,
        keyframe=keyframe,
        owner=where,
    )
    for element, material in left_out:
        element.material = material
    _fill(entity, attached, motion, carrier)
    entity.meta["resized"] = scale != 1.0 or mass_factor > 0.0
    ctx.blackboard.get(ATTACHED, []).append(AttachedModel(where, asset.path if asset else None, attached.declared))
    publish_frames(ctx, entity, made)
    return entity


def place_body(
    ctx: SimContext, *, plugin: Plugin, kind: str, name: str, pose: Pose, motion: str
) -> tuple[Entity, object]:
    """Adds an empty body to the world and registers it as one of a population; to be called in ``build``.

    For what is made of a few geoms rather than read from a file: an attach costs the more the more the world has. The
    geoms are to be given the note of ``roqsim.mj.attach.mark``.

    Args:
        ctx: The simulation that is being built.
        plugin: The component that makes the population.
        kind: The entity's kind.
        name: The name of the entity, and of the body; its address is ``<population>.<name>``.
        pose: Where it stands in the world.
        motion: ``physics`` (a free joint), ``static``, or ``driven`` (a mocap body).

    Returns:
        The entity, with the ``meta`` of ``place``, and the ``MjsBody``.

    Raises:
        RoqsimError: If the name is taken.
    """
    _check_motion(motion)
    address = f"{plugin.address}.{name}"
    entity = _enlist(ctx, plugin, name=name, kind=kind, address=address, population=plugin.address)
    body = ctx.spec.worldbody.add_body(name=name, pos=pose.position, quat=pose.quaternion)
    mark(body, address)
    joint = set_body_motion(body, motion, f"{name}_{FREE_JOINT}")
    _fill(entity, Attached(name, joint, Home(), {}), motion, None)
    ctx.blackboard.get(ATTACHED, []).append(AttachedModel(address, None, {}))
    return entity, body


def _check_motion(motion: str) -> None:
    if motion not in MOTIONS:
        raise ValueError(f"motion: expected one of {', '.join(MOTIONS)}, got {motion!r}")


def _enlist(
    ctx: SimContext,
    plugin: Plugin,
    *,
    name: str,
    kind: str,
    address: str,
    population: str = "",
    prefix: str = "",
    namespace: str = "",
) -> Entity:
    starts_present = plugin.present is not False
    return ctx.entities.add(
        Entity(
            name,
            kind,
            prefix=prefix,
            namespace=namespace,
            address=address,
            population=population,
            present=starts_present,
            starts_present=starts_present,
        )
    )


def _check_not_empty(child: mujoco.MjSpec, asset: ModelAsset | None, where: str) -> None:
    if len(child.bodies) == 1 and not child.geoms:
        name = asset.path.name if asset is not None else child.modelname
        raise BuildError(f"{where}: expected a model with a body, got {name!r} without any; add one to it")


def _manifest_frames(asset: ModelAsset | None) -> Mapping[str, FrameConfig]:
    return {} if asset is None or asset.manifest_path is None else read_manifest(asset.manifest_path).frames


def _fill(entity: Entity, attached: Attached, motion: str, carrier: Entity | None) -> None:
    entity.body_name = attached.body
    entity.home = dict(attached.home.qpos)
    entity.home_ctrl = dict(attached.home.ctrl)
    entity.home_act = dict(attached.home.act)
    entity.meta["motion"] = motion
    entity.meta["base_joint"] = attached.base_joint
    entity.meta["mocap"] = motion == "driven"
    if carrier is not None:
        entity.meta["carrier"] = carrier.name


def _carrier(ctx: SimContext, plugin: Plugin, where: str) -> Entity:
    carrier = ctx.owner_of(plugin)
    if carrier is None:
        raise RoqsimError(
            f"{where}: expected to be nested under what carries it, got no owner; move it into its `components:`"
        )
    if carrier.meta.get("resized"):
        raise BuildError(
            f"{where}: expected a carrier of its model's own size and mass, got {carrier.name!r} with another `scale:` "
            "or `mass:`, which would change what it carries; change the model's file instead"
        )
    return carrier


def _check_prefix(ctx: SimContext, prefix: str, where: str) -> None:
    for other in ctx.entities if prefix else ():
        if other.prefix == prefix:
            raise RoqsimError(
                f"{where}: expected a prefix of its own, got {prefix!r}, which {other.address or other.name} has; "
                "give the entry another `name:` or `prefix:`"
            )


def _element(spec: mujoco.MjSpec, carrier: Entity, name: str, where: str) -> object:
    """The body or site of a carrier by its name without the prefix; its root body for an empty name."""
    full = carrier.prefix + name if name else carrier.body_name
    found = spec.body(full) or spec.site(full)
    if found is not None:
        return found
    known = {element.name for element in (*spec.bodies, *spec.sites)}
    offered = {
        other.removeprefix(carrier.prefix) for other in known if other.startswith(carrier.prefix) and other != "world"
    }
    raise NotFoundError(f"{where}: expected a body or site of {carrier.name!r}, got {name!r}; {suggest(name, offered)}")
