"""The packages that bring models or worlds: an entry point names a module that says where its folder is."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path

from roqsim import family
from roqsim.errors import NotFoundError, RoqsimError, suggest
from roqsim.registry import entries


@dataclass(frozen=True)
class Provider:
    """One package of models or worlds.

    Attributes:
        name: What stands before the colon of a reference.
        folder: The folder of its files.
        meshdirs: Where it keeps meshes, beside a model's own folder.
        texturedirs: Where it keeps textures.
        dist: The distribution that announces it; empty for a module named directly.
    """

    name: str
    folder: Path
    meshdirs: tuple[Path, ...] = ()
    texturedirs: tuple[Path, ...] = ()
    dist: str = ""


def providers(group: str, attribute: str) -> tuple[dict[str, Provider], dict[str, str]]:
    """The installed providers of a group.

    Args:
        group: The entry-point group.
        attribute: The module's attribute that holds the folder: ``MODELS_DIR`` or ``WORLDS_DIR``.

    Returns:
        The providers by name, and for each broken one the reason.
    """
    found: dict[str, Provider] = {}
    broken: dict[str, str] = {}
    for entry in entries(group):
        try:
            found[entry.name] = _provider(entry.name, entry.load(), attribute, entry.dist)
        except RoqsimError as error:
            broken[entry.name] = str(error)
    return found, broken


def _provider(name: str, module: object, attribute: str, dist: str = "") -> Provider:
    folder = getattr(module, attribute, None) or next(iter(getattr(module, "__path__", ())), None)
    if folder is None:
        raise NotFoundError(f"the provider {name!r} has no {attribute}; its module names the folder there")
    return Provider(
        name,
        Path(folder),
        _folders(module, "MESHES_DIR", "MESHDIR"),
        _folders(module, "TEXTURES_DIR", "TEXTUREDIR"),
        dist,
    )


def _folders(module: object, *names: str) -> tuple[Path, ...]:
    value = next((getattr(module, name) for name in names if hasattr(module, name)), ())
    return tuple(Path(folder) for folder in (value if isinstance(value, tuple | list) else (value,)))


def find_provider(group: str, attribute: str, name: str) -> Provider:
    """The provider of that name, else the module of that name that has the attribute.

    Raises:
        NotFoundError: neither exists; it lists the providers, and says why a broken one is broken.
    """
    found, broken = providers(group, attribute)
    if name in found:
        return found[name]
    if name in broken:
        raise NotFoundError(f"the package {name!r} cannot be used: {broken[name]}")
    if all(part.isidentifier() for part in name.split(".")):
        provider = _module_provider(name, attribute)
        if provider is not None:
            return provider
    kind = group.rpartition(".")[2]
    hint = family.how_to_install(name) or suggest(name, found)
    raise NotFoundError(f"no installed package {name!r} brings {kind}; {hint}")


def _module_provider(name: str, attribute: str) -> Provider | None:
    try:
        module = importlib.import_module(name)
    except Exception:
        return None
    return _provider(name, module, attribute) if hasattr(module, attribute) else None
