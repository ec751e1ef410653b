from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from roqsim.entities.state import read_state, set_state
from roqsim.errors import NotFoundError, RoqsimError
from roqsim.mj.poses import from_euler, rotate
from roqsim.raycast import cast
from roqsim.testing import world as open_world

YAW = from_euler(0.0, 0.0, math.pi / 2)

DOCUMENT = """
sim: {gravity: [0, 0, 0]}
components:
  - name: box
    boxes: {instances: [{name: box, size: [0.4, 0.2, 0.2], pose: {position: [0, 0, 1]}}]}
  - name: cart
    boxes: {motion: driven, instances: [{name: cart, pose: {position: [0, 3, 1]}, size: [0.2, 0.2, 0.2]}]}
  - name: shelf
    boxes:
      motion: static
      instances: [{name: shelf, size: [0.2, 0.2, 0.2], pose: {position: [5, 0, 1], orientation: {yaw: 0.3}}}]
"""

DOOR = """<mujoco><worldbody><body name="door" pos="0 -3 1"><joint name="hinge" axis="0 0 1"/>
<geom type="box" size=".4 .02 .8"/></body></worldbody></mujoco>"""


@pytest.fixture
def engine(world):
    return world(DOCUMENT)


def test_a_free_entity_goes_where_it_is_put_and_rests(engine):
    engine.ctx.data.qvel[:] = 1.0
    state = set_state(engine.ctx, "box", position=(3.0, 1.0, 2.0), orientation=YAW)
    assert state.position.tolist() == [3.0, 1.0, 2.0]
    np.testing.assert_allclose(state.orientation, YAW, atol=1e-15)
    assert not state.linear_velocity.any()
    assert not state.angular_velocity.any()
    engine.advance(100)
    assert engine.ctx.data.qpos[:3].tolist() == [3.0, 1.0, 2.0]


def test_a_part_of_a_pose_leaves_the_other(engine):
    set_state(engine.ctx, "box", orientation=YAW)
    state = set_state(engine.ctx, "box", position=(1.0, 2.0, 3.0))
    np.testing.assert_allclose(state.orientation, YAW, atol=1e-15)
    state = set_state(engine.ctx, "box", orientation=(2.0, 0, 0, 0))
    assert state.position.tolist() == [1.0, 2.0, 3.0]
    assert state.orientation.tolist() == [1.0, 0.0, 0.0, 0.0]


def test_a_velocity_alone_leaves_the_pose_and_the_other_velocity(engine):
    before = read_state(engine.ctx, "box")
    set_state(engine.ctx, "box", linear_velocity=(1.0, 2.0, 3.0))
    state = set_state(engine.ctx, "box", angular_velocity=(0.1, 0.2, 0.3))
    assert state.position.tolist() == before.position.tolist()
    np.testing.assert_allclose(state.linear_velocity, (1, 2, 3), atol=1e-12)
    np.testing.assert_allclose(state.angular_velocity, (0.1, 0.2, 0.3), atol=1e-12)


finite = st.floats(-3, 3).map(lambda value: round(value, 6))


@settings(max_examples=40, deadline=None)
@given(st.tuples(finite, finite, finite), st.tuples(finite, finite, finite), st.tuples(finite, finite, finite))
def test_what_is_set_is_what_is_read(angles, linear, angular):
    with open_world(DOCUMENT) as engine:
        orientation = from_euler(*angles)
        state = set_state(
            engine.ctx,
            "box",
            position=linear,
            orientation=orientation,
            linear_velocity=linear,
            angular_velocity=angular,
        )
        np.testing.assert_allclose(state.position, linear)
        assert abs(np.dot(state.orientation, orientation)) == pytest.approx(1.0)
        np.testing.assert_allclose(state.linear_velocity, linear, atol=1e-12)
        np.testing.assert_allclose(state.angular_velocity, angular, atol=1e-12)


def test_an_angular_velocity_turns_about_the_worlds_axes(engine):
    set_state(engine.ctx, "box", orientation=from_euler(math.pi / 2, 0, 0), angular_velocity=(0.0, 0.0, 1.0))
    engine.advance(round(0.5 / engine.ctx.dt))
    x_axis = engine.ctx.data.qpos[3:7]
    state = read_state(engine.ctx, "box")
    heading = rotate(tuple(x_axis), (1.0, 0.0, 0.0))
    assert math.atan2(heading[1], heading[0]) == pytest.approx(0.5, abs=5e-3)
    assert abs(heading[2]) < 5e-3
    assert state.stamp_ns == 500_000_000


def test_a_driven_entity_is_placed_and_knows_no_velocity(engine):
    state = set_state(engine.ctx, "cart", position=(1, 1, 1), orientation=YAW, linear_velocity=(0, 0, 0))
    assert state.position.tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(RoqsimError, match="expected no velocity for a driven entity"):
        set_state(engine.ctx, "cart", position=(2, 2, 2), linear_velocity=(1, 0, 0))
    assert read_state(engine.ctx, "cart").position.tolist() == [1.0, 1.0, 1.0]


def test_a_welded_entity_names_its_weld_and_the_way_out(engine):
    with pytest.raises(
        RoqsimError, match=r"shelf: .* welded to 'world'; write `motion: physics` in its entry 'shelf\.shelf'"
    ):
        set_state(engine.ctx, "shelf", position=(5.0, 0.0, 1.1))
    with pytest.raises(RoqsimError, match="motion: physics"):
        set_state(engine.ctx, "shelf", orientation=YAW)
    with pytest.raises(RoqsimError, match="motion: physics"):
        set_state(engine.ctx, "shelf", linear_velocity=(0, 0, 0.1))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_welded_entity_may_be_asked_for_the_pose_it_holds(engine, sign):
    orientation = [sign * part for part in from_euler(0, 0, 0.3)]
    state = set_state(
        engine.ctx,
        "shelf",
        position=(5, 0, 1),
        orientation=orientation,
        linear_velocity=(0, 0, 0),
        angular_velocity=(0, 0, 0),
    )
    assert state.position.tolist() == [5.0, 0.0, 1.0]


def test_an_entity_on_a_hinge_is_told_so(world, tmp_path):
    (tmp_path / "door.xml").write_text(DOOR)
    engine = world({"components": [{"name": "gate", "spawn_model": {"model": "door.xml"}}]}, base_dir=tmp_path)
    with pytest.raises(RoqsimError, match="its own joint 'gate_hinge' holds"):
        set_state(engine.ctx, "gate", position=(1, 1, 1))


def test_what_is_mounted_names_its_carrier(world, tmp_path):
    (tmp_path / "mast.xml").write_text(
        "<mujoco><worldbody><body name='mast'><geom size='.05'/></body></worldbody></mujoco>"
    )
    mast = {"name": "mast", "spawn_model": {"model": "mast.xml", "motion": "static", "parent": "mast"}}
    engine = world(
        {"components": [{"name": "base", "spawn_model": {"model": "mast.xml"}, "components": [mast]}]},
        base_dir=tmp_path,
    )
    with pytest.raises(RoqsimError, match="welded to 'base', which carries it"):
        set_state(engine.ctx, "base.mast", position=(1, 1, 1))


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ({"position": (math.nan, 0, 0)}, r"box\.position: expected 3 finite numbers"),
        ({"position": (1, 2)}, r"box\.position: expected 3 finite numbers"),
        ({"orientation": (0, 0, 0, 0)}, r"box\.orientation: expected a quaternion other than zero"),
        ({"angular_velocity": (0, math.inf, 0)}, r"box\.angular_velocity"),
    ],
)
def test_a_wrong_number_changes_nothing(engine, what, text):
    before = engine.ctx.data.qpos.tobytes()
    with pytest.raises(RoqsimError, match=text):
        set_state(engine.ctx, "box", **{"position": (9, 9, 9), **what})
    assert engine.ctx.data.qpos.tobytes() == before


def test_an_unknown_entity_gets_the_nearest_name(engine):
    for call in (read_state, set_state):
        with pytest.raises(NotFoundError, match="did you mean 'box'"):
            call(engine.ctx, "boxx")


def test_a_ray_sees_the_new_place_without_a_step(engine):
    ctx = engine.ctx
    origin, ray = np.array([[-2.0, 0.0, 1.0]]), np.array([[1.0, 0.0, 0.0]])
    before = cast(ctx.model, ctx.data, origin[0], ray, max_range=30.0)
    set_state(ctx, "box", position=(3.0, 0.0, 1.0))
    after = cast(ctx.model, ctx.data, origin[0], ray, max_range=30.0)
    assert float(np.ravel(before)[0]) == pytest.approx(1.8)
    assert float(np.ravel(after)[0]) == pytest.approx(4.8)


def test_a_posted_placement_runs_while_paused_and_endpoints_follow(world):
    engine = world(
        DOCUMENT
        + "  - name: watched\n    boxes: {instances: [{name: watched, size: [1, 1, 1], pose: {position: [0, 9, 1]}}]}\n"
        "  - entity_control: {}\n"
    )
    endpoint = engine.ctx.interface.get("sim/entities/watched", "pose")
    assert endpoint.read().position.tolist() == [0.0, 9.0, 1.0]
    future = engine.ctx.post(lambda ctx: set_state(ctx, "watched", position=(1.0, 9.0, 1.0)))
    engine.idle()
    assert future.result().position.tolist() == [1.0, 9.0, 1.0]
    assert endpoint.read().position.tolist() == [1.0, 9.0, 1.0]
    assert engine.ctx.tick == 0


def test_an_absent_entity_waits_where_it_was_put(engine):
    presence, box = engine.ctx.blackboard.get("presence"), engine.ctx.entities.get("box")
    presence.set(box, False)
    engine.advance(20)
    set_state(engine.ctx, "box", position=(7.0, 7.0, 7.0))
    engine.advance(200)
    presence.set(box, True)
    engine.advance(20)
    assert read_state(engine.ctx, "box").position.tolist() == [7.0, 7.0, 7.0]
