from __future__ import annotations

import mujoco
import numpy as np
import pytest
from roqsim.context import SimContext
from roqsim.forces.applied_force import AppliedForce

MINE = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
THEIRS = np.array([1 / 3, 25.0, -7.1, 0.0, 1e-17, 3.3])


@pytest.fixture
def ctx():
    ctx = SimContext()
    ctx.model = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    )
    ctx.data = mujoco.MjData(ctx.model)
    return ctx


def test_shares_add_up_on_top_of_what_others_wrote(ctx):
    ctx.data.xfrc_applied[1] = THEIRS
    forces = AppliedForce.of(ctx)
    forces.set("a", 1, MINE)
    forces.set("b", 1, 2 * MINE)
    np.testing.assert_allclose(ctx.data.xfrc_applied[1], THEIRS + 3 * MINE)
    forces.set("b", 1, MINE)
    np.testing.assert_allclose(ctx.data.xfrc_applied[1], THEIRS + 2 * MINE)


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_what_others_wrote_is_there_again_to_the_bit(ctx, order):
    ctx.data.xfrc_applied[1] = THEIRS
    forces = AppliedForce.of(ctx)
    for _ in range(10):
        for owner in ("a", "b"):
            forces.set(owner, 1, MINE)
    for owner in order:
        forces.remove(owner, 1)
    assert ctx.data.xfrc_applied[1].tobytes() == THEIRS.tobytes()


def test_what_others_write_meanwhile_replaces_what_they_had(ctx):
    forces = AppliedForce.of(ctx)
    forces.set("a", 1, MINE)
    ctx.data.xfrc_applied[1] = THEIRS
    forces.set("a", 1, MINE)
    np.testing.assert_array_equal(ctx.data.xfrc_applied[1], THEIRS + MINE)
    forces.remove("a", 1)
    assert ctx.data.xfrc_applied[1].tobytes() == THEIRS.tobytes()


def test_taking_away_what_was_never_given_writes_nothing(ctx):
    ctx.data.xfrc_applied[1] = THEIRS
    AppliedForce.of(ctx).remove("a", 1)
    assert ctx.data.xfrc_applied[1].tobytes() == THEIRS.tobytes()


def test_a_simulation_has_one_set_of_shares(ctx):
    assert AppliedForce.of(ctx) is AppliedForce.of(ctx)
