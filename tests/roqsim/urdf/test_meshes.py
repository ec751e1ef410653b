"""Meshes that MuJoCo does not read by itself, and those that are hard to weigh."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from roqsim.errors import ConfigError
from roqsim.urdf.reader import read_urdf

from .conftest import CORNERS, FACES, INERTIAL, joint, link, robot, stl, stl_text


def mesh(name, kind="visual", inner=""):
    return f'<{kind}><geometry><mesh filename="{name}"/></geometry>{inner}</{kind}>'


def world_vertices(model, geom=0):
    """``(n, 3)`` the vertices of a geom's mesh in its body's frame."""
    import mujoco

    index = int(model.geom_dataid[geom])
    first, number = int(model.mesh_vertadr[index]), int(model.mesh_vertnum[index])
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, model.geom_quat[geom])
    return model.mesh_vert[first : first + number] @ R.reshape(3, 3).T + model.geom_pos[geom]


def assert_is_tetrahedron(vertices, scale=1.0):
    expected = sorted(map(tuple, (scale * CORNERS).tolist()))
    np.testing.assert_allclose(sorted(map(tuple, np.round(vertices, 6).tolist())), expected, atol=1e-5)


@pytest.mark.parametrize("name", ["a.stl", "A.STL"])
def test_a_binary_stl_is_left_to_mujoco(put, name):
    put(name, stl())
    spec, _ = read_urdf(put("robot.urdf", robot(link("a", INERTIAL + mesh(name)))))
    assert spec.meshes[0].file.endswith(name)
    assert_is_tetrahedron(world_vertices(spec.compile()))


def test_an_stl_in_letters_is_read(put):
    put("a.stl", stl_text(2.0))
    spec, report = read_urdf(put("robot.urdf", robot(link("a", INERTIAL + mesh("a.stl")))))
    assert_is_tetrahedron(world_vertices(spec.compile()), 2.0)
    assert [file.name for file in report.files] == ["a.stl"]


def test_a_binary_stl_that_begins_with_solid_is_binary(put):
    put("a.stl", b"solid as some exporters write it".ljust(80) + stl()[80:])
    spec, _ = read_urdf(put("robot.urdf", robot(link("a", INERTIAL + mesh("a.stl")))))
    assert spec.meshes[0].file
    assert_is_tetrahedron(world_vertices(spec.compile()))


def test_a_sheet_is_drawn_although_it_has_no_volume(put):
    put("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n")
    spec, _ = read_urdf(put("robot.urdf", robot(link("a", INERTIAL + mesh("a.obj")))))
    assert spec.compile().nmesh == 1


def test_a_collision_mesh_weighs_what_its_volume_says_where_nothing_else_does(put):
    put("a.stl", stl())
    spec, _ = read_urdf(put("robot.urdf", robot(link("a", mesh("a.stl", "collision")))))
    assert spec.compile().body_mass[1] == pytest.approx(1000.0 / 6.0, rel=1e-6)


@pytest.mark.parametrize(
    "name, content, expected",
    [
        ("a.ply", b"ply", "got .ply at"),
        ("a", b"?", "got no ending at"),
        ("a.stl", "solid x\nendsolid x\n", "got an STL of 0 vertices, which make no triangles at"),
        ("a.stl", "solid x\nvertex 0 0 zero\n", "got an STL with could not convert string to float: b'zero' at"),
        ("a.dae", "<COLLADA", "convert it to .stl or .obj"),
    ],
)
def test_a_mesh_that_nobody_reads_is_told_once_with_link_and_line(put, name, content, expected):
    put(name, content)
    path = put("robot.urdf", robot(link("a", mesh(name)) + link("b", mesh(name)) + joint("j", "a", "b")))
    with pytest.raises(ConfigError) as caught:
        read_urdf(path)
    assert expected in str(caught.value)
    assert str(caught.value).startswith(f"link 'a': expected a mesh that can be read at '{name}', got ")
    assert f"{path}:2" in str(caught.value) and len(caught.value.problems) == 1


DAE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><created>2026-01-01T00:00:00</created><modified>2026-01-01T00:00:00</modified>
    <unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
  <library_effects>{effects}</library_effects>
  <library_materials>{materials}</library_materials>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="pa" count="12">{corners}</float_array>
      <technique_common><accessor source="#pa" count="4" stride="3">
        <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
      </accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    {triangles}
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node id="n"><translate>0 0 100</translate>
    <instance_geometry url="#g"><bind_material><technique_common>{binds}</technique_common></bind_material>
    </instance_geometry></node></visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
"""
COLOURS = {"red": "1 0 0 1", "green": "0 1 0 1"}


def dae():
    """A tetrahedron of one metre, a metre up, two faces red and two green."""
    effects, materials, triangles, binds = "", "", "", ""
    for (name, rgba), faces in zip(COLOURS.items(), (FACES[:2], FACES[2:]), strict=True):
        effects += (
            f'<effect id="e{name}"><profile_COMMON><technique sid="c"><lambert><diffuse><color>{rgba}</color></diffuse>'
            "</lambert></technique></profile_COMMON></effect>"
        )
        materials += f'<material id="m{name}"><instance_effect url="#e{name}"/></material>'
        numbers = " ".join(map(str, faces.ravel()))
        triangles += (
            f'<triangles material="{name}" count="2"><input semantic="VERTEX" source="#v" offset="0"/><p>{numbers}</p>'
            "</triangles>"
        )
        binds += f'<instance_material symbol="{name}" target="#m{name}"/>'
    corners = " ".join(map(str, (100.0 * CORNERS).ravel()))
    return DAE.format(effects=effects, materials=materials, triangles=triangles, binds=binds, corners=corners)


def test_a_collada_visual_has_its_colours_and_units(put):
    pytest.importorskip("collada")
    put("a.dae", dae())
    spec, report = read_urdf(put("robot.urdf", robot(link("a", INERTIAL + mesh("a.dae")))))
    for part in spec.meshes:
        # Two faces have four corners, which is all that MuJoCo wants of a mesh.
        assert len(part.uservert) == 12
    model = spec.compile()
    np.testing.assert_allclose(sorted(model.geom_rgba.tolist()), [[0, 1, 0, 1], [1, 0, 0, 1]])
    everything = np.unique(np.round(np.vstack([world_vertices(model, 0), world_vertices(model, 1)]), 5), axis=0)
    assert_is_tetrahedron(everything - [0, 0, 1])
    assert [file.name for file in report.files] == ["a.dae"]


def test_a_collada_collision_is_one_mesh_and_the_urdfs_colour_wins(put):
    pytest.importorskip("collada")
    put("a.dae", dae())
    blue = '<material name="blue"><color rgba="0 0 1 1"/></material>'
    inner = INERTIAL + mesh("a.dae", "collision") + mesh("a.dae", inner=blue)
    spec, _ = read_urdf(put("robot.urdf", robot(link("a", inner))))
    model = spec.compile()
    touching = np.flatnonzero(model.geom_contype)
    assert len(touching) == 1
    assert_is_tetrahedron(world_vertices(model, touching[0]) - [0, 0, 1])
    assert {model.mat(int(model.geom_matid[i])).name for i in np.flatnonzero(model.geom_contype == 0)} == {"blue"}


def test_without_a_reader_of_collada_one_is_named(put, monkeypatch):
    monkeypatch.setitem(sys.modules, "collada", None)
    put("a.dae", dae())
    with pytest.raises(ConfigError, match=r"got Collada, which needs a reader .*pip install 'roqsim\[collada\]'"):
        read_urdf(put("robot.urdf", robot(link("a", mesh("a.dae")))))
