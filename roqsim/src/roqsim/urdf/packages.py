"""Where the meshes of a URDF are: ``package://`` and the other ways to name them."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from roqsim.models import FOLDER
from roqsim.providers import providers
from roqsim.registry import MODELS

PACKAGE_SCHEMES = ("package", "model")
"""Schemes of a package's files: ROS's own and Gazebo's."""

VARIABLES = ("AMENT_PREFIX_PATH", "ROS_PACKAGE_PATH")
"""What tells ROS 2 and ROS 1 where their packages are."""


@dataclass(frozen=True)
class Unfound:
    """Why a mesh was not found.

    Attributes:
        got: What is missing, such as ``no package 'arm_description'``.
        hint: Where it was looked for, and what to do.
    """

    got: str
    hint: str


class Files:
    """Finds the files that one URDF names.

    Args:
        path: The URDF.
        package_paths: Packages, or folders of packages, that come first.
        folders: Where relative names are looked up: its mesh folder, then others.
        strip: Whether only the last part of a name counts, as in MuJoCo's ``strippath``.
    """

    def __init__(
        self, path: Path, package_paths: Sequence[Path] = (), folders: Sequence[Path] = (), strip: bool = False
    ) -> None:
        self._path, self._package_paths, self._strip = path, list(package_paths), strip
        self._folders = list(dict.fromkeys((*folders, path.parent)))
        self._roots: dict[str, list[Path]] = {}

    def find(self, uri: str) -> Path | Unfound:
        """The file of a URI or of a path, absolute, or why there is none."""
        scheme, colon, rest = uri.partition("://")
        if self._strip or not colon:
            name = os.path.basename(uri) if self._strip else uri
            found = self._among(folder / name for folder in self._folders)
            if isinstance(found, Path) or not colon:
                return found
        if scheme == "file":
            return self._among([Path(unquote(rest))])
        if scheme not in PACKAGE_SCHEMES:
            return Unfound(f"a file at {scheme}://", "get it onto this machine and name it by its path")
        package, _, inner = unquote(rest).partition("/")
        roots = self._roots_of(package)
        if not roots:
            return Unfound(f"no package {package!r}", f"looked in {self._places()}; {_option()}")
        return self._among(root / inner for root in roots)

    def _among(self, candidates: Iterator[Path] | Sequence[Path]) -> Path | Unfound:
        paths = [Path(os.path.abspath(candidate)) for candidate in candidates]
        found = next((path for path in paths if path.is_file()), None)
        return found or Unfound("no such file", f"looked for {', '.join(str(path) for path in dict.fromkeys(paths))}")

    def _roots_of(self, package: str) -> list[Path]:
        if package not in self._roots:
            self._roots[package] = list(dict.fromkeys(self._candidates(package))) if package else []
        return self._roots[package]

    def _candidates(self, package: str) -> Iterator[Path]:
        """The folders that are a package of this name, the ones that come first at first."""
        for folder in self._package_paths:
            yield from _in_folder(folder, package)
        for above in self._path.absolute().parents:
            if is_package(above, package):
                yield above
            elif (above / package / "package.xml").is_file():
                yield above / package
        found, _ = providers(MODELS, FOLDER)
        if package in found:
            yield from (found[package].folder, found[package].folder.parent)
        for variable in VARIABLES:
            for place in filter(None, os.environ.get(variable, "").split(os.pathsep)):
                yield from _in_folder(Path(place), package)

    def _places(self) -> str:
        named = ", ".join(str(folder) for folder in self._package_paths) or "none given"
        installed = ", ".join(sorted(providers(MODELS, FOLDER)[0])) or "none installed"
        variables = [f"{variable} ({os.environ.get(variable) or 'not set'})" for variable in VARIABLES]
        parts = [f"the package path ({named})", f"the folders above {self._path.absolute().parent}"]
        return ", ".join([*parts, f"packages with models ({installed})", *variables])


def _option() -> str:
    return "name its folder with --package-path, in a world with 'urdf: {package_path: …}'"


def is_package(folder: Path, name: str) -> bool:
    """Whether a folder is the ROS package of a name: it is called so, or its ``package.xml`` says it."""
    if folder.name == name:
        return True
    manifest = folder / "package.xml"
    if not manifest.is_file():
        return False
    try:
        return (ElementTree.parse(manifest).getroot().findtext("name") or "").strip() == name
    except (ElementTree.ParseError, OSError):
        return False


def _in_folder(folder: Path, package: str) -> Iterator[Path]:
    """A package that a folder is, or holds: directly, as an installation's share, or one folder deeper."""
    if is_package(folder, package):
        yield folder
    for held in (folder / package, folder / "share" / package):
        if held.is_dir():
            yield held
    try:
        inner = sorted(each for each in folder.iterdir() if each.is_dir())
    except OSError:
        return
    for each in inner:
        if (each / package / "package.xml").is_file():
            yield each / package
        elif each.name != package and (each / "package.xml").is_file() and is_package(each, package):
            yield each
