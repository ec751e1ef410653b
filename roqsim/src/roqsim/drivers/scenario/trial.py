"""Which world a trial of a campaign runs: chosen anew at every reset, built anew only where the choice is another."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from roqsim.config.nodes import Origin, from_plain
from roqsim.config.overrides import Assignment, from_environment, from_file, from_node, from_set
from roqsim.config.transport import Transport
from roqsim.config.world import SimConfig, load_config
from roqsim.errors import ConfigError, Problem

WorldOverrides = Mapping[str, object] | str | os.PathLike[str] | None
"""Overrides as a program states them: nested as the world is, ``PATH=VALUE``, or the path of an override file."""


@dataclass(frozen=True)
class Choice:
    """A world with what is changed of it.

    Attributes:
        world: A world file, an MJCF file, or ``package:world``.
        overrides: The assignments, in the order in which they apply.
    """

    world: str
    overrides: tuple[Assignment, ...]

    @property
    def key(self) -> tuple[str, str]:
        """What two choices have in common exactly if they are the same world with the same values."""
        values = [[each.where, each.value.plain()] for each in self.overrides]
        return self.world, json.dumps(values, default=repr)

    def load(self, transport: Transport | None) -> SimConfig:
        """Loads the world.

        Raises:
            RoqsimError: With everything that is wrong with it.
        """
        return load_config(self.world, [self.overrides], transport=transport)


def choose(world: str | os.PathLike[str] | None, layers: Sequence[tuple[str, WorldOverrides]], hint: str) -> Choice:
    """Makes a choice.

    Args:
        world: What was asked for.
        layers: By what errors call it: what is to be changed; a later one wins, and all come after the file that
            ``ROQSIM_WORLD_OVERRIDES`` names.
        hint: What to do where no world was asked for.

    Raises:
        ConfigError: If no world was asked for, or something is no override.
    """
    problems: list[Problem] = []
    if not world:
        problems.append(Problem("world", "a world file, an MJCF file, or package:world", repr(world), None, hint))
    found: list[Assignment] = []
    for read in (from_environment, *(lambda where=where, value=value: _read(where, value) for where, value in layers)):
        try:
            found += read()
        except ConfigError as error:
            problems += error.problems
    if problems:
        raise ConfigError(problems)
    return Choice(os.fspath(world), tuple(found))


def _read(where: str, overrides: WorldOverrides) -> list[Assignment]:
    if overrides is None or overrides == "":
        return []
    if isinstance(overrides, Mapping):
        return from_node(from_plain(_plain(overrides), Origin(where)))
    if isinstance(overrides, str) and "=" in overrides:
        return from_set(overrides, where)
    if isinstance(overrides, str | os.PathLike):
        return from_file(overrides, f"{where} {os.fspath(overrides)}")
    rule = "a nested mapping, PATH=VALUE, or the path of an override file"
    raise ConfigError(Problem(where, rule, repr(overrides)))


def _plain(value: object) -> object:
    """A struct of a scenario as YAML would have given it: nothing for an unset member, the name for an enumerator."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items() if each is not None}
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
        return value[0]
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
