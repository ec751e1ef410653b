"""What a picture can be asked of: a world, a model, or a bare mesh; the latter two stand on a studio floor."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from roqsim import menagerie
from roqsim.config.overrides import Assignment
from roqsim.config.transport import drop_transport, drop_transport_plugins
from roqsim.config.world import SimConfig, load_config, load_config_from_dict
from roqsim.errors import ConfigError, NotFoundError, RoqsimError, suggest
from roqsim.models import SUFFIXES, list_models, resolve_model
from roqsim.rendering.mesh_preview import MESHES
from roqsim.urdf.reader import can_be_free
from roqsim.urdf.source import is_urdf
from roqsim.worlds import MJCF, YAML, list_worlds, resolve_world

LOG = logging.getLogger("roqsim")

RECORDED = (".mcap", ".npz")
"""What recordings end in, which are no subject but have one."""

MESH_PLUGIN = "roqsim.rendering.mesh_preview:MeshPreview"
"""The ref of the component that shows a mesh."""


@dataclass(frozen=True)
class Subject:
    """Something to take a picture of.

    Attributes:
        target: As it was named.
        config: The world, without its transport.
        entry: The entry that stands the model or mesh on the studio's floor; None for a world of its own.
        overrides: The changes to it.
    """

    target: str
    config: SimConfig
    entry: dict[str, object] | None = None
    overrides: Sequence[Assignment] = ()

    def raised(self, height: float) -> Subject:
        """The same thing ``height`` metres higher."""
        component = next(key for key in self.entry if key != "name")
        entry = {**self.entry, component: {**self.entry[component], "pose": {"position": {"z": height}}}}
        return _in_studio(self.target, entry, self.overrides)


def load_subject(target: str, overrides: Sequence[Assignment] = ()) -> Subject:
    """Loads whatever a target names.

    Args:
        target: A YAML world, an MJCF file, ``package:world``; a model's name, ``package:model``, ``menagerie:NAME``, a
            URDF file; an STL or OBJ file.
        overrides: Changes to the world.

    Raises:
        NotFoundError: Nothing answers to the name.
        ConfigError: The world, the model's manifest or an override is wrong.
    """
    suffix = Path(target).suffix.lower()
    if suffix in MESHES:
        return _mesh(target, overrides)
    if suffix in SUFFIXES and suffix not in MJCF:
        return _model(target, overrides)
    try:
        resolve_world(target)
    except NotFoundError:
        if suffix in (*YAML, *MJCF):
            raise
        return _model(target, overrides, is_surely_a_model=False)
    config, dropped = drop_transport(load_config(target, overrides))
    if dropped:
        LOG.info("drawn without transport: dropped %s", ", ".join(dropped))
    return Subject(target, config)


def _mesh(target: str, overrides: Sequence[Assignment]) -> Subject:
    path = Path(target).expanduser()
    if not path.is_file():
        folder = path.parent
        near = [each.name for each in folder.iterdir() if each.suffix.lower() in MESHES] if folder.is_dir() else []
        raise NotFoundError(f"there is no mesh {target!r}; {suggest(path.name, near) if near else 'check the path'}")
    entry = {"name": _label(path.stem), MESH_PLUGIN: {"file": str(path.absolute())}}
    return _in_studio(target, entry, overrides)


def _model(target: str, overrides: Sequence[Assignment], *, is_surely_a_model: bool = True) -> Subject:
    try:
        asset = resolve_model(target)
    except NotFoundError as error:
        if is_surely_a_model:
            raise
        raise _refuse(target, error) from None
    config: dict[str, object] = {"model": target}
    if is_urdf(asset.path) and not can_be_free(asset.path):
        config["motion"] = "static"
    entry = {"name": _label(asset.name), "spawn_model": config}
    try:
        return _in_studio(target, entry, overrides)
    except ConfigError as error:
        # A device's components want a carrier, and others may want what is not installed.
        bare = {**entry, "spawn_model": {**config, "default_plugins": False}}
        try:
            subject = _in_studio(target, bare, overrides)
        except RoqsimError:
            raise error from None
        LOG.info("drawn without its components: %s", error)
        return subject


def load_model(ref: str, overrides: Sequence[Assignment] = ()) -> Subject:
    """A model on the studio's floor; see ``load_subject``."""
    return _model(ref, overrides)


def _label(name: str) -> str:
    """A name that an entry can have: without dots and slashes, which part addresses."""
    return name.replace("/", "_").replace(".", "_") or "thing"


def _refuse(target: str, not_a_model: NotFoundError) -> NotFoundError:
    """What to raise for a name that no model answers to, or several do, and no world either."""
    if Path(target).is_file() and Path(target).suffix.lower() in RECORDED:
        return NotFoundError(
            f"expected a world, a model or a mesh, got {target!r}; show a recording with --state {target}"
        )
    models, worlds = list_models(), list_worlds()
    known = {name for each in models for name in (each.name, each.ref)} | set(menagerie.names())
    if target in known or target.startswith(f"{menagerie.PACKAGE}:"):
        return not_a_model
    hint = suggest(target, known | {name for each in worlds for name in (each.name, each.ref)})
    if not hint.startswith("did you mean"):
        hint = "'roqsim catalog worlds' and 'roqsim catalog models' list them"
    return NotFoundError(f"expected a world, a model or a mesh, got {target!r}; {hint}")


def _in_studio(target: str, entry: dict[str, object], overrides: Sequence[Assignment]) -> Subject:
    raw = {"sim": {"world": "studio"}, "components": [entry]}
    config, dropped = drop_transport_plugins(load_config_from_dict(raw, overrides=overrides, source=target))
    if dropped:
        LOG.warning("drawn without %s, which this installation has no plugin for", ", ".join(dropped))
    return Subject(target, config, entry, overrides)
