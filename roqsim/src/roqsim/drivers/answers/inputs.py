"""Which files a world is made of: what must travel for it to load elsewhere."""

from __future__ import annotations

import sysconfig
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import util
from pathlib import Path

from roqsim.config.extends import Document, DocumentReader
from roqsim.config.resolution import unresolved_problems
from roqsim.config.world import SimConfig, locate_parent
from roqsim.drivers.target import load_target
from roqsim.errors import ConfigError, Problem, RoqsimError
from roqsim.registry import MODELS, PLUGINS, WORLDS, entries, resolve_plugin
from roqsim.scene.sources import Sources
from roqsim.worlds import MJCF, WorldAsset, resolve_world


@dataclass
class Inputs:
    """The files of a world.

    Attributes:
        world: The world file.
        packaged: Whether the world was named as a part of an installed package.
        files: What must travel, as absolute paths in the order in which it was found.
        gaps: Why the list may be short, one text a gap; empty for a whole list.
    """

    world: Path
    packaged: bool
    files: list[Path] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        """The reply that other programs read."""
        return {"world": str(self.world), "packaged": self.packaged, "inputs": [str(path) for path in self.files]}


def world_inputs(target: str) -> Inputs:
    """Lists the files of a world as far as it can be read.

    What an installed package brings stays out, because it is installed wherever the world is loaded. A file that is
    named and does not exist stays out too.

    Args:
        target: A world file, an MJCF file, or ``package:world``.

    Raises:
        NotFoundError: there is no such world.
    """
    found = resolve_world(target)
    walk = _Walk(found, target if found.package is None else str(found.path))
    if found.path.suffix.lower() in MJCF:
        walk.add_mjcf(found.path)
    else:
        document = walk.read_document()
        config = walk.load(target)
        if config is not None:
            walk.add_config(config)
            walk.gaps += [str(problem) for problem in unresolved_problems(config.unresolved)]
        elif document is not None:
            walk.add_document(document)
    inputs = Inputs(found.path.absolute(), found.package is not None, gaps=list(dict.fromkeys(walk.gaps)))
    inputs.files = [path for path in walk.files if path.is_file() and not walk.is_installed(path)]
    return inputs


class _Walk(Sources):
    def __init__(self, world: WorldAsset, source: str) -> None:
        super().__init__()
        self.world, self.source = world, source
        self._installed = _installed_folders()
        if world.package is None:
            # A world named by path travels as it stands, even if it lies inside a package.
            here = world.path.absolute()
            self._installed = [folder for folder in self._installed if not here.is_relative_to(folder)]

    def is_installed(self, path: Path) -> bool:
        return any(path.is_relative_to(folder) or path.resolve().is_relative_to(folder) for folder in self._installed)

    def read_document(self) -> Document | None:
        """The document and its parents, before anything else is asked of them."""
        problems: list[Problem] = []
        reader = DocumentReader(locate_parent, problems)
        document = None
        try:
            document = reader.read_file(self.world.path, self.source)
        except ConfigError as error:
            problems += error.problems
        self.gaps += map(str, problems)
        for path in (self.world.path, *reader.files):
            self.add(path)
        return document

    def load(self, target: str) -> SimConfig | None:
        try:
            return load_target(target)
        except RoqsimError as error:
            self.gaps += str(error).splitlines()
            return None

    def add_document(self, document: Document) -> None:
        """What can be said of a world that does not load; why it does not is among the gaps already."""
        world = document.sim.get("world")
        if world is not None and isinstance(world.value, str):
            with suppress(RoqsimError):
                self.add_mjcf(resolve_world(world.value, document.base_dir, MJCF).path)
        for spec in document.specs:
            self.add_plugin_file(spec)
            with suppress(RoqsimError):
                spec.plugin = resolve_plugin(spec.ref, spec.base_dir)
                self.add_component(spec)


def _installed_folders() -> list[Path]:
    """The folders of installed packages: those of the environment, and those of packages that announce something."""
    modules = {
        entry.value.partition(":")[0].partition(".")[0]
        for group in (PLUGINS, MODELS, WORLDS)
        for entry in entries(group)
    }
    folders = [Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")]
    for module in sorted(modules):
        spec = util.find_spec(module)
        folders += [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    return [folder.resolve() for folder in folders]
