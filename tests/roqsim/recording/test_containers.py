"""The two containers: they hold the same run, and programs that know nothing of roqsim read them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from mcap.reader import NonSeekingReader, make_reader
from mcap_ros2.decoder import DecoderFactory
from roqsim.recording import cdr, open_recording
from roqsim.recording.ring import Batch

from .conftest import POPULATED, WORLD

SUFFIXES = ("mcap", "npz")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_state_is_read_as_it_was(folder, world, suffix):
    from roqsim.mj.state import take
    from roqsim.recording import record

    engine = world(WORLD, base_dir=folder, reset=False)
    record(engine, f"run.{suffix}", 100.0)
    engine.reset()
    states = [take(engine.ctx.model, engine.ctx.data)]
    for _ in range(20):
        engine.advance(5)
        states.append(take(engine.ctx.model, engine.ctx.data))
    engine.shutdown()
    recording = open_recording(f"run.{suffix}")
    assert recording.states.tobytes() == np.array(states).tobytes()
    assert recording.ticks.tolist() == list(range(0, 101, 5))
    assert recording.times.tolist() == [tick * 0.002 for tick in range(0, 101, 5)]
    assert (np.diff(recording.walls) > 0).all()
    assert [sample.state.tobytes() for sample in recording] == [state.tobytes() for state in states]


def test_both_containers_tell_the_same(recorded):
    mcap, npz = recorded(POPULATED, path="run.mcap"), recorded(POPULATED, path="run.npz")
    assert mcap.states.tobytes() == npz.states.tobytes()
    assert mcap.events == npz.events and mcap.inputs == npz.inputs
    assert {event.kind for event in mcap.events} == {"presence", "model_override"}
    own = {"started", "started_wall", "started_monotonic", "tick"}
    first, second = ({key: each.meta[key] for key in each.meta.keys() - own} for each in (mcap, npz))
    assert first == second


def test_numpy_alone_reads_an_npz_recording(recorded):
    recording = recorded(POPULATED, path="run.npz")
    with np.load("run.npz", allow_pickle=False) as archive:
        meta = json.loads(str(archive["meta"]))
        samples = archive["samples"]
        notes = [json.loads(line) for line in archive["notes"].tobytes().splitlines()]
    assert meta["format"] == "roqsim.recording" and meta["complete"] is True
    assert samples.dtype.names == ("tick", "time", "wall", "state")
    assert samples["state"].tobytes() == recording.states.tobytes()
    assert {note["note"] for note in notes} == {"event"}


@pytest.mark.parametrize("seeking", [True, False])
def test_an_independent_decoder_reads_an_mcap_recording(recorded, seeking):
    recording = recorded(POPULATED)
    states, texts = [], []
    with open("run.mcap", "rb") as file:
        reader = (make_reader if seeking else NonSeekingReader)(file, decoder_factories=[DecoderFactory()])
        for schema, channel, message, decoded in reader.iter_decoded_messages():
            assert channel.message_encoding == "cdr" and schema.encoding == "ros2msg"
            if channel.topic == "/roqsim/samples":
                assert decoded.first == len(states)
                assert decoded.size == recording.meta["state_size"]
                assert message.log_time == round(decoded.times[-1] * 1e9)
                states += np.reshape(decoded.states, (-1, decoded.size)).tolist()
            elif channel.topic == "/roqsim/notes":
                texts.append(json.loads(decoded.data))
    assert np.array(states).tobytes() == recording.states.tobytes()
    assert {(text["kind"], text["name"], text["value"]) for text in texts} >= {("presence", "box", False)}


def test_an_mcap_recording_carries_its_world_and_what_is_known_of_the_run(recorded):
    recorded()
    with open("run.mcap", "rb") as file:
        reader = make_reader(file)
        attached = {each.name: json.loads(each.data) for each in reader.iter_attachments()}
        told = [json.loads(each.metadata["json"]) for each in reader.iter_metadata() if each.name == "roqsim.recording"]
        assert reader.get_header().profile == "ros2"
    assert attached["declared.json"]["components"][0]["name"] == "servo"
    assert attached["resolved.json"]["sim"]["seed"] == 3
    assert [each["complete"] for each in told] == [False, True]


def test_chunks_are_small_and_compressed(recorded):
    recorded(steps=4000, fps=500.0)
    with open("run.mcap", "rb") as file:
        chunks = make_reader(file).get_summary().chunk_indexes
    assert len(chunks) > 20
    assert all(chunk.compression == "zstd" and chunk.uncompressed_size <= 132_000 for chunk in chunks)


@pytest.mark.parametrize("count", [1, 3])
def test_the_cdr_of_samples_and_texts_goes_both_ways(count):
    states = np.random.default_rng(0).normal(size=(count, 5))
    ticks = np.arange(count)
    batch = Batch(7, ticks, ticks * 0.1, ticks * 1.5, states)
    first, *columns = cdr.unpack_samples(cdr.pack_samples(batch))
    assert first == 7
    for found, wanted in zip(columns, (ticks, ticks * 0.1, ticks * 1.5, states), strict=True):
        assert np.array_equal(found, wanted)
    for text in ("", "a", "grün", "{}" * 100):
        assert cdr.unpack_text(cdr.pack_text(text)) == text


@pytest.mark.parametrize("cut", range(0, 60, 7))
def test_cdr_that_is_cut_off_is_refused(cut):
    ticks = np.arange(2)
    data = cdr.pack_samples(Batch(0, ticks, ticks * 0.1, ticks * 1.5, np.ones((2, 3))))
    with pytest.raises(ValueError, match="expected CDR bytes of samples"):
        cdr.unpack_samples(data[:cut])
    with pytest.raises(ValueError, match="expected CDR bytes of a text"):
        cdr.unpack_text(cdr.pack_text("x" * 80)[:cut])


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_long_recording_is_read_in_pieces(recorded, suffix):
    recording = recorded(steps=3000, fps=500.0, path=f"run.{suffix}")
    assert len(recording) == 3001
    for index in (0, 1234, 3000, -1):
        assert recording[index].state.tobytes() == recording.states[index].tobytes()
