from __future__ import annotations

import numpy as np
import pytest
from roqsim.context import PoseStamped, Twist
from roqsim.testing import differences, record, reset_audit

ONE_ARM = """
components:
  - spawn_model: {{model: {arm}, motion: static}}
    name: left
"""

TWO_ARMS = """
components:
  - spawn_model: {{model: {arm}, motion: static, prefix: a/}}
    name: a
  - spawn_model: {{model: {arm}, motion: static, prefix: b/, pose: {{position: {{y: 1}}}}}}
    name: b
"""


def test_an_arm_stands_at_home_with_its_control_before_the_first_step_and_holds_it(world, arm):
    engine = world(ONE_ARM.format(arm=arm))
    data = engine.ctx.data
    assert list(data.qpos) == [0.7, -0.4]
    assert list(data.ctrl) == [0.7, -0.4]
    engine.advance(2000)
    assert np.abs(data.qpos - [0.7, -0.4]).max() < 0.02
    assert np.abs(data.qvel).max() < 1e-6


def test_two_robots_with_keyframes_both_stand_at_home_on_load_and_on_reset(world, arm):
    engine = world(TWO_ARMS.format(arm=arm), reset=False)
    home = [0.7, -0.4, 0.7, -0.4]
    assert list(engine.ctx.data.qpos) == home
    assert list(engine.ctx.data.ctrl) == home
    engine.reset()
    engine.ctx.data.ctrl[:] = 0
    engine.advance(500)
    engine.reset()
    assert list(engine.ctx.data.qpos) == home
    assert list(engine.ctx.data.ctrl) == home


def test_an_actuator_with_a_slash_in_its_name_is_found(world, arm):
    engine = world(TWO_ARMS.format(arm=arm))
    assert engine.ctx.model.actuator("a/j1").id != engine.ctx.model.actuator("b/j1").id


def test_a_reset_restores_every_endpoint_bit_for_bit(world, arm):
    engine = world(TWO_ARMS.format(arm=arm))
    assert reset_audit(engine, 1.0) == []


def test_a_seed_pins_the_episode_and_gives_the_same_bytes(world, arm):
    engine = world(TWO_ARMS.format(arm=arm))
    engine.reset(seed=1)
    first = record(engine, 0.5)
    engine.advance(123)
    engine.reset(seed=1)
    assert engine.ctx.episode == 1
    assert differences(first, record(engine, 0.5)) == []


def test_a_driven_passer_by_is_back_at_its_beginning_after_a_reset(world, arm, tmp_path):
    (tmp_path / "walker.xml").write_text(
        "<mujoco><worldbody><body name='walker'><geom type='capsule' size='.2 .6'/></body></worldbody></mujoco>"
    )
    document = ONE_ARM.format(arm=arm) + (
        f"  - spawn_model: {{model: {tmp_path / 'walker.xml'}, motion: driven, pose: {{position: {{x: 1, z: 0.8}}}}}}\n"
        "    name: walker\n"
    )
    engine = world(document)
    set_pose = engine.ctx.interface.get("walker", "set_pose")

    def walk() -> list[bytes]:
        engine.reset(seed=1)
        states = []
        for tick in range(200):
            position = np.array([1.0 - 0.005 * tick, 0.0, 0.8])
            set_pose.write(PoseStamped(0, "world", "walker", position, np.array([1.0, 0.0, 0.0, 0.0]), Twist()))
            engine.step()
            states.append(engine.ctx.data.qpos.tobytes() + engine.ctx.data.mocap_pos.tobytes())
        return states

    first = walk()
    engine.advance(77)
    assert walk() == first
    engine.reset(seed=1)
    assert engine.ctx.data.mocap_pos[0].tolist() == [1.0, 0.0, 0.8]


GRIPPER = """
<mujoco><worldbody>
  <body name="palm"><geom size=".05"/>
    <body name="finger" pos=".1 0 0"><joint name="slide" type="slide" axis="1 0 0" range="0 .1" limited="true"/>
      <geom size=".02"/></body>
    <body name="part" pos="0 0 -.2"><joint name="held" type="slide" axis="0 0 1"/><geom size=".03"/></body>
  </body>
</worldbody>
<equality><weld name="grip" body1="palm" body2="part" active="true"/></equality>
<actuator><pid name="force" joint="slide" kp="10" ki="20" kv="1"/></actuator></mujoco>
"""


def test_a_weld_and_an_integrator_are_as_at_the_start_after_a_reset(world, tmp_path):
    (tmp_path / "gripper.xml").write_text(GRIPPER)
    spawn = {"model": str(tmp_path / "gripper.xml"), "motion": "static", "pose": {"position": {"z": 1.0}}}
    engine = world({"components": [{"spawn_model": spawn, "name": "gripper"}]})
    data = engine.ctx.data

    def wind_up(engine):
        data.eq_active[0] = 0
        data.ctrl[0] = 0.5
        engine.advance(500)
        assert data.act[0] > 0.1 and data.joint("gripper_held").qpos[0] < -0.5

    assert reset_audit(engine, 0.4, wind_up) == []
    wind_up(engine)
    engine.reset()
    assert (data.eq_active[0], data.act[0], data.joint("gripper_held").qpos[0]) == (1, 0.0, 0.0)


def test_the_keyframe_of_a_worlds_own_file_is_its_home(world, arm):
    engine = world({"sim": {"world": str(arm)}})
    assert list(engine.ctx.data.qpos) == [0.7, -0.4]
    assert list(engine.ctx.data.ctrl) == [0.7, -0.4]


def test_worlds_in_one_process_do_not_disturb_each_other(world, arm, tmp_path):
    documents = [
        ONE_ARM.format(arm=arm),
        TWO_ARMS.format(arm=arm),
        "components:\n  - boxes: {instances: [{name: c, size: [0.2, 0.2, 0.2], pose: {position: {z: 1}}}]}\n",
    ]

    def run(order):
        found = {}
        for index in order:
            engine = world(documents[index])
            found[index] = record(engine, 0.3)
            engine.shutdown()
        return found

    forward, backward = run([0, 1, 2]), run([2, 1, 0])
    for index in range(3):
        assert differences(forward[index], backward[index]) == []


def test_the_first_step_resets_a_world_that_was_not_reset(world, arm):
    engine = world(ONE_ARM.format(arm=arm), reset=False)
    assert engine.ctx.episode == 0
    engine.step()
    assert engine.ctx.episode == 1
    assert engine.ctx.tick == 1


@pytest.mark.slow
def test_a_thousand_resets_leave_memory_flat(world, arm):
    import resource

    engine = world(TWO_ARMS.format(arm=arm))
    for _ in range(200):
        engine.reset()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(1000):
        engine.reset()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 5 * 1024
