"""Two sides of wheels: differential drives and skid steering."""

from __future__ import annotations

from dataclasses import dataclass

from roqsim.config.schema import need, opt

from roqsim_mobile.drive import Drive
from roqsim_mobile.drive_config import DriveConfig
from roqsim_mobile.kinematics import Kinematics, differential


@dataclass(frozen=True, kw_only=True)
class DiffDriveConfig(DriveConfig):
    """A differential drive; the names are those of ros2_control's diff_drive_controller."""

    left_joints: tuple[str, ...] = need(length=(1, 100))
    """Wheel joints on the left, without the robot's prefix."""
    right_joints: tuple[str, ...] = need(length=(1, 100))
    """Wheel joints on the right."""
    wheel_radius: float = need(gt=0, unit="m")
    """Radius of the wheels."""
    wheel_separation: float = need(gt=0, unit="m")
    """Distance between left and right wheels."""
    wheel_separation_multiplier: float = opt(1.0, gt=0)
    """Factor on the separation: how much wider skid steering makes it."""
    left_wheel_radius_multiplier: float = opt(1.0, gt=0)
    """Factor on the radius on the left."""
    right_wheel_radius_multiplier: float = opt(1.0, gt=0)
    """Factor on the radius on the right."""

    def __post_init__(self) -> None:
        super().__post_init__()
        shared = set(self.left_joints) & set(self.right_joints)
        if shared:
            raise ValueError(
                f"right_joints: expected other joints than on the left, got {sorted(shared)} on both sides"
            )
        if any(command.lateral for command in self.test_cmd):
            raise ValueError("test_cmd: expected no 'lateral' speed, got one; a differential drive can't move sideways")


class DiffDrive(Drive):
    """Drives wheels on two sides."""

    Config = DiffDriveConfig

    def wheel_joints(self) -> list[str]:
        """The wheels, left before right."""
        return [*self.config.left_joints, *self.config.right_joints]

    def kinematics(self) -> Kinematics:
        """V = r (right + left) / 2, w = r (right - left) / separation."""
        config = self.config
        left = config.wheel_radius * config.left_wheel_radius_multiplier
        right = config.wheel_radius * config.right_wheel_radius_multiplier
        return differential(
            [left] * len(config.left_joints),
            [right] * len(config.right_joints),
            config.wheel_separation * config.wheel_separation_multiplier,
        )
