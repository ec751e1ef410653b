"""The table of a sweep's results: one row a trial, in the order of the plan, whatever ran first."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from roqsim.destination import new_file
from roqsim.drivers.sweep.measure import Measure, Scalar
from roqsim.drivers.sweep.plan import Plan, Row, Trial, header
from roqsim.errors import ConfigError
from roqsim.extras import load_extra

FORMATS = (".csv", ".parquet")
"""What a table can be, by its file's suffix."""


def check_table(path: Path) -> None:
    """Makes sure that a table can be written here.

    Raises:
        ConfigError: If the suffix is unknown, or the package for it is missing.
    """
    if path.suffix not in FORMATS:
        raise ConfigError(f"--table {path}: expected a file that ends in {' or '.join(FORMATS)}, got {path.suffix!r}")
    if path.suffix == ".parquet":
        _arrow()


def write_table(
    path: Path, plan: Plan, trials: Sequence[Trial], results: Mapping[int, Mapping[str, object] | None]
) -> None:
    """Writes the results that are there, in place of an earlier table.

    Args:
        path: The file.
        plan: What was varied and measured.
        trials: The rows in their order.
        results: By the number of a trial, its result; None for one that was not run.
    """
    columns = header(plan)
    rows = [_row(plan, trial, results[trial.number]) for trial in trials if results[trial.number] is not None]
    write = _write_parquet if path.suffix == ".parquet" else _write_csv
    with new_file(path, overwrite=True) as beside:
        write(beside, columns, rows)


def _row(plan: Plan, trial: Trial, result: Mapping[str, object]) -> Row:
    factors = {f.path: _cell(f.value(level)) for f, level in zip(plan.factors, trial.levels, strict=True)}
    verdict = {key: result[key] for key in ("status", "reason", "simulated", "steps")}
    measured = {str(each): result["measures"].get(str(each)) for each in map(Measure.parse, plan.measures)}
    return {"run": trial.name, **factors, "repeat": trial.repeat, "seed": trial.seed, **verdict, **measured}


def _cell(value: object) -> Scalar:
    return value if isinstance(value, bool | int | float | str | None) else repr(value)


def _write_csv(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _write_parquet(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    arrow, parquet = _arrow()
    arrays = {}
    for column in columns:
        values = [_number(row[column]) for row in rows]
        kinds = {type(value) for value in values if value is not None}
        if len(kinds) > 1 and not kinds <= {int, float}:
            values = [None if value is None else str(value) for value in values]
        elif kinds == {int, float}:
            values = [None if value is None else float(value) for value in values]
        arrays[column] = values
    parquet.write_table(arrow.table(arrays), path)


def _number(value: Scalar) -> Scalar:
    return float(value) if value in ("inf", "-inf", "nan") else value


def _arrow() -> tuple[object, object]:
    return tuple(
        load_extra(name, "parquet", "--table", otherwise=", or take a .csv") for name in ("pyarrow", "pyarrow.parquet")
    )
