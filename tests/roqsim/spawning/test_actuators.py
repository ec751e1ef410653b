from __future__ import annotations

import mujoco
import numpy as np
import pytest
from roqsim.config.nodes import loads
from roqsim.config.schema import json_schema
from roqsim.context import Entity, SimContext
from roqsim.errors import ConfigError
from roqsim.mj.actuators import Law, read_law, write_law
from roqsim.mj.attach import attach
from roqsim.spawning.actuators import ActuatorsConfig, apply_actuators, compensate_gravity, publish_actuators

ARM = """
<mujoco><compiler angle="radian"/><worldbody>
  <body name="base"><geom size=".1"/>
    <body name="upper" pos="0 0 .1"><joint name="shoulder" axis="0 1 0"/><geom size=".05" pos=".3 0 0" mass="2"/>
      <body name="lower" pos=".4 0 0"><joint name="elbow" axis="0 1 0"/><geom size=".05" pos=".2 0 0" mass="1"/></body>
    </body>
    <body name="wheel" pos="0 .3 0"><joint name="axle" axis="0 1 0"/><geom size=".05" mass="1"/></body>
  </body>
</worldbody>
<tendon><fixed name="t"><joint joint="elbow" coef="1"/></fixed></tendon>
<actuator>
  <position name="m1" joint="shoulder" kp="100" kv="10" ctrlrange="-1 1"/>
  <position name="m2" joint="elbow" kp="50" dampratio="1" forcerange="-30 20"/>
  <velocity name="drive" joint="axle" kv="3"/>
  {extra}
</actuator>
<keyframe><key name="home" qpos=".3 .2 0" ctrl=".3 .2 0"/></keyframe></mujoco>
"""

GEARED = '<motor name="g" joint="axle" gear="50" ctrlrange="-1 1" forcerange="-2 2"/>'


def arm(extra=""):
    return mujoco.MjSpec.from_string(ARM.format(extra=extra))


def block(text):
    return ActuatorsConfig.from_node(loads(text, "w.yaml"), "components.arm.actuators")


def apply(text, extra=""):
    spec = arm(extra)
    rows = apply_actuators(spec, block(text), "arm")
    return {row.actuator: row for row in rows}, spec


def test_a_model_without_a_block_compiles_to_the_same_bytes():
    plain, told = arm(), arm()
    rows = apply_actuators(told, None, "arm")
    assert plain.to_xml() == told.to_xml()
    assert [(row.actuator, row.joint, row.law.control) for row in rows] == [
        ("m1", "shoulder", "position"),
        ("m2", "elbow", "position"),
        ("drive", "axle", "velocity"),
    ]
    assert rows[1].law.gains == {"p": 50.0, "damping_ratio": 1.0} and rows[1].law.effort_range == (-30.0, 20.0)
    assert set(rows[0].sources.values()) == {"model"}


@pytest.mark.parametrize(
    ("law", "gain", "bias"),
    [
        (Law("position", {"p": 7.0, "d": 2.0}, (-9.0, 8.0), (-1.0, 2.0)), 7.0, [0, -7.0, -2.0]),
        (Law("impedance", {"stiffness": 7.0, "damping": 2.0}, (-9.0, 8.0), (-1.0, 2.0)), 7.0, [0, -7.0, -2.0]),
        (Law("velocity", {"d": 4.0}, None, None), 4.0, [0, 0, -4.0]),
        (Law("effort", {}, None, (-5.0, 5.0)), 1.0, [0, 0, 0]),
    ],
)
def test_a_law_is_written_as_mujoco_computes_it_and_read_back(law, gain, bias):
    spec = arm(GEARED)
    for actuator in spec.actuators:
        write_law(actuator, law)
        back = read_law(actuator)
        assert back.effort_range == law.effort_range and back.command_range == law.command_range
        if law.control != "impedance":
            assert back == law
    model = spec.compile()
    assert np.all(model.actuator_gainprm[:, 0] == gain)
    assert np.all(model.actuator_biasprm[:, :3] == bias)


def test_an_impedance_holds_against_a_push_with_its_stiffness():
    _, spec = apply("control: impedance\nstiffness: 40\ndamping: 2\neach: {drive: {control: velocity, d: 1}}")
    spec.delete(spec.keys[0])
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qfrc_applied[model.joint("shoulder").dofadr[0]] = 2.0
    mujoco.mj_step(model, data, 20000)
    assert data.qpos[model.joint("shoulder").qposadr[0]] == pytest.approx(2.0 / 40.0, rel=1e-3)


def test_a_gain_alone_keeps_the_models_law_and_the_other_actuators():
    rows, spec = apply("each: {m1: {p: 500}}")
    model = spec.compile()
    assert list(model.actuator("m1").gainprm[:1]) == [500] and list(model.actuator("m1").biasprm[:3]) == [0, -500, -10]
    assert rows["m1"].sources == {
        "control": "model",
        "p": "world",
        "d": "model",
        "effort_limit": "model",
        "command_range": "model",
    }
    assert np.array_equal(model.actuator("m2").biasprm, arm().compile().actuator("m2").biasprm)


def test_a_gear_becomes_part_of_the_numbers_so_that_commands_are_the_joints():
    rows, spec = apply("each: {g: {effort_limit: 60}}", GEARED)
    model = spec.compile()
    assert rows["g"].law == Law("effort", {}, (-60.0, 60.0), (-50.0, 50.0))
    assert model.actuator("g").gear[0] == 1.0
    assert list(model.actuator_forcerange[model.actuator("g").id]) == [-60, 60]
    assert list(model.actuator("g").ctrlrange.ravel()) == [-50, 50]


def test_an_effort_limit_clips_what_the_drive_gives():
    _, spec = apply("each: {m1: {p: 1000, effort_limit: 5}}")
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[0] = 1.0
    mujoco.mj_forward(model, data)
    assert data.actuator_force[0] == 5.0


def test_another_unit_needs_limits_of_its_own_and_its_home_command_is_zero():
    with pytest.raises(ConfigError, match="arm.actuators.each.m1.command_range: expected limits in N m or N for 'm1'"):
        apply("each: {m1: {control: effort}}")
    _, spec = apply("each: {m1: {control: effort, command_range: [-20, 20]}}")
    home = attach(mujoco.MjSpec(), spec, prefix="a_").home
    assert home.ctrl == {"a_m1": (0.0,), "a_m2": (0.2,), "a_drive": (0.0,)}
    assert home.qpos["a_shoulder"] == (0.3,)


def test_a_position_that_becomes_an_impedance_keeps_unit_limits_and_gains():
    rows, _ = apply("each: {m1: {control: impedance}, m2: {control: impedance, damping: 3}}")
    assert rows["m1"].law == Law("impedance", {"stiffness": 100.0, "damping": 10.0}, None, (-1.0, 1.0))
    assert rows["m2"].law.gains == {"stiffness": 50.0, "damping": 3.0}


def test_a_held_arm_hangs_on_its_drives_and_a_wheel_does_not():
    _, spec = apply("each: {m1: {p: 5}, m2: {p: 5}}")
    model = spec.compile()
    assert {model.body(i).name for i in range(model.nbody) if model.body_gravcomp[i]} == {"upper", "lower"}
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 5000)
    assert np.abs(data.qpos[:2]).max() < 1e-6
    nothing = apply("each: {m1: {p: 5}}\ngravity_compensation: false")[1].compile()
    everything = apply("each: {m1: {p: 5}}\ngravity_compensation: true")[1].compile()
    assert not nothing.body_gravcomp.any() and everything.body_gravcomp[1:].all()


def test_a_tool_that_is_attached_later_can_be_compensated_too():
    spec = arm()
    rows = apply_actuators(spec, block("each: {m1: {p: 5}}"), "arm")
    spec.body("lower").add_body(name="tool").add_geom(size=[0.02, 0, 0])
    compensate_gravity(spec, rows)
    assert spec.body("tool").gravcomp == 1.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "kp: 3",
            "components.arm.actuators.kp: expected a known key, got 'kp' at w.yaml:1; write 'p' for control: position",
        ),
        ("each: {m1: {kv: 3}}", r"actuators\.each\.m1\.kv: .*write 'd' for control: position or velocity"),
        ("forcerange: [-1, 1]", "write 'effort_limit: F'"),
        ("control: motor", "got 'motor' at w.yaml:1; write 'control: effort'"),
        ("control: pd", "write 'control: position'"),
        ("control: positon", r"did you mean 'position'\?"),
        ("control: velocity\np: 3", "p: expected a gain that control 'velocity' reads, got 'p'.*it reads d"),
        (
            "control: effort\neach: {m1: {stiffness: 3}}",
            "each.m1.stiffness: expected a gain that control 'effort' reads",
        ),
        ("stiffness: 3", "arm.actuators.stiffness: expected a gain that some actuator of the model reads"),
        (
            "each: {m1: {stiffness: 3}}",
            "arm.actuators.each.m1.stiffness: expected a gain that control 'position' reads",
        ),
        ("each: {shoulder: {p: 1}}", "got 'shoulder'; the joint 'shoulder' is driven by 'm1'; write that"),
        ("each: {m11: {p: 1}}", r"expected the name of an actuator of the model, got 'm11'; did you mean 'm1'\?"),
        ("each: {drive: {control: position}}", "arm.actuators.each.drive.p: expected a gain for 'drive'"),
        ("command_range: [1, -1]", "expected the least before the greatest"),
        ("p: -1", r"components\.arm\.actuators\.p: expected float > 0"),
    ],
)
def test_a_wrong_block_is_refused_with_what_to_write(text, expected):
    with pytest.raises(ConfigError, match=expected):
        apply(text)


def test_a_tendon_has_no_law_of_a_joint():
    with pytest.raises(ConfigError, match="got 'grip', which is none; name the actuators that are meant under 'each'"):
        apply("p: 3", '<position name="grip" tendon="t"/>')
    rows, _ = apply("each: {m1: {p: 3}}", '<position name="grip" tendon="t"/>')
    assert rows["grip"].law is None and rows["grip"].joint is None


def test_every_mistake_against_the_model_is_told_at_once():
    with pytest.raises(ConfigError) as error:
        apply("each: {m1: {control: effort}, shoulder: {p: 1}, nothing: {p: 1}}")
    assert len(error.value.problems) == 3


def test_the_table_of_a_run_has_every_actuator_and_where_its_numbers_come_from():
    rows, _ = apply("each: {m1: {p: 500}}")
    ctx = SimContext()
    publish_actuators(ctx, Entity("arm", "robot"), list(rows.values()))
    table = ctx.actuator_tables["arm"]
    assert [row["actuator"] for row in table] == ["m1", "m2", "drive"]
    assert table[0]["law"]["gains"] == {"p": 500.0, "d": 10.0} and table[0]["sources"]["p"] == "world"


def test_an_editor_learns_the_keys():
    schema = json_schema(ActuatorsConfig)
    assert schema["properties"]["each"]["additionalProperties"]["properties"].keys() >= {"p", "effort_limit"}
