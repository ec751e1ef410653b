"""Physics options that may change while a world runs: read as a whole, changed together or not at all.

What is not among them holds for the whole run: the step, because time is counted in steps, and the flags.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from roqsim.config.nodes import Node, Origin, from_plain
from roqsim.config.schema import fields_of, read_value
from roqsim.config.sim import ContactOverride, SimOptions, check_contact_floor
from roqsim.context import SimContext
from roqsim.errors import ConfigError, Problem, RoqsimError, suggest
from roqsim.generation import OptionsEpoch
from roqsim.mj import contact_override
from roqsim.mj.options import NAMED, name_of_number, number_of

KEY = "runtime_options"
"""The blackboard's key for the options of a simulation."""

OVERRIDE = "contact_override"
"""The option that holds several of MuJoCo's, and the flag that puts them in force."""

Vector = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class OptionsSnapshot:
    """The options as they are at one moment; units and meanings are those of the ``sim`` block.

    Attributes:
        epoch: Which change they are the result of.
    """

    epoch: OptionsEpoch
    integrator: str
    solver: str
    cone: str
    iterations: int
    ls_iterations: int
    noslip_iterations: int
    impratio: float
    gravity: Vector
    density: float
    viscosity: float
    wind: Vector
    contact_override: ContactOverride | None

    def values(self) -> dict[str, object]:
        """The options by name, without the epoch."""
        values = {name: getattr(self, name) for name in NAMES}
        return values | {OVERRIDE: None if self.contact_override is None else vars(self.contact_override)}


NAMES = tuple(field.name for field in dataclasses.fields(OptionsSnapshot) if field.name != "epoch")
"""What can change."""

FIELDS = {field.name: field for field in fields_of(SimOptions)}


class RuntimeOptions:
    """The options of one simulation, for the physics thread; use ``of`` to get at them.

    Args:
        ctx: A simulation with a compiled model.
    """

    def __init__(self, ctx: SimContext) -> None:
        self._ctx = ctx
        self._owners: dict[str, str] = {}
        self._epoch = OptionsEpoch()
        self._declared = self._read()
        self._unused = contact_override.parameters(ctx.model.opt)
        ctx.blackboard.set(KEY, self)

    @classmethod
    def of(cls, ctx: SimContext) -> RuntimeOptions:
        """The options of a simulation."""
        found = ctx.blackboard.get(KEY)
        return found if isinstance(found, RuntimeOptions) else cls(ctx)

    def snapshot(self) -> OptionsSnapshot:
        """The options now."""
        return OptionsSnapshot(epoch=self._epoch, **self._read())

    def patch(self, values: Mapping[str, object], where: str = "options") -> OptionsSnapshot:
        """Changes some options; with one mistake in them, none is changed.

        Args:
            values: New values by name; ``contact_override`` takes a mapping, or None to end it.
            where: What errors begin with.

        Raises:
            ConfigError: If a name is none of ``NAMES`` or owned, or a value breaks its rule; it holds every mistake.
        """
        node = from_plain(values, Origin("command", None))
        if not node.is_mapping:
            raise ConfigError(Problem(where, "a mapping of options to their values", node.shown()))
        problems: list[Problem] = []
        parsed = {name: self._parsed(name, each, f"{where}.{name}", problems) for name, each in node.value.items()}
        if problems:
            raise ConfigError(problems)
        self._write(parsed)
        return self.snapshot()

    def claim(self, name: str, owner: str) -> None:
        """Reserves an option for a component that writes it all the time; to be called in ``configure``.

        Args:
            name: The option.
            owner: The component's address.

        Raises:
            RoqsimError: If somebody else states it: the world's ``sim`` block, or another component.
        """
        if name not in NAMES:
            raise ValueError(f"claim: expected an option, got {name!r}; {suggest(name, NAMES)}")
        stated = (self._ctx.config.get("sim") or {}).get(name)
        other = self._owners.get(name)
        if stated is not None or other is not None:
            rule = f"{owner}: expected to be the only one that sets {name}"
            raise RoqsimError(
                f"{rule}, got sim.{name} too; remove it" if other is None else f"{rule}, got {other!r} too"
            )
        self._owners[name] = owner

    def restore(self) -> None:
        """Goes back to what the world declares; the engine does it at every reset."""
        if self._read() != self._declared:
            self._write(self._declared)
        self._epoch = OptionsEpoch(self._ctx.episode)

    def _parsed(self, name: str, node: Node, where: str, problems: list[Problem]) -> object:
        text = repr(name)
        if name not in NAMES:
            hint = f"{text} holds for the whole run; " if name in FIELDS else ""
            problems.append(
                Problem(where, "an option that can change while it runs", text, None, hint + suggest(name, NAMES))
            )
        elif name in self._owners:
            owner = self._owners[name]
            problems.append(
                Problem(where, "an option that no component sets", text, None, f"{owner!r} sets it all the time")
            )
        elif node.value is None and name == OVERRIDE:
            return None
        elif node.value is None:
            problems.append(Problem(where, "a value", "null"))
        else:
            try:
                value = read_value(FIELDS[name].type, node, where, FIELDS[name].rule)
                return self._whole_override(value, where) if name == OVERRIDE else value
            except ConfigError as error:
                problems += [dataclasses.replace(problem, origin=None) for problem in error.problems]
        return None

    def _whole_override(self, change: ContactOverride, where: str) -> ContactOverride:
        """The parameters that hold after a change, checked together."""
        now = contact_override.parameters(self._ctx.model.opt)
        changed = {name: value for name, value in vars(change).items() if value is not None}
        if not changed and not contact_override.is_on(self._ctx.model.opt):
            names = ", ".join(repr(name) for name in now)
            raise ConfigError(Problem(where, f"a mapping with one of {names}", "{}"))
        for name, value in changed.items():
            if isinstance(value, tuple):
                changed[name] = value + now[name][len(value) :]
        try:
            whole = ContactOverride(**{**now, **changed})
        except ValueError as error:
            raise ConfigError(f"{where}.{error}") from None
        if change.solref is not None:
            check_contact_floor(whole, self._ctx.dt, where)
        return whole

    def _read(self) -> dict[str, object]:
        option = self._ctx.model.opt
        override = ContactOverride(**contact_override.parameters(option)) if contact_override.is_on(option) else None
        return {name: override if name == OVERRIDE else _value(option, name) for name in NAMES}

    def _write(self, values: Mapping[str, object]) -> None:
        option = self._ctx.model.opt
        for name, value in values.items():
            if name == OVERRIDE:
                contact_override.switch(option, value is not None)
                contact_override.set_parameters(option, self._unused if value is None else vars(value))
            elif name in NAMED:
                setattr(option, name, number_of(name, value))
            elif isinstance(value, tuple):
                getattr(option, name)[:] = value
            else:
                setattr(option, name, value)
        self._epoch = self._epoch.next()
        self._ctx.state_changed()


def _value(option: mujoco.MjOption, name: str) -> object:
    value = getattr(option, name)
    if name in NAMED:
        return name_of_number(name, int(value))
    return tuple(value.tolist()) if isinstance(value, np.ndarray) else value
