"""Writes tables: text for people, CSV, one line of JSON, Parquet; row by row, whatever their length."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import TextIO

from roqsim.analysis.table import Cell, Row, Table
from roqsim.extras import load_extra
from roqsim.json_value import json_value

PROBE = 100
"""Rows that are looked at for the widths of a table's columns."""

MOST_COLUMNS = 14
"""Columns that a line of text has room for."""

BATCH = 65_536
"""Rows of one group in a Parquet file, which are in memory together."""


def write_text(table: Table, out: TextIO) -> None:
    """Aligned columns; of a wide table the first ones."""
    columns = list(table.columns[:MOST_COLUMNS])
    rows = iter(table.rows)
    probe = [_texts(row, len(columns)) for row in islice(rows, PROBE)]
    widths = [max(len(text) for text in each) for each in zip(*probe, [c.label for c in columns], strict=True)]
    for texts in chain([[column.label for column in columns]], probe, (_texts(row, len(columns)) for row in rows)):
        cells = zip(texts, widths, columns, strict=True)
        line = "  ".join(text.ljust(w) if column.kind is str else text.rjust(w) for text, w, column in cells)
        out.write(line.rstrip() + "\n")
    if len(table.columns) > len(columns):
        out.write(f"... and {len(table.columns) - len(columns)} more columns; csv and the others have them all\n")


def _texts(row: Row, count: int) -> list[str]:
    return [_text(cell) for cell in row[:count]]


def _text(cell: Cell) -> str:
    if cell is None:
        return "-"
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)


def write_csv(table: Table, out: TextIO) -> None:
    """RFC 4180 with a head; numbers are read back as the same ones, units are in no head."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(column.name for column in table.columns)
    writer.writerows(table.rows)


def write_json(table: Table, out: TextIO) -> None:
    """One line: ``{"title", "columns": [{"name", "unit"}], "rows": [[…]]}``; a number that is not finite is a text."""
    head = {"title": table.title, "columns": [{"name": c.name, "unit": c.unit} for c in table.columns]}
    out.write(json.dumps(head, ensure_ascii=False)[:-1] + ', "rows": [')
    for index, row in enumerate(table.rows):
        text = json.dumps(json_value(row), ensure_ascii=False, allow_nan=False)
        out.write(f"{', ' if index else ''}{text}")
    out.write("]}\n")


def write_parquet(table: Table, path: Path) -> None:
    """Typed columns, with the unit of each in its metadata.

    Raises:
        ConfigError: pyarrow is missing.
    """
    pa, parquet = _pyarrow()
    types = {float: pa.float64(), int: pa.int64(), bool: pa.bool_(), str: pa.string()}
    fields = [pa.field(c.name, types[c.kind], metadata={"unit": c.unit} if c.unit else None) for c in table.columns]
    schema = pa.schema(fields, metadata={"title": table.title})
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for rows in _batches(table.rows):
            columns = [list(each) for each in zip(*rows, strict=True)]
            arrays = [pa.array(each, field.type) for each, field in zip(columns, fields, strict=True)]
            writer.write_batch(pa.record_batch(arrays, schema=schema))


def _batches(rows: Iterable[Row]) -> Iterator[Sequence[Row]]:
    rows = iter(rows)
    while batch := list(islice(rows, BATCH)):
        yield batch


def _pyarrow() -> tuple[object, object]:
    return tuple(
        load_extra(name, "parquet", "--format parquet", otherwise=", or take csv")
        for name in ("pyarrow", "pyarrow.parquet")
    )


TEXT_FORMATS: Mapping[str, Callable[[Table, TextIO], None]] = MappingProxyType(
    {"table": write_text, "csv": write_csv, "json": write_json}
)
"""The writers of texts by the name of the format."""

PARQUET = "parquet"
"""The format that is no text, and so wants a file."""

SUFFIXES = MappingProxyType({".txt": "table", ".csv": "csv", ".json": "json", ".parquet": PARQUET})
"""The formats by the suffix of a file."""


def check_format(name: str) -> None:
    """Makes sure that a format can be written here.

    Raises:
        ConfigError: The package that writes it is missing.
    """
    if name == PARQUET:
        _pyarrow()
