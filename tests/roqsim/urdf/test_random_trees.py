"""Any tree of links and joints that a URDF can hold moves as the specification says."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from roqsim.urdf.reader import read_urdf

from .conftest import INERTIAL

MANY = settings(
    max_examples=60,
    deadline=None,
    phases=[Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

length = st.floats(-2.0, 2.0).map(lambda x: round(x, 5))
angle = st.floats(-7.0, 7.0).map(lambda x: round(x, 5)) | st.sampled_from([0.0, math.pi / 2, -math.pi / 2, math.pi])
joint = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["fixed", "revolute", "continuous", "prismatic"]),
        "parent": st.integers(0, 50),
        "xyz": st.tuples(length, length, length),
        "rpy": st.tuples(angle, angle, angle),
        "axis": st.tuples(length, length, length).filter(lambda v: math.hypot(*v) > 0.05),
        "has_axis": st.booleans(),
        "mass": st.booleans(),
    }
)


def rotation(roll, pitch, yaw):
    """URDF's fixed-axis roll, pitch and yaw."""
    c, s = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    Rx = np.array([[1, 0, 0], [0, c[0], -s[0]], [0, s[0], c[0]]])
    Ry = np.array([[c[1], 0, s[1]], [0, 1, 0], [-s[1], 0, c[1]]])
    Rz = np.array([[c[2], -s[2], 0], [s[2], c[2], 0], [0, 0, 1]])
    return Rz @ Ry @ Rx


def about(axis, by):
    """Rodrigues' rotation about an axis of any length."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(by) * K + (1.0 - math.cos(by)) * K @ K


def matrix(R=None, p=(0.0, 0.0, 0.0)):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = np.eye(3) if R is None else R, p
    return X


def expected_poses(joints, positions):
    """``(4, 4)`` pose of every link in the root link."""
    poses = {"l0": matrix()}
    for index, each in enumerate(joints, start=1):
        X = poses[f"l{each['parent'] % index}"] @ matrix(rotation(*each["rpy"]), each["xyz"])
        axis, by = each["axis"] if each["has_axis"] else (1.0, 0.0, 0.0), positions.get(index, 0.0)
        if each["type"] == "prismatic":
            X = X @ matrix(p=by * np.array(axis) / np.linalg.norm(axis))
        elif each["type"] != "fixed":
            X = X @ matrix(about(axis, by))
        poses[f"l{index}"] = X
    return poses


def text_of(joints, order):
    """The tree as a URDF, its elements in some order."""
    lines = [f'<link name="l0">{INERTIAL}</link>']
    for index, each in enumerate(joints, start=1):
        is_light = each["type"] == "fixed" and not each["mass"]
        lines.append(f'<link name="l{index}">{"" if is_light else INERTIAL}</link>')
        xyz, rpy, axis = (" ".join(map(repr, each[key])) for key in ("xyz", "rpy", "axis"))
        lines.append(
            f'<joint name="j{index}" type="{each["type"]}"><origin xyz="{xyz}" rpy="{rpy}"/>'
            f'<parent link="l{each["parent"] % index}"/><child link="l{index}"/>'
            + (f'<axis xyz="{axis}"/>' if each["has_axis"] else "")
            + '<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>'
        )
    order.shuffle(lines)
    return f'<robot name="tree">{"".join(lines)}</robot>'


@pytest.mark.slow
@MANY
@given(joints=st.lists(joint, max_size=9), order=st.randoms(use_true_random=False), seed=st.integers(0, 1000))
def test_every_link_is_where_the_specification_puts_it(tmp_path, joints, order, seed):
    path = tmp_path / "tree.urdf"
    path.write_text(text_of(joints, order))
    spec, report = read_urdf(path)
    model = spec.compile()
    data = mujoco.MjData(model)
    rng = np.random.default_rng(seed)
    moving = [index for index, each in enumerate(joints, start=1) if each["type"] != "fixed"]
    positions = dict(zip(moving, rng.uniform(-3.0, 3.0, len(moving)), strict=True))
    for index, position in positions.items():
        data.qpos[model.joint(f"j{index}").qposadr[0]] = position
    mujoco.mj_kinematics(model, data)
    assert model.nbody == len(joints) + 2 and model.njnt == len(moving) and report.base == "l0"
    for name, X in expected_poses(joints, positions).items():
        found = matrix(data.body(name).xmat.reshape(3, 3), data.body(name).xpos)
        np.testing.assert_allclose(found, X, atol=1e-9, err_msg=name)
    heavy = sum(each["type"] != "fixed" or each["mass"] for each in joints) + 1
    assert model.body_mass.sum() == pytest.approx(2.0 * heavy)
