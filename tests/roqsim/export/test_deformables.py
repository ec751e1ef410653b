"""What bends: vertices that follow bodies are where MuJoCo draws them, also after the bodies moved."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from roqsim.export.web import export_web

FLEX = """
<mujoco>
  <worldbody>
    <body name="rod" pos="0 0 2"><joint name="swing" axis="0 1 0"/><geom size="0.05"/></body>
    {flex}
  </worldbody>
</mujoco>
"""

KINDS = {
    "a line": 'dim="1" count="6 1 1"',
    "a sheet": 'dim="2" count="4 5 1"',
    "a solid": 'dim="3" count="3 4 3"',
}

SKIN = """
<mujoco>
  <asset><material name="hide" rgba="0.8 0.5 0.3 1"/></asset>
  <worldbody>
    <body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0"/><geom size="0.05" group="3"/>
      <body name="lower" pos="0 0 -0.5" euler="0 0 40"><joint name="elbow" axis="1 0 0"/>
        <geom size="0.05" group="3"/></body></body>
  </worldbody>
  <deformable>
    <skin name="sleeve" material="hide" vertex="0.1 0 1 -0.1 0 1 0.1 0 0.5 -0.1 0 0.5 0 0 0.2"
          face="0 1 2 1 3 2 2 3 4">
      <bone body="upper" bindpos="0 0 1" bindquat="1 0 0 0" vertid="0 1 2 3" vertweight="1 1 0.4 0.6"/>
      <bone body="lower" bindpos="0 0 0.5" bindquat="0.9396926 0 0 0.3420201" vertid="2 3 4" vertweight="0.6 0.4 1"/>
    </skin>
  </deformable>
</mujoco>
"""


def follow(scene, model, data):
    """Moves the bodies of a scene as those of a simulation."""
    mujoco.mj_forward(model, data)
    for body, name in enumerate(scene.names):
        scene.placed[name] = (tuple(data.xpos[body].tolist()), tuple(data.xquat[body].tolist()))


@pytest.fixture
def skinned(world, write, tmp_path, read_scene):
    """Exports a model with one skin or flex: the simulation, the scene, and the geom."""

    def export(mjcf):
        engine = world({"sim": {"world": write("soft.xml", mjcf)}})
        export_web(engine.ctx, tmp_path / "out")
        scene = read_scene(tmp_path / "out")
        (geom,) = (geom for geom in scene.document["geoms"] if "skin" in geom)
        return engine.ctx, scene, geom

    return export


@pytest.mark.parametrize("kind", KINDS)
def test_a_flex_is_where_its_vertices_are(skinned, kind):
    flex = f'<flexcomp name="soft" type="grid" {KINDS[kind]} spacing="0.1 0.1 0.1" radius="0.01" mass="1" pos="1 0 1">'
    ctx, scene, geom = skinned(FLEX.format(flex=flex + '<edge equality="true"/></flexcomp>'))
    model, data = ctx.model, ctx.data
    data.qpos[:] += np.random.default_rng(3).uniform(-0.03, 0.03, model.nq)
    follow(scene, model, data)
    found = scene.vertices(geom)
    apart = np.linalg.norm(found[:, None] - data.flexvert_xpos, axis=2)
    reach = 0.01 if kind == "a line" else 0.0
    np.testing.assert_allclose(apart.min(axis=1), reach, atol=1e-6)
    if kind == "a sheet":
        assert apart.min(axis=0).max() < 1e-6
        assert len(found) == 2 * model.nflexvert, "each side has its own"


def test_an_interpolated_flex_moves_as_a_whole(skinned):
    grid = 'dim="3" dof="trilinear" count="3 3 3" spacing="0.1 0.1 0.1"'
    flex = f'<flexcomp name="soft" type="grid" {grid} mass="1" pos="1 0 1">'
    ctx, scene, geom = skinned(FLEX.format(flex=flex + '<elasticity young="1e3"/></flexcomp>'))
    model, data = ctx.model, ctx.data
    np.testing.assert_allclose(scene.vertices(geom).min(axis=0), data.flexvert_xpos.min(axis=0), atol=1e-6)
    before = scene.vertices(geom)
    slides = [j for j in range(model.njnt) if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_SLIDE]
    along_x = [j for j in slides if model.jnt_axis[j][0] == 1.0]
    data.qpos[model.jnt_qposadr[along_x]] += 0.5
    follow(scene, model, data)
    np.testing.assert_allclose(scene.vertices(geom) - before, np.tile([0.5, 0.0, 0.0], (len(before), 1)), atol=1e-6)
    corner = int(np.argmin(data.flexvert_xpos.sum(axis=1)))
    apart = np.linalg.norm(scene.vertices(geom) - data.flexvert_xpos[corner], axis=1)
    assert apart.min() < 1e-6


def test_a_skin_is_where_mujoco_draws_it(skinned):
    ctx, scene, geom = skinned(SKIN)
    model, data = ctx.model, ctx.data
    assert geom["rgba"] == pytest.approx([0.8, 0.5, 0.3, 1.0])
    data.qpos[:] = [0.7, -1.1]
    follow(scene, model, data)
    drawn = mujoco.MjvScene(model, 100)
    camera, option, pert = mujoco.MjvCamera(), mujoco.MjvOption(), mujoco.MjvPerturb()
    mujoco.mjv_updateScene(model, data, option, pert, camera, mujoco.mjtCatBit.mjCAT_ALL, drawn)
    np.testing.assert_allclose(scene.vertices(geom), drawn.skinvert[: 3 * model.nskinvert].reshape(-1, 3), atol=1e-5)


def test_of_many_bones_the_strongest_four_are_followed(skinned):
    bones = "".join(
        f'<bone body="b{i}" bindpos="{i} 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="{w} {w} {w}"/>'
        for i, w in enumerate((0.1, 0.3, 0.2, 0.05, 0.2, 0.15))
    )
    bodies = "".join(f'<body name="b{i}" pos="{i} 0 0"><joint/><geom size="0.1"/></body>' for i in range(6))
    skin = f'<deformable><skin vertex="0 0 0 1 0 0 0 1 0" face="0 1 2">{bones}</skin></deformable>'
    _, scene, geom = skinned(f"<mujoco><worldbody>{bodies}</worldbody>{skin}</mujoco>")
    told = scene.document["skins"][geom["skin"]]
    rows = scene.array(told["skinIndex"], "<u2").reshape(-1, 4)
    assert sorted(rows[0].tolist()) == [1, 2, 4, 5]
    np.testing.assert_allclose(scene.array(told["skinWeight"], "<f4").reshape(-1, 4).sum(axis=1), 1.0, atol=1e-6)
