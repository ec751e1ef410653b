"""The states of a run as Parquet: every number under its name."""

from __future__ import annotations

import json
import math
import sys

import numpy as np
import pytest
from roqsim.errors import ConfigError, RecordingError
from roqsim.export.parquet import export_parquet
from roqsim.presence import set_present
from roqsim.recording import open_recording

parquet = pytest.importorskip("pyarrow.parquet")

MACHINE = """
<mujoco>
  <worldbody>
    <body name="arm" pos="0 0 1"><joint name="lift" axis="0 1 0" ref="20"/><geom size="0.05" pos="0.2 0 0"/>
      <body name="bob" pos="0.4 0 0"><joint name="wrist" type="ball"/><geom size="0.05" pos="0 0 -0.1"/></body></body>
    <body name="crate" pos="0 1 1"><freejoint name="loose"/><geom size="0.1"/></body>
  </worldbody>
  <actuator><motor name="lifter" joint="lift" ctrlrange="-1 1"/></actuator>
</mujoco>
"""


POSITION, LINEAR, ANGULAR = ([f"{of}.{axis}" for axis in "xyz"] for of in ("position", "linear", "angular"))
ORIENTATION = [f"orientation.{axis}" for axis in "wxyz"]


@pytest.fixture
def file(run, write):
    def push(ctx):
        ctx.data.ctrl[0] = 0.25
        ctx.data.qvel[:] = np.arange(ctx.model.nv)

    return run({"sim": {"world": write("machine.xml", MACHINE)}}, 0.4, then=[(0.1, push)])


def test_a_file_has_a_column_for_each_number(file, tmp_path):
    reply = export_parquet(file, tmp_path / "run.parquet")
    assert reply == {"samples": 11, "files": [str(tmp_path / "run.parquet")]}
    table = parquet.read_table(tmp_path / "run.parquet")
    recording = open_recording(file)
    engine = recording.rebuild()
    for sample in recording:
        recording.restore(engine, sample)
        data = engine.ctx.data
        row = {name: table.column(name)[sample.index].as_py() for name in table.column_names}
        assert (row["tick"], row["time"], row["wall"]) == (sample.tick, sample.time, sample.wall)
        assert row["joint.lift.position"] == data.qpos[0] and row["joint.lift.velocity"] == data.qvel[0]
        assert [row[f"joint.wrist.{key}"] for key in ORIENTATION] == data.qpos[1:5].tolist()
        assert [row[f"joint.wrist.{key}"] for key in ANGULAR] == data.qvel[1:4].tolist()
        assert [row[f"joint.loose.{key}"] for key in POSITION] == data.qpos[5:8].tolist()
        assert [row[f"joint.loose.{key}"] for key in LINEAR + ANGULAR] == data.qvel[4:].tolist()
        assert [row[f"body.bob.{key}"] for key in POSITION] == data.body("bob").xpos.tolist()
        assert [row[f"body.bob.{key}"] for key in ORIENTATION] == data.body("bob").xquat.tolist()
        assert row["actuator.lifter.control"] == data.ctrl[0]
    assert table.column("actuator.lifter.control")[-1].as_py() == 0.25
    assert table.num_columns == 3 + (2 + 4 + 3 + 7 + 6) + 3 * 7 + 1


def test_a_folder_has_a_table_for_each_kind(file, tmp_path):
    reply = export_parquet(file, tmp_path / "tables")
    assert [path.rpartition("/")[2] for path in reply["files"]] == [
        "joints.parquet",
        "bodies.parquet",
        "actuators.parquet",
    ]
    wide = tmp_path / "run.parquet"
    export_parquet(file, wide)
    wide = parquet.read_table(wide)
    for kind, name in (("joint", "joints"), ("body", "bodies"), ("actuator", "actuators")):
        rows = parquet.read_table(tmp_path / "tables" / f"{name}.parquet").to_pylist()
        index = {time: number for number, time in enumerate(wide.column("time").to_pylist())}
        for row in rows:
            for key, value in row.items():
                column = f"{kind}.{row[kind]}.{key}"
                if column in wide.column_names:
                    assert value == wide.column(column)[index[row["time"]]].as_py()
                elif key not in ("tick", "time", "wall", kind):
                    assert value is None
    assert {row["joint"] for row in parquet.read_table(tmp_path / "tables" / "joints.parquet").to_pylist()} == {
        "lift", "wrist", "loose",
    }  # fmt: skip


def test_an_absent_body_has_no_pose(run, tmp_path):
    boxes = "[{name: crate, size: [1, 1, 1], pose: {position: {z: 3}}}]"
    file = run(f"components:\n  - boxes: {{instances: {boxes}}}\n    present: false\n", 0.2,
               then=[(0.1, lambda ctx: set_present(ctx, "crate", True))])  # fmt: skip
    export_parquet(file, tmp_path / "run.parquet")
    z = parquet.read_table(tmp_path / "run.parquet").column("body.crate.position.z").to_pylist()
    assert z[:3] == [None, None, None]
    assert all(value is not None for value in z[-2:])


@pytest.mark.parametrize("name", ["run.csv", "tables.d"])
def test_a_place_that_is_neither_a_table_nor_a_folder_is_refused(file, tmp_path, name):
    with pytest.raises(ConfigError, match=rf"{name}: expected a file that ends in \.parquet, or a folder"):
        export_parquet(file, tmp_path / name)


def test_a_table_knows_its_run(file, tmp_path):
    export_parquet(file, tmp_path / "run.parquet")
    told = json.loads(parquet.read_schema(tmp_path / "run.parquet").metadata[b"roqsim"])
    assert told["seed"] == 7 and told["dt"] == 0.002 and "mujoco" in told["versions"]


def test_long_runs_are_written_group_by_group(file, tmp_path, monkeypatch):
    export_parquet(file, tmp_path / "whole.parquet")
    monkeypatch.setattr("roqsim.export.parquet.BATCH", 4)
    export_parquet(file, tmp_path / "parts.parquet")
    assert parquet.ParquetFile(tmp_path / "parts.parquet").num_row_groups == math.ceil(11 / 4)
    assert parquet.read_table(tmp_path / "whole.parquet").equals(parquet.read_table(tmp_path / "parts.parquet"))


def test_a_world_without_actuators_has_an_empty_table_of_controls(run, tmp_path):
    export_parquet(run("sim: {timestep: 0.01}\n", 0.1), tmp_path / "tables")
    assert parquet.read_table(tmp_path / "tables" / "actuators.parquet").num_rows == 0


def test_a_missing_package_is_told_with_the_cure(file, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    text = r"export parquet: expected the package pyarrow, got none; install it with: pip install 'roqsim\[parquet\]'"
    with pytest.raises(ConfigError, match=text):
        export_parquet(file, tmp_path / "run.parquet")


def test_what_is_there_is_kept(file, tmp_path):
    for name in ("run.parquet", "tables"):
        export_parquet(file, tmp_path / name)
        with pytest.raises(ConfigError, match="add --force"):
            export_parquet(file, tmp_path / name)
        export_parquet(file, tmp_path / name, overwrite=True)


def test_what_is_no_recording_is_refused(tmp_path):
    (tmp_path / "run.npz").write_bytes(b"nothing of the kind")
    with pytest.raises(RecordingError):
        export_parquet(tmp_path / "run.npz", tmp_path / "out.parquet")
    assert not (tmp_path / "out.parquet").exists()
