"""``Engine.advance`` while somebody looks on who takes samples between the hooks by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roqsim.context import SimContext
    from roqsim.engine.engine import Engine


@dataclass(frozen=True)
class Burst:
    """Steps with samples among them.

    Attributes:
        run: Given model, data and ``n``: does ``n`` steps and takes a sample at each due tick but the last.
        sample: Takes a sample: what the slot of the last tick does where a hook is due at it too.
        every: Ticks between two samples.
    """

    run: Callable[..., None]
    sample: Callable[[SimContext], None]
    every: int


def advance_watched(engine: Engine, n: int, burst: Burst) -> int:
    """Does what ``Engine.advance`` does.

    A due tick does not end a run of steps in which no hook is due: the samples in it are taken by ``burst``. The one of
    its last tick comes after the hooks of that tick, as the slot behind them has it.

    Args:
        engine: Whose ticks.
        n: How many, at least none.
        burst: What does the steps.
    """
    ctx = engine.ctx
    began, left, episode = ctx.tick, n, ctx.episode
    engine._next_post = engine._post.next_due(ctx.tick, all_slots=False)
    while left > 0:
        if engine._pending:
            engine._drain()
        tick = ctx.tick
        if tick >= engine._next_pre:
            tick = engine._before(tick)
            if ctx.episode != episode:
                episode, engine._next_post = ctx.episode, engine._post.next_due(tick, all_slots=False)
        many = max(1, min(left, engine._next_pre - tick, engine._next_post - tick))
        burst.run(ctx.model, ctx.data, many)
        ctx.tick = tick = tick + many
        left -= many
        if engine._warned != engine._calm:
            engine._diverged()
            return n - left
        if tick >= engine._next_post:
            engine._run(engine._post, tick)
            engine._next_post = engine._post.next_due(tick, all_slots=False)
        elif not tick % burst.every:
            burst.sample(ctx)
        if ctx.snapshots_wanted:
            ctx.publish_snapshot()
        if ctx.stop_reason is not None:
            break
    engine._next_post = engine._post.next_due(ctx.tick)
    return ctx.tick - began
