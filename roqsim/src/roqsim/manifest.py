"""What a model brings along: ``expand_manifest`` turns a model's manifest into components of the entry that spawns it.

A spawn plugin's ``expand`` is one call of it. A component of the manifest that the world declares as well, under the
same label, is not brought: the world's entry stays, and what it leaves out is filled from the manifest, key by key.
"""

from __future__ import annotations

import re
from pathlib import Path

from roqsim.config.entries import PluginSpec, find_duplicates, parse_entries
from roqsim.config.manifest import FrameConfig, ModelManifest, manifest_beside, read_manifest
from roqsim.config.nodes import Node
from roqsim.errors import ConfigError, NotFoundError, Problem
from roqsim.models import ModelAsset, resolve_model

__all__ = [
    "FrameConfig",
    "ModelManifest",
    "expand_manifest",
    "manifest_beside",
    "manifest_frame_id",
    "model_manifest",
    "read_manifest",
]

PLACEHOLDERS = ("frame_id", "parent_frame")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")


def model_manifest(model: str, base_dir: str | Path | None = None) -> ModelManifest | None:
    """The manifest of a model by reference, or None where the model has none.

    Raises:
        NotFoundError: there is no such model.
        ConfigError: its manifest is wrong.
    """
    path = resolve_model(model, base_dir).manifest_path
    return read_manifest(path) if path is not None else None


def manifest_frame_id(model: str, base_dir: str | Path | None = None) -> str | None:
    """The frame that a device's maker gives its data, or None where the manifest names none."""
    manifest = model_manifest(model, base_dir)
    return manifest.frame_id if manifest is not None else None


def expand_manifest(
    spec: PluginSpec, world: list[PluginSpec], *, base_dir: str | Path | None = None
) -> list[PluginSpec]:
    """The components that a spawned model brings.

    Args:
        spec: The entry that spawns it. Its ``model`` names the model, ``default_plugins: false`` leaves all of it
            out; a mounted device's ``frame_id`` and ``parent_frame`` fill the placeholders of its manifest.
        world: Every component so far. Those that the manifest has too are completed in place.
        base_dir: What a relative path of the model starts from; the entry's own folder where None.

    Returns:
        The components that the world does not have, owned by the spawn, in the order of the manifest.

    Raises:
        ConfigError: the model is not found, its manifest is wrong, or the chain of models comes back to itself.
    """
    model = spec.config.get("model")
    switch = spec.config.get("default_plugins")
    if model is None or not isinstance(model.value, str) or (switch is not None and switch.value is False):
        return []
    asset = _find_model(spec, model, base_dir)
    if asset.manifest_path is None:
        return []
    manifest = read_manifest(asset.manifest_path)
    link = f"{spec.address} ({asset.path})"
    if any(known.endswith(f"({asset.path})") for known in spec.chain):
        chain = " -> ".join([*spec.chain, link])
        raise ConfigError(
            Problem(f"{spec.where}.model", "a model that does not bring itself", repr(model.value), model.origin, chain)
        )
    problems: list[Problem] = []
    folder = asset.manifest_path.parent
    parsed = parse_entries(
        manifest.components, base_dir=folder, problems=problems, source="manifest", owner=spec.address
    )
    brought = find_duplicates([each.copy() for each in parsed], problems)
    _fill_placeholders(spec, manifest, brought, world, problems)
    if problems:
        raise ConfigError(problems)
    for each in brought:
        each.chain = (*spec.chain, link)
    return [each for each in brought if not _is_declared(each, world)]


def _find_model(spec: PluginSpec, model: Node, base_dir: str | Path | None) -> ModelAsset:
    try:
        return resolve_model(model.value, base_dir or spec.base_dir)
    except NotFoundError as error:
        place = f"{spec.where}.model"
        raise ConfigError(Problem(place, "a model", repr(model.value), model.origin, str(error))) from None


def _is_declared(brought: PluginSpec, world: list[PluginSpec]) -> bool:
    """Whether the world has a component at this address; if so, the manifest's values are put under its own."""
    declared = next((each for each in world if each.address == brought.address), None)
    if declared is None:
        return False
    if declared.ref == brought.ref:
        for key, value in brought.config.value.items():
            declared.config.value.setdefault(key, _anchored(value, brought.base_dir))
        if declared.present is None:
            declared.present = brought.present
    return True


def _anchored(value: Node, folder: Path) -> Node:
    """A copy in which texts that begin with ``./`` or ``../`` keep meaning files beside the manifest."""
    node = value.copy()
    pending = [node]
    while pending:
        at = pending.pop()
        if isinstance(at.value, str) and at.value.startswith(("./", "../")):
            at.value = str((folder / at.value).resolve())
        elif isinstance(at.value, dict):
            pending += at.value.values()
        elif isinstance(at.value, list):
            pending += at.value
    return node


def _fill_placeholders(
    spec: PluginSpec,
    manifest: ModelManifest,
    brought: list[PluginSpec],
    world: list[PluginSpec],
    problems: list[Problem],
) -> None:
    is_device = "frame_id" in getattr(spec.plugin, "expansion_keys", ())
    values: dict[str, str | None] = {}
    if is_device:
        spec.frame_id = _text(spec, "frame_id") or manifest.frame_id
        values = {"frame_id": spec.frame_id, "parent_frame": _text(spec, "parent_frame") or "base_link"}
        if spec.frame_id is None:
            hint = f"{manifest.path} names none; add 'frame_id: …' to this entry"
            problems.append(Problem(f"{spec.where}.frame_id", "text", "nothing", spec.origin, hint))
            return
        _check_frame(spec, world, problems)
    for each in brought:
        for key, node in each.config.value.items():
            _fill(node, f"{each.where}.{key}", values, problems)


def _text(spec: PluginSpec, key: str) -> str | None:
    node = spec.config.get(key)
    return node.value if node is not None and isinstance(node.value, str) else None


def _check_frame(spec: PluginSpec, world: list[PluginSpec], problems: list[Problem]) -> None:
    """Two mounts of one carrier publish in one namespace, so their frames must differ."""
    if spec.owner is None:
        return
    for other in world:
        if other is not spec and other.owner == spec.owner and other.frame_id == spec.frame_id and other.enabled:
            hint = f"{other.address} at {other.origin} has it too; give one of them a 'frame_id' of its own"
            place = f"{spec.where}.frame_id"
            problems.append(
                Problem(
                    place, f"a frame that nothing else on {spec.owner!r} has", repr(spec.frame_id), spec.origin, hint
                )
            )
            return


def _fill(node: Node, where: str, values: dict[str, str | None], problems: list[Problem]) -> None:
    """Puts the values into every text below a node; another placeholder is a mistake."""
    if isinstance(node.value, dict):
        for key, child in node.value.items():
            _fill(child, f"{where}.{key}", values, problems)
    elif isinstance(node.value, list):
        for index, child in enumerate(node.value):
            _fill(child, f"{where}[{index}]", values, problems)
    elif isinstance(node.value, str):
        for name in _PLACEHOLDER.findall(node.value):
            if name not in values:
                names = " and ".join(f"{{{known}}}" for known in PLACEHOLDERS)
                hint = f"the manifest of a mounted device may use {names}"
                problems.append(Problem(where, "no such placeholder", repr(f"{{{name}}}"), node.origin, hint))
        node.value = _PLACEHOLDER.sub(lambda match: values.get(match[1]) or match[0], node.value)
