"""From a document to the components that run: overrides, manifests, types, and every mistake in one report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from roqsim.config.entries import FLAGS, PluginSpec, as_document, drop_keys, reserved_problem, without
from roqsim.config.expand import Expansion, Unresolved
from roqsim.config.extends import Document, is_world_path
from roqsim.config.nodes import Node
from roqsim.config.overrides import Assignment, Pass
from roqsim.config.schema import fields_of, read
from roqsim.config.sim import BUILTIN_WORLDS, SimOptions
from roqsim.config.transport import APPENDED, WAYS_ON
from roqsim.errors import ConfigError, Message, NotFoundError, PluginError, Problem, RoqsimError, reason_of, suggest
from roqsim.registry import resolve_plugin
from roqsim.worlds import MJCF, YAML, list_worlds, resolve_world


class Resolution:
    """The work on one document.

    Args:
        document: The document and its parents; it is copied.
        items: The assignments of the overrides, in order.
        problems: The mistakes found so far; takes all further ones.
        is_complete: Whether the document holds everything that manifests bring, as the one in a recording does.
    """

    def __init__(
        self, document: Document, items: Sequence[Assignment], problems: list[Problem], *, is_complete: bool = False
    ) -> None:
        self.document, self.problems = document.copy(), problems
        self.items = [Assignment(item.path, item.value.copy()) for item in items]
        self.specs: list[PluginSpec] = self.document.specs
        self.declared: list[PluginSpec] = []
        self.unresolved: list[Unresolved] = []
        self.sim: SimOptions = SimOptions()
        self.world_file: Path | None = None
        self._is_complete = is_complete

    def run(self) -> None:
        """Does all of it.

        Raises:
            ConfigError: with every mistake in the document, its parents, the manifests and the overrides.
        """
        self._override(is_last=self._is_complete)
        self.declared = [spec.copy() for spec in self.specs]
        expansion = Expansion(resolve_plugin, self.problems)
        if self._is_complete:
            for spec in self._enabled():
                expansion.find_class(spec)
        else:
            self.specs = expansion.run(self.specs)
            self._override(is_last=True, expansion=expansion)
            for spec in self._enabled():
                if all(spec.address != each.address for each in expansion.unresolved):
                    expansion.find_class(spec)
        enabled = {spec.address for spec in self._enabled()}
        self.unresolved = [each for each in expansion.unresolved if each.address in enabled]
        self.declared = [spec for spec in self.declared if spec.address in enabled]
        self._read_sim()
        for spec in self._enabled():
            self._read_config(spec)
        self._check_providers()
        if self.problems:
            raise ConfigError([*self.problems, *unresolved_problems(self.unresolved)])

    def effective(self) -> list[PluginSpec]:
        """What runs, in build order."""
        return self._enabled()

    def raw(self) -> dict[str, object]:
        """The document with everything resolved, as plain data; what is disabled is kept, and says so."""
        return {"sim": self.document.sim.plain(), "components": as_document(self.specs)}

    def _enabled(self) -> list[PluginSpec]:
        return without(self.specs, {spec.address for spec in self.specs if not spec.enabled})

    def _override(self, *, is_last: bool, expansion: Expansion | None = None) -> None:
        if not self.items:
            return
        frozen = expansion.frozen if expansion is not None else {}
        once = Pass(self.document.sim, self.specs, config_keys, is_last=is_last, frozen=frozen)
        once.apply(self.items)
        self.problems += once.problems

    def _read_sim(self) -> None:
        try:
            self.sim = read(SimOptions, self.document.sim, "sim")
        except ConfigError as error:
            self.problems += error.problems
        world = self.document.sim.get("world")
        if world is not None and isinstance(world.value, str):
            self.world_file = self._find_world(world)

    def _find_world(self, node: Node) -> Path | None:
        name = node.value
        if name in BUILTIN_WORLDS:
            return None
        expected = "a built-in world, an MJCF file or package:world"
        if not is_world_path(name) and ":" not in name:
            self.problems.append(Problem("sim.world", expected, repr(name), node.origin, suggest(name, BUILTIN_WORLDS)))
            return None
        try:
            return resolve_world(name, self.document.base_dir, MJCF).path
        except NotFoundError as error:
            hint = f"a YAML world is inherited: write 'extends: {name}' at the top" if _is_yaml(name) else str(error)
            self.problems.append(Problem("sim.world", expected, repr(name), node.origin, hint))
            return None

    def _read_config(self, spec: PluginSpec) -> None:
        cls = spec.plugin
        if cls is None:
            return
        known = config_keys(spec)
        reserved = [key for key in FLAGS if key in spec.config.value and key not in (known or ())]
        self.problems += [reserved_problem(spec, key, spec.config.value[key]) for key in reserved]
        if spec.present is not None and not cls.provides_entity:
            hint = "leave it out, or use 'enabled'"
            got = f"present: {str(spec.present).lower()}"
            self.problems.append(
                Problem(f"{spec.where}.present", "a component that is an entity", got, spec.present_origin, hint)
            )
        if cls.Config is None:
            return
        try:
            spec.typed = read(cls.Config, drop_keys(spec.config, reserved), spec.where)
        except ConfigError as error:
            self.problems += error.problems
        except Exception as error:
            text = f"{spec.where}: the Config of {spec.ref!r} failed: {reason_of(error)}"
            self.problems.append(Message(text, origin=spec.origin))

    def _check_providers(self) -> None:
        providers = [spec for spec in self._enabled() if getattr(spec.plugin, "provides_world", False)]
        for spec in providers[1:]:
            hint = f"{providers[0].address!r} at {providers[0].origin} brings ground and light already; remove one"
            place = Problem(spec.where, "one component that provides the world", repr(spec.ref), spec.origin, hint)
            self.problems.append(place)


def unresolved_problems(unresolved: Sequence[Unresolved]) -> list[Problem]:
    """The problems of components whose plugin was not found; of transport alone, one with the two ways on."""
    if unresolved and all(each.ref in APPENDED for each in unresolved):
        first, refs = unresolved[0], ", ".join(repr(each.ref) for each in unresolved)
        expected = "an installed plugin" if len(unresolved) == 1 else "installed plugins"
        return [Problem(f"components.{first.address}", expected, refs, first.origin, WAYS_ON)]
    return [
        Problem(f"components.{each.address}", "an installed plugin", repr(each.ref), each.origin, each.message)
        for each in unresolved
    ]


def _is_yaml(name: str) -> bool:
    """Whether a reference names a world of the kind that is inherited."""
    if name.lower().endswith(YAML):
        return True
    return any(asset.ref == name for asset in list_worlds())


def config_keys(spec: PluginSpec) -> frozenset[str] | None:
    """The configuration keys of a component's plugin; None where it is not found or types nothing.

    Raises:
        PluginError: the class declares a ``Config`` that cannot be read.
    """
    if spec.plugin is None:
        try:
            spec.plugin = resolve_plugin(spec.ref, spec.base_dir)
        except RoqsimError:
            return None
    if spec.plugin.Config is None:
        return None
    try:
        return frozenset(field.name for field in fields_of(spec.plugin.Config))
    except (TypeError, NameError) as error:
        text = f"{spec.where}: the Config of {spec.ref!r} cannot be read: {error}"
        raise PluginError(text, address=spec.address) from error
