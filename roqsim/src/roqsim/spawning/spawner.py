"""What every plugin that places a model from a file has in common."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import mujoco

from roqsim.config.entries import PluginSpec
from roqsim.errors import BuildError, ConfigError, Problem
from roqsim.manifest import expand_manifest
from roqsim.mj.files import files_of
from roqsim.models import ModelAsset, resolve_model
from roqsim.plugin import Plugin
from roqsim.spawning.placement import read_child
from roqsim.urdf.options import UrdfConfig
from roqsim.urdf.report import Report

__all__ = ["OTHER_SPELLINGS", "Spawner", "UrdfConfig"]

LOG = logging.getLogger("roqsim")

OTHER_SPELLINGS = {
    "free": "write 'motion: physics' for a thing that moves, 'motion: static' for one that is fixed",
    "mocap": "write 'motion: driven'",
}
"""Keys for ``motion`` that other simulators' worlds use, and what to write here."""


class Spawner(Plugin):
    """Brings the components of its model's manifest; a subclass places the model in ``build``.

    Its ``Config`` has the fields ``model`` and ``default_plugins``, and ``urdf`` for how a URDF is read.
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
        child, report = self._read(asset)
        yield from files_of(child)
        if report is not None:
            yield from report.files

    def load_model(self) -> tuple[ModelAsset, mujoco.MjSpec]:
        """The model that the configuration names, read afresh.

        Raises:
            NotFoundError: There is no such model, or it lacks a file.
            BuildError: MuJoCo can not read it.
        """
        asset = resolve_model(self.config.model, self.base_dir)
        child, report = self._read(asset)
        if report is not None:
            self._tell(report)
        return asset, child

    def _read(self, asset: ModelAsset) -> tuple[mujoco.MjSpec, Report | None]:
        urdf = getattr(self.config, "urdf", None)
        return read_child(asset, where=self.address, urdf=urdf, base_dir=self.base_dir)

    def _tell(self, report: Report) -> None:
        if not report.base_has_mass and getattr(self.config, "motion", "static") == "physics":
            raise BuildError(
                f"{self.address}.motion: expected a base with a mass for 'physics', got link {report.base!r} without "
                "one; write 'motion: static', or give the link an <inertial>"
            )
        if report.notes:
            name = report.path.name
            LOG.info("%s: %s: %s; 'roqsim import urdf %s' lists it", self.address, name, report.summary(), report.path)
