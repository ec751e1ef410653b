"""An engine that goes over to another world, and what becomes of the one before."""

from __future__ import annotations

import hashlib
import sys

import pytest
from roqsim.errors import BuildError, ConfigError, PluginError, RoqsimError
from roqsim.generation import ModelGeneration, PluginGeneration
from roqsim.mj.state import take
from roqsim.plugin import Plugin

from roqsim import Engine, load_config_from_dict

STEPS = 500

CALLS: list[str] = []


class Noted(Plugin):
    """Notes its hooks, and fails in the one that its configuration names."""

    def _note(self, hook):
        CALLS.append(f"{self.address}.{hook}")
        if isinstance(self.config, dict) and self.config.get("fails") == hook:
            raise ValueError("it was told to")

    def build(self, spec, ctx):
        self._note("build")
        body = spec.worldbody.add_body(name=f"{self.address}_ball", pos=[0, 0, float(self.config.get("z", 1.0))])
        body.add_freejoint()
        body.add_geom(type=2, size=[0.1, 0, 0])

    def configure(self, ctx):
        self._note("configure")

    def on_reset(self, ctx):
        self._note("on_reset")

    def pre_step(self, ctx):
        """Pushes the ball by chance: what a world does depends on seed, episode and tick."""
        ctx.data.xfrc_applied[1, :3] = ctx.rng_for(self.address).normal(size=3)

    def shutdown(self, ctx):
        self._note("shutdown")


@pytest.fixture(autouse=True)
def noted(monkeypatch):
    """The plugin by the name of this file, and an empty list of calls."""
    monkeypatch.setitem(sys.modules, "test_reload", sys.modules[__name__])
    CALLS.clear()
    return CALLS


def config(*names, sim=None, **settings):
    """A world of falling balls, each pushed about by chance."""
    entries = [{"test_reload:Noted": dict(settings), "name": name} for name in names]
    return load_config_from_dict({"sim": {"seed": 4, "world": "empty_room", **(sim or {})}, "components": entries})


def digest(engine, steps=STEPS):
    """What the states of the next steps come to."""
    states = hashlib.sha256()
    for _ in range(steps):
        engine.step()
        states.update(take(engine.ctx.model, engine.ctx.data).tobytes())
    return states.hexdigest()


def running(cfg, **terms):
    """An engine that was set up and reset."""
    engine = Engine(cfg, **terms)
    engine.setup()
    engine.reset()
    return engine


@pytest.mark.parametrize("seed", [None, 11])
def test_a_reloaded_world_is_to_the_bit_the_one_of_a_new_engine(seed):
    with running(config("a", "b"), seed=seed) as engine, running(config("c", z=3.0), seed=seed) as fresh:
        digest(engine, 77)
        engine.reload(config("c", z=3.0))
        assert (engine.ctx.tick, engine.ctx.episode, engine.ctx.seed) == (0, 1, seed or 4)
        assert digest(engine) == digest(fresh)


def test_a_world_may_be_reloaded_with_another_step_and_seed():
    other = config("a", sim={"timestep": 0.005})
    with running(config("a")) as engine, running(other, seed=9) as fresh:
        engine.reset(seed=3)
        engine.advance(10)
        engine.reload(other, seed=9)
        assert engine.ctx.dt == 0.005
        assert digest(engine) == digest(fresh)


def test_nothing_of_the_old_world_is_called_once_the_new_one_is_configured(noted):
    with running(config("a", "b")) as engine:
        engine.advance(3)
        noted.clear()
        engine.reload(config("c", "d"))
        assert noted == [
            *("c.build", "d.build"),
            *("b.shutdown", "a.shutdown"),
            *("c.configure", "d.configure"),
            *("c.on_reset", "d.on_reset"),
        ]


def test_generations_count_the_worlds():
    with running(config("a")) as engine:
        engine.reload(config("a"))
        engine.reload(config("b"))
        assert engine.ctx.model_generation == ModelGeneration(3)
        assert engine.ctx.plugin_generation == PluginGeneration(3)
        assert str(engine.generations()) == "model generation 3, plugin generation 3, options epoch 1.0"


BROKEN = {
    "a component that does not exist": (lambda: [{"boxen": {}}], ConfigError),
    "a build that fails": (lambda: [{"test_reload:Noted": {"fails": "build"}, "name": "c"}], PluginError),
    "a world that does not compile": (
        lambda: [{"test_reload:Noted": {}, "name": "c"}, {"test_reload:Twice": {}}],
        BuildError,
    ),
}


class Twice(Plugin):
    """Adds a geom of no size, which MuJoCo does not compile."""

    def build(self, spec, ctx):
        spec.worldbody.add_geom(name="flat", type=2, size=[-1, 0, 0])


@pytest.mark.parametrize("mistake", BROKEN)
def test_a_world_that_cannot_be_built_leaves_the_old_one_as_it_was(mistake, noted):
    entries, kind = BROKEN[mistake]
    with running(config("a", "b")) as engine, running(config("a", "b")) as other:
        engine.advance(50)
        other.advance(50)
        ctx, entities = engine.ctx, list(engine.ctx.entities)
        with pytest.raises(kind):
            engine.reload(load_config_from_dict({"sim": {"world": "empty_room"}, "components": entries()}))
        assert engine.ctx is ctx and engine.is_open and list(ctx.entities) == entities
        assert not {"a.shutdown", "b.shutdown"} & set(noted)
        assert digest(engine) == digest(other)


@pytest.mark.parametrize("hook", ["configure", "on_reset"])
def test_a_world_that_fails_once_the_old_one_is_gone_ends_the_run(hook, noted):
    engine = running(config("a"))
    noted.clear()
    with pytest.raises(PluginError, match=rf"^c: {hook} failed: ValueError: it was told to"):
        engine.reload(config("c", "d", fails=hook))
    assert not engine.is_open
    assert noted.count("a.shutdown") == noted.count("c.shutdown") == noted.count("d.shutdown") == 1
    with pytest.raises(RoqsimError, match="got one that is shut down"):
        engine.step()
