from __future__ import annotations

import pytest
from roqsim.errors import BuildError, ConfigError, NotFoundError
from roqsim.plugin import Plugin
from roqsim.scene.base import make_base


def test_nothing_said_is_the_empty_room(tmp_path):
    assert make_base(None, tmp_path, ()).spec.geom("floor") is not None


def test_an_mjcf_file_is_the_world_with_its_meshes_and_its_home(tmp_path):
    (tmp_path / "hall").mkdir()
    (tmp_path / "hall" / "m.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    (tmp_path / "hall" / "hall.xml").write_text(
        """<mujoco><asset><mesh name="m" file="m.obj"/></asset><worldbody><geom type="mesh" mesh="m"/>
        <body><joint name="lid"/><geom size=".1"/></body></worldbody>
        <keyframe><key name="home" qpos=".4"/></keyframe></mujoco>"""
    )
    base = make_base("hall/hall.xml", tmp_path, ())
    model = base.spec.compile()
    assert (model.nmesh, model.nkey) == (1, 0)
    assert base.home.qpos == {"lid": (0.4,)}


def test_a_name_that_is_no_world_gets_the_nearest_one(tmp_path):
    with pytest.raises(NotFoundError) as error:
        make_base("empty_rom", tmp_path, ())
    assert str(error.value) == "sim.world: expected a built-in world, got 'empty_rom'; did you mean 'empty_room'?"
    with pytest.raises(
        NotFoundError, match="there is 'empty_room', 'studio', the path of an MJCF file, or package:world"
    ):
        make_base("xyz", tmp_path, ())


def test_a_world_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(NotFoundError, match=r"sim\.world: .*'no\.xml'"):
        make_base("no.xml", tmp_path, ())


def test_a_world_file_that_does_not_parse_gives_mujocos_reason_on_one_line(tmp_path):
    (tmp_path / "bad.xml").write_text("<mujoco><worldbody><bod/></worldbody></mujoco>")
    with pytest.raises(
        BuildError, match=r"sim\.world: expected an MJCF file, got '.*bad\.xml'; .*unrecognized element"
    ) as error:
        make_base("bad.xml", tmp_path, ())
    assert "\n" not in str(error.value)


def test_a_mesh_that_a_world_file_lacks_is_named_with_the_places(tmp_path):
    (tmp_path / "w.xml").write_text("<mujoco><asset><mesh file='no.obj'/></asset><worldbody/></mujoco>")
    with pytest.raises(
        NotFoundError, match=r"sim\.world: expected the mesh 'no\.obj' of w\.xml, got no such file; looked in "
    ):
        make_base("w.xml", tmp_path, ())


def test_two_components_that_bring_a_world_are_refused_by_name(tmp_path):
    class Ground(Plugin):
        provides_world = True

    with pytest.raises(ConfigError, match="expected one component that brings the world, got 'hall' and 'yard'"):
        make_base(None, tmp_path, (Ground(name="hall"), Ground(name="yard")))
