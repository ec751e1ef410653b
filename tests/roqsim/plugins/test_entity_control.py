from __future__ import annotations

import numpy as np
import pytest
from roqsim.errors import ConfigError, NotFoundError, RoqsimError
from roqsim.plugins.entity_control import Delete, EntityControl, SetPresence, SetState, Spawn
from roqsim.raycast import cast
from roqsim.testing import check_plugin

DOCUMENT = """
components:
  - entity_control: {}
  - name: box
    boxes: {instances: [{name: box, size: [0.4, 0.4, 0.4], pose: {position: [0, 0, 0.2]}}]}
  - name: spares
    boxes:
      size: [0.4, 0.4, 0.4]
      instances: [{name: spare, pose: {position: [2, 0, 0.2]}}, {name: other, pose: {position: [0, 5, 0.2]}}]
    present: false
  - name: wall
    boxes: {motion: static, instances: [{name: wall, size: [0.2, 2, 2], pose: {position: [4.6, 0, 1]}}]}
"""


@pytest.fixture
def engine(world):
    return world(DOCUMENT)


@pytest.fixture
def call(engine):
    """Calls a command: ``call("spawn", entity="spare")``."""
    return lambda command, **payload: engine.ctx.interface.get("sim/entities", command).write(payload)


def who(engine):
    names = engine.ctx.interface.get("sim/entities", "list").read()
    return names.present, names.absent


def test_the_paths_are_those_that_clients_know(engine):
    paths = {endpoint.path for endpoint in engine.ctx.interface.all()}
    assert {f"sim/entities/{name}" for name in ("set_state", "set_presence", "spawn", "delete", "list")} <= paths
    assert {f"sim/entities/{name}/pose" for name in ("box", "spare", "other", "wall")} <= paths


def test_what_is_spawned_and_deleted_moves_between_the_lists_for_ever(engine, call):
    for _ in range(3):
        assert who(engine) == (("box", "wall"), ("spare", "other"))
        call("spawn", entity="spare")
        assert who(engine) == (("box", "spare", "wall"), ("other",))
        engine.advance(5)
        call("delete", entity="spare")
        assert who(engine) == (("box", "wall"), ("spare", "other"))
        engine.advance(5)
        call("spawn", entity="spare")
        engine.reset()


def test_the_pose_of_an_absent_entity_is_nothing(engine, call):
    pose = engine.ctx.interface.get("sim/entities/spare", "pose")
    assert pose.read() is None
    assert call("spawn", entity="spare").position.tolist() == [2.0, 0.0, 0.2]
    assert pose.read().position.tolist() == [2.0, 0.0, 0.2]
    call("delete", entity="spare")
    assert pose.read() is None


def test_a_ray_sees_a_spawned_entity_in_the_same_tick(engine, call):
    def distance():
        ray = np.array([[1.0, 0.0, 0.0]])
        return float(
            np.ravel(cast(engine.ctx.model, engine.ctx.data, np.array([0.3, 0.0, 0.2]), ray, max_range=30.0))[0]
        )

    assert distance() == pytest.approx(4.2)
    call("spawn", entity="spare")
    assert distance() == pytest.approx(1.5)
    call("delete", entity="spare")
    assert distance() == pytest.approx(4.2)
    call("spawn", entity="spare", position=[4.0, 0.0, 0.2])
    assert distance() == pytest.approx(3.5)


def test_a_placement_is_seen_without_a_step_and_stays(engine, call):
    state = call("set_state", entity="box", position=[3.0, 0.0, 0.2], orientation=[1, 0, 0, 0])
    assert state.position.tolist() == [3.0, 0.0, 0.2]
    assert engine.ctx.interface.get("sim/entities/box", "pose").read().position.tolist() == [3.0, 0.0, 0.2]
    engine.advance(200)
    np.testing.assert_allclose(engine.ctx.data.qpos[:3], (3.0, 0.0, 0.2), atol=2e-3)


def test_a_state_may_have_velocities(engine, call):
    call("set_state", entity="box", position=[0, 0, 3.0], linear_velocity=[1, 0, 0], angular_velocity=[0, 0, 2])
    state = engine.ctx.interface.get("sim/entities/box", "pose").read()
    np.testing.assert_allclose(state.linear_velocity, (1, 0, 0), atol=1e-12)
    np.testing.assert_allclose(state.angular_velocity, (0, 0, 2), atol=1e-12)


def test_instances_of_the_command_classes_do_as_well(engine):
    get = engine.ctx.interface.get
    get("sim/entities", "spawn").write(Spawn(entity="spare", position=(2.0, 1.0, 0.2)))
    get("sim/entities", "set_state").write(SetState(entity="box", position=(1.0, 2.0, 0.2)))
    get("sim/entities", "delete").write(Delete(entity="box"))
    get("sim/entities", "set_presence").write(SetPresence(entity="other", present=True))
    assert who(engine) == (("spare", "other", "wall"), ("box",))


def test_presence_may_be_asked_for_twice(engine, call):
    assert call("set_presence", entity="box", present=True).position.tolist() == [0.0, 0.0, 0.2]
    assert call("set_presence", entity="spare", present=False) is None
    call("set_presence", entity="spare", present=True, position=[1.0, 1.0, 0.2])
    assert call("set_presence", entity="spare", present=True).position.tolist() == [1.0, 1.0, 0.2]


def test_a_reset_takes_back_what_was_spawned_and_placed(engine, call):
    before = engine.ctx.data.qpos.tobytes()
    call("spawn", entity="spare", position=[4.0, 0.0, 0.2])
    call("set_state", entity="box", position=[-3.0, 0.0, 0.2])
    engine.reset()
    assert engine.ctx.data.qpos.tobytes() == before
    assert who(engine) == (("box", "wall"), ("spare", "other"))


@pytest.mark.parametrize(
    ("command", "payload", "kind", "text"),
    [
        ("spawn", {"entity": "box"}, RoqsimError, "expected an absent entity, got 'box'"),
        ("spawn", {"entity": "spore"}, NotFoundError, "did you mean 'spare'"),
        ("delete", {"entity": "spare"}, RoqsimError, "delete: expected an entity that is there, got 'spare'"),
        ("set_state", {"entity": "spare", "position": [1, 1, 1]}, RoqsimError, "set_state: .*absent; spawn it first"),
        (
            "set_state",
            {"entity": "wall", "position": [1, 1, 1]},
            RoqsimError,
            "welded to 'world'; write `motion: physics`",
        ),
        (
            "set_state",
            {"entity": "box", "position": [1, 1]},
            ConfigError,
            r"sim/entities/set_state\.position: expected",
        ),
        ("set_state", {"entity": "box", "pos": [1, 1, 1]}, ConfigError, r"pos: expected a known key"),
        ("set_state", {"position": [1, 1, 1]}, ConfigError, r"entity: expected .*got nothing"),
        ("set_presence", {"entity": "box"}, ConfigError, r"present: expected"),
        ("set_presence", {"entity": "box", "present": "yes"}, ConfigError, r"present: expected"),
    ],
)
def test_a_refused_command_changes_nothing(engine, call, command, payload, kind, text):
    state, names = engine.ctx.data.qpos.tobytes(), who(engine)
    with pytest.raises(kind, match=text):
        call(command, **payload)
    assert engine.ctx.data.qpos.tobytes() == state
    assert who(engine) == names


def test_spawning_a_welded_entity_elsewhere_leaves_it_absent(world):
    engine = world(
        """
        components:
          - entity_control: {}
          - name: shelf
            boxes: {motion: static, instances: [{name: shelf, size: [1, 1, 1], pose: {position: [3, 0, 0.5]}}]}
            present: false
        """
    )
    spawn = engine.ctx.interface.get("sim/entities", "spawn")
    with pytest.raises(RoqsimError, match="motion: physics"):
        spawn.write({"entity": "shelf", "position": [4, 0, 0.5]})
    assert who(engine) == ((), ("shelf",))
    spawn.write({"entity": "shelf", "position": [3, 0, 0.5]})
    assert who(engine) == (("shelf",), ())


def test_what_an_absent_entity_carries_waits_for_it(world, tmp_path):
    (tmp_path / "m.xml").write_text("<mujoco><worldbody><body name='m'><geom size='.05'/></body></worldbody></mujoco>")
    mast = {"name": "mast", "spawn_model": {"model": "m.xml", "motion": "static", "parent": "m"}, "present": False}
    base = {"name": "base", "spawn_model": {"model": "m.xml"}, "present": False, "components": [mast]}
    engine = world({"components": [{"entity_control": {}}, base]}, base_dir=tmp_path)
    spawn = engine.ctx.interface.get("sim/entities", "spawn")
    with pytest.raises(RoqsimError, match="expected a carrier that is there, got 'base'"):
        spawn.write({"entity": "base.mast"})
    spawn.write({"entity": "base"})
    spawn.write({"entity": "base.mast"})
    assert who(engine) == (("base", "base.mast"), ())


def test_poses_can_be_left_out(world):
    engine = world(DOCUMENT.replace("entity_control: {}", "entity_control: {poses: false}"))
    assert not [endpoint for endpoint in engine.ctx.interface.all() if endpoint.name == "pose"]


def test_it_keeps_the_plugin_contract():
    check_plugin(EntityControl, DOCUMENT)
