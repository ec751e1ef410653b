from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from roqsim.errors import BuildError, NotFoundError
from roqsim.mj.attach import attach
from roqsim.mj.declared import declared_options, differences
from roqsim.mj.poses import compose, from_euler, pose

ROBOT = """
<mujoco model="robot">
  <option timestep="0.002" cone="elliptic" gravity="0 0 -1.62" o_solref="0.03 1">
    <flag contact="disable" energy="enable"/>
  </option>
  <visual><map znear="0.1"/><global offwidth="1000"/></visual>
  <size memory="2M" nuser_geom="3"/>
  <worldbody>
    <body name="root" pos="0 0 1"><freejoint name="float"/><geom size=".1 .2 .3" type="box"/>
      <site name="mount" pos="0 0 .3" euler="0 90 0"/>
      <body name="link"><joint name="hinge"/><joint name="slide" type="slide"/><geom size=".1" pos="0 0 .3"/></body>
    </body>
  </worldbody>
  <actuator><motor name="m/1" joint="hinge"/><general name="lag" joint="slide" dyntype="filter" dynprm="1"/></actuator>
  <keyframe>
    <key name="folded" qpos="0 0 1 1 0 0 0 .1 .2"/>
    <key name="home" qpos="0 0 2 1 0 0 0 .5 .3" ctrl=".3 .4" act=".25"/>
  </keyframe>
</mujoco>
"""

BALL = "<mujoco><worldbody><geom size='.1'/></worldbody></mujoco>"
PLACE = ((1.0, 2.0, 0.0), from_euler(0.0, 0.0, 1.0))


def spec(xml=ROBOT):
    return mujoco.MjSpec.from_string(xml)


def compiled(parent):
    model = parent.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def test_two_copies_of_a_robot_live_side_by_side_without_a_warning(recwarn):
    parent = mujoco.MjSpec()
    for prefix in ("a_", "b_"):
        attach(parent, spec(), prefix=prefix, X_PM=PLACE, motion="physics")
    model, data = compiled(parent)
    assert [str(warning.message) for warning in recwarn] == []
    assert model.nkey == 0
    for prefix in ("a_", "b_"):
        assert model.actuator(f"{prefix}m/1").id >= 0
        assert np.allclose(data.xpos[model.body(f"{prefix}root").id], [1, 2, 1])


def test_a_worlds_physics_is_not_changed_by_what_a_model_declares():
    parent = mujoco.MjSpec()
    attached = attach(parent, spec(), prefix="a_")
    model, _ = compiled(parent)
    fresh = mujoco.MjSpec().compile()
    for field in ("timestep", "cone", "gravity", "o_solref", "disableflags", "enableflags"):
        assert np.array_equal(getattr(model.opt, field), getattr(fresh.opt, field)), field
    assert (model.vis.map.znear, model.vis.global_.offwidth) == (fresh.vis.map.znear, fresh.vis.global_.offwidth)
    assert attached.declared == {
        "timestep": 0.002,
        "cone": "elliptic",
        "gravity": (0.0, 0.0, -1.62),
        "o_solref": (0.03, 1.0),
        "disableflags.contact": True,
        "enableflags.energy": True,
    }


def test_only_what_differs_from_the_world_is_told_and_by_name():
    world = mujoco.MjSpec()
    world.option.gravity = [0, 0, -1.62]
    assert differences(declared_options(spec()), world.compile().opt) == [
        "o_solref [0.03, 1] (the world has [0.02, 1])",
        "cone elliptic (the world has pyramidal)",
        "disableflags.contact set (the world has unset)",
        "enableflags.energy set (the world has unset)",
    ]


def test_a_home_is_kept_by_name_and_stands_where_the_model_was_placed():
    parent = mujoco.MjSpec()
    home = attach(parent, spec(), prefix="a_", X_PM=PLACE, motion="physics").home
    position, quaternion = compose(PLACE, ((0.0, 0.0, 2.0), (1.0, 0.0, 0.0, 0.0)))
    assert home.qpos == {"a_float": (*position, *quaternion), "a_hinge": (0.5,), "a_slide": (0.3,)}
    assert home.ctrl == {"a_m/1": (0.3,), "a_lag": (0.4,)}
    assert home.act == {"a_lag": (0.25,)}


def test_another_keyframe_can_be_asked_for_by_name():
    parent = mujoco.MjSpec()
    assert attach(parent, spec(), prefix="a_", keyframe="folded").home.qpos == {"a_hinge": (0.1,), "a_slide": (0.2,)}
    with pytest.raises(
        NotFoundError, match=r"robot: expected a keyframe of the model, got 'foldet'; did you mean 'folded'\?"
    ):
        attach(parent, spec(), prefix="b_", keyframe="foldet", owner="robot")


def test_unnamed_joints_and_actuators_have_a_home_too():
    child = spec(
        """<mujoco><worldbody><body><joint/><geom size=".1"/>
        <body><joint name="joint2"/><joint axis="1 0 0"/><geom size=".1"/></body></body></worldbody>
        <actuator><motor joint="joint2"/></actuator><keyframe><key qpos="1 2 3" ctrl="4"/></keyframe></mujoco>"""
    )
    parent = mujoco.MjSpec()
    home = attach(parent, child, prefix="a_").home
    model, _ = compiled(parent)
    assert [home.qpos[model.joint(joint).name] for joint in range(3)] == [(1.0,), (2.0,), (3.0,)]
    assert home.ctrl == {model.actuator(0).name: (4.0,)}


def test_motion_decides_what_carries_the_root():
    parent = mujoco.MjSpec()
    free = attach(parent, spec(), prefix="a_", motion="physics")
    static = attach(parent, spec(), prefix="b_", motion="static")
    driven = attach(parent, spec(), prefix="c_", motion="driven")
    model, _ = compiled(parent)
    assert (free.base_joint, static.base_joint, driven.base_joint) == ("a_float", None, None)
    assert model.body("b_root").jntnum == 0 and model.body("b_root").mocapid == -1
    assert model.body("c_root").jntnum == 0 and model.body("c_root").mocapid == 0
    assert "b_float" not in static.home.qpos


def test_a_model_without_a_free_joint_gets_one_where_it_is_to_fall():
    parent = mujoco.MjSpec()
    xml = """<mujoco><compiler alignfree='true'/><worldbody>
        <body name='b' pos='0 0 1'><geom pos='.3 0 0' size='.1'/></body></worldbody></mujoco>"""
    attached = attach(parent, spec(xml), prefix="a_", X_PM=((1, 0, 0), (1, 0, 0, 0)), motion="physics")
    model, data = compiled(parent)
    assert attached.base_joint == "a_freejoint"
    assert np.allclose(data.qpos, [1, 0, 1, 1, 0, 0, 0])
    assert np.allclose(data.xpos[model.body("a_b").id], [1, 0, 1])


def test_joints_at_the_root_stay_and_can_not_be_driven():
    xml = """<mujoco><worldbody><body name='door'><joint name='hinge' axis='0 0 1'/><geom size='.1'/></body>
        </worldbody></mujoco>"""
    parent = mujoco.MjSpec()
    assert attach(parent, spec(xml), prefix="a_", motion="physics").base_joint is None
    model, _ = compiled(parent)
    assert model.njnt == 1
    with pytest.raises(
        BuildError, match="d: expected a root body without joints for motion 'driven', got 'door' with 'hinge'"
    ):
        attach(parent, spec(xml), prefix="b_", motion="driven", owner="d")


def test_loose_geoms_are_gathered_in_one_body():
    parent = mujoco.MjSpec()
    attached = attach(parent, spec(BALL), prefix="a_", X_PM=((0, 0, 3), (1, 0, 0, 0)), motion="physics")
    model, data = compiled(parent)
    assert (attached.body, attached.base_joint) == ("a_base", "a_freejoint")
    assert model.geom(0).bodyid == model.body("a_base").id
    mujoco.mj_step(model, data, 500)
    t = 500 * model.opt.timestep
    assert data.xpos[1, 2] == pytest.approx(3 - 9.81 * t * t / 2, rel=0.01)


def test_what_is_mounted_at_a_site_follows_the_sites_own_axes():
    parent = mujoco.MjSpec()
    attach(parent, spec(), prefix="a_", X_PM=PLACE, motion="physics")
    attached = attach(parent, spec(BALL), prefix="b_", to=parent.site("a_mount"), X_PM=((0, 0, 1), (1, 0, 0, 0)))
    model, data = compiled(parent)
    body, site = model.body(attached.body).id, model.site("a_mount").id
    expected, _ = compose(pose(model, data, "site", site), ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0)))
    assert np.allclose(data.xpos[body], expected)
    assert model.body(model.body(body).parentid[0]).name == "a_root"
    with pytest.raises(BuildError, match="expected motion 'static' for what is mounted"):
        attach(parent, spec(BALL), prefix="c_", to=parent.body("a_link"), motion="physics")


def test_a_scale_multiplies_lengths_and_keeps_density_and_gains():
    parent = mujoco.MjSpec()
    attach(parent, spec(), prefix="a_", motion="physics")
    big = attach(parent, spec(), prefix="b_", motion="physics", scale=2.0)
    model, data = compiled(parent)
    one, two = model.body("a_root"), model.body("b_root")
    assert two.mass == pytest.approx(8 * one.mass)
    assert np.allclose(two.inertia, 32 * one.inertia)
    assert np.allclose(data.xpos[two.id], [0, 0, 2])
    assert np.allclose(model.actuator("b_m/1").gainprm, model.actuator("a_m/1").gainprm)
    assert big.home.qpos["b_float"][:3] == (0.0, 0.0, 4.0)
    assert big.home.qpos["b_slide"] == (0.6,) and big.home.qpos["b_hinge"] == (0.5,)


def test_a_mass_factor_multiplies_masses_and_inertias_and_no_lengths():
    parent = mujoco.MjSpec()
    attach(parent, spec(), prefix="a_", motion="physics")
    attach(parent, spec(), prefix="b_", motion="physics", mass_factor=3.0)
    model, _ = compiled(parent)
    for name in ("root", "link"):
        one, two = model.body(f"a_{name}"), model.body(f"b_{name}")
        assert two.mass == pytest.approx(3 * one.mass)
        assert np.allclose(two.inertia, 3 * one.inertia)
        assert np.allclose(two.pos, one.pos)


def test_every_element_knows_who_added_it():
    parent = mujoco.MjSpec()
    attach(parent, spec(), prefix="a_", owner="robot")
    parent.body("a_root").add_geom(name="bad", type=mujoco.mjtGeom.mjGEOM_BOX, size=[1, -1, 1])
    parent.geom("bad").info = "elsewhere"
    parent.geoms[0].size = [-1, 1, 1]
    with pytest.raises(ValueError, match="added by 'robot'"):
        parent.compile()
    assert math.isfinite(parent.geoms[0].size[1])


DANGLING = {
    "the actuator 'x'": ("<actuator><motor name='x' joint='hing'/></actuator>", "got 'hing'"),
    "the sensor 'x'": ("<sensor><jointpos name='x' joint='hing'/></sensor>", "got 'hing'"),
    "every sensor": ("<sensor><jointpos joint='hing'/></sensor>", "got 'hing'"),
    "the equality constraint 'x'": ("<equality><weld name='x' body1='link' body2='lnk'/></equality>", "got 'lnk'"),
    "the contact pair 'x'": ("<contact><pair name='x' geom1='ball' geom2='bal'/></contact>", "got 'bal'"),
    "the contact exclusion 'x'": ("<contact><exclude name='x' body1='lnk' body2='link'/></contact>", "got 'lnk'"),
    "the tendon 'x'": ("<tendon><fixed name='x'><joint joint='hing' coef='1'/></fixed></tendon>", "got something else"),
}
LINK = "<body name='link'><joint name='hinge'/><geom name='ball' size='.1'/></body>"


@pytest.mark.parametrize("subject", DANGLING)
def test_what_refers_to_nothing_is_refused_instead_of_left_out(subject):
    extra, got = DANGLING[subject]
    text = f"<mujoco><worldbody>{LINK}</worldbody>{extra}</mujoco>"
    with pytest.raises(ValueError):
        spec(text).compile()
    parent = mujoco.MjSpec()
    attach(parent, spec(f"<mujoco><worldbody>{LINK}</worldbody></mujoco>"), prefix="a_")
    with pytest.raises(BuildError, match=f"^robot: expected {subject} to .*{got}"):
        attach(parent, spec(text), prefix="b_", owner="robot")


def test_what_refers_to_the_world_is_left_out_with_a_warning(caplog):
    text = (
        f"<mujoco><worldbody>{LINK}</worldbody><sensor><framepos name='x' objtype='body' objname='world'/>"
        "<framepos name='y' objtype='body' objname='link' reftype='body' refname='world'/></sensor></mujoco>"
    )
    parent = mujoco.MjSpec()
    attach(parent, spec(text), prefix="a_", owner="robot")
    assert [sensor.name for sensor in parent.sensors] == ["a_y"]
    assert caplog.messages == ["robot: sensor elements left out, because the world is no part of a model"]
