"""A robot whose model has a slash in every name, as URDFs of several arms and MuJoCo's own attachments have."""

from __future__ import annotations

import pytest

MODEL = """
<mujoco model="cart">
  <compiler angle="radian"/>
  <worldbody>
    <body name="cart/base" pos="0 0 .06">
      <freejoint/>
      <geom type="box" size=".15 .1 .02" mass="4" pos="0 0 .02"/>
      <geom type="sphere" size=".02" pos="-.12 0 -.04" friction="0" condim="1"/>
      <site name="cart/mast" pos="0 0 .2"/>
      <body name="cart/left" pos=".05 .12 0">
        <joint name="cart/left_joint" axis="0 1 0"/>
        <geom type="cylinder" euler="1.5708 0 0" size=".06 .01" mass=".2"/>
      </body>
      <body name="cart/right" pos=".05 -.12 0">
        <joint name="cart/right_joint" axis="0 1 0"/>
        <geom type="cylinder" euler="1.5708 0 0" size=".06 .01" mass=".2"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <velocity name="cart/left" joint="cart/left_joint" kv="1" ctrlrange="-20 20" ctrllimited="true"/>
    <velocity name="cart/right" joint="cart/right_joint" kv="1" ctrlrange="-20 20" ctrllimited="true"/>
  </actuator>
</mujoco>
"""

WORLD = """
sim: {timestep: 0.002, integrator: implicitfast}
components:
  - spawn_robot: {model: cart.xml, actuators: {each: {cart/left: {d: 2.0}}}}
    name: robot
    components:
      - diff_drive:
          left_joints: [cart/left_joint]
          right_joints: [cart/right_joint]
          wheel_radius: 0.06
          wheel_separation: 0.24
          max_linear_speed: 0.5
          max_angular_speed: 2.0
      - joint_state: {joints: [cart/left_joint]}
        name: encoder
      - ground_truth_pose: {frame: cart/mast}
      - spawn_sensor: {model: rplidar_a1, parent: cart/mast, frame_id: laser}
        name: eye
      - model_override: {overrides: [{field: dof_damping, select: cart/left_joint, value: 5.0}]}
"""


@pytest.fixture
def engine(world, tmp_path):
    """The robot in a room, its left gain changed once more from outside."""
    (tmp_path / "cart.xml").write_text(MODEL)
    override = "components.robot.actuators.each.cart/left.d=3.0"
    return world(WORLD.replace("cart.xml", str(tmp_path / "cart.xml")), overrides=override)


def test_gains_and_overrides_find_an_actuator_with_a_slash(engine):
    model = engine.ctx.model
    left, right = (model.actuator(f"robot_cart/{side}").id for side in ("left", "right"))
    assert (model.actuator_gainprm[left, 0], model.actuator_gainprm[right, 0]) == (3.0, 1.0)


def test_a_drive_moves_wheels_with_a_slash_and_reports_them(engine):
    handle = engine.ctx.blackboard.require("robot:robot")
    for _ in range(20):
        handle.drive(0.3, 0.0, 0.0)
        engine.advance(50)
    assert handle.read_odom()[0] == pytest.approx(0.3 * 2.0, rel=0.1)
    get = engine.ctx.interface.get
    assert get("robot", "joint_states").read().names == ("cart/left_joint", "cart/right_joint")
    assert get("robot", "encoder").read().names == ("cart/left_joint",)
    truth = get("robot", "ground_truth_pose").read()
    assert truth.child_frame_id == "cart/mast"
    assert truth.position[0] == pytest.approx(handle.read_odom()[0], abs=0.06)


def test_a_sensor_mounted_at_a_site_with_a_slash_is_published_in_its_frame(engine):
    (frame,) = engine.ctx.interface.get("robot.eye", "mount_tf").read().transforms
    assert (frame.frame_id, frame.child_frame_id) == ("cart/mast", "laser")
    assert engine.ctx.interface.get("robot.eye", "scan").read().frame_id == "laser"


def test_a_change_at_run_time_finds_a_joint_with_a_slash(engine):
    model = engine.ctx.model
    dof = model.joint("robot_cart/left_joint").dofadr[0]
    command = engine.ctx.interface.get("robot.model_override", "override", "in")
    assert model.dof_damping[dof] == 0.0
    command.write(True)
    engine.advance(10)
    assert model.dof_damping[dof] == 5.0
