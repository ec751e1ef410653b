"""``roqsim export``: one line of JSON, one clear error, nothing half-written."""

from __future__ import annotations

import errno
import json

import pytest
from click.testing import CliRunner
from roqsim.cli.export_web import script
from roqsim.recording.recorder import record

WORLD = "sim: {timestep: 0.01}\n"
EXTRA = "components:\n  - boxes: {instances: [{name: crate, size: [1, 1, 1]}]}\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "world.yaml").write_text(WORLD)
    (tmp_path / "more.yaml").write_text("sim: {timestep: 0.005}\n")
    return tmp_path


@pytest.fixture
def recorded(here, world):
    engine = world(WORLD, reset=False)
    record(engine, "run.mcap")
    engine.reset()
    engine.advance(20)
    engine.shutdown()
    return here


def last_line(result):
    return result.stderr.strip().splitlines()[-1]


def test_web_answers_in_one_line(cli, here):
    result = cli("export", "web", "world.yaml", "--out", "scene")
    assert result.exit_code == 0
    (line,) = result.stdout.splitlines()
    reply = json.loads(line)
    assert (reply["world"], reply["out"], reply["bodies"]) == ("world.yaml", "scene", 1)
    assert {path.name for path in (here / "scene").iterdir()} >= {"scene.json", "scene.bin"}


def test_web_takes_changes_of_the_world(cli, here):
    (here / "boxes.yaml").write_text(EXTRA)
    result = cli("export", "web", "boxes.yaml", "--out", "scene", "--set", "components.boxes.motion=static")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["bodies"] == 2


def test_the_script_is_called_as_other_programs_call_it(here):
    words = ["--world", "world.yaml", "--override", "more.yaml", "--out", "out", "--max-tex-dim", "1024"]
    result = CliRunner().invoke(script, [*words, "--manifest", "out/.generated.json"])
    assert result.exit_code == 0, result.stderr
    assert (here / "out" / "scene.json").is_file() and (here / "out" / "scene.bin").is_file()
    inputs = json.loads((here / "out" / ".generated.json").read_text())["inputs"]
    assert inputs == sorted([str(here / "more.yaml"), str(here / "world.yaml")])


def test_the_script_shows_errors_as_the_command_does(here):
    result = CliRunner().invoke(script, ["--world", "wrold.yaml", "--out", "out"])
    assert result.exit_code == 2
    assert last_line(result) == "there is no file 'wrold.yaml'; did you mean 'world.yaml'?"
    assert not (here / "out").exists()


@pytest.mark.parametrize("name", ["capture", "mcap", "parquet"])
def test_a_run_is_exported(cli, recorded, name):
    result = cli("export", name, "run.mcap", "--out", f"out.{name}")
    assert result.exit_code == 0, result.stderr
    reply = json.loads(result.stdout)
    assert (reply["recording"], reply["out"], reply["samples"]) == ("run.mcap", f"out.{name}", 6)


@pytest.mark.parametrize("name", ["capture", "mcap", "parquet"])
def test_the_directory_of_a_run_will_do(cli, recorded, name):
    assert cli("export", name, ".", "--out", f"new/out.{name}").exit_code == 0


@pytest.mark.parametrize("name", ["capture", "mcap", "parquet"])
def test_what_exists_is_kept_unless_it_is_forced(cli, recorded, name):
    words = ("export", name, "run.mcap", "--out", f"out.{name}")
    assert cli(*words).exit_code == 0
    again = cli(*words)
    assert (again.exit_code, again.stdout) == (2, "")
    assert last_line(again).startswith(f"out.{name}: expected a ")
    assert last_line(again).endswith("; name another, or add --force")
    assert cli(*words, "--force").exit_code == 0


@pytest.mark.parametrize("name", ["capture", "mcap", "parquet"])
def test_what_is_no_recording_has_a_status_of_its_own(cli, here, name):
    (here / "run.npz").write_bytes(b"nothing of the kind")
    result = cli("export", name, "run.npz", "--out", f"out.{name}")
    assert (result.exit_code, result.stdout) == (4, "")
    assert last_line(result).startswith("run.npz: expected ")
    assert sorted(path.name for path in here.iterdir()) == ["more.yaml", "run.npz", "world.yaml"]


@pytest.mark.parametrize("name", ["capture", "mcap", "parquet"])
def test_a_missing_recording_is_a_wrong_input(cli, recorded, name):
    result = cli("export", name, "rum.mcap", "--out", f"out.{name}")
    assert result.exit_code == 2
    assert "did you mean" in last_line(result) and "run.mcap" in last_line(result)


@pytest.mark.parametrize("name", ["web", "capture", "mcap", "parquet"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_a_disk_that_refuses_is_told_and_keeps_the_good_file(cli, recorded, monkeypatch, name, number):
    words = ("export", name, "world.yaml" if name == "web" else "run.mcap", "--out", f"out.{name}")
    assert cli(*words).exit_code == 0
    kept = {path: path.read_bytes() for path in recorded.rglob("*") if path.is_file()}

    def refuse(*args, **kwargs):
        raise OSError(number, "the disk says no")

    monkeypatch.setattr("os.replace", refuse)
    result = cli(*words, "--force")
    assert (result.exit_code, result.stdout) == (1 if number == errno.ENOSPC else 2, "")
    rule = "expected a place that can be written, got 'the disk says no'; name another"
    assert last_line(result) == f"out.{name}: {rule}"
    assert {path: path.read_bytes() for path in recorded.rglob("*") if path.is_file()} == kept


def test_a_file_is_no_folder_and_a_folder_no_file(cli, recorded):
    (recorded / "file").write_text("mine")
    (recorded / "folder.parquet").mkdir()
    assert last_line(cli("export", "web", "world.yaml", "--out", "file")) == (
        "file: expected a folder to write, got a file; name another"
    )
    assert last_line(cli("export", "parquet", "run.mcap", "--out", "folder.parquet")) == (
        "folder.parquet: expected a file to write, got a folder; name a file in it"
    )


def test_a_recording_is_never_replaced_by_its_messages(cli, recorded):
    before = (recorded / "run.mcap").read_bytes()
    result = cli("export", "mcap", "run.mcap", "--out", "./run.mcap", "--force")
    assert result.exit_code == 2
    assert last_line(result) == "run.mcap: expected another file than the recording itself, got it; name another"
    assert (recorded / "run.mcap").read_bytes() == before


def test_a_misspelt_format_is_answered_with_the_nearest(cli, here):
    result = cli("export", "mcpa", "run.mcap", "--out", "x")
    assert result.exit_code == 2
    assert "did you mean 'mcap'?" in last_line(result)
