from __future__ import annotations

import logging

import mujoco
import numpy as np
import pytest
from roqsim.errors import ConfigError, RoqsimError

AUTORESET = int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
OVERRIDE = int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)

BALL = """<mujoco><option timestep='{}'/><worldbody><light pos='0 0 3'/><body name='b'><geom size='.1'/></body>
</worldbody></mujoco>"""


def test_every_option_of_the_block_reaches_the_model(build):
    sim = {
        "timestep": 0.004,
        "integrator": "implicitfast",
        "solver": "cg",
        "iterations": 17,
        "ls_iterations": 23,
        "noslip_iterations": 5,
        "impratio": 3.0,
        "cone": "elliptic",
        "gravity": [0.1, 0.2, -1.0],
        "density": 1.2,
        "viscosity": 1.8e-5,
        "wind": [1.0, 2.0, 3.0],
    }
    option = build({"sim": sim})[0].opt
    named = {"integrator": mujoco.mjtIntegrator, "solver": mujoco.mjtSolver, "cone": mujoco.mjtCone}
    prefix = {"integrator": "mjINT_", "solver": "mjSOL_", "cone": "mjCONE_"}
    for key, value in sim.items():
        expected = int(getattr(named[key], prefix[key] + value.upper())) if key in named else value
        assert np.array_equal(getattr(option, key), expected), key


def test_a_block_that_says_nothing_leaves_mujocos_values_and_turns_the_restart_off(build):
    option = build({})[0].opt
    fresh = mujoco.MjSpec().compile().opt
    assert int(option.integrator) == int(mujoco.mjtIntegrator.mjINT_IMPLICITFAST)
    for name in ("timestep", "solver", "iterations", "gravity", "o_solref", "enableflags"):
        assert np.array_equal(getattr(option, name), getattr(fresh, name)), name
    assert int(option.disableflags) == int(fresh.disableflags) | AUTORESET


def test_an_override_sets_its_flag_and_keeps_what_a_short_vector_leaves_out(build):
    override = {"margin": 0.002, "solref": [0.05], "friction": [0.3, 0.3, 0.01]}
    option = build({"sim": {"contact_override": override}})[0].opt
    fresh = mujoco.MjSpec().option
    assert int(option.enableflags) & OVERRIDE
    assert option.o_margin == 0.002
    assert list(option.o_solref) == [0.05, fresh.o_solref[1]]
    assert list(option.o_solimp) == list(fresh.o_solimp)
    assert list(option.o_friction) == [0.3, 0.3, 0.01, *fresh.o_friction[3:]]


def test_an_override_without_values_overrides_nothing(build):
    assert not int(build({"sim": {"contact_override": {}}})[0].opt.enableflags) & OVERRIDE


def test_a_time_constant_below_the_floor_is_refused_naming_the_floor(build):
    with pytest.raises(ConfigError, match=r"0\.004"):
        build({"sim": {"timestep": 0.002, "contact_override": {"solref": [0.0005, 1]}}})
    with pytest.raises(ConfigError, match=r"0\.004"):
        build({"sim": {"contact_override": {"solref": [0.0005, 1]}}})


def test_the_floor_follows_a_step_that_the_mjcf_states(build, tmp_path):
    (tmp_path / "slow.xml").write_text(BALL.format(0.01))
    sim = {"world": "slow.xml", "contact_override": {"solref": [0.015, 1]}}
    with pytest.raises(ConfigError, match=r"sim\.contact_override\.solref: expected a time constant >= 0\.02 s"):
        build({"sim": sim})
    (tmp_path / "slow.xml").write_text(BALL.format(0.005))
    assert build({"sim": sim})[0].opt.o_solref[0] == 0.015


def test_a_direct_stiffness_has_no_floor(build):
    assert list(build({"sim": {"contact_override": {"solref": [-5000, -30]}}})[0].opt.o_solref) == [-5000, -30]


def test_a_view_turns_mujocos_own_camera_and_leaves_the_extent_alone(build):
    view = {"lookat": [1.0, 2.0, 0.5], "distance": 6.0, "azimuth": 30.0, "elevation": -20.0}
    model = build({"sim": {"view": view}})[0]
    camera = mujoco.MjvCamera()
    mujoco.mjv_defaultFreeCamera(model, camera)
    assert list(camera.lookat) == view["lookat"]
    assert model.stat.extent == build({})[0].stat.extent
    assert (camera.azimuth, camera.elevation) == (30.0, -20.0)


def test_what_a_model_declares_differently_is_told_once_by_name(build, tmp_path, caplog):
    (tmp_path / "ball.xml").write_text(BALL.format(0.01))
    spawn = {"model": "ball.xml", "motion": "static"}
    components = [{"spawn_model": spawn, "name": "a"}, {"spawn_model": dict(spawn), "name": "b"}]
    with caplog.at_level(logging.INFO, "roqsim"):
        build({"components": components})
    told = [record for record in caplog.records if "declares" in record.message]
    assert [(record.levelname, record.message) for record in told] == [
        ("WARNING", "a: ball.xml declares timestep 0.01 (the world has 0.002); set it under sim to have it")
    ]


def test_what_the_document_decided_itself_is_no_warning(build, tmp_path, caplog):
    (tmp_path / "ball.xml").write_text(BALL.format(0.01))
    spawn = {"model": "ball.xml", "motion": "static"}
    with caplog.at_level(logging.INFO, "roqsim"):
        build({"sim": {"timestep": 0.005}, "components": [{"spawn_model": spawn, "name": "a"}]})
    assert [record.levelname for record in caplog.records if "declares" in record.message] == ["INFO"]


def test_a_world_that_was_stated_beside_one_that_a_component_brings_is_left_out_with_a_warning(build, caplog, ground):
    model = build({"sim": {"world": "empty_room"}, "components": [{ground: {}, "name": "hall"}]})[0]
    assert [model.geom(i).name for i in range(model.ngeom)] == ["ground"]
    assert "sim.world: 'empty_room' is left out, because 'hall' brings its own world" in caplog.text


def test_two_components_that_bring_a_world_are_refused_by_name(build, ground):
    with pytest.raises(RoqsimError, match="hall.*yard|yard.*hall"):
        build({"components": [{ground: {}, "name": "hall"}, {ground: {}, "name": "yard"}]})


@pytest.fixture
def ground(tmp_path):
    (tmp_path / "ground.py").write_text(
        "from roqsim.plugin import Plugin\n"
        "class Ground(Plugin):\n"
        "    provides_world = True\n"
        "    def build(self, spec, ctx):\n"
        "        spec.worldbody.add_geom(name='ground', type=0, size=[1, 1, 1])\n"
    )
    return "ground.py:Ground"


@pytest.mark.parametrize("step", ["1e300", "1e-300"])
def test_a_step_of_the_worlds_own_file_keeps_the_same_bounds(build, tmp_path, step):
    (tmp_path / "ball.xml").write_text(BALL.format(step))
    with pytest.raises(
        ConfigError, match=r"sim.timestep: expected a physics step from 1e-06 to 1 s, got 1e.*; state one"
    ):
        build({"sim": {"world": "ball.xml"}})
    assert build({"sim": {"world": "ball.xml", "timestep": 0.01}})[0].opt.timestep == 0.01
