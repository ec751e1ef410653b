"""Every key of every sensor: what breaks its rule is refused by its name."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from importlib.metadata import entry_points

import pytest
from roqsim.config.fields import FieldInfo, fields_of
from roqsim.config.nodes import Origin, from_plain
from roqsim.config.schema import read
from roqsim.errors import ConfigError
from roqsim.plugins.ground_truth_pose import GroundTruthPose
from roqsim.plugins.model_override import ModelOverride
from roqsim.plugins.wrench import Wrench

NONSENSE = [[[{"unheard": [{}]}]]]
"""A value that no key takes."""

PLUGINS = {
    point.name: point.load()
    for point in entry_points(group="roqsim.plugins")
    if point.value.startswith("roqsim_sensors.")
} | {"ground_truth_pose": GroundTruthPose, "wrench": Wrench, "model_override": ModelOverride}


def cases(config: type, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    """Keys, nested ones too, each with a value that breaks its rule."""
    for field in fields_of(config):
        here = (*path, field.name)
        yield here, NONSENSE
        if dataclasses.is_dataclass(field.default) and not hasattr(type(field.default), "from_node"):
            yield from cases(type(field.default), here)
            continue
        for value in outside(field):
            is_row = isinstance(field.default, tuple) and field.default
            yield here, [value] * len(field.default) if is_row else value


def outside(field: FieldInfo) -> list[float]:
    """Numbers that the field's rule excludes; none where it takes no number or states no bound."""
    rule = field.rule
    found = [bound - 1 for bound in (rule.ge,) if bound is not None] + [rule.gt, rule.lt]
    found += [bound + 1 for bound in (rule.le,) if bound is not None]
    numbers = [bound for bound in found if bound is not None]
    return [*numbers, math.nan, math.inf] if numbers and rule.finite else numbers


def nested(path: tuple[str, ...], value: object) -> object:
    for key in reversed(path):
        value = {key: value}
    return value


@pytest.mark.parametrize("name", sorted(PLUGINS))
def test_a_value_that_breaks_the_rule_of_its_key_is_refused_by_the_keys_name(name):
    config, origin, silent = PLUGINS[name].Config, Origin("w.yaml", 3), []
    found = list(cases(config))
    assert len(found) >= len(fields_of(config))
    for path, value in found:
        where = ".".join(("x", *path))
        with pytest.raises(ConfigError) as caught:
            read(config, from_plain(nested(path, value), origin), "x")
        told = [problem for problem in caught.value.problems if problem.where.startswith(where)]
        if not told or any(problem.origin != origin or problem.got is None for problem in told):
            silent.append((where, value, str(caught.value)))
    assert silent == []


@pytest.mark.parametrize("name", sorted(PLUGINS))
def test_a_key_that_does_not_exist_is_refused_with_the_nearest(name):
    config = PLUGINS[name].Config
    key = max((field.name for field in fields_of(config)), key=len)
    misspelt = f"{key[:-1]}{'x' if key[-1] != 'x' else 'y'}"
    with pytest.raises(ConfigError, match=rf"x\.{misspelt}: .*did you mean '{key}'\?|x: .*did you mean '{key}'\?"):
        read(config, from_plain({misspelt: 1}, Origin("w.yaml", 3)), "x")
