"""Finding plugins: by short name, by module, by file.

Packages announce what they bring under the entry-point groups ``roqsim.plugins``, ``roqsim.models``, ``roqsim.worlds``,
``roqsim.commands`` and ``roqsim.render_overlays``. Entry points load one by one, so a broken package disturbs no other.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import ModuleType

from roqsim import family
from roqsim.errors import NotFoundError, PluginError, suggest

PLUGINS = "roqsim.plugins"
MODELS = "roqsim.models"
WORLDS = "roqsim.worlds"
COMMANDS = "roqsim.commands"
OVERLAYS = "roqsim.render_overlays"

_files: dict[tuple[str, int, int], ModuleType] = {}


@dataclass(frozen=True)
class Entry:
    """One announced object.

    Attributes:
        name: Its short name.
        value: Where it is: ``module:attribute`` or ``module``.
        dist: The distribution that announces it.
    """

    name: str
    value: str
    dist: str

    def load(self) -> object:
        """Imports it.

        Raises:
            PluginError: the import failed, or the module has no such attribute.
        """
        module_name, _, attribute = self.value.partition(":")
        form = f"{self.name!r} of {self.dist} ({self.value})"
        module = _import(module_name.strip(), form)
        for part in attribute.split(".") if attribute else ():
            module = _attribute(module, part, form)
        return module


def entries(group: str) -> list[Entry]:
    """What the installed packages announce in a group, sorted by name and distribution; nothing is imported."""
    return list(_entries(group, tuple(sys.path)))


@functools.lru_cache(maxsize=64)
def _entries(group: str, path: tuple[str, ...]) -> tuple[Entry, ...]:
    found = {
        Entry(point.name, point.value.replace(" ", ""), point.dist.name if point.dist else "?")
        for point in metadata.entry_points(group=group)
    }
    return tuple(sorted(found, key=lambda entry: (entry.name, entry.dist, entry.value)))


def resolve_plugin(ref: str, base_dir: str | Path | None = None) -> type:
    """Finds the class that a plugin ref names.

    Args:
        ref: A short name, ``module.path:Class``, or ``path/to/file.py:Class``.
        base_dir: What a relative file starts from; the working directory where None.

    Returns:
        The class, the same object for the same ref and an unchanged file.

    Raises:
        NotFoundError: no package, module, file or class of that name exists.
        PluginError: it exists and cannot be imported, or is no plugin.
    """
    if ":" not in ref:
        return _checked(_by_short_name(ref, base_dir), ref)
    place, _, name = ref.rpartition(":")
    path = Path(base_dir or ".") / Path(place).expanduser()
    if place.endswith(".py") or os.path.isfile(path):
        return _checked(_class_of(_load_file(path, ref), name, ref), ref)
    return _checked(_class_of(_import(place, f"{ref!r} (module:Class)"), name, ref), ref)


def _by_short_name(ref: str, base_dir: str | Path | None) -> object:
    known = entries(PLUGINS)
    matches = [entry for entry in known if entry.name == ref]
    if not matches and ref.endswith(".py"):
        module = _load_file(Path(base_dir or ".") / Path(ref).expanduser(), ref)
        names = [key for key, value in vars(module).items() if is_plugin(value)] or ["Class"]
        full = f"{ref}:{names[0]}"
        raise NotFoundError(f"{ref!r} names a file without a class; write {full!r}")
    if not matches:
        hints = [suggest(ref, [entry.name for entry in known])]
        if not hints[0].startswith("did you mean"):
            hints += ["'roqsim catalog plugins' lists them", family.who_may_bring_it()]
        raise NotFoundError(f"no installed package has a plugin {ref!r}; {'; '.join(filter(None, hints))}")
    if len({entry.value for entry in matches}) > 1:
        places = ", ".join(f"{entry.dist} ({entry.value})" for entry in matches)
        raise PluginError(f"the plugin name {ref!r} is announced by {places}; write module:Class instead")
    return matches[0].load()


def _import(name: str, form: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            package = family.how_to_install(name.partition(".")[0])
            hint = package or "is its package installed, and is the folder on PYTHONPATH?"
            raise NotFoundError(f"{form}: there is no module {error.name!r}; {hint}") from None
        raise _import_failure(form, error) from error
    except (Exception, SystemExit) as error:
        raise _import_failure(form, error) from error


def _import_failure(form: str, error: BaseException) -> PluginError:
    if isinstance(error, SystemExit):
        return PluginError(f"{form}: the module ends the process while it is imported")
    if isinstance(error, SyntaxError):
        return PluginError(f"{form}: {error.msg} at {error.filename}:{error.lineno}; correct the file")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
    frames = [frame for frame in frames if Path(frame.filename) != Path(__file__)]
    place = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return PluginError(f"{form}: the import raised {type(error).__name__}: {error}{place}")


def _load_file(path: Path, ref: str) -> ModuleType:
    """The module of a file, under a name of its own in ``sys.modules``, so that two files of one name coexist."""
    form = f"{ref!r} (file.py:Class)"
    if not os.path.isfile(path):
        names = [other.name for other in path.parent.glob("*.py")] if os.path.isdir(path.parent) else []
        hint = suggest(path.name, names) if names else "the path starts from the folder of the YAML file"
        raise NotFoundError(f"{form}: there is no file {str(path)!r}; {hint}")
    path = path.resolve()
    status = path.stat()
    key = (str(path), status.st_mtime_ns, status.st_size)
    if key in _files:
        return _files[key]
    name = f"roqsim_file_{path.stem}_{hashlib.sha256(repr(key).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PluginError(f"{form}: {str(path)!r} is no Python file; name a file that ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise _import_failure(form, error) from error
    _files[key] = module
    return module


def _class_of(module: ModuleType, name: str, ref: str) -> object:
    found = getattr(module, name, None)
    if found is None:
        classes = [key for key, value in vars(module).items() if is_plugin(value)]
        place = module.__file__ or module.__name__
        is_short_name = any(entry.name == name for entry in entries(PLUGINS))
        hint = f"the plugin is called {name!r}" if is_short_name else suggest(name, classes)
        raise NotFoundError(f"{ref!r}: {place} has no class {name!r}; {hint}")
    return found


def _attribute(holder: object, name: str, form: str) -> object:
    try:
        return getattr(holder, name)
    except AttributeError:
        raise PluginError(f"{form}: {getattr(holder, '__name__', holder)!r} has no {name!r}") from None


def is_plugin(value: object) -> bool:
    """Whether a value is a class derived from ``roqsim.plugin.Plugin``."""
    bases: Sequence[type] = value.__mro__[1:] if isinstance(value, type) else ()
    return any(base.__module__ == "roqsim.plugin" and base.__qualname__ == "Plugin" for base in bases)


def _checked(found: object, ref: str) -> type:
    if is_plugin(found):
        return found
    raise PluginError(f"{ref!r} is no plugin: {found!r} does not derive from roqsim.plugin.Plugin")
