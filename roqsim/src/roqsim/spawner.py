"""What every plugin that places a model from a file has in common."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import mujoco

from roqsim.config.entries import PluginSpec
from roqsim.errors import ConfigError, Problem
from roqsim.manifest import expand_manifest
from roqsim.mj.files import files_of
from roqsim.models import ModelAsset, resolve_model
from roqsim.placement import load_child
from roqsim.plugin import Plugin

OTHER_SPELLINGS = {
    "free": "write 'motion: physics' for a thing that moves, 'motion: static' for one that is fixed",
    "mocap": "write 'motion: driven'",
}
"""Keys for ``motion`` that other simulators' worlds use, and what to write here."""


class Spawner(Plugin):
    """Brings the components of its model's manifest; a subclass places the model in ``build``.

    Its ``Config`` has the fields ``model`` and ``default_plugins``.
    """

    provides_entity = True
    expansion_keys = ("model", "default_plugins")

    @classmethod
    def expand(cls, spec: PluginSpec, world: list[PluginSpec], base_dir: Path) -> list[PluginSpec]:
        """The components of the model's manifest."""
        problems = []
        for key, hint in OTHER_SPELLINGS.items():
            node = spec.config.get(key)
            if node is not None:
                where, place = f"{spec.where}.{key}", node.key_origin or node.origin
                problems.append(Problem(where, "a known key", repr(key), place, hint))
        if problems:
            raise ConfigError(problems)
        return expand_manifest(spec, world, base_dir=base_dir)

    def sources(self) -> Iterator[Path]:
        """The model's file, its manifest and what they read, each as soon as it is found."""
        asset = resolve_model(self.config.model, self.base_dir)
        yield asset.path
        if asset.manifest_path is not None:
            yield asset.manifest_path
        yield from files_of(load_child(asset, where=self.address))

    def load_model(self) -> tuple[ModelAsset, mujoco.MjSpec]:
        """The model that the configuration names, read afresh.

        Raises:
            NotFoundError: There is no such model, or it lacks a file.
            BuildError: MuJoCo can not read it.
        """
        asset = resolve_model(self.config.model, self.base_dir)
        return asset, load_child(asset, where=self.address)
