"""What an engine allows when: before its setup, while it runs, after its shutdown."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from roqsim.errors import RoqsimError
from roqsim.plugin import Plugin

from roqsim import Engine, load_config_from_dict

CALLS = {"step": (), "advance": (3,), "reset": (), "idle": ()}


@pytest.mark.parametrize("call", CALLS)
def test_nothing_runs_before_the_setup(call):
    engine = Engine(load_config_from_dict({}))
    with pytest.raises(RoqsimError, match=r"expected Engine\.setup\(\) before it"):
        getattr(engine, call)(*CALLS[call])
    assert engine.due(0) == engine.streams() == []


@pytest.mark.parametrize("call", CALLS)
def test_nothing_runs_after_the_shutdown(world, call):
    engine = world({})
    engine.advance(2)
    engine.shutdown()
    with pytest.raises(RoqsimError, match="expected a running engine, got one that is shut down"):
        getattr(engine, call)(*CALLS[call])
    assert engine.ctx.tick == 2


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True])
def test_a_seed_that_is_no_natural_number_is_refused(world, seed):
    with pytest.raises(RoqsimError, match=r"^Engine\.seed: expected an int >= 0, got"):
        Engine(load_config_from_dict({}), seed=seed)
    engine = world({})
    with pytest.raises(RoqsimError, match=r"^Engine\.reset\.seed: expected an int >= 0, got"):
        engine.reset(seed=seed)
    with pytest.raises(RoqsimError, match=r"^Engine\.reset\.episode: expected an int >= 0, got"):
        engine.reset(episode=seed)
    engine.reset(seed=np.int64(5))
    assert (engine.ctx.seed, engine.ctx.episode) == (5, 1)


def test_a_number_of_ticks_is_whole(world):
    engine = world({})
    assert engine.advance(np.int64(3)) == 3
    with pytest.raises(TypeError):
        engine.advance(1.5)
    assert engine.ctx.tick == 3


class Interrupted(Plugin):
    """Is interrupted while it is configured."""

    closed = False

    def configure(self, ctx):
        raise KeyboardInterrupt

    def shutdown(self, ctx):
        type(self).closed = True


def test_an_interruption_during_the_setup_closes_what_is_open(monkeypatch):
    monkeypatch.setitem(sys.modules, "test_life", sys.modules[__name__])
    engine = Engine(load_config_from_dict({"components": [{"test_life:Interrupted": {}}]}))
    with pytest.raises(KeyboardInterrupt):
        engine.setup()
    assert Interrupted.closed
