"""What is read off a state, against closed forms."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from roqsim.analysis.distance import Distance
from roqsim.analysis.energy import Energy
from roqsim.analysis.joints import Joints
from roqsim.analysis.poses import Poses
from roqsim.analysis.touches import Touches

SCENE = """
<mujoco>
  <option gravity="0 0 -10"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="ball" pos="0 0 2"><freejoint/><geom name="ball" size="0.2" mass="3"/></body>
    <body name="box" pos="3 0 1"><freejoint/><geom name="lid" type="box" size=".1 .2 .3" mass="1"/></body>
    <body name="post" pos="0 5 0">
      <geom type="box" size=".1 .1 .1" contype="0" conaffinity="0"/>
      <body name="arm"><joint name="elbow" axis="0 1 0"/><geom size=".05" pos="1 0 0" mass="2"/>
        <body name="hand" pos="1 0 0"><joint name="wrist" type="ball"/><geom size=".02" mass=".1"/>
          <body name="finger"><joint name="grip" type="slide" axis="1 0 0"/><geom size=".02" mass=".1"/></body>
        </body>
      </body>
    </body>
    <body name="bare" pos="0 0 7"/>
  </worldbody>
  <actuator><motor name="m" joint="elbow" gear="2"/></actuator>
</mujoco>
"""


@pytest.fixture
def scene():
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def named(quantity):
    return [dict(zip([column.name for column in quantity.columns], row, strict=True)) for row in quantity.rows()]


def test_every_row_has_a_cell_a_column_of_its_type(scene):
    model, data = scene
    data.qpos[2] = 0.19
    mujoco.mj_forward(model, data)
    things = [("ball", model.body("ball").id), ("box", model.body("box").id)]
    for quantity in (
        Poses(model, data, things),
        Joints(model, data, range(model.njnt)),
        Touches(model, data, lambda body: model.body(body).name),
        Energy(model, data),
        Distance(model, data, tuple(things)),
    ):
        rows = list(quantity.rows())
        assert rows
        for row in rows:
            assert [type(cell) for cell in row] == [column.kind for column in quantity.columns]


def test_a_pose_is_that_of_the_body_frame_along_the_worlds_axes(scene):
    model, data = scene
    data.qpos[:7] = [1.0, 2.0, 3.0, math.cos(0.25), 0.0, 0.0, math.sin(0.25)]
    data.qvel[:6] = [0.5, 0.0, 0.0, 0.0, 0.0, 2.0]
    mujoco.mj_forward(model, data)
    (row,) = named(Poses(model, data, [("ball", model.body("ball").id)]))
    assert [row[f"position.{axis}"] for axis in "xyz"] == pytest.approx([1.0, 2.0, 3.0])
    assert row["yaw"] == pytest.approx(0.5)
    assert [row[f"linear.{axis}"] for axis in "xyz"] == pytest.approx([0.5, 0.0, 0.0])
    assert row["angular.z"] == pytest.approx(2.0)


def test_what_is_absent_has_no_pose_and_no_distance(scene):
    model, data = scene
    things = [("ball", model.body("ball").id), ("box", model.body("box").id)]
    assert [row["body"] for row in named(Poses(model, data, things, lambda body: body == things[0][1]))] == ["box"]
    (row,) = named(Distance(model, data, tuple(things), lambda body: body == things[0][1]))
    assert math.isnan(row["distance"])


def test_joints_are_hinges_slides_and_the_rotation_vectors_of_balls(scene):
    model, data = scene
    data.qpos[model.joint("elbow").qposadr[0]] = 0.3
    wrist = int(model.joint("wrist").qposadr[0])
    data.qpos[wrist : wrist + 4] = [math.cos(0.2), math.sin(0.2), 0.0, 0.0]
    data.ctrl[0] = 1.5
    mujoco.mj_forward(model, data)
    rows = {row["joint"]: row for row in named(Joints(model, data, range(model.njnt)))}
    assert list(rows) == ["elbow", "wrist.x", "wrist.y", "wrist.z", "grip"]
    assert (rows["elbow"]["position"], rows["elbow"]["effort"]) == pytest.approx((0.3, 3.0))
    assert [rows[f"wrist.{axis}"]["position"] for axis in "xyz"] == pytest.approx([0.4, 0.0, 0.0])


def test_units_are_exact_where_all_joints_are_of_one_kind(scene):
    model, data = scene
    units = lambda names: [c.unit for c in Joints(model, data, [model.joint(n).id for n in names]).columns]  # noqa: E731
    assert units(["elbow"]) == ["", "rad", "rad/s", "Nm"]
    assert units(["grip"]) == ["", "m", "m/s", "N"]
    assert units(["elbow", "grip"])[1] == "rad or m"


def test_energy_is_weight_times_height_plus_half_the_mass_times_speed_squared(scene):
    model, data = scene
    (before,) = named(Energy(model, data))
    data.qpos[2] += 0.5
    data.qvel[0] = 2.0
    mujoco.mj_forward(model, data)
    (after,) = named(Energy(model, data))
    assert after["potential"] - before["potential"] == pytest.approx(3 * 10 * 0.5)
    assert after["kinetic"] - before["kinetic"] == pytest.approx(0.5 * 3 * 2.0**2)
    assert after["total"] == pytest.approx(after["kinetic"] + after["potential"])


def test_the_power_of_a_motor_is_its_torque_times_its_speed(scene):
    model, data = scene
    data.ctrl[0] = 1.5
    data.qvel[model.joint("elbow").dofadr[0]] = 4.0
    mujoco.mj_forward(model, data)
    (row,) = named(Energy(model, data))
    assert row["power"] == pytest.approx(1.5 * 2 * 4.0)


def distance(scene, first, second):
    model, data = scene
    (row,) = named(Distance(model, data, ((first, model.body(first).id), (second, model.body(second).id))))
    return row


def test_a_distance_is_that_of_the_nearest_surfaces(scene):
    row = distance(scene, "ball", "box")
    # From the ball's middle at height 2 to the box's upper edge at x = 2.9, z = 1.3.
    assert row["distance"] == pytest.approx(math.hypot(2.9, 0.7) - 0.2, abs=1e-5)
    assert row["origins"] == pytest.approx(math.hypot(3.0, 1.0))
    assert [row[f"second.nearest.{axis}"] for axis in "xyz"] == pytest.approx([2.9, 0.0, 1.3], abs=1e-5)


def test_a_distance_to_the_world_is_one_to_its_surfaces(scene):
    assert distance(scene, "ball", "world")["distance"] == pytest.approx(1.8)


def test_a_thing_reaches_as_far_as_what_hangs_on_it(scene):
    model, data = scene
    data.qpos[0:3] = [1.0, 6.0, 0.0]
    mujoco.mj_forward(model, data)
    assert distance(scene, "post", "ball")["distance"] == pytest.approx(1.0 - 0.2 - 0.05, abs=1e-6)


@pytest.mark.parametrize("names", [("post", "finger"), ("finger", "post")])
def test_what_hangs_on_the_other_is_no_part_of_it(scene, names):
    model, data = scene
    data.qpos[model.joint("grip").qposadr[0]] = 0.5
    mujoco.mj_forward(model, data)
    # The finger is at x = 1.5, the nearest of the post's own geoms is the hand at x = 1.
    assert distance(scene, *names)["distance"] == pytest.approx(0.5 - 0.02 - 0.05)


def test_the_distance_of_what_has_no_surface_is_none(scene):
    row = distance(scene, "ball", "bare")
    assert math.isnan(row["distance"])
    assert row["origins"] == pytest.approx(5.0)


def test_a_resting_body_is_carried_by_its_weight(scene):
    model, data = scene
    data.qpos[2] = 0.2
    for _ in range(2000):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    owner = lambda body: model.body(body).name  # noqa: E731
    rows = named(Touches(model, data, owner, {model.body("ball").id}))
    assert [(row["first"], row["second"], row["second.geom"]) for row in rows] == [("ball", "world", "floor")]
    assert rows[0]["force.z"] == pytest.approx(30.0, rel=1e-3)
    assert rows[0]["normal"] == pytest.approx(30.0, rel=1e-3)
    assert rows[0]["distance"] < 0.0
    every = [row for row in named(Touches(model, data, owner)) if "ball" in (row["first"], row["second"])]
    assert np.sign(every[0]["force.z"]) == (1 if every[0]["first"] == "ball" else -1)


def test_the_points_of_two_geoms_are_taken_together(scene):
    model, data = scene
    data.qpos[9] = 0.3
    for _ in range(2000):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    (row,) = named(Touches(model, data, lambda body: model.body(body).name, {model.body("box").id}))
    assert row["points"] == 4
    assert row["force.z"] == pytest.approx(10.0, rel=1e-3)
    assert [row["position.x"], row["position.y"]] == pytest.approx(data.body("box").xpos[:2].tolist(), abs=1e-3)
