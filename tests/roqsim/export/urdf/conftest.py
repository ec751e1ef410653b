"""What the tests of URDF's export share: robots exported and read again by programs that know nothing of it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import mujoco
import numpy as np
import pytest
from roqsim.config.world import load_config_from_dict
from roqsim.drivers.robot_export import Wanted, described
from roqsim.engine import Engine
from roqsim.export.urdf.assembly import describe_robot
from roqsim.export.urdf.files import write_robot
from roqsim.export.urdf.part import find_part

FREE, BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)
STATIC = "nothing"


@dataclass
class Exported:
    """A robot, what was written of it, and where."""

    part: object
    robot: object
    path: object

    def links(self):
        """The links that are bodies, by name with the body's id."""
        return {link.name: link.body for link in self.robot.links if link.body >= 0}

    def joints(self):
        """The joints that move, by name with the joint's id."""
        return {joint.name: joint.index for joint in self.robot.joints if joint.index >= 0}

    def random_positions(self, rng):
        """A position within its limits for every joint."""
        model, found = self.part.model, {}
        for name, joint in self.joints().items():
            low, high = model.jnt_range[joint] if model.jnt_limited[joint] else (-2.0, 2.0)
            found[name] = float(rng.uniform(low, high))
        return found

    def poses(self, positions):
        """``(4, 4)`` poses of the bodies against the root by link, while the joints have these positions."""
        model, data = self.part.model, mujoco.MjData(self.part.model)
        data.qpos[:] = self.part.home
        for name, joint in self.joints().items():
            data.qpos[model.jnt_qposadr[joint]] = positions[name]
        mujoco.mj_kinematics(model, data)
        return _against(data, self.links(), self.part.root)

    def frames(self):
        """The links that are no bodies, with their poses against the root at home: as the model's sites have them."""
        model, data = self.part.model, mujoco.MjData(self.part.model)
        data.qpos[:] = self.part.home
        mujoco.mj_kinematics(model, data)
        sites = {model.site(i).name.removeprefix(self.part.prefix): i for i in range(model.nsite)}
        X_RW = np.linalg.inv(_matrix(data.xpos[self.part.root], data.xmat[self.part.root]))
        names = {link.name for link in self.robot.links if link.body < 0} & set(sites)
        return {name: X_RW @ _matrix(data.site_xpos[sites[name]], data.site_xmat[sites[name]]) for name in names}


def _matrix(position, rotation):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = np.reshape(rotation, (3, 3)), position
    return X


def _against(data, bodies, root):
    X_RW = np.linalg.inv(_matrix(data.xpos[root], data.xmat[root]))
    return {name: X_RW @ _matrix(data.xpos[body], data.xmat[body]) for name, body in bodies.items()}


def tensor(model, body):
    """``(3, 3)`` inertia of a body about its centre of mass along the body's axes."""
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[body])
    R = R.reshape(3, 3)
    return R @ np.diag(model.body_inertia[body]) @ R.T


def assert_same_masses(exported, model):
    """Mass, centre of mass and inertia of every body, within 1e-6."""
    ours = exported.part.model
    for name, body in exported.links().items():
        other = model.body(name).id
        assert model.body_mass[other] == pytest.approx(ours.body_mass[body], rel=1e-6, abs=1e-12), name
        if ours.body_mass[body] > 0:
            np.testing.assert_allclose(model.body_ipos[other], ours.body_ipos[body], atol=1e-6, err_msg=name)
            scale = np.abs(tensor(ours, body)).max()
            np.testing.assert_allclose(tensor(model, other), tensor(ours, body), atol=1e-6 * scale, err_msg=name)


def assert_same_limits(exported, model):
    """Ranges, damping and friction of every joint, within 1e-6."""
    ours = exported.part.model
    for name, joint in exported.joints().items():
        other = model.joint(name).id
        assert model.jnt_type[other] == ours.jnt_type[joint]
        is_open_slide = ours.jnt_type[joint] == mujoco.mjtJoint.mjJNT_SLIDE and not ours.jnt_limited[joint]
        if not is_open_slide:
            assert model.jnt_limited[other] == ours.jnt_limited[joint], name
        if ours.jnt_limited[joint]:
            np.testing.assert_allclose(model.jnt_range[other], ours.jnt_range[joint], atol=1e-6, err_msg=name)
        dof, ours_dof = model.jnt_dofadr[other], ours.jnt_dofadr[joint]
        assert model.dof_damping[dof] == pytest.approx(ours.dof_damping[ours_dof], rel=1e-6)
        assert model.dof_frictionloss[dof] == pytest.approx(ours.dof_frictionloss[ours_dof], rel=1e-6)


def assert_same_kinematics(exported, model, seed=0, times=5):
    """Where every body stands against the root in random poses, and the fixed frames at home, within 1e-6."""
    rng = np.random.default_rng(seed)
    data = mujoco.MjData(model)
    bodies = {name: model.body(name).id for name in exported.links()}
    root = model.body(exported.robot.links[0].name).id
    for _ in range(times):
        positions = exported.random_positions(rng)
        for name, position in positions.items():
            data.qpos[model.joint(name).qposadr[0]] = position
        mujoco.mj_kinematics(model, data)
        found, expected = _against(data, bodies, root), exported.poses(positions)
        for name in expected:
            np.testing.assert_allclose(found[name], expected[name], atol=1e-6, err_msg=name)


def read_by_mujoco(path):
    """The file as MuJoCo's own reader has it, with nothing of ours between."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mujoco.MjModel.from_xml_path(str(path))


@pytest.fixture
def export(tmp_path):
    """Exports a target as ``robot.urdf``; returns the robot and where it is."""
    opened = []

    def export_target(target, *, name=None, weld=(), robot=None, suffix=".stl", **options):
        context = described(Wanted(str(target), robot, name, weld), suffix)
        part, found = context.__enter__()
        opened.append(context)
        path = tmp_path / "out" / f"robot{len(opened)}.urdf"
        write_robot(found, path, **options)
        return Exported(part, found, path)

    yield export_target
    for context in opened:
        context.__exit__(None, None, None)


@pytest.fixture
def export_mjcf(tmp_path):
    """Exports a model that is given as text or as a spec."""

    def export_text(mjcf, *, weld=(), suffix=".stl", path=None, qpos=None, **options):
        spec = mjcf if isinstance(mjcf, mujoco.MjSpec) else mujoco.MjSpec.from_string(mjcf)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = spec.compile()
        data = mujoco.MjData(model)
        if qpos is not None:
            data.qpos[:] = qpos
        ctx = Engine(load_config_from_dict({"components": []})).ctx
        ctx.model, ctx.data = model, data
        part = find_part(ctx)
        robot = describe_robot(part, weld=weld, mesh_suffix=suffix)
        path = path or tmp_path / "robot.urdf"
        write_robot(robot, path, overwrite=True, **options)
        return Exported(part, robot, path)

    return export_text
