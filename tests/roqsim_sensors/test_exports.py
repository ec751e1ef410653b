"""Runs of the sensors' worlds as messages: every payload has its type, every frame leads to the world."""

from __future__ import annotations

import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from roqsim.export.mcap import export_mcap
from roqsim.recording.recorder import record

WITHOUT_PICTURES = ["cloud_room", "lidar_room", "monitors", "swing_arm"]

NO_FRAME_OF_THE_MODEL = {"enu"}
"""Directions, which have no place."""


@pytest.fixture
def told(world, tmp_path):
    """The messages of some steps of a world by topic, and the parent of every frame."""

    def tell(name, steps, **options):
        engine = world(f"roqsim_sensors:{name}", reset=False)
        record(engine, tmp_path / "run.mcap")
        engine.reset()
        engine.advance(steps)
        engine.shutdown()
        export_mcap(tmp_path / "run.mcap", tmp_path / "out.mcap", **options)
        messages, parents = {}, {}
        with open(tmp_path / "out.mcap", "rb") as file:
            reader = make_reader(file, decoder_factories=[DecoderFactory()])
            for schema, channel, _, value in reader.iter_decoded_messages():
                messages.setdefault(channel.topic, (schema.name, []))[1].append(value)
                if schema.name == "tf2_msgs/msg/TFMessage":
                    parents.update({each.child_frame_id: each.header.frame_id for each in value.transforms})
        return messages, parents

    return tell


def assert_rooted(messages, parents):
    for topic, (kind, values) in messages.items():
        for value in values if hasattr(values[0], "header") else ():
            frame = value.header.frame_id
            seen = set()
            while frame in parents and frame not in seen:
                seen.add(frame)
                frame = parents[frame]
            assert frame in {"world", ""} | NO_FRAME_OF_THE_MODEL, f"{topic} ({kind}) is in {value.header.frame_id}"


@pytest.mark.parametrize("name", WITHOUT_PICTURES)
def test_every_payload_has_its_type_and_every_frame_leads_to_the_world(told, caplog, name):
    messages, parents = told(name, 300)
    assert not [record.getMessage() for record in caplog.records if "written as JSON" in record.getMessage()]
    assert len(messages) >= 5
    assert_rooted(messages, parents)


@pytest.mark.gl
@pytest.mark.slow
def test_cameras_are_drawn_again_when_they_are_asked_for(told, caplog):
    messages, parents = told("camera_room", 120, pictures=True)
    kinds = {kind for kind, _ in messages.values()}
    assert {"sensor_msgs/msg/Image", "sensor_msgs/msg/CameraInfo"} <= kinds
    assert not [record.getMessage() for record in caplog.records if "written as JSON" in record.getMessage()]
    assert_rooted(messages, parents)
    pictures = [values[-1] for kind, values in messages.values() if kind == "sensor_msgs/msg/Image"]
    assert all(len(bytes(each.data)) == each.step * each.height > 0 for each in pictures)
    assert any(len(set(bytes(each.data))) > 10 for each in pictures)


def test_cameras_are_left_out_where_nobody_asks(told):
    messages, _ = told("camera_room", 120)
    assert not {kind for kind, _ in messages.values()} & {"sensor_msgs/msg/Image", "sensor_msgs/msg/PointCloud2"}
