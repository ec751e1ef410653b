"""The smallest plugin that uses every hook: a pattern to copy, and something for tests to count."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import mujoco

from roqsim.config.schema import opt
from roqsim.context import Endpoint, SimContext
from roqsim.plugin import Plugin


@dataclass(frozen=True)
class Count:
    """What the endpoint ``count`` carries.

    Attributes:
        stamp_ns: The time of the state in nanoseconds.
        steps: How often ``post_step`` ran since the last reset.
    """

    stamp_ns: int
    steps: int


@dataclass(frozen=True, kw_only=True)
class DummyConfig:
    """How often it counts."""

    rate_hz: float | None = opt(None, gt=0, unit="Hz")
    """How often its tick hooks run; every physics step where nothing is said."""
    topics: dict[str, str] = opt(factory=dict)
    """Topic by endpoint name, where a transport should use another one."""


class Dummy(Plugin):
    """Counts its hooks and publishes how many steps it saw since the last reset.

    Attributes:
        calls: How often each hook ran since the plugin was made.
        steps: How often ``post_step`` ran since the last reset.
    """

    Config = DummyConfig
    reads_derived = False

    def __init__(self, config: object | None = None, *, name: str | None = None) -> None:
        super().__init__(config, name=name)
        self.calls: Counter[str] = Counter()
        self.steps = 0

    def build(self, spec: mujoco.MjSpec, ctx: SimContext) -> None:
        """Adds nothing to the world."""
        self.calls["build"] += 1

    def configure(self, ctx: SimContext) -> None:
        """Offers the endpoint ``count`` and says how often the tick hooks are needed."""
        self.calls["configure"] += 1
        if self.config.rate_hz is not None:
            ctx.schedule(self, "pre_step", self.config.rate_hz)
            ctx.schedule(self, "post_step", self.config.rate_hz)
        ctx.interface.add(
            Endpoint(
                "count",
                "out",
                self.name,
                read=lambda: Count(ctx.time_ns, self.steps),
                rate_hz=self.config.rate_hz,
                backend={"ros2": {"type": "std_msgs.msg.UInt64", "topic": self.topic_override("count") or "count"}},
                reads_derived=False,
                doc="Steps that were counted since the last reset.",
            )
        )

    def on_reset(self, ctx: SimContext) -> None:
        """Starts counting again."""
        self.calls["on_reset"] += 1
        self.steps = 0

    def pre_step(self, ctx: SimContext) -> None:
        """Writes nothing."""
        self.calls["pre_step"] += 1

    def post_step(self, ctx: SimContext) -> None:
        """Counts a step."""
        self.calls["post_step"] += 1
        self.steps += 1

    def shutdown(self, ctx: SimContext) -> None:
        """Closes nothing."""
        self.calls["shutdown"] += 1
