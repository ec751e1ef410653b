"""What is told of a simulation's current state: clock, transforms, what there is to see, joints, endpoints."""

from __future__ import annotations

from roqsim.context import Odometry, SimContext
from roqsim.export.mcap.frames import FrameTree
from roqsim.export.mcap.messages import header_of, time_of, transform_of
from roqsim.export.mcap.scene import Scene
from roqsim.export.mcap.sink import Sink
from roqsim.export.mcap.streams import Stream, streams_of
from roqsim.export.motion import names_of, placed_bodies, told_joints
from roqsim.mj.poses import from_euler, inverse

CLOCK, TF, TF_STATIC, SCENE, JOINTS = "/clock", "/tf", "/tf_static", "/sim/scene", "/sim/joint_states"
"""The topics of what every world has."""


class Teller:
    """Writes what a simulation says.

    Args:
        ctx: A simulation after a reset.
        sink: Where it goes.
        pictures: Whether cameras are drawn.
    """

    def __init__(self, ctx: SimContext, sink: Sink, *, pictures: bool) -> None:
        model = ctx.model
        self._sink = sink
        self._frames = FrameTree(ctx)
        self._scene = Scene(ctx, self._frames.bodies)
        self._streams = streams_of(ctx, self._frames, pictures=pictures)
        self._steps = sorted({each.every_steps for each in self._streams if each.every_steps})
        self._joints = told_joints(model, placed_bodies(model))
        names = names_of(model, "joint")
        self._joint_names = [names[joint] for joint in self._joints]
        self._is_first = True

    def next_due(self, tick: int) -> int:
        """The next tick after one at which an endpoint is due; a distant one where none ever is."""
        return min(((tick // every + 1) * every for every in self._steps), default=2**62)

    def tell_state(self, ctx: SimContext) -> None:
        """Clock, transforms, what appeared and went, and joints."""
        sink, time_ns = self._sink, ctx.time_ns
        sink.add(CLOCK, "rosgraph_msgs/Clock", {"clock": time_of(time_ns)}, time_ns)
        if self._is_first:
            self._is_first = False
            self._tell_transforms(TF_STATIC, self._frames.fixed_transforms(time_ns), time_ns)
        self._tell_transforms(TF, self._frames.moving_transforms(time_ns), time_ns)
        update = self._scene.update(time_ns)
        if update is not None:
            sink.add(SCENE, "foxglove_msgs/SceneUpdate", update, time_ns)
        if len(self._joints):
            sink.add(JOINTS, "sensor_msgs/JointState", self._joint_message(ctx), time_ns)

    def tell_streams(self, ctx: SimContext, *, at_sample: bool) -> None:
        """Every endpoint that became due since the last time.

        Args:
            ctx: The simulation.
            at_sample: Whether those that are due at every tick are told too.
        """
        for stream in self._streams:
            if stream.every_steps is None and not at_sample:
                continue
            payload = stream.write(self._sink, ctx)
            if isinstance(payload, Odometry):
                self._tell_odometry_frame(stream, payload, ctx.time_ns)

    def _tell_odometry_frame(self, stream: Stream, payload: Odometry, time_ns: int) -> None:
        """Places the frame in which a robot reckons its pose where the robot believes it to be."""
        namespace = stream.endpoint.namespace
        base = self._frames.scoped(namespace, payload.child_frame_id)
        odom = self._frames.scoped(namespace, payload.frame_id)
        if self._frames.has(base) and not self._frames.has(odom):
            X_OB = (payload.x, payload.y, 0.0), from_euler(0.0, 0.0, payload.yaw)
            self._tell_transforms(TF, [transform_of(time_ns, base, odom, *inverse(X_OB))], time_ns)

    def _tell_transforms(self, topic: str, transforms: list[dict[str, object]], time_ns: int) -> None:
        if transforms:
            self._sink.add(topic, "tf2_msgs/TFMessage", {"transforms": transforms}, time_ns)

    def _joint_message(self, ctx: SimContext) -> dict[str, object]:
        model, data = ctx.model, ctx.data
        dofs = model.jnt_dofadr[self._joints]
        return {
            "header": header_of(ctx.time_ns, ""),
            "name": self._joint_names,
            "position": data.qpos[model.jnt_qposadr[self._joints]],
            "velocity": data.qvel[dofs],
            "effort": data.qfrc_actuator[dofs],
        }
