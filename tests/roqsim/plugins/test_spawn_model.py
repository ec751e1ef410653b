from __future__ import annotations

import math

import numpy as np
import pytest
from roqsim.context import PoseStamped, Twist
from roqsim.errors import BuildError, ConfigError, NotFoundError, RoqsimError
from roqsim.plugins.spawn_model import SpawnModel
from roqsim.testing import check_plugin

TABLE = """
<mujoco model="table"><worldbody>
  <body name="top" pos="0 0 .7"><geom name="plate" type="box" size=".5 .4 .02" mass="8"/>
    <geom name="cloth" type="box" size=".5 .4 .001" mass="0" contype="0" conaffinity="0"/>
    <site name="centre" pos="0 0 .02"/>
    <body name="drawer" pos="0 0 -.1"><joint name="slide" type="slide" axis="1 0 0" range="0 .3"/>
      <geom type="box" size=".2 .2 .05" mass="2"/></body>
  </body>
</worldbody></mujoco>
"""

MANIFEST = """
frames:
  lamp: {parent: centre, pose: {position: [0, 0, 0.3]}}
  bulb: {parent: lamp, pose: {position: [0.1, 0, 0], orientation: {yaw: 1.0}}}
components:
  - ground_truth_pose: {rate_hz: 10}
"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.xml"
    path.write_text(TABLE)
    return path


def spawn(table, name="table", **config):
    return {"components": [{"spawn_model": {"model": str(table), **config}, "name": name}]}


def test_it_keeps_the_contract(table):
    check_plugin(SpawnModel, spawn(table, pose={"position": [0, 0, 1]}))


def test_a_model_stands_where_the_pose_says(world, table):
    ctx = world(spawn(table, pose={"position": [1, 2, 0], "orientation": {"yaw": math.pi / 2}}, motion="static")).ctx
    entity = ctx.entities.require("table")
    assert (entity.body_name, entity.prefix, entity.meta["motion"]) == ("table_top", "table_", "static")
    assert ctx.data.xpos[entity.body] == pytest.approx([1, 2, 0.7])
    assert ctx.data.xquat[entity.body] == pytest.approx([math.sqrt(0.5), 0, 0, math.sqrt(0.5)])


def test_physics_lets_it_fall_and_static_holds_it(world, table):
    free = world(spawn(table, pose={"position": [0, 0, 5]}))
    fixed = world(spawn(table, pose={"position": [0, 0, 5]}, motion="static"))
    for engine in (free, fixed):
        engine.advance(100)
    assert free.ctx.data.qpos[2] == pytest.approx(5.7 - 9.81 * 0.2**2 / 2, rel=1e-3)
    assert fixed.ctx.data.xpos[fixed.ctx.entities.require("table").body][2] == pytest.approx(5.7)


def test_a_driven_model_moves_only_by_being_placed(world, table):
    engine = world(spawn(table, motion="driven"))
    ctx = engine.ctx
    body = ctx.entities.require("table").body
    engine.advance(100)
    assert ctx.data.xpos[body] == pytest.approx([0, 0, 0.7])
    pose = PoseStamped(0, "world", "table", np.array([1.0, 2.0, 3.0]), np.array([1.0, 0, 0, 0]), Twist())
    endpoint = ctx.interface.get("table", "set_pose")
    ctx.post(lambda ctx: endpoint.write(pose))
    engine.step()
    ctx.refresh()
    assert ctx.data.xpos[body] == pytest.approx([1, 2, 3])
    with pytest.raises(RoqsimError, match=r"table\.set_pose: expected finite numbers"):
        endpoint.write(PoseStamped(0, "world", "table", np.array([math.nan, 0, 0]), np.array([1.0, 0, 0, 0]), Twist()))
    engine.reset()
    assert ctx.data.xpos[body] == pytest.approx([0, 0, 0.7])


def test_a_mass_scales_every_inertia(world, table):
    plain, heavy = (world(spawn(table, **config)).ctx.model for config in ({}, {"mass": 25.0}))
    assert plain.body_mass.sum() == pytest.approx(10.0)
    assert heavy.body_mass == pytest.approx(2.5 * plain.body_mass)
    assert heavy.body_inertia == pytest.approx(2.5 * plain.body_inertia)


def test_a_mass_holds_whatever_the_scale(world, table):
    plain, big = (world(spawn(table, **config)).ctx.model for config in ({}, {"mass": 10.0, "scale": 2.0}))
    assert big.body_mass == pytest.approx(plain.body_mass)
    assert big.body_inertia == pytest.approx(4.0 * plain.body_inertia)
    assert big.geom("table_plate").size == pytest.approx(2.0 * plain.geom("table_plate").size)


def test_friction_is_set_on_what_touches_and_colour_on_what_is_seen(world, table):
    model = world(spawn(table, friction=[0.2, 0.01], rgba=[0, 0, 1, 1])).ctx.model
    assert list(model.geom("table_plate").friction) == [0.2, 0.01, 0.0001]
    assert list(model.geom("table_cloth").friction) == [1.0, 0.005, 0.0001]
    assert list(model.geom("table_cloth").rgba) == [0, 0, 1, 1]
    assert world(spawn(table, friction=0.4)).ctx.model.geom("table_plate").friction[0] == 0.4


@pytest.mark.parametrize(("friction", "holds"), [(None, False), (2.5, True)])
def test_a_friction_above_the_grounds_holds_a_slope_that_the_grounds_does_not(world, tmp_path, friction, holds):
    path = tmp_path / "slab.xml"
    path.write_text("<mujoco><worldbody><body name='b'><geom type='box' size='.3 .3 .02'/></body></worldbody></mujoco>")
    config = {} if friction is None else {"friction": friction}
    document = spawn(path, pose={"position": [-3, 0, 0.02]}, **config)
    # A slope of 60 degrees needs a friction of 1.73.
    document["sim"] = {"gravity": [9.81 * math.sin(math.pi / 3), 0, -9.81 / 2], "cone": "elliptic", "impratio": 10.0}
    engine = world(document)
    engine.advance(250)
    speed = engine.ctx.data.qvel[0]
    expected = 0.0 if holds else 9.81 * (math.sin(math.pi / 3) - 0.5) * 0.5
    assert speed == pytest.approx(expected, abs=0.05)


def test_prefix_and_namespace_are_the_entrys_own(world, table):
    entity = world(spawn(table, prefix="t/", namespace="kitchen")).ctx.entities.require("table")
    assert (entity.prefix, entity.namespace, entity.body_name) == ("t/", "kitchen", "t/top")
    document = spawn(table, prefix="t/")
    document["components"] += spawn(table, prefix="t/", name="other")["components"]
    with pytest.raises(RoqsimError, match="other: expected a prefix of its own, got 't/', which table has"):
        world(document)


def test_a_model_can_be_mounted_on_a_site_of_its_owner(world, table):
    lamp = {"spawn_model": {"model": str(table), "scale": 0.1, "motion": "static", "parent": "centre"}, "name": "lamp"}
    document = spawn(table, pose={"position": [0, 0, 1]})
    document["components"][0]["components"] = [lamp]
    ctx = world(document).ctx
    entity = ctx.entities.at("table.lamp")
    assert (entity.name, entity.prefix) == ("table.lamp", "table_lamp_")
    assert entity.meta["carrier"] == "table"
    assert ctx.data.xpos[entity.body] == pytest.approx([0, 0, 1 + 0.7 + 0.02 + 0.07], abs=1e-4)
    lamp["spawn_model"]["parent"] = "center"
    with pytest.raises(
        NotFoundError,
        match=r"table\.lamp\.parent: expected a body or site of 'table', got 'center'; did you mean 'centre'",
    ):
        world(document)


def test_two_models_without_a_prefix_can_not_share_names(world, table):
    document = spawn(table, prefix="")
    document["components"] += spawn(table, prefix="", name="other")["components"]
    with pytest.raises(
        BuildError, match="^other: expected a name of its own for each body, got 'drawer' again, which table has"
    ):
        world(document)


def test_two_carriers_can_each_have_a_device_of_one_label(world, table):
    document = {"components": []}
    for name in ("left", "right"):
        entry = spawn(table, name=name, motion="static")["components"][0]
        lamp = {"model": str(table), "scale": 0.1, "motion": "static", "parent": "centre"}
        document["components"].append({**entry, "components": [{"spawn_model": lamp, "name": "lamp"}]})
    assert world(document).ctx.entities.names() == ["left", "left.lamp", "right", "right.lamp"]


@pytest.mark.parametrize("change", [{"scale": 2.0}, {"mass": 3.0}])
def test_nothing_is_mounted_on_a_model_of_another_size(world, table, change):
    lamp = {"spawn_model": {"model": str(table), "motion": "static", "parent": "centre"}, "name": "lamp"}
    document = spawn(table, **change)
    document["components"][0]["components"] = [lamp]
    with pytest.raises(
        BuildError, match=r"table\.lamp: expected a carrier of its model's own size and mass, got 'table'"
    ):
        world(document)


def test_frames_of_the_manifest_become_sites_and_static_transforms(world, table):
    table.with_name("table.manifest.yaml").write_text(MANIFEST)
    ctx = world(spawn(table, motion="static")).ctx
    assert ctx.data.site("table_bulb").xpos == pytest.approx([0.1, 0, 0.7 + 0.02 + 0.3])
    transforms = {each.child_frame_id: each for each in ctx.interface.get("table", "tf_static").read().transforms}
    assert transforms["lamp"].frame_id == "centre" and transforms["bulb"].frame_id == "lamp"
    assert transforms["bulb"].position == (0.1, 0.0, 0.0)


@pytest.mark.parametrize(
    ("frames", "expected"),
    [
        ("a: {parent: b}\n  b: {parent: a}", "expected frames that end at a body, got a circle of 'a', 'b'"),
        ("a: {parent: drawr}", r"table\.frames\.a\.parent: .*got 'drawr'; did you mean 'drawer'\?"),
        ("drawer: {parent: top}", "expected a name of its own, got 'drawer'"),
    ],
)
def test_a_wrong_frame_is_refused(world, table, frames, expected):
    table.with_name("table.manifest.yaml").write_text(f"frames:\n  {frames}\n")
    with pytest.raises(ConfigError, match=expected):
        world(spawn(table))


def test_a_manifest_brings_its_components_unless_told_otherwise(world, table):
    table.with_name("table.manifest.yaml").write_text(MANIFEST)
    assert world(spawn(table)).ctx.interface.get("table", "ground_truth_pose").rate.realised_hz == pytest.approx(10)
    with pytest.raises(NotFoundError):
        world(spawn(table, default_plugins=False)).ctx.interface.get("table", "ground_truth_pose")


def test_other_spellings_of_motion_are_refused_with_the_right_one(world, table):
    for key, hint in (("free", "motion: physics"), ("mocap", "motion: driven")):
        told = f"components.table.{key}: expected a known key, got '{key}' at .*{hint}"
        with pytest.raises(ConfigError, match=told) as caught:
            world(spawn(table, **{key: True}))
        assert len(str(caught.value).splitlines()) == 1


def test_a_topic_for_no_endpoint_is_refused(world, table):
    with pytest.raises(
        ConfigError, match=r"^table\.topics: expected the name of an endpoint, got 'set_pose'; there is"
    ):
        world(spawn(table, topics={"set_pose": "/table"}))
    with pytest.raises(ConfigError, match=r"got 'setpose'; did you mean 'set_pose'\?$"):
        world(spawn(table, motion="driven", topics={"setpose": "/table", "set_pose": "/table"}))


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"motion": "fixed"}, "motion"),
        ({"mass": 0}, r"components\.table\.mass: expected float > 0"),
        ({"mass": float("nan")}, "components.table.mass"),
        ({"friction": [1, 1, 1, 1]}, "friction"),
        ({"friction": "slippery"}, "friction"),
        ({"scale": -1}, "scale"),
        ({"parent": "x"}, "expected 'static' for what is mounted on a parent, got 'physics'"),
        ({"pose": {"position": [1, 2]}}, "pose"),
        ({"modle": 3}, "did you mean 'model'"),
    ],
)
def test_a_wrong_configuration_is_refused(world, table, config, expected):
    with pytest.raises(ConfigError, match=expected):
        world(spawn(table, **config))


def test_a_model_that_can_not_be_used_is_refused(world, tmp_path):
    (tmp_path / "bad.xml").write_text("<mujoco><worldbody><bod/></worldbody></mujoco>")
    with pytest.raises(
        BuildError, match=r"table: expected a model that MuJoCo reads, got '.*bad\.xml': .*unrecognized element"
    ):
        world(spawn(tmp_path / "bad.xml"))
    (tmp_path / "mesh.xml").write_text("<mujoco><asset><mesh file='no.obj'/></asset><worldbody/></mujoco>")
    with pytest.raises(
        NotFoundError, match=r"table: expected the mesh 'no\.obj' of mesh\.xml, got no such file; looked in "
    ):
        world(spawn(tmp_path / "mesh.xml"))
    (tmp_path / "ghost.xml").write_text(
        "<mujoco><worldbody><body><geom size='.1' mass='0' contype='0' conaffinity='0'/></body></worldbody></mujoco>"
    )
    for config, expected in (({"mass": 1.0}, "with a mass to scale"), ({"friction": 1.0}, "with colliding geoms")):
        with pytest.raises(BuildError, match=expected):
            world(spawn(tmp_path / "ghost.xml", motion="static", **config))
    with pytest.raises(RoqsimError, match="no_such_model"):
        world(spawn("no_such_model"))


def test_its_files_are_named(world, table):
    engine = world(spawn(table))
    assert list(engine.plugins[0].sources()) == [table]
