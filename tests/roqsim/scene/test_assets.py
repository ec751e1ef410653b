from __future__ import annotations

import subprocess
import sys

import mujoco
import numpy as np
import pytest

SKIPPED = ("mesh_", "tex_", "name_", "names_map", "_sizes", "bvh_", "geom_dataid", "mat_", "geom_matid")
"""What tells assets apart, or where they lie in memory; the tests look into these by what they refer to."""


def eggs(count, prop, **sim):
    entries = [
        {
            "spawn_model": {"model": str(prop), "pose": {"position": [0.4 * (i % 10), 0.4 * (i // 10), 1.0]}},
            "name": f"egg{i}",
        }
        for i in range(count)
    ]
    return {"sim": sim, "components": entries}


@pytest.fixture
def both(build, prop):
    return tuple(build(eggs(5, prop, dedup_assets=shared))[0] for shared in (True, False))


@pytest.fixture
def painted(prop):
    """The prop with a mesh that names its own material, a lamp in a plain colour, and a made picture."""
    prop.write_text(
        """<mujoco><asset><texture name="t" type="2d" file="egg.png"/><material name="m" texture="t"/>
        <texture name="made" type="2d" builtin="checker" width="8" height="8"/><material name="made" texture="made"/>
        <material name="lamp" rgba="1 0 0 1"/><material name="skin" rgba="0 0 1 1"/>
        <mesh name="egg" file="egg.obj" material="skin"/></asset>
        <worldbody><body name="egg"><geom type="mesh" mesh="egg"/><geom size=".1" material="lamp"/>
        <geom size=".1" pos="0 0 .2" material="made"/><site name="s" size=".1" pos=".2 0 0" material="m"/></body>
        </worldbody></mujoco>"""
    )
    return prop


@pytest.fixture
def painted_both(build, painted):
    return tuple(build(eggs(5, painted, dedup_assets=shared))[0] for shared in (True, False))


def material_names(model, which):
    return [model.material(int(index)).name if index >= 0 else "" for index in which]


def test_copies_of_a_prop_share_their_mesh_their_texture_and_their_material(both):
    shared, apart = both
    assert (shared.nmesh, apart.nmesh) == (1, 5)
    assert apart.ntex - shared.ntex == 4
    assert apart.nmat - shared.nmat == 4
    assert shared.ngeom == apart.ngeom


def test_a_mesh_that_names_a_material_is_shared_with_it(painted_both):
    shared, apart = painted_both
    assert (shared.nmesh, apart.nmesh) == (1, 5)
    eggs_of = [model.geom_matid[model.geom_type == int(mujoco.mjtGeom.mjGEOM_MESH)] for model in painted_both]
    assert material_names(shared, eggs_of[0]) == ["egg0_skin"] * 5
    assert material_names(apart, eggs_of[1]) == [f"egg{index}_skin" for index in range(5)]
    assert material_names(shared, shared.site_matid) == ["egg0_m"] * 5


def test_a_plain_colour_and_a_made_picture_stay_with_their_copy(painted_both):
    for model in painted_both:
        of_balls = model.geom_matid[[model.body(f"egg{i}_egg").geomadr[0] + n for i in range(5) for n in (1, 2)]]
        assert material_names(model, of_balls) == [f"egg{i}_{name}" for i in range(5) for name in ("lamp", "made")]


def test_materials_of_one_name_that_differ_are_not_shared(build, prop, tmp_path):
    other = tmp_path / "other.xml"
    other.write_text(prop.read_text().replace('texture="t"', 'texture="t" shininess="0.9"'))
    document = eggs(1, prop)
    document["components"] += eggs(2, other)["components"][1:]
    model = build(document)[0]
    assert model.material("egg0_m").shininess != pytest.approx(0.9)
    assert model.material("egg1_m").shininess == pytest.approx(0.9)


def look(model, material):
    """What a material looks like: its numbers and the pixels of its picture."""
    if material < 0:
        return None
    numbers = [getattr(model, name)[material].tolist() for name in dir(model) if name.startswith("mat_")]
    textures = [int(texture) for texture in model.mat_texid[material]]
    numbers.remove(textures)
    ends = [*model.tex_adr, model.ntexdata]
    return numbers, [model.tex_data[ends[each] : ends[each + 1]].tobytes() if each >= 0 else b"" for each in textures]


def test_physics_reads_the_same_numbers_whether_assets_are_shared_or_not(both):
    shared, apart = both
    compared = 0
    for name in dir(shared):
        one, other = getattr(shared, name), getattr(apart, name)
        if isinstance(one, np.ndarray) and not name.startswith(SKIPPED):
            assert np.array_equal(one, other), name
            compared += 1
    assert compared > 200
    for geom in range(shared.ngeom):
        assert look(shared, shared.geom_matid[geom]) == look(apart, apart.geom_matid[geom])
        one, other = (model.geom_dataid[geom] for model in both)
        assert (one < 0) == (other < 0)
        if one >= 0:
            vertices = [
                model.mesh_vert[model.mesh_vertadr[mesh] : model.mesh_vertadr[mesh] + model.mesh_vertnum[mesh]]
                for model, mesh in ((shared, one), (apart, other))
            ]
            assert np.array_equal(*vertices)


def test_a_run_gives_the_same_bytes_whether_assets_are_shared_or_not(both):
    states = []
    for model in both:
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, 400)
        states.append(data.qpos.tobytes() + data.qvel.tobytes())
    assert states[0] == states[1]


@pytest.mark.gl
@pytest.mark.parametrize("pair", ["both", "painted_both"])
def test_a_picture_is_the_same_whether_assets_are_shared_or_not(pair, request):
    pictures = []
    for model in request.getfixturevalue(pair):
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        camera = mujoco.MjvCamera()
        camera.lookat, camera.distance, camera.elevation = [1.0, 0.0, 1.0], 3.0, -20.0
        with mujoco.Renderer(model, 90, 120) as renderer:
            renderer.update_scene(data, camera)
            pictures.append(renderer.render())
    assert np.array_equal(*pictures)
    assert pictures[0].std() > 5


def test_props_of_different_sizes_keep_their_own_meshes(build, prop):
    document = eggs(2, prop)
    document["components"][1]["spawn_model"]["scale"] = 2.0
    model = build(document)[0]
    radius = [model.geom_rbound[model.body(f"egg{i}_egg").geomadr[0]] for i in range(2)]
    assert radius[1] == pytest.approx(2 * radius[0], rel=1e-6)


TIMED = """
import sys, time
import mujoco
from roqsim.mj.attach import attach
from roqsim.mj.files import make_paths_absolute, read_model
from roqsim.scene.assets import share_assets
from pathlib import Path
path, count = Path(sys.argv[1]), int(sys.argv[2])
parent = mujoco.MjSpec()
for index in range(count):
    child = read_model(path)
    make_paths_absolute(child, path)
    attach(parent, child, prefix=f"p{index}_", X_PM=((index, 0, 0), (1, 0, 0, 0)), motion="static")
began = time.perf_counter()
share_assets(parent)
parent.compile()
print(time.perf_counter() - began)
"""


@pytest.mark.slow
def test_sixty_copies_of_a_prop_compile_in_about_the_time_of_one(prop, make_egg):
    """The shortest times count, taken in turn: a busy machine can only make them longer."""
    make_egg(150)

    def seconds(count):
        command = [sys.executable, "-c", TIMED, str(prop), str(count)]
        return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1])

    one, sixty = [], []
    for _ in range(8):
        one.append(seconds(1))
        sixty.append(seconds(60))
        if min(sixty) < 1.5 * min(one):
            return
    pytest.fail(f"one copy compiles in {min(one):.3f} s, sixty in {min(sixty):.3f} s")
