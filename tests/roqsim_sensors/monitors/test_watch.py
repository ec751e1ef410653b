from __future__ import annotations

import mujoco
import pytest
from roqsim.context.reports import Part
from roqsim.plugin import Plugin
from roqsim_sensors.monitors.watch import IGNORED, OTHER, OWN, WATCHED, Names, WatchConfig, ground_geoms, watch

BOT = """<mujoco><worldbody><body name="base"><freejoint/><geom name="hull" size=".1"/><geom size=".05" pos="0 0 .1"/>
<body name="arm" pos=".3 0 0"><joint/><geom name="hand" size=".05"/></body></body></worldbody></mujoco>"""


@pytest.fixture
def looking(world, tmp_path):
    """A robot with a scanner on it, beside a crate; ``looking(ignore=["crate"])`` gives the kinds by geom name."""
    (tmp_path / "bot.xml").write_text(BOT)

    def make(**config):
        spawn = {
            "spawn_model": {"model": "bot.xml", "pose": {"position": [0, 0, 1]}},
            "name": "bot",
            "components": [{"spawn_sensor": {"model": "rplidar_a1", "default_plugins": False}, "name": "eye"}],
        }
        crate = {"name": "crate", "size": [0.2] * 3, "pose": {"position": [2, 0, 0.1]}}
        engine = world({"components": [{"boxes": {"instances": [crate]}}, spawn]}, base_dir=tmp_path)
        plugin = Plugin(name="monitor")
        plugin.owner = config.pop("owner", None)
        found = watch(engine.ctx, plugin, WatchConfig(**config))
        kinds = {engine.ctx.model.geom(index).name: kind for index, kind in enumerate(found.kinds[:-1].tolist())}
        return engine, found, kinds

    return make


def test_an_entity_is_watched_with_everything_it_carries(looking):
    _, found, kinds = looking(entity="bot")
    watched = {name for name, kind in kinds.items() if kind == WATCHED}
    assert {"bot_hull", "bot_hand", "bot_eye_turret"} <= watched
    assert kinds["crate"] == kinds["wall_east"] == OTHER
    assert kinds["floor"] == IGNORED
    assert found.label == "bot"


def test_the_owner_is_watched_where_nothing_is_said(looking):
    _, found, kinds = looking(owner="bot")
    assert found.entity.name == "bot"
    assert kinds["bot_hull"] == WATCHED


def test_named_parts_leave_the_rest_of_the_robot_its_own_scanner_included(looking):
    _, _, kinds = looking(entity="bot", bodies=("arm",))
    assert (kinds["bot_hand"], kinds["bot_hull"], kinds["bot_eye_turret"]) == (WATCHED, OWN, OWN)
    _, _, kinds = looking(entity="bot.eye")
    assert (kinds["bot_eye_turret"], kinds["bot_hull"]) == (WATCHED, OWN)


def test_others_are_what_counts(looking):
    engine, found, kinds = looking(entity="bot", geoms=("hull",), ignore=("crate", "wall_east"), ground=True)
    assert (kinds["crate"], kinds["wall_east"], kinds["floor"]) == (IGNORED, IGNORED, OTHER)
    named = {engine.ctx.model.geom(int(geom)).name for geom in found.others}
    assert {"floor", "wall_west"} <= named
    assert not named & {"crate", "wall_east", "bot_hand", "bot_hull"}
    _, found, _ = looking(entity="bot", geoms=("hull",), own_parts=True)
    named = {engine.ctx.model.geom(int(geom)).name for geom in found.others}
    assert {"bot_hand", "bot_hull", "crate"} <= named


def test_parts_are_named_by_entity_body_and_geom(looking):
    engine, _, _ = looking(entity="bot")
    model = engine.ctx.model
    parts = Names(model, engine.ctx.entities)
    assert parts.part(model.geom("bot_hand").id) == Part("bot", "bot_arm", "bot_hand")
    assert parts.part(model.geom("bot_hull").id + 1) == Part("bot", "bot_base", "bot_base[1]")
    assert parts.part(model.geom("bot_eye_turret").id).entity == "bot.eye"
    assert parts.part(model.geom("floor").id) == Part("", "world", "floor")


@pytest.mark.parametrize(
    ("part", "owner"),
    [
        (Part("bot", "bot_arm", "bot_hand"), "bot"),
        (Part("", "shelf", "board"), "shelf"),
        (Part("", "world", "wall_east"), "wall_east"),
    ],
)
def test_the_owner_of_a_part_is_the_entity_else_the_body_else_the_geom(part, owner):
    assert part.owner == owner


def test_a_slope_is_ground_and_a_plane_that_stands_is_a_wall():
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><geom type='plane' size='1 1 1' euler='30 0 0'/>"
        "<geom type='plane' size='1 1 1' euler='90 0 0'/><geom type='box' size='1 1 1'/></worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    assert ground_geoms(model, data).tolist() == [0, 1]
