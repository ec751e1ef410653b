"""The plugin contract as a check: what every plugin, shipped or not, has to keep."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from pathlib import Path

from roqsim.config.schema import fields_of
from roqsim.plugin import HOOKS, Plugin
from roqsim.testing.audit import differences, record, reset_audit, writes_in_post_step
from roqsim.testing.worlds import world as open_world

FLAGS = ("provides_world", "transport_only", "provides_entity", "parallel_safe", "reads_derived")


def check_plugin(
    cls: type[Plugin], world: str | Mapping[str, object] | Path | None = None, *, seconds: float = 1.0
) -> None:
    """Proves that a plugin keeps the contract.

    Args:
        cls: The plugin class.
        world: A world in which it runs; without one only the class itself is checked.
        seconds: Simulated seconds of each recording in that world.

    Raises:
        AssertionError: With everything that is wrong, one line each.
    """
    if not (isinstance(cls, type) and issubclass(cls, Plugin)):
        raise AssertionError(f"expected a subclass of roqsim.Plugin, got {cls!r}")
    found = [*_class_faults(cls), *_hook_faults(cls), *_config_faults(cls)]
    if world is not None:
        found += _run_faults(cls, world, seconds)
    if found:
        raise AssertionError("\n".join(f"{cls.__name__}: {fault}" for fault in found))


def _class_faults(cls: type[Plugin]) -> list[str]:
    faults = [] if inspect.getdoc(cls) and cls.__doc__ else ["expected a docstring on the class"]
    for flag in FLAGS:
        if not isinstance(getattr(cls, flag), bool):
            faults.append(f"{flag}: expected a bool, got {getattr(cls, flag)!r}")
    if not isinstance(cls.expansion_keys, tuple):
        faults.append(f"expansion_keys: expected a tuple of names, got {cls.expansion_keys!r}")
    return faults


def _hook_faults(cls: type[Plugin]) -> list[str]:
    faults = []
    for hook in HOOKS:
        expected = list(inspect.signature(getattr(Plugin, hook)).parameters)
        got = list(inspect.signature(getattr(cls, hook)).parameters)
        if got != expected:
            faults.append(f"{hook}: expected the parameters {', '.join(expected)}, got {', '.join(got)}")
    return faults


def _config_faults(cls: type[Plugin]) -> list[str]:
    config = cls.Config
    if config is None:
        own = getattr(cls.validate_config, "__func__", None) is not Plugin.validate_config.__func__
        return [] if own else ["expected a Config dataclass or a validate_config of its own"]
    if not (dataclasses.is_dataclass(config) and config.__dataclass_params__.frozen):
        return [f"Config: expected a frozen dataclass, got {config!r}"]
    faults = [
        f"Config.{field.name}: expected a keyword-only field"
        for field in dataclasses.fields(config)
        if not field.kw_only
    ]
    if config.__name__ != f"{cls.__name__}Config":
        faults.append(f"Config: expected the name {cls.__name__}Config, got {config.__name__}")
    known = fields_of(config)
    faults += [f"Config.{field.name}: expected a docstring under the field" for field in known if not field.doc]
    names = {field.name for field in known}
    faults += [
        f"expansion_keys: expected a field of Config, got {key!r}" for key in cls.expansion_keys if key not in names
    ]
    return faults


def _run_faults(cls: type[Plugin], document: object, seconds: float) -> list[str]:
    faults = []
    with open_world(document) as engine:
        if not any(_is_of(plugin, cls) for plugin in engine.plugins):
            return [f"world: expected a component of this class, got {[type(p).__name__ for p in engine.plugins]}"]
        faults += [f"reset: {line}" for line in reset_audit(engine, seconds)]
    with open_world(document) as engine:
        guilty = writes_in_post_step(engine, seconds)
        own = {plugin.address for plugin in engine.plugins if _is_of(plugin, cls)}
        faults += [f"post_step: expected no write into the state, got one by {name}" for name in guilty if name in own]
    series = []
    for _ in range(2):
        with open_world(document) as engine:
            series.append(record(engine, seconds))
    return faults + [f"seed: {line}" for line in differences(*series)]


def _is_of(plugin: Plugin, cls: type[Plugin]) -> bool:
    """Whether a component is of a class; one that a world names by its file is of a module of its own."""
    kind = type(plugin)
    return issubclass(kind, cls) or (kind.__qualname__ == cls.__qualname__ and _file(kind) == _file(cls))


def _file(cls: type) -> Path:
    return Path(inspect.getfile(cls)).resolve()
