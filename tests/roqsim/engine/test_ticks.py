from __future__ import annotations

import mujoco
import numpy as np
import pytest
from roqsim.errors import RoqsimError
from roqsim.plugin import Plugin
from roqsim.testing import HookTracker

TRACKED = """
sim: {timestep: 0.002}
components:
  - "roqsim.testing.tracker:HookTracker": {}
    name: one
  - boxes: {instances: [{name: crate, size: [0.2, 0.2, 0.2], pose: {position: {z: 0.5}}}]}
  - "roqsim.testing.tracker:HookTracker": {}
    name: two
"""

SCHEDULED = """
sim: {timestep: 0.002}
components:
  - "test_ticks:Paced": {}
    name: paced
  - boxes: {instances: [{name: crate, size: [0.2, 0.2, 0.2], pose: {position: {z: 0.5}}}]}
"""


class Paced(Plugin):
    """Wants 100 Hz before and 50 Hz after the step."""

    def __init__(self, config=None, *, name=None):
        super().__init__(config, name=name)
        self.before: list[int] = []
        self.after: list[int] = []

    def configure(self, ctx):
        ctx.schedule(self, "pre_step", 100.0)
        ctx.schedule(self, "post_step", 50.0)

    def pre_step(self, ctx):
        self.before.append(ctx.tick)

    def post_step(self, ctx):
        self.after.append(ctx.tick)


@pytest.fixture
def scheduled(world, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "test_ticks", sys.modules[__name__])
    return world(SCHEDULED)


def state_of(engine) -> bytes:
    spec = mujoco.mjtState.mjSTATE_INTEGRATION
    state = np.empty(mujoco.mj_stateSize(engine.ctx.model, spec))
    mujoco.mj_getState(engine.ctx.model, engine.ctx.data, state, spec)
    return state.tobytes()


def test_hooks_run_in_document_order_and_shutdown_in_reverse(world):
    HookTracker.journal.clear()
    engine = world(TRACKED)
    engine.step()
    engine.shutdown()
    calls = [(hook, name) for name, hook, _ in HookTracker.journal]
    assert calls == [
        (hook, name) for hook in ("build", "configure", "on_reset", "pre_step", "post_step") for name in ("one", "two")
    ] + [("shutdown", "two"), ("shutdown", "one")]


def test_pre_step_sees_the_tick_before_the_step_and_post_step_the_one_after(world):
    engine = world(TRACKED)
    engine.plugins[0].calls.clear()
    engine.advance(3)
    assert engine.plugins[0].calls == [
        ("pre_step", 0), ("post_step", 1), ("pre_step", 1), ("post_step", 2), ("pre_step", 2), ("post_step", 3)
    ]  # fmt: skip


def test_simulated_time_is_ticks_times_the_step_and_never_a_sum(world):
    engine = world(TRACKED)
    engine.advance(500)
    assert engine.ctx.sim_time == 1.0
    assert engine.ctx.time_ns == 1_000_000_000
    assert engine.ctx.solve_time == 499 * 0.002


def test_scheduled_hooks_keep_their_spacing_for_ever(scheduled):
    scheduled.advance(1000)
    paced = scheduled.plugins[0]
    assert paced.before == list(range(0, 1000, 5))
    assert paced.after == list(range(10, 1001, 10))


def test_what_is_due_at_a_tick_can_be_asked_and_is_what_runs(scheduled):
    paced = scheduled.plugins[0]
    asked = {tick: scheduled.due(tick) for tick in range(101)}
    scheduled.advance(100)
    assert [tick for tick in range(100) if ("paced", "pre_step") in asked[tick]] == paced.before
    assert [tick for tick in range(101) if ("paced", "post_step") in asked[tick]] == paced.after


@pytest.mark.parametrize("chunks", [(300,), (1,) * 300, (7,) * 42 + (6,), (299, 1)])
def test_advance_gives_the_same_bytes_however_it_is_cut(scheduled, chunks):
    for n in chunks:
        scheduled.advance(n)
    reached = state_of(scheduled), list(scheduled.plugins[0].before), list(scheduled.plugins[0].after)
    scheduled.reset(episode=1)
    scheduled.plugins[0].before.clear()
    scheduled.plugins[0].after.clear()
    for _ in range(300):
        scheduled.step()
    assert reached == (state_of(scheduled), scheduled.plugins[0].before, scheduled.plugins[0].after)


def test_the_engine_steps_exactly_as_bare_mujoco_does(world):
    engine = world(TRACKED)
    model = engine.ctx.model
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    engine.advance(400)
    for _ in range(400):
        mujoco.mj_step(model, data)
    assert engine.ctx.data.qpos.tobytes() == data.qpos.tobytes()
    assert engine.ctx.data.qvel.tobytes() == data.qvel.tobytes()


def test_a_hook_sees_poses_of_the_state_it_is_stamped_with(world, monkeypatch):
    seen = []

    class Look(Plugin):
        """Compares the derived height with the one in qpos."""

        def post_step(self, ctx):
            seen.append(ctx.data.body("crate").xpos[2] - ctx.data.qpos[2])

    import sys
    import types

    module = types.ModuleType("look")
    module.Look = Look
    monkeypatch.setitem(sys.modules, "look", module)
    engine = world(
        """
components:
  - boxes: {instances: [{name: crate, size: [0.2, 0.2, 0.2], pose: {position: {z: 2}}}]}
  - "look:Look": {}
"""
    )
    engine.advance(50)
    assert seen == [0.0] * 50


def test_a_negative_number_of_steps_is_refused(world):
    with pytest.raises(ValueError, match=r"expected n >= 0, got -1"):
        world(TRACKED).advance(-1)


def test_a_stop_request_ends_an_advance_at_its_tick(world, monkeypatch):
    engine = world(TRACKED)
    engine.ctx.post(lambda ctx: ctx.request_stop("enough"))
    assert engine.advance(100) == 1
    assert engine.ctx.stop_reason == "enough"
    engine.ctx.request_stop("later")
    assert engine.ctx.stop_reason == "enough"


def test_calls_in_the_wrong_order_say_what_is_missing(world):
    from roqsim import Engine, load_config_from_dict

    engine = Engine(load_config_from_dict({}, "."))
    with pytest.raises(RoqsimError, match="setup"):
        engine.reset()
    opened = world("components: []\n")
    opened.shutdown()
    opened.shutdown()
    with pytest.raises(RoqsimError, match="shut down"):
        opened.reset()


def test_profiling_counts_calls_and_names_the_phases_of_loading(world):
    engine = world(TRACKED, profile=True)
    engine.advance(10)
    assert set(engine.timing_report()["one"]) >= {"configure", "pre_step", "post_step"}
    assert "one.pre_step" in engine.format_timing()
    assert {"plugins", "compile", "configure"} <= set(engine.load_report())
