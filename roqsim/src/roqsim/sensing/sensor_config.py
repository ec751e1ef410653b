"""What can be said about every sensor in a world file: mount, cadence, latency and fault."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from roqsim.config.pose import Pose
from roqsim.config.schema import opt
from roqsim.sensing.fault import FAULT, FaultValues


@dataclass(frozen=True, kw_only=True)
class StreamConfig:
    """Cadence, latency and fault of a sensor."""

    rate_hz: float = opt(10.0, gt=0, unit="Hz")
    """How often it measures."""
    delay: float = opt(0.0, ge=0, unit="s")
    """How long after its stamp a measurement can be read, rounded up to whole physics steps."""
    fault: FaultValues = opt(FaultValues())
    """Values that some of these keys take on while the sensor's fault is active, which it never is after a reset."""
    topics: dict[str, str] = opt(factory=dict)
    """Topic by endpoint name, where a transport should use another one."""

    fault_keys: ClassVar[tuple[str, ...]] = ()
    """The keys that ``fault`` may change: those that every measurement reads."""

    def __post_init__(self) -> None:
        self.check()
        if self.fault:
            self.degraded  # noqa: B018 - reads the values, which raises where they are wrong

    def check(self) -> None:
        """Raises ValueError where keys contradict each other; a device adds its own rules to these."""

    @cached_property
    def degraded(self) -> StreamConfig:
        """The configuration that holds while the fault is active.

        Raises:
            ConfigError: If ``fault`` has a key that it may not change, or a value that the key may not have.
            ValueError: If its values contradict others.
        """
        values = self.fault.read(type(self), self.fault_keys)
        try:
            return dataclasses.replace(self, **values, fault=FaultValues())
        except ValueError as error:
            raise ValueError(f"{FAULT}.{error}") from None


@dataclass(frozen=True, kw_only=True)
class SensorConfig(StreamConfig):
    """Mount of a sensor that sits somewhere, beside its cadence, latency and fault."""

    body: str | None = opt(None)
    """Body of the owning entity that it is fixed to, without the entity's prefix; its root body by default."""
    site: str | None = opt(None)
    """Site of the owning entity that it is fixed to, instead of a body."""
    pose: Pose = opt(Pose())
    """Pose of the sensor's frame in that body or site."""
    frame_id: str | None = opt(None)
    """Frame that the data is stamped with; the mount's, else the name of the body or site, where nothing is said."""

    def check(self) -> None:
        """Raises ValueError where keys contradict each other."""
        if self.body is not None and self.site is not None:
            raise ValueError(
                f"site: expected a body or a site, not both, got {self.site!r}; remove one of the two keys"
            )
