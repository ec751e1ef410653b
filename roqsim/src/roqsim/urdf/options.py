"""What may be asked of a URDF's import."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from roqsim.config.schema import opt

NO_LIMIT = 1e6
"""A limit from here on is none: URDF wants numbers where a joint has no limit, and this is what the export writes."""


@dataclass(frozen=True, kw_only=True)
class UrdfConfig:
    """How a URDF is read."""

    package_path: str | tuple[str, ...] = opt(())
    """ROS packages, or folders of ROS packages, in which package:// is looked up first; one or a list of them."""
    visual: bool = opt(True)
    """Whether the shapes that are drawn come along."""
    collision: bool = opt(True)
    """Whether the shapes that touch come along."""
    density: float = opt(1000.0, gt=0, unit="kg/m³")
    """Density of what has collision shapes and no <inertial>: a link with everything that is fixed to it."""
    balance_inertia: bool = opt(False)
    """Whether an inertia that no body can have is replaced by the mean of its principal moments."""
    srdf: str | None = opt(None)
    """SRDF of the robot: pairs of links that it lets never touch, and states of groups as keyframes."""
    actuators: Literal["position", "velocity", "effort"] | None = opt(None)
    """Control law of an actuator for every joint whose <limit> has an effort; none where nothing is said."""

    @property
    def package_paths(self) -> tuple[str, ...]:
        """``package_path``, always as a tuple."""
        return (self.package_path,) if isinstance(self.package_path, str) else self.package_path
