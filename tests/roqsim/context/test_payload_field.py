"""Values in payloads by their names: the same in tables, in sweeps and in scenarios."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from roqsim.analysis.flat import flatten
from roqsim.context.payload_field import split_field, value_in
from roqsim.errors import NotFoundError


@dataclass(frozen=True)
class Inner:
    linear: tuple[float, float, float] = (1.0, 2.0, 3.0)

    @property
    def speed(self) -> float:
        return 3.0


@dataclass(frozen=True)
class Payload:
    frame_id: str = "base"
    quaternion: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.1, 0.2, 0.3]))
    ranges: np.ndarray = field(default_factory=lambda: np.array([0.5, 0.25]))
    covariance: np.ndarray = field(default_factory=lambda: np.arange(6.0).reshape(2, 3))
    twist: Inner = Inner()
    touches: tuple[Inner, ...] = (Inner(),)
    away: Inner | None = None
    count: int = 3


def at(name):
    return value_in(Payload(), split_field(name), "robot/x")


def test_every_column_of_a_payloads_table_names_its_value():
    cells = {name: cell for name, cell in flatten(Payload()).items() if name != "touches"}
    assert {name: at(name) for name in cells} == cells
    assert {"quaternion.w", "twist.linear.y", "ranges[1]", "covariance[1,2]"} <= set(cells)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ranges.1", 0.25),
        ("ranges[-1]", 0.25),
        ("covariance.1.2", 5.0),
        ("twist.linear[0]", 1.0),
        ("touches.0.linear.z", 3.0),
        ("touches[0].speed", 3.0),
        ("away.linear.x", None),
    ],
)
def test_indices_go_with_dots_too_and_properties_are_fields(name, value):
    assert at(name) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("twist.linaer", r"robot/x\.twist: expected one of its fields, got 'linaer'; did you mean 'linear'\?"),
        ("ranges[2]", r"robot/x\.ranges: expected one of its fields, got '2'; it has 2 elements, counted from 0"),
        ("ranges.x", "got 'x'; it has 2 elements"),
        ("twist.linear.w", "got 'w'; it has 3 elements"),
        ("count.0", r"robot/x\.count: expected one of its fields, got '0'; it is a single value"),
        ("frame_id.0", "it is a single value"),
        ("__class__", "got '__class__'"),
    ],
)
def test_what_is_not_there_is_answered_with_what_is(name, text):
    with pytest.raises(NotFoundError, match=text):
        at(name)
