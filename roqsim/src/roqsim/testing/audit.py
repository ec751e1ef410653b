"""Does a reset restore everything? Records all endpoints, disturbs the world, resets it and records them again."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

import mujoco
import numpy as np

from roqsim.context import Endpoint, SimContext, Twist
from roqsim.engine import Engine
from roqsim.plugin import Plugin

Series = dict[str, list[object]]
"""By endpoint path: one comparable value for each of its due ticks. ``state`` holds MuJoCo's state of every tick."""

PUSH = 25.0
"""The force in N with which the disturbance pushes bodies."""

COMMANDS = (
    True,
    Twist((0.2, 0.0, 0.0), (0.0, 0.0, 0.5)),
    {"force": [5.0, 0.0, 5.0]},
    {"gravity": [0.5, 0.0, -3.0]},
    None,
)
"""What is written into ``in`` endpoints, to each the first that it takes: a switch, a speed, a push, an option."""


def record(engine: Engine, seconds: float) -> Series:
    """Steps the world and reads every ``out`` endpoint whenever it is due.

    Args:
        engine: A world right after a reset.
        seconds: Simulated seconds to record.

    Returns:
        What was read, in a form that compares bit for bit.
    """
    ctx = engine.ctx
    size = mujoco.mj_stateSize(ctx.model, mujoco.mjtState.mjSTATE_INTEGRATION)
    state = np.empty(size)
    outs = ctx.interface.by_direction("out")
    series: Series = {endpoint.path: [comparable(endpoint.read())] for endpoint in outs}
    series["state"] = []
    for _ in range(round(seconds / ctx.dt)):
        engine.step()
        mujoco.mj_getState(ctx.model, ctx.data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
        series["state"].append(state.tobytes())
        for endpoint in outs:
            if endpoint.rate is None or _is_due(endpoint, ctx.tick):
                series[endpoint.path].append(comparable(endpoint.read()))
    return series


def _is_due(endpoint: Endpoint, tick: int) -> bool:
    every = endpoint.rate.every_steps
    return every > 0 and tick % every == 0


def reset_audit(engine: Engine, seconds: float = 2.0, disturb: Callable[[Engine], None] | None = None) -> list[str]:
    """Compares the series after a first reset with that after a disturbance and a second one, seed and episode pinned.

    Args:
        engine: A world that was set up.
        seconds: Simulated seconds of each recording.
        disturb: Disturbs the world; ``shake`` by default.

    Returns:
        What differs, empty for a clean reset.
    """
    seed = engine.ctx.seed
    engine.reset(seed=seed)
    first = record(engine, seconds)
    (disturb or shake)(engine)
    engine.reset(seed=seed)
    return differences(first, record(engine, seconds))


def shake(engine: Engine) -> None:
    """Commands every port, pushes every body, writes every control's bound, hides what is there and shows what is not.

    The world runs for a while in between.
    """
    ctx = engine.ctx
    # A port that undoes what another did is offered after it, so it gets its turn before.
    for endpoint in reversed(ctx.interface.by_direction("in")):
        any(_takes(endpoint, command) for command in COMMANDS)
    ctx.data.xfrc_applied[1:, :3] = PUSH
    ctx.data.qvel[:] += 0.1
    limited = ctx.model.actuator_ctrllimited.astype(bool)
    rows = ctx.model.actuator_ctrladr[limited]
    ctx.data.ctrl[rows] = ctx.model.actuator_ctrlrange[limited, 1]
    ctx.state_changed()
    engine.advance(round(0.3 / ctx.dt))
    presence = ctx.blackboard.get("presence")
    for entity in ctx.entities:
        presence.set(entity, not entity.present)
    engine.advance(round(0.2 / ctx.dt))
    for endpoint in ctx.interface.by_direction("out"):
        endpoint.read()


def _takes(endpoint: Endpoint, command: object) -> bool:
    """Whether a port takes a command; what it refuses has to change nothing, which the audit then shows."""
    try:
        endpoint.write(command)
    except Exception:
        return False
    return True


def differences(first: Series, second: Series) -> list[str]:
    """Where two series part, one line an endpoint."""
    found = []
    for path in sorted(first.keys() | second.keys()):
        one, two = first.get(path, []), second.get(path, [])
        if len(one) != len(two):
            found.append(f"{path}: {len(one)} values, then {len(two)}")
        else:
            unequal = [index for index, pair in enumerate(zip(one, two, strict=True)) if pair[0] != pair[1]]
            if unequal:
                at = unequal[0]
                found.append(f"{path}: {len(unequal)} of {len(one)} values differ, first number {at}")
    return found


def comparable(payload: object) -> object:
    """A payload as plain values in which equal means equal in every bit, NaN included."""
    if isinstance(payload, np.ndarray):
        return (payload.dtype.str, payload.shape, payload.tobytes())
    if dataclasses.is_dataclass(payload) and not isinstance(payload, type):
        return tuple((field.name, comparable(getattr(payload, field.name))) for field in dataclasses.fields(payload))
    if isinstance(payload, Mapping):
        return tuple((str(key), comparable(value)) for key, value in payload.items())
    if isinstance(payload, list | tuple):
        return tuple(comparable(value) for value in payload)
    if isinstance(payload, float | np.floating):
        return float(payload).hex()
    return payload


def writes_in_post_step(engine: Engine, seconds: float = 0.5) -> list[str]:
    """The components whose ``post_step`` writes into the state, found by comparing it before and after each call."""
    ctx = engine.ctx
    spec = mujoco.mjtState.mjSTATE_INTEGRATION
    before, after = (np.empty(mujoco.mj_stateSize(ctx.model, spec)) for _ in range(2))
    guilty: set[str] = set()

    def watched(plugin: Plugin) -> Callable[[SimContext], None]:
        hook = plugin.post_step

        def run(ctx: SimContext) -> None:
            mujoco.mj_getState(ctx.model, ctx.data, before, spec)
            hook(ctx)
            mujoco.mj_getState(ctx.model, ctx.data, after, spec)
            if before.tobytes() != after.tobytes():
                guilty.add(plugin.address)

        return run

    engine.watch_post_step(watched)
    engine.reset()
    engine.advance(round(seconds / ctx.dt))
    return sorted(guilty)
