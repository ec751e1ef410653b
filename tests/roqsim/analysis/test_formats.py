"""Tables in files: what is written is read back as it was, by other programs, and a file is whole or not there."""

from __future__ import annotations

import csv
import io
import json
import math
import tracemalloc
from dataclasses import dataclass, field

import numpy as np
import pyarrow.parquet
import pytest
from roqsim.analysis import formats
from roqsim.analysis.flat import TooLargeError, flatten
from roqsim.analysis.table import TIME, Column, Table

COLUMNS = (TIME, Column("body", kind=str), Column("x", "m"), Column("n", kind=int), Column("on", kind=bool))
ROWS = [(0.0, 'a, "b"', 0.1 + 0.2, 3, True), (0.5, "ü", math.inf, -1, False), (1.0, "", math.nan, 0, True)]


def table(rows=ROWS):
    return Table("things", COLUMNS, iter(rows), ("body",))


def written(name, rows=ROWS):
    out = io.StringIO()
    formats.TEXT_FORMATS[name](table(rows), out)
    return out.getvalue()


def test_csv_is_read_back_to_the_last_bit():
    head, *rows = csv.reader(io.StringIO(written("csv")))
    assert head == ["time", "body", "x", "n", "on"]
    assert [row[1] for row in rows] == [row[1] for row in ROWS]
    assert [float(row[2]) for row in rows[:2]] == [0.1 + 0.2, math.inf]
    assert math.isnan(float(rows[2][2]))


def test_json_is_one_line_with_units_and_nothing_that_json_has_no_word_for():
    text = written("json")
    assert text.endswith("\n")
    assert text.count("\n") == 1
    document = json.loads(text, parse_constant=lambda word: pytest.fail(word))
    assert document["columns"][2] == {"name": "x", "unit": "m"}
    assert document["rows"][0] == [0.0, 'a, "b"', 0.1 + 0.2, 3, True]
    assert document["rows"][1][2] == "inf"


def test_a_table_for_people_is_aligned_and_has_units():
    lines = written("table").splitlines()
    assert lines[0].split() == ["time", "[s]", "body", "x", "[m]", "n", "on"]
    assert len({line.index(word) for line, word in zip(lines[1:3], ("0.3", "inf"), strict=True)}) == 1


def test_a_wide_table_for_people_says_what_it_leaves_out():
    columns = (TIME, *(Column(f"c{index}") for index in range(40)))
    out = io.StringIO()
    formats.write_text(Table("wide", columns, iter([(0.0,) * 41])), out)
    assert f"... and {41 - formats.MOST_COLUMNS} more columns" in out.getvalue()


def test_an_empty_table_has_its_head():
    assert written("csv", []) == "time,body,x,n,on\n"
    assert json.loads(written("json", []))["rows"] == []
    assert written("table", []).startswith("time [s]")


def test_parquet_has_types_units_and_every_row(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "BATCH", 2)
    formats.write_parquet(table(), tmp_path / "t.parquet")
    found = pyarrow.parquet.read_table(tmp_path / "t.parquet")
    assert [str(each) for each in found.schema.types] == ["double", "string", "double", "int64", "bool"]
    assert found.schema.field("x").metadata == {b"unit": b"m"}
    assert found.column("x").to_pylist()[:2] == [0.1 + 0.2, math.inf]
    assert found.num_rows == 3


@pytest.mark.parametrize("name", ["table", "csv", "json"])
def test_a_long_table_is_written_row_by_row(name, tmp_path):
    rows = ((index * 0.01, "a", float(index), index, True) for index in range(200_000))
    with (tmp_path / "out").open("w") as file:
        tracemalloc.start()
        formats.TEXT_FORMATS[name](Table("long", COLUMNS, rows), file)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert (tmp_path / "out").stat().st_size > 4e6
    assert peak < 1e6


# Payloads


@dataclass(frozen=True)
class Inner:
    linear: tuple[float, float, float] = (1.0, 2.0, 3.0)


@dataclass(frozen=True)
class Payload:
    stamp_ns: int = 5
    frame_id: str = "base"
    on: bool = True
    quaternion: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0, 0.0]))
    ranges: np.ndarray = field(default_factory=lambda: np.array([0.5, np.inf], dtype=np.float32))
    covariance: np.ndarray = field(default_factory=lambda: np.eye(2))
    twist: Inner = Inner()
    none: None = None
    touches: tuple[Inner, ...] = (Inner(),)
    counts: dict = field(default_factory=lambda: {"b": 1, "a": np.float64("nan")})


def test_a_payload_becomes_cells_by_path():
    assert flatten(Payload()) == {
        "stamp_ns": 5,
        "frame_id": "base",
        "on": True,
        "quaternion.w": 1.0,
        "quaternion.x": 0.0,
        "quaternion.y": 0.0,
        "quaternion.z": 0.0,
        "ranges[0]": 0.5,
        "ranges[1]": math.inf,
        "covariance[0,0]": 1.0,
        "covariance[0,1]": 0.0,
        "covariance[1,0]": 0.0,
        "covariance[1,1]": 1.0,
        "twist.linear.x": 1.0,
        "twist.linear.y": 2.0,
        "twist.linear.z": 3.0,
        "none": None,
        "touches": '[{"linear": [1.0, 2.0, 3.0]}]',
        "counts": '{"a": "nan", "b": 1}',
    }
    assert all(type(cell) in (int, float, bool, str, type(None)) for cell in flatten(Payload()).values())


@pytest.mark.parametrize("payload", [np.zeros((4, 4, 3)), np.zeros(5000), object(), b"jpeg"])
def test_a_picture_is_no_row(payload):
    with pytest.raises(TooLargeError):
        flatten(payload)


def test_a_plain_number_is_a_value():
    assert flatten(3) == {"value": 3}
    assert flatten(np.float32(0.5)) == {"value": 0.5}
