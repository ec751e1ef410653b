"""What the tests of URDF's import share: small robots, and files of meshes."""

from __future__ import annotations

import struct
import textwrap

import numpy as np
import pytest
from roqsim.urdf.options import UrdfConfig
from roqsim.urdf.reader import read_urdf

INERTIAL = """
<inertial>
  <origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>
  <mass value="2"/>
  <inertia ixx="0.02" ixy="0.001" ixz="0.002" iyy="0.03" iyz="0.003" izz="0.04"/>
</inertial>
"""

BOX = '<geometry><box size="0.2 0.4 0.6"/></geometry>'

ARM = f"""
<?xml version="1.0"?>
<robot name="arm">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="base">
    {INERTIAL}
    <visual>{BOX}<material name="red"/></visual>
    <collision>{BOX}</collision>
  </link>
  <link name="tool">
    {INERTIAL}
    <visual><origin xyz="0 0 1" rpy="0 0 1"/>{BOX}</visual>
    <collision>{BOX}</collision>
  </link>
  <link name="cam"/>
  <joint name="turn" type="revolute">
    <origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>
    <parent link="base"/><child link="tool"/><axis xyz="0 2 0"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/>
    <dynamics damping="0.5" friction="0.25"/>
  </joint>
  <joint name="mount" type="fixed">
    <origin xyz="0 0 0.5"/><parent link="tool"/><child link="cam"/>
  </joint>
</robot>
"""
"""The robot of three links: a base, what turns on it, and a frame that is fixed to that."""

CORNERS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
"""A tetrahedron."""


def stl(scale=1.0, faces=FACES):
    """A tetrahedron, or some of its faces, as binary STL."""
    content = bytes(80) + struct.pack("<I", len(faces))
    for face in faces:
        content += struct.pack("<12fH", 0.0, 0.0, 0.0, *(scale * CORNERS[face]).ravel(), 0)
    return content


def stl_text(scale=1.0):
    """A tetrahedron as STL in letters."""
    lines = ["solid made for a test"]
    for face in FACES:
        corners = "".join(f"vertex {x:.6e} {y:.6e} {z:.6e}\n" for x, y, z in scale * CORNERS[face])
        lines.append(f"facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet")
    return "\n".join([*lines, "endsolid made for a test\n"])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working directory, and no ROS around it."""
    for variable in ("AMENT_PREFIX_PATH", "ROS_PACKAGE_PATH"):
        monkeypatch.delenv(variable, raising=False)
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return here


@pytest.fixture
def put(folder):
    """Writes a file; returns its path."""

    def write(name, content):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(textwrap.dedent(content).lstrip("\n"), encoding="utf-8")
        return path

    return write


@pytest.fixture
def read(put):
    """Reads a URDF that is given as text; returns its spec, its model and the report."""

    def read_text(text, **options):
        spec, report = read_urdf(put("robot.urdf", text), UrdfConfig(**options))
        return spec, spec.compile(), report

    return read_text


def robot(body):
    """A robot around some links and joints."""
    return f'<robot name="toy">\n{body}\n</robot>'


def link(name, inner=INERTIAL):
    """A link, by default with a mass."""
    return f'<link name="{name}">{inner}</link>\n'


def joint(name, parent, child, kind="fixed", inner=""):
    """A joint between two links."""
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inner}</joint>\n'
