from __future__ import annotations

import subprocess
import sys

import mujoco
import numpy as np
import pytest

SKIPPED = ("mesh_", "tex_", "name_", "names_map", "_sizes", "bvh_", "geom_dataid", "mat_texid", "geom_matid")
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


def test_copies_of_a_prop_share_their_mesh_and_texture(both):
    shared, apart = both
    assert (shared.nmesh, apart.nmesh) == (1, 5)
    assert apart.ntex - shared.ntex == 4
    assert shared.ngeom == apart.ngeom


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
def test_a_picture_is_the_same_whether_assets_are_shared_or_not(both):
    pictures = []
    for model in both:
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
