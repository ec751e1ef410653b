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
from roqsim.config.sim import SimOptions
from roqsim.context import SimContext
from roqsim.errors import ConfigError, Problem, RoqsimError, suggest
from roqsim.generation import OptionsEpoch
from roqsim.mj.options import NAMED, name_of_number, number_of

KEY = "runtime_options"
"""The blackboard's key for the options of a simulation."""

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

    def values(self) -> dict[str, object]:
        """The options by name, without the epoch."""
        return {name: getattr(self, name) for name in NAMES}


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
            values: New values by name.
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
        elif node.value is None:
            problems.append(Problem(where, "a value", "null"))
        else:
            try:
                return read_value(FIELDS[name].type, node, where, FIELDS[name].rule)
            except ConfigError as error:
                problems += [dataclasses.replace(problem, origin=None) for problem in error.problems]
        return None

    def _read(self) -> dict[str, object]:
        option = self._ctx.model.opt
        return {name: _value(option, name) for name in NAMES}

    def _write(self, values: Mapping[str, object]) -> None:
        option = self._ctx.model.opt
        for name, value in values.items():
            if name in NAMED:
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
