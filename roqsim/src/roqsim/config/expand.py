"""Splicing in what components bring: each plugin's ``expand``, recursively and depth-first.

What a component brings follows it directly, and is expanded in turn, so the build order keeps the shape of the
document: a robot, its first component, a mounted device, the device's components, the robot's next component.
Something whose owner is declared later waits for it, so a carrier is always built before what it carries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from roqsim.config.entries import PluginSpec
from roqsim.errors import ConfigError, NotFoundError, PluginError, Problem, RoqsimError, reason_of

MAX_DEPTH = 8
"""How many expansions may stand in one chain."""

Resolve = Callable[[str, Path], type]
"""Finds the class of a plugin ref; the folder is what a relative file starts from."""


@dataclass(frozen=True)
class Unresolved:
    """A component whose plugin was not found.

    Attributes:
        address: The component.
        ref: Its plugin ref.
        message: Why it was not found.
        origin: Where the entry was written.
    """

    address: str
    ref: str
    message: str
    origin: object = None


class Expansion:
    """One run over the components of a world.

    Args:
        resolve: Finds the class of a plugin ref.
        problems: Takes every mistake.
    """

    def __init__(self, resolve: Resolve, problems: list[Problem]) -> None:
        self.resolve, self.problems = resolve, problems
        self.unresolved: list[Unresolved] = []
        self.frozen: dict[str, frozenset[str]] = {}
        self._world: list[PluginSpec] = []
        self._placed: dict[str, PluginSpec] = {}
        self._waiting: dict[str, list[PluginSpec]] = {}
        self._is_active: dict[str, bool] = {}

    def run(self, declared: list[PluginSpec]) -> list[PluginSpec]:
        """Expands components.

        Args:
            declared: What the documents declare, each owner before what belongs to it.

        Returns:
            Everything in build order, disabled components included; those are not expanded.
        """
        self._world = list(declared)
        for spec in declared:
            self._place(spec)
        for owner, specs in self._waiting.items():
            for spec in specs:
                self._fail(spec, "an owner that the world has", repr(owner))
        return list(self._placed.values())

    def _fail(self, spec: PluginSpec, expected: str, got: str | None, hint: str = "") -> None:
        self.problems.append(Problem(spec.where, expected, got, spec.origin, hint))

    def _place(self, spec: PluginSpec) -> None:
        if spec.address in self._placed:
            self._fail(spec, "a label that no sibling has", repr(spec.label), f"{spec.source} brought it twice")
            return
        self._placed[spec.address] = spec
        owner_is_active = self._is_active.get(spec.owner, True) if spec.owner else True
        self._is_active[spec.address] = spec.enabled and owner_is_active
        if self._is_active[spec.address]:
            self.find_class(spec)
        brought = self._expand(spec) if self._is_active[spec.address] and spec.plugin is not None else []
        self._world += brought
        for child in brought:
            if child.owner is None or child.owner in self._placed:
                self._place(child)
            else:
                self._waiting.setdefault(child.owner, []).append(child)
        for child in self._waiting.pop(spec.address, ()):
            self._place(child)

    def find_class(self, spec: PluginSpec) -> None:
        """Sets the component's class; one that is not found is kept and noted."""
        if spec.plugin is not None:
            return
        try:
            spec.plugin = self.resolve(spec.ref, spec.base_dir)
        except RoqsimError as error:
            self.unresolved.append(Unresolved(spec.address, spec.ref, str(error), spec.origin))

    def _expand(self, spec: PluginSpec) -> list[PluginSpec]:
        cls = spec.plugin
        if not _overrides_expand(cls):
            return []
        self.frozen[spec.address] = frozenset(cls.expansion_keys)
        if len(spec.chain) >= MAX_DEPTH:
            chain = " -> ".join([*spec.chain, spec.address])
            self._fail(
                spec, f"at most {MAX_DEPTH} expansions inside each other", str(len(spec.chain) + 1), f"they are {chain}"
            )
            return []
        try:
            brought = list(cls.expand(spec, self._world, spec.base_dir))
        except ConfigError as error:
            self.problems += error.problems
            return []
        except NotFoundError as error:
            self._fail(spec, f"something that expands, but {error}", None)
            return []
        except RoqsimError:
            raise
        except Exception as error:
            text = f"{spec.where}: expand of {spec.ref!r} failed: {reason_of(error)}"
            raise PluginError(text, address=spec.address, hook="expand") from error
        for child in brought:
            if len(child.chain) <= len(spec.chain):
                child.chain = (*spec.chain, spec.address)
        return brought


def _overrides_expand(cls: type) -> bool:
    """Whether a class, or one of its bases but the base of all plugins, has an ``expand`` of its own."""
    return any("expand" in vars(base) and base.__module__ != "roqsim.plugin" for base in cls.__mro__)
