"""Pushing a body: a scheduled or commanded force and torque with exactly the impulse that was asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from roqsim.command_value import command_value
from roqsim.config.schema import opt
from roqsim.context import Endpoint, SimContext
from roqsim.errors import RoqsimError
from roqsim.forces.applied_force import AppliedForce
from roqsim.forces.push import Push, WrenchCommand
from roqsim.lookup import LookupError_, resolve_body_id
from roqsim.mj.names import body_id, name_of
from roqsim.plugin import Plugin


@dataclass(frozen=True, kw_only=True)
class WrenchConfig:
    """Which body is pushed, and when."""

    body: str | None = opt(None)
    """Body of the entity it is nested under, without its prefix (its root by default); else any entity or body."""
    schedule: tuple[WrenchCommand, ...] = opt(())
    """Pushes of every episode; those that overlap add up."""
    rate_hz: float = opt(50.0, gt=0, unit="Hz")
    """How often the applied wrench is published."""
    topics: dict[str, str] = opt(factory=dict)
    """Topic by endpoint name, where a transport should use another one."""


@dataclass(frozen=True)
class AppliedWrench:
    """What a component applied to its body in the last step.

    Attributes:
        stamp_ns: The time in nanoseconds at which that step began.
        frame_id: The frame of the vectors.
        body: The compiled name of the body.
        force: ``(3,)`` N, the mean over the step.
        torque: ``(3,)`` Nm about the body's centre of mass, the mean over the step.
    """

    stamp_ns: int
    frame_id: str
    body: str
    force: np.ndarray
    torque: np.ndarray


class Wrench(Plugin):
    """Pushes a body.

    The force of each step is the mean of the push over it, so the impulse is that of the push whatever its begin,
    duration and ramp are. Components that push the same body add up, and what others write into ``xfrc_applied`` stays.
    """

    Config = WrenchConfig
    reads_derived = False

    def configure(self, ctx: SimContext) -> None:
        """Finds the body and offers command and state."""
        owner = ctx.owner_of(self)
        self._ctx = ctx
        self._body = self._find(ctx)
        self._applied = AppliedForce.of(ctx)
        self._wrench = np.zeros(6)
        self._commanded: list[Push] = []
        self._pushes: list[Push] = []
        self._next = math.inf
        namespace = owner.namespace if owner else ""
        for name, write, kind, doc in (
            ("apply", self._apply, "geometry_msgs.msg.WrenchStamped", "Pushes the body: a WrenchCommand."),
            ("clear", self._clear, "std_msgs.msg.Empty", "Ends every push that was commanded."),
        ):
            topic = self.topic_override(name) or f"{self.name}/{name}"
            ctx.interface.add(
                Endpoint(
                    name,
                    "in",
                    self.address,
                    write=write,
                    namespace=namespace,
                    backend={"ros2": {"type": kind, "topic": topic}},
                    doc=doc,
                )
            )
        topic = self.topic_override("applied") or f"{self.name}/applied"
        hints = {"type": "geometry_msgs.msg.WrenchStamped", "topic": topic, "frame_id": "world"}
        ctx.interface.add(
            Endpoint(
                "applied",
                "out",
                self.address,
                read=self._read,
                rate_hz=min(self.config.rate_hz, 1.0 / ctx.dt),
                namespace=namespace,
                backend={"ros2": hints},
                lazy=True,
                reads_derived=False,
                doc="Force and torque that were applied in the last step.",
            )
        )

    def _find(self, ctx: SimContext) -> int:
        owner, name, where = ctx.owner_of(self), self.config.body, f"{self.address}.body"
        if owner is None and name is None:
            raise RoqsimError(f"{where}: expected a body, got nothing; name one, or nest the entry under an entity")
        if owner is None:
            body = resolve_body_id(ctx, name, what=where)
        else:
            body = owner.body if name is None else body_id(ctx.model, name, where=where, prefix=owner.prefix)
        if not ctx.model.body_dofnum[ctx.model.body_weldid[body]]:
            shown = name_of(ctx.model, "body", body)
            raise LookupError_(
                f"{where}: expected a body that forces move, got {shown!r}, which is fixed or driven; write "
                "`motion: physics` in its entry"
            )
        return int(body)

    def on_reset(self, ctx: SimContext) -> None:
        """Forgets what was commanded and begins the schedule again."""
        self._applied.forget(self.address)
        self._wrench[:] = 0.0
        self._commanded = []
        self._plan()

    def _plan(self) -> None:
        """Puts together what is still to come, and rests until the next of it begins."""
        ctx = self._ctx
        scheduled = [Push(each, each.start) for each in self.config.schedule]
        self._pushes = [push for push in (*scheduled, *self._commanded) if push.end > ctx.sim_time]
        self._next = min((push.start for push in self._pushes), default=math.inf)
        if self._wrench.any():
            self._next = ctx.sim_time  # a step is needed to take away what is applied
        # A step early, so that rounding cannot make it a step late.
        until = None if self._next == math.inf else int(self._next / ctx.dt) - 1
        if until is None or until > ctx.tick:
            ctx.rest(self, "pre_step", until)
        else:
            ctx.wake(self, "pre_step")

    def pre_step(self, ctx: SimContext) -> None:
        """Writes the mean force of the step that follows."""
        begin, end = ctx.tick * ctx.dt, (ctx.tick + 1) * ctx.dt
        if end <= self._next:
            return
        ctx.refresh()
        wrench = np.zeros(6)
        for push in self._pushes:
            fraction = push.mean(begin, end)
            if fraction:
                wrench += fraction * self._in_world(ctx, push.command)
        if wrench.any():
            self._applied.set(self.address, self._body, wrench)
        else:
            self._applied.remove(self.address, self._body)
        self._wrench = wrench
        if not wrench.any():
            self._plan()

    def _in_world(self, ctx: SimContext, command: WrenchCommand) -> np.ndarray:
        """``(6,)`` force and torque at full height along the world's axes, at the body's centre of mass."""
        data, body = ctx.data, self._body
        R_WB = data.xmat[body].reshape(3, 3)
        force, torque = np.array(command.force), np.array(command.torque)
        if command.frame == "body":
            force, torque = R_WB @ force, R_WB @ torque
        if command.point is not None:
            p_WP = data.xpos[body] + R_WB @ command.point
            torque = torque + np.cross(p_WP - data.xipos[body], force)
        return np.concatenate([force, torque])

    def _apply(self, payload: object) -> None:
        command = command_value(WrenchCommand, payload, f"{self.address}.apply")
        self._commanded.append(Push(command, self._ctx.sim_time + command.start))
        self._plan()

    def _clear(self, payload: object = None) -> None:
        self._commanded = []
        self._plan()

    def _read(self) -> AppliedWrench:
        ctx = self._ctx
        name = name_of(ctx.model, "body", self._body)
        return AppliedWrench(ctx.solve_time_ns, "world", name, self._wrench[:3].copy(), self._wrench[3:].copy())
