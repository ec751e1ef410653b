"""Faults of the physical world: named values of the model that switch between their own and other ones, on command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from roqsim.config.schema import need, opt
from roqsim.context import Endpoint, Entity, SimContext
from roqsim.errors import RoqsimError
from roqsim.model_values.catalogue import FIELDS, field_mistake
from roqsim.model_values.overlay import Change, Overlay
from roqsim.model_values.selection import check_partners, select
from roqsim.model_values.verdict import Probe, Verdict, combined, probe
from roqsim.plugin import Plugin


@dataclass(frozen=True, kw_only=True)
class Override:
    """Another value for one field of some objects."""

    field: str = need()
    """Field of the model; `roqsim scenes describe` lists them under `overridable`."""
    select: str | tuple[str, ...] = need()
    """Names or patterns (`*_pad`) of the field's namespace, without the prefix of the entity it is nested under."""
    value: float | tuple[float, ...] = need()
    """What it is while the override is active; a list shorter than the field leaves the rest as it is."""
    inertia: Literal["scale", "keep"] = opt("scale")
    """For body_mass: whether the body's inertia follows in proportion."""

    def __post_init__(self) -> None:
        hint = field_mistake(self.field)
        if hint:
            raise ValueError(f"field: expected a field that can change at run time, got {self.field!r}; {hint}")
        rule = FIELDS[self.field].mistake(self.values)
        if rule:
            raise ValueError(f"value: expected {rule}, got {self.value!r}")
        if self.inertia != "scale" and self.field != "body_mass":
            raise ValueError(f"inertia: expected 'scale' for {self.field}, got {self.inertia!r}; it is for body_mass")

    @property
    def values(self) -> tuple[float, ...]:
        """The value as a tuple."""
        return self.value if isinstance(self.value, tuple) else (self.value,)

    @property
    def patterns(self) -> tuple[str, ...]:
        """The selection as a tuple."""
        return (self.select,) if isinstance(self.select, str) else self.select


@dataclass(frozen=True, kw_only=True)
class ModelOverrideConfig:
    """What changes, together."""

    overrides: tuple[Override, ...] = need(length=(1, 1000))
    """The values; all of them come and go with one command."""
    active: bool = opt(False)
    """Whether every episode begins with the override in force."""
    rate_hz: float = opt(10.0, gt=0, unit="Hz")
    """How often `active` and `verified` are published."""
    topics: dict[str, str] = opt(factory=dict)
    """Topic by endpoint name, where a transport should use another one."""


@dataclass(frozen=True)
class OverrideState:
    """What an override is doing.

    Attributes:
        stamp_ns: The time of the state in nanoseconds.
        active: Whether it is in force.
        verified: ``landed`` where the solver used the new values, ``no_effect`` where it used others, ``untested``
            where nothing showed it yet.
        changes: How often it was switched in this episode.
        since: The simulated time in seconds of the last switch, of the reset where there was none.
        pending: Whether no step was made since the last switch.
        reason: For ``no_effect``: what the solver did.
    """

    stamp_ns: int
    active: bool
    verified: Verdict
    changes: int
    since: float
    pending: bool
    reason: str


class ModelOverride(Plugin):
    """Switches values of the model on command, checks that the change had an effect, and undoes it to the bit.

    Nothing here decides when: that is the experiment's business. The blackboard has the handle under
    ``model_override:<address>``.
    """

    Config = ModelOverrideConfig
    reads_derived = False

    def configure(self, ctx: SimContext) -> None:
        """Resolves the selections, refuses what is certain to do nothing, and offers command and state."""
        owner = ctx.owner_of(self)
        self._ctx = ctx
        self._changes = self._selected(ctx, owner)
        check_partners(self._changes, self.address)
        self._overlay = Overlay.of(ctx)
        self._overlay.add(self.address, self._changes)
        self._forget()
        ctx.blackboard.set(f"model_override:{self.address}", self)
        self._offer(ctx, owner)

    def _selected(self, ctx: SimContext, owner: Entity | None) -> tuple[Change, ...]:
        return tuple(
            select(
                ctx,
                FIELDS[override.field],
                override.patterns,
                override.values,
                where=f"{self.address}.overrides[{index}].select",
                prefix=owner.prefix if owner else "",
                scales_inertia=override.inertia == "scale",
            )
            for index, override in enumerate(self.config.overrides)
        )

    def _offer(self, ctx: SimContext, owner: Entity | None) -> None:
        namespace = owner.namespace if owner else ""

        def hints(name: str, **more: object) -> dict[str, dict[str, object]]:
            return {"ros2": {"topic": self.topic_override(name) or f"{self.name}/{name}", **more}}

        service = hints("override", service="std_srvs.srv.SetBool", state_key=f"model_override:{self.address}")
        ctx.interface.add(
            Endpoint(
                "override",
                "in",
                self.address,
                write=self._command,
                namespace=namespace,
                backend=service,
                doc="Brings the override into force (true) or undoes it (false).",
            )
        )
        for name, kind in (("active", "std_msgs.msg.Bool"), ("verified", "std_msgs.msg.String")):
            ctx.interface.add(
                Endpoint(
                    name,
                    "out",
                    self.address,
                    read=self.read_state,
                    rate_hz=self.config.rate_hz,
                    namespace=namespace,
                    backend=hints(name, type=kind, field=name),
                    reads_derived=False,
                    doc=f"Whether the override is {'in force' if name == 'active' else 'seen by the solver'}.",
                )
            )

    def on_reset(self, ctx: SimContext) -> None:
        """Undoes the override, or brings it into force where every episode begins so."""
        self._overlay.set(self.address, False)
        self._forget()
        if self.config.active:
            self._switch(True)

    def _forget(self) -> None:
        self._look_for([])
        self._verified: Verdict = "untested"
        self._reason = ""
        self._count = 0
        self._tick = 0

    def _look_for(self, probes: list[Probe]) -> None:
        """Begins to look for effects; with none to look for, the hook rests."""
        self._probes = probes
        (self._ctx.wake if probes else self._ctx.rest)(self, "post_step")

    def post_step(self, ctx: SimContext) -> None:
        """Looks for the effect of the last switch until it is seen; once, after an override was undone."""
        if not self._probes or ctx.tick <= self._tick:
            return
        self._verified = combined([each.look(ctx) for each in self._probes])
        self._reason = "; ".join(each.reason for each in self._probes if each.reason)
        if self._verified == "no_effect" and self.is_active():
            ctx.log.warning(
                "%s: expected the override to change something, got no effect: %s", self.address, self._reason
            )
        if self._verified != "untested" or not self.is_active():
            self._look_for([])

    def _command(self, payload: object) -> OverrideState:
        active = getattr(payload, "data", payload)
        if not isinstance(active, bool):
            raise RoqsimError(f"{self.address}.override: expected true or false, got {active!r}")
        self.set_active(active)
        return self.read_state()

    def is_active(self) -> bool:
        """Whether the override is in force."""
        return self._overlay.is_in_force(self.address)

    def set_active(self, active: bool) -> None:
        """Brings the override into force or undoes it; on the physics thread (from elsewhere: ``ctx.post``)."""
        if active != self.is_active():
            self._switch(active)
            self._count += 1
            self._ctx.state_changed()

    def _switch(self, active: bool) -> None:
        self._look_for([probe(self._ctx, change) for change in self._changes])
        self._verified, self._reason = "untested", ""
        self._tick = self._ctx.tick
        self._overlay.set(self.address, active)

    def read_state(self) -> OverrideState:
        """What the override is doing."""
        ctx = self._ctx
        pending = bool(self._probes) and ctx.tick <= self._tick
        reason = self._reason if self._verified == "no_effect" else ""
        since = self._tick * ctx.dt
        return OverrideState(ctx.time_ns, self.is_active(), self._verified, self._count, since, pending, reason)

    def reply(self) -> tuple[bool, str]:
        """What to answer to the last command once a step was made: whether it succeeded, and the verdict in words.

        Activating fails where the solver is seen not to use the new values; undoing can't fail.
        """
        state = self.read_state()
        text = state.verified if not state.reason else f"{state.verified}: {state.reason}"
        return not (state.active and state.verified == "no_effect"), text
