"""What a script, a plugin or another thread may still hold of a world that was replaced."""

from __future__ import annotations

import gc
import sys
import threading
import weakref

import pytest
from roqsim.context import RobotHandle
from roqsim.errors import RoqsimError, StaleError
from roqsim.forces.applied_force import AppliedForce
from roqsim.model_values.overlay import Overlay
from roqsim.plugin import Plugin
from roqsim.presence import Presence
from roqsim.runtime_options import RuntimeOptions

from roqsim import Endpoint, Engine, load_config_from_dict


class Port(Plugin):
    """Offers a reading, a command, a gate and a robot handle."""

    def configure(self, ctx):
        self.got = []
        ctx.interface.add(Endpoint("reading", "out", "crate", read=lambda: ctx.tick))
        ctx.interface.add(Endpoint("order", "in", "crate", write=self.got.append))
        ctx.register_gate("ready", "producer")
        ctx.blackboard.set("robot:crate", RobotHandle("crate", lambda *_: self.got.append(_), lambda: (0.0,) * 6))


BOXES = {"instances": [{"name": "crate", "size": [0.2, 0.2, 0.2], "pose": {"position": {"z": 1.0}}}]}


@pytest.fixture
def config(monkeypatch):
    """A world with one entity and every kind of handle."""
    monkeypatch.setitem(sys.modules, "test_stale_handles", sys.modules[__name__])
    return load_config_from_dict(
        {"sim": {"seed": 1}, "components": [{"boxes": BOXES}, {"test_stale_handles:Port": {}, "name": "port"}]}
    )


@pytest.fixture
def engine(config):
    """A running engine of that world; closed in the end."""
    with Engine(config) as engine:
        engine.reset()
        engine.advance(5)
        yield engine


MODEL = "expected one of model generation 2, got one of model generation 1; "
PLUGINS = "expected one of plugin generation 2, got one of plugin generation 1; "

HANDLES = {
    "entity": (lambda ctx: ctx.entities.require("crate"), lambda it: it.body, f"entity 'crate': {MODEL}"),
    "an entity's presence": (
        lambda ctx: ctx.entities.require("crate"),
        lambda it: setattr(it, "present", False),
        f"entity 'crate': {MODEL}",
    ),
    "endpoint read": (
        lambda ctx: ctx.interface.get("crate", "reading"),
        lambda it: it.read(),
        f"endpoint 'crate/reading': {PLUGINS}look it up again: engine.ctx.interface.get('crate', 'reading')",
    ),
    "endpoint write": (
        lambda ctx: ctx.interface.get("crate", "order"),
        lambda it: it.write(1.0),
        f"endpoint 'crate/order': {PLUGINS}",
    ),
    "subscription": (
        lambda ctx: ctx.interface.get("crate", "reading"),
        lambda it: setattr(it, "has_subscribers", True),
        f"endpoint 'crate/reading': {PLUGINS}",
    ),
    "gate": (lambda ctx: ctx.gates()[0], lambda it: it.satisfy(), f"gate 'ready': {PLUGINS}"),
    "robot": (
        lambda ctx: ctx.blackboard.require("robot:crate"),
        lambda it: it.drive(1.0, 0.0, 0.0),
        f"robot handle 'robot:crate': {MODEL}look it up again: engine.ctx.blackboard.require('robot:crate')",
    ),
    "options": (
        RuntimeOptions.of,
        lambda it: it.patch({"density": 1.0}),
        f"runtime options 'runtime_options': {MODEL}",
    ),
    "options seen": (RuntimeOptions.of, lambda it: it.snapshot(), f"runtime options 'runtime_options': {MODEL}"),
    "presence": (
        lambda ctx: ctx.blackboard.require("presence", Presence),
        lambda it: it.absent,
        f"presence 'presence': {MODEL}",
    ),
    "forces": (AppliedForce.of, lambda it: it.set("me", 1, [0.0] * 6), f"applied forces 'applied_force': {MODEL}"),
    "values": (Overlay.of, lambda it: it.add("x", ()), f"model values 'model_values': {MODEL}"),
    "entities": (lambda ctx: ctx.entities, lambda it: list(it), f"ctx.entities: {MODEL}"),
    "interface": (lambda ctx: ctx.interface, lambda it: it.all(), f"ctx.interface: {MODEL}"),
    "blackboard": (lambda ctx: ctx.blackboard, lambda it: it.get("x"), f"ctx.blackboard: {MODEL}"),
    "context": (lambda ctx: ctx, lambda it: it.data, f"context: {MODEL}take engine.ctx"),
    "a command": (lambda ctx: ctx, lambda it: it.post(print), f"context: {MODEL}"),
    "a snapshot": (lambda ctx: ctx, lambda it: it.read_snapshot(), f"context: {MODEL}"),
    "a clock": (lambda ctx: ctx, lambda it: setattr(it, "tick", 3), f"context: {MODEL}"),
}


@pytest.mark.parametrize("kind", HANDLES)
def test_a_handle_of_the_world_before_is_refused_by_name(engine, config, kind):
    take, use, text = HANDLES[kind]
    handle = take(engine.ctx)
    kinds = type(handle)
    engine.reload(config)
    with pytest.raises(StaleError) as refused:
        use(handle)
    assert str(refused.value).startswith(text)
    assert isinstance(handle, kinds) and repr(handle).startswith("<stale ") and handle == handle


@pytest.mark.parametrize("kind", [kind for kind in HANDLES if kind not in ("a command",)])
def test_the_same_handle_looked_up_again_works(engine, config, kind):
    take, use, _ = HANDLES[kind]
    engine.reload(config)
    use(take(engine.ctx))


def test_the_error_tells_what_is_current_by_then(engine, config):
    crate = engine.ctx.entities.require("crate")
    for _ in range(3):
        engine.reload(config)
    with pytest.raises(StaleError, match="expected one of model generation 4, got one of model generation 1"):
        crate.body  # noqa: B018
    engine.shutdown()
    with pytest.raises(StaleError, match="entity 'crate': expected a running engine, got one of model generation 1"):
        crate.body  # noqa: B018


def test_a_world_that_is_gone_is_held_by_nobody_who_keeps_a_handle(engine, config):
    kept = engine.ctx, engine.ctx.entities.require("crate"), engine.ctx.interface.all()
    model = weakref.ref(engine.plugins[1])
    engine.reload(config)
    gc.collect()
    assert model() is None and kept


def test_commands_that_wait_are_refused_and_those_who_wait_for_them_told(engine, config):
    future = engine.ctx.post(lambda ctx: ctx.tick)
    told = []

    def ask(ctx):
        try:
            ctx.call(lambda ctx: ctx.tick, timeout=30.0)
        except StaleError as error:
            told.append(str(error))

    asker = threading.Thread(target=ask, args=(engine.ctx,))
    asker.start()
    while len(engine.ctx.commands.pending) < 2:
        pass
    engine.reload(config)
    asker.join()
    text = (
        "command: expected to run in model generation 1, got model generation 2; the world was reloaded: post it again"
    )
    assert told == [text]
    assert str(future.exception(0)) == text
    assert engine.ctx.call(lambda ctx: ctx.tick) == 0


def test_a_stop_that_was_asked_for_outlives_the_world(engine, config):
    engine.ctx.request_stop("enough", failed=True)
    engine.ctx.pace = 2.0
    control = engine.ctx.control
    control.pause()
    engine.reload(config)
    ctx = engine.ctx
    assert (ctx.stop_reason, ctx.stop_failed, ctx.pace) == ("enough", True, 2.0)
    assert ctx.control is control and control.paused


class Meddler(Plugin):
    """Wants another world from within a hook."""

    engine = None
    where = ""

    def pre_step(self, ctx):
        self._try("pre_step")

    def on_reset(self, ctx):
        self._try("on_reset")

    def shutdown(self, ctx):
        self._try("shutdown")

    def _try(self, hook):
        if type(self).where == hook:
            type(self).engine.reload(type(self).engine.cfg)


@pytest.mark.parametrize(
    ("hook", "call", "place"),
    [
        ("pre_step", "step", "a tick"),
        ("pre_step", "advance", "a tick"),
        ("on_reset", "reset", "a reset"),
    ],
)
def test_a_hook_cannot_take_the_world_from_under_itself(monkeypatch, hook, call, place):
    monkeypatch.setitem(sys.modules, "test_stale_handles", sys.modules[__name__])
    with Engine(load_config_from_dict({"components": [{"test_stale_handles:Meddler": {}}]})) as engine:
        engine.reset()
        monkeypatch.setattr(Meddler, "engine", engine)
        monkeypatch.setattr(Meddler, "where", hook)
        refusal = f"got one from within {place}; ask for it with ctx.control.reload\\(cfg\\)"
        with pytest.raises(RoqsimError, match=refusal):
            engine.advance(1) if call == "advance" else getattr(engine, call)()


def test_a_posted_command_is_refused_and_told_the_way(engine, config):
    future = engine.ctx.post(lambda ctx: engine.reload(config))
    engine.step()
    with pytest.raises(RoqsimError, match=r"from within a posted command; ask for it with ctx\.control\.reload"):
        future.result(0)
    with pytest.raises(RoqsimError, match=r"from within a command"):
        engine.ctx.call(lambda ctx: engine.reload(config))
    assert engine.generations().model.number == 1


def test_another_thread_is_refused_by_name(engine, config):
    told = []

    def ask():
        try:
            engine.reload(config)
        except RoqsimError as error:
            told.append(str(error))

    thread = threading.Thread(target=ask, name="bridge")
    thread.start()
    thread.join()
    assert "between two ticks, got one on the thread 'bridge'; ask for it" in told[0]


def test_an_engine_that_does_not_run_reloads_nothing(config):
    engine = Engine(config)
    with pytest.raises(RoqsimError, match=r"^Engine\.reload: expected Engine\.setup\(\) before it"):
        engine.reload(config)
    engine.shutdown()
    with pytest.raises(RoqsimError, match=r"^Engine\.reload: expected a running engine"):
        engine.reload(config)
