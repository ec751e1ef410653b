"""The files that a loaded world is made of: its base, its plugins' modules, what its components read."""

from __future__ import annotations

from pathlib import Path

import mujoco

from roqsim.config.entries import PluginSpec
from roqsim.config.manifest import manifest_beside
from roqsim.config.world import SimConfig, make_plugin
from roqsim.errors import PluginError, RoqsimError, placed, reason_of
from roqsim.worlds import MJCF


def sources_of(config: SimConfig) -> tuple[list[Path], list[str]]:
    """The files that a loaded world's base and components name.

    Returns:
        The files, and what is wrong with some; a component whose plugin was not found is left out of both.
    """
    sources = Sources()
    sources.add_config(config)
    return sources.files, sources.gaps


class Sources:
    """Files in the order in which they are found, each once.

    Attributes:
        gaps: Why the list may be short, one text a gap.
    """

    def __init__(self) -> None:
        self.gaps: list[str] = []
        self._files: dict[Path, None] = {}

    @property
    def files(self) -> list[Path]:
        """The files as absolute paths; one that is named and missing is among them."""
        return list(self._files)

    def add(self, path: Path) -> None:
        """Adds one file."""
        self._files.setdefault(Path(path).absolute())

    def add_config(self, config: SimConfig) -> None:
        """Everything that a loaded world names."""
        if config.world_file is not None:
            self.add_mjcf(config.world_file)
        for spec in config.document.specs if config.document is not None else ():
            self.add_plugin_file(spec)
        for spec in config.plugins:
            self.add_plugin_file(spec)
            known = len(self.gaps)
            try:
                self.add_component(spec)
            except RoqsimError as error:
                told = placed(str(error), spec.origin)
                self.gaps[known:] = [gap for gap in self.gaps[known:] if gap.partition(": expected ")[0] not in told]
                self.gaps += told.splitlines()

    def add_plugin_file(self, spec: PluginSpec) -> None:
        """The module of a component whose ref names a file."""
        place, colon, _ = spec.ref.rpartition(":")
        path = Path(spec.base_dir) / Path(place).expanduser()
        if colon and (place.endswith(".py") or path.is_file()):
            self.add(path)

    def add_component(self, spec: PluginSpec) -> None:
        """What a component reads.

        Raises:
            RoqsimError: The component cannot be made or asked.
        """
        if spec.plugin is None:
            return
        plugin = make_plugin(spec)
        try:
            for path in plugin.sources():
                full = Path(spec.base_dir) / path
                self.add(full)
                if full.suffix.lower() in MJCF:
                    self.add_mjcf(full)
        except RoqsimError:
            raise
        except Exception as error:
            text = f"{spec.where}: sources of {spec.ref!r} failed: {reason_of(error)}"
            raise PluginError(text, address=spec.address, hook="sources") from error

    def add_mjcf(self, path: Path) -> None:
        """A model with everything it includes, its meshes and textures, and its manifest."""
        self.add(path)
        manifest = manifest_beside(path)
        if manifest is not None:
            self.add(manifest)
        try:
            dependencies = mujoco.mju_getXMLDependencies(str(path))
        except (ValueError, mujoco.FatalError) as error:
            self.gaps.append(f"{path}: expected an MJCF file, got {' '.join(str(error).split())!r}")
            return
        for name in sorted(dependencies):
            self.add(path.parent / name)
