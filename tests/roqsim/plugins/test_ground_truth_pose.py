from __future__ import annotations

import numpy as np
import pytest
from roqsim.errors import RoqsimError
from roqsim.mj.poses import conjugate, from_euler, multiply, rotate
from roqsim.plugins.ground_truth_pose import GroundTruthPose
from roqsim.presence import set_present
from roqsim.testing import check_plugin

TRUTH = {"ground_truth_pose": {"rate_hz": 50}}


def falling(tmp_path, **truth):
    """A ball that was thrown, with a frame on it, high above the ground."""
    (tmp_path / "ball.xml").write_text(
        """<mujoco><worldbody><body name="ball"><geom size=".1"/><site name="tip" pos=".5 0 0"/></body>
        </worldbody></mujoco>"""
    )
    spawn = {"model": str(tmp_path / "ball.xml"), "pose": {"position": [0, 0, 100], "orientation": {"yaw": 0.5}}}
    return {
        "sim": {"timestep": 0.002, "integrator": "euler"},
        "components": [
            {"spawn_model": spawn, "name": "ball", "components": [{"ground_truth_pose": truth}]},
        ],
    }


def test_it_keeps_the_contract(tmp_path):
    check_plugin(GroundTruthPose, falling(tmp_path, rate_hz=50))


def test_position_and_stamp_agree_with_the_closed_form_of_the_integrator(world, tmp_path):
    engine = world(falling(tmp_path))
    endpoint = engine.ctx.interface.get("ball", "ground_truth_pose")
    h = 0.002
    for steps in (0, 1, 1, 48, 450):
        engine.advance(steps)
        truth = endpoint.read()
        n = engine.ctx.tick
        assert truth.stamp_ns == n * 2_000_000
        # Semi-implicit Euler: v_n = -g h n, z_n = z_0 - g h^2 n (n + 1) / 2.
        assert truth.position[2] == pytest.approx(100.0 - 9.81 * h * h * n * (n + 1) / 2, abs=1e-10)
        assert truth.twist.linear[2] == pytest.approx(-9.81 * h * n, abs=1e-10)


def test_the_twist_is_that_of_the_frame_in_its_own_axes(world, tmp_path):
    engine = world(falling(tmp_path, frame="tip"))
    engine.ctx.data.qvel[:] = [1.0, 2.0, 0.0, 0.0, 0.0, 3.0]
    engine.ctx.state_changed()
    truth = engine.ctx.interface.get("ball", "ground_truth_pose").read()
    assert truth.child_frame_id == "tip" and truth.frame_id == "world"
    assert truth.position == pytest.approx([0.5 * np.cos(0.5), 0.5 * np.sin(0.5), 100])
    back = from_euler(0, 0, -0.5)
    assert truth.twist.linear == pytest.approx(np.add(rotate(back, (1.0, 2.0, 0.0)), (0, 1.5, 0)))
    assert truth.twist.angular == pytest.approx([0, 0, 3])


def test_nobody_reading_costs_nothing(world, tmp_path, monkeypatch):
    ticks, real = [], GroundTruthPose.post_step
    monkeypatch.setattr(GroundTruthPose, "post_step", lambda plugin, ctx: ticks.append(ctx.tick) or real(plugin, ctx))
    engine = world(falling(tmp_path))
    engine.advance(100)
    assert ticks == [1]


def test_the_pose_of_a_rate_is_held_until_the_next_one_is_due(world, tmp_path):
    engine = world(falling(tmp_path, rate_hz=50))
    endpoint = engine.ctx.interface.get("ball", "ground_truth_pose")
    seen = []
    for _ in range(25):
        engine.step()
        seen.append(endpoint.read().stamp_ns // 2_000_000)
    # The first reader gets the current state, as there is no measurement of the period yet.
    assert seen == [1] * 9 + [10] * 10 + [20] * 6


def test_a_delayed_pose_comes_late_and_keeps_the_stamp_of_its_measurement(world, tmp_path):
    engine = world(falling(tmp_path, delay=0.02))
    endpoint = engine.ctx.interface.get("ball", "ground_truth_pose")
    engine.advance(10)
    assert endpoint.read() is None
    engine.advance(15)
    truth, n, h = endpoint.read(), 15, 0.002
    assert truth.stamp_ns == n * 2_000_000
    assert truth.position[2] == pytest.approx(100.0 - 9.81 * h * h * n * (n + 1) / 2, abs=1e-10)


def test_a_fault_shakes_the_pose_by_what_it_says_and_ends_with_the_reset(world, tmp_path):
    document = falling(tmp_path, frame="tip", fault={"position_stddev": 0.02, "orientation_stddev": 0.01})
    document["sim"].update(gravity=[0, 0, 0], seed=3)
    engine = world(document)
    endpoint, command = (engine.ctx.interface.get("ball", name) for name in ("ground_truth_pose", "fault"))
    exact = endpoint.read()
    command.write(True)
    moved, turned = [], []
    for _ in range(2000):
        engine.step()
        truth = endpoint.read()
        moved.append(truth.position - exact.position)
        turned.append(2.0 * np.array(multiply(conjugate(tuple(exact.quaternion)), tuple(truth.quaternion))[1:]))
    for errors, stddev in ((moved, 0.02), (turned, 0.01)):
        assert np.std(errors, axis=0) == pytest.approx([stddev] * 3, rel=0.08)
        assert np.abs(np.mean(errors, axis=0)).max() < 4 * stddev / np.sqrt(2000)
    engine.reset()
    assert endpoint.read().position.tolist() == exact.position.tolist()


def test_a_tracker_that_loses_sight_says_nothing(world, tmp_path):
    engine = world(falling(tmp_path, fault={"dropout_percent": 100}), seed=1)
    endpoint, command = (engine.ctx.interface.get("ball", name) for name in ("ground_truth_pose", "fault"))
    engine.step()
    assert endpoint.read() is not None
    command.write(True)
    engine.step()
    assert endpoint.read() is None


def test_a_fault_changes_errors_only(world, tmp_path):
    with pytest.raises(RoqsimError, match=r"fault\.frame: expected a key that a fault may change, got 'frame'"):
        world(falling(tmp_path, fault={"frame": "tip"}))


def test_it_has_to_be_nested_under_an_entity(world):
    with pytest.raises(RoqsimError, match="ground_truth_pose: expected to be nested under an entity, got no owner"):
        world({"components": [TRUTH]})


def test_a_frame_that_the_entity_lacks_gets_the_nearest_one(world, tmp_path):
    message = r"ball\.ground_truth_pose\.frame: expected the name of a body or a site, got 'tipp'; did you mean 'tip'\?"
    with pytest.raises(RoqsimError, match=message):
        world(falling(tmp_path, frame="tipp"))


def test_a_transport_learns_type_and_topic(world, tmp_path):
    engine = world(falling(tmp_path, topics={"ground_truth_pose": "/truth"}))
    endpoint = engine.ctx.interface.get("ball", "ground_truth_pose")
    assert endpoint.backend["ros2"]["type"] == "geometry_msgs.msg.PoseStamped"
    assert endpoint.backend["ros2"]["topic"] == "/truth"


def test_there_is_no_pose_of_what_is_absent(world, tmp_path):
    engine = world(falling(tmp_path))
    endpoint = engine.ctx.interface.get("ball", "ground_truth_pose")
    set_present(engine.ctx, "ball", False)
    assert endpoint.read() is None
    set_present(engine.ctx, "ball", True)
    assert endpoint.read().position[2] == 100.0
