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
    if model is None or not isinstance(model.value, str):
        return []
    asset = _find_model(spec, model, base_dir)
    manifest = read_manifest(asset.manifest_path) if asset.manifest_path is not None else ModelManifest()
    problems: list[Problem] = []
    is_device = "frame_id" in getattr(spec.plugin, "expansion_keys", ())
    if is_device:
        spec.frame_id = _text(spec, "frame_id") or manifest.frame_id
        _check_frame(spec, world, problems)
    switch = spec.config.get("default_plugins")
    is_off = switch is not None and switch.value is False
    brought = [] if is_off else _entries(spec, model, asset, manifest, problems)
    if is_device and spec.frame_id is None and brought:
        hint = f"{manifest.path} names none; add 'frame_id: …' to this entry"
        problems.append(Problem(f"{spec.where}.frame_id", "text", "nothing", spec.origin, hint))
    else:
        _fill_placeholders(brought, _placeholders(spec) if is_device else {}, problems)
    if problems:
        raise ConfigError(problems)
    if not brought:
        return []
    known = {each.address: each for each in world}
    return [each for each in brought if not _is_declared(each, known.get(each.address))]


def _entries(
    spec: PluginSpec, model: Node, asset: ModelAsset, manifest: ModelManifest, problems: list[Problem]
) -> list[PluginSpec]:
    """The components of a manifest under the spec's address, with the chain of models that led to them."""
    if manifest.path is None:
        return []
    link = f"{spec.address} ({asset.path})"
    chain = (*spec.chain, link)
    if any(known.endswith(f"({asset.path})") for known in spec.chain):
        hint = f"the chain is {' -> '.join(chain)}"
        place = f"{spec.where}.model"
        raise ConfigError(Problem(place, "a model that does not bring itself", repr(model.value), model.origin, hint))
    parsed = parse_entries(
        manifest.components, base_dir=manifest.path.parent, problems=problems, source="manifest", owner=spec.address
    )
    brought = find_duplicates([each.copy() for each in parsed], problems)
    for each in brought:
        each.chain = chain
    return brought


def _find_model(spec: PluginSpec, model: Node, base_dir: str | Path | None) -> ModelAsset:
    try:
        return resolve_model(model.value, base_dir or spec.base_dir)
    except NotFoundError as error:
        place = f"{spec.where}.model"
        raise ConfigError(Problem(place, "a model", repr(model.value), model.origin, str(error))) from None


def _is_declared(brought: PluginSpec, declared: PluginSpec | None) -> bool:
    """Whether the world has a component at this address; if so, the manifest's values are put under its own."""
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


def _placeholders(spec: PluginSpec) -> dict[str, str | None]:
    """What the manifest of a mounted device may refer to; a carrier's root body is its ``base_link`` by REP-105."""
    root = "base_link" if spec.owner else "world"
    return {"frame_id": spec.frame_id, "parent_frame": _text(spec, "parent_frame") or _text(spec, "parent") or root}


def _fill_placeholders(brought: list[PluginSpec], values: dict[str, str | None], problems: list[Problem]) -> None:
    for each in brought:
        for key, node in each.config.value.items():
            _fill(node, f"{each.where}.{key}", values, problems)


def _text(spec: PluginSpec, key: str) -> str | None:
    node = spec.config.get(key)
    return node.value if node is not None and isinstance(node.value, str) else None


def _check_frame(spec: PluginSpec, world: list[PluginSpec], problems: list[Problem]) -> None:
    """Two mounts of one carrier publish in one namespace, so their frames must differ."""
    if spec.owner is None or spec.frame_id is None:
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
