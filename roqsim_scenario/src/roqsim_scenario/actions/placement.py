"""Placing entities, and letting them come and go."""

from __future__ import annotations

from collections.abc import Mapping

from roqsim.entities.commands import delete, place, spawn
from roqsim.errors import RoqsimError

from roqsim_scenario.actions.action import CommandAction
from roqsim_scenario.geometry import quaternion, vector

Pose = Mapping[str, Mapping[str, float]]
"""A ``pose_3d``: ``position`` with x, y, z in metres, ``orientation`` with roll, pitch, yaw in radians."""


def pose_of(pose: Pose) -> dict[str, tuple[float, ...]]:
    """A pose as the commands over entities take it."""
    return {"position": vector(pose["position"]), "orientation": quaternion(pose["orientation"])}


class EntityTeleport(CommandAction):
    """Places an entity, upright and at rest."""

    def execute(self, entity: str, pose: Pose) -> None:
        """Posts the command.

        Raises:
            RoqsimError: If the pose is not upright.
        """
        tilt = {key: pose["orientation"][key] for key in ("roll", "pitch") if pose["orientation"][key]}
        if tilt:
            raise RoqsimError(
                f"pose.orientation: expected roll and pitch of 0, got {tilt!r}; take set_entity_state for any pose"
            )
        target = pose_of(pose)
        self.post(lambda ctx: place(ctx, entity, **target))


class SetEntityState(CommandAction):
    """Places an entity and sets it in motion."""

    def execute(self, entity: str, pose: Pose, twist: Mapping[str, Mapping[str, float]]) -> None:
        """Posts the command."""
        target = pose_of(pose)
        linear = vector(twist["translational"])
        angular = vector(twist["angular"], ("roll", "pitch", "yaw"))
        self.post(lambda ctx: place(ctx, entity, **target, linear_velocity=linear, angular_velocity=angular))


class SpawnEntity(CommandAction):
    """Lets an absent entity appear."""

    def execute(self, entity: str, pose: Pose) -> None:
        """Posts the command."""
        target = pose_of(pose)
        self.post(lambda ctx: spawn(ctx, entity, **target))


class DeleteEntity(CommandAction):
    """Lets an entity disappear."""

    def execute(self, entity: str) -> None:
        """Posts the command."""
        self.post(lambda ctx: delete(ctx, entity))
