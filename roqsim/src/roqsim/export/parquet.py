"""The states of a run as Parquet: one file with a column for each number, or a folder with a table for each kind."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from roqsim.destination import new_file, new_folder
from roqsim.errors import ConfigError, RecordingError
from roqsim.export.columns import Columns, actuator_columns, body_columns, joint_columns
from roqsim.extras import load_extra
from roqsim.recording import open_recording

if TYPE_CHECKING:
    import pyarrow

    from roqsim.engine import Engine
    from roqsim.recording import Recording

SUFFIX = ".parquet"

BATCH = 4096
"""How many samples become one row group of a file."""

TOLD = ("world", "overrides", "seed", "episode", "dt", "versions")
"""What of a recording's own knowledge goes into the metadata of a table, as JSON under ``roqsim``."""

Times = dict[str, list[float] | list[int]]


def export_parquet(
    recording: str | os.PathLike[str], out: str | os.PathLike[str], *, overwrite: bool = False
) -> dict[str, object]:
    """Writes positions and velocities of joints, poses of bodies and controls at every sample.

    A file that ends in ``.parquet`` becomes one table, a row a sample, with columns such as
    ``joint.robot_left_wheel.position``. A name without an ending is a folder with ``joints.parquet``,
    ``bodies.parquet`` and ``actuators.parquet``, a row for each thing and sample, named in the column ``joint``,
    ``body`` or ``actuator``.

    Args:
        recording: A recording, or the directory of a run.
        out: The file or the folder.
        overwrite: Whether what is there may be replaced.

    Returns:
        How many ``samples`` were written, and the ``files``.

    Raises:
        ConfigError: pyarrow is missing, or the place exists or cannot be written.
        RecordingError: It cannot be read.
    """
    _pyarrow()
    target = Path(out)
    if target.suffix.lower() not in (SUFFIX, "") and not target.is_dir():
        rule = f"expected a file that ends in {SUFFIX}, or a folder, got {target.suffix!r}"
        raise ConfigError(f"{target}: {rule}; rename it")
    run = open_recording(recording)
    if not len(run):
        raise RecordingError(f"{run.path}: expected a recording with at least one sample, got none")
    engine = run.rebuild()
    try:
        model = engine.ctx.model
        kinds = [joint_columns(model), body_columns(model), actuator_columns(model)]
        if target.suffix.lower() == SUFFIX:
            with new_file(target, overwrite=overwrite) as file:
                _write_wide(file, kinds, run, engine)
            files = [target]
        else:
            names = [_table_name(each.kind) for each in kinds]
            with new_folder(target, names, overwrite=overwrite) as folder:
                _write_long(folder, kinds, run, engine)
            files = [target / name for name in names]
    finally:
        engine.shutdown()
    return {"samples": len(run), "files": [str(file) for file in files]}


def _table_name(kind: str) -> str:
    return {"body": "bodies"}.get(kind, f"{kind}s") + SUFFIX


def _write_wide(file: Path, kinds: list[Columns], run: Recording, engine: Engine) -> None:
    pa, parquet = _pyarrow()
    names = [name for each in kinds for name in each.full_names]
    schema = pa.schema([*_time_fields(), *(pa.field(name, pa.float64()) for name in names)], metadata=_provenance(run))
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for times, values in _batches(kinds, run, engine):
            numbers = np.hstack(values)
            columns = [*times.values(), *(_array(numbers[:, row]) for row in range(len(names)))]
            writer.write_table(pa.table(columns, schema=schema), row_group_size=BATCH)


def _write_long(folder: Path, kinds: list[Columns], run: Recording, engine: Engine) -> None:
    pa, parquet = _pyarrow()
    plans = [_Long(each) for each in kinds]
    schemas = [
        pa.schema(
            [
                *_time_fields(),
                pa.field(plan.kind, pa.dictionary(pa.int32(), pa.string())),
                *(pa.field(name, pa.float64()) for name in plan.names),
            ],
            metadata=_provenance(run),
        )
        for plan in plans
    ]
    writers = []
    try:
        for plan, schema in zip(plans, schemas, strict=True):
            writers.append(parquet.ParquetWriter(folder / _table_name(plan.kind), schema, compression="zstd"))
        for times, values in _batches(kinds, run, engine):
            for plan, schema, writer, numbers in zip(plans, schemas, writers, values, strict=True):
                writer.write_table(plan.table(times, numbers, schema))
    finally:
        for writer in writers:
            writer.close()


class _Long:
    """How the columns of a kind become rows of its things; what a thing does not have is null there.

    Attributes:
        kind: Of the things.
        names: The columns beside time and name.
    """

    def __init__(self, columns: Columns) -> None:
        self.kind = columns.kind
        self.names = list(dict.fromkeys(columns.names))
        self._things = list(dict.fromkeys(columns.things))
        self._rows = np.full((len(self.names), len(self._things)), -1)
        for row, (thing, name) in enumerate(zip(columns.things, columns.names, strict=True)):
            self._rows[self.names.index(name), self._things.index(thing)] = row

    def table(self, times: Times, numbers: np.ndarray, schema: pyarrow.Schema) -> pyarrow.Table:
        """A table of some samples; ``numbers`` is ``(samples, columns)``."""
        pa, _ = _pyarrow()
        samples, things = len(numbers), len(self._things)
        columns = [np.repeat(each, things) for each in times.values()]
        codes = np.tile(np.arange(things, dtype=np.int32), samples)
        columns.append(pa.DictionaryArray.from_arrays(codes, pa.array(self._things, pa.string())))
        for rows in self._rows:
            missing = rows < 0
            values = numbers[:, np.where(missing, 0, rows)] if things else np.zeros((samples, 0))
            columns.append(_array(np.where(missing, np.nan, values)))
        return pa.table(columns, schema=schema)


def _batches(kinds: list[Columns], run: Recording, engine: Engine) -> Iterator[tuple[Times, list[np.ndarray]]]:
    """Some samples at a time: when they were, and for each kind ``(samples, columns)`` numbers."""
    samples = run.restored(engine)
    for first in range(0, len(run), BATCH):
        count = min(BATCH, len(run) - first)
        values = [np.empty((count, len(each.names))) for each in kinds]
        for row, _ in enumerate(islice(samples, count)):
            for each, numbers in zip(kinds, values, strict=True):
                numbers[row] = each.take(engine.ctx)
        part = slice(first, first + count)
        yield {"tick": run.ticks[part], "time": run.times[part], "wall": run.walls[part]}, values


def _array(values: np.ndarray) -> pyarrow.Array:
    """Numbers in one row after the other; what is NaN is null."""
    pa, _ = _pyarrow()
    flat = np.ascontiguousarray(values).reshape(-1)
    return pa.array(flat, pa.float64(), mask=np.isnan(flat))


def _time_fields() -> list[pyarrow.Field]:
    pa, _ = _pyarrow()
    return [pa.field("tick", pa.int64()), pa.field("time", pa.float64()), pa.field("wall", pa.float64())]


def _provenance(run: Recording) -> dict[str, str]:
    return {"roqsim": json.dumps({key: run.meta.get(key) for key in TOLD}, ensure_ascii=False)}


def _pyarrow() -> tuple[object, object]:
    return tuple(load_extra(name, "parquet", "export parquet") for name in ("pyarrow", "pyarrow.parquet"))
