from __future__ import annotations

from pathlib import Path

import mujoco
import pytest
from roqsim.mj.files import files_of, make_paths_absolute, read_model

OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


@pytest.fixture
def folder(tmp_path):
    def put(name, text=OBJ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return put


def model_with(mesh, compiler=""):
    body = "<worldbody><geom type='mesh' mesh='m'/></worldbody>"
    return f"<mujoco>{compiler}<asset><mesh name='m' file='{mesh}'/></asset>{body}</mujoco>"


def test_a_models_own_folder_wins_over_the_same_name_elsewhere(folder, tmp_path):
    own, other = folder("a/own/m.obj"), folder("b/m.obj")
    path = folder("a/model.xml", model_with("m.obj", "<compiler meshdir='own'/>"))
    spec = read_model(path)
    assert make_paths_absolute(spec, path, [other.parent]) == []
    assert files_of(spec) == [own.resolve()]
    assert spec.compile().nmesh == 1


def test_a_borrowed_mesh_is_found_and_compiles_from_anywhere(folder, monkeypatch):
    lent = folder("b/meshes/m.obj")
    path = folder("a/model.xml", model_with("m.obj"))
    spec = read_model(path)
    assert make_paths_absolute(spec, path, [lent.parent]) == []
    parent = mujoco.MjSpec()
    parent.attach(spec, prefix="x_", frame=parent.worldbody.add_frame())
    monkeypatch.chdir("/")
    assert parent.compile().nmesh == 1


def test_stripped_paths_are_looked_for_by_their_last_part(folder):
    kept = folder("a/m.obj")
    path = folder("a/model.xml", model_with("/nowhere/of/this/machine/m.obj", "<compiler strippath='true'/>"))
    spec = read_model(path)
    assert make_paths_absolute(spec, path) == []
    assert files_of(spec) == [kept.resolve()]
    assert spec.compile().nmesh == 1


def test_every_missing_file_is_told_with_the_places_that_were_searched(folder):
    path = folder(
        "a/model.xml",
        """<mujoco><compiler meshdir="own" texturedir="tex"/><asset><mesh file="m.obj"/>
        <texture name="t" type="2d" file="t.png"/><hfield name="h" file="h.png" size="1 1 1 1"/>
        <texture name="b" type="2d" builtin="flat" width="2" height="2"/></asset><worldbody/></mujoco>""",
    )
    spec = read_model(path)
    missing = make_paths_absolute(spec, path, [Path("/lent")])
    assert [(each.kind, each.name) for each in missing] == [
        ("mesh", "m.obj"),
        ("height field", "h.png"),
        ("texture", "t.png"),
    ]
    home = path.parent
    assert missing[0].text("robot", path) == (
        f"robot: expected the mesh 'm.obj' of model.xml, got no such file; looked in {home}/own, /lent, {home}"
    )


def test_a_file_that_can_not_be_read_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_model(tmp_path / "no.xml")
