"""A packaged world is to the bit the same whether an engine begins with it or goes over to it."""

from __future__ import annotations

import hashlib

import pytest
from roqsim.mj.state import take
from roqsim.rendering.fake import FakeBackend

from roqsim import Engine, load_config

from .test_reset_audit import WORLDS

TICKS, AT_ONCE = 500, 10


def digest(engine):
    """What the states of the next ticks come to."""
    states = hashlib.sha256()
    for _ in range(TICKS // AT_ONCE):
        engine.advance(AT_ONCE)
        states.update(take(engine.ctx.model, engine.ctx.data).tobytes())
    return states.hexdigest()


@pytest.mark.slow
@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.stem)
def test_a_packaged_world_is_the_same_after_another_one(monkeypatch, path):
    monkeypatch.setattr("roqsim.rendering.service._classic", lambda: FakeBackend())
    config, other = load_config(path), load_config(next(each for each in WORLDS if each != path))
    with Engine(other, seed=3) as engine, Engine(config, seed=3) as fresh:
        engine.reset()
        engine.advance(123)
        engine.reload(config)
        fresh.reset()
        assert digest(engine) == digest(fresh)
