"""``roqsim state`` as people and programs call it."""

from __future__ import annotations

import csv
import io
import json
import sys

import pytest
from roqsim.config.world import load_config
from roqsim.engine import Engine
from roqsim.recording import record

WORLD = """
sim: {timestep: 0.002, seed: 4, name: crates}
components:
  - boxes:
      instances:
        - {name: crate, size: [0.2, 0.2, 0.2], mass: 2, pose: {position: {z: 1.0}}}
        - {name: brick, size: [0.2, 0.2, 0.2], mass: 1, pose: {position: {x: 1.0, z: 0.1}}}
  - dummy: {}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of a run of half a second."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "world.yaml").write_text(WORLD)
    engine = Engine(load_config(folder / "world.yaml"))
    engine.setup()
    record(engine, folder / "run.npz", fps=50.0)
    engine.reset()
    engine.advance(250)
    engine.ctx.request_stop("seen enough")
    engine.shutdown()
    return folder


def test_without_a_question_there_is_an_overview(cli, folder):
    result = cli("state", folder)
    assert result.exit_code == 0, result.stderr
    for text in (
        "seen enough",
        "0.000 to 0.500 s",
        "26 at 50 Hz",
        "step 0.002 s, seed 4",
        "crate (object)",
        "dummy/count",
    ):
        assert text in result.stdout


def test_the_overview_is_one_line_of_json_for_programs(cli, folder):
    result = cli("state", folder / "run.npz", "--json")
    assert result.stdout.count("\n") == 1
    facts = json.loads(result.stdout)
    assert (facts["samples"], facts["duration"], facts["complete"], facts["seed"]) == (26, 0.5, True, 4)
    assert [entity["name"] for entity in facts["entities"]] == ["crate", "brick"]
    assert json.loads(cli("state", folder, "--format", "json").stdout) == {**facts, "recording": facts["recording"]}


@pytest.mark.parametrize("words", [("--poses", "crate", "brick"), ("--poses=crate", "--poses=brick"), ("--poses",)])
def test_names_follow_their_option(cli, folder, words):
    result = cli("state", folder, *words, "--at", 0.1, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [row["body"] for row in rows] == ["crate", "brick"]
    assert float(rows[0]["time"]) == 0.1


def test_the_recording_may_stand_behind_the_names(cli, folder):
    result = cli("state", "--poses", "crate", folder, "--at", 0.1)
    assert result.exit_code == 0, result.stderr
    assert "crate" in result.stdout


@pytest.mark.parametrize(
    ("words", "columns"),
    [
        (("--energy",), "time,kinetic,potential,total,power"),
        (("--distance", "crate", "brick"), "time,distance,origins,"),
        (("--contacts", "brick"), "time,first,first.geom,second,second.geom,points,"),
        (("--sensor", "dummy/count"), "time,stamp_ns,"),
    ],
)
def test_every_question_has_a_table(cli, folder, words, columns):
    result = cli("state", folder, *words, "--format", "csv")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith(columns)
    assert len(result.stdout.splitlines()) > 5


def test_json_of_a_table_is_one_line_and_nothing_else(cli, folder):
    result = cli("state", folder, "--poses", "--rate", 10, "--json")
    assert result.stdout.count("\n") == 1
    document = json.loads(result.stdout)
    assert len(document["rows"]) == 12
    assert document["columns"][0] == {"name": "time", "unit": "s"}


def test_the_suffix_of_the_file_chooses_the_format(cli, folder, tmp_path):
    import pyarrow.parquet

    for name in ("t.csv", "t.json", "t.parquet", "t.txt"):
        result = cli("state", folder, "--poses", "--out", tmp_path / name)
        assert result.exit_code == 0, result.stderr
        assert result.stdout == ""
        assert f"wrote {tmp_path / name}" in result.stderr
    assert pyarrow.parquet.read_table(tmp_path / "t.parquet").num_rows == 52
    assert (tmp_path / "t.csv").read_text().startswith("time,body,")
    assert json.loads((tmp_path / "t.json").read_text())["rows"]
    assert (tmp_path / "t.txt").read_text().startswith("time [s]  body")


def test_table_and_plot_come_of_one_call(cli, folder, tmp_path):
    result = cli("state", folder, "--energy", "--out", tmp_path / "e.csv", "--plot", tmp_path / "e.png")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "e.png").stat().st_size > 5000
    assert len((tmp_path / "e.csv").read_text().splitlines()) == 27


@pytest.mark.parametrize(
    ("words", "status", "last"),
    [
        (("--poses", "crat"), 2, "--poses: expected an entity or a body, got 'crat'; did you mean 'crate'?"),
        (("--sensor", "dummy/cuont"), 2, "got 'dummy/cuont'; did you mean 'dummy/count'?"),
        (("--poses", "--at", 3), 2, "--at: expected a time from 0 to 0.5 s, which was recorded, got 3"),
        (("--poses", "--rate", 100), 2, "at most the 50 Hz at which the run was recorded, got 100; record with"),
        (("--sensor", "dummy/count", "--rate", 1000), 2, "at which the stream is published, got 1000"),
        (("--poses", "--energy"), 2, "--poses, --energy: expected one table at a time; take one of them"),
        (("--at", 0.1), 2, "--at: expected something to look at; add --poses, --joints or another"),
        (("--poses", "--format", "parquet"), 2, "--format parquet: expected a file to write to, got none"),
        (("--poses", "--json", "--format", "csv"), 2, "--json: expected to stand without --format csv; take one"),
        (("--poses", "--json", "--out", "t.json"), 2, "--json: expected to stand without --out, where the table goes"),
        (("--energy", "--rerun"), 2, "--rerun: expected --sensor beside it"),
        (("--poses", "--out", "/dev/null/t.csv"), 2, "/dev/null/t.csv: expected a place that can be written"),
        (("--format", "csv"), 2, "--format: expected something to look at; add --poses, --joints or another"),
        (("--force",), 2, "--force: expected something to look at; add --poses, --joints or another"),
        (("--poses", "--plot", "p.gif"), 2, "--plot: expected a file that ends in .png, .svg, .pdf"),
    ],
)
def test_what_is_wrong_is_told_in_the_last_line(cli, folder, words, status, last):
    result = cli("state", folder, *words)
    assert (result.exit_code, result.stdout) == (status, "")
    assert last in result.stderr.splitlines()[-1]


def test_a_file_that_exists_is_replaced_only_by_force(cli, folder, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("mine")
    assert cli("state", folder, "--poses", "--out", path).exit_code == 2
    assert path.read_text() == "mine"
    assert cli("state", folder, "--poses", "--out", path, "--force").exit_code == 0
    assert path.read_text().startswith("time,")


def test_what_is_no_recording_has_exit_status_four_and_what_is_not_there_two(cli, tmp_path):
    (tmp_path / "run.mcap").write_bytes(b"something else")
    for target in (tmp_path / "run.mcap", tmp_path):
        result = cli("state", target)
        assert (result.exit_code, result.stdout) == (4, "")
    assert cli("state", tmp_path / "nowhere.mcap").exit_code == 2


def test_a_package_that_is_missing_is_named_with_the_command_that_gets_it(cli, folder, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = cli("state", folder, "--poses", "--plot", tmp_path / "p.png")
    assert "pip install 'roqsim[plot]'" in result.stderr.splitlines()[-1]
    result = cli("state", folder, "--poses", "--out", tmp_path / "t.parquet")
    assert "pip install 'roqsim[parquet]'" in result.stderr.splitlines()[-1]
    assert not list(tmp_path.iterdir())
