"""Many runs in one process: what is recorded of one does not depend on the others, nor on being recorded."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from roqsim.errors import DivergenceError
from roqsim.recording import open_recording, record

from .conftest import POPULATED, WORLD

ARM = """
sim: {world: features.xml, seed: 3}
components:
  - "parts.py:Servo": {}
    name: servo
  - spawn_model: {model: walker.xml, motion: driven, pose: {position: {x: 2}}}
    name: walker
"""

WALKER = "<mujoco><worldbody><body name='walker'><geom size='.2 .5' type='capsule'/></body></worldbody></mujoco>"

OWN = {"started", "started_wall", "started_monotonic", "tick"}
"""What of a run is its own, whatever world it is of."""


def facts(recording):
    """What must be the same in another run of the same world."""
    meta = {key: value for key, value in recording.meta.items() if key not in OWN}
    return meta, recording.states.tobytes(), recording.ticks.tolist(), recording.events, recording.inputs


@pytest.mark.needs("roqsim_mobile")
def test_three_worlds_leave_the_same_records_in_any_order(folder, world):
    documents = {"a": WORLD, "b": POPULATED, "c": "roqsim_mobile:turtlebot4_empty"}
    found = {name: [] for name in documents}
    for turn, order in enumerate(list(permutations(documents))[::5]):
        for name in order:
            engine = world(documents[name], base_dir=folder, reset=False)
            record(engine, f"{turn}{name}.npz", 100.0)
            engine.reset()
            engine.advance(200)
            engine.shutdown()
            found[name].append(facts(open_recording(f"{turn}{name}.npz")))
    assert all(first == second for first, second in found.values())


def test_a_reset_to_one_seed_gives_one_run_whatever_lies_between(folder, world):
    (folder / "walker.xml").write_text(WALKER)
    engine = world(ARM, base_dir=folder, reset=False)
    record(engine, "run.npz", 100.0)
    for seed in (1, 2, 1):
        engine.reset(seed=seed)
        for step in range(10):
            x = 2.0 + 0.1 * step * seed
            engine.ctx.post(lambda ctx, x=x: ctx.data.mocap_pos.__setitem__((1, 0), x))
            engine.advance(20)
    engine.reset()
    engine.shutdown()
    first, other, second = (open_recording(name) for name in ("run.npz", "run_2.npz", "run_3.npz"))
    assert facts(first) == facts(second)
    assert first.states.tobytes() != other.states.tobytes()


def test_a_state_that_became_nan_ends_the_run_and_leaves_a_valid_recording(folder, world):
    (folder / "poison.py").write_text(
        "from roqsim import Plugin\n\n\n"
        "class Poison(Plugin):\n"
        "    def pre_step(self, ctx):\n"
        "        if ctx.tick == 100:\n"
        "            ctx.data.qvel[0] = float('nan')\n"
    )
    engine = world(f'{WORLD}  - "poison.py:Poison": {{}}\n    name: poison\n', base_dir=folder, reset=False)
    record(engine, "run.mcap", 100.0)
    engine.reset()
    with pytest.raises(DivergenceError):
        engine.advance(500)
    recording = open_recording("run.mcap")
    assert recording.complete and recording.meta["stop_failed"] is True
    assert "qvel of joint 'hinge' is nan at 0.2 s (tick 100)" in recording.meta["stop_reason"]
    assert "poison" in recording.meta["stop_reason"]
    assert recording.ticks[-1] == 100 and np.isfinite(recording.states).all()
    assert (np.diff(recording.times) > 0).all()
