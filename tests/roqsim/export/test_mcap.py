"""A run in well-known messages: an independent decoder reads what the simulation said."""

from __future__ import annotations

import dataclasses
import io
import json
import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from roqsim.context import Twist
from roqsim.context.images import CameraInfo, Image, LabelImage, PointCloud
from roqsim.context.measurements import FluidPressure, Imu, MagneticField, NavSatFix, VelocityStamped, WrenchStamped
from roqsim.context.ranging import Range
from roqsim.context.reports import BatteryState
from roqsim.errors import ConfigError, RecordingError
from roqsim.export.mcap import export_mcap
from roqsim.export.mcap.definitions import FIELDS, definition, full_name
from roqsim.export.mcap.messages import MAKERS, SCALARS
from roqsim.export.mcap.sink import Sink
from roqsim.presence import set_present

from roqsim import context

PLUGINS = '''
from dataclasses import dataclass

from roqsim.config.schema import opt
from roqsim.context import Endpoint, Odometry, Transform, Twist
from roqsim.spawning.frames import offer_fixed_frames
from roqsim.plugin import Plugin
import numpy as np


@dataclass(frozen=True)
class Tally:
    stamp_ns: int
    turns: int
    names: tuple
    worst: float


class Reckoner(Plugin):
    """Remembers how far it has come, which no state tells."""

    def configure(self, ctx):
        self.travelled = 0.0
        hints = {"type": "nav_msgs.msg.Odometry", "topic": "odom", "frame_id": "odom", "child_frame_id": "base"}
        zeros = np.zeros((6, 6))
        ctx.interface.add(Endpoint("odom", "out", "crate", rate_hz=100.0, namespace="ns", backend={"ros2": hints},
            read=lambda: Odometry(ctx.time_ns, "odom", "base", self.travelled, 0.0, 0.0, Twist(), zeros, zeros)))
        ctx.interface.add(Endpoint("tally", "out", "crate", rate_hz=10.0, namespace="ns",
            read=lambda: Tally(ctx.time_ns, ctx.tick, ("a", "b"), float("nan"))))
        ctx.interface.add(Endpoint("wrong", "out", "crate", rate_hz=10.0, namespace="ns",
            backend={"ros2": {"type": "sensor_msgs.msg.LaserScan", "topic": "wrong"}}, read=lambda: {"no": "scan"}))
        frames = (Transform("base", "mast", (0.0, 0.0, 0.2), (1.0, 0.0, 0.0, 0.0)),)
        offer_fixed_frames(ctx, "tf_static", frames, owner="crate", namespace="ns", doc="A mast.")

    def on_reset(self, ctx):
        self.travelled = 0.0

    def post_step(self, ctx):
        self.travelled += ctx.dt
'''

WORLD = """
sim: {timestep: 0.002}
components:
  - spawn_model: {model: ./crate.xml, namespace: ns, motion: physics, pose: {position: {z: 1.0}}}
    name: crate
    components:
      - ground_truth_pose: {rate_hz: 50, position_stddev: 0.01}
        name: truth
  - plugins.py:Reckoner: {}
  - boxes: {instances: [{name: spare, size: [1, 1, 1], pose: {position: {x: 3, z: 0.5}}}]}
    present: false
"""

CRATE = """
<mujoco><worldbody><body name="base"><geom type="box" size="0.1 0.2 0.3" rgba="1 0 0 1"/>
<body name="lid" pos="0 0 0.3"><joint name="hinge" axis="0 1 0" ref="10"/><geom type="capsule" size="0.02 0.1"/></body>
</body></worldbody></mujoco>
"""


def decoded(path):
    """Messages by topic, each with its log time; JSON as a mapping."""
    found = defaultdict(list)
    with open(path, "rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        for _, channel, message in reader.iter_messages():
            if channel.message_encoding == "json":
                found[channel.topic].append((message.log_time, json.loads(message.data)))
        cdr = [c.topic for c in reader.get_summary().channels.values() if c.message_encoding == "cdr"]
        for _, channel, message, value in reader.iter_decoded_messages(topics=cdr):
            found[channel.topic].append((message.log_time, value))
    return found


def stamp_ns(header):
    return header.stamp.sec * 10**9 + header.stamp.nanosec


def turn(q):
    return np.array([q.w, q.x, q.y, q.z])


@pytest.fixture
def spawned(run, write):
    """A recorded second of a crate that falls, and of one that appears."""
    write("plugins.py", PLUGINS)
    write("crate.xml", CRATE)
    appear = [(0.5, lambda ctx: set_present(ctx, "spare", True))]
    return run(WORLD, 1.0, then=appear, seed=3)


def test_the_run_is_told_as_it_was(spawned, tmp_path, world):
    reply = export_mcap(spawned, tmp_path / "out.mcap")
    found = decoded(tmp_path / "out.mcap")
    assert reply["samples"] == reply["repeated"] == 26
    assert {topic: len(messages) for topic, messages in found.items()} == reply["topics"]
    again = world(WORLD, seed=3)
    again.ctx.post(lambda ctx: None)
    truth = again.ctx.interface.get("crate", "truth")
    for log_time, message in found["/ns/truth"][:20]:
        again.advance(round(log_time / 1e9 / again.ctx.dt) - again.ctx.tick)
        payload = truth.read()
        assert stamp_ns(message.header) == log_time == payload.stamp_ns
        position = message.pose.position
        assert [position.x, position.y, position.z] == payload.position.tolist()
        np.testing.assert_array_equal(turn(message.pose.orientation), payload.quaternion)


def test_an_endpoint_speaks_whenever_it_was_due(spawned, tmp_path):
    export_mcap(spawned, tmp_path / "out.mcap")
    found = decoded(tmp_path / "out.mcap")
    assert [time for time, _ in found["/ns/truth"]] == [20_000_000 * n for n in range(1, 51)]
    assert [time for time, _ in found["/ns/odom"]] == [10_000_000 * n for n in range(1, 101)]
    assert [time for time, _ in found["/clock"]] == [40_000_000 * n for n in range(26)]


def test_what_a_plugin_remembers_is_told_too(spawned, tmp_path):
    export_mcap(spawned, tmp_path / "out.mcap")
    for time, message in decoded(tmp_path / "out.mcap")["/ns/odom"]:
        assert message.pose.pose.position.x == pytest.approx(time / 1e9)
        assert (message.header.frame_id, message.child_frame_id) == ("ns/odom", "ns/base")


def test_payloads_of_no_known_type_are_json(spawned, tmp_path):
    export_mcap(spawned, tmp_path / "out.mcap")
    tallies = decoded(tmp_path / "out.mcap")["/crate/tally"]
    assert tallies[0] == (100_000_000, {"stamp_ns": 100_000_000, "turns": 50, "names": ["a", "b"], "worst": None})
    assert len(tallies) == 10


def test_a_payload_that_is_not_what_its_endpoint_says_is_json_with_a_warning(spawned, tmp_path, caplog):
    export_mcap(spawned, tmp_path / "out.mcap")
    assert decoded(tmp_path / "out.mcap")["/ns/wrong"][0][1] == {"no": "scan"}
    (warning,) = [r.getMessage() for r in caplog.records if "wrong" in r.getMessage()]
    assert warning.startswith("crate/wrong: written as JSON, because it is no sensor_msgs/LaserScan: ")


def test_transforms_lead_to_every_frame(spawned, tmp_path, world):
    export_mcap(spawned, tmp_path / "out.mcap")
    found = decoded(tmp_path / "out.mcap")
    parents = {t.child_frame_id: t.header.frame_id for topic in ("/tf", "/tf_static") for _, m in found[topic]
               for t in m.transforms}  # fmt: skip
    assert parents == {
        "ns/base": "world", "ns/lid": "ns/base", "ns/mast": "ns/base", "ns/odom": "ns/base", "spare": "world",
    }  # fmt: skip
    last = world(WORLD, seed=3)
    last.advance(500)
    transforms = {t.child_frame_id: t.transform for _, m in found["/tf"][-2:] for t in m.transforms}
    base = transforms["ns/base"]
    np.testing.assert_allclose(
        [base.translation.x, base.translation.y, base.translation.z], last.ctx.data.body("crate_base").xpos, atol=1e-12
    )
    odom = transforms["ns/odom"].translation
    assert [odom.x, odom.y, odom.z] == pytest.approx([-1.0, 0.0, 0.0])


def test_the_scene_follows_frames_and_what_comes_and_goes(spawned, tmp_path):
    export_mcap(spawned, tmp_path / "out.mcap")
    (first, scene), (second, update) = decoded(tmp_path / "out.mcap")["/sim/scene"]
    assert first == 0 and second == 520_000_000, "the first sample after the spare appeared"
    entities = {entity.id: entity for entity in scene.entities}
    assert set(entities) == {"world", "ns/base", "ns/lid"}
    assert all(entity.frame_locked and entity.frame_id == name for name, entity in entities.items())
    (cube,) = entities["ns/base"].cubes
    assert [cube.size.x, cube.size.y, cube.size.z] == pytest.approx([0.2, 0.4, 0.6])
    assert (cube.color.r, cube.color.g, cube.color.a) == (1.0, 0.0, 1.0)
    lid = entities["ns/lid"]
    assert len(lid.cylinders) == 1 and len(lid.spheres) == 2
    assert [entity.id for entity in update.entities] == ["spare"] and not update.deletions


def test_what_goes_is_deleted_from_the_scene(run, write, tmp_path):
    boxes = "[{name: crate, size: [1, 1, 1]}]"
    file = run(f"components:\n  - boxes: {{instances: {boxes}}}\n", 0.2,
               then=[(0.1, lambda ctx: set_present(ctx, "crate", False))])  # fmt: skip
    export_mcap(file, tmp_path / "out.mcap")
    found = decoded(tmp_path / "out.mcap")
    (time, update) = found["/sim/scene"][1]
    assert [(each.id, each.type) for each in update.deletions] == [("crate", 0)]
    assert max(t for t, m in found["/tf"] if any(x.child_frame_id == "crate" for x in m.transforms)) < time


def test_joints_are_told_by_the_models_own_names_and_positions(spawned, tmp_path):
    export_mcap(spawned, tmp_path / "out.mcap")
    _, message = decoded(tmp_path / "out.mcap")["/sim/joint_states"][0]
    assert message.name == ["crate_hinge"]
    assert message.position == pytest.approx([math.radians(10.0)])


def test_without_a_second_run_endpoints_are_read_in_the_states(spawned, tmp_path):
    reply = export_mcap(spawned, tmp_path / "out.mcap", from_states=True)
    assert reply["repeated"] == 0
    exact = export_mcap(spawned, tmp_path / "exact.mcap")
    found, told = decoded(tmp_path / "out.mcap"), decoded(tmp_path / "exact.mcap")
    assert [t for t, _ in found["/ns/truth"]] == [40_000_000 * n for n in range(1, 26)]
    told_at = dict(told["/ns/truth"])
    for time, message in found["/ns/truth"]:
        assert repr(message) == repr(told_at[time]), "noise is a function of the tick"
    assert exact["topics"]["/tf_static"] == reply["topics"]["/tf_static"] == 1


def test_a_run_that_cannot_be_repeated_is_told_by_its_states(run, write, tmp_path, caplog):
    write("plugins.py", PLUGINS)
    write("crate.xml", CRATE)
    file = run(WORLD, 0.4, seed=3)
    lines = PLUGINS.replace("self.travelled += ctx.dt", "self.travelled += ctx.dt; ctx.data.qvel[0] += 0.1")
    write("plugins.py", lines.replace("def post_step", "def pre_step"))
    reply = export_mcap(file, tmp_path / "out.mcap")
    assert reply["samples"] == 11 and reply["repeated"] == 1
    assert any("a second run differs" in record.getMessage() for record in caplog.records)
    heights = [t.transform.translation.z for _, m in decoded(tmp_path / "out.mcap")["/tf"] for t in m.transforms
               if t.child_frame_id == "ns/base"]  # fmt: skip
    assert len(heights) == 11 and heights[0] > heights[5] > heights[-1]


def test_every_type_has_the_definition_that_its_decoder_needs():
    assert set(MAKERS) <= set(FIELDS) and set(SCALARS) <= set(FIELDS)
    for name in FIELDS:
        text = definition(name)
        assert text.count("MSG: ") == len(set(text.split("MSG: ")[1:])), "each part once"


def through(kind, message):
    """A message as an independent decoder gives it back."""
    file = io.BytesIO()
    sink = Sink(file)
    sink.add("/x", kind, message, 0)
    sink.finish()
    file.seek(0)
    reader = make_reader(file, decoder_factories=[DecoderFactory()])
    ((schema, _, _, value),) = list(reader.iter_decoded_messages())
    assert schema.name == full_name(kind)
    return value


COVARIANCE = np.arange(9.0).reshape(3, 3)

PAYLOADS = {
    "sensor_msgs/LaserScan": context.LaserScan(
        5, "scan", -1.0, 1.0, 0.5, 0.0, 0.1, 0.2, 9.0, np.array([1, np.inf, 3], np.float32), np.zeros(0, np.float32)
    ),
    "sensor_msgs/Range": Range(5, "cone", 1, 0.3, 0.1, 2.0, 1.5),
    "sensor_msgs/JointState": context.JointStates(5, ("a", "b"), np.array([1.0, 2]), np.array([3.0, 4]), np.zeros(2)),
    "sensor_msgs/MagneticField": MagneticField(5, "mag", np.array([1e-5, 2e-5, 3e-5]), COVARIANCE),
    "sensor_msgs/FluidPressure": FluidPressure(5, "baro", 101325.0, 4.0),
    "sensor_msgs/NavSatFix": NavSatFix(5, "gps", 0, 48.1, 11.6, 500.0, COVARIANCE),
    "sensor_msgs/Imu": Imu(5, "imu", None, np.array([1.0, 2, 3]), np.array([4.0, 5, 6]), *[COVARIANCE] * 3),
    "sensor_msgs/BatteryState": BatteryState(5, 12.5, -1.0, 2.0, 3.0, 3.0, 0.5, True),
    "sensor_msgs/CameraInfo": CameraInfo(
        5, "eye", 480, 640, "plumb_bob", np.zeros(5), np.eye(3), np.eye(3), np.arange(12.0).reshape(3, 4)
    ),
    "geometry_msgs/TwistStamped": VelocityStamped(5, "enu", np.array([1.0, 2, 3]), np.zeros(3), np.zeros((6, 6))),
    "geometry_msgs/WrenchStamped": WrenchStamped(5, "tip", np.array([1.0, 2, 3]), np.array([4.0, 5, 6])),
    "geometry_msgs/PoseStamped": context.PoseStamped(
        5, "world", "base", np.array([1.0, 2, 3]), np.array([0.5, -0.5, 0.5, 0.5]), Twist()
    ),
}


@pytest.mark.parametrize("kind", PAYLOADS)
def test_a_payload_comes_back_with_its_numbers(kind):
    payload = PAYLOADS[kind]
    value = through(kind, MAKERS[kind](payload, lambda frame: f"ns/{frame}"))
    assert stamp_ns(value.header) == 5
    assert value.header.frame_id == (f"ns/{payload.frame_id}" if hasattr(payload, "frame_id") else "")
    for field in dataclasses.fields(payload):
        if hasattr(value, field.name) and field.name not in ("status", "position"):
            expected = np.asarray(getattr(payload, field.name)).reshape(-1).tolist()
            found = getattr(value, field.name)
            if isinstance(found, str):
                assert [found] == expected
                continue
            if hasattr(found, "x"):
                found = [found.x, found.y, found.z]
            assert np.asarray(found).reshape(-1).tolist() == pytest.approx(expected, rel=1e-6)


def test_an_imu_without_an_orientation_says_so():
    value = through("sensor_msgs/Imu", MAKERS["sensor_msgs/Imu"](PAYLOADS["sensor_msgs/Imu"], str))
    assert turn(value.orientation).tolist() == [0.0, 0.0, 0.0, 0.0]
    assert value.linear_acceleration.z == 6.0


@pytest.mark.parametrize(
    ("payload", "encoding", "dtype"),
    [
        (Image(5, "eye", "rgb8", np.arange(24, dtype=np.uint8).reshape(2, 4, 3)), "rgb8", np.uint8),
        (Image(5, "eye", "32FC1", np.array([[1.5, np.inf]], np.float32)), "32FC1", np.float32),
        (LabelImage(5, "eye", np.array([[1, 2], [3, 300]], np.uint16), {1: "a"}), "mono16", np.uint16),
    ],
)
def test_a_picture_comes_back_with_its_pixels(payload, encoding, dtype):
    value = through("sensor_msgs/Image", MAKERS["sensor_msgs/Image"](payload, str))
    assert (value.height, value.width, value.encoding) == (*payload.data.shape[:2], encoding)
    assert value.step * value.height == len(value.data)
    np.testing.assert_array_equal(np.frombuffer(bytes(value.data), dtype).reshape(payload.data.shape), payload.data)


def test_a_cloud_comes_back_with_its_fields():
    points = np.array([[1, 2, 3], [4, 5, np.nan]], np.float32)
    fields = {"rgb": np.array([[255, 1, 2], [3, 4, 5]], np.uint8), "ring": np.array([7, 8], np.uint16)}
    value = through("sensor_msgs/PointCloud2", MAKERS["sensor_msgs/PointCloud2"](
        PointCloud(5, "puck", 1, 2, points, False, fields), str))  # fmt: skip
    assert [(f.name, f.offset, f.datatype) for f in value.fields] == [
        ("x", 0, 7), ("y", 4, 7), ("z", 8, 7), ("rgb", 12, 7), ("ring", 16, 4),
    ]  # fmt: skip
    dtype = np.dtype({"names": ["xyz", "rgb", "ring"], "formats": ["3<f4", "<u4", "<u2"], "offsets": [0, 12, 16],
                      "itemsize": value.point_step})  # fmt: skip
    rows = np.frombuffer(bytes(value.data), dtype)
    np.testing.assert_array_equal(rows["xyz"], points)
    assert rows["rgb"].tolist() == [0xFF0102, 0x030405]
    assert rows["ring"].tolist() == [7, 8]


@given(st.text(max_size=9), st.lists(st.floats(allow_nan=False), max_size=5), st.lists(st.text(max_size=5), max_size=4))
def test_fields_of_any_length_stay_aligned(frame, numbers, names):
    message = {"header": {"frame_id": frame}, "name": names, "position": numbers, "effort": numbers[::-1]}
    value = through("sensor_msgs/JointState", message)
    assert value.header.frame_id == frame
    assert (value.name, value.position, value.velocity, value.effort) == (names, numbers, [], numbers[::-1])


def test_a_file_that_is_there_is_kept(spawned, tmp_path):
    (tmp_path / "out.mcap").write_text("mine")
    with pytest.raises(ConfigError, match=r"out\.mcap: expected a file that is not there yet"):
        export_mcap(spawned, tmp_path / "out.mcap")
    assert (tmp_path / "out.mcap").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "out.mcap", "run0"]


def test_another_ending_is_refused(spawned, tmp_path):
    with pytest.raises(ConfigError, match=r"out\.bag: expected a file that ends in \.mcap, got 'out\.bag'; rename it"):
        export_mcap(spawned, tmp_path / "out.bag")


def test_what_is_no_recording_is_refused(tmp_path):
    (tmp_path / "run.mcap").write_bytes(b"nothing of the kind")
    with pytest.raises(RecordingError):
        export_mcap(tmp_path / "run.mcap", tmp_path / "out.mcap")
    assert not (tmp_path / "out.mcap").exists()
