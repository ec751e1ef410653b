"""Which installed distributions a world is made with."""

from __future__ import annotations

import functools
import platform
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path

import mujoco
import numpy as np

from roqsim.config.world import SimConfig
from roqsim.models import FOLDER as MODELS_FOLDER
from roqsim.providers import providers
from roqsim.registry import MODELS, PLUGINS, WORLDS, entries
from roqsim.worlds import FOLDER as WORLDS_FOLDER

OURS = "roqsim"


def versions(names: Iterable[str]) -> dict[str, str]:
    """The versions of Python, MuJoCo, NumPy, roqsim and of further distributions; one that is not there is left out."""
    found = {"python": platform.python_version(), "mujoco": mujoco.__version__, "numpy": np.__version__}
    return {**found, **{name: version for name in (OURS, *names) if (version := _version(name))}}


def distributions_of(config: SimConfig, files: Sequence[Path]) -> list[str]:
    """The distributions that bring a world's plugins, and the models and worlds among its files.

    Args:
        config: The loaded world.
        files: The files that it is made of.
    """
    announced = {entry.name: entry.dist for entry in entries(PLUGINS)}
    found = {announced[spec.ref] for spec in config.plugins if spec.ref in announced}
    for spec in config.plugins:
        if spec.plugin is not None and spec.ref not in announced:
            found.update(_by_module().get(spec.plugin.__module__.partition(".")[0], ()))
    for group, attribute in ((MODELS, MODELS_FOLDER), (WORLDS, WORLDS_FOLDER)):
        for provider in providers(group, attribute)[0].values():
            folder = provider.folder.resolve()
            if any(path.resolve().is_relative_to(folder) for path in files):
                found.add(provider.dist)
    return sorted(name for name in found if name not in ("", "?"))


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


@functools.cache
def _by_module() -> dict[str, list[str]]:
    """The distributions of every top-level module that is installed."""
    return dict(metadata.packages_distributions())
