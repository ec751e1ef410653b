"""Where the meshes of a URDF are found, and what is told where they are not."""

from __future__ import annotations

import numpy as np
import pytest
from roqsim.errors import ConfigError
from roqsim.urdf.options import UrdfConfig
from roqsim.urdf.reader import read_urdf

from .conftest import INERTIAL, joint, link, robot, stl

URI = "package://arm_description/meshes/a.stl"


def shape(uri, scale=""):
    return f'<visual><geometry><mesh filename="{uri}"{scale}/></geometry></visual>'


def one(uri, scale=""):
    return robot(link("tool", INERTIAL + shape(uri, scale)))


def mesh_file(path, **options):
    spec, _ = read_urdf(path, UrdfConfig(**options))
    spec.compile()
    return spec.meshes[0].file


@pytest.mark.parametrize(
    "place, options",
    [
        ("ws/src/arm_description", {"package_path": "ws/src"}),
        ("ws/src/arm_description", {"package_path": ["elsewhere", "ws/src/arm_description"]}),
        ("ws/install/share/arm_description", {"package_path": ("ws/install",)}),
        ("ws/src/robots/arm_description", {"package_path": "ws/src"}),
    ],
)
def test_a_package_is_found_where_the_package_path_says(put, folder, place, options):
    (folder / "elsewhere").mkdir()
    put(f"{place}/package.xml", "<package><name>arm_description</name></package>")
    mesh = put(f"{place}/meshes/a.stl", stl())
    options = {"package_path": tuple(options["package_path"])} if isinstance(options["package_path"], list) else options
    assert mesh_file(put("robot.urdf", one(URI)), **options) == str(mesh)


def test_a_package_is_found_around_the_file_itself(put):
    mesh = put("arm_description/meshes/a.stl", stl())
    assert mesh_file(put("arm_description/urdf/robot.urdf", one(URI))) == str(mesh)


def test_a_package_whose_folder_has_another_name_is_found_by_its_manifest(put):
    put("checkout/package.xml", "<package><name>arm_description</name></package>")
    mesh = put("checkout/meshes/a.stl", stl())
    assert mesh_file(put("checkout/urdf/deep/robot.urdf", one(URI))) == str(mesh)


def test_a_package_beside_that_of_the_file_is_found(put):
    put("src/arm_description/package.xml", "<package><name>arm_description</name></package>")
    mesh = put("src/arm_description/meshes/a.stl", stl())
    assert mesh_file(put("src/arm_bringup/urdf/robot.urdf", one(URI))) == str(mesh)


@pytest.mark.parametrize(
    "variable, place",
    [("AMENT_PREFIX_PATH", "opt/share/arm_description"), ("ROS_PACKAGE_PATH", "opt/arm_description")],
)
def test_a_package_is_found_where_ros_says(put, folder, monkeypatch, variable, place):
    mesh = put(f"{place}/meshes/a.stl", stl())
    monkeypatch.setenv(variable, f"{folder / 'nowhere'}:{folder / 'opt'}")
    assert mesh_file(put("robot.urdf", one(URI))) == str(mesh)


def test_an_installed_package_of_models_is_found(put, install):
    module = "from pathlib import Path\nMODELS_DIR = Path(__file__).parent / 'robots'\n"
    files = {"arms/__init__.py": module, "arms/robots/here": "", "arms/meshes/here": ""}
    root = install("arms", files, {"roqsim.models": {"arm_description": "arms"}}) / "arms"
    for place in ("robots/meshes", "meshes"):
        (root / place).mkdir(exist_ok=True)
        (root / place / "a.stl").write_bytes(stl())
        assert mesh_file(put("robot.urdf", one(URI))) == str(root / place / "a.stl")
        (root / place / "a.stl").unlink()


def test_the_package_path_wins_over_everything_else(put, folder, monkeypatch):
    put("arm_description/meshes/a.stl", stl())
    mesh = put("mine/arm_description/meshes/a.stl", stl())
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(folder))
    assert mesh_file(put("arm_description/robot.urdf", one(URI)), package_path="mine") == str(mesh)


@pytest.mark.parametrize("name", ["meshes/a.stl", "./meshes/a.stl", "file://{}/meshes/a.stl", "{}/meshes/a.stl"])
def test_paths_and_files_are_found(put, folder, name):
    mesh = put("meshes/a.stl", stl())
    assert mesh_file(put("robot.urdf", one(name.format(folder)))) == str(mesh)


def test_the_mesh_folder_of_the_mujoco_block_is_used(put):
    mesh = put("shapes/a.stl", stl())
    block = '<mujoco><compiler meshdir="shapes" strippath="true"/></mujoco>'
    text = one("package://whatever/not/there/a.stl").replace("<link", block + "<link", 1)
    assert mesh_file(put("robot.urdf", text)) == str(mesh)


def test_a_package_that_is_nowhere_is_one_error_with_link_uri_and_places(put, folder, monkeypatch):
    monkeypatch.setenv("AMENT_PREFIX_PATH", "/opt/ros/jazzy")
    path = put("robot.urdf", robot(link("tool", INERTIAL + shape(URI) + shape(URI.replace("a.stl", "b.stl")))))
    (folder / "src").mkdir()
    with pytest.raises(ConfigError) as caught:
        read_urdf(path, UrdfConfig(package_path="src"), where="robot")
    assert len(caught.value.problems) == 1
    text = str(caught.value)
    assert text.startswith(f"robot: link 'tool': expected the mesh '{URI}' (and 1 more of it), got no package")
    assert "'arm_description'" in text and f"at {path}:8;" in text
    assert str(folder / "src") in text and "/opt/ros/jazzy" in text and "ROS_PACKAGE_PATH (not set)" in text
    assert "--package-path" in text and "package_path" in text


def test_a_mesh_that_its_package_does_not_have_names_every_place(put, folder, monkeypatch):
    (folder / "one/arm_description").mkdir(parents=True)
    (folder / "two/arm_description").mkdir(parents=True)
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(folder / "two"))
    with pytest.raises(ConfigError) as caught:
        read_urdf(put("robot.urdf", one(URI)), UrdfConfig(package_path="one"))
    for place in ("one", "two"):
        assert str(folder / place / "arm_description/meshes/a.stl") in str(caught.value)


def test_a_package_path_that_is_no_folder_is_refused(put):
    with pytest.raises(ConfigError, match=r"package_path: expected a folder, got '.*nowhere'"):
        read_urdf(put("robot.urdf", robot(link("a"))), UrdfConfig(package_path="nowhere"))


def test_a_mesh_on_the_web_is_refused(put):
    with pytest.raises(ConfigError, match="a file at https://"):
        read_urdf(put("robot.urdf", one("https://example.org/a.stl")))


def test_two_meshes_of_one_file_name_stay_two(put):
    """MuJoCo's own reader takes the second for the first."""
    put("visual/a.stl", stl())
    put("collision/a.stl", stl(2.0))
    collision = '<collision><geometry><mesh filename="collision/a.stl"/></geometry></collision>'
    path = put("robot.urdf", robot(link("tool", INERTIAL + shape("visual/a.stl") + collision)))
    spec, _ = read_urdf(path)
    model = spec.compile()
    sizes = [float(np.ptp(model.mesh_vert[a : a + n], axis=0).max()) for a, n in zip(*_vertices(model), strict=True)]
    assert len(sizes) == 2 and sizes[1] == pytest.approx(2.0 * sizes[0], rel=1e-6)


def test_one_mesh_of_two_scales_is_two_and_of_one_scale_is_one(put):
    put("a.stl", stl())
    shapes = shape("a.stl") + shape("a.stl", ' scale="1 1 1"') + shape("a.stl", ' scale="2 2 2"')
    path = put("robot.urdf", robot(link("a", INERTIAL + shapes) + link("b", shape("a.stl")) + joint("j", "a", "b")))
    spec, report = read_urdf(path)
    model = spec.compile()
    assert sorted(mesh.name for mesh in spec.meshes) == ["a", "a_1", "a_2"]
    assert model.nmesh == 3
    assert [file.name for file in report.files] == ["a.stl"]


def test_a_mirrored_mesh_is_mirrored(put):
    put("a.stl", stl())
    path = put("robot.urdf", robot(link("a", INERTIAL + shape("a.stl", ' scale="1 1 -1"'))))
    spec, _ = read_urdf(path)
    model = spec.compile()
    vertices = model.mesh_vert.astype(float) @ _rotation(model.geom_quat[0]).T + model.geom_pos[0]
    assert vertices[:, 2].min() == pytest.approx(-1.0, abs=1e-6)


def _vertices(model):
    return model.mesh_vertadr, model.mesh_vertnum


def _rotation(quaternion):
    import mujoco

    R = np.empty(9)
    mujoco.mju_quat2Mat(R, quaternion)
    return R.reshape(3, 3)
