from __future__ import annotations

import mujoco
import numpy as np
import pytest
from roqsim.context import Entity, SimContext
from roqsim.errors import NotFoundError
from roqsim.presence import Presence, set_present
from roqsim.raycast import cast

TIMESTEP = 0.002

FLOOR = '<geom name="floor" type="plane" size="0 0 1"/>'
BALL = '<body name="ball" pos="0 0 .4"><freejoint/><geom size=".1"/><geom pos=".15 0 0" size=".05"/></body>'
BOX = """
<body name="box" pos="{} 0 .6" quat=".9 .1 .3 .2"><freejoint/><geom name="box" type="box" size=".1 .15 .2"/></body>
"""
ARM = """
<body name="arm" pos="8 0 1">
  <joint name="shoulder" axis="0 1 0" range="-1 1" limited="true" frictionloss=".3"/>
  <geom type="capsule" fromto="0 0 0 .5 0 0" size=".03"/>
  <light name="lamp"/> <site name="tool"/>
  <body pos=".5 0 0"><joint name="elbow" axis="0 1 0" stiffness="30" springref=".5"/>
    <geom type="capsule" fromto="0 0 0 .5 0 0" size=".03"/></body>
</body>
"""
DRIVE = """
<actuator>
  <position joint="shoulder" kp="5000" kv="50"/>
  <general joint="elbow" dyntype="integrator" gainprm="3"/>
</actuator>
"""


def simulate(world: str, *names: str, options: str = "", rest: str = "", absent: tuple[str, ...] = ()) -> SimContext:
    """A simulation without an engine; the named bodies are entities."""
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{TIMESTEP}" {options}/><worldbody>{world}</worldbody>{rest}</mujoco>'
    )
    ctx = SimContext()
    ctx.model, ctx.data, ctx.dt = model, mujoco.MjData(model), TIMESTEP
    for name in names:
        entity = Entity(name, "object", body=model.body(name).id, address=name, starts_present=name not in absent)
        ctx.entities.add(entity)
    mujoco.mj_forward(model, ctx.data)
    Presence(ctx).restore()
    return ctx


def step(ctx: SimContext, n: int = 1) -> None:
    """Steps and holds what is absent, as the engine does."""
    for _ in range(n):
        mujoco.mj_step(ctx.model, ctx.data)
        ctx.blackboard.require("presence", Presence).freeze(ctx)
        ctx.tick += 1


def state(ctx: SimContext) -> bytes:
    values = np.empty(mujoco.mj_stateSize(ctx.model, mujoco.mjtState.mjSTATE_INTEGRATION))
    mujoco.mj_getState(ctx.model, ctx.data, values, mujoco.mjtState.mjSTATE_INTEGRATION)
    return values.tobytes()


def values_of(model: mujoco.MjModel) -> dict[str, bytes]:
    fields = (
        "geom_group geom_contype geom_conaffinity site_group light_active pair_margin dof_armature dof_M0 body_gravcomp"
    )
    return {name: getattr(model, name).tobytes() for name in fields.split()}


def test_an_absent_entity_touches_nothing():
    ctx = simulate(FLOOR + BALL + BOX.format(0.05), "ball", "box")
    step(ctx, 300)
    assert ctx.data.ncon > 0
    set_present(ctx, "box", False)
    set_present(ctx, "ball", False)
    step(ctx, 300)
    assert ctx.data.ncon == 0


def test_an_explicit_pair_of_an_absent_entity_never_touches():
    pair = '<contact><pair geom1="floor" geom2="box" margin=".3"/></contact>'
    ctx = simulate(FLOOR + BOX.format(0), "box", rest=pair)
    step(ctx, 400)
    assert ctx.data.ncon > 0
    set_present(ctx, "box", False)
    step(ctx)
    assert ctx.data.ncon == 0


@pytest.mark.parametrize(
    "options", ["", 'integrator="implicitfast"', 'integrator="RK4"', 'solver="PGS"', 'solver="CG"']
)
def test_an_absent_entity_stands_still_to_the_bit(options):
    ctx = simulate(FLOOR + BALL + BOX.format(3) + ARM, "ball", "box", "arm", options=options, rest=DRIVE)
    ctx.data.ctrl[:] = (0.4, 1.0)
    step(ctx, 100)
    set_present(ctx, "box", False)
    set_present(ctx, "arm", False)
    ctx.data.xfrc_applied[ctx.model.body("box").id] = 1000.0
    rows = slice(7, None)
    held, activation = ctx.data.qpos[rows].tobytes(), ctx.data.act.tobytes()
    for _ in range(500):
        step(ctx)
        assert ctx.data.qpos[rows].tobytes() == held
        assert not ctx.data.qvel[6:].any()
    assert ctx.data.act.tobytes() == activation
    assert ctx.data.qpos[2] < 0.2


def test_between_two_holds_no_force_moves_it_measurably():
    ctx = simulate(FLOOR + BOX.format(3) + ARM, "box", "arm", rest=DRIVE)
    ctx.data.ctrl[:] = (0.4, 1.0)
    for name in ("box", "arm"):
        set_present(ctx, name, False)
    before = ctx.data.qpos.copy()
    mujoco.mj_step(ctx.model, ctx.data, 2000)
    np.testing.assert_allclose(ctx.data.qpos, before, rtol=0, atol=1e-20)


def test_what_comes_back_is_what_went():
    ctx = simulate(FLOOR + BOX.format(0) + ARM, "box", "arm", rest=DRIVE)
    step(ctx, 50)
    before, pose = values_of(ctx.model), ctx.data.qpos.tobytes()
    set_present(ctx, "box", False)
    set_present(ctx, "arm", False)
    assert values_of(ctx.model) != before
    step(ctx, 50)
    set_present(ctx, "box", True)
    set_present(ctx, "arm", True)
    assert values_of(ctx.model) == before
    assert ctx.data.qpos.tobytes() == pose
    step(ctx, 100)
    assert ctx.data.qpos.tobytes() != pose


def test_it_falls_as_freely_as_before():
    ctx = simulate(BOX.format(0), "box")
    set_present(ctx, "box", False)
    step(ctx, 100)
    set_present(ctx, "box", True)
    height, n = ctx.data.qpos[2], 50
    step(ctx, n)
    fallen = 0.5 * 9.81 * TIMESTEP**2 * n * (n + 1)
    assert ctx.data.qpos[2] == pytest.approx(height - fallen, abs=1e-12)


def test_a_value_that_was_changed_at_run_time_survives_going_and_coming():
    ctx = simulate(FLOOR + BOX.format(0) + BALL, "box", "ball")
    ctx.model.geom_conaffinity[0] = 3
    ctx.model.geom_contype[ctx.model.geom("box").id] = 2
    set_present(ctx, "box", False)
    set_present(ctx, "box", True)
    assert ctx.model.geom_conaffinity[0] == 3
    assert ctx.model.geom_contype[ctx.model.geom("box").id] == 2


def test_what_is_placed_while_absent_stays_where_it_was_put():
    ctx = simulate(FLOOR + BOX.format(0), "box", absent=("box",))
    step(ctx, 10)
    ctx.data.qpos[:3] = (4.0, 5.0, 6.0)
    step(ctx, 10)
    assert ctx.data.qpos[:3].tolist() == [4.0, 5.0, 6.0]
    set_present(ctx, "box", True)
    assert ctx.data.qpos[:3].tolist() == [4.0, 5.0, 6.0]
    assert not ctx.data.qvel.any()


@pytest.mark.parametrize(
    "options",
    ["", 'integrator="implicitfast"', 'solver="CG"', 'solver="PGS"', 'noslip_iterations="3"', 'cone="elliptic"'],
)
def test_the_rest_of_the_world_is_the_same_to_the_bit(options):
    world = FLOOR + BALL + BOX.format(5) + ARM
    runs = []
    for moments in ({}, {"box": (0, 300), "arm": (200, 500)}, {"box": (100, 101), "arm": (0, 700)}):
        ctx = simulate(world, "ball", "box", "arm", options=options, rest=DRIVE)
        ctx.data.ctrl[:] = (0.4, 1.0)
        series = []
        for tick in range(700):
            for name, (goes, comes) in moments.items():
                if tick in (goes, comes):
                    set_present(ctx, name, tick == comes)
            step(ctx)
            series.append(ctx.data.qpos[:7].tobytes() + ctx.data.qvel[:6].tobytes())
        runs.append(series)
    assert runs[0] == runs[1] == runs[2]


def test_an_entity_that_is_never_there_changes_nothing_either():
    series = []
    for absent in ((), ("box",)):
        ctx = simulate(FLOOR + BALL + BOX.format(5), "ball", "box", absent=absent)
        step(ctx, 600)
        series.append(ctx.data.qpos[:7].tobytes())
    assert series[0] == series[1]


def test_constraints_of_an_absent_entity_rest():
    weld = '<equality><weld name="grip" body1="ball" body2="box"/><joint joint1="shoulder" active="false"/></equality>'
    ctx = simulate(FLOOR + BALL + BOX.format(0.3) + ARM, "ball", "box", "arm", rest=weld)
    assert ctx.data.eq_active.tolist() == [1, 0]
    set_present(ctx, "box", False)
    set_present(ctx, "arm", False)
    assert ctx.data.eq_active.tolist() == [0, 0]
    height = ctx.data.qpos[2]
    step(ctx, 50)
    assert ctx.data.qpos[2] < height - 0.04
    set_present(ctx, "box", True)
    set_present(ctx, "arm", True)
    assert ctx.data.eq_active.tolist() == [1, 0]


@pytest.mark.parametrize("target", ['joint1="elbow"', 'joint1="elbow" joint2="shoulder"'])
def test_a_joint_equality_belongs_to_the_joints_bodies(target):
    ctx = simulate(ARM, "arm", rest=f"<equality><joint {target}/></equality>")
    set_present(ctx, "arm", False)
    assert not ctx.data.eq_active.any()


def test_sites_and_tendons_lead_to_their_bodies():
    parts = """
    <tendon><fixed name="t"><joint joint="shoulder" coef="1"/></fixed></tendon>
    <equality><connect site1="tool" site2="hook"/><tendon tendon1="t"/></equality>
    <actuator><general tendon="t" dyntype="integrator"/></actuator>
    """
    ctx = simulate('<site name="hook" pos="8 0 1"/>' + ARM, "arm", rest=parts)
    ctx.data.act[:] = 0.3
    ctx.data.ctrl[:] = 1.0
    set_present(ctx, "arm", False)
    step(ctx, 10)
    assert not ctx.data.eq_active.any()
    assert ctx.data.act.tolist() == [0.3]


def test_reset_restores_the_presence_that_was_declared():
    weld = '<equality><weld body1="ball" body2="box"/></equality>'
    ctx = simulate(FLOOR + BALL + BOX.format(2), "ball", "box", absent=("box",), rest=weld)
    presence = ctx.blackboard.require("presence", Presence)
    declared, at_start = values_of(ctx.model), state(ctx)
    assert ctx.entities.names() == ["ball"]
    set_present(ctx, "box", True)
    set_present(ctx, "ball", False)
    step(ctx, 100)
    ctx.tick = 0
    mujoco.mj_resetData(ctx.model, ctx.data)
    presence.restore()
    mujoco.mj_forward(ctx.model, ctx.data)
    assert ctx.entities.names() == ["ball"]
    assert values_of(ctx.model) == declared
    assert state(ctx) == at_start


def test_rays_see_it_in_the_tick_in_which_it_appears():
    wall = '<geom type="box" pos="6.5 0 0" size=".5 3 3"/>'
    box = '<body name="box" pos="2.1 0 0"><freejoint/><geom size=".1"/></body>'
    ctx = simulate(wall + box, "box", absent=("box",), options='gravity="0 0 0"')
    step(ctx, 5)
    ray = [(1.0, 0.0, 0.0)]
    assert cast(ctx.model, ctx.data, np.zeros(3), ray)[0][0] == pytest.approx(6.0)
    set_present(ctx, "box", True)
    ctx.refresh()
    assert cast(ctx.model, ctx.data, np.zeros(3), ray)[0][0] == pytest.approx(2.0)


def test_what_an_absent_entity_carries_is_absent_too():
    ctx = simulate(ARM.replace("<body pos", '<body name="hand" pos'), "arm")
    hand = ctx.model.body("hand").id
    ctx.entities.add(Entity("gripper", "robot", body=hand, address="arm.gripper"))
    set_present(ctx, "arm", False)
    assert ctx.blackboard.require("presence", Presence).is_absent(hand)
    assert ctx.entities.names() == []
    assert [entity.name for entity in ctx.entities.absent()] == ["arm"]
    set_present(ctx, "arm", True)
    assert ctx.entities.names() == ["arm", "gripper"]


def test_a_light_goes_out_with_what_carries_it():
    ctx = simulate(ARM, "arm")
    set_present(ctx, "arm", False)
    assert not ctx.model.light_active[0]
    set_present(ctx, "arm", True)
    assert ctx.model.light_active[0]


def test_asking_for_what_is_so_already_changes_nothing():
    ctx = simulate(FLOOR + BOX.format(0), "box")
    version = ctx.version
    set_present(ctx, "box", True)
    assert ctx.version == version
    set_present(ctx, "box", False)
    assert ctx.version > version


def test_an_entity_that_does_not_exist_is_named():
    ctx = simulate(FLOOR + BOX.format(0), "box")
    with pytest.raises(NotFoundError, match=r"got 'bax'; did you mean 'box'\?"):
        set_present(ctx, "bax", True)


def test_what_is_written_into_an_absent_entity_shows_when_it_is_back():
    ctx = simulate(FLOOR + BOX.format(0) + BALL, "box", "ball")
    presence, model = ctx.blackboard.require("presence", Presence), ctx.model
    box, ball = model.geom("box").id, model.geom("box").id + 1
    set_present(ctx, "box", False)
    presence.write("geom_contype", np.array([box, ball]), np.array([4, 8]))
    assert (model.geom_contype[box], model.geom_contype[ball]) == (0, 8)
    assert presence.values("geom_contype")[[box, ball]].tolist() == [4, 8]
    set_present(ctx, "box", True)
    assert model.geom_contype[[box, ball]].tolist() == [4, 8]


def test_an_array_that_absence_leaves_alone_is_written_at_once():
    ctx = simulate(FLOOR + BOX.format(0), "box")
    presence, box = ctx.blackboard.require("presence", Presence), ctx.model.geom("box").id
    set_present(ctx, "box", False)
    presence.write("geom_friction", np.array([box]), np.array([[0.1, 0.2, 0.3]]))
    assert ctx.model.geom_friction[box].tolist() == [0.1, 0.2, 0.3]
    assert presence.values("geom_friction")[box].tolist() == [0.1, 0.2, 0.3]
