from __future__ import annotations

import math
import re

import pytest
from roqsim.config.nodes import loads
from roqsim.errors import ConfigError
from roqsim_sensors.rays.range_value import RangeValue


def read(text: str) -> RangeValue:
    return RangeValue.from_node(loads(text, "world.yaml"), "lidar.no_return")


@pytest.mark.parametrize(
    ("text", "number"),
    [("inf", math.inf), (".inf", math.inf), ("-inf", -math.inf), ("-.inf", -math.inf), ("0", 0.0), ("12.5", 12.5),
     ("max", 10.0), ("max+0.5", 10.5), ("max + 1e-3", 10.001), ("Inf", math.inf)],
)  # fmt: skip
def test_a_value_is_read_as_people_write_it(text, number):
    value = read(text)
    assert value.resolve(10.0) == pytest.approx(number)
    assert not value.is_raw


@pytest.mark.parametrize("text", ["nan", ".nan", "NaN"])
def test_no_number_is_a_value_too(text):
    assert math.isnan(read(text).resolve(10.0))


def test_raw_is_the_distance_itself():
    assert read("raw").is_raw


@pytest.mark.parametrize("text", ["infinite", "max-1", "max+x", "max+inf", "true", "[1]", "maximum", "", "{a: 1}"])
def test_anything_else_is_refused_with_what_is_possible(text):
    with pytest.raises(
        ConfigError, match=r"lidar\.no_return: expected metres, inf, -inf, nan, max, max\+metres or raw, got"
    ):
        read(text)


@pytest.mark.parametrize("text", ["inf", "-inf", "12.5", "max", "max+0.5", "raw", "nan"])
def test_a_value_prints_as_it_is_written_and_the_schema_takes_it(text):
    assert str(read(text)) == text
    number, word = RangeValue.json_schema()["anyOf"]
    assert number == {"type": "number"}
    assert text == "12.5" or re.fullmatch(word["pattern"], text)
