"""Values as JSON can hold them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import PurePosixPath

import numpy as np
from roqsim.json_value import json_value


@dataclass(frozen=True)
class Inner:
    row: tuple[float, ...] = (1.0, float("nan"))
    array: np.ndarray = field(default_factory=lambda: np.eye(2))


VALUE = {"a": float("inf"), "b": np.float32(2), 3: {4}, "inner": Inner(), "none": None, "path": PurePosixPath("x/y")}


def test_numbers_that_json_lacks_are_texts_or_what_is_asked_for():
    told = {"a": "inf", "b": 2.0, "3": [4], "none": None, "path": "x/y"}
    inner = {"row": [1.0, "nan"], "array": [[1.0, 0.0], [0.0, 1.0]]}
    assert json_value(VALUE) == {**told, "inner": inner}
    empty = {**told, "a": None, "inner": {**inner, "row": [1.0, None]}}
    assert json_value(VALUE, infinite=lambda value: None) == empty
    json.dumps(json_value(VALUE), allow_nan=False)


def test_truth_values_stay_what_they_are():
    assert json_value([True, np.bool_(False), 1]) == [True, False, 1]
    assert type(json_value(np.bool_(True))) is bool
