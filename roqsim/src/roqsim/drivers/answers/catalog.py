"""What is installed: plugins, models and worlds, with what a newcomer wants to know of each."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from roqsim.config.entries import parse_entries
from roqsim.config.manifest import ModelManifest, read_manifest
from roqsim.config.schema import fields_of
from roqsim.errors import Problem, RoqsimError
from roqsim.json_value import json_value
from roqsim.models import ModelAsset, list_models
from roqsim.plugin import Plugin
from roqsim.providers import providers
from roqsim.registry import MODELS, PLUGINS, WORLDS, entries, resolve_plugin
from roqsim.worlds import list_worlds

Item = dict[str, object]
"""One thing as plain data: ``name``, ``ref`` (what a world calls it), ``provider``, and more by kind."""


def plugins() -> Iterator[Item]:
    """Every announced plugin; one that cannot be loaded has ``error``."""
    for entry in entries(PLUGINS):
        item: Item = {"name": entry.name, "ref": entry.name, "provider": entry.dist, "class": entry.value}
        item |= {"package": entry.dist, "kind": "component", "doc": ""}
        try:
            plugin = resolve_plugin(entry.name)
        except RoqsimError as error:
            yield {**item, "error": str(error)}
            continue
        config = plugin.Config
        keys = [field.name for field in fields_of(config)] if config is not None else None
        summary = first_sentence(inspect.getdoc(plugin) or "")
        yield {**item, "summary": summary, "doc": summary, "kind": kind_of(plugin), "keys": keys, **flags_of(plugin)}


def models() -> Iterator[Item]:
    """Every model of the installed providers; one whose manifest cannot be read has ``error``."""
    for asset in list_models():
        item: Item = {"name": asset.name, "ref": asset.ref, "provider": asset.package}
        try:
            yield {**item, **about(asset)}
        except RoqsimError as error:
            yield {**item, "error": str(error)}


def worlds() -> Iterator[Item]:
    """Every YAML world of the installed providers; the summary is the comment that it begins with."""
    for asset in list_worlds():
        yield {
            "name": asset.name,
            "ref": asset.ref,
            "provider": asset.package,
            "kind": "world",
            "summary": leading_comment(asset.path),
        }


def broken_providers() -> Iterator[str]:
    """Why packages that announce models or worlds bring none."""
    for group, attribute in ((MODELS, "MODELS_DIR"), (WORLDS, "WORLDS_DIR")):
        yield from providers(group, attribute)[1].values()


def about(asset: ModelAsset) -> Item:
    """What a model's manifest says: ``summary``, ``license``, ``source``, ``components``, ``frames``.

    Raises:
        ConfigError: the manifest cannot be read.
    """
    manifest = ModelManifest() if asset.manifest_path is None else read_manifest(asset.manifest_path)
    return {
        "summary": manifest.description or first_sentence(_headline(asset.path)),
        "license": manifest.license,
        "source": manifest.source,
        "components": _components(manifest, asset.path.parent),
        "frames": sorted(manifest.frames),
    }


def _headline(path: Path) -> str:
    """The first comment of an MJCF file; empty where it has none."""
    comment = re.search(r"<!--(.*?)-->", path.read_text(encoding="utf-8", errors="replace"), re.DOTALL)
    return comment[1].strip() if comment else ""


def _components(manifest: ModelManifest, folder: Path) -> list[Item]:
    problems: list[Problem] = []
    specs = parse_entries(manifest.components, base_dir=folder, problems=problems, source="manifest")
    return [
        {"address": spec.address, "ref": spec.ref, "name": spec.name, "config": json_value(spec.config.plain())}
        for spec in specs
    ]


def kind_of(plugin: type[Plugin]) -> str:
    """What a plugin is for: ``world``, ``transport``, ``entity`` or ``component``."""
    kinds = (("world", "provides_world"), ("transport", "transport_only"), ("entity", "provides_entity"))
    return next((kind for kind, attribute in kinds if getattr(plugin, attribute, False)), "component")


def flags_of(plugin: type[Plugin]) -> dict[str, bool]:
    """The capabilities that a class states."""
    names = ("provides_world", "provides_entity", "transport_only", "parallel_safe")
    return {name: bool(getattr(plugin, name, False)) for name in names}


def first_sentence(text: str) -> str:
    r"""A docstring's first sentence on one line, without code marks.

    >>> first_sentence("Drives.  Or\nnot.")
    'Drives.'
    """
    paragraph = " ".join(text.split("\n\n", 1)[0].split()).replace("``", "")
    sentence, stop, _ = paragraph.partition(". ")
    return sentence + stop.strip()


def leading_comment(path: Path) -> str:
    """The comment at the head of a YAML file on one line; empty where it has none."""
    words = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if not line.startswith("#"):
            break
        words.append(line.lstrip("#").strip())
    return " ".join(word for word in words if word)
