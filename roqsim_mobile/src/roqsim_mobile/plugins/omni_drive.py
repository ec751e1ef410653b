"""Holonomic drives: four mecanum wheels, or omni wheels on a circle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from roqsim.config.schema import need, opt

from roqsim_mobile.drive import Drive
from roqsim_mobile.drive_config import DriveConfig, axis_limits
from roqsim_mobile.kinematics import Kinematics, mecanum, omni
from roqsim_mobile.limits import AxisLimits

MECANUM_WHEELS = ("front_left", "front_right", "rear_left", "rear_right")
"""The wheels of a mecanum drive, by the names that ros2_control's mecanum_drive_controller gives them."""


@dataclass(frozen=True, kw_only=True)
class OmniDriveConfig(DriveConfig):
    """A holonomic drive; a mecanum drive's names are those of ros2_control's mecanum_drive_controller."""

    kind: Literal["mecanum", "omni"] = need()
    """Rollers at 45 degrees in an X seen from above, or omni wheels that stand on a circle and roll along it."""
    wheels: dict[str, str] = need()
    """Joint by wheel, without the robot's prefix; of a mecanum drive front_left, front_right, rear_left, rear_right."""
    wheel_radius: float = need(gt=0, unit="m")
    """Radius of the wheels."""
    wheel_separation_x: float | None = opt(None, gt=0, unit="m")
    """Distance between front and rear axle of a mecanum drive."""
    wheel_separation_y: float | None = opt(None, gt=0, unit="m")
    """Distance between left and right wheels of a mecanum drive."""
    robot_radius: float | None = opt(None, gt=0, unit="m")
    """Distance of omni wheels from the middle."""
    wheel_angles: dict[str, float] = opt(factory=dict)
    """Direction from the middle to each omni wheel, in rad about z from x."""
    max_lateral_speed: float | None = opt(None, gt=0, unit="m/s")
    """Greatest speed to either side; that of `max_linear_speed` where nothing is said."""
    max_lateral_acceleration: float | None = opt(None, gt=0, unit="m/s^2")
    """Greatest increase of sideways speed; that of `max_linear_acceleration` where nothing is said."""
    max_lateral_deceleration: float | None = opt(None, gt=0, unit="m/s^2")
    """Greatest decrease of sideways speed; that of `max_linear_deceleration` where nothing is said."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind == "mecanum":
            self._need("wheel_separation_x", "wheel_separation_y")
            self._refuse("robot_radius", "wheel_angles")
            if set(self.wheels) != set(MECANUM_WHEELS):
                raise ValueError(f"wheels: expected the keys {', '.join(MECANUM_WHEELS)}, got {sorted(self.wheels)}")
            return
        self._need("robot_radius", "wheel_angles")
        self._refuse("wheel_separation_x", "wheel_separation_y")
        if len(self.wheels) < 3:
            raise ValueError(f"wheels: expected three wheels or more, got {len(self.wheels)}")
        if set(self.wheel_angles) != set(self.wheels):
            raise ValueError(f"wheel_angles: expected the keys of 'wheels', got {sorted(self.wheel_angles)}")

    def _need(self, *keys: str) -> None:
        for key in keys:
            if not getattr(self, key):
                raise ValueError(f"{key}: expected a value for kind {self.kind!r}, got nothing; add it")

    def _refuse(self, *keys: str) -> None:
        for key in keys:
            if getattr(self, key):
                raise ValueError(
                    f"{key}: expected nothing for kind {self.kind!r}, got {getattr(self, key)!r}; remove it"
                )


class OmniDrive(Drive):
    """Drives wheels that roll to every side."""

    Config = OmniDriveConfig

    def wheel_joints(self) -> list[str]:
        """The wheels in the order of the kinematics."""
        wheels = self.config.wheels
        return [wheels[name] for name in (MECANUM_WHEELS if self.config.kind == "mecanum" else wheels)]

    def kinematics(self) -> Kinematics:
        """Of the kind that the configuration names."""
        config = self.config
        if config.kind == "mecanum":
            return mecanum(config.wheel_radius, config.wheel_separation_x, config.wheel_separation_y)
        places = [(config.wheel_angles[name], config.robot_radius) for name in config.wheels]
        return omni(config.wheel_radius, places)

    def lateral_limits(self) -> AxisLimits:
        """The limits along y."""
        config = self.config
        speed = config.max_lateral_speed or config.max_linear_speed
        return axis_limits(
            -speed,
            speed,
            config.max_lateral_acceleration or config.max_linear_acceleration,
            config.max_lateral_deceleration or config.max_linear_deceleration,
        )
