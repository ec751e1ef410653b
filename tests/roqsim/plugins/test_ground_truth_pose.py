from __future__ import annotations

import numpy as np
import pytest
from roqsim.errors import RoqsimError
from roqsim.mj.poses import from_euler, rotate
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


def test_nobody_reading_costs_nothing(world, tmp_path):
    engine = world(falling(tmp_path))
    assert engine.due(1) == []


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
