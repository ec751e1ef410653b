from __future__ import annotations

import mujoco
import numpy as np
import pytest
from roqsim_sensors.monitors.power import Meter, PowerModel, body_of_actuator

WHEEL = """
<mujoco><option gravity="0 0 {g}" timestep="{dt}"/><worldbody><body name="wheel">
  <joint name="j" axis="0 0 1" {joint}/><geom type="cylinder" size=".1 .02" mass="2"/></body></worldbody>
<actuator><motor name="m" joint="j" gear="{gear}"/></actuator></mujoco>"""
INERTIA = 0.5 * 2 * 0.1**2
"""Of a cylinder about its axis, kg m²."""


def wheel(*, gear: float = 1.0, dt: float = 0.002, joint: str = "", g: float = 0.0):
    model = mujoco.MjModel.from_xml_string(WHEEL.format(gear=gear, dt=dt, joint=joint, g=g))
    return model, mujoco.MjData(model)


def run(model, data, steps: int, meter: Meter, each=lambda data: None) -> tuple[float, float]:
    """Work done on and by the joints in J, over a whole number of steps."""
    driving = braking = 0.0
    for _ in range(steps + 1):
        each(data)
        mujoco.mj_step(model, data)
        if meter.step():
            driving += meter.driving * model.opt.timestep
            braking += meter.braking * model.opt.timestep
    return driving, braking


@pytest.mark.parametrize("dt", [0.0005, 0.002, 0.01])
@pytest.mark.parametrize("gear", [1.0, -3.0])
def test_the_work_of_a_constant_torque_is_the_kinetic_energy_to_the_last_digits(dt, gear):
    model, data = wheel(gear=gear, dt=dt)
    data.ctrl[0] = 0.05
    steps = round(1.0 / dt)
    driving, braking = run(model, data, steps, Meter(model, data, [0]))
    torque = 0.05 * gear
    assert driving == pytest.approx(torque**2 * 1.0**2 / (2 * INERTIA), rel=1e-9)
    assert braking == 0.0


def test_braking_gives_back_what_driving_put_in():
    model, data = wheel()
    data.qvel[0] = 20.0
    data.ctrl[0] = -0.05
    stopped = round(20.0 * INERTIA / 0.05 / 0.002)
    driving, braking = run(model, data, stopped, Meter(model, data, [0]))
    assert braking == pytest.approx(-0.5 * INERTIA * 20.0**2, rel=1e-9)
    assert driving == pytest.approx(0.0, abs=1e-9)


def test_the_limit_of_a_joint_limits_the_power():
    model, data = wheel(gear=10.0, joint='actuatorfrcrange="-0.1 0.1"')
    data.ctrl[0] = 1.0
    driving, _ = run(model, data, 500, Meter(model, data, [0]))
    assert driving == pytest.approx(0.1**2 * 1.0**2 / (2 * INERTIA), rel=1e-9)


def test_two_motors_of_one_limited_joint_share_what_reaches_it():
    xml = WHEEL.format(gear=2, dt=0.002, joint='actuatorfrcrange="-0.1 0.1"', g=0).replace(
        "</actuator>", '<motor joint="j"/></actuator>'
    )
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    data.ctrl[:] = 1.0
    driving, braking = run(model, data, 500, Meter(model, data, [0, 1]))
    assert driving + braking == pytest.approx(0.1**2 / (2 * INERTIA), rel=1e-9)


def test_the_weight_that_motors_carry_is_their_work():
    xml = """<mujoco><option timestep="0.002"/><worldbody><body gravcomp="1"><joint name="z" type="slide" axis="0 0 1"
      actuatorgravcomp="true"/><geom size=".1" mass="2"/></body></worldbody>
      <actuator><motor joint="z"/></actuator></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    data.qvel[0] = 0.5
    driving, braking = run(model, data, 500, Meter(model, data, [0]))
    assert driving == pytest.approx(2 * 9.81 * 0.5 * 1.0, rel=1e-6)
    assert braking == 0.0


def test_a_tendon_motor_and_a_selection_are_metered_too():
    xml = """<mujoco><option gravity="0 0 0" timestep="0.002"/><worldbody>
      <body><joint name="a" axis="0 0 1"/><geom type="cylinder" size=".1 .02" mass="2"/></body>
      <body pos="1 0 0"><joint name="b" axis="0 0 1"/><geom type="cylinder" size=".1 .02" mass="2"/></body></worldbody>
      <tendon><fixed name="t"><joint joint="a" coef="1"/><joint joint="b" coef="2"/></fixed></tendon>
      <actuator><motor joint="a"/><motor tendon="t"/><motor joint="b"/></actuator></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    data.ctrl[:] = 0.02, 0.05, 0.03
    driving, _ = run(model, data, 500, Meter(model, data, [0, 1, 2]))
    energy = ((0.02 + 0.05) ** 2 + (0.03 + 0.1) ** 2) / (2 * INERTIA)
    assert driving == pytest.approx(energy, rel=1e-9)
    assert [body_of_actuator(model, index) for index in range(3)] == [1, 1, 2]
    mujoco.mj_resetData(model, data)
    data.ctrl[:] = 0.02, 0.0, 0.03
    driving, _ = run(model, data, 500, Meter(model, data, [0, 2]))
    assert driving == pytest.approx((0.02**2 + 0.03**2) / (2 * INERTIA), rel=1e-9)


def test_no_motors_do_no_work():
    model, data = wheel()
    assert run(model, data, 10, Meter(model, data, [])) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, 100.0),
        ({"idle": 5.0}, 105.0),
        ({"efficiency": 0.8}, 125.0),
        ({"braking": "costs"}, 140.0),
        ({"braking": "costs", "efficiency": 0.5}, 280.0),
        ({"braking": "recovered"}, 60.0),
        ({"braking": "recovered", "efficiency": 0.5}, 180.0),
        ({"heat": 2.0}, 106.0),
    ],
)
def test_electrical_power_follows_from_mechanical_power(settings, expected):
    assert PowerModel(**settings).draw(100.0, -40.0, 3.0) == pytest.approx(expected)


def test_the_sum_of_absolute_powers_and_the_signed_sum_are_special_cases():
    powers = np.array([3.0, -2.0, 5.0])
    driving, braking = powers[powers > 0].sum(), powers[powers < 0].sum()
    assert PowerModel(braking="costs").draw(driving, braking, 0.0) == np.abs(powers).sum()
    assert PowerModel(braking="recovered").draw(driving, braking, 0.0) == powers.sum()
