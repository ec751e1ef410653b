"""Files that are no recordings, and damaged ones: one clear error, or what is left of the run; never a wrong number."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import numpy as np
import pytest
from mcap.writer import Writer
from roqsim.errors import RecordingError
from roqsim.recording import open_recording, record, stream

from .conftest import POPULATED


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "got an empty file"),
        (b"robots: 3\n", r"got a file that begins with b'robots: '"),
        (b"\x89MCAP0\r\n", "got one that breaks off in its head"),
        (b"PK\x03\x04 and so on", "expected a recording that is whole, got BadZipFile"),
        (stream.MAGIC, "got one that breaks off in its head"),
        (stream.MAGIC + b"garbage" * 9, "got one that breaks off in its head"),
    ],
    ids=["empty", "text", "magic alone", "zip", "stream", "garbage"],
)
@pytest.mark.parametrize("name", ["run.mcap", "run.npz"])
def test_what_is_no_recording_is_refused_with_its_name(folder, content, reason, name):
    Path(name).write_bytes(content)
    with pytest.raises(RecordingError, match=rf"{name}: .*{reason}"):
        open_recording(name)


@pytest.mark.parametrize("name", ["world.yaml", "world.xml"])
def test_a_world_in_the_place_of_a_recording_is_told_how_to_become_one(folder, name):
    Path(name).write_text("sim: {}\n")
    with pytest.raises(RecordingError) as caught:
        open_recording(name)
    assert str(caught.value) == (
        f"{name}: expected a recording (.mcap, .npz), got a world; 'roqsim sim {name} --record run.mcap' makes one"
    )


def test_a_bag_of_somebody_else_is_told_from_a_recording(folder):
    with open("bag.mcap", "wb") as file:
        writer = Writer(file)
        writer.start("ros2")
        channel = writer.register_channel(
            "/chatter", "cdr", writer.register_schema("std_msgs/msg/String", "ros2msg", b"")
        )
        writer.add_message(channel, 0, b"\0\1\0\0", 0)
        writer.finish()
    with pytest.raises(RecordingError, match=r"bag.mcap: expected a recording of roqsim, got an MCAP file without"):
        open_recording("bag.mcap")


def test_arrays_of_somebody_else_are_told_from_a_recording(folder):
    np.savez("arrays.npz", a=np.ones(3))
    with pytest.raises(RecordingError, match=r"arrays.npz: .* got an .npz file without 'meta' and 'samples'"):
        open_recording("arrays.npz")


@pytest.mark.parametrize("name", ["run.mcap", "run.npz", "run.npz.stream"])
def test_a_newer_format_is_refused_and_an_unknown_one_too(recorded, name, monkeypatch):
    monkeypatch.setattr("roqsim.recording.provenance.FORMAT_VERSION", 2)
    if name.endswith("stream"):
        Path("run.npz.part").mkdir()
    with pytest.raises(RecordingError) as caught:
        recorded(path=name.removesuffix(".stream"))
    assert str(caught.value).startswith(f"{name}: expected format_version <= 1, got 2; roqsim ")


@pytest.mark.parametrize("format", ["robovast.run_capture", None])
def test_another_format_is_named(recorded, format, monkeypatch):
    monkeypatch.setattr("roqsim.recording.provenance.FORMAT", format)
    with pytest.raises(RecordingError, match=rf"expected the format 'roqsim.recording', got {format!r}"):
        recorded()


@pytest.fixture(params=["run.mcap", "run.npz", "run.npz.stream"])
def whole(request, folder, world):
    """The bytes of a recording of each kind, its states, and where to put damaged copies."""
    engine = world(POPULATED, base_dir=folder, reset=False)
    name = request.param.removesuffix(".stream")
    recorder = record(engine, name, 500.0)
    engine.reset()
    for _ in range(4):
        engine.advance(100)
        recorder.flush()
    data = (folder / request.param).read_bytes() if request.param.endswith("stream") else None
    engine.shutdown()
    states = open_recording(name).states
    copy = folder / "copies" / request.param
    copy.parent.mkdir()
    return (folder / request.param).read_bytes() if data is None else data, states, copy


def places(length, count=150):
    """Places in a file: all near its begin and its end, some in between."""
    middle = random.Random(0).sample(range(length), min(count, length))
    return sorted({*range(min(120, length)), *middle, *range(max(0, length - 120), length)})


def test_a_file_that_breaks_off_anywhere_gives_an_error_or_its_begin(whole):
    data, states, copy = whole
    read = 0
    for cut in places(len(data)):
        copy.write_bytes(data[:cut])
        try:
            recording = open_recording(copy)
        except RecordingError as error:
            assert str(error).startswith(f"{copy}: expected")
            continue
        assert not recording.complete
        assert recording.states.tobytes() == states[: len(recording)].tobytes()
        assert len(recording.times) == len(recording.walls) == len(recording)
        read += len(recording) > 0
    if copy.suffix != ".npz":
        assert read > 100


def test_a_changed_byte_anywhere_gives_an_error_or_nothing_but_the_truth(whole):
    data, states, copy = whole
    chance = random.Random(1)
    refused = 0
    for place in places(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= chance.randrange(1, 256)
        copy.write_bytes(damaged)
        try:
            recording = open_recording(copy)
            found = recording.states
        except RecordingError as error:
            assert str(error).startswith(f"{copy}: expected")
            refused += 1
            continue
        assert found.tobytes() == states[: len(recording)].tobytes()
        assert recording.seed == 3 and recording.episode == 1
        assert len(recording) == len(states) or not recording.complete
    assert refused > 20


def test_zeros_that_a_crashed_disk_left_at_the_end_are_no_samples(whole):
    data, states, copy = whole
    if copy.suffix == ".npz":
        pytest.skip("a packed file is there as a whole or not at all")
    copy.write_bytes(data[: len(data) * 2 // 3] + bytes(5000))
    recording = open_recording(copy)
    assert not recording.complete and 0 < len(recording) < len(states)
    assert recording.states.tobytes() == states[: len(recording)].tobytes()


def test_a_recording_from_which_a_plugin_is_missing_names_it(recorded, folder):
    recorded()
    (folder / "parts.py").unlink()
    with pytest.raises(RecordingError, match=r"run.mcap: expected to build its world again, got .*parts.py"):
        open_recording("run.mcap").rebuild()


def test_a_recording_from_which_an_asset_is_missing_names_it(recorded, folder):
    recorded()
    (folder / "features.xml").unlink()
    with pytest.raises(RecordingError, match=r"run.mcap: expected to build its world again, got .*features.xml"):
        open_recording("run.mcap").rebuild()


def test_a_recording_of_a_package_that_is_not_installed_names_it_with_its_version(recorded):
    recording = recorded()
    recording.meta["components"][0] = {"teleporter": {}, "name": "beam"}
    recording.meta["packages"] = {"roqsim_science_fiction": "4.2"}
    with pytest.raises(RecordingError) as caught:
        recording.rebuild()
    assert "'teleporter'" in str(caught.value)
    assert str(caught.value).endswith("; install roqsim_science_fiction 4.2")


def test_a_model_that_has_another_size_of_state_is_refused(recorded, folder):
    recorded()
    model = folder / "features.xml"
    model.write_text(model.read_text().replace("<equality>", "<equality><joint joint1='hinge'/>"))
    with pytest.raises(RecordingError, match=r"expected a world with states of \d+ numbers and a step of 0.002 s, got"):
        open_recording("run.mcap").rebuild()


def test_a_directory_in_the_place_of_a_file_is_searched(folder):
    Path("run.mcap").mkdir()
    with pytest.raises(RecordingError, match=r"run.mcap: expected a run directory"):
        open_recording("run.mcap")


def test_notes_that_are_none_are_refused():
    from roqsim.recording.notes import from_line

    for line in ("{}", "[]", json.dumps({"note": "event"}), json.dumps({"note": "song"}), "3", "nothing"):
        with pytest.raises(ValueError):
            from_line(line)


def test_a_block_is_whole_or_not_there():
    file = io.BytesIO()
    stream.write_block(file, stream.NOTES, b"ab", b"cd")
    assert file.getvalue()[stream.HEAD.size :] == b"abcd"
    with pytest.raises(ValueError, match="expected samples of 2 numbers"):
        stream.split(b"x" * 8 * 7, 2)
