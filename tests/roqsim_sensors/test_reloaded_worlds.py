"""A shipped world is to the bit the same whether an engine begins with it or goes over to it."""

from __future__ import annotations

import hashlib

import pytest
from roqsim.mj.state import take
from roqsim_sensors.worlds import WORLDS_DIR

from roqsim import Engine, load_config

TICKS, AT_ONCE = 500, 10


def digest(engine):
    """What the states of the next ticks come to."""
    states = hashlib.sha256()
    for _ in range(TICKS // AT_ONCE):
        engine.advance(AT_ONCE)
        states.update(take(engine.ctx.model, engine.ctx.data).tobytes())
    return states.hexdigest()


@pytest.mark.gl
@pytest.mark.parametrize("name", sorted(path.stem for path in WORLDS_DIR.glob("*.yaml")))
def test_a_shipped_world_is_the_same_after_another_one(name):
    config = load_config(f"roqsim_sensors:{name}")
    other = load_config(f"roqsim_sensors:{min(path.stem for path in WORLDS_DIR.glob('*.yaml') if path.stem != name)}")
    with Engine(other, seed=3) as engine, Engine(config, seed=3) as fresh:
        engine.reset()
        engine.advance(123)
        engine.reload(config)
        fresh.reset()
        assert digest(engine) == digest(fresh)
