"""The manifest beside a model: what belongs to it, where it is from, and under which licence.

``<model>.manifest.yaml`` stands next to ``<model>.xml``. Everything in it may be left out.
"""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass, field
from pathlib import Path

from roqsim.config.nodes import Node, load_file
from roqsim.config.pose import Pose
from roqsim.config.schema import need, opt, read
from roqsim.errors import ConfigError, Problem

SUFFIX = ".manifest.yaml"


class Entries:
    """The reader of ``components``: the nodes are kept, because what they mean depends on where the model is placed."""

    expected = "a list of components"

    @classmethod
    def from_node(cls, node: Node, where: str) -> Node | None:
        """Returns the node of a list, or None for nothing.

        Raises:
            ConfigError: for anything else.
        """
        if node.value is None:
            return None
        if not node.is_sequence:
            raise ConfigError(Problem(where, cls.expected, node.shown(), node.origin, "begin each component with '- '"))
        return node


@dataclass(frozen=True, kw_only=True)
class FrameConfig:
    """A frame that the model's file does not hold, such as a fixed link that was flattened away."""

    parent: str = need()
    """Body, site or other frame that it is fixed to."""
    pose: Pose = opt(Pose())
    """Pose in the parent."""


@dataclass(frozen=True, kw_only=True)
class ModelManifest:
    """What a model says about itself."""

    description: str | None = opt(None)
    """One sentence about the model."""
    license: str | None = opt(None)
    """Licence of the model's files, as an SPDX expression."""
    source: str | None = opt(None)
    """Where geometry, masses and limits come from."""
    frame_id: str | None = opt(None)
    """Frame that a mounted device reports its data in, unless the mount names another."""
    assets: str | tuple[str, ...] = opt(())
    """Packages whose meshes and textures the model borrows: a package or package:model, or a list of them."""
    frames: dict[str, FrameConfig] = opt(factory=dict)
    """Further frames by name."""
    components: Entries | None = opt(None)
    """Components that belong to the model, in the grammar of a world."""
    path: Path | None = field(default=None, init=False)

    @property
    def borrowed(self) -> tuple[str, ...]:
        """The packages of ``assets``, always as a tuple."""
        return (self.assets,) if isinstance(self.assets, str) else self.assets


def read_manifest(path: str | os.PathLike[str]) -> ModelManifest:
    """Reads a manifest.

    Args:
        path: The file ``<model>.manifest.yaml``.

    Returns:
        The manifest; the same object as long as the file is unchanged.

    Raises:
        ConfigError: with every mistake in it.
    """
    try:
        status = os.stat(path)
    except OSError:
        return _read(os.fspath(path), 0, 0)
    return _read(os.fspath(path), status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=256)
def _read(path: str, mtime_ns: int, size: int) -> ModelManifest:
    where = Path(path).name.removesuffix(".yaml")
    manifest = read(ModelManifest, load_file(path), where)
    object.__setattr__(manifest, "path", Path(path))
    return manifest


def manifest_beside(model: Path) -> Path | None:
    """The manifest of a model file, or None where it has none."""
    path = model.with_name(model.stem + SUFFIX)
    return path if os.path.isfile(path) else None
