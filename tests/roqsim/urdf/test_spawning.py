"""A world spawns a URDF like any other model."""

from __future__ import annotations

import logging

import mujoco
import pytest
from roqsim.config.world import load_config
from roqsim.drivers.answers.inputs import world_inputs
from roqsim.engine import Engine
from roqsim.errors import BuildError, ConfigError, NotFoundError

from .conftest import ARM, BOX, INERTIAL, joint, link, robot, stl

WORLD = """
components:
  - {plugin}: {{model: robots/arm.urdf{options}}}
    name: bot
"""


@pytest.fixture
def world(put):
    """Writes a world that spawns a robot; returns the engine, ready to step."""
    engines = []

    def build(text=ARM, options="", plugin="spawn_model"):
        put("robots/arm.urdf", text)
        engine = Engine(load_config(put("world.yaml", WORLD.format(plugin=plugin, options=options))))
        engines.append(engine)
        engine.setup()
        engine.reset()
        return engine

    yield build
    for engine in engines:
        engine.shutdown()


@pytest.mark.needs("roqsim_mobile")
@pytest.mark.parametrize("plugin", ["spawn_model", "spawn_robot"])
@pytest.mark.parametrize("motion", ["physics", "static"])
def test_all_links_are_bodies_of_the_entity(world, plugin, motion):
    engine = world(options=f", motion: {motion}", plugin=plugin)
    model = engine.ctx.model
    entity = engine.ctx.entities.require("bot")
    assert model.body(entity.body).name == "bot_base"
    for name in ("base", "tool", "cam"):
        assert model.body(f"bot_{name}").id > 0
    assert model.body("bot_base").mass[0] == pytest.approx(2.0)
    assert (int(model.jnt_type[0]) == int(mujoco.mjtJoint.mjJNT_FREE)) is (motion == "physics")
    assert model.geom("bot_base_collision").contype[0] == 1
    engine.advance(100)


@pytest.mark.needs("roqsim_mobile")
def test_a_robot_whose_root_is_base_link_is_a_robot(world):
    engine = world(robot(link("base_link", INERTIAL + f"<collision>{BOX}</collision>")), plugin="spawn_robot")
    model, entity = engine.ctx.model, engine.ctx.entities.require("bot")
    assert (model.body(entity.body).name, entity.kind) == ("bot_base_link", "robot")
    assert model.body_mass[entity.body] == pytest.approx(2.0)
    height = engine.ctx.data.xpos[entity.body][2]
    engine.advance(1000)
    # It lies on the ground instead of falling through it, and it did fall.
    assert 0.0 < engine.ctx.data.xpos[entity.body][2] < max(height, 0.5)


def test_a_free_base_falls_as_any_body_does(world):
    engine = world(options=", pose: {position: {z: 100}}")
    data, root = engine.ctx.data, engine.ctx.entities.require("bot").body
    start = float(data.subtree_com[root][2])
    engine.advance(500)
    engine.ctx.refresh()
    t = engine.ctx.sim_time
    assert data.subtree_com[root][2] - start == pytest.approx(-0.5 * 9.81 * t * t, rel=5e-3)


@pytest.mark.needs("roqsim_mobile")
def test_actuators_from_limits_obey_the_block_for_actuators(world):
    options = ", urdf: {actuators: position}, motion: static, actuators: {each: {turn: {p: 40, d: 4}}}"
    engine = world(options=options, plugin="spawn_robot")
    row = engine.ctx.actuator_tables["bot"][0]
    assert (row["actuator"], row["law"]["gains"]) == ("turn", {"p": 40.0, "d": 4.0})
    assert row["sources"]["p"] == "world" and row["sources"]["control"] == "model"


def test_packages_are_looked_up_from_the_worlds_folder(world, put):
    put("ws/arm_description/a.stl", stl())
    shape = '<visual><geometry><mesh filename="package://arm_description/a.stl"/></geometry></visual>'
    engine = world(robot(link("base", INERTIAL + shape)), options=", urdf: {package_path: ws}")
    assert engine.ctx.model.nmesh == 1


def test_the_files_of_a_world_include_the_urdf_and_its_meshes(put):
    put("meshes/a.stl", stl())
    put(
        "meshes/b.stl",
        "solid x\n" + "vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nvertex 1 1 0\nvertex 0 1 1\n",
    )
    shapes = "".join(f'<visual><geometry><mesh filename="../meshes/{n}.stl"/></geometry></visual>' for n in "ab")
    put("robots/arm.urdf", robot(link("base", INERTIAL + shapes)))
    inputs = world_inputs(str(put("world.yaml", WORLD.format(plugin="spawn_model", options=""))))
    assert [path.name for path in inputs.files] == ["world.yaml", "arm.urdf", "a.stl", "b.stl"]
    assert not inputs.gaps


def test_what_became_of_it_is_one_line_of_the_log(world, caplog):
    with caplog.at_level(logging.INFO, "roqsim"):
        world(ARM.replace("</robot>", "<transmission/></robot>"))
    told = [record.getMessage() for record in caplog.records if "arm.urdf" in record.getMessage()]
    assert len(told) == 1
    assert told[0].startswith("bot: arm.urdf: 2 dropped, 1 made; 'roqsim import urdf ")


def test_mistakes_of_the_file_name_component_file_and_line(world, put):
    with pytest.raises(
        ConfigError, match=r"^bot: link 'b': expected a mass above 0 to move by joint 'j', got none at .*arm.urdf:\d+;"
    ):
        world(robot(link("a") + link("b", "") + joint("j", "a", "b", "continuous")))


def test_a_compile_error_of_mujoco_names_the_line_of_the_urdf(world, put):
    put("robots/flat.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n")
    shape = '<collision><geometry><mesh filename="flat.obj"/></geometry></collision>'
    with pytest.raises(BuildError, match=r"^bot: .*coplanar vertices.* at .*arm\.urdf:8$"):
        world(robot(link("a", INERTIAL + shape)))


def test_a_base_without_mass_can_not_move_freely(world):
    text = robot(link("a", f"<visual>{BOX}</visual>"))
    with pytest.raises(
        BuildError, match="^bot.motion: expected a base with a mass for 'physics', got link 'a' without one"
    ):
        world(text)
    assert world(text, options=", motion: static").ctx.model.nbody == 2


def test_options_for_a_urdf_are_refused_for_mjcf(put):
    put("a.xml", "<mujoco><worldbody><body><geom size='1'/></body></worldbody></mujoco>")
    path = put("world.yaml", "components: [spawn_model: {model: a.xml, urdf: {}}]")
    with pytest.raises(
        ConfigError, match=r"^spawn_model\.urdf: expected a URDF to read so, got '.*a\.xml' at .*world\.yaml:1; remove"
    ):
        Engine(load_config(path)).setup()


def test_an_unknown_option_is_refused_with_the_nearest(put):
    put("robots/arm.urdf", ARM)
    path = put("world.yaml", WORLD.format(plugin="spawn_model", options=", urdf: {package_paths: x}"))
    with pytest.raises(ConfigError, match="did you mean 'package_path'"):
        load_config(path)


@pytest.mark.parametrize("content", ["<mujoco/>", "<mujoco><worldbody><light/></worldbody></mujoco>"])
def test_a_spawn_that_adds_no_body_is_refused(put, content):
    put("a.xml", content)
    path = put("world.yaml", "components: [spawn_model: {model: a.xml, motion: static}]")
    with pytest.raises(BuildError, match=r"^spawn_model: expected a model with a body, got 'a\.xml' without any"):
        Engine(load_config(path)).setup()


def test_a_urdf_is_no_world(put):
    put("arm.urdf", ARM)
    put("arm.xml", ARM)
    with pytest.raises(NotFoundError, match="spawn_robot"):
        load_config("arm.urdf")
    with pytest.raises(ConfigError, match="which is a URDF; a world has it by a component"):
        Engine(load_config("arm.xml")).setup()


def test_a_file_that_xacro_has_to_expand_is_no_model(put):
    put("arm.urdf.xacro", ARM)
    path = put("world.yaml", "components: [spawn_model: {model: arm.urdf.xacro}]")
    with pytest.raises(ConfigError, match="expand it first: xacro FILE > robot.urdf"):
        load_config(path)
