"""The physics that everything stands on, by closed form, on whichever MuJoCo is installed."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

PENDULUM = """
<mujoco><option integrator="RK4"/><worldbody>
  <body pos="0 0 2">
    <joint name="swing" axis="0 1 0"/><geom size=".02" mass="0"/><geom pos="0 0 -1" size=".001" mass="1"/>
  </body>
</worldbody></mujoco>
"""


def test_free_fall_follows_the_integrator_exactly(world):
    box = {"name": "b", "size": [1, 1, 1], "pose": {"position": {"z": 100}}}
    engine = world({"sim": {"timestep": 0.001}, "components": [{"boxes": {"instances": [box]}}]})
    n = 1000
    engine.advance(n)
    g, dt = 9.81, 0.001
    assert engine.ctx.data.qpos[2] == pytest.approx(100 - g * dt * dt * n * (n + 1) / 2, abs=1e-9)
    assert engine.ctx.data.qvel[2] == pytest.approx(-g * n * dt, abs=1e-9)


def test_a_pendulum_swings_with_the_period_of_its_length(world, tmp_path):
    path = tmp_path / "pendulum.xml"
    path.write_text(PENDULUM)
    engine = world({"sim": {"world": str(path), "timestep": 0.001}})
    amplitude = 0.1
    engine.ctx.data.qpos[0] = amplitude
    crossings, before = [], amplitude
    for _ in range(5000):
        engine.step()
        now = engine.ctx.data.qpos[0]
        if before > 0 >= now:
            crossings.append(engine.ctx.sim_time - 0.001 * now / (now - before))
        before = now
    period = np.diff(crossings).mean()
    assert period == pytest.approx(2 * math.pi / math.sqrt(9.81) * (1 + amplitude**2 / 16), rel=1e-4)


def test_a_stack_of_thin_boxes_stands_at_two_milliseconds(world):
    boxes = [
        {"name": f"b{i}", "size": [0.3, 0.3, 0.02], "mass": 0.5, "pose": {"position": {"z": 0.01 + 0.02 * i}}}
        for i in range(8)
    ]
    engine = world({"sim": {"timestep": 0.002}, "components": [{"boxes": {"instances": boxes}}]})
    engine.advance(2500)
    heights = engine.ctx.data.qpos.reshape(-1, 7)
    assert np.abs(heights[:, :2]).max() < 0.005
    assert np.diff(heights[:, 2]).min() > 0.015
    assert np.abs(engine.ctx.data.qvel).max() < 0.02


def test_a_box_on_a_slope_slides_exactly_when_friction_says_so(world):
    def slid(angle: float) -> float:
        engine = world(
            {
                "sim": {
                    "gravity": [9.81 * math.sin(angle), 0.0, -9.81 * math.cos(angle)],
                    "cone": "elliptic",
                    "noslip_iterations": 10,
                },
                "components": [
                    {
                        "boxes": {
                            "instances": [
                                {
                                    "name": "b",
                                    "size": [0.2, 0.2, 0.1],
                                    "friction": 1.2,
                                    "pose": {"position": {"z": 0.05}},
                                }
                            ]
                        }
                    }
                ],
            }
        )
        engine.advance(500)
        return float(engine.ctx.data.qpos[0])

    limit = math.atan(1.2)
    assert abs(slid(limit - 0.06)) < 2e-3
    assert slid(limit + 0.06) > 0.05


def test_large_worlds_solve_as_small_ones_do(world):
    """MuJoCo takes a sparse Cholesky where a world is big; one release had it wrong."""
    boxes = [
        {
            "name": f"b{i}",
            "size": [0.1, 0.1, 0.1],
            "pose": {"position": {"x": 0.4 * (i % 6), "y": 0.4 * (i // 6), "z": 0.049}},
        }
        for i in range(24)
    ]
    engine = world({"components": [{"boxes": {"instances": boxes}}]})
    engine.advance(20)
    model, data = engine.ctx.model, engine.ctx.data
    assert model.nv > 60
    found = {}
    for kind in (mujoco.mjtJacobian.mjJAC_DENSE, mujoco.mjtJacobian.mjJAC_SPARSE):
        model.opt.jacobian = kind
        copy = mujoco.MjData(model)
        copy.qpos[:], copy.qvel[:] = data.qpos, data.qvel
        mujoco.mj_forward(model, copy)
        found[kind] = copy.qacc.copy()
    dense, sparse = found.values()
    assert np.abs(dense - sparse).max() < 1e-6 * (1 + np.abs(dense).max())


def test_a_stack_of_thin_boxes_stands(world):
    """Ten plates of 5 mm, one on the other, at the default step: soft contacts give a little, and nothing moves."""
    thick, count = 0.005, 10
    plates = [{"pose": {"position": [0, 0, (level + 0.5) * thick]}} for level in range(count)]
    engine = world({"components": [{"boxes": {"size": [0.2, 0.2, thick], "instances": plates}, "name": "plate"}]})
    bodies = [engine.ctx.entities.require(f"plate_{level}").body for level in range(count)]
    engine.advance(2500)
    engine.ctx.refresh()
    position = engine.ctx.data.xpos[bodies]
    assert np.abs(position[:, :2]).max() < 1e-3
    spacing = np.diff(position[:, 2], prepend=-thick / 2)
    assert thick - 1e-3 < spacing.min() and spacing.max() < thick
    assert np.abs(engine.ctx.data.qvel).max() < 1e-2
