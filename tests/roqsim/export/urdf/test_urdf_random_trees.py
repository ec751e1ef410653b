"""Any tree of bodies, hinges and slides survives its export."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from roqsim.export.urdf.rotation import to_rpy
from roqsim.mj.poses import from_euler, normalized
from roqsim.urdf.reader import read_urdf

from .conftest import assert_same_kinematics, assert_same_limits, assert_same_masses, read_by_mujoco

MANY = settings(
    max_examples=25,
    deadline=None,
    phases=[Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

length = st.floats(-1.0, 1.0).map(lambda x: round(x, 4))
size = st.floats(0.01, 0.5).map(lambda x: round(x, 4))
vector = st.tuples(length, length, length)
axis = vector.filter(lambda v: math.hypot(*v) > 0.1)
turn = st.tuples(length, length, length, length).filter(lambda q: math.hypot(*q) > 0.1)
limits = st.none() | st.tuples(st.floats(-3.0, -0.01), st.floats(0.01, 3.0))

joint = st.fixed_dictionaries(
    {
        "type": st.sampled_from([mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE]),
        "pos": st.just((0.0, 0.0, 0.0)) | vector,
        "axis": axis,
        "range": limits,
        "ref": st.just(0.0) | st.floats(-1.0, 1.0),
        "damping": st.floats(0.0, 5.0),
        "frictionloss": st.floats(0.0, 5.0),
    }
)
geom = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["SPHERE", "CAPSULE", "CYLINDER", "BOX", "ELLIPSOID"]),
        "size": st.tuples(size, size, size),
        "pos": vector,
        "quat": turn,
    }
)
body = st.fixed_dictionaries(
    {
        "parent": st.integers(0, 20),
        "pos": vector,
        "quat": turn,
        "joints": st.lists(joint, max_size=3),
        "geoms": st.lists(geom, min_size=1, max_size=2),
        "site": st.none() | vector,
    }
)
trees = st.lists(body, min_size=1, max_size=7)


def build(tree, is_free):
    """The tree as a model; the first body stands in the world, where it may be free."""
    spec = mujoco.MjSpec()
    made = []
    for index, each in enumerate(tree):
        parent = made[each["parent"] % len(made)] if made else spec.worldbody
        new = parent.add_body(name=f"b{index}", pos=each["pos"], quat=each["quat"])
        if not made and is_free:
            new.add_freejoint()
        for number, values in enumerate(each["joints"] if made else ()):
            made_joint = new.add_joint(name=f"j{index}_{number}", type=values["type"], axis=values["axis"])
            made_joint.pos, made_joint.ref = values["pos"], values["ref"]
            made_joint.damping[0], made_joint.frictionloss = values["damping"], values["frictionloss"]
            if values["range"] is not None:
                made_joint.range = values["range"]
        for values in each["geoms"]:
            kind = getattr(mujoco.mjtGeom, f"mjGEOM_{values['type']}")
            new.add_geom(type=kind, size=values["size"], pos=values["pos"], quat=values["quat"])
        if each["site"] is not None:
            new.add_site(name=f"s{index}", pos=each["site"])
        made.append(new)
    spec.compiler.degree = False
    return spec


@pytest.mark.slow
@MANY
@given(tree=trees, is_free=st.booleans())
def test_a_random_tree_is_the_same_for_mujoco(export_mjcf, tree, is_free):
    exported = export_mjcf(build(tree, is_free))
    model = read_by_mujoco(exported.path)
    assert_same_masses(exported, model)
    assert_same_limits(exported, model)
    assert_same_kinematics(exported, model, times=3)
    assert {link.name for link in exported.robot.links} >= {f"s{i}" for i, b in enumerate(tree) if b["site"]}


@pytest.mark.slow
@MANY
@given(tree=trees)
def test_a_random_tree_survives_a_second_round(export_mjcf, tree):
    """What was imported and is exported again is the same robot as the one before."""
    first = export_mjcf(build(tree, False))
    spec, _ = read_urdf(first.path)
    second = export_mjcf(spec, path=first.path.with_name("again.urdf"))
    assert [link.name for link in second.robot.links if link.body >= 0]
    model = read_by_mujoco(second.path)
    assert_same_masses(first, model)
    assert_same_limits(first, model)
    assert_same_kinematics(first, model, times=2)


@MANY
@given(q=turn)
def test_roll_pitch_yaw_give_the_quaternion_back(q):
    q = normalized(q)
    back = np.array(from_euler(*to_rpy(q)))
    assert min(np.abs(back - q).max(), np.abs(back + q).max()) < 1e-12


@MANY
@given(roll=st.floats(-3.0, 3.0), yaw=st.floats(-3.0, 3.0), off=st.floats(-1e-6, 1e-6), up=st.booleans())
def test_roll_pitch_yaw_are_exact_where_the_pitch_is_a_right_angle(roll, yaw, off, up):
    q = from_euler(roll, (1.0 if up else -1.0) * math.pi / 2.0 + off, yaw)
    back = np.array(from_euler(*to_rpy(q)))
    assert min(np.abs(back - q).max(), np.abs(back + q).max()) < 1e-9
